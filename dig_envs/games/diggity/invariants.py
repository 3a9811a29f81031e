"""The invariants of snapshots of Diggity, which hold between the keys."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import in_sight, require, require_multiset
from dig_envs.engine.snapshots.snapshot import Candidate, check_end_by_score
from dig_envs.games.diggity import components as box


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    _check_cards(candidate)
    _check_gold(candidate)
    _check_tools(candidate)
    _check_mine(candidate)
    _check_turn(candidate)
    _check_end(candidate)


def cards_in_sight(position: Mapping[str, Any]) -> list[str]:
    """The mine cards that a snapshot or a view names."""
    laid = [card["card"] for card in position["mine"]]
    return laid + in_sight(*(position[key] for key in ("pile", "discard", "hands", "chosen")))


def gold_in_play(candidate: Candidate) -> list[int]:
    """The values of all gold cards of the game (DG-1)."""
    number = box.NUM_GOLD if candidate.state["high_gold"] else box.NUM_LOW_GOLD
    return [box.VALUES[place] for place in box.GOLD[:number]]


def gold_won(position: Mapping[str, Any]) -> list[int]:
    """The gold cards of the players, and the one that is being auctioned."""
    won = [value for nuggets in position["nuggets"] for value in nuggets]
    return won + ([position["auction"]["value"]] if position["auction"] is not None else [])


def _check_cards(candidate: Candidate) -> None:
    """All cards are there, hands are full, and there is something to draw."""
    snapshot = candidate.snapshot
    require_multiset(
        cards_in_sight(snapshot),
        box.cards_of(snapshot),
        "pile",
        "the cards of hands, chosen, pile, discard and mine",
    )
    require(bool(snapshot["pile"]), "pile", "is never empty")
    for p, hand in enumerate(snapshot["hands"]):
        full = int(box.HAND_SIZE[len(candidate.seats)])
        lacks = p == snapshot["player"] and _lacks_card(candidate)
        require(len(hand) == full - lacks, f"hands.{p}", f"must have {full - lacks} cards")


def _lacks_card(candidate: Candidate) -> bool:
    """Whether the player's hand lacks the card that is being laid, or with which the last gold was
    won."""
    by_gold = candidate.is_over and not candidate.snapshot["truncated"]
    return by_gold or candidate.phase in ("place", "take", "steal", "auction")


def _check_gold(candidate: Candidate) -> None:
    """Check the gold cards: which there are, how many are set aside, and the scores (DG-1)."""
    snapshot, state = candidate.snapshot, candidate.state
    played = gold_in_play(candidate)
    found = [*snapshot["gold"], *snapshot["gold_aside"], *gold_won(snapshot)]
    require_multiset(found, played, "gold", "the cards of gold, gold_aside, auction and nuggets")
    aside = max(0, len(played) - int(state["gold_cards"]))
    require(len(snapshot["gold_aside"]) == aside, "gold_aside", f"must have {aside} cards")
    for p, won in enumerate(snapshot["nuggets"]):
        require(
            snapshot["scores"][p] == sum(won),
            f"scores.{p}",
            f"must be {sum(won)}, the sum of the nuggets",
        )


def _check_tools(candidate: Candidate) -> None:
    """DG-3, DG-33: as many of each kind as players; what lies open."""
    snapshot, seats = candidate.snapshot, candidate.seats
    for kind in box.TOOLS:
        count = snapshot["piles"][kind] + sum(held.count(kind) for held in snapshot["tools"])
        require(
            count == len(seats),
            f"piles.{kind}",
            f"with those of the players there must be {len(seats)}, not {count}",
        )
    revealed = snapshot["revealed"]
    require(
        revealed is None or bool(candidate.state["hidden_tools"]),
        "revealed",
        "is null unless tools are hidden",
    )
    if revealed is not None and candidate.phase in ("play", "place"):
        require(revealed["thief"] != snapshot["player"], "revealed.thief", "has no turn yet")


def _check_mine(candidate: Candidate) -> None:
    """Check that the mine could have been laid, is not closed, and takes the card chosen (DG-9,
    DG-10, DG-24)."""
    snapshot, facts, phase = candidate.snapshot, candidate.facts, candidate.phase
    cards = snapshot["mine"]
    if cards:
        first = {key: cards[0][key] for key in ("x", "y", "r")}
        require(first == {"x": 0, "y": 0, "r": 0}, "mine.0", "lies at (0, 0) with r = 0")
    require(
        facts["overlaps"] == 0, f"mine.{int(facts['overlaps']) - 1}", "overlaps an earlier card"
    )
    require(
        facts["loose"] == 0,
        f"mine.{int(facts['loose']) - 1}",
        "is not connected to an earlier card",
    )
    require(
        bool(cards) or phase not in ("place", "take", "steal", "auction"),
        "mine",
        f"is not empty in `{phase}`",
    )
    if cards and phase in ("play", "place"):
        require(
            int(candidate.state["open_len"]) > 0,
            "mine",
            "has an open passage, or would have been closed",
        )
    require(phase != "place" or bool(facts["can_lay"]), "chosen", "has no legal play")


def _check_turn(candidate: Candidate) -> None:
    snapshot, phase, mover = candidate.snapshot, candidate.phase, candidate.snapshot["to_move"]
    require(
        snapshot["passes"] < len(candidate.seats), "passes", "is less than the number of players"
    )
    require(
        snapshot["passes"] == 0 or phase in ("play", "place", "over"),
        "passes",
        "is 0 after a card has been laid",
    )
    if phase in ("play", "place", "take", "steal"):
        require(mover == snapshot["player"], "to_move", "must be `player`")
    choices = [
        thing for thing, there in zip(box.THINGS, candidate.facts["choices"], strict=True) if there
    ]
    require(
        snapshot["choices"] == choices,
        "choices",
        f"must be {choices}: what the last card makes and can be gained, in `take`",
    )
    require(phase != "take" or len(choices) > 1, "choices", "has two things or more in `take`")
    if phase == "steal":
        _check_theft(candidate)
    if phase == "auction":
        _check_auction(candidate, mover)


def _check_theft(candidate: Candidate) -> None:
    """Check from whom a tool can be stolen, and that its pile is empty (DG-18)."""
    snapshot = candidate.snapshot
    kind = snapshot["steal"]["kind"]
    owners = [
        p for p in candidate.seats if p != snapshot["player"] and kind in snapshot["tools"][p]
    ]
    require(
        snapshot["piles"][kind] == 0, f"piles.{kind}", "is empty when a tool of the kind is stolen"
    )
    require(
        snapshot["steal"]["from"] == owners,
        "steal.from",
        f"must be {owners}, the others who have a {kind}",
    )
    require(len(owners) > 1, "steal.from", "has two seats or more")
    lies_open = snapshot["revealed"] == {"kind": kind, "thief": snapshot["player"]}
    require(lies_open or not candidate.state["hidden_tools"], "revealed", "is what `player` steals")


def _check_auction(candidate: Candidate, mover: int) -> None:
    """DG-19, DG-20, DG-32: the mover is one who is not skipped."""
    snapshot = candidate.snapshot
    auction, held = snapshot["auction"], snapshot["tools"][mover]
    tool = box.TOOLS[auction["rank"]]
    if candidate.state["hidden_tools"]:
        require(
            bool(held), f"tools.{mover}", "is empty: the seat would not be asked in the auction"
        )
    else:
        require(
            tool in held,
            f"tools.{mover}",
            f"has no {tool}: the seat would not be asked in the auction",
        )
    if auction["rank"] == 0:
        require(
            auction["leader"] == snapshot["player"],
            "auction.leader",
            "is `player` as long as no tool has been played",
        )


def _check_end(candidate: Candidate) -> None:
    """Check that the game is over exactly when all gold is won or the turn limit is reached (DG-29,
    DG-31)."""
    all_won = not candidate.snapshot["gold"] and candidate.snapshot["auction"] is None
    check_end_by_score(candidate, all_won, "all gold has been won")
