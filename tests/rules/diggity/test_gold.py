"""Gold and the auction, DG-19 to DG-23: who owes a decision when."""

from tests.rules.diggity.positions import TOOLS, Position, arrange

ROW = [("S-NESW", 0, 0, 0), ("S-NESW", 0, -14, 0), ("T-NESW", 0, -28, 0)]


def auction(*tools, value=3, **changes) -> Position:
    """Seat 0 has just made a miner, and nobody has played yet; or all is over at once."""
    n = len(tools)
    gold = [1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6]
    gold = [*gold, 3] if value == 3 else [*(v for v in gold if v != value), *[v for v in gold if v == value][1:], 3, value]
    position = arrange(
        [["C-NS"], *([] for _ in range(n - 1))], mine=ROW, tools=[list(held) for held in tools], gold=gold, **changes
    )
    position.play(f"card {position['hands.0'].index('C-NS')}")
    state = position.states[0]
    e = next(e for e in range(48) if state["open_card"][e] == 2 and state["open_side"][e] == 0)
    return position.play(f"place {e} S")


def test_the_top_card_is_turned_up():
    """DG-19: the maker is the leader, at rank 0."""
    position = auction(["shovel"], [], value=6)
    assert position["auction"] == {"value": 6, "rank": 0, "leader": 0}
    assert (position["phase"], position["to_move"], len(position["gold"])) == ("auction", 0, 15)


def test_only_the_next_rank():
    """DG-20: no rank is skipped."""
    position = auction(["shovel", "cart", "shed"], ["pulley"])
    assert position.legal == {"play shovel", "stop"}
    position.play("play shovel")
    assert position.mover == 1
    assert position.legal == {"play pulley", "stop"}
    position.play("play pulley")
    assert position.mover == 0
    assert position.legal == {"play cart", "stop"}


def test_several_in_a_row():
    """DG-20, DG-21: up to the shed, with which it ends at once."""
    position = auction(["shovel", "pulley", "cart", "shed"], ["shovel", "pulley", "cart", "shed"])
    for tool in TOOLS:
        assert position.mover == 0
        assert position.legal == {f"play {tool}", "stop"}
        position.play(f"play {tool}")
    assert (position["scores"], position["player"]) == ([3, 0], 0)
    assert position["tools"] == [[], ["shovel", "pulley", "cart", "shed"]]
    assert position["piles"] == dict.fromkeys(TOOLS, 1)


def test_a_tool_goes_back_at_once():  # DG-20
    position = auction(["shovel", "shovel"], ["pulley"]).play("play shovel")
    assert (position["tools"], position["piles"]["shovel"]) == ([["shovel"], ["pulley"]], 1)


def test_one_of_each_kind():
    """DG-20: the second shovel cannot be played on the same gold."""
    position = auction(["shovel", "shovel"], ["shovel", "pulley"], []).play("play shovel")
    assert position.legal == {"play pulley", "stop"}


def test_the_chance_goes_clockwise_over_those_who_can():
    """DG-20: seat 1 has no shovel and is skipped."""
    position = auction(["shovel"], ["pulley"], ["shovel"], ["shovel"])
    assert position.mover == 0
    assert position.play("stop").mover == 2
    assert position.play("stop").mover == 3
    assert position.play("stop")["scores"] == [3, 0, 0, 0]


def test_who_has_stopped_gets_another_chance():
    """DG-21: after another tool."""
    position = auction(["shovel"], ["shovel", "pulley"], ["pulley"])
    position.play("stop")  # seat 0 would not begin
    assert position.mover == 1
    position.play("play shovel")
    assert position.mover == 1  # several in a row
    position.play("stop")
    assert position.mover == 2
    position.play("play pulley")
    assert position["scores"] == [0, 0, 3]  # nobody has a cart


def test_the_maker_may_answer():
    """DG-20: the chance comes back to the maker, who is not the leader any more."""
    position = auction(["pulley"], ["shovel"])
    assert position.mover == 1
    position.play("play shovel")
    assert position.mover == 0
    assert position.play("play pulley")["scores"] == [3, 0]


def test_it_ends_when_the_chance_would_come_to_the_leader():
    """DG-21: the leader is not asked again, even with the next tool in hand."""
    position = auction(["shovel", "pulley"], ["pulley"]).play("play shovel", "stop")
    assert position.mover == 1
    position.play("stop")
    assert (position["scores"], position["tools"]) == ([3, 0], [["pulley"], ["pulley"]])


def test_unplayed_tools_are_kept():  # DG-22
    position = auction(["shovel", "shed"], ["cart"]).play("play shovel")
    assert position["tools"] == [["shed"], ["cart"]]


def test_after_gold():
    """DG-23: the maker fills up the hand, the mine is discarded, the winner begins a new one, and turns go on from there."""
    position = auction([], [], ["shovel"], [])
    assert position.mover == 2
    position.play("play shovel")
    assert (position["player"], position["to_move"], position["phase"]) == (2, 2, "play")
    assert (position["nuggets"], position["mine"], len(position["discard"])) == ([[], [], [3], []], [], 4)
    assert [len(hand) for hand in position["hands"]] == [3] * 4
    position.play("card 0")
    assert (position["player"], position["turn"]) == (3, 3)


def test_the_winner_may_be_the_one_whose_turn_it_was():
    """DG-23: two turns in a row."""
    position = auction(["cart"], [])
    assert (position["player"], position["turn"]) == (0, 2)
