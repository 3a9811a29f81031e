"""Games inside jit, vmap and scan of JAX: the same games as everywhere, bit by bit, and what
happens to bad input."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from dig_envs import BatchEnv, IllegalActionError, OptionError, SnapshotError
from dig_envs.adapters.parallel import Parallel
from dig_envs.engine.core.state import as_records
from dig_envs.registry import load_game
from tests.games import SHIPPED, needs_compiling, player_cases

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install 'dig_envs[jax]'")
import jax.numpy as jnp  # noqa: E402 (there where JAX is)

from dig_envs.adapters.jax import State, make, seed_words  # noqa: E402
from dig_envs.adapters.jaxmarl import make as make_marl  # noqa: E402

pytestmark = needs_compiling
SIMULTANEOUS = "bone_bids_v0"  # the model game: all seats bid at the same time
FEW = [
    pytest.param("go_dig_v0", {"num_players": 2}, marks=pytest.mark.slow),
    (SIMULTANEOUS, {"num_players": 3}),
]
ACTIONS = 100_000  # of each game, in the comparison with BatchEnv


def keys_of(seeds):
    """The keys whose words are these seeds, in the older form."""
    seeds = np.asarray(seeds, np.uint64)
    return jnp.asarray(
        np.stack([seeds >> np.uint64(32), seeds & np.uint64(2**32 - 1)], -1).astype(np.uint32)
    )


def same(ours, theirs):
    """Equal bit by bit."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return ours.shape == theirs.shape and ours.tobytes() == theirs.astype(ours.dtype).tobytes()


def differences(state, batch, num_players):
    """The names of the entries of a state that are not those of a BatchEnv."""
    pairs = {
        "game": (state.game, batch.states.view(np.uint8).reshape(batch.batch_size, -1)),
        "observation": (state.observation, batch.observation),
        "mask": (state.legal_action_mask, batch.action_mask),
        "player": (state.current_player, batch.mover),
        "rewards": (state.rewards, batch.reward[:, :num_players]),
        "terminated": (state.terminated, batch.terminated),
        "turn_limit": (state.turn_limit, batch.turn_limit),
    }
    return [name for name, (ours, theirs) in pairs.items() if not same(ours, theirs)]


def compare(name, options, games, steps, reward="win"):
    """Play the same actions in a BatchEnv and in one scan; the states of a stretch are compared one
    by one."""
    seeds = [7 + 2**40 * i for i in range(games)]
    batch = BatchEnv(name, games, seeds, reward=reward, **options)
    env = make(name, reward=reward, auto_reset=True, **options)
    play = jax.jit(
        lambda state, actions: jax.lax.scan(lambda s, a: (env.step(s, a),) * 2, state, actions)
    )
    state, ended, stretch = env.init(keys_of(seeds)), 0, 25
    assert differences(state, batch, env.num_players) == []
    for _ in range(-(-steps // stretch)):
        expected, actions = [], []
        before = state
        for k in range(stretch):
            actions.append(batch.heuristic_actions() if k % 5 == 4 else batch.sample_actions())
            batch.step(actions[-1])
            books = (
                batch.action_mask,
                batch.reward,
                batch.terminated,
                batch.final_returns,
                batch.final_lengths,
                batch.won.astype(np.float32),
                batch.scores,
            )
            expected.append(
                (
                    batch.states.tobytes(),
                    batch.observation.tobytes(),
                    *(book.copy() for book in books),
                )
            )
        state, states = play(before, jnp.asarray(np.stack(actions)))
        for k, (positions, seen, masks, rewards, terminated, *final) in enumerate(expected):
            returns, lengths, won, scores = final
            assert np.asarray(states.game[k]).tobytes() == positions, k
            assert np.asarray(states.observation[k]).tobytes() == seen, k
            assert same(states.legal_action_mask[k], masks)
            assert same(states.rewards[k], rewards[:, : env.num_players])
            assert same(states.terminated[k], terminated)
            assert same(states.returns[k][terminated], returns[terminated, : env.num_players])
            assert same(states.num_steps[k][terminated], lengths[terminated])
            assert same(states.won[k], won[:, : env.num_players])
            assert same(states.scores[k], scores[:, : env.num_players])
            ended += int(terminated.sum())
        assert differences(state, batch, env.num_players) == []
    batch.close()
    return ended


@pytest.mark.parametrize(("name", "options"), FEW)
def test_equal_to_batch_env(name, options):
    """Positions, observations, masks, rewards, ends, in two threads (512 games); the random
    players' actions."""
    assert compare(name, options, 512, 75) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), player_cases())
