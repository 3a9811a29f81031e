"""Snapshots: round trips, and refusals that name the key."""

import copy
import re
from typing import Any

import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.errors import SnapshotError
from tests.rules.the_big_dig.positions import GAME, Position, argument, arrange, arranged, deal
from tests.worked_examples import set_path

BOTH = ["2-3-A", "3-3-A"]
STANDS = [
    argument(0, 1, ["2-3-A"], "18-1-A"),
    argument(1, 1, ["3-3-A"], "18-1-N"),
    argument(0, 2, ["2-3-A"], "6-2-N", valid=False),
    argument(1, 3, BOTH, "18-1", "2-3-A"),
]
TOKENS = [{"18-1-A": 1, "5-1-A": 2}, {"18-1-N": 1}]
TABLE = {"drawn": ["2-3", "3-3", "rock", "6-2", "request diet"], "arguments": STANDS, "tokens": TOKENS}
BASES = {
    "start": arranged("model", drawn=["2-3", "rock"], turn=1, options__first_discovery="starter", scores=[0, 0]),
    "argument": arranged("argument", models=[[BOTH], []], **TABLE),
    "target": arrange("argument", models=[[BOTH], []], **TABLE).play("argue 1", "output 18-1").snapshot,
    "placement": arrange("placement", evaluation=["move", "remove"], **TABLE).play("lift 5-1-A").snapshot,
    "second": arrange("placement", evaluation=["add", "remove"], **TABLE).play("put 9-1-A").snapshot,
    "research": arranged("research", spent=[["act"], ["pass"]], **TABLE),
    "over": arrange("placement", turn=6, **TABLE).play("done", "done").snapshot,
}
for _base in BASES.values():
    _base.pop("rng", None)
KEYS = tuple(BASES["start"])
every_base = pytest.mark.parametrize("name", list(BASES))


