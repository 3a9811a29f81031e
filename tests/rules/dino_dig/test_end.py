"""The end: DD-21 to DD-31."""

import itertools

import numpy as np
import pytest

from tests.rules.dino_dig import reference
from tests.rules.dino_dig.positions import GAME, Position, base, card, changed, deal


def ended(museums, suits=("H", "D"), packs=((), ()), contract="standard", **changes):
    """The end of a game with these museums: seat 0, whose third piece is on the base square, goes home."""
    snapshot = changed("final", {"options.contract": contract, **changes})
    n = len(museums)
    snapshot["museums"] = [[card(code, p) for code in museum] for p, museum in enumerate(museums)]
    snapshot["backpacks"] = [[card(pack[k], p) if k < len(pack) else None for k in range(3)] for p, pack in enumerate(packs)]
    snapshot["suits"] = list(suits)
    if n > 2:
        snapshot["options"]["num_players"] = n
        snapshot.update(scores=[0] * n, turn=40 + (1 - 40) % n, player=0)
        snapshot.update(turn=n * 5 + 1, bases=["1,1", "1,5", "4,1", "4,5"][:n])
        snapshot["pieces"] = [["1,1", "home", "home"], *([["2,2", "home", "home"]] * (n - 1))]
    used = [code for museum in museums for code in museum] + [code for pack in packs for code in pack]
    snapshot["site"] = {text: [] for text in snapshot["site"]}
    snapshot["site"]["2,2"] = [{"card": code, "up": False, "known": []} for code in reference.DECK if code not in used]
    return Position(snapshot).play("P1 move home")


def cards_of(position, seat):
    """The cards of a seat's skeleton."""
    return position["runs"][seat]["cards"]


# ---------------------------------------------------------------- DD-21


def test_dd_21_not_with_a_piece_outside():
    position = base("final", {"pieces.0": ["1,3", "1,3", "home"]}).play("P1 move home")
    assert position["phase"] == "act"


def test_dd_21_cards_of_the_others_do_not_count():
    """Seat 1 has all at home and two cards only; seat 0's five do not help it."""
    position = base("final", {"pieces.1": ["4,3", "home", "home"], "turn": 42, "player": 1, "to_move": 1}).play("P1 move home")
    assert position["phase"] == "act"


def test_dd_21_a_card_brought_home_by_express_ends_it_only_when_all_are_there():
    """The fifth card while a piece is on the base square does not end it; then the move does."""
    museum = [card(code, 0) for code in ("9H", "JH", "8S", "TH")]
    position = base("final", {"museums.0": museum, "backpacks.0.0": card("X1", 0)}).play("P1 unload", "home")
    assert position["phase"] == "act"
    position.play("end turn", "end turn", "P1 move home")
    assert position["phase"] == "over"


def test_dd_21_in_the_last_turn_it_is_no_truncation():
    position = base("final", {"options.max_turns": 41}).play("P1 move home")
    assert (position["phase"], position["truncated"]) == ("over", False)


# ---------------------------------------------------------------- DD-22, DD-23


SPADES = ["2S", "4S", "6S", "8S", "TS"]
FIVE = ["9H", "JH", "2S", "4S", "6S"]
ALL_HEARTS = {"suits": ("H",) * 3, "contract": "freelance"}
FREE = {"suits": (None, None), "contract": "free_for_all"}


@pytest.mark.parametrize(
    ("museums", "packs", "contracts", "after"),
    [
        ([FIVE, ["2D"]], ((), ("KH", "5S")), {}, [FIVE, ["2D"]]),  # not one apart, and not of another suit
        ([FIVE, ["2D"]], ((), ("X1",)), {}, [FIVE, ["2D"]]),  # jokers stay
        ([FIVE, ["2D"]], (("TH",), ()), {}, [FIVE, ["2D"]]),  # not to the own museum
        # the king goes after the queen, which lies behind it in the order of pieces
        ([["JH", *SPADES], []], ((), ("KH", "QH")), {}, [["JH", *SPADES, "QH", "KH"], []]),
        # of several to the longest sequence, then to the first clockwise from the owner
        ([SPADES, ["7H"], ["4H", "5H"]], (("6H",), (), ()), ALL_HEARTS, [SPADES, ["7H"], ["4H", "5H", "6H"]]),
        ([SPADES, ["7H"], ["5H"]], (("6H",), (), ()), ALL_HEARTS, [SPADES, ["7H", "6H"], ["5H"]]),
        ([["5H", *SPADES], [], ["7H"]], ((), ("6H",), ()), ALL_HEARTS, [["5H", *SPADES], [], ["7H", "6H"]]),
        ([["5H", *SPADES], ["7H"], []], ((), (), ("6H",)), ALL_HEARTS, [["5H", *SPADES, "6H"], ["7H"], []]),
        ([FIVE, ["3C"]], (("4C",), ("TH",)), FREE, [[*FIVE, "TH"], ["3C", "4C"]]),  # any suit, without contracts
    ],
)
def test_dd_22_cards_that_go_to_anothers_museum(museums, packs, contracts, after):
    position = ended(museums, packs=packs, **contracts)
    assert [[entry["card"] for entry in museum] for museum in position["museums"]] == after


