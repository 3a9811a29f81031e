"""Snapshots and views of The Big Dig (the schema of the rules, section "Snapshot").

One key more than there: where the seats do not commit one after the other (parallel play), a snapshot in the middle of a phase
has ``committed``, the seats whose commitment is complete. Otherwise these are the seats before `to_move` that are asked.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.errors import OptionError, SnapshotError
from dig_envs.engine.snapshot import Reader, common_entries, require, require_multiset
from dig_envs.games.the_big_dig.app import all_predictions
from dig_envs.games.the_big_dig.board import (
    ATTRIBUTE_OF,
    FIRST_STATE,
    NUM_SPACES,
    PHYSICAL,
    REGIONS,
    SPACES,
    STATES,
    STATES_OF,
)
from dig_envs.games.the_big_dig.components import (
    CONTRIBUTION_POINTS,
    DECK_REQUEST_CARDS,
    DECK_SIZE,
    DECK_STATE_CARDS,
    FAUNA,
    MAX_ARGUMENTS,
    MAX_INPUTS,
    MAX_MODELS,
    MOST_TURNS,
    NULLIFICATION_POINTS,
    NUM_TOKENS,
    REQUEST_CARD,
    ROCK_CARD,
    SEATS,
    STARTER_DISCOVERY,
)
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES, ROCKS
from dig_envs.games.the_big_dig.rules import NO_PREDICTION
from dig_envs.games.the_big_dig.state import (
    ACT,
    ACTIONS,
    ADD,
    ARGUMENT,
    CARDS,
    CONFIDENT,
    DECK_OPTION,
    EVALUATION,
    EVALUATIONS,
    FINAL,
    FIRST_DISCOVERIES,
    MAX_PENDING,
    MODEL,
    NULLIFICATIONS,
    NUM_DECISIONS,
    OPTIONS,
    OVER,
    PASS,
    PHASES,
    PLACEMENT,
    RANDOM_DECK,
    RESEARCH,
    RESEARCH_MODEL,
    STARTER_FIRST,
    VALUABLE,
    WILD_DECK,
    State,
)
from dig_envs.registry import load_game

NAME = "the_big_dig"
KEYS = (
    *("deck", "drawn", "request", "discovered", "conjectured", "tokens", "models", "arguments", "spent", "evaluation", "pending"),
    "final",
)
COMMITTED = "committed"
ARGUMENT_KEYS = ("by", "turn", "inputs", "output", "support", "target", "valid")
CARD_NAMES = (*STATES, *(f"request {region}" for region in REGIONS), "rock")
MAX_SCORE = 1000
SPENT_IN = {MODEL: 0, ARGUMENT: 1, RESEARCH: 1, RESEARCH_MODEL: 2, EVALUATION: 3, PLACEMENT: 3}  # 0 in the other phases
Record = Any
Array = np.ndarray[Any, Any]


def check_options(options: Mapping[str, Any]) -> None:
    """Some options go only together; raises OptionError."""
    if options["first_discovery"] == FIRST_DISCOVERIES[STARTER_FIRST] and options["deck"] != "starter":
        raise OptionError(f"option 'first_discovery': 'starter' goes only with deck = 'starter', not with {options['deck']!r}")


# ---------------------------------------------------------------- state -> snapshot


def decode(state: Record) -> dict[str, Any]:
    """The snapshot of a state record."""
    seats = range(SEATS)
    snapshot = {
        **common_entries(state, NAME, OPTIONS, PHASES),
        "deck": [CARD_NAMES[card] for card in state["cards"][: state["cards_len"]]],
        "drawn": [CARD_NAMES[card] for card in state["drawn"][: state["drawn_len"]]],
        "request": REGIONS[state["request"] - 1] if state["request"] else None,
        "discovered": _marked(state["discovered"]),
        "conjectured": _marked(state["conjectured"]),
        "tokens": [{SPACES[s]: int(state["tokens"][p, s]) for s in np.flatnonzero(state["tokens"][p])} for p in seats],
        "models": [[_inputs(state["models"][p, m]) for m in range(state["num_models"][p])] for p in seats],
        "arguments": [_argument(state, i) for i in range(state["num_arguments"])],
        "spent": [[CARDS[card - 1] for card in state["spent"][p][: state["num_spent"][p]]] for p in seats],
        "evaluation": [EVALUATIONS[card - 1] if card else None for card in state["evaluation"]],
        "pending": [[ACTIONS[action] for action in state["pending"][p][: state["pending_len"][p]]] for p in seats],
        "final": [dict(zip(FINAL, map(int, state["final"][p]), strict=True)) for p in seats] if state["over"] else None,
        "rng": str(int(state["rng"])),
    }
    if not _in_turn(state):
        snapshot[COMMITTED] = [p for p in seats if is_asked(state, p) and not state["owes"][p]]
    return snapshot


def _marked(markers: Array) -> list[str]:
    return [SPACES[space] for space in np.flatnonzero(markers)]


def _inputs(pair: Array) -> list[str]:
    low, high = int(pair[0]), int(pair[1])
    return [SPACES[low]] if low == high else [SPACES[low], SPACES[high]]


def _argument(state: Record, i: int) -> dict[str, Any]:
    output, target = int(state["argument_output"][i]), int(state["argument_target"][i])
    return {
        "by": int(state["argument_by"][i]),
        "turn": int(state["argument_turn"][i]),
        "inputs": _inputs(state["argument_inputs"][i]),
        "output": STATES[output] if target else SPACES[output],
        "support": int(state["argument_support"][i]),
        "target": SPACES[state["argument_inputs"][i, target - 1]] if target else None,
        "valid": bool(state["argument_valid"][i]),
    }


def is_asked(state: Record, p: int) -> bool:
    """Whether a seat has a commitment to make in the phase (the same as in the rules, for uncompiled records)."""
    phase = int(state["phase"])
    if phase in (ARGUMENT, RESEARCH):
        return bool(state["spent"][p, 0] == ACT)
    if phase == RESEARCH_MODEL:
        return bool(state["spent"][p, 1] == ACT)
    if phase == PLACEMENT:
        return bool(state["bank"][p] > 0 if state["evaluation"][p] == ADD else state["bank"][p] < NUM_TOKENS)
    return phase != OVER


def _in_turn(state: Record) -> bool:
    """Whether the seats after the one to move have not begun, as when they commit one after the other."""
    later = [p for p in range(SEATS) if p > state["to_move"] and is_asked(state, p)]
    return state["to_move"] < 0 or all(state["owes"][p] and not state["pending_len"][p] for p in later)


def hide(snapshot: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """The view of a seat: without the deck's order, the models that the other has not shown, and its commitment.

    In parallel play a seat in the middle of its commitment does not see whether the other needed fewer choices for its own:
    it sees itself as the one to move.
    """
    view = {key: value for key, value in snapshot.items() if key != "rng"}
    view["deck"] = len(snapshot["deck"])
    used = {(argument["by"], *argument["inputs"]) for argument in snapshot["arguments"]}
    view["models"] = [
        [inputs if p == seat or (p, *inputs) in used else None for inputs in models] for p, models in enumerate(snapshot["models"])
    ]
    view["pending"] = [pending if p == seat else None for p, pending in enumerate(snapshot["pending"])]
    if COMMITTED in snapshot and snapshot["pending"][seat] and seat not in snapshot[COMMITTED]:
        view["to_move"] = seat
        del view[COMMITTED]
    return view


# ---------------------------------------------------------------- snapshot -> state


def encode(snapshot: Any) -> Array:
    """The state (record array of length 1) of a snapshot; raises SnapshotError for a malformed or impossible one."""
    reader = Reader(snapshot, NAME, OPTIONS, KEYS, (COMMITTED,))
    try:
        check_options(reader.options)
    except OptionError as error:
        raise SnapshotError(f"snapshot key 'options.first_discovery': {error}") from None
    records = reader.new_state(State, OPTIONS)
    state = records[0]
    _read_header(reader, state)
    _read_cards(reader, state)
    _read_board(reader, state)
    _read_models(reader, state)
    _read_arguments(reader, state)
    _read_decisions(reader, state)
    _read_final(reader, state)
    _check(reader.snapshot, state)
    _read_commitments(reader, records)
    return records


def _read_header(reader: Reader, state: Record) -> None:
    state["rng"] = state["seed"] = reader.rng()
    state["phase"] = reader.choice("phase", PHASES)
    state["over"] = state["phase"] == OVER
    state["to_move"] = reader.integer("to_move", -1, SEATS - 1)
    state["turn"] = reader.integer("turn", 1, MOST_TURNS)
    require(not reader.boolean("truncated"), "truncated", "is always false")
    for p, score in enumerate(reader.array("scores", SEATS)):
        state["scores"][p] = reader.integer_value(score, "scores", 0, MAX_SCORE)
    for winner in reader.array("winners", most=SEATS):
        state["winners"][reader.integer_value(winner, "winners", 0, SEATS - 1)] = 1


def _read_cards(reader: Reader, state: Record) -> None:
    for key, field in (("deck", "cards"), ("drawn", "drawn")):
        cards = reader.choices(key, CARD_NAMES, most=DECK_SIZE)
        state[field][: len(cards)] = cards
        state[f"{field}_len"] = len(cards)
    drawn = [int(card) for card in state["drawn"][: state["drawn_len"]]]
    require(bool(drawn) and drawn[0] < REQUEST_CARD, "drawn", "begins with the initial discovery, an attribute state")
    _discover(drawn, state)


def _discover(drawn: list[int], state: Record) -> None:
    """The markers and the request that follow from the cards drawn."""
    for card in drawn:
        if card < REQUEST_CARD:
            a = ATTRIBUTE_OF[card]
            state["known"][a] = 1
            for other in range(FIRST_STATE[a], FIRST_STATE[a + 1]):
                state["discovered"][2 * other + (other != card)] = 1
        elif card < ROCK_CARD:
            state["request"] = card - REQUEST_CARD + 1


def _read_board(reader: Reader, state: Record) -> None:
    for space in reader.choices("conjectured", SPACES, most=NUM_SPACES):
        state["conjectured"][space] = 1
    for p, tokens in enumerate(reader.array("tokens", SEATS)):
        key = f"tokens.{p}"
        require(isinstance(tokens, Mapping), key, f"must be an object, not {tokens!r}")
        for space, count in tokens.items():
            place = reader.choice_value(space, key, SPACES)
            state["tokens"][p, place] = reader.integer_value(count, f"{key}.{space}", 1, NUM_TOKENS)
        left = NUM_TOKENS - int(state["tokens"][p].sum())
        require(left >= 0, key, f"has more than {NUM_TOKENS} tokens")
        state["bank"][p] = left


def _read_inputs(reader: Reader, value: Any, key: str) -> tuple[int, int]:
    """The inputs of a model, in space order; a single one is written twice."""
    spaces = [reader.choice_value(space, key, SPACES) for space in reader.array_value(value, key, most=MAX_INPUTS)]
    require(len(spaces) > 0, key, "a model has one input or two")
    low, high = spaces[0], spaces[-1]
    if len(spaces) == MAX_INPUTS:
        require(low < high, key, "must be in space order")
        require(ATTRIBUTE_OF[low // 2] != ATTRIBUTE_OF[high // 2], key, "two inputs are of different attributes (BD-5)")
    return low, high


def _read_models(reader: Reader, state: Record) -> None:
    tables = all_predictions()
    for p, models in enumerate(reader.array("models", SEATS)):
        found: list[tuple[int, int]] = []
        for m, inputs in enumerate(reader.array_value(models, f"models.{p}", most=MAX_MODELS)):
            pair = _read_inputs(reader, inputs, f"models.{p}.{m}")
            require(pair not in found, f"models.{p}.{m}", "the player has this model already (BD-5)")
            found.append(pair)
            state["models"][p, m] = pair
            support = tables.support[pair]
            signed = np.where(tables.asserted[pair], support, -support)
            state["support"][p, m] = np.where(support < 0, NO_PREDICTION, signed)
        state["num_models"][p] = len(found)


def _read_arguments(reader: Reader, state: Record) -> None:
    arguments = reader.array("arguments", most=MAX_ARGUMENTS)
    for i, argument in enumerate(arguments):
        key = f"arguments.{i}"
        require(isinstance(argument, Mapping), key, f"must be an object, not {argument!r}")
        require(set(argument) == set(ARGUMENT_KEYS), key, f"must have exactly the keys {', '.join(ARGUMENT_KEYS)}")
        _read_argument(reader, argument, key, state, i)
        state["num_arguments"] = i + 1
        _check_argument(state, i, key)


def _read_argument(reader: Reader, argument: Mapping[str, Any], key: str, state: Record, i: int) -> None:
    by = reader.integer_value(argument["by"], f"{key}.by", 0, SEATS - 1)
    pair = _read_inputs(reader, argument["inputs"], f"{key}.inputs")
    models = [tuple(map(int, model)) for model in state["models"][by][: state["num_models"][by]]]
    require(pair in models, f"{key}.inputs", f"is no model of seat {by}")
    if argument["target"] is None:
        output = reader.choice_value(argument["output"], f"{key}.output", SPACES)
    else:
        output = reader.choice_value(argument["output"], f"{key}.output", STATES)
        require(pair[0] != pair[1], f"{key}.target", "a nullification has two inputs")
        state["argument_target"][i] = 1 + reader.choice_value(argument["target"], f"{key}.target", [SPACES[s] for s in pair])
    require(isinstance(argument["valid"], bool), f"{key}.valid", f"must be true or false, not {argument['valid']!r}")
    state["argument_by"][i] = by
    state["argument_turn"][i] = reader.integer_value(argument["turn"], f"{key}.turn", 1, int(state["turn"]))
    state["argument_inputs"][i] = pair
    state["argument_output"][i] = output
    state["argument_support"][i] = reader.integer_value(argument["support"], f"{key}.support", 0, 100)
    state["argument_valid"][i] = argument["valid"]
    state["shown"][by, models.index(pair)] = 1


# ---------------------------------------------------------------- what an argument must be


def _output_state(state: Record, i: int) -> int:
    output = int(state["argument_output"][i])
    return output if state["argument_target"][i] else output // 2


def _check_argument(state: Record, i: int, key: str) -> None:
    """BD-13 to BD-15, BD-24, as far as they can be seen afterwards."""
    tables = all_predictions()
    pair, output, target = tuple(state["argument_inputs"][i]), _output_state(state, i), int(state["argument_target"][i])
    support = int(tables.support[pair][output])
    require(support >= 0, f"{key}.output", "is of an input's attribute")
    require(int(state["argument_support"][i]) == support, f"{key}.support", f"must be {support} (BD-7)")
    if target:
        require(support == 0, f"{key}.output", f"a nullification needs support 0, not {support}")
        require(_has_target(state, i), f"{key}.target", "no conjecture of an earlier turn has this single input and this state")
    else:
        require(support > 0, f"{key}.output", "a conjecture needs support above 0")
        space = 2 * output + (not tables.asserted[pair][output])
        require(int(state["argument_output"][i]) == space, f"{key}.output", f"the prediction is {SPACES[space]}")
    for j in range(i):
        _check_pair(state, j, i, key)
    if state["phase"] != OVER:
        disproved = _is_disproved(state, i)
        require(bool(state["argument_valid"][i]) != disproved, f"{key}.valid", f"must be {str(not disproved).lower()} (BD-24)")


def _has_target(state: Record, i: int) -> bool:
    aim = state["argument_inputs"][i, state["argument_target"][i] - 1]
    for j in range(i):
        conjecture = not state["argument_target"][j] and bool((state["argument_inputs"][j] == aim).all())
        earlier = state["argument_turn"][j] < state["argument_turn"][i]
        if conjecture and earlier and _output_state(state, j) == state["argument_output"][i]:
            return True
    return False


def _check_pair(state: Record, j: int, i: int, key: str) -> None:
    """Argument i against an earlier one, j."""
    same_turn = state["argument_turn"][j] == state["argument_turn"][i]
    same_seat = state["argument_by"][j] == state["argument_by"][i]
    require(state["argument_turn"][j] <= state["argument_turn"][i], f"{key}.turn", "arguments are in order of creation")
    require(not (same_turn and same_seat), f"{key}.turn", "a seat makes at most one argument in a turn")
    same = all(
        np.array_equal(state[field][j], state[field][i]) for field in ("argument_inputs", "argument_output", "argument_target")
    )
    require(not same or same_turn, key, f"was made before, as arguments.{j} (BD-15)")


def _is_disproved(state: Record, i: int) -> bool:
    spaces = [int(space) for space in state["argument_inputs"][i]]
    if not state["argument_target"][i]:
        spaces.append(int(state["argument_output"][i]))
    return any(state["known"][ATTRIBUTE_OF[space // 2]] and not state["discovered"][space] for space in spaces)


# ---------------------------------------------------------------- decisions and commitments


def _read_decisions(reader: Reader, state: Record) -> None:
    wanted = SPENT_IN.get(int(state["phase"]), 0)
    for p, cards in enumerate(reader.array("spent", SEATS)):
        key = f"spent.{p}"
        spent = [reader.choice_value(card, key, CARDS) + 1 for card in reader.array_value(cards, key, wanted)]
        passes = spent.count(PASS)
        require(passes <= 1 and (passes == 1 or len(spent) < NUM_DECISIONS), key, "a player has two act cards and a pass")
        state["spent"][p][: len(spent)] = spent
        state["num_spent"][p] = len(spent)
    for p, card in enumerate(reader.array("evaluation", SEATS)):
        key = f"evaluation.{p}"
        placing = state["phase"] == PLACEMENT
        require((card is not None) == placing, key, "is null exactly outside `placement`")
        state["evaluation"][p] = reader.choice_value(card, key, EVALUATIONS) + 1 if placing else 0


def _read_commitments(reader: Reader, records: Array) -> None:
    """Make the pending choices once more on the board, so that each is checked as in play."""
    state = records[0]
    pending = reader.array("pending", SEATS)
    committed = reader.snapshot.get(COMMITTED)
    mover = int(state["to_move"])
    asked = [p for p in range(SEATS) if is_asked(state, p)]
    require(mover in asked or (state["phase"] == OVER and mover < 0), "to_move", f"must be one of {asked or [-1]}")
    if committed is None:
        complete = [p for p in asked if p < mover]
    else:
        complete = reader.choices(COMMITTED, range(SEATS), most=SEATS)
        right = [p for p in asked if p in complete]
        require(complete == right, COMMITTED, f"are seats that are asked, in order: {asked}")
        require(mover == next((p for p in asked if p not in complete), None), COMMITTED, "does not fit `to_move`")
    state["owes"][asked] = 1
    for p in range(SEATS):
        texts = reader.array_value(pending[p], f"pending.{p}", most=MAX_PENDING)
        actions = [reader.choice_value(text, f"pending.{p}", ACTIONS) for text in texts]
        later = committed is None and p > mover
        require(not actions or (p in asked and not later), f"pending.{p}", "must be empty")
        if p in complete and state["phase"] in (MODEL, RESEARCH_MODEL):
            require(not actions, f"pending.{p}", "a complete model is one of `models`")
            state["owes"][p] = 0
        elif p in asked:
            _commit(records, p, actions, p in complete)
    state["to_move"] = mover
    require(committed is None or not _in_turn(state), COMMITTED, "is left out when the seats commit one after the other")


def _commit(records: Array, p: int, actions: list[int], complete: bool) -> None:
    """Play a seat's choices with the other one still to decide, so that nothing is carried out."""
    key = f"pending.{p}"
    game = load_game(NAME)
    state = records[0]
    owes = state["owes"].copy()
    state["owes"][:] = 1
    for action in actions:
        require(bool(state["owes"][p]), key, f"the commitment is complete before {ACTIONS[action]!r}")
        require(action in game.legal_actions(records, p), key, f"{ACTIONS[action]!r} is not legal there")
        if state["phase"] in (MODEL, RESEARCH_MODEL):
            require(len(actions) == 1, key, "a complete model is one of `models`")
        game.kernels.apply_one(records, p, action)
    done = not state["owes"][p]
    require(
        done == complete, key, f"the commitment is {'' if complete else 'not '}complete for seat {p}".replace("is", "must be", 1)
    )
    state["owes"][:] = owes
    state["owes"][p] = 0 if complete else 1


