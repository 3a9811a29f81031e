"""For each option of each game two whole games, with all that holds at every position of every game
checked at some of them.

Each promise is a function ``check_…``. Where one is broken the traceback names it, and a note says
in which game and where.
"""

import copy
import json
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any
from zlib import crc32

import jsonschema
import numpy as np
import pytest

from dig_envs import IllegalActionError, SnapshotError
from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.codecs import NOBODY
from dig_envs.registry import load_game
from tests.games import (
    Chooser,
    case_id,
    every_case,
    expected_infos,
    is_over,
    mostly_heuristic,
    play,
    random_choice,
)

# positions of a game besides the first one of each phase and the last one
LOOKS = 3 if JIT_DISABLED else 4
DEALS = (1000, -1)  # seeds of re-deals
OPTIONAL = ("rng", "seed")  # keys that a snapshot may lack and no view has
BOOKS = ("rewards", "terminations", "truncations", "infos", "agents", "agent_selection")


@dataclass
class Tally:
    """Counts of hidden entries: how often something was hidden from a seat, and how often re-deals
    of it differed."""

    hidden: int = 0
    diverse: int = 0


@dataclass
class Script:
    """A game that was played: its actions, and the counts of actions after which it is looked
    at."""

    seed: int
    actions: list[int] = field(default_factory=list)
    looks: set[int] = field(default_factory=set)


@every_case
def test_everything_holds_in_whole_games(name: str, options: dict[str, Any]) -> None:
    """A scripted player's game paid by returns, and a random one paid by scores; with unusual
    options only one of them."""
    tally = Tally()
    kinds: list[tuple[Chooser, str]] = [(mostly_heuristic, "win"), (random_choice, "score")]
    usual = set(options) <= {"num_players"}
    for choose, reward in kinds if usual else [kinds[crc32(case_id(name, options).encode()) % 2]]:
        env = RawAEC(name, reward, **options)
        script = played(env, choose, crc32(f"{case_id(name, options)} {reward}".encode()))
        replay(env, script, tally)
        check_the_end(env)
    assert 2 * tally.diverse >= tally.hidden, (
        "re-deals differ, except where what is hidden can be inferred"
    )


def played(env: RawAEC, choose: Chooser, seed: int) -> Script:
    """Play a game to its end; it is looked at when a phase is reached for the first time, and at
    equal distances."""
    script, phases = Script(seed), set()
    env.reset(seed=seed)
    for action in play(env, np.random.default_rng(seed), choose):
        phase = int(env.states["phase"][0])
        if phase not in phases:
            script.looks.add(len(script.actions))
            phases.add(phase)
        script.actions.append(action)
    assert len(script.actions) <= env.game.max_actions, "every game ends within max_actions"
    script.looks |= {int(count) for count in np.linspace(0, len(script.actions), LOOKS)}
    return script


def replay(env: RawAEC, script: Script, tally: Tally) -> None:
    """Play the game again with everything checked on the way; copies that are made in its middle
    end in the same position."""
    last = env.states.tobytes()
    env.reset(seed=script.seed)
    assert not any(env.rewards.values()), "what a deal scores is not paid"
    twins: list[RawAEC] = []
    for count, action in enumerate(script.actions):
        with noted(env, count):
            check_books_while_playing(env)
            if count in script.looks:
                check_position(env, tally)
            if count == len(script.actions) // 2:
                twins = copies(env)
            before = scores(env)
            env.step(action)
            check_pay(env, before)
            for twin in twins:
                twin.step(action)
    assert env.states.tobytes() == last, "the same seed and actions give the same game"
    with noted(env, len(script.actions)):
        check_position(env, tally)
        for twin in twins:
            assert twin.snapshot() == env.snapshot()
            assert [getattr(twin, book) for book in BOOKS] == [getattr(env, book) for book in BOOKS]


@contextmanager
def noted(env: RawAEC, count: int) -> Iterator[None]:
    """Say in which game, and after how many of its actions, something was wrong."""
    try:
        yield
    except Exception as error:
        error.add_note(
            f"{env} with {env.options}, episode {env.snapshot()['seed']}, after {count} actions"
        )
        raise


def check_position(env: RawAEC, tally: Tally) -> None:
    """All that holds at any position; nothing of it changes the position."""
    before = env.states.tobytes()
    check_who_decides(env)
    check_observations(env)
    check_snapshot(env)
    check_views(env)
    for seat, agent in enumerate(env.possible_agents):
        check_redeals(env, seat, agent, tally)
    if not is_over(env):
        check_illegal_actions(env)
        check_sealed_choices(env)
        check_scripted_player(env)
    assert env.states.tobytes() == before


# ---------------------------------------------------------------- deciding and observing