def test_dd_23_museums_and_backpacks_are_turned_up_the_site_is_not():
    position = base("final").play("P1 move home")
    everything = [*position["museums"], *position["backpacks"]]
    assert all(entry["known"] == [0, 1] for some in everything for entry in some if entry)
    assert any(entry["known"] == [] for stack in position["site"].values() for entry in stack)
    assert any(entry["card"] is None for stack in position.view(0)["site"].values() for entry in stack)


# ---------------------------------------------------------------- DD-24 to DD-29


@pytest.mark.parametrize(
    ("museum", "cards", "high"),
    [
        (["2H", "3H", "4H", "9H", "JH"], ["2H", "3H", "4H"], 4),
        (["2H", "5H", "7H", "9H", "JH"], ["JH"], 11),  # a single card is a run; the highest
        (["AH", "2H", "3H", "9H", "JH"], ["2H", "3H"], 3),  # the ace is not below the 2 …
        (["KH", "AH", "3H", "9H", "JH"], ["KH", "AH"], 14),  # … but above the king
        (["4H", "5H", "TH", "JH", "8H"], ["TH", "JH"], 11),  # of two of the same length the higher one
    ],
)
def test_dd_24_dd_27_runs(museum, cards, high):
    position = ended([museum, ["7C"]])
    assert position["runs"][0] == {"cards": cards, "high": high}
    assert position["scores"][0] == len(cards)


@pytest.mark.parametrize(
    ("mine", "theirs", "cards"),
    [
        ("9H TS JH 2H 4H", "8D 9D", "9H TS JH"),
        ("9H TS JH 2H 4H", "9S 9D", "JH"),  # the 9 of spades bars it
        ("9H TS JH 2H 4H", "JS 9D", "JH"),
        ("9H TS JH 2H 4H", "8S QS", "9H TS JH"),  # these are not beside it
        ("9H TH JH 2H 4H", "8H QH", "9H TH JH"),  # of the own suit anything goes
        ("9H TD JH 2H 4H", "2D 3D", "9H TD JH"),  # of the other's suit, too …
        ("9H TD JH 2H 4H", "2D 9D", "JH"),  # … as long as the other has none beside it
    ],
)
def test_dd_25_own_suit_always_other_suits_if_nobody_has_one_beside(mine, theirs, cards):
    assert cards_of(ended([mine.split(), theirs.split()]), 0) == cards.split()


def test_dd_25_backpacks_of_others_bar_too_own_ones_do_not():
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["7D"]], packs=((), ("9S",))), 0) == ["JH"]
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["7D"]], packs=(("9S",), ())), 0) == ["9H", "TS", "JH"]


@pytest.mark.parametrize(
    ("mine", "theirs", "cards"),
    [
        ("9H X2 JH 2H 4H", "TH", "9H X2 JH"),  # as a ten of another suit
        ("9H X2 JH 2H 4H", "TH 9D JS TC", "2H X2 4H"),  # each suit has one beside the ten
        ("9H X2 QH X1 4H", "2D", "9H X1 X2 QH"),
        ("X1 X2 2D 2S 2C", "3D 3S 3C", "X1 X2"),  # jokers alone
    ],
)
def test_dd_26_a_joker_for_any_value_and_suit(mine, theirs, cards):
    assert cards_of(ended([mine.split(), theirs.split()]), 0) == cards.split()


def test_dd_27_none_at_all():
    position = ended([["2S", "4S", "6S", "8S", "TS"], ["3S", "5S", "7S", "9S", "JS"]])
    assert position["runs"] == [{"cards": [], "high": 0}] * 2
    assert (position["scores"], position["winners"]) == ([0, 0], [0, 1])


