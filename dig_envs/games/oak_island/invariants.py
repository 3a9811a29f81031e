"""The invariants of snapshots of The Treasure of Oak Island, which hold between the keys.

The cubes add up, so that the bag never outgrows its array, and it is never empty before the yellow
cube comes; what turns and money there are is bounded by the rounds and cubes so far, so that the
turns of the rest of the game can be counted.
"""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import in_sight, require, require_multiset
from dig_envs.engine.snapshots.snapshot import Candidate, check_winners
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.data import BAG_LIMITS, DIGGING, DOLLARS


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    _check_seats(candidate)
    _check_phase(candidate)
    _check_dig(candidate)
    _check_cubes(candidate)
    _check_clock(candidate)
    _check_money(candidate)
    _check_first_round(candidate)
    _check_end(candidate)


def _check_seats(candidate: Candidate) -> None:
    snapshot, seats = candidate.snapshot, candidate.seats
    for key in ("first", "laird", "found"):
        require(snapshot[key] < len(seats), key, f"must be a seat below {len(seats)}")
    for p in seats:
        # those of a dig that goes on may be too many: they go back at its end
        ifso = snapshot["ifso"][p] - _dug(candidate, "blue", p)
        tokens = ifso + snapshot["clues"][p]
        require(
            tokens <= box.LIMIT,
            f"ifso.{p}",
            f"and clues.{p} are {tokens} together, at most {box.LIMIT} are possible",
        )


def _dug(candidate: Candidate, colour: str, p: int) -> int:
    """Cubes of a colour that the dig of seat p has pulled, if it goes on."""
    snapshot = candidate.snapshot
    is_digging = candidate.phase == "extra" and snapshot["to_move"] == p
    return int(snapshot["dig"]["cubes"][colour]) if is_digging else 0


def _check_dig(candidate: Candidate) -> None:
    """A dig that goes on is one that the player could begin, has its cubes, and may have another
    (OI-19)."""
    if candidate.phase != "extra":
        return
    snapshot = candidate.snapshot
    p, place, cubes = snapshot["to_move"], snapshot["dig"]["place"], snapshot["dig"]["cubes"]
    require(snapshot["options"]["extra"] == "after", "phase", "is `extra` only with extra: after")
    location = box.BOXES[candidate.game.version].locations[DIGGING.index(place)]
    there = {name for name, at in snapshot["where"].items() if at == place}
    active = all(len(there & set(row.characters)) >= row.need for row in location.rows)
    require(active, "dig.place", "is not active")
    extra = sum(cubes.values()) - location.cubes
    most = min(location.extra, snapshot["clues"][p])
    require(
        0 <= extra < most,
        "dig.cubes",
        f"are {sum(cubes.values())}, and must be {location.cubes} and fewer than {most} more",
    )
    held = {**snapshot["dirt"], "blue": snapshot["ifso"][p], "red": snapshot["dazzlers"][p]}
    for colour, count in cubes.items():
        require(
            count <= held[colour],
            f"dig.cubes.{colour}",
            f"is at most {held[colour]}, as many as there are",
        )
    earned = box.GREEN_MONEY * cubes["green"]
    require(snapshot["money"][p] >= earned, f"money.{p}", f"is at least {earned}, just earned")
    if place in ("lots", "swamp"):
        has_laird = snapshot["laird"] == p
        require(
            has_laird == (cubes["red"] > 0), "laird", "is with the player if a red cube was dug"
        )