# ---------------------------------------------------------------- what must hold of the whole


def _check(snapshot: Mapping[str, Any], state: Record) -> None:
    """Refuse what play cannot reach; the message names the key."""
    canonical = decode(state)
    for key in ("discovered", "request", "conjectured", "winners"):
        require(snapshot[key] == canonical[key], key, f"must be {canonical[key]}")
    _check_deck(snapshot, state)
    _check_clock(snapshot, state)
    _check_markers(state)
    _check_end(snapshot, state)


def _check_deck(snapshot: Mapping[str, Any], state: Record) -> None:
    drawn = [int(card) for card in state["drawn"][: state["drawn_len"]]]
    cards = drawn + [int(card) for card in state["cards"][: state["cards_len"]]]
    if state["first_discovery"] == STARTER_FIRST:
        require(drawn[0] == STARTER_DISCOVERY, "drawn", f"begins with the starter discovery, {STATES[STARTER_DISCOVERY]}")
    decks = [_deck_cards(deck) for deck in range(len(DECK_STATE_CARDS))]
    if state["deck"] == WILD_DECK:
        _check_wild(cards)
    elif state["deck"] == RANDOM_DECK:
        fitting = any(Counter(cards) == Counter(deck) for deck in decks)
        require(fitting, "deck", "together with `drawn` is none of the four decks")
    else:
        wanted = decks[int(state["deck"]) - 1]
        names = (CARD_NAMES[card] for card in cards)
        require_multiset(names, (CARD_NAMES[card] for card in wanted), "deck", f"the cards of {DECK_OPTION[state['deck']]}")


