"""Snapshots that cannot have happened by their turn and phase are refused, so that no list outgrows
its array in what follows."""

import random
from typing import Any

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import SnapshotError
from tests.rules.the_big_dig.positions import GAME, Position, argument, arrange, arranged

ACTED = ["act", "act", "pass"]
EXPLORED = ["pass", "act", "act"]
IDLE = ["act", "pass", "act"]  # no second model
# none of which allows an argument: no input is marked
MODELS = [[f"{a}-1-N"] for a in range(4, 28)]


def refusal(snapshot: dict[str, Any]) -> str:
    with pytest.raises(SnapshotError) as caught:
        GAME.from_snapshot(snapshot)
    return str(caught.value)


def is_accepted(snapshot: dict[str, Any]) -> bool:
    try:
        GAME.from_snapshot(snapshot)
    except SnapshotError:
        return False
    return True


def play_on(position: Position, chance: random.Random) -> Position:
    """To the end; every seat argues and makes models whenever it may, so that its lists grow as
    long as they can."""
    while position.mover >= 0:
        legal = position.legal
        eager = legal & {"act", "single"} or {
            text for text in legal if text.startswith(("argue", "output"))
        }
        position.play(chance.choice(sorted(eager or legal)))
    return position


# ---------------------------------------------------------------- models

# phase, cards of seat 0 (as many as the phase says), and how many models more than two for each
# turn before
MOST_MODELS = [
    ("model", [], 0),
    ("argument", ["act"], 1),
    ("research_model", ["act", "act"], 1),
    ("evaluation", EXPLORED, 2),
    ("placement", ACTED, 2),
    ("placement", IDLE, 1),
]


def with_models(phase: str, cards: list[str], turn: int, count: int) -> dict[str, Any]:
    """A position in which seat 0, with these cards, has so many models; nobody has points."""
    rest = {} if phase != "placement" else {"evaluation": ["add", "add"]}
    return arranged(
        phase, turn=turn, models=[MODELS[:count], []], spent=[cards, cards], scores=[0, 0], **rest
    )


@pytest.mark.parametrize(("phase", "cards", "more"), MOST_MODELS)
@pytest.mark.parametrize("turn", [1, 2, 5, 6])
def test_models_fit_the_turn(phase, cards, more, turn):
    """BD-10, BD-19: one in the model phase of each turn, one in research if the seat acts there;
    nothing outgrows the twelve."""
    most = 2 * (turn - 1) + more
    full = Position(with_models(phase, cards, turn, most))
    if turn > 4 or not JIT_DISABLED:
        assert len(play_on(full, random.Random(turn))["models.0"]) <= 12
    for count in {most + 1, 12} - {most}:
        assert refusal(with_models(phase, cards, turn, count)).startswith("snapshot key 'models.0'")


@pytest.mark.parametrize(
    ("phase", "spent"), [("model", [[], []]), ("research_model", [["act", "act"], ["act", "act"]])]
)
def test_a_complete_model_is_counted(phase, spent):
    """In the middle of a phase: one more for a seat that has committed, in turn and side by
    side."""
    count = 8 + (phase == "research_model")
    base = {"turn": 5, "spent": spent, "scores": [0, 0]}
    one_more, as_many = MODELS[: count + 1], MODELS[:count]
    assert is_accepted(arranged(phase, **base, to_move=1, models=[one_more, as_many]))
    assert is_accepted(arranged(phase, **base, committed=[1], models=[as_many, one_more]))
    assert not is_accepted(arranged(phase, **base, to_move=1, models=[one_more, one_more]))
    assert not is_accepted(arranged(phase, **base, committed=[1], models=[one_more, one_more]))
    assert not is_accepted(arranged(phase, **base, models=[one_more, as_many]))


def test_who_does_not_research_makes_no_model():
    """BD-19: in `research_model` only seats that act in the research make a model."""
    base = {"turn": 2, "spent": [["act", "act"], ["act", "pass"]], "scores": [0, 0]}
    assert is_accepted(arranged("research_model", **base, models=[MODELS[:3], MODELS[:3]]))
    assert refusal(arranged("research_model", **base, models=[MODELS[:3], MODELS[:4]])).startswith(
        "snapshot key 'models.1'"
    )


# ---------------------------------------------------------------- arguments

EARLIER = argument(1, 1, ["2-3-A"], "18-1-A")
NOW = argument(0, 2, ["2-3-A"], "6-2-N")


@pytest.mark.parametrize(
    ("phase", "spent", "allowed"),
    [
        ("argument", [["act"], ["act"]], False),
        ("research", [["act"], ["act"]], True),
        ("research_model", [["pass", "act"], ["pass", "act"]], False),
        ("evaluation", [ACTED, EXPLORED], True),
        ("placement", [EXPLORED, IDLE], False),
    ],
)
def test_an_argument_of_this_turn(phase, spent, allowed):
    """BD-12: there is one only after the argument phase, and only of a seat that acted in it."""
    rest = {} if phase != "placement" else {"evaluation": ["add", "add"]}
    mover = 1 if spent[0] == ["pass"] else 0
    base = {"turn": 2, "spent": spent, "to_move": mover, "scores": [0, 0], **rest}
    assert is_accepted(arranged(phase, **base, arguments=[EARLIER]))
    snapshot = arranged(phase, **base, arguments=[EARLIER, NOW])
    if allowed:
        assert is_accepted(snapshot)
    else:
        assert refusal(snapshot).startswith("snapshot key 'arguments.1.turn'")


def test_arguments_of_the_last_turn_are_there_at_the_end():
    """When the game is over the cards have been put away, and nobody can tell any more which seats
    acted."""
    changes = {
        "options__turns": 2,
        "evaluation": ["remove", "remove"],
        "tokens": [{}, {"27-1-A": 1}],
        "to_move": 1,
    }
    position = arrange("placement", turn=2, arguments=[EARLIER, NOW], **changes).play("done")
    assert position["phase"] == "over"
    assert is_accepted(position.snapshot)


# ---------------------------------------------------------------- cards, points, the turn


@pytest.mark.parametrize(
    ("phase", "spent", "most"),
    [
        ("model", [[], []], 5),
        ("research_model", [["act", "act"], ["act", "act"]], 5),
        ("evaluation", [ACTED, EXPLORED], 6),
        ("placement", [EXPLORED, EXPLORED], 7),
    ],
)
def test_cards_drawn_fit_the_turn(phase, spent, most):
    """BD-8, BD-9, BD-20: the initial discovery, one a turn, and one for each seat that explores;
    here in turn 2."""
    rest = {} if phase != "placement" else {"evaluation": ["add", "add"]}
    drawn = ["2-3", *["rock"] * most]
    assert is_accepted(
        arranged(phase, drawn=drawn[:-1], turn=2, spent=spent, scores=[0, 0], **rest)
    )
    assert refusal(
        arranged(phase, drawn=drawn, turn=2, spent=spent, scores=[0, 0], **rest)
    ).startswith("snapshot key 'drawn'")


def test_points_fit_the_turn():
    """BD-18, BD-24: a turn gives at most an argument of six points and two tokens of five."""
    assert is_accepted(arranged("model", turn=3, scores=[0, 48]))
    assert refusal(arranged("model", turn=3, scores=[0, 49])).startswith("snapshot key 'scores'")
