"""Sentences about seats, things and numbers, and the declarations of events and labels."""

import pytest

from dig_envs.engine.core.actions import AFTER, SEAT, Actions
from dig_envs.engine.core.errors import RulesError
from dig_envs.engine.core.events import RESERVED, Events, Number, Seats, Thing, Who
from dig_envs.engine.core.words import NO_NAMES, Names, counted, enumeration, fill, named
from dig_envs.text.views import seat_name
from tests.names import NO_NAMES as NO_LISTS
from tests.names import REFUSED, TAKEN

PEOPLE = {"seat": 0, "other": 1, "all": [0, 1, 2]}
VALUES = {"card": "ankle", "dinosaur": "Utahraptor", "count": 3, "none": 0}


@pytest.mark.parametrize(
    ("template", "viewer", "sentence"),
    [
        ("{seat} {ask|asks} {other}.", 0, "you ask Player 2."),
        ("{seat} {ask|asks} {other}.", 1, "Player 1 asks you."),
        ("{seat} {ask|asks} {other}, who {have|has} none.", 1, "Player 1 asks you, who have none."),
        ("{other's} card, {seat's} card", 0, "Player 2's card, your card"),
        ("{seat} {take|takes} {an card}, {a card}", None, "Player 1 takes an ankle, an ankle"),
        ("{a dinosaur}", None, "a Utahraptor"),
        ("{count:cube}, {none:foot/feet}", None, "3 cubes, no feet"),
        ("{all} {win|wins}", 1, "you, Player 1 and Player 3 win"),
    ],
)
def test_templates(template, viewer, sentence):
    assert fill(template, VALUES, PEOPLE, NO_NAMES, viewer) == sentence


def test_an_unknown_field_is_an_error():
    with pytest.raises(KeyError, match="colour"):
        fill("{colour}", VALUES, PEOPLE, NO_NAMES)


def test_numbers_and_lists():
    assert [counted(number, "box/boxes") for number in (0, 1, 2)] == [
        "no boxes",
        "1 box",
        "2 boxes",
    ]
    assert [enumeration(["a", "b", "c"][:number]) for number in range(4)] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["Ann", "x" * 41], ValueError, "the name of Player 2 has 41 characters; it needs 1 to 40"),
        ([""], ValueError, "the name of Player 1 has 0 characters"),
        (["Ann", 3], TypeError, "the name of Player 2 must be a text, not int"),
        (["An\x1bn"], ValueError, "control characters"),
        ([" Ann"], ValueError, "spaces around it"),
        (["\u3164"], ValueError, "shows nothing"),
        (["You"], ValueError, "other than 'you'"),
        (["Ann", "Ann"], ValueError, "each seat needs its own"),
        (5, TypeError, "a list or tuple of texts, not 5"),
        ("Ann", TypeError, "a list or tuple of texts, not 'Ann'"),
    ],
)
def test_names_that_are_refused(names, error, message):
    with pytest.raises(error, match=message):
        Names(names)


@pytest.mark.parametrize("names", TAKEN)
def test_names_that_every_door_takes(names):
    """They are kept as they are, and nothing in them is a field of a sentence."""
    given = Names(tuple(names))
    assert given.given == tuple(names)
    said = fill("{seat} asks {other}", {}, {"seat": 0, "other": 1}, given)
    assert said == f"{names[0]} asks {names[1]}"


@pytest.mark.parametrize("names", [*REFUSED, *NO_LISTS])
def test_names_that_no_door_takes(names):
    with pytest.raises((TypeError, ValueError), match="name"):
        Names(names)


def test_names():
    names = Names(("Ann",))
    assert [names.person(seat, 1) for seat in (0, 1, 2, None)] == [
        "Ann",
        "you",
        "Player 3",
        "nobody",
    ]


