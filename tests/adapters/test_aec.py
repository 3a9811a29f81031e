"""The AEC environment, for every registered game."""

import copy
import json
import pickle
import re
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

import dig_envs
from dig_envs import IllegalActionError, OptionError, SnapshotError
from dig_envs.adapters.aec import RawAEC
from dig_envs.registry import load_game
from tests.games import (
    every_case,
    every_game,
    every_player_count,
    is_over,
    mostly_heuristic,
    play,
    play_out,
    play_to_an_illegal_action,
    positions,
    random_choice,
)

OPTIONAL = ("rng", "seed")  # keys of a snapshot that it may lack; no agent's view has them


def state_bytes(env):
    return env.unwrapped.states.tobytes()


def same_observation(a, b):
    return all(np.array_equal(a[key], b[key]) for key in ("observation", "action_mask"))


@every_case
def test_pettingzoo_api(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        api_test(dig_envs.make(name, **options), num_cycles=200)
        api_test(RawAEC(name, **options), num_cycles=200)


@every_player_count
def test_pettingzoo_seed(name, options):
    seed_test(lambda: dig_envs.make(name, **options), num_cycles=200)


@every_game
def test_render_ansi_is_text(name):
    env = dig_envs.make(name, render_mode="ansi")
    env.reset(seed=1)
    assert len(env.render().splitlines()) > 3


@every_game
def test_registered_with_pettingzoo(name):
    game = load_game(name)
    env = pettingzoo.make("aec", f"dig/{game.name}-v{game.version}")
    assert str(env) == name
    parallel = pettingzoo.make("parallel", f"dig/{game.name}-v{game.version}")
    assert parallel.reset(seed=3)[0].keys() == set(parallel.possible_agents)


@every_case
def test_same_seed_same_game_over_several_resets(name, options):
    games = []
    for _ in range(2):
        env = RawAEC(name, **options)
        rng = np.random.default_rng(5)
        record = []
        for episode in range(3):
            env.reset(seed=11 if episode == 0 else None)
            record.append((state_bytes(env), play_out(env, rng), state_bytes(env)))
        games.append(record)
    assert games[0] == games[1]
    assert games[0][0][0] != games[0][1][0], "the next episode is another deal"


@every_case
def test_random_games_end_within_the_bound_and_for_all_at_once(name, options):
    env = RawAEC(name, **options)
    for seed in range(5):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for count, _ in enumerate(play(env, rng, random_choice if seed % 2 else mostly_heuristic)):
            assert count < env.game.max_actions
            assert not any(env.terminations.values())
            assert not any(env.truncations.values())
        assert all(env.terminations.values())
        assert not any(env.truncations.values()), "the turn limit is a rule: it terminates"
        while env.agents:
            env.step(None)


@every_case
def test_mask_of_the_mover_is_never_empty_and_of_others_is(name, options):
    for env in positions(name, options, games=2, every=5):
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert seen["action_mask"].any() == bool(env.states["owes"][0][seat])
            assert env.observation_space(agent).contains(seen)


@every_player_count
def test_observations_are_fresh_arrays(name, options):
    env = RawAEC(name, **options)
    env.reset(seed=2)
    first = env.observe(env.agent_selection)
    kept = copy.deepcopy(first)
    first["observation"][:] = 7
    first["action_mask"][:] = 0
    assert same_observation(env.observe(env.agent_selection), kept)


@every_player_count
def test_spaces_are_the_same_object_at_each_call_and_size(name, options):
    env, other = RawAEC(name, **options), RawAEC(name)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) == other.observation_space("player_0")


@every_case
@pytest.mark.parametrize("how", ["deepcopy", "pickle", "snapshot"])
def test_copies_keep_the_position_and_play_on_identically(name, options, how):
    env = RawAEC(name, **options)
    for seed in range(3):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        play_out(env, rng, mostly_heuristic if seed % 2 else random_choice, most=7 * (seed + 1))
        if is_over(env):
            continue
        if how == "deepcopy":
            twin = copy.deepcopy(env)
        elif how == "pickle":
            twin = pickle.loads(pickle.dumps(env))
        else:
            twin = RawAEC(name, **options)
            twin.restore(json.loads(json.dumps(env.snapshot())))
        assert twin.snapshot() == env.snapshot()
        assert same_observation(twin.observe(twin.agent_selection), env.observe(env.agent_selection))
        actions = play_out(env, np.random.default_rng(99))
        for action in actions:
            twin.step(action)
        assert twin.snapshot() == env.snapshot()
        assert twin.rewards == env.rewards
        assert twin.terminations == env.terminations


