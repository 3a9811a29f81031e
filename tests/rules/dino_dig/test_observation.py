"""The observation: each field computed once more from the view of the seat, with the rules' table
beside it."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.dino_dig import reference
from tests.rules.dino_dig.positions import GAME, OPTIONS, base, whole_game

EVERY = 40 if JIT_DISABLED else 7
SQUARES = [f"{row},{column}" for row in range(1, 8) for column in range(1, 8)]
SUITS = "HDSC"
VALUE = reference.VALUE


class Expected:
    """All fields, from the view of a seat alone."""

    def __init__(self, view, seat):
        self.view, self.seat, self.options = view, seat, view["options"]
        n = len(view["scores"])
        self.seats = [(seat + k) % n for k in range(n)]
        own = view["suits"][seat]
        self.own = own
        self.suits = [own or "H", *(suit for suit in SUITS if suit != (own or "H"))]
        self.cards = [rank + suit for suit in self.suits for rank in reference.RANKS] + ["X1", "X2"]
        self.fields = {
            name: np.zeros(entry.shape, np.float32) for name, entry in GAME.layout.items()
        }
        self.mine = [card["card"] for card in self.holding(seat)]
        self.theirs = {card["card"] for p in self.seats[1:] for card in self.holding(p)} - {None}
        self.found = set()  # cards whose place the seat knows
        self.on_site()
        for k, p in enumerate(self.seats):
            self.of_seat(k, p)
        self.in_hand()
        if view["bases"][seat]:
            self.around_pieces()
        self.own_run()
        self.rest()

    def holding(self, p):
        """The cards in a museum and the backpacks of a seat."""
        return [*self.view["museums"][p], *filter(None, self.view["backpacks"][p])]

    def known_card(self, entry):
        """The place of a card in the list, and who knows it."""
        i = self.cards.index(entry["card"])
        for k, p in enumerate(self.seats[1:]):
            self.fields["card_known_to"][k, i] = p in entry["known"]
        self.found.add(i)
        return i

    def usable(self, code, theirs):
        """DD-25: whether the own skeleton may have a card."""
        if code[1] == self.own:
            return True
        return not any(
            other[1] == code[1] and code[0] != "X" and abs(VALUE[other[0]] - VALUE[code[0]]) == 1
            for other in theirs
            if other[0] != "X"
        )

    def kinds(self, code):
        """Joker, own suit, lacking, next, others' suit."""
        others = {self.view["suits"][p] for p in self.seats[1:]} - {None}
        if code is None:
            return [0] * 5
        if code[0] == "X":
            return [1, 0, 1, 0, 0]
        value, suit = VALUE[code[0]], code[1]
        mine = [card for card in self.mine if card[0] != "X"]
        lacking = following = False
        if self.options["contract"] == "free_for_all":
            values = {VALUE[card[0]] for card in mine if card[1] == suit}
            lacking = bool(values) and value not in values
            following = bool(values & {value - 1, value + 1}) and value not in values
        elif self.own:
            values = {VALUE[card[0]] for card in mine if self.usable(card, self.theirs)}
            lacking = self.usable(code, self.theirs) and value not in values
            following = lacking and bool(values & {value - 1, value + 1})
        return [0, suit == self.own, lacking, following, suit in others]

    def kinds_of(self, entry):
        """The same for a card of the view, or none."""
        return self.kinds(entry and entry["card"])

    # ------------------------------------------------------------ the site

    def on_site(self):
        """Squares and stacks."""
        for at, text in enumerate(SQUARES):
            if text not in self.view["site"]:
                continue
            stack = self.view["site"][text]
            self.fields["square"][at] = 1
            self.fields["stack_size"][at] = len(stack) / 8
            self.fields["stack_known"][at] = sum(entry["card"] is not None for entry in stack) / 8
            for depth, entry in enumerate(reversed(stack)):
                if entry["card"] is not None:
                    i = self.known_card(entry)
                    row, column = reference.square(text)
                    self.fields["card_place"][i] = row / 7, column / 7, depth / 8
                    self.fields["card_face_up"][i] = entry["up"]
            for depth, entry in enumerate(reversed(stack[:-1][-5:])):
                self.fields["buried_known_to"][depth, at] = sum(
                    0.5 ** (1 + self.seats.index(p)) for p in entry["known"]
                )
            if stack:
                known = [p in stack[-1]["known"] for p in self.seats] + [0] * (4 - len(self.seats))
                self.fields["top"][at] = [*known, *self.kinds_of(stack[-1])]
            if len(stack) > 1:
                joker, _, lacking, following, _ = self.kinds_of(stack[-2])
                self.fields["second"][at] = [
                    stack[-2]["card"] is not None,
                    joker,
                    lacking,
                    following,
                ]

    def around_pieces(self):
        """Fill in the fields on what lies around the own pieces."""
        base = self.view["bases"][self.seat]
        ours = self.view["pieces"][self.seat]
        chain = [k - 1 for k in self.view["chain"]] if self.view["player"] == self.seat else []
        for k in range(3):
            row, column = reference.square(base if ours[k] == "home" else ours[k])
            for d, (dr, dc) in enumerate([*reference.WAYS.values(), (0, 0)]):
                self.fields["near"][k, d] = self.surrounding(
                    f"{row + dr},{column + dc}", k, base, chain
                )
            for d, (dr, dc) in enumerate(reference.WAYS.values()):
                for text, stack in self.view["site"].items():
                    down, right = (
                        reference.square(text)[0] - row,
                        reference.square(text)[1] - column,
                    )
                    if stack and down * dr + right * dc > 0:
                        of_use = self.kinds_of(stack[-1])[2:4]
                        near = [0, 0] if abs(down) + abs(right) > 2 else of_use
                        self.fields["on_side"][k, d] = np.maximum(
                            self.fields["on_side"][k, d], [*of_use, *near]
                        )
        if chain:
            self.fields["near_handler"] = self.fields["near"][chain[-1]]

    def surrounding(self, text, k, base, chain):
        """A square near an own piece."""
        if text not in self.view["site"]:
            return [0] * 13
        stack, ours = self.view["site"][text], self.view["pieces"][self.seat]
        theirs = sum(place == text for p in self.seats[1:] for place in self.view["pieces"][p])
        steps = sum(
            abs(a - b) for a, b in zip(reference.square(text), reference.square(base), strict=True)
        )
        return [
            1,
            theirs < 2,
            len(stack) / 8,
            bool(stack) and stack[-1]["card"] is not None,
            *(self.kinds_of(stack[-1]) if stack else [0] * 5),
            text in [ours[j] for j in range(3) if j != k],
            theirs > 0,
            1 / (1 + steps),
            self.goes_home(text, k, base, chain),
        ]

    def goes_home(self, text, k, base, used):
        """Whether a card in hand of piece k on the square gets to the base, by pieces that have not
        had it."""
        if text in ("home", base):
            return True
        places = self.view["pieces"][self.seat]
        game = reference._Game(self.view)
        game.p = self.seat
        left = [j for j in range(3) if j != k and j not in used]
        return any(
            game.next_to(text, places[j]) and self.goes_home(places[j], j, base, [*used, k])
            for j in left
        )

    # ------------------------------------------------------------ seats

    def of_seat(self, k, p):
        """Pieces, backpacks, base, contract, museum."""
        view, fields = self.view, self.fields
        fields["plays"][k] = 1
        for i, place in enumerate(view["pieces"][p]):
            if place == "home":
                fields["at_home"][k, i] = 1
            else:
                row, column = reference.square(place)
                fields["piece_row"][k, i, row - 1] = fields["piece_column"][k, i, column - 1] = 1
                fields["square_pieces"][SQUARES.index(place), k] += 1 / 3
        for i, entry in enumerate(view["backpacks"][p]):
            if entry:
                fields["backpack_full"][k, i] = 1
                for j, q in enumerate(self.seats):
                    fields["backpack_known_to"][k, i, j] = q in entry["known"]
                fields["backpack_kind"][k, i] = self.kinds_of(entry)
                if entry["card"]:
                    fields["card_held"][k, self.known_card(entry)] = 0.5
                    fields["card_piece"][self.known_card(entry)] = (i + 1) / 3
        if view["bases"][p]:
            row, column = reference.square(view["bases"][p])
            fields["base_row"][k, row - 1] = fields["base_column"][k, column - 1] = 1
        if view["suits"][p]:
            fields["suit"][k, self.suits.index(view["suits"][p])] = 1
        self.of_museum(k, p)

    def of_museum(self, k, p):
        museum = self.view["museums"][p]
        self.fields["museum_size"][k] = len(museum) / 13
        for j, q in enumerate(self.seats):
            self.fields["museum_known_to"][k, j] = sum(q in entry["known"] for entry in museum) / 13
        for entry in museum:
            if entry["card"]:
                self.fields["card_held"][k, self.known_card(entry)] = 1
        if self.view["suits"][p] or self.options["contract"] == "free_for_all":
            others = {card["card"] for q in self.seats if q != p for card in self.holding(q)} - {
                None
            }
            known = [entry["card"] for entry in museum if entry["card"]]
            length, high, _ = reference.best_skeleton(known, others, self.view["suits"][p])
            self.fields["length"][k], self.fields["high"][k] = length / 13, high / 14

    def own_run(self):
        """Fill in the fields on the own run: what it has, and what it could have soon."""
        view, own_hand = self.view, self.view["player"] == self.seat and self.view["hand"]
        home = [entry["card"] for entry in view["museums"][self.seat]]
        carried = [entry["card"] for entry in [*view["backpacks"][self.seat], own_hand] if entry]
        if home or carried:
            self.fields["soon_length"][()] = (
                reference.best_skeleton(home + carried, self.theirs, self.own)[0] / 13
            )
        for name, some in (("home_values", home), ("carried_values", carried)):
            for code in some:
                if code[0] != "X" and (self.own is None or self.usable(code, self.theirs)):
                    self.fields[name][VALUE[code[0]] - 2] = 1

    # ------------------------------------------------------------ the rest

    def in_hand(self):
        hand, fields = self.view["hand"], self.fields
        if hand is None:
            return
        fields["hand"][()] = 1
        for k, p in enumerate(self.seats[1:]):
            fields["hand_known_to"][k] = p in hand["known"]
        fields["hand_kind"][:] = self.kinds_of(hand)
        if hand["card"]:
            fields["card_in_hand"][self.known_card(hand)] = 1
        for k in self.view["chain"]:
            fields["chain"][k - 1] = 1
        fields["handler"][self.view["chain"][-1] - 1] = 1
        fields["stowed"][()] = self.view["stowed"]

    def rest(self):
        """Fill in the other fields: what is not known, the clock, the options."""
        view, fields, options = self.view, self.fields, self.options
        unknown = [i for i in range(54 if options["jokers"] else 52) if i not in self.found]
        fields["card_unknown"][unknown] = 1
        for j, suit in enumerate(self.suits):
            fields["unknown_suit"][j] = (
                sum(self.cards[i][1] == suit and i < 52 for i in unknown) / 13
            )
        fields["unknown_jokers"][()] = sum(i >= 52 for i in unknown) / 2
        if view["player"] == self.seat:
            fields["acted"][:] = view["acted"]
        fields["phase"][GAME.phases.index(view["phase"])] = 1
        fields["has_turn"][(view["player"] - self.seat) % len(self.seats)] = 1
        fields["turn"][()] = view["turn"] / options["max_turns"]
        fields["supply"][()] = view["supply"] / 36
        fields["num_players"][len(self.seats) - 2] = 1
        fields["contract"][["standard", "freelance", "free_for_all"].index(options["contract"])] = 1
        for name in ("jokers", "deregulation", "new_horizons"):
            fields[name][()] = options[name]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_field_from_the_view(options):
    for position in whole_game(3, every=EVERY, scripted=0.75, max_turns=40, **options):
        position.check_observations(lambda view, seat: Expected(view, seat).fields)


def test_no_field_is_always_zero():
    """Over games with all options each field is something at some time."""
    seen = np.zeros(GAME.observation_size, bool)
    for seed, options in enumerate(OPTIONS):
        for position in whole_game(seed, every=40 if JIT_DISABLED else 5, max_turns=30, **options):
            for seat in range(len(position["scores"])):
                seen |= position.observation(seat) != 0
    named = GAME.named(seen)
    assert all(named[name].any() for name in GAME.layout), [
        name for name in GAME.layout if not named[name].any()
    ]


def test_the_highest_stack():
    """All cards on one square: what the bounds of the fields are made for."""
    base("horizon").play(*["lay 4,4"] * 36).check_observations(
        lambda view, seat: Expected(view, seat).fields
    )
