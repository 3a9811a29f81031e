"""The winners, for every game: recomputed from finished positions by the rules' words, without the
rules' code.

A competitive game is won by the seats with the highest score, a cooperative one by all or by
nobody. What the RULES.md of a game says beyond that stands in ``TIE_BREAKS`` and ``OTHERWISE``,
with the number of the rule.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.game import Game
from dig_envs.registry import environments_of, load_game
from tests.engine.extremes import pushed
from tests.games import case_id, every_game, needs_compiling, option_cases
from tests.rules.fossil_canyon.positions import POINTS
from tests.rules.twenty_questions.printed import RESEARCH, VALUE

pytestmark = needs_compiling

Snapshot = dict[str, Any]
# finished games of each case that are looked at, and the steps in which they are played
GAMES, STEPS = 10, 600
TRIES = 20  # changes of one finished position of each case


def best(cards: list[str], worth: dict[str, int]) -> int:
    """The greatest worth among cards, 0 without any."""
    return max((worth.get(card, 0) for card in cards), default=0)


def finder(end: Snapshot) -> list[int] | None:
    """OI-17: who pulls the yellow cube wins alone; OI-18: at the limit nobody wins, in version 0
    who is ahead."""
    if end["truncated"]:
        return None if end["environment"] == "oak_island_v0" else []
    return [end["found"]]


# Where scores are equal: numbers of a seat that are compared, one after the other.
TIE_BREAKS: dict[str, Callable[[Snapshot, int], tuple[int, ...]]] = {
    "fossil_canyon": lambda end, p: (best(end["museums"][p], POINTS),),  # FC-35
    "dino_dig": lambda end, p: (end["runs"][p]["high"],),  # DD-30
    "oak_island": lambda end, p: (end["money"][p],),  # OI-18, in version 0
    # TQ-12
    "twenty_questions": lambda end, p: (
        best(end["taken"][p], RESEARCH),
        best(end["taken"][p], VALUE),
    ),
}
# Ends that are not decided by scores: the winners, or None where the end is an ordinary one.
OTHERWISE: dict[str, Callable[[Snapshot], list[int] | None]] = {"oak_island": finder}


def standings(game: Game, end: Snapshot) -> list[tuple[int, ...]]:
    """Per seat what is compared, the score first."""
    tie_break = TIE_BREAKS.get(game.name, lambda end, p: ())
    return [(score, *tie_break(end, p)) for p, score in enumerate(end["scores"])]


def check_winners(game: Game, end: Snapshot) -> None:
    """The winners of a finished game are those that the rules name."""
    if game.cooperative:
        assert end["winners"] in ([], [*range(len(end["scores"]))]), "all win or nobody"
        return
    expected = OTHERWISE.get(game.name, lambda end: None)(end)
    if expected is None:
        found = standings(game, end)
        expected = [p for p, standing in enumerate(found) if standing == max(found)]
    assert end["winners"] == expected, (
        f"{end['winners']} have won, by the rules it should be {expected}: {end}"
    )


def ends(game: Game) -> Iterator[Snapshot]:
    """Finished positions: of games with all options, and some of them changed as far as the
    invariants accept it."""
    cases = option_cases(game.env_name)
    batch = BatchEnv(game.env_name, 2 * len(cases), seed=9, observation=None, per_game=cases * 2)
    found: list[list[Snapshot]] = [[] for _ in cases]
    rng = np.random.default_rng(2)
    # of a random action in place of the scripted player's
    chance = np.repeat([1.0, 0.2], len(cases))
    for _ in range(STEPS):
        batch.step(
            np.where(
                rng.random(batch.batch_size) < chance,
                batch.sample_actions(),
                batch.heuristic_actions(),
            )
        )
        for i in np.flatnonzero(batch.terminated):
            if len(found[i % len(cases)]) < GAMES:
                found[i % len(cases)].append(game.to_snapshot(batch.final_states[i]))
        if all(len(some) == GAMES for some in found):
            break
    batch.close()
    for options, some in zip(cases, found, strict=True):
        yield from some
        if some:
            rng = np.random.default_rng(crc32(case_id(game.env_name, options).encode()))
            yield from (
                end for end, _ in pushed(game, some[0], rng, TRIES) if end["phase"] == "over"
            )


def check_all(game: Game, found: Iterable[Snapshot]) -> int:
    """The winners of many ends; returns how many."""
    count = 0
    for end in found:
        check_winners(game, end)
        count += 1
    return count


@every_game
def test_the_winners_are_those_that_the_rules_name(name: str) -> None:
    game = load_game(name)
    assert check_all(game, ends(game)) >= 2 * len(option_cases(name))


@pytest.mark.parametrize("name", sorted({*TIE_BREAKS, *OTHERWISE}))
def test_each_exception_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its exception the test of winners fails for the game, since some of its ends have
    ties that are broken."""
    monkeypatch.delitem(OTHERWISE, name, raising=False)
    monkeypatch.delitem(TIE_BREAKS, name, raising=False)
    game = load_game(environments_of(name)[0])
    with pytest.raises(AssertionError, match="by the rules it should be"):
        check_all(game, ends(game))
