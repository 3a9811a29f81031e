"""The knowledge of a seat, exactly: views, and commitments that stay sealed, bit by bit, until both have committed."""

import itertools

import pytest

from tests.rules.the_big_dig.positions import Position, argument, arranged

BOTH = ["2-3-A", "3-3-A"]
TOKENS = {"5-1-A": 2, "6-1-A": 1}
MODELS = [["input 2-3-A", "single"], ["input 27-1-N", "input 1-1-A"], ["input 1-1-A", "input 27-1-N"]]
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
    """Commitments of a seat with the models of :func:`position_in` `argument`: of one, two and three actions."""
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
    "evaluation": (position_in("evaluation"), [["add"], ["move"], ["remove"]], [["add"], ["move"], ["remove"]]),
    **{
        f"placement-{mine}-{yours}": (position_in("placement", evaluation=[mine, yours]), PLACEMENTS[mine], PLACEMENTS[yours])
        for mine, yours in itertools.product(PLACEMENTS, repeat=2)
    },
}
every_phase = pytest.mark.parametrize(("snapshot", "mine", "yours"), SEALED.values(), ids=SEALED.keys())


def start(snapshot):
    """The position, with the same chance to come every time."""
    return Position({**snapshot, "rng": "5"})


# ---------------------------------------------------------------- sealed commitments, one seat after the other


@every_phase
def test_the_first_commitment_is_sealed(snapshot, mine, yours):
    """Whatever seat 0 chooses, and in how many actions: seat 1 knows the same during it, after it and during its own choice."""
    before = start(snapshot).known_to(1)
    told = []
    for texts in mine:
        position = start(snapshot)
        for text in texts[:-1]:
            position.play(text)
            assert position.mover == 0
            assert position.known_to(1) == before, "seat 1 does not see how far seat 0 has got"
        position.play(texts[-1])
        assert (position.mover, position["phase"]) == (1, snapshot["phase"])
        longest = max(yours, key=len)
        told.append([position.known_to(1)] + [position.play(text).known_to(1) for text in longest[:-1]])
    for other in told[1:]:
        assert other == told[0]


@every_phase
def test_the_second_commitment_is_sealed(snapshot, mine, yours):
    """Seat 0, which has committed, sees nothing of what seat 1 has chosen so far."""
    for texts in mine:
        committed = start(snapshot).play(*texts)
        before = committed.known_to(0)
        for answer in yours:
            position = committed.copy()
            for text in answer[:-1]:
                assert position.play(text).known_to(0) == before
            position.play(answer[-1])
            assert (position["phase"], position["pending"]) != (snapshot["phase"], committed["pending"]), "resolved"


# ---------------------------------------------------------------- sealed commitments, side by side


def side_by_side(snapshot, texts, answer, seat):
    """Return what a seat is told after each step in which both choose at once, before the phase is resolved."""
    position = start(snapshot)
    told = [position.known_to(seat)]
    for chosen in itertools.zip_longest(texts, answer):
        for p, text in enumerate(chosen):
            if text is not None:
                position.play_as(p, text)
        if position["phase"] == snapshot["phase"] and any(position.states["owes"][0]):
            told.append(position.known_to(seat))
    return told[: max(len(texts), len(answer))]


@every_phase
def test_sealed_side_by_side(snapshot, mine, yours):
    """All that a seat is told while it chooses, and after, depends on its own choices alone, however long the other takes."""
    for seat, own, others in ((0, mine, yours), (1, yours, mine)):
        for texts in own:
            pairs = [(texts, answer) if seat == 0 else (answer, texts) for answer in others]
            told = [side_by_side(snapshot, *pair, seat) for pair in pairs]
            for one, other in itertools.combinations(told, 2):
                for step, (here, there) in enumerate(zip(one, other, strict=False)):
                    assert here == there, (seat, texts, step)


# ---------------------------------------------------------------- the view


def test_a_hidden_model_changes_nothing_for_the_other():
    """View, observation and mask of the other are the same whatever an unused model is, in every phase, to the very end."""
    told = []
    for hidden in (["27-1-A"], ["4-2-N", "19-3-A"], ["5-1-A"]):
        snapshot = arranged("model", models=[[hidden, ["2-3-A"]], [["2-3-A"]]], turn=6, rng="5")
        position = Position(snapshot)
        seen = [position.known_to(1)]
        texts = ["input 1-1-A", "single", "input 1-1-A", "single", "act", "act", "argue 2", "output 18-1", "no argument"]
        for text in [*texts, "pass", "act", "input 3-1-A", "single", "add", "move", "put 3-1-A"]:
            seen.append(position.play(text).known_to(1))
        assert position["phase"] == "over"
        assert position.view(1)["models"][0] == [None, ["2-3-A"], None]
        told.append(seen)
    assert told[0] == told[1] == told[2]
