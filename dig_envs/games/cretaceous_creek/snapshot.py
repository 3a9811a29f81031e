"""Snapshots and views of Cretaceous Creek (the schema of the rules, section "Snapshot")."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.snapshot import Reader, common_entries, require, require_multiset
from dig_envs.games.cretaceous_creek.components import (
    ACTION_POINTS,
    CAMPS,
    COPIES,
    DECK_SIZE,
    EVENT_NAMES,
    EVENTS,
    FIRST_TYPE,
    FOSSILS,
    GENERA,
    LAST_STORM,
    MAX_STACKS,
    MAX_TURNS,
    NEIGHBOUR,
    NO_EROSION,
    NUM_SPACES,
    NUM_TYPES,
    PARTS,
    SOLO_STORAGE,
    SPACES,
    STORAGE,
    TYPES,
)
from dig_envs.games.cretaceous_creek.state import (
    ACT,
    BEGINNER,
    CAMP,
    DIG,
    ENDS,
    ESCAPE,
    EVACUATION_NEVER,
    LOST_CORNERS,
    LOST_EVACUATED,
    LOST_FLOODED,
    LOST_PART,
    OPTIONS,
    OVER,
    PHASES,
    SANDBAG,
    SWAP,
    TOPS,
    WON,
    State,
)

NAME = "cretaceous_creek"
KEYS = (
    *("ended", "player", "ap", "pos", "evacuated", "storage", "museum", "grid", "top", "out", "storm", "period"),
    *("deck", "stacks", "revealed", "used", "aside", "flooded", "sandbagged", "swap", "displaced"),
)
Record = Any
Array = np.ndarray[Any, Any]

# ---------------------------------------------------------------- state -> snapshot


def decode(state: Record) -> dict[str, Any]:
    """The snapshot of a state record."""
    seats = range(int(state["num_players"]))
    partner = int(state["swap_partner"])
    return {
        **common_entries(state, NAME, OPTIONS, PHASES),
        "ended": ENDS[state["ended"]],
        "player": int(state["player"]),
        "ap": int(state["ap"]),
        "pos": [SPACES[state["pos"][p]] if state["pos"][p] >= 0 else None for p in seats],
        "evacuated": [bool(state["evacuated"][p]) for p in seats],
        "storage": [_types(state["storage"][p]) for p in seats],
        "museum": [genus for genus, there in zip(GENERA, state["museum"], strict=True) if there],
        "grid": {name: [TYPES[t] for t in state["grid"][s][: state["height"][s]]] for s, name in enumerate(SPACES)},
        "top": {name: TOPS[state["top"][s]] for s, name in enumerate(SPACES)},
        "out": _types(state["out"]),
        "storm": int(state["storm"]),
        "period": int(state["period"]),
        "deck": _events(state, "deck"),
        "stacks": [[EVENT_NAMES[c] for c in state["stacks"][s][: state["stack_len"][s]]] for s in range(state["num_stacks"])],
        "revealed": _events(state, "revealed"),
        "used": _events(state, "used"),
        "aside": _events(state, "aside"),
        "flooded": [name for name, flooded in zip(SPACES, state["flooded"], strict=True) if flooded],
        "sandbagged": _events(state, "sandbagged"),
        "swap": {"partner": partner, "gives": TYPES[state["swap_gives"]]} if partner >= 0 else None,
        "displaced": [p for p in seats if state["displaced"][p]],
        "rng": str(int(state["rng"])),
    }


def _types(counts: Array) -> list[str]:
    return [TYPES[t] for t in range(NUM_TYPES) for _ in range(counts[t])]


def _events(state: Record, name: str) -> list[str]:
    return [EVENT_NAMES[card] for card in state[name][: state[f"{name}_len"]]]


def hide(snapshot: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """The view of a seat, the same for all: without the face-down fossils, the deck and the cards set aside."""
    view = {key: value for key, value in snapshot.items() if key != "rng"}
    view["grid"] = {space: _visible(fossils, snapshot["top"][space]) for space, fossils in snapshot["grid"].items()}
    view["deck"] = len(snapshot["deck"])
    view["aside"] = len(snapshot["aside"])
    return view


def _visible(fossils: list[str], top: str | None) -> list[str | None]:
    shown: list[str | None] = [None] * len(fossils)
    if top in ("exposed", "endangered"):
        shown[-1] = fossils[-1]
    return shown


# ---------------------------------------------------------------- snapshot -> state


def encode(snapshot: Any) -> Array:
    """The state (record array of length 1) of a snapshot; raises SnapshotError for a malformed or impossible one."""
    reader = Reader(snapshot, NAME, OPTIONS, KEYS)
    records = reader.new_state(State, OPTIONS)
    state = records[0]
    _read_header(reader, state)
    _read_seats(reader, state)
    _read_grid(reader, state)
    _read_storm(reader, state)
    _read_open_decisions(reader, state)
    check(reader.snapshot, state)
    return records


def _read_header(reader: Reader, state: Record) -> None:
    seats = int(state["num_players"])
    state["rng"] = state["seed"] = reader.rng()
    state["phase"] = reader.choice("phase", PHASES)
    state["over"] = state["phase"] == OVER
    state["to_move"] = reader.integer("to_move", -1, seats - 1)
    if state["to_move"] >= 0:
        state["owes"][state["to_move"]] = 1
    state["turn"] = reader.integer("turn", 0, MAX_TURNS)
    state["truncated"] = reader.boolean("truncated")
    state["ended"] = reader.choice("ended", ENDS)
    state["player"] = reader.integer("player", 0, seats - 1)
    state["ap"] = reader.integer("ap", 0, ACTION_POINTS)
    for p, score in enumerate(reader.array("scores", seats)):
        state["scores"][p] = reader.integer_value(score, "scores", 0, len(GENERA))
    for winner in reader.array("winners", most=seats):
        state["winners"][reader.integer_value(winner, "winners", 0, seats - 1)] = 1


def _read_seats(reader: Reader, state: Record) -> None:
    seats = int(state["num_players"])
    state["pos"][:] = -1
    for p, space in enumerate(reader.choices("pos", (*SPACES, None), seats)):
        state["pos"][p] = space if space < NUM_SPACES else -1
    for p, value in enumerate(reader.choices("evacuated", (False, True), seats)):
        state["evacuated"][p] = value
    for p, fossils in enumerate(reader.array("storage", seats)):
        _count(reader, fossils, f"storage.{p}", state["storage"][p])
        state["stored"][p] = state["storage"][p].sum()


def _count(reader: Reader, fossils: Any, key: str, counts: Array) -> None:
    for fossil in reader.array_value(fossils, key, most=len(FOSSILS)):
        counts[reader.choice_value(fossil, key, TYPES)] += 1


def _read_grid(reader: Reader, state: Record) -> None:
    tops = reader.mapping("top", SPACES)
    for s, (name, fossils) in enumerate((n, reader.mapping("grid", SPACES)[n]) for n in SPACES):
        key = f"grid.{name}"
        pile = reader.array_value(fossils, key, most=2)
        for layer, fossil in enumerate(pile):
            state["grid"][s, layer] = reader.choice_value(fossil, key, TYPES)
        state["height"][s] = len(pile)
        state["top"][s] = reader.choice_value(tops[name], f"top.{name}", TOPS)
    for genus in reader.choices("museum", GENERA, most=len(GENERA)):
        state["museum"][genus] = 1
    _count(reader, reader.snapshot["out"], "out", state["out"])
    for space in reader.choices("flooded", SPACES, most=NUM_SPACES):
        state["flooded"][space] = 1


def _read_storm(reader: Reader, state: Record) -> None:
    state["storm"] = reader.integer("storm", 1, LAST_STORM + 1)
    state["period"] = reader.integer("period", 1, 2)
    for name, most in (("deck", 16), ("revealed", 4), ("used", len(EVENTS)), ("aside", len(EVENTS)), ("sandbagged", 4)):
        cards = reader.choices(name, EVENT_NAMES, most=most)
        state[name][: len(cards)] = cards
        state[f"{name}_len"] = len(cards)
    stacks = reader.array("stacks", most=MAX_STACKS)
    state["num_stacks"] = len(stacks)
    for s, stack in enumerate(stacks):
        cards = [reader.choice_value(card, "stacks", EVENT_NAMES) for card in reader.array_value(stack, "stacks", most=4)]
        require(len(cards) > 0, "stacks", "a stack must not be empty")
        state["stacks"][s, : len(cards)] = cards
        state["stack_len"][s] = len(cards)


def _read_open_decisions(reader: Reader, state: Record) -> None:
    seats = int(state["num_players"])
    state["swap_partner"] = -1
    if reader.snapshot["swap"] is not None:
        swap = reader.mapping("swap", ("partner", "gives"))
        state["swap_partner"] = reader.integer_value(swap["partner"], "swap.partner", 0, seats - 1)
        state["swap_gives"] = reader.choice_value(swap["gives"], "swap.gives", TYPES)
    for seat in reader.array("displaced", most=seats):
        state["displaced"][reader.integer_value(seat, "displaced", 0, seats - 1)] = 1


# ---------------------------------------------------------------- invariants


def check(snapshot: Mapping[str, Any], state: Record) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    canonical = decode(state)
    for key in ("winners", "storage", "museum", "out", "flooded", "displaced"):
        require(snapshot[key] == canonical[key], key, f"must be in order and without repetition: {canonical[key]}")
    _check_fossils(snapshot)
    _check_events(snapshot)
    _check_spaces(snapshot)
    _check_seats(snapshot, state)
    _check_clock(snapshot, state)
    _check_phase(snapshot, state)
    if state["phase"] == OVER:
        _check_end(snapshot, state)
    else:
        _check_going_on(state)


def _check_fossils(snapshot: Mapping[str, Any]) -> None:
    found = [fossil for pile in snapshot["grid"].values() for fossil in pile]
    found += [fossil for fossils in snapshot["storage"] for fossil in fossils] + list(snapshot["out"])
    found += [f"{genus}{part + 1}" for genus in snapshot["museum"] for part in range(PARTS[GENERA.index(genus)])]
    require_multiset(found, (TYPES[t] for t in FOSSILS), "grid", "the fossils of grid, storage, out and museum")


def _check_events(snapshot: Mapping[str, Any]) -> None:
    found = [card for stack in snapshot["stacks"] for card in stack]
    for key in ("deck", "revealed", "used", "aside", "flooded", "sandbagged"):
        found += snapshot[key]
    require_multiset(found, (EVENT_NAMES[card] for card in EVENTS), "deck", "the event cards")


def _check_spaces(snapshot: Mapping[str, Any]) -> None:
    for space in SPACES:
        fossils, top = snapshot["grid"][space], snapshot["top"][space]
        require((top is None) == (not fossils), f"top.{space}", "is null exactly where no fossil lies")
        require(not (fossils and space in snapshot["flooded"]), f"grid.{space}", "no fossil lies on a flooded space")


def _check_seats(snapshot: Mapping[str, Any], state: Record) -> None:
    seats = int(state["num_players"])
    pieces = len(snapshot["museum"])
    require(
        snapshot["scores"] == [pieces] * seats, "scores", f"must be the number of pieces in the museum, {pieces}, for every seat"
    )
    require(not snapshot["truncated"], "truncated", "is always false")
    before = snapshot["phase"] == "camp"
    for p in range(seats):
        key = f"pos.{p}"
        if state["evacuated"][p]:
            require(snapshot["pos"][p] is None, key, "is null after evacuation")
            require(not snapshot["storage"][p], f"storage.{p}", "an evacuated paleontologist stores nothing")
            require(state["evacuation"] != EVACUATION_NEVER, "evacuated", "nobody evacuates with evacuation = never")
        elif before:
            chosen = p < state["player"]
            require((snapshot["pos"][p] is not None) == chosen, key, "in camp exactly the seats before `player` have a camp")
        else:
            require(snapshot["pos"][p] is not None, key, "must be a space")
        most = SOLO_STORAGE if seats == 1 else STORAGE
        require(state["stored"][p] <= most, f"storage.{p}", f"holds at most {most}")
    if snapshot["phase"] in ("camp", "dig"):
        require(not state["evacuated"].any(), "evacuated", "nobody evacuates before the first turn")
        places = [space for space in snapshot["pos"] if space is not None]
        camps = {SPACES[c] for c in CAMPS}
        require(len(set(places)) == len(places) and set(places) <= camps, "pos", "at set-up each has a camp of its own")
        _check_setup(snapshot, state)


def _check_setup(snapshot: Mapping[str, Any], state: Record) -> None:
    """Before the first turn nothing is gone, and only the initial dig (CC-6) has taken fossils from the grid."""
    for key in ("museum", "out"):
        require(not snapshot[key], key, "is empty before the first turn")
    dug = 0
    for p in range(int(state["num_players"])):
        may = snapshot["phase"] == "dig" and p < state["player"]
        require(state["stored"][p] <= may, f"storage.{p}", "before the first turn holds at most the fossil of the initial dig")
        taken = int(state["stored"][p])
        dug += taken
        camp = snapshot["pos"][p]
        require(camp is None or len(snapshot["grid"][camp]) == 2 - taken, f"grid.{camp}", "lacks only what was dug there")
    require(sum(len(pile) for pile in snapshot["grid"].values()) == 2 * NUM_SPACES - dug, "grid", "has two fossils on each space")
    require("endangered" not in snapshot["top"].values(), "top", "nothing is endangered before the first turn")


def _check_clock(snapshot: Mapping[str, Any], state: Record) -> None:
    storm, period, turn = int(state["storm"]), int(state["period"]), int(state["turn"])
    over, deck, stacks = state["phase"] == OVER, int(state["deck_len"]), int(state["num_stacks"])
    if storm > LAST_STORM:
        require(state["ended"] == LOST_FLOODED, "storm", "is 5 only after the end `flooded`")
        require(deck == 0 and stacks == 0, "deck", "deck and stacks are empty when the site is flooded")
        require(25 <= turn <= MAX_TURNS, "turn", "is from 25 to 32 in Storm Phase 4")
        return
    if storm < LAST_STORM:
        for key in ("flooded", "sandbagged"):
            require(not snapshot[key], key, "is empty before Storm Phase 4")
    waiting = state["phase"] == SANDBAG
    require(waiting or not snapshot["revealed"], "revealed", "is empty except in `sandbag`")
    require(
        deck % storm == 0 and deck <= DECK_SIZE[storm],
        "deck",
        f"in Storm Phase {storm} its length is a multiple of {storm}, at most {DECK_SIZE[storm]}",
    )
    aside = len(snapshot["aside"])
    require(aside == len(EVENTS) - DECK_SIZE[storm], "aside", f"has {len(EVENTS) - DECK_SIZE[storm]} cards in Storm Phase {storm}")
    if period == 2:
        require(deck == 0, "deck", "is empty in period 2")
    else:
        require(deck > 0 or over or state["phase"] in (SANDBAG, ESCAPE), "period", "is 2 when the deck is empty")
        require(not snapshot["used"], "used", "is empty in period 1")
    if not over and state["phase"] not in (SANDBAG, ESCAPE):
        require(deck > 0 or stacks > 0, "stacks", "deck and stacks cannot both be empty")
    _check_stack_sizes(snapshot, storm)
    _check_turn(snapshot, state)


def _check_stack_sizes(snapshot: Mapping[str, Any], storm: int) -> None:
    for stack in snapshot["stacks"]:
        full = len(stack) == storm or (storm == LAST_STORM and len(stack) < storm)
        require(full, "stacks", f"a stack of Storm Phase {storm} has {storm} cards (fewer only after floods)")


def _check_turn(snapshot: Mapping[str, Any], state: Record) -> None:
    storm, turn = int(state["storm"]), int(state["turn"])
    if state["phase"] in (CAMP, DIG):
        require(turn == 0, "turn", "is 0 before the first turn")
        start = storm == 1 and state["deck_len"] == DECK_SIZE[1] and state["period"] == 1
        require(bool(start), "storm", "the storm begins with the first turn")
        return
    require(turn >= 1, "turn", "is at least 1 after the set-up")
    # In period 1 every draw makes at most one stack; while `revealed` is undecided its own stack is still to come.
    undecided = state["phase"] == SANDBAG and state["period"] == 1
    most = max(0, MAX_STACKS - int(state["deck_len"]) // storm - int(undecided))
    require(int(state["num_stacks"]) <= most, "stacks", f"there can be at most {most} after so many draws")
    if storm == LAST_STORM:
        require(25 <= turn <= MAX_TURNS, "turn", "is from 25 to 32 in Storm Phase 4")
        return
    # A step draws or takes one stack: `steps` of them are carried out in this Storm Phase.
    left = int(state["deck_len"]) // storm
    steps = 4 - left if state["period"] == 1 else 8 - int(state["num_stacks"])
    expected = 8 * (storm - 1) + 1 + steps
    if state["phase"] == OVER:
        require(expected - 1 <= turn <= expected, "turn", f"does not fit {steps} erosion steps in Storm Phase {storm}")
    else:
        require(turn == expected, "turn", f"must be {expected} after {steps} erosion steps in Storm Phase {storm}")
    if state["period"] == 1:
        require(int(state["num_stacks"]) == steps, "stacks", f"there must be {steps} stacks after {steps} draws")


def _check_phase(snapshot: Mapping[str, Any], state: Record) -> None:
    phase, mover, player = state["phase"], int(state["to_move"]), int(state["player"])
    require((mover < 0) == (phase == OVER), "to_move", "is -1 exactly when the game is over")
    require(phase != DIG or state["level"] == BEGINNER, "phase", "`dig` is for beginners only")
    require(phase == ACT or state["ap"] == 0, "ap", "is 0 in every phase but `act`")
    if phase in (CAMP, DIG, ACT, SWAP):
        require(mover == player, "to_move", "is `player` in this phase")
        require(not state["evacuated"][player], "player", "has evacuated")
    require((snapshot["swap"] is not None) == (phase == SWAP), "swap", "is null exactly outside the phase `swap`")
    require((len(snapshot["displaced"]) > 0) == (phase == ESCAPE), "displaced", "is empty exactly outside the phase `escape`")
    if phase == SWAP:
        _check_swap(state)
    if phase == SANDBAG:
        require(state["storm"] == LAST_STORM, "phase", "`sandbag` is asked in Storm Phase 4 only")
        require("EDM" in snapshot["storage"][mover], "to_move", "in `sandbag` the holder of EDM decides")
        require(len(snapshot["revealed"]) > 0, "revealed", "must not be empty in `sandbag`")
    if phase == ESCAPE:
        require(snapshot["displaced"][0] == mover, "to_move", "is the first of `displaced`")
        require(state["storm"] == LAST_STORM, "phase", "`escape` happens in Storm Phase 4 only")
        for p in snapshot["displaced"]:
            require(_can_escape(state, p), "displaced", "who has no dry space beside or diagonally has discarded everything")
    for p in range(int(state["num_players"])):
        wet = state["pos"][p] >= 0 and state["flooded"][state["pos"][p]] and state["stored"][p] > 0
        if phase != OVER:
            require(
                bool(wet) == bool(state["displaced"][p]), f"pos.{p}", "a carrier is on a flooded space exactly while `displaced`"
            )


def _check_swap(state: Record) -> None:
    player, partner, gives = int(state["player"]), int(state["swap_partner"]), int(state["swap_gives"])
    require(partner != player and not state["evacuated"][partner], "swap.partner", "must be another paleontologist in the game")
    require(state["storage"][player, gives] > 0, "swap.gives", "must be in the player's storage")
    require(state["stored"][partner] > state["storage"][partner, gives], "swap.partner", "must store some other type")
    apart = abs(state["pos"][player] // 5 - state["pos"][partner] // 5) + abs(state["pos"][player] % 5 - state["pos"][partner] % 5)
    require(apart <= 1, "swap.partner", "must be in reach")


def _can_escape(state: Record, seat: int) -> bool:
    space = int(state["pos"][seat])
    return any(target >= 0 and not state["flooded"][target] for target in NEIGHBOUR[space])


def _seats_complete(state: Record) -> bool:
    """Whether some skeleton could be completed at once."""
    for p in range(int(state["num_players"])):
        if state["num_players"] > 1 and state["pos"][p] not in CAMPS:
            continue
        for genus in range(len(GENERA)):
            parts = state["storage"][p][FIRST_TYPE[genus] : FIRST_TYPE[genus + 1]]
            if not state["museum"][genus] and (parts > 0).all():
                return True
    return False


def _ends(state: Record) -> list[int]:
    """The reasons for which the game ends in this position, in the order of CC-28 and CC-29."""
    seats = range(int(state["num_players"]))
    complete = bool(state["museum"].all())
    reasons = []
    if complete and all(state["evacuated"][p] or state["pos"][p] in CAMPS for p in seats):
        reasons.append(WON)
    if any(state["out"][t] == COPIES[t] and not _has_piece(state, t) for t in range(NUM_TYPES - 1)):
        reasons.append(LOST_PART)
    if all(state["evacuated"][p] for p in seats):
        reasons.append(LOST_EVACUATED)
    if len(seats) > 1 and not complete and all(state["flooded"][camp] for camp in CAMPS):
        reasons.append(LOST_CORNERS)
    if state["storm"] > LAST_STORM:
        reasons.append(LOST_FLOODED)
    return reasons


def _has_piece(state: Record, t: int) -> bool:
    return bool(state["museum"][GENERA.index(TYPES[t][:3])])


def _check_going_on(state: Record) -> None:
    require(state["ended"] == 0, "ended", "is null until the game is over")
    require(not state["winners"].any(), "winners", "is empty until the game is over")
    if state["phase"] != CAMP:
        for reason in _ends(state):
            require(False, "phase", f"the game would be over here: {ENDS[reason]}")
        require(not _seats_complete(state), "storage", "a skeleton would have been completed here (CC-17)")


def _check_end(snapshot: Mapping[str, Any], state: Record) -> None:
    reasons = _ends(state)
    require(state["ended"] != 0, "ended", "must say how the game ended")
    right = ENDS[reasons[0]] if reasons else None
    require(bool(reasons) and state["ended"] == reasons[0], "ended", f"must be {right!r} in this position")
    seats = list(range(int(state["num_players"])))
    require(snapshot["winners"] == (seats if state["ended"] == WON else []), "winners", "all seats when won, else none")


assert NO_EROSION == NUM_SPACES
