"""What a seat may know, exactly: views, and commitments that stay sealed, bit by bit, until both have committed."""

import copy
import itertools

import pytest

from tests.rules.the_big_dig.positions import Position, argument, arrange, arranged

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
    """A snapshot in which both seats owe a commitment."""
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


@every_phase
def test_nothing_is_carried_out_before_both_have_committed(snapshot, mine, yours):
    """Board, banks, scores and cards are those of the beginning; `pending` holds the choices of the own seat only."""
    models = snapshot["phase"] in ("model", "research_model")
    for texts in mine:
        position = start(snapshot).play(*texts)
        hidden = {"pending", "to_move", "models", "rng"}
        after = position.snapshot
        assert {k: v for k, v in after.items() if k not in hidden} == {k: v for k, v in snapshot.items() if k not in hidden}
        assert after["pending"] == [[] if models else texts, []]
        assert position.view(1)["pending"] == [None, []]
        assert position.view(0)["pending"] == [[] if models else texts, None]
        assert len(position.view(1)["models"][0]) == len(snapshot["models"][0]) + models


@every_phase
def test_commitments_are_revealed_together(snapshot, mine, yours):
    """After the last action both see the same of everything but models, and nothing is pending."""
    for texts, answer in itertools.product(mine, yours):
        position = start(snapshot).play(*texts, *answer)
        assert position["pending"] == [[], []]
        one, other = position.view(0), position.view(1)
        for key in set(one) - {"models", "pending"}:
            assert one[key] == other[key], key
        if snapshot["phase"] in ("argumentation", "research"):
            for seat, made in enumerate((texts, answer)):  # what nobody is asked for follows at once
                assert one["spent"][seat][: len(snapshot["spent"][seat]) + 1] == [*snapshot["spent"][seat], made[0]]
        if snapshot["phase"] == "evaluation" and position["phase"] == "placement":
            assert one["evaluation"] == [texts[0], answer[0]]


# ---------------------------------------------------------------- sealed commitments, side by side


def side_by_side(snapshot, texts, answer, seat):
    """What a seat is told after each step in which both choose at once, before the phase is resolved."""
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
    """What a seat is told while it chooses, and after, depends on its own choices alone, however long the other takes."""
    for seat, own, others in ((0, mine, yours), (1, yours, mine)):
        for texts in own:
            pairs = [(texts, answer) if seat == 0 else (answer, texts) for answer in others]
            told = [side_by_side(snapshot, *pair, seat) for pair in pairs]
            for one, other in itertools.combinations(told, 2):
                for step, (here, there) in enumerate(zip(one, other, strict=False)):
                    assert here == there, (seat, texts, step)


@every_phase
def test_side_by_side_is_the_same_as_one_after_the_other(snapshot, mine, yours):
    """The order in which the seats' choices arrive changes nothing."""
    for texts, answer in itertools.product(mine, yours):
        one = start(snapshot).play(*texts, *answer)
        other = start(snapshot)
        if len(answer) > 1:  # the last one to commit is seat 0
            other.play_as(1, *answer[:-1]).play_as(0, *texts[:-1]).play_as(1, answer[-1]).play_as(0, texts[-1])
        else:
            other.play_as(1, *answer).play_as(0, *texts)
        assert other.snapshot == one.snapshot
        assert other.states.tobytes() == one.states.tobytes()


@every_phase
def test_snapshots_side_by_side(snapshot, mine, yours):
    """A position in which seat 1 is ahead comes back from its snapshot."""
    for texts, answer in itertools.product(mine, yours):
        position = start(snapshot)
        for text in answer:
            position.play_as(1, text)
            position.check_snapshot()
        for text in texts[:-1]:
            position.play_as(0, text).check_snapshot()


# ---------------------------------------------------------------- the view


def test_a_model_is_shown_at_its_place_when_it_is_argued_with():
    """BD-17, View: only after the reveal, also by a nullification, and also if the argument is invalid; others stay hidden."""
    models = [[["5-1-A"], ["2-3-A"], ["6-1-A"]], [["7-1-A"]]]
    position = arrange("argument", models=models).play("argue 2", "output 18-1")
    assert position.view(1)["models"][0] == [None, None, None]
    position.play("no argument")
    assert position.view(1)["models"][0] == [None, ["2-3-A"], None]
    assert position.view(0)["models"][1] == [None], "`no argument` shows nothing"
    stands = [argument(0, 1, ["2-3-A"], "6-2-N", valid=False)]
    later = arrange("model", drawn=["2-3", "6-2"], arguments=stands, models=models)
    assert later.view(1)["models"][0] == [None, ["2-3-A"], None]


def test_the_same_model_of_the_other_is_not_shown():
    """View: an argument shows the model of its creator, not an equal one of the other player."""
    position = arrange("argument", models=[[["2-3-A"]], [["2-3-A"]]]).play("argue 1", "output 18-1", "no argument")
    assert position.view(1)["models"] == [[["2-3-A"]], [["2-3-A"]]]
    assert position.view(0)["models"] == [[["2-3-A"]], [None]]


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


def test_the_deck_changes_nothing():
    """View and observation are the same whatever the order of the deck."""
    snapshot = arranged("argument", models=[[["2-3-A"]], []], rng="5")
    turned = copy.deepcopy(snapshot)
    turned["deck"].reverse()
    for seat in (0, 1):
        assert Position(snapshot).known_to(seat) == Position(turned).known_to(seat)


def test_a_random_deck_is_not_known():
    """Option `deck`: with `random` nobody knows which; two decks that agree with the cards drawn look the same."""
    second = arranged("model", deck="second", drawn=["1-2", "rock"], rng="5", options__deck="random")
    starter = arranged("model", deck="starter", drawn=["1-2", "rock"], rng="5", options__deck="random")
    for seat in (0, 1):
        assert Position(second).known_to(seat) == Position(starter).known_to(seat)
        assert Position(second).view(seat)["options"]["deck"] == "random"


def test_nobody_is_asked_by_hidden_things():
    """BD-16, "Legality": an actor without any possible argument is asked all the same."""
    able = arrange("argumentation", models=[[["2-3-A"]], []], rng="5").play("act", "pass")
    unable = arrange("argumentation", models=[[["27-3-A"]], []], rng="5").play("act", "pass")
    assert able.mover == unable.mover == 0
    assert able.known_to(1) == unable.known_to(1)
