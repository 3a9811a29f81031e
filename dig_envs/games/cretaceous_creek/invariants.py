"""The invariants between the keys of a snapshot of Cretaceous Creek."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import in_sight, require, require_multiset
from dig_envs.engine.snapshots.snapshot import Candidate, check_winners
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import state as s

Record = Any


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    snapshot, state = candidate.snapshot, candidate.state
    _check_fossils(snapshot)
    _check_events(snapshot)
    _check_spaces(snapshot)
    _check_seats(snapshot, state)
    _check_clock(snapshot, state)
    _check_phase(candidate)
    if candidate.is_over:
        _check_end(candidate)
    else:
        _check_going_on(candidate)


ALL_EVENTS = [box.EVENT_NAMES[card] for card in box.EVENTS]


def fossils_in_sight(position: Mapping[str, Any]) -> list[str]:
    built = [
        f"{genus}{part + 1}"
        for genus in position["museum"]
        for part in range(box.PARTS[box.GENERA.index(genus)])
    ]
    return built + in_sight(list(position["grid"].values()), position["storage"], position["out"])


def events_in_sight(position: Mapping[str, Any]) -> list[str]:
    """The event cards that a snapshot or a view names."""
    keys = ("stacks", "deck", "revealed", "used", "aside", "flooded", "sandbagged")
    return in_sight(*(position[key] for key in keys))


def _check_fossils(snapshot: Mapping[str, Any]) -> None:
    found, there = fossils_in_sight(snapshot), box.fossils_of(snapshot)
    require(set(there) == set(box.TYPES), "fossils", "must have one of each type at least")
    require_multiset(found, there, "grid", "the fossils of grid, storage, out and museum")


def _check_events(snapshot: Mapping[str, Any]) -> None:
    require_multiset(events_in_sight(snapshot), ALL_EVENTS, "deck", "the event cards")


def _check_spaces(snapshot: Mapping[str, Any]) -> None:
    for space in box.SPACES:
        fossils, top = snapshot["grid"][space], snapshot["top"][space]
        require(
            (top is None) == (not fossils), f"top.{space}", "is null exactly where no fossil lies"
        )
        require(
            not (fossils and space in snapshot["flooded"]),
            f"grid.{space}",
            "no fossil lies on a flooded space",
        )


def _check_seats(snapshot: Mapping[str, Any], state: Record) -> None:
    seats = int(state["num_players"])
    pieces = len(snapshot["museum"])
    require(
        snapshot["scores"] == [pieces] * seats,
        "scores",
        f"must be the number of pieces in the museum, {pieces}, for every seat",
    )
    before = snapshot["phase"] == "camp"
    for p in range(seats):
        key = f"pos.{p}"
        if state["evacuated"][p]:
            require(snapshot["pos"][p] is None, key, "is null after evacuation")
            require(
                not snapshot["storage"][p],
                f"storage.{p}",
                "an evacuated paleontologist stores nothing",
            )
            require(
                state["evacuation"] != s.EVACUATION_NEVER,
                "evacuated",
                "nobody evacuates with evacuation = never",
            )
        elif before:
            chosen = p < state["player"]
            require(
                (snapshot["pos"][p] is not None) == chosen,
                key,
                "in camp exactly the seats before `player` have a camp",
            )
        else:
            require(snapshot["pos"][p] is not None, key, "must be a space")
        most = box.SOLO_STORAGE if seats == 1 else box.STORAGE
        require(state["stored"][p] <= most, f"storage.{p}", f"holds at most {most}")
    if snapshot["phase"] in ("camp", "dig"):
        require(not state["evacuated"].any(), "evacuated", "nobody evacuates before the first turn")
        places = [space for space in snapshot["pos"] if space is not None]
        camps = {box.SPACES[c] for c in box.CAMPS}
        require(
            len(set(places)) == len(places) and set(places) <= camps,
            "pos",
            "at set-up each has a camp of its own",
        )
        _check_setup(snapshot, state)


def _check_setup(snapshot: Mapping[str, Any], state: Record) -> None:
    """Before the first turn nothing is gone, and only the initial dig (CC-6) has taken fossils from
    the grid."""
    for key in ("museum", "out"):
        require(not snapshot[key], key, "is empty before the first turn")
    dug = 0
    for p in range(int(state["num_players"])):
        may = snapshot["phase"] == "dig" and p < state["player"]
        require(
            state["stored"][p] <= may,
            f"storage.{p}",
            "before the first turn holds at most the fossil of the initial dig",
        )
        taken = int(state["stored"][p])
        dug += taken
        camp = snapshot["pos"][p]
        require(
            camp is None or len(snapshot["grid"][camp]) == 2 - taken,
            f"grid.{camp}",
            "lacks only what was dug there",
        )
    require(
        sum(len(pile) for pile in snapshot["grid"].values()) == 2 * box.NUM_SPACES - dug,
        "grid",
        "has two fossils on each space",
    )
    require(
        "endangered" not in snapshot["top"].values(),
        "top",
        "nothing is endangered before the first turn",
    )


def _check_clock(snapshot: Mapping[str, Any], state: Record) -> None:
    storm, period, turn = int(state["storm"]), int(state["period"]), int(state["turn"])
    over, deck, stacks = state["phase"] == s.OVER, int(state["deck_len"]), int(state["num_stacks"])
    if storm > box.LAST_STORM:
        require(state["ended"] == s.LOST_FLOODED, "storm", "is 5 only after the end `flooded`")
        require(
            deck == 0 and stacks == 0, "deck", "deck and stacks are empty when the site is flooded"
        )
        require(25 <= turn <= box.MAX_TURNS, "turn", "is from 25 to 32 in Storm Phase 4")
        return
    if storm < box.LAST_STORM:
        for key in ("flooded", "sandbagged"):
            require(not snapshot[key], key, "is empty before Storm Phase 4")
    waiting = state["phase"] == s.SANDBAG
    require(waiting or not snapshot["revealed"], "revealed", "is empty except in `sandbag`")
    require(
        deck % storm == 0 and deck <= box.DECK_SIZE[storm],
        "deck",
        f"in Storm Phase {storm} its length is a multiple of {storm}, at most "
        f"{box.DECK_SIZE[storm]}",
    )
    aside = len(snapshot["aside"])
    beside = len(box.EVENTS) - int(box.DECK_SIZE[storm])
    require(aside == beside, "aside", f"has {beside} cards in Storm Phase {storm}")
    if period == 2:
        require(deck == 0, "deck", "is empty in period 2")
    else:
        require(
            deck > 0 or over or state["phase"] in (s.SANDBAG, s.ESCAPE),
            "period",
            "is 2 when the deck is empty",
        )
        require(not snapshot["used"], "used", "is empty in period 1")
    if not over and state["phase"] not in (s.SANDBAG, s.ESCAPE):
        require(deck > 0 or stacks > 0, "stacks", "deck and stacks cannot both be empty")
    _check_stack_sizes(snapshot, storm)
    _check_turn(snapshot, state)


def _check_stack_sizes(snapshot: Mapping[str, Any], storm: int) -> None:
    for stack in snapshot["stacks"]:
        full = len(stack) == storm or (storm == box.LAST_STORM and len(stack) < storm)
        require(len(stack) > 0, "stacks", "a stack must not be empty")
        require(
            full,
            "stacks",
            f"a stack of Storm Phase {storm} has {storm} cards (fewer only after floods)",
        )


def _check_turn(snapshot: Mapping[str, Any], state: Record) -> None:
    storm, turn = int(state["storm"]), int(state["turn"])
    if state["phase"] in (s.CAMP, s.DIG):
        require(turn == 0, "turn", "is 0 before the first turn")
        start = storm == 1 and state["deck_len"] == box.DECK_SIZE[1] and state["period"] == 1
        require(bool(start), "storm", "the storm begins with the first turn")
        return
    require(turn >= 1, "turn", "is at least 1 after the set-up")
    # In period 1 every draw makes at most one stack; while `revealed` is undecided its own stack is
    # still to come.
    undecided = state["phase"] == s.SANDBAG and state["period"] == 1
    most = max(0, box.MAX_STACKS - int(state["deck_len"]) // storm - int(undecided))
    require(
        int(state["num_stacks"]) <= most,
        "stacks",
        f"there can be at most {most} after so many draws",
    )
    if storm == box.LAST_STORM:
        require(25 <= turn <= box.MAX_TURNS, "turn", "is from 25 to 32 in Storm Phase 4")
        return
    # A step draws or takes one stack: `steps` of them are carried out in this Storm Phase.
    left = int(state["deck_len"]) // storm
    steps = 4 - left if state["period"] == 1 else 8 - int(state["num_stacks"])
    expected = 8 * (storm - 1) + 1 + steps
    if state["phase"] == s.OVER:
        require(
            expected - 1 <= turn <= expected,
            "turn",
            f"does not fit {steps} erosion steps in Storm Phase {storm}",
        )
    else:
        require(
            turn == expected,
            "turn",
            f"must be {expected} after {steps} erosion steps in Storm Phase {storm}",
        )
    if state["period"] == 1:
        require(
            int(state["num_stacks"]) == steps,
            "stacks",
            f"there must be {steps} stacks after {steps} draws",
        )


def _check_phase(candidate: Candidate) -> None:
    snapshot, state, facts = candidate.snapshot, candidate.state, candidate.facts
    phase, mover, player = state["phase"], int(state["to_move"]), int(state["player"])
    require(phase != s.DIG or state["level"] == s.BEGINNER, "phase", "`dig` is for beginners only")
    require(phase == s.ACT or state["ap"] == 0, "ap", "is 0 in every phase but `act`")
    if phase in (s.CAMP, s.DIG, s.ACT, s.SWAP):
        require(mover == player, "to_move", "is `player` in this phase")
        require(not state["evacuated"][player], "player", "has evacuated")
    require(
        (len(snapshot["displaced"]) > 0) == (phase == s.ESCAPE),
        "displaced",
        "is empty exactly outside the phase `escape`",
    )
    if phase == s.SWAP:
        _check_swap(candidate)
    if phase == s.SANDBAG:
        require(
            state["storm"] == box.LAST_STORM, "phase", "`sandbag` is asked in Storm Phase 4 only"
        )
        require(
            "EDM" in snapshot["storage"][mover], "to_move", "in `sandbag` the holder of EDM decides"
        )
        require(len(snapshot["revealed"]) > 0, "revealed", "must not be empty in `sandbag`")
    if phase == s.ESCAPE:
        require(snapshot["displaced"][0] == mover, "to_move", "is the first of `displaced`")
        require(state["storm"] == box.LAST_STORM, "phase", "`escape` happens in Storm Phase 4 only")
        for p in snapshot["displaced"]:
            require(
                facts["can_escape"][p],
                "displaced",
                "who has no dry space beside or diagonally has discarded everything",
            )
    for p in candidate.seats:
        wet = state["pos"][p] >= 0 and state["flooded"][state["pos"][p]] and state["stored"][p] > 0
        if phase != s.OVER:
            require(
                bool(wet) == bool(state["displaced"][p]),
                f"pos.{p}",
                "a carrier is on a flooded space exactly while `displaced`",
            )


def _check_swap(candidate: Candidate) -> None:
    state = candidate.state
    player, partner, gives = (
        int(state["player"]),
        int(state["swap_partner"]),
        int(state["swap_gives"]),
    )
    require(
        partner not in (s.NOT_THERE, player) and not state["evacuated"][partner],
        "swap.partner",
        "must be another in the game",
    )
    require(state["storage"][player, gives] > 0, "swap.gives", "must be in the player's storage")
    require(
        state["stored"][partner] > state["storage"][partner, gives],
        "swap.partner",
        "must store some other type",
    )
    require(candidate.facts["swap_in_reach"], "swap.partner", "must be in reach")


def _check_going_on(candidate: Candidate) -> None:
    require(candidate.state["ended"] == s.NOT_ENDED, "ended", "is null until the game is over")
    if candidate.state["phase"] != s.CAMP:
        ended = s.ENDS[candidate.facts["ended"]]
        require(ended is None, "phase", f"the game would be over here: {ended}")
        require(
            not candidate.facts["completes"],
            "storage",
            "a skeleton would have been completed here (CC-17)",
        )


def _check_end(candidate: Candidate) -> None:
    ended = int(candidate.state["ended"])
    require(ended != s.NOT_ENDED, "ended", "must say how the game ended")
    right = int(candidate.facts["ended"])
    require(ended == right, "ended", f"must be {s.ENDS[right]!r} in this position")
    check_winners(candidate, [*candidate.seats] if ended == s.WON else [])