@pytest.mark.parametrize(
    ("mine", "theirs", "cards"),
    [
        ("9S TS JH 2H 4H", "8S JS", "9S TS"),
        ("9S TH JS 2H 4H", "7C", "JS"),
        ("9S X1 JS 2H 4H", "TS", "2H X1 4H"),  # a joker stands for a card that nobody else has
        ("9S X1 JS 2H 5H", "TH", "9S X1 JS"),
    ],
)
def test_dd_28_one_suit_any_and_nothing_bars_its_cards(mine, theirs, cards):
    assert cards_of(ended([mine.split(), theirs.split()], **FREE), 0) == cards.split()


def best_by_trying(museum, theirs, suit, free):
    """Length and high of the best run by trying all: every suit, range of values, card or joker for each value."""
    best = (0, 0)
    for own, low, high in itertools.product([suit] if not free else "HDSC", range(2, 15), range(2, 15)):
        if low > high:
            continue
        jokers = sum(code in museum for code in ("X1", "X2"))
        for value in range(low, high + 1):
            cards = [f"{reference.RANKS[value - 2]}{s}" for s in ("HDSC" if not free else own)]
            beside = {c: [f"{reference.RANKS[v - 2]}{c[1]}" for v in (value - 1, value + 1) if 2 <= v <= 14] for c in cards}
            usable = any(c in museum and (c[1] == own or not set(beside[c]) & theirs) for c in cards)
            joker = any(c not in theirs and (free or not set(beside[c]) & theirs) for c in cards)
            if not usable:
                jokers = jokers - 1 if joker else -1
            if jokers < 0:
                break
        else:
            best = max(best, (high - low + 1, high))
    return best


@pytest.mark.parametrize("contract", ["standard", "free_for_all"])
def test_dd_29_it_finds_the_best(contract):
    """Length and high, against trying everything."""
    chance = np.random.default_rng(3)
    free = contract == "free_for_all"
    for _ in range(60):
        deck = [str(code) for code in chance.permutation(reference.DECK)]
        mine, size = int(chance.integers(5, 24)), int(chance.integers(0, 16))
        museums = [deck[:mine], deck[mine : mine + size]]
        position = ended(museums, (None, None) if free else ("H", "D"), contract=contract)
        for seat, suit in ((0, "H"), (1, "D")):
            expected = best_by_trying(set(museums[seat]), set(museums[1 - seat]), suit, free)
            assert (position["scores"][seat], position["runs"][seat]["high"]) == expected


# ---------------------------------------------------------------- DD-30, DD-31


def test_dd_30_the_longest_then_the_highest():
    assert ended([["2H", "3H", "6H", "8H", "TH"], ["7D", "9D"]])["winners"] == [0]
    assert ended([["2H", "3H", "6H", "8H", "TH"], ["7D", "8D"]])["winners"] == [1]
    assert ended([["2H", "3H", "6H", "8H", "TH"], ["2D", "3D"]])["winners"] == [0, 1]


def test_dd_31_dd_22_too():
    changes = {"options.max_turns": 41, "backpacks.1.0.card": "QH", "site.2,1.0.card": "KH"}
    position = base("final", changes).play("end turn")
    assert position["museums"][0][-1]["card"] == "QH"
    assert position["scores"][0] == 6


def test_dd_31_a_turn_that_ends_by_itself():
    position = base("final", {"options.max_turns": 41}).play("P2 move out", "P3 move out", "P1 move W")
    assert (position["phase"], position["truncated"]) == ("over", True)


def test_the_longest_game_is_within_the_bound():
    """No turn can have more actions than `MAX_ACTIONS` counts on."""
    most = 0
    for seed in range(3):
        position, chance, count, turn = deal(seed, max_turns=60), np.random.default_rng(seed), 0, 0
        while position.mover >= 0:
            if position["turn"] != turn:
                count, turn = 0, position["turn"]
            legal = sorted(position.legal)
            passing = [text for text in legal if text.startswith(("pass", "stow")) or "dig" in text]
            position.play(str(chance.choice(passing if passing and chance.random() < 0.8 else legal)))
            count += 1
            most = max(most, count)
    assert 4 < most <= 22
    assert GAME.max_actions >= 22 * 1000
