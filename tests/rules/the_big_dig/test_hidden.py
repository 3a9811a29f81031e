"""The knowledge of a seat, exactly: views, and commitments that stay sealed, bit by bit, until both
have committed."""

import itertools

import pytest

from tests.rules.the_big_dig.positions import Position, argument, arranged

BOTH = ["2-3-A", "3-3-A"]
TOKENS = {"5-1-A": 2, "6-1-A": 1}
MODELS = [
    ["input 2-3-A", "single"],
    ["input 27-1-N", "input 1-1-A"],
    ["input 1-1-A", "input 27-1-N"],
]
CARDS = [["act"], ["pass"]]
PLACEMENTS = {
    "add": [["put 18-1-A"], ["put 2-1-A"]],
    "move": [
        ["done"],
        ["lift 6-1-A", "put 6-1-N"],
        ["lift 5-1-A", "put 5-2-A", "done"],
        ["lift 5-1-A", "put 5-2-A", "lift 5-1-A", "put 5-2-A"],
    ],
    "remove": [["done"], ["lift 6-1-A"], ["lift 5-1-A", "done"], ["lift 5-1-A", "lift 5-1-A"]],
}


def arguing(p):
    """Commitments of a seat with the models of :func:`position_in` `argument`: of one, two and
    three actions."""
    other = ["26-3", "1-1"][p]
    return [
        ["no argument"],
        ["argue 1", "output 1-1"],
        ["argue 1", "output 18-1", "target 1"],
        ["argue 1", "output 18-1", "target 2"],
        ["argue 2", f"output {other}"],
    ]


def position_in(phase, **changes):
    """Return a snapshot in which both seats still have to make a commitment."""
    base = {"drawn": ["2-3", "3-3"], "tokens": [dict(TOKENS), dict(TOKENS)]}
    if phase == "argument":
        stands = [argument(0, 1, ["2-3-A"], "18-1-A"), argument(1, 1, ["3-3-A"], "18-1-N")]
        base.update(arguments=stands, models=[[BOTH, ["2-3-A"]], [BOTH, ["3-3-A"]]])
    else:
        base.update(models=[[["6-1-A"]], [["7-1-A"]]])
    return arranged(phase, **base, **changes)


SEALED = {
    "model": (position_in("model"), MODELS, MODELS),
    "argumentation": (position_in("argumentation"), CARDS, CARDS),
    "argument": (position_in("argument"), arguing(0), arguing(1)),
    "research": (position_in("research"), CARDS, CARDS),
    "research_model": (position_in("research_model"), MODELS, MODELS),
    "evaluation": (
        position_in("evaluation"),
        [["add"], ["move"], ["remove"]],
        [["add"], ["move"], ["remove"]],
    ),
    **{
        f"placement-{mine}-{yours}": (
            position_in("placement", evaluation=[mine, yours]),
            PLACEMENTS[mine],
            PLACEMENTS[yours],
        )
        for mine, yours in itertools.product(PLACEMENTS, repeat=2)
    },
}
every_phase = pytest.mark.parametrize(
    ("snapshot", "mine", "yours"), SEALED.values(), ids=SEALED.keys()
)


def start(snapshot):
    """The position, with the same chance to come every time."""
    return Position({**snapshot, "rng": "5"})


# ---------------------------------------------------------------- sealed commitments


def steps(texts, answer, together):
    """Return what the seats play in each step: side by side, in which seat 1 may be ahead, or one
    seat after the other."""
    if together:
        pairs = itertools.zip_longest(texts, answer)
        return [[(p, text) for p, text in enumerate(pair) if text] for pair in pairs]
    return [[(p, text)] for p, chosen in enumerate((texts, answer)) for text in chosen]


def on_the_way(snapshot, texts, answer, together):
    """Yield the position after each step but the last, which resolves the phase, and what each seat
    has chosen so far."""
    position, done = start(snapshot), [(), ()]
    *before, last = steps(texts, answer, together)
    for step in before:
        for p, text in step:
            position.play_as(p, text)
            done[p] += (text,)
        yield position, done
    for p, text in last:
        position.play_as(p, text)
    assert (position["phase"], position["turn"]) != (snapshot["phase"], snapshot["turn"]), (
        "resolved"
    )


@every_phase
@pytest.mark.parametrize("together", [False, True])
def test_commitments_are_sealed(snapshot, mine, yours, together):
    """All that a seat is told until both have committed depends on its own choices and on whose
    turn it is: bit by bit."""
    told = {}
    for texts, answer in itertools.product(mine, yours):
        for position, done in on_the_way(snapshot, texts, answer, together):
            for seat in (0, 1):
                known = position.known_to(seat)
                assert (
                    told.setdefault((seat, done[seat], not together and position.mover), known)
                    == known
                )


# ---------------------------------------------------------------- the view
