"""What a view of Go Dig hides: the pile, and the cards of others that nobody has seen."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.snapshots.codecs import require
from dig_envs.engine.snapshots.completing import Unseen, exchange_faults
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig.snapshot import ALL_CARDS, cards_in_sight


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Deal the cards that are not in sight, so that no hand contradicts what is known of it."""
    position = view.snapshot
    others = [p for p in view.seats if p != seat]
    known = [position["known"][p] for p in others]
    seen = cards_in_sight(position) + [card for cards in known for card in cards]
    unseen = Unseen(ALL_CARDS, seen, "pile", draw)
    places = [unseen.take(position["pile"])]
    for p, cards in zip(others, known, strict=True):
        places.append(unseen.take(position["hands"][p] - len(cards)))

    def faults(place: int, cards: list[str]) -> int:
        return 0 if place == 0 else _faults(position, others[place - 1], cards)

    possible = exchange_faults(places, faults, draw)
    require(possible, "hands", "no cards agree with `known`, `asked` and `maybe`")
    hands = list(position["hands"])
    for p, cards, hand in zip(others, known, places[1:], strict=True):
        hands[p] = sorted(cards + hand, key=deck.TYPES.index)
    return {"pile": places[0], "hands": hands}


def fill_told(
    view: Candidate, seat: int, events: Sequence[Mapping[str, Any]], draw: random.Random
) -> tuple[Snapshot, dict[int, list[str]]]:
    """The same, with the parts of the first skeleton that another player is going to build: in the
    hand, but for one that is drawn."""
    kinds = {event["kind"] for event in events if event["seat"] not in (None, seat)}
    require("built" in kinds, "hands", "nothing of it is going to be shown")
    position, known = view.snapshot, [list(cards) for cards in view.snapshot["known"]]
    drawn, given = set[int](), Counter[str]()
    top = None
    for event in events:
        p = event["seat"]
        if event["kind"] == "drew":
            drawn.add(p)
        elif event["kind"] == "gave":
            given[str(event.get("card"))] += 1
        elif event["kind"] == "built" and p != seat and event.get("genus") in deck.GENERA:
            parts = [card for card in deck.parts_of(event["genus"]) if card not in known[p]]
            parts = [card for card in parts if not given[card]]
            if p in drawn and parts:
                top = parts.pop(draw.randrange(len(parts)))
            known[p] = sorted(known[p] + parts, key=deck.TYPES.index)
            break
    filled = fill(Candidate(view.game, {**position, "known": known}), seat, draw)
    pile = filled["pile"]
    if top in pile:
        at = pile.index(top)
        pile[at], pile[-1] = pile[-1], pile[at]
    return filled, {}


def derived(first: Snapshot) -> Snapshot:
    """What follows from the rest of a seat's first view."""
    counts = [hand if isinstance(hand, int) else len(hand) for hand in first["hands"]]
    return {
        "scores": deck.values_of(first["museums"]),
        "maybe": [[count] * deck.NUM_GENERA for count in counts],
    }


def _faults(position: Mapping[str, Any], p: int, cards: list[str]) -> int:
    """Complete skeletons in a hand, and cards too many or too few of a genus besides those known
    (GD-16, GD-19)."""
    count = Counter(card[:3] for card in cards)
    held = {*cards, *position["known"][p]}
    faults = sum(1 for genus in position["asked"][p] if not count[genus])
    for genus, most in zip(deck.GENERA, position["maybe"][p], strict=True):
        faults += max(0, count[genus] - most) + held.issuperset(deck.parts_of(genus))
    return faults