def _deck_cards(deck: int) -> list[int]:
    requests = [REQUEST_CARD + int(region) for region in DECK_REQUEST_CARDS[deck]]
    return [*map(int, DECK_STATE_CARDS[deck]), *requests, *[ROCK_CARD] * ROCKS]


def _check_wild(cards: list[int]) -> None:
    """BD-8."""
    states = [card for card in cards if card < REQUEST_CARD]
    requests = [card for card in cards if REQUEST_CARD <= card < ROCK_CARD]
    attributes = {int(ATTRIBUTE_OF[state]) for state in states}
    require(len(states) == len(attributes) == DECK_STATES, "deck", f"has {DECK_STATES} different attributes, with `drawn`")
    require(max(attributes) < PHYSICAL, "deck", "has states of physical attributes only")
    require(len(requests) == len(set(requests)) == DECK_REQUESTS, "deck", f"has {DECK_REQUESTS} different requests, with `drawn`")
    require(len(cards) == DECK_SIZE, "deck", f"has {ROCKS} rocks, with `drawn`")
    living = (FAUNA[:, ATTRIBUTE_OF[states]] == states).all(axis=1)
    require(bool(living.any()), "deck", "no living species has all its states (BD-8)")


def _check_clock(snapshot: Mapping[str, Any], state: Record) -> None:
    turn, turns = int(state["turn"]), int(state["turns"])
    require(turn <= turns, "turn", f"is at most {turns}, the option `turns`")
    require(state["phase"] != OVER or turn == turns, "turn", f"is {turns} at the end")
    asked = [p for p in range(SEATS) if is_asked(state, p)]
    require(bool(asked) or state["phase"] == OVER, "phase", "nobody would be asked in this phase")
    if state["phase"] in (ARGUMENT, RESEARCH, RESEARCH_MODEL):
        key = f"spent.{1 - asked[0]}"
        require(len(snapshot["spent"][1 - asked[0]]) == SPENT_IN[int(state["phase"])], key, "does not fit the phase")


