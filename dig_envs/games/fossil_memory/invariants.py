"""The invariants between the keys of a snapshot of Fossil Memory, so that no position is accepted
that no game can reach."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.snapshots.codecs import in_sight, require, require_multiset
from dig_envs.engine.snapshots.snapshot import Candidate, check_end_by_score
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box

PARTS = dict(zip(deck.GENERA, deck.PARTS.tolist(), strict=True))
VALUE = dict(zip(deck.GENERA, deck.VALUE.tolist(), strict=True))


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    snapshot = candidate.snapshot
    _check_genera(snapshot)
    _check_cards(snapshot)
    check_end_by_score(candidate, not any(snapshot["grid"]), "the last card has been taken")
    _check_mover(candidate)
    _check_scores(candidate)
    for key in ("up", "shown"):
        _check_places(snapshot, snapshot[key], key)
    _check_turn(candidate)
    if snapshot["seen"] is not None:
        _check_seen(candidate)
    if snapshot["recent"] is not None:
        _check_recent(candidate)


# ---------------------------------------------------------------- cards


def _check_genera(snapshot: Mapping[str, Any]) -> None:
    genera, option = snapshot["genera"], snapshot["options"]["genera"]
    chosen = tuple(genus for genus in genera if genus != box.ALWAYS)
    good = len(genera) == box.NUM_SKELETONS and chosen in box.CHOICES
    require(
        good,
        "genera",
        f"are {box.ALWAYS}, four of {', '.join(box.THREE_PARTS)} and four of "
        f"{', '.join(box.TWO_PARTS)}",
    )
    if option != "random":
        listed = sorted(option, key=deck.GENERA.index)
        require(list(option) == listed, "options.genera", f"must be in table order: {listed}")
        require(chosen == tuple(option), "genera", "must be those of the option `genera`, and TYR")


def cards_in_play(position: Mapping[str, Any]) -> list[str]:
    return [card for genus in position["genera"] for card in deck.parts_of(genus)]


def cards_in_sight(position: Mapping[str, Any]) -> list[str]:
    """The cards that a snapshot or a view names: on the grid and in the museums."""
    taken = [card for genus in in_sight(position["museums"]) for card in deck.parts_of(genus)]
    return [card for card in in_sight(position["grid"]) if card] + taken


def _check_cards(snapshot: Mapping[str, Any]) -> None:
    require_multiset(
        cards_in_sight(snapshot),
        cards_in_play(snapshot),
        "grid",
        "the cards on the grid and in the museums",
    )


def _check_places(snapshot: Mapping[str, Any], places: Sequence[str], key: str) -> None:
    require(len(set(places)) == len(places), key, "has a place twice")
    for place in places:
        require(bool(_card(snapshot, place)), key, f"{place} has no card")


def _card(snapshot: Mapping[str, Any], place: str) -> str:
    return str(snapshot["grid"][box.PLACES.index(place)])


# ---------------------------------------------------------------- turns


def _turns_over(candidate: Candidate) -> int:
    turn = int(candidate.snapshot["turn"])
    return turn if candidate.is_over else turn - 1


def _check_mover(candidate: Candidate) -> None:
    if not candidate.is_over:
        turn = candidate.snapshot["turn"]
        mover = (turn - 1) % len(candidate.seats)
        require(
            candidate.snapshot["to_move"] == mover, "to_move", f"must be {mover} in turn {turn}"
        )


def _check_scores(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    seats = len(candidate.seats)
    for p, museum in enumerate(snapshot["museums"]):
        points = sum(VALUE[genus] for genus in museum)
        require(snapshot["scores"][p] == points, f"scores.{p}", f"must be {points}")
        turns = len(range(p, _turns_over(candidate), seats))
        require(
            len(museum) <= turns,
            f"museums.{p}",
            f"has at most a skeleton for each of the seat's {turns} turns",
        )


def _check_turn(candidate: Candidate) -> None:
    """`up`, `shown`, and what they say of the turn before."""
    snapshot = candidate.snapshot
    up, shown = snapshot["up"], snapshot["shown"]
    if up:
        genera = {_card(snapshot, place)[:3] for place in up}
        require(not candidate.is_over, "up", "is empty when the game is over")
        require(len(genera) == 1, "up", "has cards of one genus only, or the turn would be over")
        require(
            len(up) < PARTS[genera.pop()], "up", "is complete, so that it would have been taken"
        )
        require(not shown, "shown", "is empty after the first flip of a turn")
        return
    over = _turns_over(candidate)
    last = (over - 1) % len(candidate.seats)
    if shown:
        *before, end = [_card(snapshot, place)[:3] for place in shown]
        good = len(set(before)) == 1 and end not in before and len(before) < PARTS[before[0]]
        require(
            good,
            "shown",
            "is one or more cards of a genus, not complete, and then a card of another",
        )
        missed = over - sum(map(len, snapshot["museums"]))
        require(missed >= 1, "shown", "is empty while every turn has ended with a skeleton")
    elif over:
        require(
            bool(snapshot["museums"][last]),
            "shown",
            f"is empty only after a skeleton, and seat {last} has none",
        )


# ---------------------------------------------------------------- what is remembered


def _check_seen(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    turned = {*snapshot["up"], *snapshot["shown"]}
    for place, card, seen in zip(box.PLACES, snapshot["grid"], snapshot["seen"], strict=True):
        require(seen or bool(card), "seen", f"is true for {place}, whose card has been taken")
        require(seen or place not in turned, "seen", f"is true for {place}, whose card is in sight")
    left = sum(
        1 for card, seen in zip(snapshot["grid"], snapshot["seen"], strict=True) if card and seen
    )
    missed = _turns_over(candidate) - sum(map(len, snapshot["museums"]))
    most = box.MAX_PARTS * missed + len(snapshot["up"])
    require(
        left <= most,
        "seen",
        f"is true for at most {most} cards that are left, after {missed} turns without a skeleton",
    )


def _check_recent(candidate: Candidate) -> None:
    """Whoever decided earlier is shown all that the later ones are shown, and before it a few cards
    more.

    The latest to decide has the card that it turned up, if it is still there. The one before it has
    besides the other cards of that turn and the card of its own decision; and so on. Who has not
    decided yet has every card turned up so far.
    """
    snapshot, recent = candidate.snapshot, candidate.snapshot["recent"]
    for p, places in enumerate(recent):
        _check_places(snapshot, places, f"recent.{p}")
    seats, over = len(candidate.seats), _turns_over(candidate)
    latest = snapshot["up"] or snapshot["shown"]
    turns = over + bool(snapshot["up"])  # in which somebody has decided
    order = [(turns - 1 - k) % seats for k in range(seats)]
    if turns == 0:
        for p in candidate.seats:
            require(not recent[p], f"recent.{p}", "is empty before the first flip")
        return
    require(recent[order[0]] == latest[-1:], f"recent.{order[0]}", f"must be {latest[-1:]}")
    for k in range(1, seats):
        p, later = order[k], recent[order[k - 1]]
        has_decided = k < turns
        known = latest if k == 1 else later
        # of the turn of the seat that decided later
        others = box.MAX_PARTS - 1 if 1 < k <= turns else 0
        most = len(known) + others + has_decided
        ends_so = len(recent[p]) >= len(known) and recent[p][len(recent[p]) - len(known) :] == known
        require(ends_so, f"recent.{p}", f"must end with {known}")
        require(len(recent[p]) <= most, f"recent.{p}", f"has at most {most} places here")