def check_who_decides(env: RawAEC) -> None:
    """A seat that has a decision to make has legal actions, no other seat has; the first of them is
    to move."""
    owes, mover = env.states["owes"][0], int(env.states["to_move"][0])
    for seat, agent in enumerate(env.possible_agents):
        assert env.observe(agent)["action_mask"].any() == bool(owes[seat])
    assert not owes[env.num_seats :].any()
    assert owes.any() != is_over(env)
    if is_over(env):
        assert mover == -1
    else:
        assert mover == np.flatnonzero(owes)[0]
        assert env.agent_selection == f"player_{mover}"


def check_observations(env: RawAEC) -> None:
    """They lie in their space, are fresh arrays, and say in the standard fields what the snapshot
    says."""
    snapshot = env.snapshot()
    for seat, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        check_standard_fields(env, snapshot, seat, env.named(seen["observation"].copy()))
        kept = copy.deepcopy(seen)
        seen["observation"][:] = 7
        seen["action_mask"][:] = 0
        assert same_observation(env.observe(agent), kept), "fresh arrays"


def check_standard_fields(
    env: RawAEC, snapshot: dict[str, Any], seat: int, seen: dict[str, Any]
) -> None:
    game = env.game
    if "plays" in seen:
        assert seen["plays"].sum() == env.num_seats
    if "num_players" in seen:
        assert seen["num_players"].argmax() + game.min_players == env.num_seats
        assert seen["num_players"].sum() == 1
    if "phase" in seen:  # a phase beyond the field is shown as zeros
        shown = game.phases[: len(seen["phase"])]
        assert seen["phase"].tolist() == [phase == snapshot["phase"] for phase in shown]
    if "has_turn" in seen and "player" in snapshot:
        assert (seat + int(seen["has_turn"].argmax())) % env.num_seats == snapshot["player"]
    if "score" in seen:
        scores, shown = np.roll(snapshot["scores"], -seat), seen["score"][: env.num_seats]
        assert np.array_equal(np.argsort(scores, kind="stable"), np.argsort(shown, kind="stable"))


def same_observation(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(np.array_equal(a[key], b[key]) for key in ("observation", "action_mask"))


def check_illegal_actions(env: RawAEC) -> None:
    """They are refused, and nothing has changed."""
    before = env.states.tobytes()
    mask = env.observe(env.agent_selection)["action_mask"]
    for action in (*np.flatnonzero(mask == 0)[::25], -1, len(mask)):
        with pytest.raises(IllegalActionError, match="legal"):
            env.step(action)
        assert env.states.tobytes() == before


def check_sealed_choices(env: RawAEC) -> None:
    """Whichever action a seat commits to in a simultaneous decision, the others see the same."""
    owing = [seat for seat in range(env.num_seats) if env.states["owes"][0][seat]]
    if len(owing) < 2:
        return
    watcher, told = env.possible_agents[owing[-1]], []
    for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[:12]:
        twin = copy.deepcopy(env)
        twin.step(int(action))
        if twin.states["owes"][0][owing[0]] == 0:
            told.append(known_to(twin, watcher))
    assert all(one == told[0] for one in told)


# ---------------------------------------------------------------- snapshots and views


@cache
def validators(game: Game) -> tuple[Any, Any]:
    """Of snapshots and of views."""
    found = [
        jsonschema.Draft202012Validator(schema) for schema in (game.json_schema, game.view_schema)
    ]
    for validator in found:
        validator.check_schema(validator.schema)
    return found[0], found[1]


def check_snapshot(env: RawAEC) -> None:
    """It follows the schema and says, as JSON, all that matters of a position; what is derived is
    as the rules have kept it."""
    game, snapshot = env.game, env.snapshot()
    validators(game)[0].validate(game.to_snapshot(env.states[0]))
    restored = copy.deepcopy(env)
    restored.restore(json.loads(json.dumps(snapshot)))
    assert restored.snapshot() == snapshot
    for agent in env.possible_agents:
        assert known_to(restored, agent) == known_to(env, agent)
    assert snapshot["scores"] == scores(env)
    assert env.options == snapshot["options"] == game.options_of(env.states)
    derived = env.states.copy()
    game.kernels.derive_one(derived)
    assert derived.tobytes() == env.states.tobytes()


def check_views(env: RawAEC) -> None:
    """They have the keys of a snapshot, but neither generator nor seed, and follow their own
    schema."""
    snapshot = env.snapshot()
    for seat in (NOBODY, *range(env.num_seats)):
        view = env.game.to_view(snapshot, seat)
        assert view.keys() == snapshot.keys() - set(OPTIONAL)
        validators(env.game)[1].validate(view)


def known_to(env: RawAEC, agent: str) -> tuple[Any, ...]:
    """All that an agent is told, bit by bit."""
    seen = env.observe(agent)
    return env.view(agent), seen["observation"].tobytes(), seen["action_mask"].tobytes()


def check_redeals(env: RawAEC, seat: int, agent: str, tally: Tally) -> None:
    """A seat is told the same of each, which is a possible position with another chance to come,
    made from the view alone."""
    game, told = env.game, known_to(env, agent)
    known = without_optional(env.snapshot())
    deals, twins = set(), []
    for seed in DEALS:
        twin = copy.deepcopy(env)
        twin.determinize(agent, seed)
        assert known_to(twin, agent) == told
        assert twin.snapshot()["rng"] != env.snapshot()["rng"], "the chance to come is hidden, too"
        assert twin.states["seed"] == env.states["seed"]
        dealt = game.to_snapshot(twin.states[0])
        assert game.to_snapshot(game.from_snapshot(dealt)[0]) == dealt, "a possible position"
        if seat == env.states["to_move"][0] and not JIT_DISABLED:
            assert scripted(twin) == scripted(env), (
                "the scripted player goes by what its seat knows"
            )
        deals.add(json.dumps(without_optional(dealt)))
        twins.append(twin)
    twins[0].determinize(agent, DEALS[-1])
    assert twins[0].snapshot() == twins[-1].snapshot(), "equal views and seeds, equal deals"
    hides = told[0] != known
    assert hides or deals == {json.dumps(known)}, "where nothing is hidden nothing changes"
    tally.hidden += hides
    tally.diverse += len(deals) > 1


def without_optional(snapshot: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in snapshot.items() if key not in OPTIONAL}


def scripted(env: RawAEC) -> int:
    """The scripted player's action."""
    actions = np.full(1, -1, np.int64)
    env.game.kernels.heuristic_actions(
        env.states, 0, 1, env.states["to_move"].astype(np.int64), actions
    )
    return int(actions[0])


def check_scripted_player(env: RawAEC) -> None:
    """It is legal and always the same."""
    if not JIT_DISABLED:
        assert env.observe(env.agent_selection)["action_mask"][scripted(env)]
        assert scripted(env) == scripted(env)


def copies(env: RawAEC) -> list[RawAEC]:
    """A copy, an unpickled one, and an environment that was restored; all in the same position."""
    restored = RawAEC(env.game.env_name, env.reward_kind, **env.options)
    restored.restore(json.loads(json.dumps(env.snapshot())))
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), restored]
    for twin in twins:
        assert twin.snapshot() == env.snapshot()
        assert known_to(twin, twin.agent_selection) == known_to(env, env.agent_selection)
    return twins