@every_game
@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("moment", ["before the first reset", "just paid", "over", "some gone", "ended by an illegal move"])
def test_copies_at_special_moments(name, how, moment):
    env = dig_envs.make(name, reward="score")
    if moment != "before the first reset":
        env.reset(seed=12)
        rng = np.random.default_rng(0)
        for _ in play(env.unwrapped, rng, mostly_heuristic):
            if moment == "just paid" and any(env.rewards.values()):
                break
            illegal = np.flatnonzero(env.last()[0]["action_mask"] == 0)
            if moment == "ended by an illegal move" and len(illegal):
                env.step(int(illegal[0]))
                break
        if moment == "some gone":
            env.step(None)
    twin = how(env)
    if moment == "before the first reset":
        env.reset(seed=3)
        twin.reset(seed=3)
    for _ in range(500):
        assert state_bytes(twin) == state_bytes(env)
        kept = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
        assert [getattr(twin, one) for one in kept] == [getattr(env, one) for one in kept]
        if not env.agents:
            return
        last, there = env.last(), twin.last()
        assert same_observation(last[0], there[0])
        assert last[1:] == there[1:]
        action = None if last[2] or last[3] else int(np.flatnonzero(last[0]["action_mask"])[0])
        env.step(action)
        twin.step(action)


@every_game
def test_a_finished_game_can_be_saved_and_restored(name):
    env, other = RawAEC(name), RawAEC(name)
    env.reset(seed=2)
    play_out(env, np.random.default_rng(0))
    other.reset(seed=3)
    other.restore(env.snapshot())
    assert other.snapshot() == env.snapshot()
    assert other.terminations == env.terminations
    assert other.truncations == env.truncations
    while other.agents:
        assert not other.last()[0]["action_mask"].any()
        other.step(None)


@every_case
def test_snapshot_round_trip(name, options):
    env = RawAEC(name, **options)
    game = env.game
    for seed in range(2):
        env.reset(seed=seed)
        for count, _ in enumerate(play(env, np.random.default_rng(seed), mostly_heuristic if seed % 2 else random_choice)):
            if count % 3 == seed:
                snapshot = game.to_snapshot(env.states[0])
                assert game.to_snapshot(game.from_snapshot(snapshot)[0]) == snapshot
        snapshot = game.to_snapshot(env.states[0])
        assert game.to_snapshot(game.from_snapshot(snapshot)[0]) == snapshot


@every_game
@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda s: s.pop("phase"), "phase"),
        (lambda s: s.update(nonsense=1), "nonsense"),
        (lambda s: s.update(game="chess"), "game"),
        (lambda s: s.update(turn="three"), "turn"),
        (lambda s: s.update(turn=True), "turn"),
        (lambda s: s.update(to_move=99), "to_move"),
        (lambda s: s.update(phase="lunch"), "phase"),
        (lambda s: s.update(rng="12x"), "rng"),
        (lambda s: s.update(options={}), "options"),
        (lambda s: s["options"].update(num_players=99), "options"),
        (lambda s: s.update(winners=[0, 0]), "winners"),
        (lambda s: s.update(scores=[]), "scores"),
    ],
)
def test_bad_snapshot_is_refused_by_key_and_changes_nothing(name, change, key):
    env = RawAEC(name)
    env.reset(seed=4)
    before = state_bytes(env)
    snapshot = env.snapshot()
    change(snapshot)
    with pytest.raises(SnapshotError, match=key):
        env.restore(snapshot)
    assert state_bytes(env) == before
    with pytest.raises(SnapshotError):
        env.restore([1, 2])


@every_game
def test_every_key_of_a_snapshot_is_needed_and_checked(name):
    for env in positions(name, {}, games=2, every=25):
        before = env.snapshot()
        for key in before:
            if key not in OPTIONAL:
                with pytest.raises(SnapshotError, match=key):
                    env.restore({k: v for k, v in before.items() if k != key})
            for wrong in ("§", {"§": 1}, [["§"]]):
                with pytest.raises(SnapshotError, match=key):
                    env.restore({**before, key: wrong})
        assert env.snapshot() == before


@every_game
def test_snapshot_without_rng_is_accepted(name):
    env = RawAEC(name)
    env.reset(seed=4)
    snapshot = env.snapshot()
    del snapshot["rng"]
    env.restore(snapshot)
    after = env.snapshot()
    assert int(after.pop("rng")) >= 0
    assert after == snapshot


@every_case
def test_view_hides_the_generator_and_determinize_keeps_the_view(name, options):
    """The generator is hidden, too: a re-deal that kept it would tell the chance to come."""
    hidden = diverse = 0
    for env in positions(name, options, games=2, every=13):
        known = {key: value for key, value in env.snapshot().items() if key not in OPTIONAL}
        for agent in env.possible_agents:
            view, seen = env.view(agent), env.observe(agent)
            assert view.keys() == known.keys()
            deals = set()
            for seed in (1000, 2**64 - 2, -1):
                twin = copy.deepcopy(env)
                twin.determinize(agent, seed)
                assert twin.view(agent) == view
                assert same_observation(twin.observe(agent), seen)
                assert twin.snapshot()["rng"] != env.snapshot()["rng"]
                assert twin.states["seed"] == env.states["seed"]
                plain = env.game.to_snapshot(twin.states[0])
                assert env.game.to_snapshot(env.game.from_snapshot(plain)[0]) == plain, "a possible position"
                deals.add(json.dumps({key: value for key, value in plain.items() if key not in OPTIONAL}))
            hidden += view != known
            diverse += len(deals) > 1
            assert view != known or deals == {json.dumps(known)}, "where nothing is hidden nothing changes"
    assert 2 * diverse >= hidden, "re-deals differ, except where what is hidden can be inferred"


