"""The observation against the view: every field computed once more, from what a seat may know and
nothing else."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.go_dig.positions import GAME, arrange, whole_game
from tests.rules.go_dig.reference import BOX, GENERA, ORDER, of_genus, parts_of

COPIES = {card: BOX[card[:3]][1] for card in ORDER}


def shares(cards):
    """Per type: how many / copies in the box."""
    return [Counter(cards)[card] / COPIES[card] for card in ORDER]


def expected(view, seat):
    """The fields as the rules and their meanings say, from a seat's view."""
    n, limit = len(view["scores"]), view["options"]["max_turns"]
    order = [(seat + k) % n for k in range(n)]
    hand = view["hands"][seat]
    sizes = {p: len(hand) if p == seat else view["hands"][p] for p in order}
    built = Counter(genus for museum in view["museums"] for genus in museum)
    left = {genus: BOX[genus][1] - built[genus] for genus in GENERA}
    located = Counter(hand)
    for p in order:
        if p != seat:
            located.update(view["known"][p])
        for genus in view["museums"][p]:
            located.update(parts_of(genus))
    unlocated = {card: COPIES[card] - located[card] for card in ORDER}
    return {
        "own_hand": shares(hand),
        "own_cards": [min(1, len(of_genus(hand, genus)) / BOX[genus][0]) for genus in GENERA],
        "own_missing": [
            len(set(parts_of(genus)) - set(hand)) / BOX[genus][0] if left[genus] else 0
                for genus in GENERA
        ],
        "plays": [1 for _ in order],
        "turn_of": [p == view["to_move"] for p in order],
        "num_cards": [min(1, sizes[p] / 14) for p in order],
        "score": [view["scores"][p] / 301 for p in order],
        "num_skeletons": [len(view["museums"][p]) / 23 for p in order],
        "num_unknown": [min(1, (sizes[p] - len(view["known"][p])) / 14) for p in order],
        "skeletons": [[view["museums"][p].count(genus) / BOX[genus][1] for genus in GENERA]
            for p in order],
        "asked": [[genus in view["asked"][p] for genus in GENERA] for p in order],
        "maybe": [[min(1, most / 7) for most in view["maybe"][p]] for p in order],
        "known": [shares(view["known"][p]) for p in order],
        "unlocated": [unlocated[card] / COPIES[card] for card in ORDER],
        "unlocated_cards": [
            sum(unlocated[card] for card in parts_of(genus)) / (BOX[genus][0] * BOX[genus][1])
                for genus in GENERA
        ],
        "left": [left[genus] / BOX[genus][1] for genus in GENERA],
        "pile": view["pile"] / 44,
        "turn": view["turn"] / limit,
        "phase": [view["phase"] == phase for phase in ("ask", "over")],
        "num_players": [n == k for k in (2, 3, 4)],
    }  # fmt: skip


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("limit", [10, 200])
def test_every_field_in_whole_games(players, limit):
    """At every position of random games, for every seat, the finished game included."""
    for seed in range(1 if JIT_DISABLED else 2):
        for position in whole_game(
            seed, every=15 if JIT_DISABLED else 1, num_players=players, max_turns=limit
        ):
            position.check_observations(expected)


def test_large_hands_are_cut_off():
    """More than 14 cards, seven of a genus, more cards of a genus than parts."""
    many = ["ALL1", "ALL1", "ALL2", "ALL2", "ANK1", "ANK1", "ANK2", "ANK2", "QUE1", "QUE1", "PAR1",
            "PAR1", "PAR2", "MOS1", "MOS1", "MOS1", "MOS1"]  # fmt: skip
    position = arrange([many, ["TYR1"]])
    position.check_observations(expected)
    named = GAME.named(position.observation(1))
    assert named["num_cards"][1] == named["num_unknown"][1] == 1
    assert (named["maybe"][1] == 1).all()
    assert GAME.named(position.observation(0))["own_cards"][GENERA.index("ALL")] == 1


def test_the_order_of_a_museum_is_left_out():
    museums = [["TYR", "MOS"], ["DIL"]]
    one = arrange([["ALL1"], ["BRA1"]], museums=museums)
    other = arrange([["ALL1"], ["BRA1"]], museums=[["MOS", "TYR"], ["DIL"]])
    assert one.observation(1).tobytes() == other.observation(1).tobytes()
