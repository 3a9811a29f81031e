"""No list outgrows its array, whatever position is accepted: the bound of the hidden hand in every phase, and changed positions.

Compiled code checks no bounds, so that a position from outside must be refused if play could lead from it past the end of an array.
"""

import copy
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from dig_envs.engine.core.errors import SnapshotError
from dig_envs.games.fossil_canyon.components import MAX_IN_HIDDEN
from tests.rules.fossil_canyon.positions import GAME, Position, arrange, deal, in_order

OPTIONS: list[dict[str, Any]] = [
    {"num_players": 2, "return_dig": True},
    {"num_players": 3, "blind_take": False},
    {"num_players": 4, "research": False, "hidden_limit": 2},
    {"num_players": 6, "events": [0, 0, 18], "return_dig": True},
]

ACCEPTED = 25  # changed positions that are played on, per case of options

# ---------------------------------------------------------------- the hidden hand in every phase

# What is done, the phase in which that is, and by how many fossils the hidden hand has then outgrown the limit: as much as it can.
DIGGING = [
    *[("claim minor", "dig", 0), ("pay ALA", "pay", 0), ("pay EDM", "pay", 0)],
    *[("dig buried", "dig", 0), ("put back", "keep", 0), ("dig ANK1", "dig", 0), ("dig buried", "dig", 1)],
]
KEEPING = [("dig buried", "dig", 0), ("keep", "keep", 0), ("dig buried", "dig", 1), ("keep", "keep", 1)]
OPEN_DIGS = [("dig ANK1", "dig", 0), ("dig QUE1", "dig", 1)]
TRADING = [
    *[("claim minor", "exchange", 2), ("pay CAM", "pay", 2), ("pay ORN", "pay", 2)],
    *[("exchange +1", "exchange", 2), ("give open MOS1", "give", 2), ("take ALL1", "take", 2)],
    *[("exchange +1", "exchange", 3), ("give open DIL1", "give", 3), ("give open COE1", "give", 3), ("take PAR1", "take", 3)],
    *[("exchange +1", "exchange", 4), ("give open STE1", "give", 4), ("give open DEI1", "give", 4), ("give open BRA3", "give", 4)],
    ("take PAC1", "take", 4),
]
ADJUSTING = [("claim minor", "adjust", 5), ("pay UTA", "pay", 5), ("pay SAU", "pay", 5), ("hide TYR1", "adjust", 5)]
# A skeleton is built by the first dig: what completes it does not stay, but earns the bonus dig at the end.
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
    "skeleton": [*BUILDING, *[(text, phase, more - 1) for text, phase, more in TRADING], *BONUS_DIG],
}


def turn_of_gains(limit: int, route: str) -> Position:
    """The beginning of a turn that can bring as many fossils as possible into the hidden hand of seat 0, all known to seat 1."""
    hidden = ["TYR1", "BRA1", "TRI1"][:limit]
    held = ["ALL1", "ANK1", "QUE1", "PAR1", "BRA3", "DEI1", "STE1", "PAC1", "COE1", "DIL1", "MOS1", "MOS1"]
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
    """In every phase the largest hidden hand that can be reached is accepted, and one more fossil is refused."""
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
    """In `setup` the hand is as large as it was dealt; when the game is over or ending, the bound is another test's."""
    assert {phase for route in ROUTES.values() for _, phase, _ in route} == set(GAME.phases) - {"setup", "over"}
    backs = {phase for route in ROUTES.values() for text, phase, _ in route if text.startswith("claim")}
    assert backs == {"dig", "exchange", "bonus", "adjust"}


def test_all_of_the_largest_hand_can_be_known():
    """The array of what is known of a hand has room for the largest, and no more than that."""
    position = turn_of_gains(3, "face up")
    for text, _, _ in [*OPEN_DIGS, *TRADING]:
        position.play(text)
    known = position["known.1.0"]
    assert known == position["hidden.0"]
    assert len(known) == MAX_IN_HIDDEN == GAME.state["known"].shape[-1]
    assert GAME.from_snapshot(position.snapshot)["known_len"][0, 1, 0] == MAX_IN_HIDDEN


def test_others_have_no_more_than_the_limit():
    position = arrange([[], ["TYR1", "BRA1", "TRI1"]], [[], ["ALL1"]])
    with pytest.raises(SnapshotError, match=r"'hidden\.1': holds at most 3"):
        GAME.from_snapshot(with_more_hidden(position.snapshot, 1))


