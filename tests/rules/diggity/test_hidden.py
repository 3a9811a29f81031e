"""What a seat may know: views, re-deals (the rules' section "Determinize"), and hidden tools, DG-32 and DG-33."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.diggity.positions import Position, arrange, base, whole_game
from tests.rules.diggity.reference import places
from tests.rules.diggity.test_end import STUCK
from tests.rules.diggity.test_gold import auction

SEEDS = 2 if JIT_DISABLED else 9
HIDDEN = {"pile", "gold", "gold_aside", "hands", "tools"}


def some_positions(**options):
    """Positions of random games, of all numbers of players, with open and with hidden tools."""
    for seed in range(SEEDS):
        yield from whole_game(seed, 19, num_players=2 + seed % 3, hidden_tools=seed % 2 == 1, **options)


# ---------------------------------------------------------------- the view


def test_view_of_every_seat():
    for position in some_positions():
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            view = position.view(seat)
            for key in ("pile", "gold", "gold_aside"):
                assert view[key] == len(snapshot[key])
            assert view["hands"] == [hand if p == seat else len(hand) for p, hand in enumerate(snapshot["hands"])]
            assert view["tools"] == [seen_tools(snapshot, seat, p) for p in range(len(snapshot["scores"]))]
            assert set(view) == set(snapshot) - {"rng"}
            assert all(view[key] == snapshot[key] for key in set(view) - HIDDEN)


def seen_tools(snapshot, seat, p):
    """DG-32, DG-33: the own ones and all when they are not hidden; else first those that lie open, then null."""
    held = snapshot["tools"][p]
    if p == seat or not snapshot["options"]["hidden_tools"] or snapshot["phase"] == "over":
        return held
    seen = [kind for kind in held if snapshot["revealed"] and snapshot["revealed"]["kind"] == kind]
    return seen + [None] * (len(held) - len(seen))


def test_a_hidden_card_changes_nothing_for_others():
    """Two positions that differ in a card of seat 1 and one of the pile look the same to seat 0."""
    one, other = base("start"), base("start", {"hands.1.2": "T-NE", "pile.21": "T-N"})
    other.states["rng"] = one.states["rng"]
    for text in ("card 2",):
        assert one.known_to(0) == other.known_to(0)
        one.play(text)
        other.play(text)
    assert one.known_to(0) == other.known_to(0)
    assert one.known_to(1) != other.known_to(1)


def test_a_hidden_tool_changes_nothing_for_others():
    """DG-32: a cart or a shed of seat 1: the same view, observation and mask for the others, in an auction, too."""
    one = auction(["shovel"], ["cart", "pulley"], ["shovel"], options__hidden_tools=True, rng="1")
    other = auction(["shovel"], ["pulley", "shed"], ["shovel"], options__hidden_tools=True, rng="1")
    for text in ("play shovel", "stop", "stop"):
        for seat in (0, 2):
            same = [position.view(seat) for position in (one, other)]
            for view in same:
                view.pop("piles")  # they lie open: how many of a kind are out can be counted
            assert same[0] == same[1]
            assert one.mask(seat).tobytes() == other.mask(seat).tobytes()
        assert one.mover == other.mover
        one.play(text)
        other.play(text)


# ---------------------------------------------------------------- determinize


def test_gold_is_mixed_over_deck_and_aside():
    """1: also the cards set aside."""
    position = base("jill")
    tops = Counter(position.redeal(1, seed)["gold"][-1] for seed in range(60 if JIT_DISABLED else 600))
    assert set(tops) == {1, 2, 3, 4, 5, 6}
    if not JIT_DISABLED:
        unseen = Counter(position["gold"] + position["gold_aside"])
        for value, count in unseen.items():
            assert abs(tops[value] / 600 - count / 14) < 0.08


def test_hands_are_uniform():
    """2: each unseen card is as often in the other's hand as any other."""
    position, deals = base("start"), 100 if JIT_DISABLED else 1000
    seen = Counter(card for seed in range(deals) for card in position.redeal(0, seed)["hands.1"])
    unseen = Counter(position["pile"] + position["hands.1"])
    assert set(seen) <= set(unseen)
    for card, count in unseen.items():
        share = 5 * count / 59
        assert abs(seen[card] / deals - share) < 6 * (share / deals) ** 0.5, card


