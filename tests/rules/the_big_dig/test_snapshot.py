"""Snapshots: round trips, and refusals that name the key."""

import pytest

from tests.positions import refusals
from tests.rules.the_big_dig.positions import Position, argument, arrange, arranged, deal

BOTH = ["2-3-A", "3-3-A"]
STANDS = [
    argument(0, 1, ["2-3-A"], "18-1-A"),
    argument(1, 1, ["3-3-A"], "18-1-N"),
    argument(0, 2, ["2-3-A"], "6-2-N", valid=False),
    argument(1, 3, BOTH, "18-1", "2-3-A"),
]
TOKENS = [{"18-1-A": 1, "5-1-A": 2}, {"18-1-N": 1}]
TABLE = {
    "drawn": ["2-3", "3-3", "rock", "6-2", "request diet"],
    "arguments": STANDS,
    "tokens": TOKENS,
}
BASES = {
    "start": arranged(
        "model", drawn=["2-3", "rock"], turn=1, options__first_discovery="starter", scores=[0, 0]
    ),
    "argument": arranged("argument", models=[[BOTH], []], **TABLE),
    "target": arrange("argument", models=[[BOTH], []], **TABLE)
    .play("argue 1", "output 18-1")
    .snapshot,
    "placement": arrange("placement", evaluation=["move", "remove"], **TABLE)
    .play("lift 5-1-A")
    .snapshot,
    "second": arrange("placement", evaluation=["add", "remove"], **TABLE)
    .play("put 9-1-A")
    .snapshot,
    "research": arranged("research", spent=[["act"], ["pass"]], **TABLE),
    "over": arrange("placement", turn=6, **TABLE).play("done", "done").snapshot,
}
for _base in BASES.values():
    _base.pop("rng", None)


# ---------------------------------------------------------------- impossible