def test_equal_to_batch_env_in_all_games(name, options):
    assert compare(name, options, 100, ACTIONS // 100) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_changes_of_score_are_those_of_batch_env(name):
    compare(name, {}, 32, 300, reward="score")


@pytest.fixture(scope="module")
def env():
    return make("go_dig_v0", num_players=2)


def played(env, key=3, steps=12, lead=()):
    """A state in the middle of a game, played at random."""
    keys = jax.random.split(jax.random.key(key), lead) if lead else jax.random.key(key)
    step = jax.jit(lambda state, keys: env.step(state, env.sample(state, keys)))
    state = jax.jit(env.init)(keys)
    for k in range(steps):
        one = (
            jax.random.split(jax.random.key(100 * key + k), lead)
            if lead
            else jax.random.key(100 * key + k)
        )
        state = step(state, one)
    return state


def equal(one, other):
    return all(
        same(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    )


# ---------------------------------------------------------------- jit, vmap, scan


def test_one_native_call_for_a_batch_and_no_callback(env):
    """In the compiled program of a scan over vmapped steps: one call for all games, in place, and
    nothing that goes to Python."""

    def rollout(keys):
        def body(state, key):
            state = jax.vmap(env.step)(
                state, jax.vmap(env.sample)(state, jax.random.split(key, 64))
            )
            return state, state.rewards

        return jax.lax.scan(body, jax.vmap(env.init)(keys), jax.random.split(jax.random.key(1), 10))

    program = jax.jit(rollout).lower(jax.random.split(jax.random.key(0), 64)).compile().as_text()
    calls = [line for line in program.splitlines() if "custom_call_target=" in line]
    targets = sorted(line.split('custom_call_target="')[1].split('"')[0] for line in calls)
    assert targets == [f"dig_envs.go_dig_v0.{kernel}" for kernel in ("init", "sample", "step")]
    assert all("[64," in line for line in calls)
    assert not any(word in program for word in (" infeed(", " outfeed(", " send(", " recv("))
    assert "output_to_operand_aliasing" in next(line for line in calls if "go_dig_v0.step" in line)


def test_vmap_is_the_same_as_a_batch(env):
    keys = jax.random.split(jax.random.key(4), (3, 5))
    batch = env.init(keys)
    assert batch.game.shape == (3, 5, env.game.state.itemsize)
    assert equal(batch, jax.vmap(jax.vmap(env.init))(keys))
    actions = env.sample(batch, keys)
    after = env.step(batch, actions)
    assert equal(after, jax.jit(jax.vmap(jax.vmap(env.step)))(batch, actions))
    single = env.step(jax.tree.map(lambda x: x[2, 4], batch), actions[2, 4])
    assert equal(single, jax.tree.map(lambda x: x[2, 4], after))
    one_action_for_all = jax.vmap(env.step, in_axes=(0, None))(batch, actions[0])
    assert equal(
        jax.tree.map(lambda x: x[0], one_action_for_all), jax.tree.map(lambda x: x[0], after)
    )


def test_the_former_state_stays_as_it_is(env):
    """A step leaves the state that it is given unchanged, unless that state was donated; then it
    reuses its memory."""
    state = played(env, lead=(4,))
    before = jax.tree.map(np.array, state)
    after = jax.jit(env.step)(state, env.heuristic(state))
    assert equal(before, state)
    donated = jax.tree.map(jnp.copy, state)
    place = donated.game.unsafe_buffer_pointer()
    result = jax.jit(env.step, donate_argnums=0)(donated, env.heuristic(state))
    assert donated.game.is_deleted()
    assert result.game.unsafe_buffer_pointer() == place
    assert equal(result, after)


def test_states_can_be_kept_in_a_buffer(env):
    """Stored, drawn and gathered, games play on as they would have; what was never stored counts as
    a finished game."""
    state = played(env, lead=(4,))
    buffer = jax.tree.map(lambda x: jnp.zeros((8, *x.shape[1:]), x.dtype).at[2:6].set(x), state)
    drawn = jax.tree.map(lambda x: x[jnp.array([5, 0, 2])], buffer)
    after = jax.jit(env.step)(
        drawn, jnp.array([*env.heuristic(state)[3:], 0, env.heuristic(state)[0]])
    )
    wanted = env.step(state, env.heuristic(state))
    assert equal(
        jax.tree.map(lambda x: x[jnp.array([0, 2])], after),
        jax.tree.map(lambda x: x[jnp.array([3, 0])], wanted),
    )
    assert after.terminated.tolist() == [False, True, False]
    assert not after.game[1].any()
    assert not after.rewards[1].any()
    assert after.legal_action_mask[1].all()
    again = make("go_dig_v0", num_players=2, auto_reset=True)
    restarted = again.step(drawn, jnp.zeros(3, jnp.int32))
    assert bool(restarted.terminated[1])
    again.check(restarted)  # a new game has been dealt there


SHARDED = """
import sys
import jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
from dig_envs.adapters.jax import make
env = make("go_dig_v0", num_players=2, auto_reset=True)
mesh = jax.make_mesh((2,), ("games",))
play = lambda state, keys: env.step(state, env.sample(state, keys))
state = env.init(jax.random.split(jax.random.key(0), 64))
keys = jax.random.split(jax.random.key(1), 64)
wanted = jax.jit(play)(state, keys)
both = jax.device_put((state, keys), NamedSharding(mesh, P("games")))
shared = jax.jit(jax.shard_map(play, mesh=mesh, in_specs=P("games"), out_specs=P("games")))
assert "all-gather" not in shared.lower(*both).compile().as_text()
got = shared(*both)
assert len(got.game.sharding.device_set) == 2
pairs = zip(jax.tree.leaves(wanted), jax.tree.leaves(got), strict=True)
assert all(np.array_equal(a, b) for a, b in pairs)
print("the same")
"""


@pytest.mark.slow
def test_sharded_over_host_devices():
    """By jax.shard_map: each device plays its own games, and nothing is gathered."""
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    run = subprocess.run(
        [sys.executable, "-c", SHARDED],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.stdout == "the same\n", run.stderr


# ---------------------------------------------------------------- deals


def test_the_key_is_the_seed(env):
    """``jax.random.key(5)`` is seed 5; other keys have the seed of their first two words."""
    batch = BatchEnv("go_dig_v0", 1, 5, num_players=2)
    assert same(env.init(jax.random.key(5)).game, batch.states.view(np.uint8))
    assert same(env.init(jax.random.PRNGKey(5)).game, batch.states.view(np.uint8))
    assert same(env.init(jax.random.key(5, impl="rbg")).game, batch.states.view(np.uint8))
    key = jax.random.fold_in(jax.random.key(0), 1)
    high, low = (int(word) for word in jax.random.key_data(key))
    dealt = BatchEnv("go_dig_v0", 1, high * 2**32 + low, num_players=2)
    assert high > 0
    assert same(jax.jit(env.init)(key).game, dealt.states.view(np.uint8))


@pytest.mark.parametrize("bad", [5, 1.5, np.zeros(2, np.int32), np.zeros((), np.uint32)])
def test_what_is_no_key_is_refused(env, bad):
    with pytest.raises(TypeError, match="a key is needed"):
        env.init(bad)


def test_the_random_player_is_fair(env):
    """The random player draws every legal action about equally often and no illegal one."""
    state = env.init(jax.random.key(5))
    keys = jax.random.split(jax.random.key(6), 4000)
    drawn = jax.vmap(env.sample, in_axes=(None, 0))(state, keys)
    counts = np.bincount(drawn, minlength=env.num_actions)
    legal = np.asarray(state.legal_action_mask)
    assert not counts[~legal].any()
    expected = 4000 / legal.sum()
    assert (abs(counts[legal] - expected) < 6 * expected**0.5).all()


# ---------------------------------------------------------------- ends


def test_an_end_without_auto_reset(env):
    """The returns of the game; then nothing changes any more, and the rewards are 0."""
    step = jax.jit(env.step)
    state = env.init(jax.random.key(1))
    for _ in range(500):
        if state.terminated:
            break
        last = state.current_player
        state = step(state, env.heuristic(state))
    record = env.records(state)
    assert record["over"][0] == 1
    assert same(state.rewards, env.game.returns_of(record)[0, :2].astype(np.float32))
    assert same(state.returns, state.rewards)
    assert state.current_player == last
    assert same(state.observation, env.observe(state, last))
    assert state.legal_action_mask.all()
    after = step(state, 0)
    assert not after.rewards.any()
    assert equal(after, state.replace(rewards=after.rewards))
    assert int(env.heuristic(state)) == 0
    env.check(state)


def test_an_illegal_action_ends_the_game(env):
    """The agent that made it gets -1, the position stays as it was, and the game is over for good;
    whatever the number is."""
    state = played(env)
    seat = int(state.current_player)
    illegal = int(np.flatnonzero(~np.asarray(state.legal_action_mask))[0])
    for action in (illegal, -1, env.num_actions, 2**31 - 1, -(2**31)):
        after = jax.jit(env.step)(state, action)
        assert bool(after.terminated)
        assert after.rewards.tolist() == [-1.0 if p == seat else 0.0 for p in range(2)]
        assert same(after.game, state.game)
        assert int(after.current_player) == seat
        again = env.step(after, env.heuristic(state))
        assert bool(again.terminated)
        assert not again.rewards.any()
        assert same(again.game, state.game)
    with_reset = make("go_dig_v0", num_players=2, auto_reset=True)
    after = with_reset.step(state, illegal)
    assert bool(after.terminated)
    assert after.rewards[seat] == -1
    assert env.records(after)["turn"][0] <= 1
    assert not with_reset.step(after, with_reset.heuristic(after)).terminated


def test_actions_of_another_kind_are_refused(env):
    state = played(env, lead=(4,))
    for wrong in (jnp.zeros(4), np.zeros(4), [0.0] * 4, [True] * 4, ["0"] * 4, [2**70] * 4, None):
        with pytest.raises(TypeError, match=r"actions? must be integers"):
            env.step(state, wrong)
    with pytest.raises(ValueError, match="shape"):
        env.step(state, jnp.zeros(3, jnp.int32))
    with pytest.raises(ValueError, match="step: an array"):
        env.step(state.replace(game=state.game[..., :-8]), jnp.zeros(4, jnp.int32))


def test_numbers_that_would_be_others_when_they_are_narrowed(env):
    """2**40 is 0 as int32, and 2**32 + k is k: none of them is an action or a seat."""
    state = played(env, lead=(4,))
    legal = np.asarray(state.legal_action_mask).argmax(axis=1)
    for wrong in (2**40, 2**32 + legal, legal - 2**32):
        for actions in (np.full(4, wrong), np.full(4, wrong).tolist()):
            assert (env.step(state, actions).rewards.min(axis=1) == -1).all()
    for seat in (2**32, -(2**32), 99, -1):
        assert not env.observe(state, np.int64(seat)).any()
        assert not env.legal_actions(state, np.full(4, seat)).any()
    for seat in (1.5, "0", True, b"0", [0.0] * 4):
        for look in (env.observe, env.legal_actions):
            with pytest.raises(TypeError, match="seat must be integers"):
                look(state, seat)
        with pytest.raises(TypeError, match="seat must be integers"):
            env.determinize(state, jax.random.split(jax.random.key(1), 4), seat)
    with pytest.raises(ValueError, match=r"seat must have the shape \(4,\) or \(\), not \(3,\)"):
        env.observe(state, np.zeros(3, np.int32))


def test_keys_of_other_widths(env):
    for wrong in (3, 1, 5):
        with pytest.raises(TypeError, match="a key is needed"):
            env.init(jnp.zeros((4, wrong), jnp.uint32))
    for wrong in (jnp.zeros((4, 2)), jnp.zeros((4, 2), jnp.int32), 5, jnp.uint32(5)):
        with pytest.raises(TypeError, match="a key is needed"):
            env.init(wrong)


@pytest.mark.parametrize("games", [pytest.param(1, marks=pytest.mark.slow), 512])
def test_the_checked_mode_names_the_action(games):
    """Inside jit, also where several threads play."""
    env = make("go_dig_v0", num_players=2, checked=True)
    state = played(env, lead=(games,))
    good = env.heuristic(state)
    assert not jax.jit(env.step)(state, good).terminated.all()
    illegal = int(np.flatnonzero(~np.asarray(state.legal_action_mask[-1]))[0])
    with pytest.raises(
        jax.errors.JaxRuntimeError, match=f"{re.escape(env.action_names[illegal])}' is not legal"
    ):
        jax.block_until_ready(jax.jit(env.step)(state, good.at[-1].set(illegal)))
    with pytest.raises(jax.errors.JaxRuntimeError, match="out of range"):
        jax.block_until_ready(jax.jit(env.step)(state, good.at[-1].set(999)))
    with pytest.raises(
        IllegalActionError,
        match=(
            f"{re.escape(env.action_names[illegal])}' is not legal for seat . in game {games - 1} "
            "now; legal"
        ),
    ):
        env.check_action(state, good.at[-1].set(illegal))
    env.check_action(state, good)


def test_bytes_from_outside_are_checked(env):
    """States that the rules forbid are found outside of jit."""
    state = played(env, lead=(3,))
    env.check(state)
    records = env.records(state)
    assert equal(
        env.from_records(records),
        state.replace(rewards=state.rewards * 0, num_steps=state.num_steps * 0),
    )
    spoiled = as_records(records.copy())
    spoiled["scores"][1] += 50
    with pytest.raises(SnapshotError, match="game 1"):
        env.from_records(spoiled)
    with pytest.raises(SnapshotError, match="game 2"):
        env.check(state.replace(game=state.game.at[2].set(255)))
    with pytest.raises(SnapshotError, match="game 0"):
        env.check(state.replace(game=jnp.zeros_like(state.game)))
    with pytest.raises(SnapshotError, match="other options"):
        make("go_dig_v0", num_players=3).from_records(records)
    with pytest.raises(ValueError, match="records of go_dig_v0"):
        env.from_records(BatchEnv("oak_island_v0", 1).states)
    with pytest.raises(ValueError, match="uint8"):
        env.check(state.replace(game=state.game.astype(jnp.int32)))


def test_snapshots(env):
    state = played(env, lead=(3,))
    restored = env.restore(env.snapshot(state, 1))
    assert same(restored.game, state.game[1])
    assert same(restored.observation, state.observation[1])
    assert same(restored.legal_action_mask, state.legal_action_mask[1])
    with pytest.raises(ValueError, match="index of a game"):
        env.snapshot(state, 3)


def test_another_device_is_refused():
    """The function that refuses another device raises an error that says what can be done; the test
    registers it for the CPU."""
    jax.ffi.register_ffi_target(
        "test.refusal",
        jax.ffi.pycapsule(load_game("go_dig_v0").xla_calls.refusal),
        platform="cpu",
        api_version=1,
    )
    call = jax.ffi.ffi_call("test.refusal", jax.ShapeDtypeStruct((), jnp.int32))
    with pytest.raises(
        jax.errors.JaxRuntimeError, match=r"run on the CPU.*jax.default_device.*to\('cuda'\)"
    ):
        jax.block_until_ready(jax.jit(call)(jnp.int32(1)))


def test_a_call_of_another_form_is_refused(env):
    """A call whose attributes are missing, or do not fit its arrays, raises an error."""
    env.init(jax.random.key(0))
    call = jax.ffi.ffi_call("dig_envs.go_dig_v0.sample", jax.ShapeDtypeStruct((4,), jnp.int32))
    masks, words = jnp.ones((4, env.num_actions), jnp.bool_), jnp.zeros((4, 2), jnp.uint32)
    for attributes in (
        {},
        {"rows": np.array([39, 8, 8]), "settings": np.zeros(5, np.int64)},
        {"rows": np.array([39]), "settings": np.zeros(5, np.int64)},
    ):
        with pytest.raises(jax.errors.JaxRuntimeError, match="another form"):
            jax.block_until_ready(call(masks, words, **attributes))


def test_bad_options():
    with pytest.raises(OptionError, match="reward"):
        make("go_dig_v0", reward="money")


# ---------------------------------------------------------------- looking and searching


def check_looks(env, state):
    """Check that the observation and mask of each seat are what the rules write for it."""
    records = env.records(state)
    seen, allowed = env.look_all(state)
    assert seen.shape == (len(records), env.num_players, env.observation_size)
    assert same(env.full_state(state), env.game.full_state.of(records))
    assert same(jax.jit(env.full_state)(state), env.game.full_state.of(records))
    for seat in range(env.num_players):
        at = np.full(len(records), seat, np.int64)
        own, flat = env.game.new_observations(len(records))
        env.game.kernels.observations_of(records, 0, len(records), at, own, flat)
        assert same(seen[:, seat], flat)
        assert same(env.observe(state, seat), flat)
        masks = [env.game.mask_of(records[i : i + 1], seat) for i in range(len(records))]
        assert same(allowed[:, seat], np.stack(masks))
        assert same(env.legal_actions(state, seat), np.stack(masks))


@pytest.mark.parametrize(("name", "options"), FEW)
def test_looking(name, options):
    env = make(name, **options)
    state = played(env, lead=(6,), steps=4)
    check_looks(env, state)
    assert same(env.observe(state), state.observation)
    assert not env.observe(state, env.num_players).any()
    assert not env.observe(state, -1).any()
    named = env.named(state.observation)
    theirs = env.game.named(np.asarray(state.observation))
    assert named.keys() == theirs.keys()
    assert all(same(named[field], theirs[field]) for field in named)


@pytest.mark.parametrize(("name", "options"), FEW)
def test_determinize(name, options):
    """Something else is dealt, by the key alone; what the searching seat sees stays, and the game
    plays on."""
    env = make(name, **options)
    state = played(env, lead=(16,), steps=4)
    keys = jax.random.split(jax.random.key(9), 16)
    dealt = jax.jit(env.determinize)(state, keys)
    assert not same(dealt.game, state.game)
    assert equal(dealt.replace(game=state.game), state)
    assert equal(dealt, env.determinize(state, keys))
    assert not same(
        env.determinize(state, jax.random.split(jax.random.key(10), 16)).game, dealt.game
    )
    assert same(env.observe(dealt, state.current_player), state.observation)
    env.check(dealt)
    other = (state.current_player + 1) % env.num_players
    for_other = env.determinize(state, keys, other)
    assert same(env.observe(for_other, other), env.observe(state, other))
    assert same(for_other.observation, env.observe(for_other, for_other.current_player))
    words = np.asarray(seed_words(keys), np.uint64)
    records = env.records(state)
    env.game.kernels.determinize_one(
        records[:1], int(state.current_player[0]), words[0, 0] << np.uint64(32) | words[0, 1]
    )
    assert same(
        dealt.game[0],
        records[:1].view(np.uint8)[0]
        if records.dtype == np.uint8
        else np.frombuffer(records[:1].tobytes(), np.uint8),
    )


# ---------------------------------------------------------------- all at the same time


def both_play(name, options, seeds, steps, rng):
    """The parallel environment and step_all, with the same actions; a few of them illegal."""
    env = make(name, **options)
    step = jax.jit(env.step_all)
    ends = illegal_ends = 0
    for seed in seeds:
        theirs = Parallel(name, illegal="terminate", **options)
        observations, _ = theirs.reset(seed)
        ours = env.init(keys_of(seed))
        for _ in range(steps):
            masks = np.stack([o["action_mask"] for o in observations.values()])
            assert same(
                env.look_all(ours)[0], np.stack([o["observation"] for o in observations.values()])
            )
            actions = np.array(
                [rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks], np.int32
            )
            if rng.random() < 0.05:
                actions[rng.integers(len(actions))] = rng.choice([-1, env.num_actions, 0])
            observations, rewards, terminated, _, infos = theirs.step(
                {f"player_{p}": int(a) for p, a in enumerate(actions)}
            )
            ours = step(ours, actions)
            assert same(ours.game, np.frombuffer(theirs.states.tobytes(), np.uint8))
            assert same(ours.rewards, np.array(list(rewards.values()), np.float32))
            assert bool(ours.terminated) == all(terminated.values())
            if not theirs.agents:
                ends += 1
                illegal_ends += any("illegal_action" in info for info in infos.values())
                assert ours.legal_action_mask.all()
                break
            assert same(
                ours.legal_action_mask,
                observations[f"player_{int(ours.current_player)}"]["action_mask"],
            )
    return ends, illegal_ends


def test_simultaneous_decisions():
    """step_all is a step of the parallel environment, illegal actions included."""
    ends, illegal = both_play(
        SIMULTANEOUS, {"num_players": 3}, range(6), 200, np.random.default_rng(0)
    )
    assert ends == 6
    assert 0 < illegal < 6


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_step_all_in_all_games(name):
    ends, _ = both_play(name, {}, range(5), 60, np.random.default_rng(1))
    assert ends >= 1


@pytest.mark.slow
def test_jaxmarl_form():
    """Dictionaries by agent, masks in which every agent may do something, the next game in the step
    that ends one."""
    env = make_marl(SIMULTANEOUS, num_players=2)
    assert env.agents == ["player_0", "player_1"]
    assert (env.num_agents, env.action_space("player_0").n) == (2, env.environment.num_actions)
    keys = jax.random.split(jax.random.key(0), 8)
    observations, state = jax.vmap(env.reset)(keys)
    space = env.observation_space("player_1")
    assert observations["player_1"].shape == (8, *space.shape)
    assert bool(jax.vmap(space.contains)(observations["player_1"]).all())
    assert bool(space.contains(space.sample(keys[0])))
    assert bool(env.action_space("player_0").contains(env.action_space("player_0").sample(keys[0])))

    def step(state, key):
        masks = env.get_avail_actions(state)
        owing = env.environment.look_all(state)[1].any(-1)
        actions = {
            agent: jax.random.categorical(
                jax.random.fold_in(key, p), jnp.where(masks[agent], 0.0, -1e9)
            )
            for p, agent in enumerate(env.agents)
        }
        observations, state, rewards, dones, infos = env.step(key, state, actions)
        allowed = jnp.stack([masks[agent].sum() for agent in env.agents])
        return state, (observations, rewards, dones, infos, owing, allowed)

    def play(state, key):
        return jax.lax.scan(step, state, jax.random.split(key, 60))

    state, (observations, rewards, dones, infos, owing, allowed) = jax.jit(jax.vmap(play))(
        state, keys
    )
    assert int(dones["__all__"].sum()) > 8
    assert bool((allowed[~owing] == 1).all())
    assert bool((allowed >= 1).all())
    assert same(dones["player_0"], dones["__all__"])
    ended = np.asarray(dones["__all__"])
    total = sum(np.asarray(r) for r in rewards.values())
    assert abs(total).max() < 1e-6, "competitive: the returns of a game cancel out"
    assert (np.asarray(infos["returned"]["player_0"])[~ended] == 0).all()
    assert same(infos["returned"]["player_0"][ended], rewards["player_0"][ended])
    assert same(sum(infos["won"].values()), ended), "each victory is shared out"
    assert not any(np.asarray(score)[~ended].any() for score in infos["score"].values())
    assert env.get_world_state(state).shape == (8, env.environment.game.full_state.size)
    env.environment.check(state)


def test_a_state_is_a_pytree_with_the_documented_arrays(env):
    state = played(env, lead=(2, 3))
    kinds = {
        "game": (np.uint8, (env.game.state.itemsize,)),
        "observation": (np.float32, (env.observation_size,)),
        "legal_action_mask": (np.bool_, (env.num_actions,)),
        "current_player": (np.int32, ()),
        "rewards": (np.float32, (2,)),
        "terminated": (np.bool_, ()),
        "truncated": (np.bool_, ()),
        "turn_limit": (np.bool_, ()),
        "returns": (np.float32, (2,)),
        "num_steps": (np.int32, ()),
        "won": (np.float32, (2,)),
        "scores": (np.int32, (2,)),
    }
    assert isinstance(state, State)
    assert {
        name: (np.dtype(getattr(state, name).dtype), getattr(state, name).shape[2:])
        for name in kinds
    } == {name: (np.dtype(kind), shape) for name, (kind, shape) in kinds.items()}
    assert len(jax.tree.leaves(state)) == len(kinds)
    assert not state.truncated.any()