def _check_markers(state: Record) -> None:
    for p in range(SEATS):
        on = np.flatnonzero((state["tokens"][p] > 0) & (state["discovered"] > 0))
        require(len(on) == 0, f"tokens.{p}", f"{', '.join(SPACES[s] for s in on)} has a discovered marker, where no token can lie")
    outputs = np.zeros(NUM_SPACES, bool)
    for i in range(state["num_arguments"]):
        if state["argument_valid"][i] and not state["argument_target"][i]:
            outputs[state["argument_output"][i]] = not state["discovered"][state["argument_output"][i]]
    found = state["conjectured"] > 0
    if state["phase"] == OVER:  # BD-31 has taken some away
        require(not (found & ~outputs).any(), "conjectured", f"must be among {_marked(outputs)}, the outputs of valid conjectures")
    else:
        require(bool((found == outputs).all()), "conjectured", f"must be {_marked(outputs)}, the outputs of valid conjectures")


def _read_final(reader: Reader, state: Record) -> None:
    final = reader.snapshot["final"]
    require((final is None) == (state["phase"] != OVER), "final", "is null exactly until the game is over")
    if final is None:
        return
    for p, points in enumerate(reader.array("final", SEATS)):
        key = f"final.{p}"
        require(isinstance(points, Mapping) and set(points) == set(FINAL), key, f"must have exactly the keys {', '.join(FINAL)}")
        for place, name in enumerate(FINAL):
            low = -NUM_TOKENS if name == "wild" else 0
            high = 0 if name == "wild" else MAX_SCORE
            state["final"][p, place] = reader.integer_value(points[name], f"{key}.{name}", low, high)


