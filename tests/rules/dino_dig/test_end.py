"""The end: DD-21 to DD-31."""

import itertools

import numpy as np
import pytest

from dig_envs.batch import BatchEnv
from tests.rules.dino_dig import reference
from tests.rules.dino_dig.positions import GAME, Position, base, card, changed, deal, random_step


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


def test_dd_21_all_pieces_at_home_and_five_cards():
    position = base("final").play("P1 move home")
    assert (position["phase"], position.mover, position["player"], position["turn"]) == ("over", -1, 0, 41)
    assert position["acted"] == [False] * 3


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


def test_dd_22_a_card_of_the_others_suit_beside_one_of_its_museum():
    position = ended([["9H", "JH", "2S", "4S", "6S"], ["2D", "3D"]], packs=((), ("TH",)))
    assert [entry["card"] for entry in position["museums"][0]] == ["9H", "JH", "2S", "4S", "6S", "TH"]
    assert cards_of(position, 0) == ["9H", "TH", "JH"]
    assert position["backpacks"][1][0] is None


def test_dd_22_not_one_apart_and_not_of_another_suit():
    position = ended([["9H", "JH", "2S", "4S", "6S"], ["2D", "3D"]], packs=((), ("KH", "5S")))
    assert [entry["card"] for entry in position["backpacks"][1][:2]] == ["KH", "5S"]


def test_dd_22_one_makes_room_for_the_next():
    """The king goes after the queen, which lies behind it in the order of pieces."""
    position = ended([["JH", "2S", "4S", "6S", "8S"], ["2D", "3D"]], packs=((), ("KH", "QH")))
    assert cards_of(position, 0) == ["JH", "QH", "KH"]
    assert [entry["card"] for entry in position["museums"][0][-2:]] == ["QH", "KH"]


def test_dd_22_jokers_stay():
    position = ended([["9H", "JH", "2S", "4S", "6S"], ["2D", "3D"]], packs=((), ("X1",)))
    assert position["backpacks"][1][0]["card"] == "X1"


def test_dd_22_not_to_the_own_museum():
    position = ended([["9H", "JH", "2S", "4S", "6S"], ["2D", "3D"]], packs=(("TH",), ()))
    assert position["backpacks"][0][0]["card"] == "TH"
    assert cards_of(position, 0) == ["JH"]


def test_dd_22_of_several_the_longest_sequence_then_the_first_clockwise():
    museums = [["2S", "4S", "6S", "8S", "TS"], ["7H"], ["4H", "5H"]]
    long = ended(museums, ("H", "H", "H"), (("6H",), (), ()), "freelance")
    assert [entry["card"] for entry in long["museums"][2]] == ["4H", "5H", "6H"]
    equal = ended([museums[0], ["7H"], ["5H"]], ("H", "H", "H"), (("6H",), (), ()), "freelance")
    assert [entry["card"] for entry in equal["museums"][1]] == ["7H", "6H"]


def test_dd_22_first_clockwise_from_the_owner():
    """From seat 1 the first is seat 2, from seat 2 it is seat 0."""
    museums = [["5H", "2S", "4S", "6S", "8S"], [], ["7H"]]
    assert [entry["card"] for entry in ended(museums, ("H",) * 3, ((), ("6H",), ()), "freelance")["museums"][2]] == ["7H", "6H"]
    museums = [["5H", "2S", "4S", "6S", "8S"], ["7H"], []]
    assert ended(museums, ("H",) * 3, ((), (), ("6H",)), "freelance")["museums"][0][-1]["card"] == "6H"


def test_dd_22_free_for_all_takes_any_suit():
    position = ended([["9H", "2S", "4S", "6S", "8S"], ["3C"]], (None, None), (("4C",), ("TH",)), "free_for_all")
    assert position["museums"][0][-1]["card"] == "TH"
    assert position["museums"][1][-1]["card"] == "4C"


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


def test_dd_25_own_suit_always_other_suits_if_nobody_has_one_beside():
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["8D", "9D"]]), 0) == ["9H", "TS", "JH"]
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["9S", "9D"]]), 0) == ["JH"], "the 9 of spades bars it"
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["JS", "9D"]]), 0) == ["JH"]
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["8S", "QS"]]), 0) == ["9H", "TS", "JH"], "these are not beside it"
    assert cards_of(ended([["9H", "TH", "JH", "2H", "4H"], ["8H", "QH"]]), 0) == ["9H", "TH", "JH"], "of the own suit anything goes"


