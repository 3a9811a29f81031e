"""The largest mistakes of a game: what they cost, and that chance is not told as one."""

import copy
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import dig_envs
from dig_envs.agents.advice import PARTS, PlayedOn, errors_for
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import in_mind, remembered
from dig_envs.agents.mistakes import (
    LEAST,
    LEAST_SCORE,
    _steps,
    decisions_of,
    judge,
    mistakes,
    mistakes_text,
)
from dig_envs.engine.event_log import EventLog
from dig_envs.games.fossil_memory.components import GENUS_OF
from tests.games import NEWEST, mostly_heuristic, needs_compiling, play

pytestmark = needs_compiling


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    for name, value in (("FIRST_ACTIONS", 4000), ("ACTIONS", 3000), ("CANDIDATES", 2)):
        monkeypatch.setattr(f"dig_envs.agents.mistakes.{name}", value)
    monkeypatch.setattr("dig_envs.agents.advice.DEALS_OF_REASONS", 4)


def played(name, seed=1, chooses=mostly_heuristic, most=60, **options):
    """The log of a game, or of its beginning."""
    env = dig_envs.make(name, **options).unwrapped
    env.reset(seed=seed)
    for _ in play(env, np.random.default_rng(seed), chooses, most=most):
        pass
    return env.event_log


@pytest.mark.parametrize("name", NEWEST)
def test_mistakes_are_what_they_say(name):
    log, shares = played(name), []
    before = log.states.tobytes()
    found = mistakes(log, 0, progress=shares.append)
    assert log.states.tobytes() == before
    assert shares == sorted(shares)
    assert all(0 < share <= 1 for share in shares)
    own = [action for seat, action in log.played if seat == 0]
    losses = []
    assert len({str(one).partition(":")[0] for one in found}) == len(found)
    for one in found:
        assert own[one.decision] == one.played.action != one.better.action
        assert 0 <= one.played.chance <= 100
        assert 0 <= one.better.chance <= 100
        assert str(one).startswith(f"Turn {one.turn}, decision {one.decision + 1}: ")
        chance, score = (
            getattr(one.better, what) - getattr(one.played, what) for what in ("chance", "score")
        )
        assert chance >= LEAST - 0.1 or score >= LEAST_SCORE - 0.01
        by_score = "score" in one.played.worth
        assert by_score == ("score" in one.better.worth)
        losses.append((by_score, -score if by_score else -chance))
    assert len({one.sure for one in found}) <= 1
    assert len(found) <= 3
    for (first, larger), (second, smaller) in pairwise(losses):  # rounded to tenths
        assert first < second or (first == second and larger <= smaller + 0.11)


def results(chances, scores):
    """What a better action and the one that was played led to in each part, on a deal each: the
    differences of the chances, 0 to 1, and of the scores."""
    return [
        PlayedOn(np.array([[chance, score, 0.0], [0.0, 0.0, 0.0]]), 1)
        for chance, score in zip(chances, scores, strict=True)
    ]


def test_losses_are_judged_by_chances_then_by_scores_and_by_how_sure_they_are():
    competitive, together = SimpleNamespace(cooperative=False), SimpleNamespace(cooperative=True)
    none, steady = [0.0] * 10, [0.2, 0.3] * 5
    doubtful = [0.3] * 6 + [-0.2] * 4  # 1.3 standard errors above 0
    noise = [0.3, -0.25] * 5
    for chances, scores, rank, sure in (
        (steady, none, (0, -25.0), True),
        (steady, steady, (0, -25.0), True),
        (none, steady, (1, -0.25), True),
        (doubtful, steady, (1, -0.25), True),
        (doubtful, none, (0, -10.0), False),
        (noise, doubtful, (1, -0.1), False),
    ):
        found = judge(competitive, results(chances, scores), 24)
        assert found.rank == pytest.approx(rank)
        assert found.sure == sure
    for chances, scores in ((none, none), (noise, noise), ([-0.2] * 10, steady)):
        assert judge(competitive, results(chances, scores), 24) is None
    found = judge(together, results([-0.2] * 10, steady), 12)
    assert (found.rank, found.sure) == ((0, pytest.approx(-0.25)), True)
    assert judge(together, results(steady, none), 12) is None


def test_chance_alone_seldom_stands_out_however_much_is_compared():
    draws, tries = np.random.default_rng(0), 2000
    for comparisons in (1, 2, 6, 19, 24, 80):
        gains = draws.normal(size=(tries, comparisons, PARTS))
        deviations = gains.std(axis=2, ddof=1) / PARTS**0.5
        found = (gains.mean(axis=2) > errors_for(comparisons) * deviations).any(axis=1).mean()
        assert 0.005 < found < 0.06


def test_a_bad_game_is_not_passed_over():
    """What a random player lost is told: surely, by the score where all chances are gone; or with
    a caveat."""
    log = played("go_dig_v0", chooses=lambda env, rng: rng.choice(
        env.game.legal_actions(env.states, env.seat_of(env.agent_selection))
    ) if env.agent_selection == "player_0" else mostly_heuristic(env, rng), most=200)  # fmt: skip
    found = mistakes(log, 0)
    assert found
    text = mistakes_text(found, "Your")
    assert ("these may have cost most" in text) == (not found[0].sure)
    assert text.count("Better: ") == len(found)
    assert "none that stands out" in mistakes_text([], "Your")


