"""The knowledge of a seat, exactly: views, determinize, and the ways in which hidden things could
leak."""

import itertools
import json
from collections import Counter

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.dino_dig.positions import OPTIONS, Position, base, card, deal, whole_game

GAMES = OPTIONS[:2] if JIT_DISABLED else OPTIONS


def some_positions(every=9):
    """Positions of games of mixed play, with all options."""
    for seed, options in enumerate(GAMES):
        yield from whole_game(
            seed, every=every * (4 if JIT_DISABLED else 1), max_turns=60, **options
        )


def in_table_order(cards):
    order = [*(rank + suit for suit in "HDSC" for rank in "23456789TJQKA"), "X1", "X2"]
    return sorted(cards, key=lambda entry: order.index(entry["card"]))


def entries(snapshot):
    """Each card with its place, the site's from the bottom; the supply's are known to nobody.
    Museums are in table order when the game is over."""
    phase = snapshot["phase"]
    for text in sorted(snapshot["site"]):
        for i, entry in enumerate(snapshot["site"][text]):
            yield ("site", text, i), entry["card"], entry["known"]
    for key in ("backpacks", "museums"):
        for p, some in enumerate(snapshot[key]):
            some = in_table_order(some) if (key, phase) == ("museums", "over") else some
            for i, entry in enumerate(some):
                if entry:
                    yield (key, p, i), entry["card"], entry["known"]
    if snapshot["hand"]:
        yield ("hand",), snapshot["hand"]["card"], snapshot["hand"]["known"]
    if isinstance(snapshot["supply"], list):
        for i, code in enumerate(snapshot["supply"]):
            yield ("supply", i), code, []


# ---------------------------------------------------------------- the view


def test_view_of_every_seat():
    """Codes of cards that the seat does not know are null, the supply is a length, secret suits are
    null; museums are in table order when the game is over; the rest is as it is."""
    for position in some_positions():
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            view = position.view(seat)
            assert view.pop("supply") == len(snapshot["supply"])
            if snapshot["phase"] == "over":
                assert view["museums"] == [*map(in_table_order, snapshot["museums"])]
            seen = {place: code for place, code, _ in entries({**view, "supply": 0})}
            for place, code, known in entries(snapshot):
                if place[0] != "supply":
                    assert seen[place] == (code if seat in known else None)
            secret = snapshot["options"]["contract"] == "freelance" and snapshot["phase"] != "over"
            assert view["suits"] == [
                suit if p == seat or not secret else None
                for p, suit in enumerate(snapshot["suits"])
            ]
            for key in set(snapshot) - {
                "rng",
                "supply",
                "site",
                "backpacks",
                "museums",
                "hand",
                "suits",
            }:
                assert view[key] == snapshot[key]
            assert "rng" not in view
            json.dumps(view)


# ---------------------------------------------------------------- determinize


def test_places_and_knowledge_stay_in_a_redeal():
    """Who knows what stays with the places, the cards are the same; what the seat knows stays where
    it is, and what another knows stays known to it, as whatever card it has become."""
    for position in some_positions():
        for seat in range(len(position["scores"])):
            twin = position.redeal(seat, 7)
            before, after = list(entries(position.snapshot)), list(entries(twin.snapshot))
            assert [(place, known) for place, _, known in before] == [
                (place, known) for place, _, known in after
            ]
            assert Counter(code for _, code, _ in before) == Counter(code for _, code, _ in after)
            seen = [
                {place: code for place, code, _ in entries({**twin.view(p), "supply": 0})}
                for p in range(len(position["scores"]))
            ]
            for (place, code, known), (_, new, _) in zip(before, after, strict=True):
                assert seat not in known or new == code, place
                assert all(seen[other][place] == new for other in known)


def test_all_deals_are_equally_likely():
    """Three cards that seat 0 does not know, in a museum, a backpack and a stack: each of the six
    orders."""
    changes = {"museums.1": [card("6D", 1), card("7D", 0, 1)]}
    snapshot = base("final", changes).snapshot
    hidden = {("museums", 1, 0), ("backpacks", 1, 0), ("site", "1,4", 0)}
    for place, _, known in entries(snapshot):
        if place not in hidden and 0 not in known:
            entry = snapshot
            for step in place:
                entry = entry[step]
            entry["known"] = sorted({*known, 0})
    position = Position(snapshot)
    orders = Counter()
    deals = 200 if JIT_DISABLED else 1200
    for seed in range(deals):
        twin = {place: code for place, code, _ in entries(position.redeal(0, seed).snapshot)}
        orders[tuple(twin[place] for place in sorted(hidden, key=str))] += 1
    assert set(orders) == set(itertools.permutations(["6D", "KH", "8H"]))
    chi_squared = sum((count - deals / 6) ** 2 / (deals / 6) for count in orders.values())
    assert chi_squared < 20.5, "the 99.9 % point for 5 degrees of freedom"


def test_secret_suits_are_drawn_anew_evenly():
    position = deal(5, num_players=3, contract="freelance").play(
        "base 1,1", "base 1,5", "base 4,1", "suit D", "suit S", "suit S"
    )
    found = Counter(tuple(position.redeal(1, seed)["suits"]) for seed in range(320))
    assert {suits[1] for suits in found} == {"S"}, "the own one stays"
    assert len(found) == 16, "all pairs of the others'"
    assert max(found.values()) < 45
    half = deal(5, num_players=3, contract="freelance").play(
        "base 1,1", "base 1,5", "base 4,1", "suit D"
    )
    assert {half.redeal(1, seed)["suits"][0] for seed in range(30)} == set("HDSC")
    assert {tuple(half.redeal(1, seed)["suits"][1:]) for seed in range(30)} == {(None, None)}, (
        "nobody chooses in a re-deal"
    )


def test_the_order_of_a_stack_is_hidden():
    """Cards of the same stack change places in re-deals, but for those that the seat knows, which
    stay at their heights."""
    position = base("field", {"site.3,2.1.known": [0], "site.3,2.2.known": [1]})
    seen = [
        [entry["card"] for entry in position.redeal(0, seed)["site"]["3,2"]] for seed in range(40)
    ]
    assert {stack[1] for stack in seen} == {"7S"}
    assert all(len({stack[height] for stack in seen}) > 5 for height in (0, 2, 3))