@every_player_count
def test_determinize_depends_on_the_view_and_the_seed_only(name, options):
    for env in positions(name, options, games=2, every=9):
        for agent in env.possible_agents:
            first, second = copy.deepcopy(env), copy.deepcopy(env)
            second.determinize(agent, 1)  # another deal with the same view
            first.determinize(agent, 2)
            second.determinize(agent, 2)
            assert first.snapshot() == second.snapshot()


@every_case
def test_illegal_actions_are_refused_and_change_nothing(name, options):
    for env in positions(name, options, games=2, every=11):
        before = state_bytes(env)
        mask = env.observe(env.agent_selection)["action_mask"]
        legal = int(np.flatnonzero(mask)[0])
        wrong = (None, "pass", 0.5, float(legal), str(legal), True, False, np.True_, np.array([legal]), [legal], np.float32(legal))
        for action in [*np.flatnonzero(mask == 0)[::25], -1, len(mask), 10**9, 10**5000, *wrong]:
            with pytest.raises(IllegalActionError, match="legal"):
                env.step(action)
            assert state_bytes(env) == before


@every_game
def test_illegal_action_is_named(name):
    env = RawAEC(name)
    env.reset(seed=1)
    action = play_to_an_illegal_action(env)
    with pytest.raises(IllegalActionError, match=re.escape(env.action_names[action])):
        env.step(action)


@every_game
def test_options_are_checked(name):
    with pytest.raises(OptionError, match="num_players"):
        RawAEC(name, bananas=3)
    with pytest.raises(OptionError, match="num_players"):
        RawAEC(name, num_players=99)
    with pytest.raises(OptionError, match="win"):
        RawAEC(name, reward="fame")
    with pytest.raises(OptionError, match="ansi"):
        RawAEC(name, render_mode="hologram")
    with pytest.raises(ValueError, match=name):
        dig_envs.make("chess_v9")


@every_player_count
def test_score_rewards_add_up_to_the_scores(name, options):
    env = RawAEC(name, reward="score", **options)
    for seed in range(6):
        env.reset(seed=seed)
        start = env.snapshot()["scores"]
        total = np.zeros(env.num_seats)
        for _ in play(env, np.random.default_rng(seed), mostly_heuristic):
            total += list(env.rewards.values())
        total += list(env.rewards.values())
        assert (start + total == env.snapshot()["scores"]).all()


@every_player_count
def test_returns_follow_from_the_winners(name, options):
    env = RawAEC(name, **options)
    for seed in range(6):
        env.reset(seed=seed)
        for _ in play(env, np.random.default_rng(seed), mostly_heuristic):
            assert not any(env.rewards.values())
        winners, seats = env.snapshot()["winners"], env.num_seats
        for seat, agent in enumerate(env.possible_agents):
            if env.game.cooperative:
                expected = 1.0 if winners else -1.0
            elif len(winners) in (0, seats):
                expected = 0.0
            else:
                expected = 1 / len(winners) if seat in winners else -1 / (seats - len(winners))
            assert env.rewards[agent] == pytest.approx(expected)


@every_player_count
def test_what_was_paid_between_two_turns_is_in_the_cumulative_reward(name, options):
    """``last()`` tells an agent all that it was paid since its own last action."""
    env = dig_envs.make(name, reward="score", **options)
    for seed in range(4):
        env.reset(seed=seed)
        owed = dict.fromkeys(env.possible_agents, 0.0)
        rng = np.random.default_rng(seed)
        while env.agents:
            agent = env.agent_selection
            seen, reward, terminated, truncated, _ = env.last()
            assert reward == owed[agent]
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            owed[agent] = 0.0
            for one, paid in env.rewards.items():
                owed[one] += paid


@every_player_count
def test_a_commitment_is_invisible_until_all_have_committed(name, options):
    """Whichever action a seat commits to in a simultaneous decision, the others see the same."""
    for env in positions(name, options, games=3, every=4):
        owing = [agent for agent, owes in zip(env.possible_agents, env.states["owes"][0], strict=False) if owes]
        if len(owing) < 2:
            continue
        watcher = owing[-1]
        seen = []
        for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[:12]:
            twin = copy.deepcopy(env)
            twin.step(int(action))
            if twin.states["owes"][0][env.seat_of(env.agent_selection)] == 0:
                seen.append((twin.view(watcher), twin.observe(watcher)))
        for view, observation in seen[1:]:
            assert view == seen[0][0]
            assert same_observation(observation, seen[0][1])


@every_game
def test_layout_covers_the_observation_without_gaps(name):
    env = RawAEC(name)
    position = 0
    for entry in env.observation_layout.values():
        assert entry.slice.start == position
        assert entry.slice.stop - entry.slice.start == int(np.prod(entry.shape))
        assert entry.meaning
        position = entry.slice.stop
    assert position == env.game.observation_size
    assert len(set(env.action_names)) == len(env.action_names)
