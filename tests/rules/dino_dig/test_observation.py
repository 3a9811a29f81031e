"""The observation: each field computed once more from the view of the seat, with the rules' table beside it."""

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.dino_dig import reference
from tests.rules.dino_dig.positions import GAME, OPTIONS, base, deal, whole_game

EVERY = 40 if JIT_DISABLED else 7
CARDS = reference.DECK
SQUARES = [f"{row},{column}" for row in range(1, 8) for column in range(1, 8)]
SUITS = "HDSC"


def one_hot_place(row, column, text):
    """Row and column of a square."""
    r, c = reference.square(text)
    row[r - 1] = column[c - 1] = 1


def expected(view, seat):
    """All fields, from a view alone."""
    n = len(view["scores"])
    seats = [(seat + k) % n for k in range(n)]
    fields = {name: np.zeros(entry.shape, np.float32) for name, entry in GAME.layout.items()}
    fields |= {name: np.zeros((), np.float32) for name, entry in GAME.layout.items() if entry.shape == ()}
    on_site(fields, view, seat, seats)
    by_seat(fields, view, seat, seats)
    in_hand(fields, view, seat, seats)
    known = {
        i for i in range(54) if any(fields[key][i].any() for key in ("card_row", "card_backpack", "card_museum", "card_in_hand"))
    }
    in_game = range(54 if view["options"]["jokers"] else 52)
    for i in in_game:
        fields["card_unknown"][i] = i not in known
    for i, suit in enumerate(SUITS):
        fields["unknown_suit"][i] = sum(CARDS[c][1] == suit for c in in_game if c not in known and c < 52) / 13
    fields["unknown_jokers"] = sum(c not in known for c in in_game if c >= 52) / 2
    skeleton_and_rest(fields, view, seat, seats)
    return fields


def tell_card(fields, view, code, known, seats):
    """Who knows a card that the seat knows; its place in the list."""
    i = CARDS.index(code)
    for k, p in enumerate(seats[1:]):
        fields["card_known_to"][i, k] = p in known
    return i


def on_site(fields, view, seat, seats):
    """Squares and stacks."""
    for at, text in enumerate(SQUARES):
        if text not in view["site"]:
            continue
        stack = view["site"][text]
        fields["square"][at] = 1
        fields["stack_size"][at] = len(stack) / 8
        fields["stack_known"][at] = sum(entry["card"] is not None for entry in stack) / 8
        others = sum(place == text for p in seats[1:] for place in view["pieces"][p])
        fields["may_enter"][at] = others < 2
        for depth, entry in enumerate(reversed(stack)):
            if depth < 6:
                fields["stack"][at, depth, :2] = 1, entry["up"]
                for k, p in enumerate(seats):
                    fields["stack"][at, depth, 2 + k] = p in entry["known"]
            if entry["card"] is not None:
                i = tell_card(fields, view, entry["card"], entry["known"], seats)
                one_hot_place(fields["card_row"][i], fields["card_column"][i], text)
                fields["card_above"][i] = depth / 8
                fields["card_face_up"][i] = entry["up"]
        if stack and stack[-1]["card"] is not None:
            code = stack[-1]["card"]
            if code[0] == "X":
                fields["top_joker"][at] = 1
            else:
                fields["top_suit"][at, SUITS.index(code[1])] = 1
                fields["top_value"][at] = reference.VALUE[code[0]] / 14


def by_seat(fields, view, seat, seats):
    """Pieces, backpacks, bases, contracts, museums."""
    for k, p in enumerate(seats):
        fields["plays"][k] = 1
        for i, place in enumerate(view["pieces"][p]):
            if place == "home":
                fields["at_home"][k, i] = 1
            else:
                one_hot_place(fields["piece_row"][k, i], fields["piece_column"][k, i], place)
                fields["square_pieces"][SQUARES.index(place), k] += np.float32(1)
        for i, entry in enumerate(view["backpacks"][p]):
            if entry:
                fields["backpack_full"][k, i] = 1
                for j, q in enumerate(seats):
                    fields["backpack_known_to"][k, i, j] = q in entry["known"]
                if entry["card"]:
                    fields["card_backpack"][tell_card(fields, view, entry["card"], entry["known"], seats), k, i] = 1
        if view["bases"][p]:
            one_hot_place(fields["base_row"][k], fields["base_column"][k], view["bases"][p])
            fields["square_base"][SQUARES.index(view["bases"][p]), k] = 1
        if view["suits"][p]:
            fields["suit"][k, SUITS.index(view["suits"][p])] = 1
        museum = view["museums"][p]
        fields["museum_size"][k] = len(museum) / 13
        for j, q in enumerate(seats):
            fields["museum_known_to"][k, j] = sum(q in entry["known"] for entry in museum) / 13
        for entry in museum:
            if entry["card"]:
                fields["card_museum"][tell_card(fields, view, entry["card"], entry["known"], seats), k] = 1
    fields["square_pieces"] /= 3
    if view["player"] == seat:
        fields["acted"][:] = view["acted"]