CARD, HIDDEN = Thing("card", names=("A", "B")), Thing("card", hidden=True, names=("A", "B"))


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (("drew", "R-1", "{card}", [HIDDEN]), {}, "'others' says"),
        (("drew", "R-1", "{card}", [CARD]), {"others": "a card"}, "'others' says"),
        (
            ("drew", "R-1", "{card}", [HIDDEN]),
            {"others": "a card", "shown": True},
            "no hidden parts",
        ),
        (("drew", "R-1", "{card}", [CARD, CARD]), {}, "a name of its own"),
        *((("drew", "R-1", "", [Number(name)]), {}, "none index, kind, seat") for name in RESERVED),
        (("drew", "R-1", "", [*map(Number, "abcdefghi")]), {}, "at most 8 parts"),
        (
            ("drew", "R-1", "", [CARD]),
            {"changes": [("scores", "seat", "points")]},
            "'changes' names 'points'",
        ),
        (("drew", "R-1", "", [CARD]), {"changes": [("cards", "seat", 1)]}, "cards, which Events"),
        (("turn", "R-1", ""), {}, "there twice"),
    ],
)
def test_declarations_that_are_refused(arguments, settings, message):
    with pytest.raises(RulesError, match=message):
        Events().add(*arguments, **settings)


def test_who_is_told_hidden_parts():
    events, others = Events(), "a card"
    events.add("drew", "R-1", "{card}", [HIDDEN], others=others)
    events.add("gave", "R-1", "{card}", [Who("other", knows=True), HIDDEN], others=others)
    events.add(
        "dug", "R-1", "{card}", [HIDDEN, Who("other"), Seats("known", knows=True)], others=others
    )
    events.add("chose_card", "R-1", "{card}", [CARD], private=True)
    assert [kind.told_to for kind in events.kinds[3:]] == [
        "everybody; `card` only its seat",
        "everybody; `card` only its seat and `other`",
        "everybody; `card` only its seat and `known`",
        "only its seat",
    ]


def test_an_unknown_kind_is_named():
    events = Events()
    assert events.kind("turn").name == "turn"
    with pytest.raises(ValueError, match=r"no kind of event 'storm'; there are turn, chose, over"):
        events.kind("storm")


def test_labels_of_actions():
    actions = Actions()
    give = actions.add(
        "give {} +{}", "AB", range(1, 3), label="give {a 0} to {1}", called=(("axe", "bone"), AFTER)
    )
    at = actions.add("at {}", range(2), label="ask {0}", called=(SEAT,))
    plain = actions.add("pass", label="pass")
    names = Names(("Ann", "Bob", "Cy"))
    assert actions.label(give + 1, 2, 3, 2, names) == "Give an axe to Bob"
    assert actions.label(give + 2, 2, 3, 0, names) == "Give a bone to you"
    assert [actions.label(at + 1, 0, 2, 1), actions.label(plain, 0, 2)] == ["Ask you", "Pass"]
    assert actions.groups == ((0, 3), (4, 5), (6, 6))
    with pytest.raises(ValueError, match="1 words in 'called' for 2 values"):
        actions.add("dig {}", range(2), called=(("here",),))


def test_actions_in_small_steps():
    """The parts one after the other, or what a group says instead; cost and warning are the
    group's."""
    actions = Actions()
    ask = actions.add(
        "ask +{} {}",
        (1, 2),
        "ab",
        label="ask {0} for {1}",
        called=(AFTER, ("apples", "bread")),
        cost="1 point",
    )
    use = actions.add(
        "use {}",
        "xyz",
        label="use {0}",
        steps=(("X", "is"), ("X", "is not"), ("Y", "is")),
        warning="Really?",
    )
    names = Names(("Ada", "Bob", "Cyd"))
    assert actions.steps(ask + 3, 1, 3, names) == ["Ada", "bread"]
    assert actions.steps(use + 1, 0, 3) == ["X", "is not"]
    assert [
        (actions.group(action).cost, actions.group(action).warning) for action in (ask, use)
    ] == [("1 point", ""), ("", "Really?")]
    with pytest.raises(ValueError, match="2 ways"):
        actions.add("put {}", "xyz", steps=(("X",), ("Y",)))


def test_names_of_a_while():
    """Texts of positions call the seats by the names that are given around them, and by no others
    afterwards."""
    with named(Names(("Ada", "Bob"))):
        assert seat_name(1) == "Bob"
        with pytest.raises(KeyError), named(NO_NAMES):
            raise KeyError
        assert seat_name(0) == "Ada"
    assert seat_name(0) == "Player 1"