@pytest.mark.parametrize(
    ("name", "changes", "key"),
    [
        *refusals(
            "start",
            "deck",
            {"options.deck": "second", "options.first_discovery": "random"},
            {"deck.0": "7-1"},
        ),
        *refusals("start", "spent", {"phase": "argument"}, {"phase": "evaluation"}),
        *refusals("start", "turn", {"options.turns": 2, "turn": 3}),
        *refusals("start", "drawn", {"drawn": [], "discovered": []}, {"drawn": ["rock", "2-3"]}),
        *refusals(
            "argument",
            "drawn",
            {"drawn.0": "3-3", "drawn.1": "2-3", "options.first_discovery": "starter"},
        ),
        *refusals("argument", "request", {"request": None}, {"request": "skull"}),
        *refusals("start", "discovered", {"discovered": []}),
        *refusals("start", "conjectured", {"conjectured": ["5-1-A"]}),
        *refusals("argument", "conjectured", {"conjectured": ["18-1-A"]}),
        *refusals(
            "start", "tokens.1", {"tokens.1": {"5-1-A": 7, "5-1-N": 6}}, {"tokens.1": {"2-3-A": 1}}
        ),
        *refusals("start", "models.0.1", {"models.0": [["5-1-A"], ["5-1-A"]]}),
        *refusals(
            "start",
            "models.0.0",
            {"models.0": [["5-1-A", "5-2-N"]]},
            {"models.0": [["5-1-A", "1-2-N"]]},
        ),
        *refusals(
            "start", "models.0.0", {"models.0": [[]]}, {"models.0": [["1-1-A", "2-1-A", "3-1-A"]]}
        ),
        *refusals("start", "models.1", {"models.1": [[f"{a}-1-A"] for a in range(1, 14)]}),
        *refusals("argument", "arguments.1.inputs", {"models.1": []}),
        *refusals("argument", "arguments.0.inputs", {"arguments.0.by": 1}),
        *refusals("argument", "arguments.0.by", {"arguments.0.by": 2}),
        *refusals("argument", "arguments.0.turn", {"arguments.0.turn": 6}),
        *refusals("argument", "arguments.1.turn", {"arguments.0.turn": 2}),
        *refusals(
            "argument", "arguments.3.target", {"arguments.3.turn": 5, "arguments.3.target": "6-2-N"}
        ),
        *refusals("argument", "arguments.3.target", {"arguments.3.output": "18-2"}),
        *refusals("argument", "arguments.0.support", {"arguments.0.support": 55}),
        *refusals(
            "argument",
            "arguments.0.output",
            {"arguments.0.output": "18-1-N"},
            {"arguments.0.output": "2-1-N"},
        ),
        *refusals(
            "argument",
            "arguments.0.output",
            {"arguments.0.output": "24-2-A", "arguments.0.support": 0},
        ),
        *refusals("argument", "arguments.0", {"arguments.0.target": "2-3-A"}),
        *refusals("argument", "arguments.3.output", {"arguments.3.target": None}),
        *refusals(
            "argument",
            "arguments.3.output",
            {"arguments.3.output": "1-1", "arguments.3.support": 6},
        ),
        *refusals("argument", "arguments.0.valid", {"arguments.0.valid": False}),
        *refusals("argument", "arguments.2.valid", {"arguments.2.valid": True}),
        *refusals("argument", "arguments.2", {"arguments.2": {**STANDS[0], "turn": 2}}),
        *refusals("start", "spent.0", {"spent": [["act"], []]}),
        *refusals("research", "phase", {"spent": [["pass"], ["pass"]]}),
        *refusals("research", "spent.0", {"spent": [["act", "act"], ["pass"]]}),
        *refusals("research", "to_move", {"spent": [["pass"], ["act"]]}),
        *refusals(
            "placement",
            "spent.0",
            {"spent.0": ["act", "act", "act"]},
            {"spent.0": ["act", "pass", "pass"]},
        ),
        *refusals(
            "placement", "pending.0", {"evaluation": ["add", "add"]}, {"pending.0": ["lift 6-1-A"]}
        ),
        *refusals(
            "placement",
            "pending.0",
            {"pending.0": ["lift 5-1-A", "lift 5-1-A"]},
            {"pending.0": ["done"]},
        ),
        *refusals("start", "pending.0", {"pending": [["input 2-3-A", "single"], []]}),
        *refusals(
            "start",
            "pending.0",
            {"pending": [["single"], []]},
            {"to_move": 1, "pending": [["input 2-3-A"], []]},
        ),
        *refusals("start", "pending.1", {"pending": [[], ["input 2-3-A"]]}),
        *refusals("argument", "pending.0", {"pending": [["no argument"], []]}, {"to_move": 1}),
        *refusals("target", "pending.0", {"pending.0": ["argue 1", "output 18-1", "target 1"]}),
        *refusals("placement", "pending.1", {"pending.1": ["lift 18-1-N"]}),
        *refusals("second", "pending.0", {"pending.0": []}, {"pending.0": ["put 2-3-A"]}),
        *refusals("second", "pending.0", {"pending.0": ["put 9-1-A", "put 9-1-A"]}),
        *refusals("over", "final.0.nullifications", {"final.0.nullifications": 5}),
        *refusals("over", "final.0.wild", {"final.0.wild": 1}),
        *refusals("over", "winners", {"winners": [0]}),
        *refusals("over", "turn", {"turn": 5}),
        *refusals("over", "conjectured", {"conjectured": ["9-1-N"]}),
    ],
)
def test_impossible(name, changes, key):
    """A snapshot that play cannot reach is refused, and the message names the key."""
    Position.refuses(BASES[name], changes, key)


def test_conditions_of_a_wild_deck():
    """BD-8: eight states of one species on different physical attributes, two different requests,
    15 rocks."""
    snapshot = deal(3, deck="wild").snapshot
    deck = snapshot["deck"]
    states = [card for card in deck if card[0].isdigit()]
    requests = [card for card in deck if card.startswith("request")]
    swaps = [
        (states[0], "15-1"),
        (states[0], states[1]),
        (requests[0], requests[-1]),
        ("rock", requests[0]),
        (states[0], "rock"),
    ]
    for old, new in swaps:
        if old != new:
            Position.refuses(snapshot, {f"deck.{deck.index(old)}": new}, "deck")


def test_a_wild_deck_of_no_species():
    """BD-8: two states that no living species has together."""
    snapshot = arranged("model", deck="starter", drawn=["2-3", "rock"])
    # no living species has all states of the starter deck
    Position.refuses(snapshot, {"options.deck": "wild"}, "deck")
