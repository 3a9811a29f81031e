"""The observation against the view: every field computed once more, from what a seat may know and
nothing else."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.diggity.positions import arrange, auction, graph_of, large_mines, theft, whole_game
from tests.rules.diggity.reference import (
    BOX,
    GOLD,
    ORDER,
    PARTS,
    TOOLS,
    fitting,
    laid,
    open_passages,
    places,
    state_of,
)

COPIES = Counter(BOX)
THINGS = ["miner", *TOOLS]
PHASES = ["play", "place", "take", "steal", "auction", "over"]


def one_hot(values, value):
    return [float(value == other) for other in values]


def symbol(card):
    return one_hot("CTSL", card[0])


def passages(card):
    return [float(side in card.partition("-")[2]) for side in "NESW"]


def padded(rows, count, width):
    """So many rows, zero ones at the end."""
    array = np.zeros((count, width))
    for i, row in enumerate(rows):
        array[i] = row
    return array.ravel()


def shares(cards):
    found = Counter(cards)
    return [found[card] / COPIES[card] for card in ORDER]


def makes(mine, graph, i, new):
    """DG-14, DG-16: what a card of a symbol makes that is connected to card i of the mine alone."""
    behind = [mine[j].symbol for j in graph[i]]
    groups = [mine[i].symbol, *(mine[i].symbol + far for far in behind)]
    made = [
        thing
        for thing, parts in PARTS.items()
        if any(sorted(group + new) == list(parts) for group in groups)
    ]
    return [float(thing in made and (thing != "miner" or len(mine) >= 3)) for thing in THINGS]


def expected_mine(view):
    """The mine and its open passages."""
    mine = [laid(entry) for entry in view["mine"]]
    numbers, graph = open_passages(mine), graph_of(mine)
    states = ["none", "connected", "open", "blocked"]
    sides = [
        [
            one_hot(states, state_of(mine, i, side) if side in card.exits() else "none")
            for side in "NESW"
        ]
        for i, card in enumerate(mine)
    ]
    fits = [fitting(mine, i, side) for i, side in numbers]
    return {
        "mine_exists": padded([[1]] * len(mine), 64, 1),
        "mine_symbol": padded([symbol(card.card) for card in mine], 64, 4),
        "mine_at": padded([[card.x / 100, card.y / 100] for card in mine], 64, 2),
        "mine_lying": padded([[card.r % 2] for card in mine], 64, 1),
        "mine_sides": padded([np.ravel(row) for row in sides], 64, 16),
        "open_exists": padded([[1]] * len(numbers), 48, 1),
        "open_card": padded([[i / 64] for i, _ in numbers], 48, 1),
        "open_side": padded([one_hot("NESW", side) for _, side in numbers], 48, 4),
        "open_at": padded([[x / 100 for x in mine[i].exits()[side]] for i, side in numbers], 48, 2),
        "open_symbol": padded([symbol(mine[i].card) for i, _ in numbers], 48, 4),
        "open_fits": padded([["upright" in kinds, "lying" in kinds] for kinds in fits], 48, 2),
        "open_makes": padded(
            [np.ravel([makes(mine, graph, i, new) for new in "CTSL"]) for i, _ in numbers], 48, 20
        ),
    }


def expected(view, seat):
    """The fields as the rules and their meanings say, from a seat's view."""
    n, hand, chosen = len(view["scores"]), view["hands"][seat], view["chosen"]
    order = [(seat + k) % n for k in range(n)]
    mine = [laid(entry) for entry in view["mine"]]
    legal = [
        view["phase"] == "play"
        and view["to_move"] == seat
        and (not mine or bool(places(mine, card)))
        for card in hand
    ]
    seen = [*hand, *view["discard"], *(card.card for card in mine), *([chosen] if chosen else [])]
    unseen = [card for card in ORDER for _ in range(COPIES[card] - Counter(seen)[card])]
    played = GOLD if view["options"]["high_gold"] else [value for value in GOLD if value < 5]
    turned = [value for won in view["nuggets"] for value in won] + (
        [view["auction"]["value"]] if view["auction"] else []
    )
    left = Counter(played) - Counter(turned)
    gold = Counter(GOLD)
    revealed, steal, bids = view["revealed"], view["steal"], view["auction"]
    sizes = [view["pile"], len(view["discard"]), len(mine)]
    return {
        "hand_exists": padded([[1]] * len(hand), 5, 1),
        "hand_symbol": padded([symbol(card) for card in hand], 5, 4),
        "hand_passages": padded([passages(card) for card in hand], 5, 4),
        "hand_legal": padded([[one] for one in legal], 5, 1),
        "chosen_exists": float(chosen is not None),
        "chosen_symbol": symbol(chosen) if chosen else np.zeros(4),
        "chosen_passages": passages(chosen) if chosen else np.zeros(4),
        **expected_mine(view),
        "own_cards": shares(hand),
        "mine_cards": shares([card.card for card in mine]),
        "discard_cards": shares(view["discard"]),
        "unseen_cards": shares(unseen),
        "sizes": [size / 64 for size in sizes],
        "hand_sizes": padded(
            [[len(hand) / 5 if p == seat else view["hands"][p] / 5] for p in order], 4, 1
        ),
        "piles": [view["piles"][kind] / 4 for kind in TOOLS],
        "tools": padded(
            [[view["tools"][p].count(kind) / 4 for kind in TOOLS] for p in order], 4, 4
        ),
        "num_tools": padded([[len(view["tools"][p]) / 16] for p in order], 4, 1),
        "revealed_kind": one_hot(TOOLS, revealed and revealed["kind"]),
        "revealed_thief": padded(
            [[revealed is not None and revealed["thief"] == p] for p in order], 4, 1
        ),
        "unseen_gold": [left[value] / gold[value] for value in range(1, 7)],
        "gold_left": [view["gold"] / 16, view["gold_aside"] / 16],
        "nuggets": padded(
            [
                [view["nuggets"][p].count(value) / gold[value] for value in range(1, 7)]
                for p in order
            ],
            4,
            6,
        ),
        "score": padded([[view["scores"][p] / 52] for p in order], 4, 1),
        "auction_value": bids["value"] / 6 if bids else 0,
        "auction_rank": one_hot(range(5), bids["rank"] if bids else None),
        "auction_leader": padded([[bids is not None and bids["leader"] == p] for p in order], 4, 1),
        "phase": one_hot(PHASES, view["phase"]),
        "has_turn": padded([[view["player"] == p] for p in order], 4, 1),
        "turn": view["turn"] / view["options"]["max_turns"],
        "passes": view["passes"] / 3,
        "choices": [float(thing in view["choices"]) for thing in THINGS],
        "steal_kind": one_hot(TOOLS, steal and steal["kind"]),
        "steal_from": [
            float(steal is not None and k < n and (seat + k) % n in steal["from"])
            for k in (1, 2, 3)
        ],
        "num_players": one_hot([2, 3, 4], n),
        "gold_cards": view["options"]["gold_cards"] / 16,
        "high_gold": float(view["options"]["high_gold"]),
        "hidden_tools": float(view["options"]["hidden_tools"]),
    }


def check(position):
    position.check_observations(expected)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(
    "options",
    [{}, {"hidden_tools": True, "gold_cards": 8}, {"high_gold": False, "max_turns": 60}],
    ids=["standard", "hidden", "low"],
)
def test_every_field_in_whole_games(players, options):
    """For every seat, the finished game included."""
    for position in whole_game(players, 60 if JIT_DISABLED else 11, num_players=players, **options):
        check(position)


def test_large_mines():
    for position in large_mines(0)[::3]:
        check(position)


def test_thefts_and_what_lies_open():
    position = theft([[], ["shovel", "pulley"], ["pulley", "pulley"]])
    check(position)
    check(position.play("steal +1"))
    check(auction(["shovel"], ["cart"], ["shed"], options__hidden_tools=True))


def test_equivalent_turns_look_alike():
    """The observation is the same for a card with four passages and for this card upside down."""
    one = arrange([[], []], mine=[("S-NESW", 0, 0, 0), ("T-NESW", 0, -14, 0)], rng="1")
    other = arrange([[], []], mine=[("S-NESW", 0, 0, 0), ("T-NESW", 0, -14, 2)], rng="1")
    assert one.observation(0).tobytes() == other.observation(0).tobytes()