def test_who_has_just_passed_has_nothing_that_can_be_laid():
    """2: as long as the mine is as it was; the order of what is left to the pile is free."""
    position = base("ring", STUCK).play("pass")
    for seed in range(20):
        hand = position.redeal(0, seed)["hands.1"]
        assert not any(places(position.mine, card) for card in hand)
    hands = {tuple(position.redeal(0, seed)["hands.1"]) for seed in range(20)}
    assert len(hands) > 5
    card = position.play(sorted(position.legal)[0])  # a card is chosen: the mine is still the same
    assert not any(places(card.mine, held) for held in card.redeal(0, 1)["hands.1"])


def test_a_pass_is_forgotten_when_a_card_is_laid():
    """2, house rule 14."""
    position = base("ring", STUCK).play("pass", "card 0")
    position.play(next(text for text in sorted(position.legal) if position.copy().play(text)["phase"] == "play"))
    position = position if position["mine"] else base("ring", STUCK)
    hands = [position.redeal(0, seed)["hands.1"] for seed in range(30)]
    assert any(places(position.mine, card) for hand in hands for card in hand)


def test_too_few_cards_that_cannot_be_laid():
    """2: in a contrived position the rest of the hand comes from the others."""
    position = base("parts", {"passes": 1})
    twin = position.redeal(0, 3)
    assert len(twin["hands.1"]) == 5
    assert twin.known_to(0) == position.known_to(0)


def test_the_one_who_passed_sees_the_own_hand():
    """2: the condition is for the others."""
    position = base("ring", STUCK).play("pass")
    assert position.redeal(1, 5)["hands.1"] == position["hands.1"]


def test_hidden_tools_are_mixed_over_their_places():
    """3: of the others, those that do not lie open; every kind gets everywhere."""
    tools = [["shed"], ["shovel", "pulley"], ["shovel", "cart", "shed"]]
    revealed = {"kind": "shovel", "thief": 1}
    position = arrange([[], [], []], tools=tools, options__hidden_tools=True, revealed=revealed)
    seen = Counter()
    for seed in range(60):
        dealt = position.redeal(0, seed)["tools"]
        assert dealt[0] == ["shed"]
        assert [held.count("shovel") for held in dealt] == [0, 1, 1]
        assert sorted(dealt[1] + dealt[2]) == sorted(tools[1] + tools[2])
        seen[dealt[1][1] if dealt[1][0] == "shovel" else dealt[1][0]] += 1
    assert set(seen) == {"pulley", "cart", "shed"}
    assert min(seen.values()) > 8


def test_open_tools_stay():
    """3: only with the option."""
    position = arrange([[], [], []], tools=[["shed"], ["shovel", "pulley"], ["cart"]])
    assert all(position.redeal(0, seed)["tools"] == position["tools"] for seed in range(5))


# ---------------------------------------------------------------- hidden tools


def hidden_auction(*tools, **changes) -> Position:
    return auction(*tools, options__hidden_tools=True, **changes)


def test_who_has_any_tool_is_asked():
    """DG-32: also with nothing to play, and then may only stop; who has none at all is skipped."""
    position = hidden_auction(["cart"], [], ["shed"], ["shovel"])
    assert position.mover == 0
    assert position.legal == {"stop"}
    assert position.play("stop").mover == 2
    assert position.legal == {"stop"}
    assert position.play("stop").legal == {"stop", "play shovel"}


def test_who_has_just_played_is_asked_again():
    """DG-32: if any tool is left."""
    position = hidden_auction(["shovel", "shed"], ["cart"]).play("play shovel")
    assert position.mover == 0
    assert position.legal == {"stop"}
    position = hidden_auction(["shovel"], ["cart"]).play("play shovel")
    assert position.mover == 1


def test_the_others_see_how_many():  # DG-32
    position = hidden_auction(["shovel", "shed"], ["cart"])
    assert position.view(1)["tools"] == [[None, None], ["cart"]]
    assert position.view(0)["tools"] == [["shovel", "shed"], [None]]


