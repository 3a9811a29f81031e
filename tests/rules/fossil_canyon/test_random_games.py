"""Invariants in whole games, random and careful ones, for all numbers of players and the
options."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.fossil_canyon.positions import (
    CARNIVORES,
    HERBIVORES,
    JURASSIC,
    POINTS,
    deal,
    fossils_of,
    has_skeleton,
    in_play,
)

EVERY = 20  # only some positions are looked at
OPTIONS = [
    {},
    {"research": False},
    {"endgame_bonuses": False},
    {"hidden_limit": 2},
    {"blind_take": False},
    {"return_dig": True},
    {"events": [0, 0, 18]},
    {"stalemate_rounds": 1},
    {"max_turns": 12},
]
PLAYERS = [3] if JIT_DISABLED else [2, 3, 4, 5, 6]
ENDS = sorted({PLAYERS[0], PLAYERS[-1]})  # with other options than the defaults
CASES = [(players, options) for options in OPTIONS for players in (ENDS if options else PLAYERS)]


def check_end(snapshot):
    """Bonuses, winners and truncation of a finished game are right (FC-34 to FC-36)."""
    museums, expected = snapshot["museums"], [[] for _ in snapshot["museums"]]
    assert snapshot["truncated"] == (snapshot["ended"] == "turns")
    if snapshot["options"]["endgame_bonuses"] and not snapshot["truncated"]:
        for name, category in (("small", CARNIVORES), ("medium", JURASSIC)):
            points = [
                [POINTS[genus] for genus in museum if genus in category] for museum in museums
            ]
            strength = [(len(mine), sum(mine)) for mine in points]
            if max(strength) > (0, 0) and strength.count(max(strength)) == 1:
                expected[strength.index(max(strength))].append(name)
        for seat, museum in enumerate(museums):
            expected[seat] += ["large"] * (set(HERBIVORES) <= set(museum))
    assert snapshot["bonuses"] == expected
    best = [max((POINTS[g] for g in museum), default=0) for museum in museums]
    strength = list(zip(snapshot["scores"], best, strict=True))
    assert snapshot["winners"] == [p for p, mine in enumerate(strength) if mine == max(strength)]


def check_position(position):
    """The invariants of the section "Snapshot", and that validation accepts what the rules
    reach."""
    snapshot = position.snapshot
    options, phase, player = snapshot["options"], snapshot["phase"], snapshot["player"]
    position.check_snapshot()
    assert fossils_of(snapshot) == in_play(options)
    assert sorted(snapshot["events"]) == sorted(
        k for k, count in enumerate(options["events"]) for _ in range(count)
    )
    for p, hidden in enumerate(snapshot["hidden"]):
        assert not has_skeleton(hidden + snapshot["open"][p])
        if phase != "setup" and (p != player or phase == "over"):
            assert len(hidden) <= options["hidden_limit"]
        assert not any(Counter(row[p]) - Counter(hidden) for row in snapshot["known"])
        assert snapshot["known"][p][p] == []
        pieces = [*snapshot["museums"][p], *snapshot["awards"][p], *snapshot["bonuses"][p]]
        assert snapshot["scores"][p] == sum(POINTS[piece] for piece in pieces)
    if snapshot["ending"]:
        assert not any([*snapshot["hidden"], snapshot["buried"], snapshot["exposed"]])
    if phase == "over":
        check_end(snapshot)


def play(seed, carelessness, look=True, **options):
    """Play a game of the scripted player with some random legal actions; return what it goes
    through."""
    chance = np.random.default_rng(seed)
    seen = Counter()
    for step, now in enumerate(
        deal(seed, **options).on_the_way(lambda now: now.play(now.choose(chance, carelessness)))
    ):
        if look and (step % EVERY == 0 or now.mover < 0):
            check_position(now)
        seen[now["phase"] if now.mover >= 0 else f"ended {now['ended']}"] += 1
    return seen


@pytest.mark.parametrize(("players", "options"), CASES, ids=str)
@pytest.mark.parametrize("carelessness", [1] if JIT_DISABLED else [0.1, 1])
def test_every_position(players, options, carelessness):
    """Conservation, invariants and round trip."""
    play(100 * players + len(str(options)), carelessness, num_players=players, **options)
