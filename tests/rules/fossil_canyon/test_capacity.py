"""No list outgrows its array, whatever position is accepted: the bound of the hidden hand in every
phase.

Compiled code checks no bounds, so that a position from outside must be refused if play could lead
from it past the end of an array.
"""

import copy
from typing import Any

import pytest

from dig_envs.engine.core.errors import SnapshotError
from dig_envs.games.fossil_canyon.components import MAX_IN_HIDDEN
from tests.rules.fossil_canyon.positions import GAME, Position, arrange, in_order

# ---------------------------------------------------------------- the hidden hand in every phase

# What is done, the phase in which that is, and by how many fossils the hidden hand has then
# outgrown the limit: as much as it can.
DIGGING = [
    *[("claim minor", "dig", 0), ("pay ALA", "pay", 0), ("pay EDM", "pay", 0)],
    *[
        ("dig buried", "dig", 0),
        ("put back", "keep", 0),
        ("dig ANK1", "dig", 0),
        ("dig buried", "dig", 1),
    ],
]
KEEPING = [
    ("dig buried", "dig", 0),
    ("keep", "keep", 0),
    ("dig buried", "dig", 1),
    ("keep", "keep", 1),
]
OPEN_DIGS = [("dig ANK1", "dig", 0), ("dig QUE1", "dig", 1)]
TRADING = [
    *[("claim minor", "exchange", 2), ("pay CAM", "pay", 2), ("pay ORN", "pay", 2)],
    *[("exchange +1", "exchange", 2), ("give open MOS1", "give", 2), ("take ALL1", "take", 2)],
    *[
        ("exchange +1", "exchange", 3),
        ("give open DIL1", "give", 3),
        ("give open COE1", "give", 3),
        ("take PAR1", "take", 3),
    ],
    *[
        ("exchange +1", "exchange", 4),
        ("give open STE1", "give", 4),
        ("give open DEI1", "give", 4),
        ("give open BRA3", "give", 4),
    ],
    ("take PAC1", "take", 4),
]
ADJUSTING = [
    ("claim minor", "adjust", 5),
    ("pay UTA", "pay", 5),
    ("pay SAU", "pay", 5),
    ("hide TYR1", "adjust", 5),
]
# A skeleton is built by the first dig: what completes it does not stay, but earns the bonus dig at
# the end.
BUILDING = [("dig MOS2", "dig", 0), ("dig QUE1", "dig", 0)]
BONUS_DIG = [
    ("claim minor", "bonus", 4),
    ("pay UTA", "pay", 4),
    ("pay SAU", "pay", 4),
    ("dig ANK1", "bonus", 4),
    ("hide TYR1", "adjust", 5),
]
ROUTES = {
    "put back": DIGGING,
    "kept": KEEPING,
    "face up": [*OPEN_DIGS, *TRADING, *ADJUSTING],
    "skeleton": [
        *BUILDING,
        *[(text, phase, more - 1) for text, phase, more in TRADING],
        *BONUS_DIG,
    ],
}


def turn_of_gains(limit: int, route: str) -> Position:
    """The beginning of a turn that can bring as many fossils as possible into the hidden hand of
    seat 0, all known to seat 1."""
    hidden = ["TYR1", "BRA1", "TRI1"][:limit]
    held = [
        "ALL1",
        "ANK1",
        "QUE1",
        "PAR1",
        "BRA3",
        "DEI1",
        "STE1",
        "PAC1",
        "COE1",
        "DIL1",
        "MOS1",
        "MOS1",
    ]
    traces = ["CAM", "UTA", "ALA", "EDM", "ORN", "SAU"]
    return arrange(
        [hidden, []],
        [held + traces, ["ALL1", "PAR1", "PAC1"]],
        exposed=["ANK1", "QUE1", *(["MOS2"] if route == "skeleton" else [])],
        on_top=["COE1", "DIL1"],
        options__hidden_limit=limit,
        options__return_dig=route in ("kept", "put back"),
        known__1__0=hidden,
    )


def with_more_hidden(snapshot: dict[str, Any], seat: int = 0) -> dict[str, Any]:
    """The same with one face-up fossil of the seat hidden."""
    changed = copy.deepcopy(snapshot)
    changed["hidden"][seat] = in_order([*changed["hidden"][seat], changed["open"][seat].pop()])
    return changed


@pytest.mark.parametrize("limit", [2, 3])
@pytest.mark.parametrize("route", ROUTES)
def test_the_largest_hidden_hand(route, limit):
    """In every phase the largest hidden hand that can be reached is accepted, and one more fossil
    is refused."""
    position = turn_of_gains(limit, route)
    for text, phase, more in ROUTES[route]:
        snapshot = position.snapshot
        assert snapshot["phase"] == phase, text
        assert len(snapshot["hidden"][0]) == limit + more, text
        position.check_snapshot()
        with pytest.raises(SnapshotError, match=r"'hidden\.0': holds at most"):
            GAME.from_snapshot(with_more_hidden(snapshot))
        position.play(text)


def test_every_phase_is_looked_at():
    """In `setup` the hand is as large as it was dealt; when the game is over or ending, the bound
    is another test's."""
    assert {phase for route in ROUTES.values() for _, phase, _ in route} == set(GAME.phases) - {
        "setup",
        "over",
    }
    backs = {
        phase for route in ROUTES.values() for text, phase, _ in route if text.startswith("claim")
    }
    assert backs == {"dig", "exchange", "bonus", "adjust"}


def test_all_of_the_largest_hand_can_be_known():
    position = turn_of_gains(3, "face up")
    for text, _, _ in [*OPEN_DIGS, *TRADING]:
        position.play(text)
    known = position["known.1.0"]
    assert known == position["hidden.0"]
    assert len(known) == MAX_IN_HIDDEN == GAME.state["known"].shape[-1]
    assert GAME.from_snapshot(position.snapshot)["known_len"][0, 1, 0] == MAX_IN_HIDDEN


def test_a_turn_does_not_begin_with_its_gains():
    """Nine hidden fossils at the start of a turn would become more than there is room for."""
    snapshot = turn_of_gains(3, "face up").snapshot
    for _ in range(6):
        snapshot = with_more_hidden(snapshot)
    with pytest.raises(SnapshotError, match=r"'hidden\.0'"):
        GAME.from_snapshot(snapshot)