def theft(tools, others=None, **changes) -> Position:
    """Seat 0 makes a pulley; nobody is asked what to take."""
    hands = [["L-NS"], *(others or [[] for _ in tools[1:]])]
    position = arrange(hands, mine=[("C-NESW", 0, 0, 0)], tools=tools, options__hidden_tools=True, **changes)
    return position.play(f"card {position['hands.0'].index('L-NS')}", "place 0 N")


def test_a_theft_opens_the_kind():
    """DG-33: all tools of it, before the thief chooses."""
    position = theft([[], ["shovel", "pulley"], ["pulley", "pulley"]])
    assert position["phase"] == "steal"
    assert position["revealed"] == {"kind": "pulley", "thief": 0}
    assert position.view(0)["tools"] == [[], ["pulley", None], ["pulley", "pulley"]]
    assert position.view(2)["tools"][1] == ["pulley", None]


def test_a_tool_from_the_pile_opens_nothing():  # DG-33
    position = theft([[], ["pulley"]])
    assert position["tools"][0] == ["pulley"]
    assert position["revealed"] is None


def test_they_stay_open_until_the_thiefs_next_turn():
    """DG-33: also those that anybody gets or loses meanwhile."""
    squares = [["S-NESW", "S-NESW", "S-NES", "S-NES"], ["S-NES", "S-ESW", "S-ESW", "S-ESW"]]
    position = theft([[], ["pulley"], ["pulley", "pulley"]], others=squares).play("steal +2")
    assert position["revealed"] == {"kind": "pulley", "thief": 0}
    for seat in (1, 2):  # they have a square, which makes no tool here
        hand = position["hands"][seat]
        assert position["player"] == seat
        position.play(f"card {next(h for h, card in enumerate(hand) if card[0] == 'S')}")
        position.play(sorted(position.legal)[0])
        assert position["revealed"] == (None if seat == 2 else {"kind": "pulley", "thief": 0})
    assert position["player"] == 0


def test_what_cannot_be_gained_may_be_chosen():
    """DG-33: and opens the kind; nothing is gained."""
    position = theft([["pulley", "pulley"], ["cart"]])
    assert (position["tools"], position["player"]) == ([["pulley", "pulley"], ["cart"]], 1)
    assert position["revealed"] == {"kind": "pulley", "thief": 0}
    assert position.view(1)["tools"][0] == ["pulley", "pulley"]


def test_another_theft_opens_another_kind():
    """DG-33: the first ones are hidden again."""
    position = theft([[], ["pulley"], ["pulley", "pulley"]], revealed={"kind": "shed", "thief": 2})
    assert position["revealed"] == {"kind": "pulley", "thief": 0}


def test_at_the_end_all_tools_are_seen():
    """DG-32: until the game is over."""
    gold = {"gold": [3], "options__gold_cards": 1, "gold_aside": [1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6]}
    position = arrange([["C-NS"], []], mine=[("S-NESW", 0, 0, 0), ("S-NESW", 0, -14, 0), ("T-NESW", 0, -28, 0)],
                       tools=[["cart"], []], options__hidden_tools=True, **gold)  # fmt: skip
    position.play(f"card {position['hands.0'].index('C-NS')}")
    assert position.view(1)["tools"] == [[None], []]
    position.play(sorted(text for text in position.legal if position.copy().play(text)["phase"] == "auction")[0], "stop")
    assert position["phase"] == "over"
    assert position.view(1)["tools"] == [["cart"], []]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_whether_someone_is_asked_never_depends_on_what_is_hidden(players):
    """DG-32, DG-33: with the hidden tools re-dealt, the same actions bring the same seat to move, as far as they are legal."""
    for seed in range(1 if JIT_DISABLED else 4):
        for position in whole_game(seed, 7, num_players=players, hidden_tools=True):
            if position["phase"] != "auction":
                continue
            observer = (position.mover + 1) % players
            twin = position.redeal(observer, 5)
            for text in sorted(position.legal & twin.legal):
                one, other = position.copy().play(text), twin.copy().play(text)
                if one["phase"] == "auction":
                    assert (one.mover, one["phase"]) == (other.mover, other["phase"])