def test_dd_25_backpacks_of_others_bar_too_own_ones_do_not():
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["7D"]], packs=((), ("9S",))), 0) == ["JH"]
    assert cards_of(ended([["9H", "TS", "JH", "2H", "4H"], ["7D"]], packs=(("9S",), ())), 0) == ["9H", "TS", "JH"]


def test_dd_25_one_that_collects_the_suit_can_be_barred_as_well():
    """A 10 of diamonds of seat 0 counts only while seat 1 has no 9 or jack of diamonds."""
    assert cards_of(ended([["9H", "TD", "JH", "2H", "4H"], ["2D", "3D"]]), 0) == ["9H", "TD", "JH"]
    assert cards_of(ended([["9H", "TD", "JH", "2H", "4H"], ["2D", "9D"]]), 0) == ["JH"]


def test_dd_26_a_joker_for_any_value_and_suit():
    assert cards_of(ended([["9H", "X2", "JH", "2H", "4H"], ["TH"]]), 0) == ["9H", "X2", "JH"], "as a ten of another suit"
    barring = ["TH", "9D", "JS", "TC"]
    assert cards_of(ended([["9H", "X2", "JH", "2H", "4H"], barring]), 0) == ["2H", "X2", "4H"], "each suit has one beside the ten"


def test_dd_26_both_jokers_x1_first():
    assert cards_of(ended([["9H", "X2", "QH", "X1", "4H"], ["2D"]]), 0) == ["9H", "X1", "X2", "QH"]


def test_dd_26_jokers_alone():
    position = ended([["X1", "X2", "2D", "2S", "2C"], ["3D", "3S", "3C"]])
    assert position["runs"][0]["high"] == 14
    assert len(cards_of(position, 0)) == 2


def test_dd_27_none_at_all():
    position = ended([["2S", "4S", "6S", "8S", "TS"], ["3S", "5S", "7S", "9S", "JS"]])
    assert position["runs"] == [{"cards": [], "high": 0}] * 2
    assert (position["scores"], position["winners"]) == ([0, 0], [0, 1])


def test_dd_28_one_suit_any_and_nothing_bars_its_cards():
    position = ended([["9S", "TS", "JH", "2H", "4H"], ["8S", "JS"]], (None, None), contract="free_for_all")
    assert cards_of(position, 0) == ["9S", "TS"]
    assert cards_of(ended([["9S", "TH", "JS", "2H", "4H"], ["7C"]], (None, None), contract="free_for_all"), 0) == ["JS"]


def test_dd_28_a_joker_stands_for_a_card_that_nobody_else_has():
    barred = ended([["9S", "X1", "JS", "2H", "4H"], ["TS"]], (None, None), contract="free_for_all")
    assert cards_of(barred, 0) == ["2H", "X1", "4H"]
    assert cards_of(ended([["9S", "X1", "JS", "2H", "5H"], ["TH"]], (None, None), contract="free_for_all"), 0) == ["9S", "X1", "JS"]


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


def test_dd_31_the_turn_limit():
    position = base("final", {"options.max_turns": 42}).play("end turn")
    assert position["phase"] == "act"
    position.play("end turn")
    assert (position["phase"], position["truncated"], position["turn"], position["player"]) == ("over", True, 42, 1)
    assert position["scores"] == [5, 2]


def test_dd_31_dd_22_too():
    changes = {"options.max_turns": 41, "backpacks.1.0.card": "QH", "site.2,1.0.card": "KH"}
    position = base("final", changes).play("end turn")
    assert position["museums"][0][-1]["card"] == "QH"
    assert position["scores"][0] == 6


def test_dd_31_a_turn_that_ends_by_itself():
    position = base("final", {"options.max_turns": 41}).play("P2 move out", "P3 move out", "P1 move W")
    assert (position["phase"], position["truncated"]) == ("over", True)


def test_dd_31_random_play_gets_there():
    for limit in (1, 30):
        position, chance = deal(4, max_turns=limit), np.random.default_rng(4)
        while position.mover >= 0:
            random_step(position, chance)
        assert (position["truncated"], position["turn"]) == (True, limit)


def test_rewards_are_paid_at_the_end():
    """`score` pays the length of the run on the last step, nothing before."""
    batch = BatchEnv("dino_dig_v0", 4, seed=3, reward="score", max_turns=30)
    running = np.ones(4, bool)
    while running.any():
        _, reward, over, _ = batch.step(batch.heuristic_actions(), running)
        for i in np.flatnonzero(running):
            paid = reward[i, :2]
            assert (paid == (batch.final_states["scores"][i][:2] if over[i] else 0)).all()
        running &= ~over


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
