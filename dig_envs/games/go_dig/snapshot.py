"""Snapshots of Go Dig: the table of their keys (the rules' section "Snapshot"), and what must hold
between them."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import (
    Counts,
    Int,
    Items,
    PerSeat,
    in_sight,
    own_or_size,
    require,
    require_multiset,
    size,
)
from dig_envs.engine.snapshots.snapshot import Candidate, check_end_by_score
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import components as box
from dig_envs.games.go_dig.codecs import Behind, Bits

SNAPSHOT = {
    "turn": Int(1, box.MOST_TURNS),
    "scores": PerSeat(Int(0, box.MAX_SCORE)),
    "pile": Items(box.TYPES, bound="the cards in play: they only leave", view=size),
    "hands": PerSeat(Counts(box.TYPES, box.COPIES, total="num_cards"), view=own_or_size),
    "museums": PerSeat(Behind(deck.GENERA, "museums_len")),
    "known": PerSeat(Counts(box.TYPES, box.COPIES, total="num_known")),
    "asked": PerSeat(Bits(deck.GENERA)),
    "maybe": PerSeat(Items(range(box.MAX_HAND + 1), fixed=True, bound="the 13 genera")),
}


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    _check_cards(candidate)
    _check_hands(candidate)
    for p in candidate.seats:
        _check_knowledge(candidate, p)
    all_built = int(candidate.state["museums_len"].sum()) == box.NUM_SKELETONS
    check_end_by_score(candidate, all_built, "all skeletons have been built")


ALL_CARDS = [deck.TYPES[t] for t in box.CARDS]


def cards_in_sight(position: Mapping[str, Any]) -> list[str]:
    """The cards that a snapshot or a view names in pile, hands and museums."""
    built = [card for genus in in_sight(position["museums"]) for card in deck.parts_of(genus)]
    return in_sight(position["pile"], position["hands"]) + built


def _check_cards(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    found = cards_in_sight(snapshot)
    require_multiset(found, ALL_CARDS, "pile", "the cards of pile, hands and museums")
    for p, points in enumerate(deck.values_of(snapshot["museums"])):
        require(
            snapshot["scores"][p] == points,
            f"scores.{p}",
            f"must be {points}, the value of the museum",
        )


def _check_hands(candidate: Candidate) -> None:
    snapshot, mover = candidate.snapshot, int(candidate.state["to_move"])
    for p, hand in enumerate(snapshot["hands"]):
        require(
            not candidate.facts["complete"][p],
            f"hands.{p}",
            "contains a complete skeleton, which would have been built",
        )
        require(
            bool(hand) or not snapshot["pile"],
            f"hands.{p}",
            "is not empty as long as `pile` is not",
        )
    require(candidate.is_over or bool(snapshot["hands"][mover]), "to_move", "has a card")


def _check_knowledge(candidate: Candidate, p: int) -> None:
    """Refuse what cannot be known of a hand (GD-15 to GD-21)."""
    state, facts = candidate.state, candidate.facts
    surplus = [
        text
        for text, held, known in zip(box.TYPES, state["hands"][p], state["known"][p], strict=True)
        if known > held
    ]
    require(
        not surplus,
        f"known.{p}",
        f"must be contained in hands.{p}, has too many of {', '.join(surplus)}",
    )
    unknown = int(state["num_cards"][p]) - int(state["num_known"][p])
    knowledge: Mapping[str, list[Any]] = candidate.snapshot
    for genus, name in enumerate(deck.GENERA):
        held, maybe = int(facts["unknown"][p, genus]), int(state["maybe"][p, genus])
        require(
            held > 0 or name not in knowledge["asked"][p],
            f"asked.{p}",
            f"the hand has no {name} besides those in `known`",
        )
        require(
            maybe >= held,
            f"maybe.{p}.{genus}",
            f"must be at least {held}: so many {name} besides those in `known` are there",
        )
        require(
            maybe <= unknown,
            f"maybe.{p}.{genus}",
            f"is at most {unknown}, the cards in the hand that are not in `known`",
        )
