"""Snapshots and views of Fossil Canyon (the schema of the rules, section "Snapshot").

One key more than there: where seats have chosen their hidden fossils side by side (parallel play), a snapshot of `setup` has
``committed``, the seats whose choice is complete. When they choose one after the other, these are the seats before `player`.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.snapshot import Reader, common_entries, require, require_multiset
from dig_envs.games.fossil_canyon.components import (
    AWARD_PIECES,
    AWARD_POINTS,
    AWARD_VALUE,
    AWARDS,
    BONUS_POINTS,
    BONUSES,
    DIGS,
    DISCARDED,
    EVENT_MIXES,
    HERBIVORES,
    MAX_EXCHANGES,
    MAX_GAIN,
    MAX_SCORE,
    MOST_TURNS,
    NUM_EVENTS,
    STARTING_HAND,
)
from dig_envs.games.fossil_canyon.state import (
    ADJUST,
    BONUS,
    CLAIM_PHASES,
    DIG,
    ENDS,
    EXCHANGE,
    GIVE,
    KEEP,
    OPTIONS,
    OVER,
    PAY,
    PHASES,
    SETUP,
    TAKE,
    State,
)
from dig_envs.games.fossil_deck import (
    CARNIVORE,
    FIRST_TRACE,
    FIRST_TYPE,
    FOSSILS,
    GENERA,
    GENUS_OF,
    JURASSIC,
    NUM_FOSSILS,
    NUM_GENERA,
    NUM_TRACES,
    NUM_TYPES,
    RESEARCH,
    SKELETONS,
    TRACES,
    TYPES,
    VALUE,
)

NAME = "fossil_canyon"
KEYS = (
    *("ended", "player", "ending", "buried", "exposed", "discarded", "spent", "events", "events_seen", "hidden", "open", "known"),
    *("chosen", "museums", "awards", "bonuses", "digs", "returned", "dug", "bonus", "exchanges", "exchange", "claim", "scored"),
    *("passes", "idle"),
)
COMMITTED = "committed"
Record = Any
Array = np.ndarray[Any, Any]

# ---------------------------------------------------------------- state -> snapshot


def decode(state: Record) -> dict[str, Any]:
    """The snapshot of a state record."""
    seats = range(int(state["num_players"]))
    snapshot = {
        **common_entries(state, NAME, OPTIONS, PHASES),
        "ended": ENDS[state["ended"]],
        "player": int(state["player"]),
        "ending": bool(state["ending"]),
        "buried": _types(state["buried"][: state["buried_len"]]),
        "exposed": _counted(state["exposed"], TYPES),
        "discarded": _counted(state["discarded"], TYPES),
        "spent": _counted(state["spent"], TRACES),
        "events": [int(card) for card in state["event_deck"]],
        "events_seen": int(state["events_seen"]),
        "hidden": [_counted(state["hidden"][p], TYPES) for p in seats],
        "open": [_counted(state["open"][p], TYPES) for p in seats],
        "known": [[_types(state["known"][x, p][: state["known_len"][x, p]]) for p in seats] for x in seats],
        "chosen": [_types(state["chosen"][p][: state["chosen_len"][p]]) for p in seats],
        "museums": [_counted(state["museums"][p], GENERA) for p in seats],
        "awards": [_counted(state["awards"][p], AWARDS) for p in seats],
        "bonuses": [_counted(state["bonuses"][p], BONUSES) for p in seats],
        "digs": int(state["digs"]),
        "returned": bool(state["returned"]),
        "dug": TYPES[state["dug"] - 1] if state["dug"] else None,
        "bonus": bool(state["bonus"]),
        "exchanges": int(state["exchanges"]),
        "exchange": _exchange(state),
        "claim": _claim(state),
        "scored": bool(state["scored"]),
        "passes": int(state["passes"]),
        "idle": int(state["idle"]),
        "rng": str(int(state["rng"])),
    }
    if state["apart"]:
        snapshot[COMMITTED] = [p for p in seats if state["num_hidden"][p] and not state["owes"][p]]
    return snapshot


def _types(types: Array) -> list[str]:
    return [TYPES[t] for t in types]


def _counted(counts: Array, names: tuple[str, ...]) -> list[str]:
    return [name for name, count in zip(names, counts, strict=True) for _ in range(count)]


def _exchange(state: Record) -> dict[str, Any] | None:
    if not state["partner"]:
        return None
    barred = _types(state["barred"][: state["barred_len"]])
    return {"with": int(state["partner"]) - 1, "left": int(state["left"]), "barred": barred}


def _claim(state: Record) -> dict[str, Any] | None:
    if not state["claim"]:
        return None
    return {"award": AWARDS[state["claim"] - 1], "paid": int(state["paid"]), "back": PHASES[state["back"]]}


def hide(snapshot: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """The view of a seat: without what is buried or discarded, cards not drawn yet, and what others hide, choose and know."""
    view = {key: value for key, value in snapshot.items() if key != "rng"}
    view["buried"] = len(snapshot["buried"])
    view["discarded"] = len(snapshot["discarded"])
    seen = snapshot["events_seen"]
    view["events"] = [card if place < seen else None for place, card in enumerate(snapshot["events"])]
    view["hidden"] = [hand if p == seat else len(hand) for p, hand in enumerate(snapshot["hidden"])]
    view["chosen"] = [chosen if p == seat else None for p, chosen in enumerate(snapshot["chosen"])]
    view["known"] = [
        [fossils if seat in (x, p) or x == p else None for p, fossils in enumerate(row)] for x, row in enumerate(snapshot["known"])
    ]
    view["dug"] = snapshot["dug"] if snapshot["player"] == seat else None
    return view


# ---------------------------------------------------------------- snapshot -> state


def encode(snapshot: Any) -> Array:
    """The state (record array of length 1) of a snapshot; raises SnapshotError for a malformed or impossible one."""
    reader = Reader(snapshot, NAME, OPTIONS, KEYS, (COMMITTED,))
    records = reader.new_state(State, OPTIONS)
    state = records[0]
    _read_header(reader, state)
    _read_fossils(reader, state)
    _read_museums(reader, state)
    _read_hands(reader, state)
    _read_turn(reader, state)
    _read_movers(reader, state)
    check(reader.snapshot, state)
    return records


def _read_header(reader: Reader, state: Record) -> None:
    seats = int(state["num_players"])
    state["rng"] = state["seed"] = reader.rng()
    state["phase"] = reader.choice("phase", PHASES)
    state["over"] = state["phase"] == OVER
    state["to_move"] = reader.integer("to_move", -1, seats - 1)
    state["turn"] = reader.integer("turn", 0, MOST_TURNS)
    state["truncated"] = reader.boolean("truncated")
    state["ended"] = reader.choice("ended", ENDS)
    state["player"] = reader.integer("player", 0, seats - 1)
    state["ending"] = reader.boolean("ending")
    for p, score in enumerate(reader.array("scores", seats)):
        state["scores"][p] = reader.integer_value(score, "scores", 0, MAX_SCORE)
    for winner in reader.array("winners", most=seats):
        state["winners"][reader.integer_value(winner, "winners", 0, seats - 1)] = 1


def _count(reader: Reader, fossils: Any, key: str, counts: Array, names: tuple[str, ...] = TYPES) -> int:
    places = [reader.choice_value(fossil, key, names) for fossil in reader.array_value(fossils, key, most=NUM_FOSSILS)]
    for place in places:
        counts[place] += 1
    return len(places)


def _read_fossils(reader: Reader, state: Record) -> None:
    buried = reader.choices("buried", TYPES, most=NUM_FOSSILS)
    state["buried"][: len(buried)] = buried
    state["buried_len"] = len(buried)
    state["num_exposed"] = _count(reader, reader.snapshot["exposed"], "exposed", state["exposed"])
    _count(reader, reader.snapshot["discarded"], "discarded", state["discarded"])
    _count(reader, reader.snapshot["spent"], "spent", state["spent"], TRACES)
    for i, card in enumerate(reader.array("events", NUM_EVENTS)):
        state["event_deck"][i] = reader.integer_value(card, "events", 0, 2)
    state["events_seen"] = reader.integer("events_seen", 0, NUM_EVENTS)


def _read_hands(reader: Reader, state: Record) -> None:
    seats = int(state["num_players"])
    for key in ("hidden", "open"):
        for p, fossils in enumerate(reader.array(key, seats)):
            state[f"num_{key}"][p] = _count(reader, fossils, f"{key}.{p}", state[key][p])
    for x, row in enumerate(reader.array("known", seats)):
        for p, fossils in enumerate(reader.array_value(row, f"known.{x}", seats)):
            key = f"known.{x}.{p}"
            most = len(state["known"][x, p])
            known = sorted(reader.choice_value(f, key, TYPES) for f in reader.array_value(fossils, key, most=most))
            state["known"][x, p][: len(known)] = known
            state["known_len"][x, p] = len(known)
    for p, fossils in enumerate(reader.array("chosen", seats)):
        key = f"chosen.{p}"
        most = int(state["hidden_limit"])
        chosen = sorted(reader.choice_value(f, key, TYPES) for f in reader.array_value(fossils, key, most=most))
        state["chosen"][p][: len(chosen)] = chosen
        state["chosen_len"][p] = len(chosen)


def _read_museums(reader: Reader, state: Record) -> None:
    seats = int(state["num_players"])
    for key, names in (("museums", GENERA), ("awards", AWARDS), ("bonuses", BONUSES)):
        for p, pieces in enumerate(reader.array(key, seats)):
            _count(reader, pieces, f"{key}.{p}", state[key][p], names)
    for p in range(seats):
        museum = state["museums"][p]
        state["carnivores"][p], state["carnivore_sum"][p] = _category(museum, CARNIVORE)
        state["jurassic"][p], state["jurassic_sum"][p] = _category(museum, JURASSIC)
        state["best"][p] = _best(museum)
    total = state["museums"].sum(axis=0)
    require(bool((total <= SKELETONS).all()), "museums", "has more skeletons of a genus than there are")
    state["pieces"][:] = total


def _category(museum: Array, belongs: Array) -> tuple[int, int]:
    """Number of skeletons of a category and the sum of their values."""
    return int(museum[belongs].sum()), int((museum.astype(int) * VALUE)[belongs].sum())


def _best(museum: Array) -> int:
    return max((int(VALUE[g]) for g in range(NUM_GENERA) if museum[g]), default=0)


def _read_turn(reader: Reader, state: Record) -> None:
    seats = int(state["num_players"])
    state["digs"] = reader.integer("digs", 0, DIGS)
    state["exchanges"] = reader.integer("exchanges", 0, MAX_EXCHANGES)
    state["passes"] = reader.integer("passes", 0, seats)
    state["idle"] = reader.integer("idle", 0, seats * int(state["stalemate_rounds"]))
    for key in ("returned", "bonus", "scored"):
        state[key] = reader.boolean(key)
    dug = reader.choice("dug", (None, *TYPES))
    state["dug"] = dug
    if reader.snapshot["exchange"] is not None:
        exchange = reader.mapping("exchange", ("with", "left", "barred"))
        state["partner"] = reader.integer_value(exchange["with"], "exchange.with", 0, seats - 1) + 1
        state["left"] = reader.integer_value(exchange["left"], "exchange.left", 0, MAX_EXCHANGES)
        barred = reader.array_value(exchange["barred"], "exchange.barred", most=MAX_EXCHANGES)
        places = sorted(reader.choice_value(fossil, "exchange.barred", TYPES) for fossil in barred)
        state["barred"][: len(places)] = places
        state["barred_len"] = len(places)
    if reader.snapshot["claim"] is not None:
        claim = reader.mapping("claim", ("award", "paid", "back"))
        state["claim"] = reader.choice_value(claim["award"], "claim.award", AWARDS) + 1
        state["paid"] = reader.integer_value(claim["paid"], "claim.paid", 0, int(AWARD_VALUE.max()) - 1)
        place = reader.choice_value(claim["back"], "claim.back", tuple(PHASES[phase] for phase in CLAIM_PHASES))
        state["back"] = CLAIM_PHASES[place]


def _read_movers(reader: Reader, state: Record) -> None:
    """Who owes a decision: in `setup` all who have fossils and have not committed, else the mover."""
    seats, mover = int(state["num_players"]), int(state["to_move"])
    if COMMITTED in reader.snapshot:
        require(state["phase"] == SETUP, COMMITTED, "is there only in `setup`")
        state["apart"] = 1
        done = [reader.integer_value(p, COMMITTED, 0, seats - 1) for p in reader.array(COMMITTED, most=seats)]
    else:
        done = [p for p in range(mover) if state["num_hidden"][p]]
    if state["phase"] == SETUP:
        for p in range(seats):
            state["owes"][p] = state["num_hidden"][p] > 0 and p not in done
    elif mover >= 0:
        state["owes"][mover] = 1


# ---------------------------------------------------------------- invariants


def check(snapshot: Mapping[str, Any], state: Record) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    canonical = decode(state)
    lists = ("winners", "exposed", "discarded", "spent", "hidden", "open", "known", "chosen", "museums", "awards", "bonuses")
    for key in (*lists, "exchange", *([COMMITTED] if COMMITTED in snapshot else [])):
        require(snapshot[key] == canonical[key], key, f"must be in order: {canonical[key]}")
    _check_fossils(snapshot, state)
    _check_scores(snapshot, state)
    _check_clock(snapshot, state)
    _check_hands(snapshot, state)
    _check_chosen(snapshot, state)
    _check_phase(snapshot, state)
    _check_exchange(snapshot, state)
    _check_claim(snapshot, state)
    _check_end(snapshot, state)


def _check_fossils(snapshot: Mapping[str, Any], state: Record) -> None:
    found = [*snapshot["buried"], *snapshot["exposed"], *snapshot["discarded"], *snapshot["spent"]]
    for hands in (snapshot["hidden"], snapshot["open"]):
        found += [fossil for hand in hands for fossil in hand]
    for museum in snapshot["museums"]:
        for genus in map(GENERA.index, museum):
            found += TYPES[FIRST_TYPE[genus] : FIRST_TYPE[genus + 1]]
    if snapshot["dug"] is not None:
        found.append(snapshot["dug"])
    in_play = FOSSILS if state["research"] else FOSSILS[: NUM_FOSSILS - NUM_TRACES]
    require_multiset(found, (TYPES[t] for t in in_play), "buried", "the fossils in play")
    require(len(snapshot["discarded"]) == DISCARDED, "discarded", f"has {DISCARDED} fossils")
    cards = tuple(snapshot["events"].count(kind) for kind in range(3))
    mix = EVENT_MIXES[state["events"]]
    require(cards == mix, "events", f"must have {mix[0]}, {mix[1]} and {mix[2]} cards that expose 0, 1 and 2 fossils")


def _check_scores(snapshot: Mapping[str, Any], state: Record) -> None:
    given = state["awards"].sum(axis=0)
    for award, name in enumerate(AWARDS):
        require(int(given[award]) <= AWARD_PIECES[award], "awards", f"{name}: there are {AWARD_PIECES[award]}")
    spent = int((state["spent"] * RESEARCH).sum())
    price = int((given * AWARD_VALUE).sum()) + int(state["paid"])
    require(spent >= price, "spent", f"the value of what was paid, {spent}, is less than what was bought, {price}")
    for p in range(int(state["num_players"])):
        points = int((state["museums"][p].astype(int) * VALUE).sum()) + int((state["awards"][p].astype(int) * AWARD_POINTS).sum())
        points += int((state["bonuses"][p].astype(int) * BONUS_POINTS).sum())
        require(int(state["scores"][p]) == points, "scores", f"must be {points} for seat {p}")


def _check_clock(snapshot: Mapping[str, Any], state: Record) -> None:
    seats, turn, phase = int(state["num_players"]), int(state["turn"]), int(state["phase"])
    require(turn <= int(state["max_turns"]), "turn", f"is at most max_turns, {int(state['max_turns'])}")
    require((turn == 0) == (phase == SETUP), "turn", "is 0 exactly in `setup`")
    drawn = min(NUM_EVENTS, turn)
    seen = int(state["events_seen"])
    if state["ending"]:
        require(_site(state) == 0, "ending", "the dig site is empty in the end phase")
        require(phase in (EXCHANGE, GIVE, TAKE, PAY, OVER), "phase", "does not exist in the end phase")
        require(seen <= drawn, "events_seen", f"is at most {drawn}")
    else:
        require(seen == drawn, "events_seen", f"must be {drawn} in turn {turn}")
        for key in ("passes", "idle"):
            require(snapshot[key] == 0, key, "is 0 before the end phase")
        if phase != SETUP:
            player = (turn - 1) % seats
            require(int(state["player"]) == player, "player", f"must be {player} in turn {turn}")
    require(snapshot["passes"] <= snapshot["idle"], "passes", "is at most `idle`")


def _site(state: Record) -> int:
    return int(state["buried_len"]) + int(state["num_exposed"])


def _fossils_of(state: Record, p: int) -> int:
    return int(state["num_hidden"][p]) + int(state["num_open"][p])


def _check_hands(snapshot: Mapping[str, Any], state: Record) -> None:
    phase, limit = int(state["phase"]), int(state["hidden_limit"])
    for p in range(int(state["num_players"])):
        hand = state["hidden"][p] + state["open"][p]
        for genus in range(NUM_GENERA):
            whole = bool((hand[FIRST_TYPE[genus] : FIRST_TYPE[genus + 1]] > 0).all())
            require(not whole, f"hidden.{p}", f"seat {p} holds all parts of {GENERA[genus]}, which would have been built")
        size = int(state["num_hidden"][p])
        if phase == SETUP:
            built = sum(int(FIRST_TYPE[g + 1] - FIRST_TYPE[g]) for g in map(GENERA.index, snapshot["museums"][p]))
            hand_size = int(STARTING_HAND[state["num_players"]]) - built
            require(size == hand_size, f"hidden.{p}", f"a starting hand less what was built has {hand_size} fossils")
            require(not snapshot["open"][p], f"open.{p}", "is empty in `setup`")
        elif state["ending"]:
            require(size == 0, f"hidden.{p}", "is empty in the end phase")
        elif p == state["player"] and phase != OVER:
            require(size <= limit + MAX_GAIN, f"hidden.{p}", f"holds at most {limit + MAX_GAIN}")
        else:
            require(size <= limit, f"hidden.{p}", f"holds at most {limit}")
        for x, row in enumerate(snapshot["known"]):
            surplus = Counter(row[p]) - Counter(snapshot["hidden"][p])
            require(not surplus, f"known.{x}.{p}", f"must be contained in hidden.{p}")
            require(not row[p] or (x != p and phase != SETUP), f"known.{x}.{p}", "must be empty")


def _check_chosen(snapshot: Mapping[str, Any], state: Record) -> None:
    phase, player = int(state["phase"]), int(state["player"])
    for p, chosen in enumerate(snapshot["chosen"]):
        surplus = Counter(chosen) - Counter(snapshot["hidden"][p]) - Counter(snapshot["open"][p])
        require(not surplus, f"chosen.{p}", "must be fossils of the seat")
        apart = bool(state["apart"])
        may = (phase == SETUP and (p <= player or apart)) or (phase == ADJUST and p == player)
        require(may or not chosen, f"chosen.{p}", "must be empty")
        if (phase == SETUP and state["owes"][p]) or (phase == ADJUST and p == player):
            complete = len(chosen) in (int(state["hidden_limit"]), _fossils_of(state, p))
            require(not complete, f"chosen.{p}", "is complete, so that the choice would be over")


def _check_phase(snapshot: Mapping[str, Any], state: Record) -> None:
    phase, player = int(state["phase"]), int(state["player"])
    require((state["to_move"] < 0) == (phase == OVER), "to_move", "is -1 exactly when the game is over")
    require(phase == OVER or state["to_move"] == player, "to_move", "is `player`")
    require((snapshot["claim"] is not None) == (phase == PAY), "claim", "is null exactly outside the phase `pay`")
    trading = phase in (GIVE, TAKE)
    require((snapshot["exchange"] is not None) == trading, "exchange", "is null exactly outside `give` and `take`")
    if phase in (SETUP, OVER):
        for key in ("digs", "returned", "bonus", "exchanges", "scored"):
            require(not snapshot[key], key, f"is {snapshot[key].__class__(0)!r} in `{PHASES[phase]}`")
    if phase == SETUP:
        for key in ("exposed", "spent"):
            require(not snapshot[key], key, "is empty in `setup`")
        require(not any(snapshot["awards"]), "awards", "are empty in `setup`")
        owing = np.flatnonzero(state["owes"])
        require(len(owing) > 0 and owing[0] == player, "player", "is the first seat in `setup` that has not committed")
    step = int(state["back"]) if phase == PAY else phase
    digging = step in (DIG, KEEP)
    require((state["digs"] > 0) == digging, "digs", "is more than 0 exactly in step 2")
    require(int(state["digs"]) <= _site(state) + (phase == KEEP), "digs", "is not more than there are fossils")
    require(not digging or state["exchanges"] == 0, "exchanges", "is 0 in step 2")
    require(not state["returned"] or bool(state["return_dig"]), "returned", "is false without return_dig")
    require((snapshot["dug"] is not None) == (phase == KEEP), "dug", "is null exactly outside the phase `keep`")
    if phase == KEEP:
        require(bool(state["return_dig"]), "phase", "`keep` is asked only with return_dig")
        require(not state["returned"], "returned", "is false in `keep`")
    require(not state["bonus"] or bool(state["scored"]), "scored", "is true if `bonus` is")
    require(not state["bonus"] or bool(snapshot["museums"][player]), "bonus", "is true only after a skeleton was built")
    require(not (state["bonus"] and state["ending"]), "bonus", "is false in the end phase")
    if step == BONUS:
        require(bool(state["bonus"]), "bonus", "is true in the phase `bonus`")
        require(_site(state) > 0, "phase", "`bonus` needs a fossil in the dig site")
    if phase == ADJUST:
        require(_fossils_of(state, player) > 0, "phase", "`adjust` is passed over by a player without fossils")
    if state["ending"]:
        require(step in (EXCHANGE, GIVE, TAKE, OVER), "claim.back", "is `exchange` in the end phase")


def _check_exchange(snapshot: Mapping[str, Any], state: Record) -> None:
    phase, player, partner = int(state["phase"]), int(state["player"]), int(state["partner"]) - 1
    exchange = snapshot["exchange"]
    if exchange is None:
        return
    require(partner != player, "exchange.with", "must be another player")
    price, left = int(state["exchanges"]) + 1, int(state["left"])
    require(price <= MAX_EXCHANGES, "exchanges", f"is at most {MAX_EXCHANGES - 1} during an exchange")
    if phase == GIVE:
        require(1 <= left <= price, "exchange.left", f"must be from 1 to {price}")
        require(left <= _fossils_of(state, player), "exchange.left", "is more than the mover has")
        nothing = state["num_open"][partner] == 0 and not (state["blind_take"] and state["num_hidden"][partner])
        require(left < price or not nothing, "exchange.with", "had nothing that could be taken")
    else:
        require(left == 0, "exchange.left", "is 0 in `take`")
        takeable = [fossil for fossil in snapshot["open"][partner] if fossil not in exchange["barred"]]
        blind = bool(state["blind_take"]) and state["num_hidden"][partner] > 0
        require(bool(takeable or blind), "exchange.barred", "leaves nothing to take")
    barred = exchange["barred"]
    require(len(set(barred)) == len(barred) <= price - left, "exchange.barred", "has more types than were given")
    for fossil in barred:
        t = TYPES.index(fossil)
        built = t < FIRST_TRACE and state["museums"][partner][GENUS_OF[t]] > 0
        require(fossil in snapshot["open"][partner] or built, "exchange.barred", f"{fossil} was not given to seat {partner}")


def _check_claim(snapshot: Mapping[str, Any], state: Record) -> None:
    claim, player = snapshot["claim"], int(state["player"])
    if claim is None:
        return
    award = int(state["claim"]) - 1
    rest = int(AWARD_VALUE[award]) - int(state["paid"])
    require(rest > 0, "claim.paid", "is enough, so that the payment would be over")
    traces = (state["hidden"][player] + state["open"][player])[FIRST_TRACE:]
    require(int((traces * RESEARCH).sum()) >= rest, "claim.paid", "the mover cannot pay the rest")
    require(int(state["awards"].sum(axis=0)[award]) < AWARD_PIECES[award], "claim.award", "no piece is left")


# ---------------------------------------------------------------- the end


def _is_exhausted(state: Record) -> bool:
    """FC-33: all hands together allow neither a skeleton nor an award."""
    together = state["open"].sum(axis=0)
    if any((together[FIRST_TYPE[g] : FIRST_TYPE[g + 1]] > 0).all() for g in range(NUM_GENERA)):
        return False
    value = int((together[FIRST_TRACE:NUM_TYPES] * RESEARCH).sum())
    given = state["awards"].sum(axis=0)
    return not any(value >= AWARD_VALUE[award] and given[award] < AWARD_PIECES[award] for award in range(len(AWARDS)))


def _bonus_owners(state: Record) -> list[int | None]:
    """FC-34: the seats that get the small, the medium and the large bonus."""
    seats = range(int(state["num_players"]))
    owners: list[int | None] = []
    for number, worth in (("carnivores", "carnivore_sum"), ("jurassic", "jurassic_sum")):
        strength = [(int(state[number][p]), int(state[worth][p])) for p in seats]
        best = max(strength)
        owners.append(strength.index(best) if best[0] > 0 and strength.count(best) == 1 else None)
    owners.append(next((p for p in seats if all(state["museums"][p][g] for g in HERBIVORES)), None))
    return owners


def _check_end(snapshot: Mapping[str, Any], state: Record) -> None:
    seats, rounds = int(state["num_players"]), int(state["stalemate_rounds"])
    limits = {"passed": snapshot["passes"] >= seats, "stalemate": snapshot["idle"] >= seats * rounds}
    if state["phase"] != OVER:
        require(snapshot["ended"] is None, "ended", "is null until the game is over")
        require(not snapshot["winners"], "winners", "is empty until the game is over")
        require(not snapshot["truncated"], "truncated", "is false until the game is over")
        require(not any(snapshot["bonuses"]), "bonuses", "are empty until the game is over")
        require(not limits["passed"], "passes", "the game would be over")
        require(not limits["stalemate"], "idle", "the game would be over")
        over = state["ending"] and state["phase"] == EXCHANGE and _is_exhausted(state)
        require(not over, "phase", "the game would be over: nothing can be completed any more")
        return
    ended = snapshot["ended"]
    require(ended is not None, "ended", "must say how the game ended")
    require(snapshot["truncated"] == (ended == "turns"), "truncated", "is true exactly if `ended` is `turns`")
    if state["ending"]:
        reasons = {"exhausted": _is_exhausted(state), **limits, "turns": snapshot["turn"] == snapshot["options"]["max_turns"]}
        right = next((reason for reason, holds in reasons.items() if holds), None)
        require(ended == right, "ended", f"must be {right!r} in this position")
    else:
        limit = snapshot["turn"] == snapshot["options"]["max_turns"] and _site(state) > 0
        require(ended == "turns" and limit, "ended", "before the end phase a game ends only at the turn limit")
    given: list[list[str]] = [[] for _ in range(seats)]
    if snapshot["options"]["endgame_bonuses"] and ended != "turns":
        for name, owner in zip(BONUSES, _bonus_owners(state), strict=True):
            if owner is not None:
                given[owner].append(name)
    require(snapshot["bonuses"] == given, "bonuses", f"must be {given}")
    strength = [(snapshot["scores"][p], int(state["best"][p])) for p in range(seats)]
    winners = [p for p in range(seats) if strength[p] == max(strength)]
    require(snapshot["winners"] == winners, "winners", f"must be {winners}")
