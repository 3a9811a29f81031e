"""Tools and miners, DG-13 to DG-18: what a card makes, what can be gained, thefts."""

import itertools

import pytest

from dig_envs.games.diggity import components as box
from tests.rules.diggity.positions import Position, arrange, base, deal
from tests.rules.diggity.reference import places

PARTS = {"miner": "CT", "shovel": "TL", "pulley": "CL", "cart": "CCS", "shed": "TSL"}
COLUMN = [0, -14, -28, -42]  # centres of upright cards above each other


def above(new, *column, tools=None, **changes):
    """A position in which seat 0 lays a card on top of a column of cards with four passages; the symbols from the bottom up."""
    mine = [(f"{symbol}-{'NESW' if column[:i].count(symbol) < 2 else 'NES'}", 0, COLUMN[i], 0) for i, symbol in enumerate(column)]
    position = arrange([[f"{new}-NS"], []], mine=mine, tools=tools, **changes)
    position.play(f"card {position['hands.0'].index(f'{new}-NS')}")
    return position.play(f"place {top_passage(position)} S")


def top_passage(position):
    """The number of the open passage to the north of the newest card."""
    state = position.states[0]
    newest = int(state["mine_len"]) - 1
    return next(e for e in range(48) if state["open_card"][e] == newest and state["open_side"][e] == box.SIDES.index("N"))


def lies_at(position, text, x, y):
    """Whether an action lays the chosen card there."""
    laid = places(position.mine, position["chosen"])[text]
    return (laid.x, laid.y) == (x, y)


def made(position: Position) -> list[str]:
    """What the last card makes."""
    return [thing for bit, thing in enumerate(box.THINGS) if position.states[0]["made"] >> bit & 1]


# ---------------------------------------------------------------- parts


@pytest.mark.parametrize(("one", "other"), list(itertools.product("CTSL", repeat=2)))
def test_two_parts(one, other):
    """DG-14: shovel, pulley, and with two cards in play no miner (DG-16)."""
    expected = [thing for thing in ("shovel", "pulley") if sorted(PARTS[thing]) == sorted(one + other)]
    assert made(above(one, other)) == expected


@pytest.mark.parametrize("symbols", list(itertools.product("CTSL", repeat=3)), ids="".join)
def test_three_parts_in_a_column(symbols):
    """DG-14: which lies in the middle does not matter; what the two older cards make alone is not made again."""
    new, middle, bottom = symbols
    expected = [
        thing
        for thing, parts in PARTS.items()
        if thing != "miner" and sorted(parts) in (sorted(new + middle), sorted(new + middle + bottom))
    ]
    assert made(above(new, bottom, middle)) == expected


def test_no_other_card_between():
    """DG-14: triangle, circle, square and line in a row: no shed."""
    assert made(above("L", "T", "C", "S")) == []


@pytest.mark.parametrize(
    ("new", "left", "right", "filler", "thing"),
    [
        ("S", "C", "C", "L", "cart"),
        ("C", "C", "S", "L", "cart"),
        ("L", "T", "S", "C", "shed"),
        ("S", "L", "T", "C", "shed"),
        ("T", "S", "L", "C", "shed"),
    ],
)
def test_the_new_card_in_the_middle(new, left, right, filler, thing):
    """DG-14: it is connected to both others, left and right of it, which are not connected to each other."""
    row = [(f"{filler}-NESW", 0, 0, 0), (f"{filler}-ESW", 10, 0, 0), (f"{filler}-NESW", 20, 0, 0)]
    position = arrange([[f"{new}-EW"], []], mine=[*row, (f"{left}-ESW", 0, -14, 0), (f"{right}-ESW", 20, -14, 0)])
    position.play(f"card {position['hands.0'].index(f'{new}-EW')}")
    texts = [text for text in sorted(position.legal) if lies_at(position, text, 10, -14)]
    assert len(texts) == 4  # by either passage to either card
    for text in texts:
        assert thing in made(position.copy().play(text))


def test_touching_cards_are_no_parts():
    """DG-7, DG-14: a line beside a triangle, without a passage between them, makes neither shovel nor shed."""
    position = arrange([["L-NS"], []], mine=[("T-NS", 0, 0, 0), ("S-ESW", 0, -14, 0), ("S-NESW", 10, -14, 0)])
    position.play(f"card {position['hands.0'].index('L-NS')}")
    (text,) = [text for text in position.legal if lies_at(position, text, 10, 0) and text.endswith("N")]
    assert made(position.play(text)) == []


def test_cards_are_used_again():
    """DG-15: each new line on the same triangle makes another shovel."""
    position = arrange([["L-NS", "L-EW"], ["L-NES"]], mine=[("T-NESW", 0, 0, 0)])
    assert made(position.play(f"card {position['hands.0'].index('L-NS')}", "place 0 N")) == ["shovel"]
    position.play(f"card {position['hands.1'].index('L-NES')}", "place 0 E")
    assert made(position) == ["shovel"]
    assert position["tools"] == [["shovel"], ["shovel"]]


