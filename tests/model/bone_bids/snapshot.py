"""Snapshots of Bone Bids: the table of their keys, and what must hold between them."""

from dig_envs.engine.snapshots.codecs import (
    Counts,
    Int,
    Name,
    PerSeat,
    own_or_null,
    own_or_size,
    require,
    require_multiset,
    size,
)
from dig_envs.engine.snapshots.snapshot import Candidate, check_winners_by_score
from tests.model.bone_bids import components as box

SNAPSHOT = {
    "turn": Int(1, box.MAX_HAND),
    "scores": PerSeat(Int(0, 6 * box.MAX_HAND)),
    "worth": Int(0, 6),
    "pile": Counts(box.CARDS, box.COPIES, view=size),
    "out": Counts(box.CARDS, box.COPIES),
    "hands": PerSeat(Counts(box.CARDS, box.COPIES, total="num_cards"), view=own_or_size),
    "pending": PerSeat(Name(box.CARDS, first=1, none=0), view=own_or_null),
}


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    snapshot, state = candidate.snapshot, candidate.state
    rounds, turn = int(state["hand_size"]), int(state["turn"])
    require(turn <= rounds, "turn", f"is at most hand_size, {rounds}")
    require(
        (snapshot["worth"] == 0) == candidate.is_over, "worth", "is 0 exactly when the game is over"
    )
    require(
        sum(snapshot["scores"]) <= 6 * (turn if candidate.is_over else turn - 1),
        "scores",
        "are more than the bones so far",
    )
    left = 0 if candidate.is_over else rounds - turn + 1
    for p in candidate.seats:
        require(len(snapshot["hands"][p]) == left, f"hands.{p}", f"has {left} cards in turn {turn}")
        committed = not candidate.is_over and not state["owes"][p]
        bid = snapshot["pending"][p]
        require(
            (bid is not None) == committed,
            f"pending.{p}",
            "is null exactly while the seat still has to bid",
        )
        require(
            bid is None or bid in snapshot["hands"][p], f"pending.{p}", "must be a card of the hand"
        )
    cards = (
        [card for hand in snapshot["hands"] for card in hand] + snapshot["pile"] + snapshot["out"]
    )
    require_multiset(
        cards,
        [card for card in box.CARDS for _ in range(4)],
        "pile",
        "the cards of hands, pile and out",
    )
    gone = len(candidate.seats) * (rounds - left)
    require(len(snapshot["out"]) == gone, "out", f"has {gone} cards in turn {turn}")
    check_winners_by_score(candidate)