def changed(name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A base position with changes, by dotted path."""
    snapshot = copy.deepcopy(BASES[name])
    for path, value in changes.items():
        set_path(snapshot, path, value)
    return snapshot


def refusal(snapshot: Any) -> str:
    """The message of the error with which a snapshot is refused."""
    with pytest.raises(SnapshotError) as caught:
        GAME.from_snapshot(snapshot)
    return str(caught.value)


# ---------------------------------------------------------------- round trips


@every_base
def test_round_trip(name):
    """Apart from `rng` a snapshot comes back as it was."""
    snapshot = Position(BASES[name]).snapshot
    assert snapshot.pop("rng").isdigit()
    assert snapshot == BASES[name]


def test_the_environment_is_as_before_after_a_refusal():
    """A refused snapshot changes nothing."""
    env = RawAEC("the_big_dig_v0", deck="starter")
    env.reset(seed=1)
    before, seen = env.snapshot(), env.observe("player_0")
    with pytest.raises(SnapshotError, match=r"'scores\.1'"):
        env.restore({**before, "scores": [0, -1]})
    with pytest.raises(SnapshotError, match="'options'"):
        env.restore(BASES["start"])
    assert env.snapshot() == before
    assert (env.observe("player_0")["observation"] == seen["observation"]).all()


# ---------------------------------------------------------------- malformed


def test_truncated_text_and_other_nonsense():
    """What is no object, or has a key more."""
    for nonsense in (None, [], "start", 3):
        refusal(nonsense)
    assert "'weather'" in refusal(changed("start", {"weather": "fine"}))


NONSENSE = ({"x": 1}, ["x"], [["x"]], [[["x"]]], "x", 1.5, None, -3, True, 99, [], {}, [None], [[], [], []])


def leaves(data: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every place of a snapshot, containers included, with what stands there."""
    found = [(path, data)] if path else []
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        found += leaves(value, f"{path}.{key}" if path else str(key))
    return found


@every_base
def test_nonsense_everywhere(name):
    """Whatever stands at whatever place: an error that names the key, or it is taken exactly as it is."""
    for path, value in leaves(BASES[name]):
        for nonsense in NONSENSE:
            if nonsense == value and type(nonsense) is type(value):
                continue
            check_taken_or_refused(changed(name, {path: copy.deepcopy(nonsense)}), path)


VALUES = (
    *("2-3-A", "18-1-A", "18-1-N", "9-1-A", "2-3", "9-2", "rock", "request diet", "request skull", "diet", "act", "pass"),
    *("add", "move", "remove", "done", "lift 5-1-A", "put 5-2-A", "argue 1", "no argument", "model", "evaluation", "over"),
    *(0, 1, 2, 5, 6),
)


@every_base
def test_plausible_values_everywhere(name):
    """Values of the right kind at every place, and entries left out or doubled: refused by name, or taken exactly."""
    for path, value in leaves(BASES[name]):
        if isinstance(value, list) and value:
            for other in (value[1:], value[:-1], [*value, value[-1]], value[::-1]):
                if other != value:
                    check_taken_or_refused(changed(name, {path: copy.deepcopy(other)}), path)
        elif not isinstance(value, dict | list):
            for other in VALUES:
                if other != value and isinstance(other, str) == isinstance(value, str | None):
                    check_taken_or_refused(changed(name, {path: other}), path)


def check_taken_or_refused(snapshot: dict[str, Any], path: str) -> None:
    """Either an error that names a key, or exactly this position."""
    try:
        again = GAME.to_snapshot(GAME.from_snapshot(snapshot)[0])
    except SnapshotError as refused:
        message = str(refused)
    else:
        del again["rng"]
        assert again == snapshot, f"{path} was taken as something else"
        return
    named = re.match(r"snapshot key '([^'.]+)", message)
    assert named, f"{path}: {message}"
    assert named[1] in {*KEYS, "committed"}, f"{path}: {message}"


# ---------------------------------------------------------------- impossible


@pytest.mark.parametrize(
    ("name", "changes", "key"),
    [
        ("start", {"game": "fossil_canyon"}, "game"),
        ("start", {"options.num_players": 3}, "options"),
        ("start", {"options.deck": "fifth"}, "options"),
        ("start", {"options.deck": "second"}, "options"),
        ("start", {"options.turns": 0}, "options"),
        ("start", {"options.turbo": True}, "options"),
        ("start", {"options.deck": "second", "options.first_discovery": "random"}, "deck"),
        ("start", {"to_move": -1}, "to_move"),
        ("start", {"to_move": 2}, "to_move"),
        ("start", {"phase": "dancing"}, "phase"),
        ("start", {"phase": "argument"}, "spent"),
        ("start", {"phase": "evaluation"}, "spent"),
        ("start", {"phase": "over"}, "final"),
        ("start", {"turn": 0}, "turn"),
        ("start", {"turn": 7}, "turn"),
        ("start", {"options.turns": 2, "turn": 3}, "turn"),
        ("start", {"scores": [0, -1]}, "scores"),
        ("start", {"scores": [0]}, "scores"),
        ("start", {"winners": [0]}, "winners"),
        ("start", {"truncated": True}, "truncated"),
        ("start", {"deck": []}, "deck"),
        ("start", {"deck.0": "7-1"}, "deck"),
        ("start", {"deck.0": "2-3"}, "deck"),
        ("start", {"drawn": [], "discovered": []}, "drawn"),
        ("start", {"drawn": ["rock", "2-3"]}, "drawn"),
        ("argument", {"drawn.0": "3-3", "drawn.1": "2-3", "options.first_discovery": "starter"}, "drawn"),
        ("start", {"request": "skull"}, "request"),
        ("argument", {"request": None}, "request"),
        ("argument", {"request": "skull"}, "request"),
        ("start", {"discovered": []}, "discovered"),
        ("start", {"discovered": ["2-3-A", "2-1-N", "2-2-N"]}, "discovered"),
        ("start", {"discovered": ["2-1-A", "2-2-N", "2-3-N"]}, "discovered"),
        ("start", {"conjectured": ["5-1-A"]}, "conjectured"),
        ("argument", {"conjectured": ["18-1-A"]}, "conjectured"),
        ("argument", {"conjectured": ["18-1-N", "18-1-A"]}, "conjectured"),
        ("start", {"tokens": [{}]}, "tokens"),
        ("start", {"tokens.0": {"5-1-A": 0}}, "tokens.0"),
        ("start", {"tokens.0": {"5-1-A": 13}}, "tokens.0"),
        ("start", {"tokens.1": {"5-1-A": 7, "5-1-N": 6}}, "tokens.1"),
        ("start", {"tokens.1": {"2-3-A": 1}}, "tokens.1"),
        ("start", {"tokens.1": {"2-1-N": 1}}, "tokens.1"),
        ("start", {"tokens.1": {"5-4-N": 1}}, "tokens.1"),
        ("start", {"models.0": [["5-1-A"], ["5-1-A"]]}, "models.0.1"),
        ("start", {"models.0": [["5-1-A", "5-2-N"]]}, "models.0.0"),
        ("start", {"models.0": [["5-1-A", "1-2-N"]]}, "models.0.0"),
        ("start", {"models.0": [[]]}, "models.0.0"),
        ("start", {"models.0": [["1-1-A", "2-1-A", "3-1-A"]]}, "models.0.0"),
        ("start", {"models.0": [["5-1"]]}, "models.0.0"),
        ("start", {"models.1": [[f"{a}-1-A"] for a in range(1, 14)]}, "models.1"),
        ("argument", {"models.1": []}, "arguments.1.inputs"),
        ("argument", {"arguments.0.by": 1}, "arguments.0.inputs"),
        ("argument", {"arguments.0.by": 2}, "arguments.0.by"),
        ("argument", {"arguments.0.turn": 6}, "arguments.0.turn"),
        ("argument", {"arguments.0.turn": 2}, "arguments.1.turn"),
        ("argument", {"arguments.1.turn": 3}, "arguments.2.turn"),
        ("argument", {"arguments.3.turn": 5, "arguments.3.target": "6-2-N"}, "arguments.3.target"),
        ("argument", {"arguments.0.support": 55}, "arguments.0.support"),
        ("argument", {"arguments.0.output": "18-1-N"}, "arguments.0.output"),
        ("argument", {"arguments.0.output": "2-1-N"}, "arguments.0.output"),
        ("argument", {"arguments.0.output": "18-1"}, "arguments.0.output"),
        ("argument", {"arguments.0.output": "24-2-A", "arguments.0.support": 0}, "arguments.0.output"),
        ("argument", {"arguments.0.target": "2-3-A"}, "arguments.0"),
        ("argument", {"arguments.3.target": None}, "arguments.3.output"),
        ("argument", {"arguments.3.output": "18-1-N"}, "arguments.3.output"),
        ("argument", {"arguments.3.output": "1-1", "arguments.3.support": 6}, "arguments.3.output"),
        ("argument", {"arguments.3.output": "18-2"}, "arguments.3.target"),
        ("argument", {"arguments.3.turn": 1}, "arguments.3.target"),
        ("argument", {"arguments.0.valid": False}, "arguments.0.valid"),
        ("argument", {"arguments.2.valid": True}, "arguments.2.valid"),
        ("argument", {"arguments.3.valid": False}, "arguments.3.valid"),
        ("argument", {"arguments.2": {**STANDS[0], "turn": 2}}, "arguments.2"),
        ("start", {"spent": [["act"], []]}, "spent.0"),
        ("research", {"spent": [["pass"], ["pass"]]}, "phase"),
        ("research", {"spent": [["act", "act"], ["pass"]]}, "spent.0"),
        ("research", {"spent": [["pass"], ["act"]]}, "to_move"),
        ("placement", {"spent.0": ["act", "act", "act"]}, "spent.0"),
        ("placement", {"spent.0": ["act", "pass", "pass"]}, "spent.0"),
        ("research", {"to_move": 1}, "to_move"),
        ("start", {"evaluation": ["add", "add"]}, "evaluation.0"),
        ("placement", {"evaluation": [None, "add"]}, "evaluation.0"),
        ("placement", {"evaluation": ["add", "add"]}, "pending.0"),
        ("start", {"pending": [["act"], []]}, "pending.0"),
        ("start", {"pending": [["input 2-3-A", "single"], []]}, "pending.0"),
        ("start", {"pending": [["single"], []]}, "pending.0"),
        ("start", {"pending": [[], ["input 2-3-A"]]}, "pending.1"),
        ("start", {"to_move": 1, "pending": [["input 2-3-A"], []]}, "pending.0"),
        ("argument", {"pending": [["no argument"], []]}, "pending.0"),
        ("argument", {"pending": [["argue 9"], []]}, "pending.0"),
        ("argument", {"to_move": 1}, "pending.0"),
        ("target", {"pending.0": ["argue 1", "output 18-1", "target 1"]}, "pending.0"),
        ("target", {"pending.0": ["argue 1", "output 18-2"]}, "pending.0"),
        ("placement", {"pending.0": ["lift 6-1-A"]}, "pending.0"),
        ("placement", {"pending.0": ["lift 5-1-A", "put 6-1-A"]}, "pending.0"),
        ("placement", {"pending.0": ["lift 5-1-A", "lift 5-1-A"]}, "pending.0"),
        ("placement", {"pending.0": ["done"]}, "pending.0"),
        ("placement", {"pending.1": ["lift 18-1-N"]}, "pending.1"),
        ("second", {"pending.0": []}, "pending.0"),
        ("second", {"pending.0": ["put 2-3-A"]}, "pending.0"),
        ("second", {"pending.0": ["put 9-1-A", "put 9-1-A"]}, "pending.0"),
        ("second", {"pending.1": ["lift 18-1-N"]}, "pending.1"),
        ("start", {"final": [{}, {}]}, "final"),
        ("over", {"final": None}, "final"),
        ("over", {"final.0.nullifications": 5}, "final.0.nullifications"),
        ("over", {"final.0.wild": 1}, "final.0.wild"),
        ("over", {"final.0.valuable": 10}, "final.0.valuable"),
        ("over", {"final.0.confident": 7}, "final.0.confident"),
        ("over", {"winners": []}, "winners"),
        ("over", {"winners": [0]}, "winners"),
        ("over", {"to_move": 0}, "to_move"),
        ("over", {"turn": 5}, "turn"),
        ("over", {"conjectured": ["9-1-N"]}, "conjectured"),
        ("start", {"committed": [0]}, "committed"),
        ("start", {"rng": 5}, "rng"),
        ("start", {"rng": "18446744073709551616"}, "rng"),
    ],
)
def test_impossible(name, changes, key):
    """What play cannot reach is refused, and the message names the key."""
    GAME.from_snapshot(BASES[name])
    message = refusal(changed(name, changes))
    assert message.startswith(f"snapshot key '{key}"), message


def test_conditions_of_a_wild_deck():
    """BD-8: eight states of one species on different physical attributes, two different requests, 15 rocks."""
    snapshot = deal(3, deck="wild").snapshot
    GAME.from_snapshot(snapshot)
    deck = snapshot["deck"]
    states = [card for card in deck if card[0].isdigit()]
    requests = [card for card in deck if card.startswith("request")]
    swaps = [(states[0], "15-1"), (states[0], states[1]), (requests[0], requests[-1]), ("rock", requests[0]), (states[0], "rock")]
    for old, new in swaps:
        if old != new:
            wrong = list(deck)
            wrong[deck.index(old)] = new
            assert refusal({**snapshot, "deck": wrong}).startswith("snapshot key 'deck'")


def test_a_wild_deck_of_no_species():
    """BD-8: two states that no living species has together."""
    snapshot = arranged("model", deck="starter", drawn=["2-3", "rock"])
    GAME.from_snapshot(snapshot)
    snapshot["options"]["deck"] = "wild"
    assert refusal(snapshot).startswith("snapshot key 'deck'"), "no living species has all states of the starter deck"