# ---------------------------------------------------------------- the miner


@pytest.mark.parametrize(("cards", "there"), [(1, False), (2, False), (3, True), (4, True)])
def test_a_miner_needs_three_cards(cards, there):
    """DG-16: when the turn began."""
    column = ["S", "S", "S", "T"][-cards:]
    assert (above("C", *column)["scores"] != [0, 0]) == there


def test_a_lone_miner_must_be_made():
    """DG-17: nobody is asked."""
    position = above("T", "S", "S", "S", "C")
    assert position["scores"][0] > 0
    assert (position["phase"], position["player"], position["mine"]) == ("play", 0, [])


def test_a_tool_that_cannot_be_gained_is_no_reason():
    """DG-17: all pulleys are in the own hands, so that the miner is made without asking."""
    tools = [["pulley", "pulley"], []]
    position = above("C", "S", "S", "L", "T", tools=tools)  # a circle on a triangle only: a miner
    assert position["scores"][0] > 0
    mine = [("S-NESW", 0, 0, 0), ("S-NESW", 0, -14, 0), ("T-ESW", 0, -28, 0), ("L-ESW", 10, 0, 0), ("L-NESW", 10, -14, 0)]
    for held, phase in ((tools, "play"), ([["pulley"], []], "take")):
        position = arrange([["C-NESW"], []], mine=mine, tools=held)
        position.play(f"card {position['hands.0'].index('C-NESW')}")
        text = next(t for t in sorted(position.legal) if lies_at(position, t, 10, -28))
        assert position.play(text)["phase"] == phase


# ---------------------------------------------------------------- gaining tools


def test_a_lone_tool_is_taken():
    """DG-17, DG-18: without asking, from the pile."""
    position = above("L", "S", "T")
    assert position["phase"] == "take"  # shovel and shed
    position = above("L", "C")
    assert position["tools"] == [["pulley"], []]
    assert position["piles"] == {"shovel": 2, "pulley": 1, "cart": 2, "shed": 2}


def test_exactly_one_is_taken():
    """DG-17: the other thing made is lost."""
    position = above("L", "S", "T").play("take shed")
    assert position["tools"] == [["shed"], []]
    assert (position["phase"], position["player"], position["choices"]) == ("play", 1, [])


def test_miner_or_tool_is_a_choice():  # DG-17
    position = base("ring").play("card 0", "place 0 W")
    assert position.legal == {"take miner", "take pulley"}
    assert position.copy().play("take pulley")["scores"] == [0, 0]
    assert position.copy().play("take miner")["tools"] == [["shed"], []]


def test_a_tool_that_nobody_has_and_no_pile():
    """DG-17: it gives nothing; the turn is over."""
    position = above("L", "C", tools=[["pulley", "pulley"], []])
    assert (position["phase"], position["player"]) == ("play", 1)
    assert position["tools"] == [["pulley", "pulley"], []]


def test_a_lone_tool_must_be_stolen():
    """DG-18: the pile is empty and one other player has it: nobody is asked."""
    position = above("L", "C", tools=[["pulley"], ["pulley"]])
    assert position["tools"] == [["pulley", "pulley"], []]


@pytest.mark.parametrize(("k", "after"), [(1, [["pulley"], [], ["pulley", "pulley"]]), (2, [["pulley"], ["pulley"], ["pulley"]])])
def test_whom_to_steal_from(k, after):
    """DG-18: one of those who have it; +k counts clockwise."""
    mine = [("C-NESW", 0, 0, 0)]
    position = arrange([["L-NS"], [], []], mine=mine, tools=[[], ["pulley"], ["pulley", "pulley"]])
    position.play(f"card {position['hands.0'].index('L-NS')}", "place 0 N")
    assert (position["phase"], position["to_move"]) == ("steal", 0)
    assert position["steal"] == {"kind": "pulley", "from": [1, 2]}
    assert position.legal == {"steal +1", "steal +2"}
    position.play(f"steal +{k}")
    assert (position["tools"], position["steal"], position["player"]) == (after, None, 1)


def test_nobody_steals_from_oneself():
    """DG-17: the own tool is no reason to be asked."""
    mine = [("C-NESW", 0, 0, 0)]
    position = arrange([["L-NS"], [], []], mine=mine, tools=[["pulley", "pulley"], [], ["pulley"]])
    position.play(f"card {position['hands.0'].index('L-NS')}", "place 0 N")
    assert position["tools"] == [["pulley"] * 3, [], []]


def test_no_theft_while_there_is_a_pile():  # DG-18
    mine = [("C-NESW", 0, 0, 0)]
    position = arrange([["L-NS"], [], []], mine=mine, tools=[[], ["pulley"], ["pulley"]])
    position.play(f"card {position['hands.0'].index('L-NS')}", "place 0 N")
    assert position["tools"] == [["pulley"], ["pulley"], ["pulley"]]
    assert position["piles"]["pulley"] == 0


def test_the_first_card_makes_nothing():  # DG-10, DG-13
    assert made(deal(2).play("card 0")) == []