# ---------------------------------------------------------------- pay and the end


def check_books_while_playing(env: RawAEC) -> None:
    """Nobody has finished, and there is nothing to report yet."""
    assert env.agents == env.possible_agents
    assert not any((*env.terminations.values(), *env.truncations.values(), *env.infos.values()))


def scores(env: RawAEC) -> list[int]:
    found: list[int] = env.states["scores"][0, : env.num_seats].tolist()
    return found


def check_pay(env: RawAEC, before: list[int]) -> None:
    """Paid by scores: their change at each step. Paid by returns: nothing before the end."""
    paid = [env.rewards[agent] for agent in env.possible_agents]
    if env.reward_kind == "score":
        assert paid == [new - old for new, old in zip(scores(env), before, strict=True)]
    else:
        assert any(paid) <= is_over(env)


def check_the_end(env: RawAEC) -> None:
    """It comes for all at once as a termination, the infos say how, the returns follow from the
    winners, and it can be restored."""
    snapshot = env.snapshot()
    winners, seats = snapshot["winners"], env.num_seats
    assert all(env.terminations.values())
    assert not any(env.truncations.values()), "the turn limit is a rule: it terminates"
    assert json.loads(json.dumps(env.infos)) == expected_infos(snapshot)
    if env.reward_kind == "win":
        assert list(env.rewards.values()) == [
            expected_return(env, winners, seat) for seat in range(seats)
        ], "to the last bit"
    for others in (
        list(some) for size in range(seats + 1) for some in combinations(range(seats), size)
    ):
        if others != winners:
            with pytest.raises(SnapshotError, match="snapshot key '"):
                env.game.from_snapshot({**snapshot, "winners": others})
    restored = RawAEC(env.game.env_name, **env.options)
    restored.restore(snapshot)
    assert restored.snapshot() == snapshot
    assert restored.terminations == env.terminations
    for one in (env, restored):
        while one.agents:
            assert not one.last()[0]["action_mask"].any()
            one.step(None)


def expected_return(env: RawAEC, winners: list[int], seat: int) -> float:
    """Winners share 1, the others -1; a cooperative game is won or lost together."""
    if env.game.cooperative:
        return 1.0 if winners else -1.0
    if len(winners) in (0, env.num_seats):
        return 0.0
    return 1 / len(winners) if seat in winners else -1 / (env.num_seats - len(winners))


def test_the_games_are_looked_at_in_all_their_phases() -> None:
    """``played`` finds what is reached late and seldom."""
    env = RawAEC("fossil_canyon_v0", num_players=3)
    script = played(env, random_choice, 3)
    assert len(script.looks) > LOOKS
    assert max(script.looks) == len(script.actions)
    assert load_game("fossil_canyon").max_actions > len(script.actions)