def _check_phase(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    episode, war = snapshot["episode"], candidate.phase == "war"
    require((episode == 0) == war, "episode", "is 0 exactly in the War Room")
    compass = [name for name, place in snapshot["where"].items() if place == "compass"]
    require(bool(compass) == war, "where", "has somebody on the compass exactly in the War Room")
    if candidate.is_over:
        require(
            (snapshot["found"] >= 0) != snapshot["truncated"],
            "truncated",
            "is true exactly where nobody found the treasure",
        )
    else:
        require(snapshot["found"] == -1, "found", "is -1 until the game is over")


def cubes_in_play(candidate: Candidate) -> list[str]:
    """All cubes of the game."""
    options = candidate.snapshot["options"]
    return ["yellow"] + [c for c in BAG_LIMITS for _ in range(options[f"bag_{c}"])]


def cubes_in_sight(position: Mapping[str, Any]) -> list[str]:
    """The cubes that a snapshot or a view names: in the bag, in the dirt pile, with the players."""
    dirt = [colour for colour, count in position["dirt"].items() for _ in range(count)]
    held = ["red"] * sum(position["dazzlers"]) + ["blue"] * sum(position["ifso"])
    return [*in_sight(position["bag"]), *dirt, *held, *["yellow"] * (position["found"] >= 0)]


def _check_cubes(candidate: Candidate) -> None:
    snapshot, expected = candidate.snapshot, cubes_in_play(candidate)
    require_multiset(
        cubes_in_sight(snapshot),
        expected,
        "bag",
        "the cubes in the bag, in the dirt pile and with the players",
    )
    pulled = len(expected) - len(snapshot["bag"])
    if candidate.phase == "extra":
        pulled -= sum(snapshot["dig"]["cubes"].values())
    most = box.MOST_PULLED * _episode_turns(candidate)
    require(pulled <= most, "bag", f"lacks {pulled} cubes, and at most {most} can have been pulled")


# ---------------------------------------------------------------- turns


def _turns_taken(candidate: Candidate) -> int:
    """Turns of this Episode that are over."""
    snapshot, seats = candidate.snapshot, len(candidate.seats)
    if not candidate.is_over:
        return int((snapshot["to_move"] - snapshot["first"]) % seats)
    return (
        seats if snapshot["truncated"] else int((snapshot["found"] - snapshot["first"]) % seats) + 1
    )


def _episode_turns(candidate: Candidate) -> int:
    """Turns of Episodes that are over."""
    seats, episode = len(candidate.seats), candidate.snapshot["episode"]
    before = 2 * seats * (int(candidate.snapshot["round"]) - 1)
    return before + (seats * (episode - 1) + _turns_taken(candidate) if episode else 0)


def _placed(candidate: Candidate) -> int:
    return sum(place != "compass" for place in candidate.snapshot["where"].values())


def _relocations(candidate: Candidate) -> int:
    """Turns begun besides those without which the position cannot be reached: each is a
    relocation."""
    moves = box.NUM_CHARACTERS * (int(candidate.snapshot["round"]) - 1) + _placed(candidate)
    return (
        int(candidate.snapshot["turn"])
        - moves
        - _episode_turns(candidate)
        - (not candidate.is_over)
    )


def _check_clock(candidate: Candidate) -> None:
    snapshot, seats = candidate.snapshot, len(candidate.seats)
    relocations = _relocations(candidate)
    require(
        relocations >= 0,
        "turn",
        f"is too small by {-relocations} for round, episode, first and to_move",
    )
    if candidate.phase == "war":
        here = (snapshot["to_move"] - snapshot["first"] - _placed(candidate)) % seats
        fits = here == relocations % seats if snapshot["round"] == 1 else here <= relocations
        require(
            fits,
            "to_move",
            "does not fit first, turn and the characters that have left the compass",
        )
        if _placed(candidate) == 0:
            require(here == 0, "to_move", "is first as long as everybody is on the compass")
            leader = _in_order(candidate)[0]
            require(
                snapshot["first"] == leader,
                "first",
                f"must be {leader}: most Bobby Dazzlers, then money, then the lowest seat",
            )


def _check_money(candidate: Candidate) -> None:
    snapshot, options = candidate.snapshot, candidate.snapshot["options"]
    for p in candidate.seats:
        require(
            snapshot["money"][p] % DOLLARS == 0, f"money.{p}", f"must be a multiple of {DOLLARS}"
        )
    cubes = (
        box.GREEN_MONEY * options["bag_green"]
        + box.IFSO_MONEY * options["bag_blue"]
        + box.DAZZLER_MONEY * options["bag_red"]
    )
    most = (
        box.WAR_MONEY * len(candidate.seats) * snapshot["round"]
        + cubes
        - box.RELOCATION * _relocations(candidate)
    )
    require(most >= 0, "turn", "is too large: so many relocations cannot have been paid")
    require(sum(snapshot["money"]) <= most, "money", f"must be at most {most} together")


def _check_first_round(candidate: Candidate) -> None:
    """Before the first Episode nobody has pulled anything (that no cube has been pulled is checked
    with the cubes)."""
    snapshot = candidate.snapshot
    if snapshot["round"] == 1 and candidate.phase == "war":
        require(not any(snapshot["clues"]), "clues", "nobody has any before the first Episode")
        require(
            snapshot["laird"] == -1,
            "laird",
            "is at the interpretive centre before the first Episode",
        )
        require(snapshot["first"] == 0, "first", "is 0 in the first War Room")


# ---------------------------------------------------------------- the end


def _in_order(candidate: Candidate) -> list[int]:
    """The seats by Bobby Dazzlers, then money, then the lowest."""
    snapshot = candidate.snapshot
    return sorted(
        candidate.seats, key=lambda p: (-snapshot["dazzlers"][p], -snapshot["money"][p], p)
    )


def _check_end(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    if snapshot["truncated"]:
        require(
            snapshot["episode"] == 2, "episode", "must be 2, where the game was ended by max_rounds"
        )
        best = _in_order(candidate)[0]
        level = [
            p
            for p in candidate.seats
            if all(snapshot[key][p] == snapshot[key][best] for key in ("dazzlers", "money"))
        ]
        check_winners(candidate, level if candidate.game.version == 0 else [])
    elif candidate.is_over:
        check_winners(candidate, [snapshot["found"]])