def test_a_turn_does_not_begin_with_its_gains():
    """Nine hidden fossils at the start of a turn would become more than there is room for."""
    snapshot = turn_of_gains(3, "face up").snapshot
    for _ in range(6):
        snapshot = with_more_hidden(snapshot)
    with pytest.raises(SnapshotError, match=r"'hidden\.0'"):
        GAME.from_snapshot(snapshot)


def test_no_bonus_before_a_dig():
    """A skeleton of step 2 is built by digging."""
    snapshot = arrange([["TYR1"], []], [["CAM"], ["BRA1"]], museums=[["MOS"], []]).snapshot
    with pytest.raises(SnapshotError, match="'bonus'"):
        GAME.from_snapshot({**snapshot, "bonus": True, "scored": True})


@pytest.mark.parametrize("changes", [{"chosen.0": ["TYR1", "BRA1", "TRI1"]}, {"chosen.0": ["TYR1", "BRA1", "TRI1", "ALL1"]}])
def test_a_choice_does_not_outgrow_the_limit(changes):
    position = arrange([["TYR1", "BRA1"], []], [["TRI1", "ALL1"], []], phase="adjust", options__hidden_limit=2, digs=0)
    snapshot = position.snapshot
    snapshot["chosen"][0] = changes["chosen.0"]
    with pytest.raises(SnapshotError, match=r"'chosen\.0'"):
        GAME.from_snapshot(snapshot)


# ---------------------------------------------------------------- changed positions


def changed(snapshot: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A position with one to four changes, its lists in order."""
    snapshot = copy.deepcopy(snapshot)
    seats = range(len(snapshot["scores"]))
    for _ in range(chance.randrange(1, 5)):
        x, p = chance.sample(seats, 2)
        match chance.choice(["fossils", "sight", "knowledge", "number"]):
            case "fossils":  # of one place go to another
                places = [snapshot["buried"], snapshot["exposed"], snapshot["discarded"], *snapshot["hidden"], *snapshot["open"]]
                move_some(*chance.sample(places, 2), chance)
            case "sight":  # hidden fossils of a seat become face up, or the other way round
                move_some(*chance.sample([snapshot["hidden"][p], snapshot["open"][p]], 2), chance)
            case "knowledge":  # a seat knows all that another hides
                snapshot["known"][x][p] = list(snapshot["hidden"][p])
            case "number":  # of the turn, or a flag
                key = chance.choice(["digs", "exchanges", "passes", "idle", "bonus", "returned", "scored", "ending"])
                snapshot[key] = not snapshot[key] if isinstance(snapshot[key], bool) else chance.randrange(5)
    for key in ("exposed", "discarded"):
        snapshot[key] = in_order(snapshot[key])
    for key in ("hidden", "open"):
        snapshot[key] = [in_order(hand) for hand in snapshot[key]]
    for row in snapshot["known"]:
        for p, fossils in enumerate(row):
            row[p] = in_order((Counter(fossils) & Counter(snapshot["hidden"][p])).elements())
    return snapshot


def move_some(start: list[str], end: list[str], chance: random.Random) -> None:
    """A few fossils go from one list to another."""
    for _ in range(min(len(start), chance.choice([1, 1, 2, 6]))):
        end.append(start.pop(chance.randrange(len(start))))


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options)))
def test_changed_positions_are_refused_or_played(options):
    """Positions of play with arbitrary changes: none that is accepted leads past an array, or to one that would be refused.

    In plain Python an index out of range is an error by itself.
    """
    chance, choices = random.Random(str(options)), np.random.default_rng(3)
    games = [deal(seed, **options).on_the_way(lambda now: now.play_randomly(choices)) for seed in range(3)]
    snapshots = [position.snapshot for game in games for position in game]
    phases: Counter[str] = Counter()
    for _ in range(1000):
        try:
            position = Position(changed(chance.choice(snapshots), chance))
        except SnapshotError:
            continue
        phases[position["phase"]] += 1
        for step, now in enumerate(position.on_the_way(lambda now: now.play_randomly(choices))):
            state = now.states[0]
            assert state["num_hidden"].max() <= max(MAX_IN_HIDDEN, 10)
            assert state["known_len"].max() <= MAX_IN_HIDDEN
            if step < 8 or now.mover < 0:
                now.check_snapshot()
        if phases.total() == ACCEPTED:
            break
    assert phases.total() == ACCEPTED
    assert len(phases) > 4