def in_hand(fields, view, seat, seats):
    """The card in hand."""
    if view["hand"] is None:
        return
    fields["hand"] = 1
    for k, p in enumerate(seats[1:]):
        fields["hand_known_to"][k] = p in view["hand"]["known"]
    if view["hand"]["card"]:
        fields["card_in_hand"][tell_card(fields, view, view["hand"]["card"], view["hand"]["known"], seats)] = 1
    for k in view["chain"]:
        fields["chain"][k - 1] = 1
    fields["handler"][view["chain"][-1] - 1] = 1
    fields["stowed"] = view["stowed"]


def skeleton_and_rest(fields, view, seat, seats):
    """The own skeleton, the clock, the options."""
    options = view["options"]
    theirs = {
        entry["card"] for p in seats[1:] for entry in [*view["museums"][p], *filter(None, view["backpacks"][p])] if entry["card"]
    }
    museum = [entry["card"] for entry in view["museums"][seat]]
    length, high, _ = reference.best_skeleton(museum, theirs, view["suits"][seat]) if museum else (0, 0, [])
    fields["own_length"], fields["own_high"] = length / 13, high / 14
    fields["phase"][GAME.phases.index(view["phase"])] = 1
    fields["has_turn"][(view["player"] - seat) % len(seats)] = 1
    fields["turn"] = view["turn"] / options["max_turns"]
    fields["supply"] = view["supply"] / 36
    fields["num_players"][len(seats) - 2] = 1
    fields["jokers"] = options["jokers"]
    fields["contract"][["standard", "freelance", "free_for_all"].index(options["contract"])] = 1
    fields["deregulation"], fields["new_horizons"] = options["deregulation"], options["new_horizons"]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_field_from_the_view(options):
    low, high = GAME.fields.bounds()
    for position in whole_game(3, every=EVERY, scripted=0.75, max_turns=40, **options):
        for seat in range(len(position["scores"])):
            flat = position.observation(seat)
            found, right = GAME.named(flat), expected(position.view(seat), seat)
            for name in GAME.layout:
                assert np.allclose(found[name], right[name], atol=1e-6), name
            assert (flat >= low).all()
            assert (flat <= high).all()


def test_sizes_are_those_of_the_table():
    """The rules' table, row by row."""
    cards = 54 * (7 + 7 + 2 + 12 + 4 + 1 + 3 + 1)
    squares = 49 * (3 + 4 + 4 + 1) + 49 * (6 * 6 + 6)
    seats = 12 * (1 + 14 + 5) + 3 + 4 * (1 + 14 + 4 + 5)
    rest = (4 + 3 + 3 + 1) + 2 + (4 + 1) + (6 + 4 + 2) + (3 + 1 + 3 + 2)
    assert GAME.observation_size == cards + squares + seats + rest


def test_no_field_is_always_zero():
    """Over games with all options each field is something at some time."""
    seen = np.zeros(GAME.observation_size, bool)
    for seed, options in enumerate(OPTIONS):
        for position in whole_game(seed, every=40 if JIT_DISABLED else 5, max_turns=30, **options):
            for seat in range(len(position["scores"])):
                seen |= position.observation(seat) != 0
    named = GAME.named(seen)
    assert all(named[name].any() for name in GAME.layout), [name for name in GAME.layout if not named[name].any()]


def test_the_highest_stack():
    """All cards on one square: what the bounds of the fields are made for."""
    position = base("horizon").play(*["lay 4,4"] * 36)
    found = GAME.named(position.observation(0))
    assert found["stack_size"].max() == np.float32(38 / 8)
    snapshot = base("final").snapshot
    rest = [entry for stack in snapshot["site"].values() for entry in stack]
    snapshot["site"] = {text: rest if text == "2,2" else [] for text in snapshot["site"]}
    for entry in rest:
        entry.update(known=[0, 1])
    found = GAME.named(type(position)(snapshot).observation(0))
    assert found["card_above"].max() == np.float32((len(rest) - 1) / 8)


def test_seats_come_clockwise_from_the_observer():
    position = deal(1, num_players=3).play("base 1,1", "base 1,5", "base 4,1")
    rows, columns = (GAME.named(position.observation(1))[key] for key in ("base_row", "base_column"))
    assert [(int(rows[k].argmax()) + 1, int(columns[k].argmax()) + 1) for k in range(3)] == [(1, 5), (4, 1), (1, 1)]
    assert not rows[3].any()