def _check_end(snapshot: Mapping[str, Any], state: Record) -> None:
    if state["phase"] != OVER:
        require(not snapshot["winners"], "winners", "is empty until the game is over")
        return
    best = max(snapshot["scores"])
    winners = [p for p in range(SEATS) if snapshot["scores"][p] == best]
    require(snapshot["winners"] == winners, "winners", f"must be {winners}")
    for p in range(SEATS):
        for place, points in ((NULLIFICATIONS, _of_nullifications), (CONFIDENT, _of_tokens), (VALUABLE, _of_conjectures)):
            right = points(state, p)
            require(int(state["final"][p, place]) == right, f"final.{p}.{FINAL[place]}", f"must be {right}")


def _of_nullifications(state: Record, p: int) -> int:
    """BD-28."""
    mine = (state["argument_by"] == p) & (state["argument_valid"] > 0) & (state["argument_target"] > 0)
    return NULLIFICATION_POINTS * int(mine[: state["num_arguments"]].sum())


def _of_tokens(state: Record, p: int) -> int:
    """BD-32."""
    points = 0
    for marker in map(int, np.flatnonzero(state["conjectured"])):
        a = ATTRIBUTE_OF[marker // 2]
        for space in range(2 * FIRST_STATE[a], 2 * FIRST_STATE[a] + 2 * STATES_OF[a]):
            both_negations = marker % 2 == 1 and space % 2 == 1
            other_state = marker % 2 != space % 2 and marker // 2 != space // 2
            if space == marker or both_negations or other_state:
                points += int(state["tokens"][p, space])
    return points


def _of_conjectures(state: Record, p: int) -> int:
    """BD-33."""
    count = 0
    for i in range(state["num_arguments"]):
        mine = state["argument_by"][i] == p and state["argument_valid"][i] and not state["argument_target"][i]
        output = state["argument_output"][i]
        if mine and (state["discovered"][output] or state["conjectured"][output]) and not _is_targeted(state, i):
            count += 1
    return CONTRIBUTION_POINTS * count


def _is_targeted(state: Record, i: int) -> bool:
    for j in range(state["num_arguments"]):
        if state["argument_valid"][j] and state["argument_target"][j]:
            aim = state["argument_inputs"][j, state["argument_target"][j] - 1]
            if bool((state["argument_inputs"][i] == aim).all()) and _output_state(state, i) == state["argument_output"][j]:
                return True
    return False