def test_a_blunder_is_found_and_a_better_move_with_it():
    """Who throws away the last fossil of its kind, or leaves for good, has made a mistake."""
    env, seen = dig_envs.make("cretaceous_creek_v0").unwrapped, 0
    game = env.game
    env.reset(seed=1)
    for _ in play(env, np.random.default_rng(1), mostly_heuristic):
        seat = env.seat_of(env.agent_selection)
        warnings = game.warnings_of(env.states, seat)
        if any(warnings):
            bad = next(action for action, text in enumerate(warnings) if text)
            log = EventLog(game, env.states)
            log.play(seat, bad)
            found, seen = mistakes(log, seat), seen + 1
            for one in found:
                assert one.played.action == bad
                assert not warnings[one.better.action]
                return
    pytest.fail(f"of {seen} blunders none was found")


def test_who_forgets_what_was_seen_has_made_a_mistake():
    """Where the game shows it no more: a skeleton of which all parts were seen is left."""
    env = dig_envs.make("fossil_memory_v0", recall="none").unwrapped
    game = env.game
    env.reset(seed=2)
    agent = load_agent("fossil_memory/remembering", "fossil_memory_v0")
    for _ in play(env, np.random.default_rng(0), lambda env, _: agent.act(env), most=80):
        seat, best = env.seat_of(env.agent_selection), np.zeros(1, np.int64)
        log = env.event_log
        memory = remembered(agent, game, log.first, log.played, seat)
        seen = in_mind(agent, env.states, np.array([seat]), memory)
        game.kernels.heuristic_actions(seen, 0, 1, np.array([seat]), best)
        (shown, grid, up), place = (seen[0][key] for key in ("seen", "grid", "up")), int(best[0])
        others = [one for one in game.legal_actions(env.states, seat) if not shown[one]]
        fits = seen["up_len"][0] and GENUS_OF[grid[place]] == GENUS_OF[grid[up[0]]]
        if fits and shown[place] and others and len(log.played) > 20:
            break
    log.play(seat, others[0])
    found = mistakes(log, seat)
    assert [(one.played.action, one.better.action) for one in found][:1] == [(others[0], place)]
    assert found[0].better.reason.startswith("You saw ")


def test_a_seat_that_is_told_events_remembers_what_others_turned_up():
    env = dig_envs.make("fossil_memory_v0", recall="none", num_players=2).unwrapped
    env.reset(seed=2)
    seat = dig_envs.Seat(env.view("player_0"), 0)
    for _ in play(env, np.random.default_rng(0), mostly_heuristic, most=12):
        pass
    log = env.event_log
    own = [before.copy() for before, who, _ in _steps(log) if who == 0]
    again = EventLog(log.game, log.first)
    for who, action in log.played:
        start = len(again)
        again.play(who, action)
        seat.told([event.to_json() for event in again.told(0, start)])
    steps = [(one.before, one.seat, one.action) for one in seat._steps]
    there = [*decisions_of(log.game, 0, steps)]
    here = [*decisions_of(log.game, 0, _steps(log))]
    assert len(here) == len(there) == len(own) > 2
    for one, other in zip(here, there, strict=True):
        assert one.action == other.action
        assert (one.states["seen"] == other.states["seen"]).all()
    assert here[-1].states["seen"].sum() > own[-1]["seen"].sum()


def test_what_the_seat_could_not_know_is_no_mistake():
    """The same log with everything hidden dealt anew gives the same mistakes."""
    log = played("go_dig_v0", seed=3, num_players=2, most=30)
    found = mistakes(log, 0)
    number = max(n for n, (seat, _) in enumerate(log.played) if seat == 0)
    place, states = 0, log.first.copy()
    for seat, action in log.played[:number]:
        log.game.kernels.apply_one(states, seat, action)
        place += seat == 0
    last = EventLog(log.game, states)
    twin = states.copy()
    log.game.kernels.determinize_one(twin, 0, np.uint64(9))
    again = EventLog(log.game, twin)
    for one in (last, again):
        one.play(*log.played[number])
    assert twin.tobytes() != states.tobytes()
    assert mistakes(last, 0) == mistakes(again, 0)
    assert all(one.decision <= place for one in found)


def test_a_log_goes_back_and_is_copied_with_what_was_played():
    log = played("go_dig_v0", most=5)
    mark = log.mark()
    copied = copy.copy(log)
    mover = int(log.states["to_move"][0])
    log.play(mover, log.game.legal_actions(log.states, mover)[0])
    assert copied.played == log.played[:-1]
    log.go_back(mark)
    assert copied.played == log.played
    assert copied.first.tobytes() == log.first.tobytes()


def test_what_is_wrong_is_refused():
    log = played("go_dig_v0", most=4, num_players=2)
    for seat in (-1, 2):
        with pytest.raises(ValueError, match="seat"):
            mistakes(log, seat)
    for most in (0, 11):
        with pytest.raises(ValueError, match="most"):
            mistakes(log, 0, most)
    with pytest.raises(TypeError, match="most"):
        mistakes(log, 0, "3")
