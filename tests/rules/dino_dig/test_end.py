"""The end, DD-21 to DD-31: museums of all kinds, against the plain game (reference.py); and how
long a turn can be."""

from collections import Counter

import numpy as np
import pytest

from tests.rules.dino_dig import reference
from tests.rules.dino_dig.positions import GAME, Position, card, changed, deal


def end_with(museums, packs=((), ()), suits=("H", "D"), contract="standard"):
    """The end of a game with these museums and backpacks, compared: seat 0, whose first piece is on
    the base square, goes home."""
    snapshot, n = changed("final", {"options.contract": contract}), len(museums)
    snapshot["museums"] = [[card(code, p) for code in museum] for p, museum in enumerate(museums)]
    snapshot["backpacks"] = [
        [card(pack[k], p) if k < len(pack) else None for k in range(3)]
        for p, pack in enumerate(packs)
    ]
    snapshot["suits"] = list(suits)
    if n > 2:
        snapshot["options"]["num_players"] = n
        snapshot.update(
            scores=[0] * n, player=0, turn=n * 5 + 1, bases=["1,1", "1,5", "4,1", "4,5"][:n]
        )
        snapshot["pieces"] = [["1,1", "home", "home"], *([["2,2", "home", "home"]] * (n - 1))]
    used = [code for some in (*museums, *packs) for code in some]
    snapshot["site"] = {text: [] for text in snapshot["site"]}
    snapshot["site"]["2,2"] = [
        {"card": code, "up": False, "known": []} for code in reference.DECK if code not in used
    ]
    position = Position(snapshot)
    before = position.plain
    position.play("P1 move home")
    assert position.plain == reference.play(before, "P1 move home")
    assert position["phase"] == "over"
    return position


SPADES = "2S 4S 6S 8S TS"


@pytest.mark.parametrize(
    ("museums", "packs", "free"),
    [
        # the king goes after the queen, which lies behind it in the order of pieces
        (f"JH {SPADES} | ", " | KH QH", False),
        ("9H JH 2S 4S 6S | 2D", " | X1", False),  # jokers stay
        ("9H JH 2S 4S 6S | 3C", "4C | TH", True),  # any suit, without contracts
        ("AH 2H 3H 9H JH | 7C", " | ", False),  # the ace is not below the 2 …
        ("KH AH 3H 9H JH | 7C", " | ", False),  # … but above the king
        ("9H TS JH 2H 4H | 7D", " | 9S", False),  # backpacks of others bar, too …
        ("9H TS JH 2H 4H | 7D", "9S | ", False),  # … own ones do not
        ("9H X2 JH 2H 4H | TH 9D JS TC", " | ", False),  # each suit has one beside the ten
        ("X1 X2 2D 2S 2C | 3D 3S 3C", " | ", False),  # jokers alone
        (f"{SPADES} | 3S 5S 7S 9S JS", " | ", False),  # none at all
        ("9S X1 JS 2H 4H | TS", " | ", True),  # a joker stands for a card that nobody else has
    ],
)
def test_dd_22_to_29_by_name(museums, packs, free):
    contract = {"suits": (None, None), "contract": "free_for_all"} if free else {}
    end_with(
        [some.split() for some in museums.split("|")],
        [some.split() for some in packs.split("|")],
        **contract,
    )


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("contract", ["standard", "freelance", "free_for_all"])
def test_dd_21_to_30_of_any_cards(players, contract):
    """The cards that go over, the best skeletons, and the winners are as in the reference; each of
    these happens."""
    chance, seen = np.random.default_rng(players), Counter()
    for _ in range(60):
        deck = [str(code) for code in chance.permutation(reference.DECK)]
        museums = [
            [deck.pop() for _ in range(chance.integers(5 * (p == 0), 11))] for p in range(players)
        ]
        packs = [[deck.pop() for _ in range(chance.integers(4))] for _ in range(players)]
        suits = [*chance.permutation([*"HD"] if players == 2 else [*"HDSC"])][:players]
        if contract != "standard":
            suits = [
                None if contract == "free_for_all" else str(chance.choice([*"HDSC"]))
                for _ in range(players)
            ]
        position = end_with(museums, packs, [suit and str(suit) for suit in suits], contract)
        seen["given"] += sum(map(len, position["museums"])) > sum(map(len, museums))
        seen["joker"] += any("X" in code for run in position["runs"] for code in run["cards"])
        seen[f"won by {position['winners'][0]}"] += 1
    assert all(seen[name] for name in ("given", "joker", "won by 0", "won by 1"))


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
            position.play(
                str(chance.choice(passing if passing and chance.random() < 0.8 else legal))
            )
            count += 1
            most = max(most, count)
    assert 4 < most <= 22
    assert GAME.max_actions >= 22 * 1000
