"""The invariants of snapshots of The Big Dig, which hold between the keys (the rules' section
"Snapshot")."""

from collections import Counter

from dig_envs.engine.snapshots.codecs import require, require_multiset
from dig_envs.engine.snapshots.snapshot import COMMITTED, Candidate, check_winners_by_score
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES, ROCKS
from dig_envs.games.the_big_dig.rules.models import NO_MODEL, NO_PREDICTION


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    _check_deck(candidate)
    _check_clock(candidate)
    _check_models(candidate)
    for i in range(int(candidate.state["num_arguments"])):
        _check_argument(candidate, i)
    _check_markers(candidate)
    _check_pending(candidate)
    if candidate.is_over:
        _check_end(candidate)


# ---------------------------------------------------------------- the deck


def _check_deck(candidate: Candidate) -> None:
    """BD-8: `deck` and `drawn` together are a deck that the options allow, begun as they say."""
    state = candidate.state
    drawn = [int(card) for card in state["drawn"][: state["drawn_len"]]]
    require(
        bool(drawn) and drawn[0] < box.REQUEST_CARD,
        "drawn",
        "begins with the initial discovery, an attribute state",
    )
    if state["first_discovery"] == s.STARTER_FIRST:
        starter = box.STARTER_DISCOVERY
        require(
            drawn[0] == starter,
            "drawn",
            f"begins with the starter discovery, {board.STATES[starter]}",
        )
    cards = drawn + [int(card) for card in state["cards"][: state["cards_len"]]]
    decks = [
        [
            *deck.states,
            *(box.REQUEST_CARD + region for region in deck.requests),
            *[box.ROCK_CARD] * ROCKS,
        ]
        for deck in box.DECKS
    ]
    if state["deck"] == s.WILD_DECK:
        _check_wild_deck(cards)
    elif state["deck"] == s.RANDOM_DECK:
        fitting = any(Counter(cards) == Counter(deck) for deck in decks)
        require(fitting, "deck", "together with `drawn` is not one of the four decks")
    else:
        names, wanted = (
            [box.CARD_NAMES[card] for card in some]
            for some in (cards, decks[int(state["deck"]) - 1])
        )
        require_multiset(names, wanted, "deck", f"the cards of {s.DECK_OPTION[state['deck']]}")


def _check_wild_deck(cards: list[int]) -> None:
    """Check that the cards are a wild deck: states of one living species, two requests, rocks
    (BD-8)."""
    states = [card for card in cards if card < box.REQUEST_CARD]
    requests = [card for card in cards if box.REQUEST_CARD <= card < box.ROCK_CARD]
    attributes = {int(board.ATTRIBUTE_OF[state]) for state in states}
    different = len(states) == len(attributes) == DECK_STATES
    require(different, "deck", f"has {DECK_STATES} different attributes, with `drawn`")
    require(max(attributes) < board.PHYSICAL, "deck", "has states of physical attributes only")
    different = len(requests) == len(set(requests)) == DECK_REQUESTS
    require(different, "deck", f"has {DECK_REQUESTS} different requests, with `drawn`")
    require(len(cards) == box.DECK_SIZE, "deck", f"has {ROCKS} rocks, with `drawn`")
    living = any(
        all(species[board.ATTRIBUTE_OF[state]] == state for state in states)
        for species in box.FAUNA
    )
    require(living, "deck", "no living species has all its states (BD-8)")


# ---------------------------------------------------------------- clock, models, arguments


def _check_clock(candidate: Candidate) -> None:
    state, turn, turns = (
        candidate.state,
        int(candidate.state["turn"]),
        int(candidate.state["turns"]),
    )
    require(turn <= turns, "turn", f"is at most {turns}, the option `turns`")
    require(not candidate.is_over or turn == turns, "turn", f"is {turns} at the end")
    explorers = (
        box.SEATS
        if candidate.is_over
        else sum(int(row[s.NUM_DECISIONS - 1]) == s.ACT for row in state["spent"])
    )
    most = 1 + turn + box.SEATS * (turn - 1) + explorers
    require(
        int(state["drawn_len"]) <= most,
        "drawn",
        f"has at most {most} cards by then (BD-8, BD-9, BD-20)",
    )
    if not candidate.is_over:
        most = box.POINTS_PER_TURN * turn
        require(int(state["scores"].max()) <= most, "scores", f"are at most {most} by then")


def _check_models(candidate: Candidate) -> None:
    for p, models in enumerate(candidate.snapshot["models"]):
        for m, inputs in enumerate(models):
            require(
                inputs not in models[:m],
                f"models.{p}.{m}",
                "the player has this model already (BD-5)",
            )
        most = _most_models(candidate, p)
        require(
            len(models) <= most,
            f"models.{p}",
            f"has at most {most} entries by then: one or two a turn",
        )


def _most_models(candidate: Candidate, p: int) -> int:
    """The number of models that a seat can have: two of each turn before, and those of this turn so
    far (BD-10, BD-19)."""
    state = candidate.state
    complete = bool(candidate.facts["asked"][p]) and not state["owes"][p]
    in_model = complete if state["phase"] == s.MODEL else True
    if state["phase"] == s.RESEARCH_MODEL:
        in_research = complete
    else:
        in_research = candidate.is_over or bool(
            state["num_spent"][p] > 2 and state["spent"][p, 1] == s.ACT
        )
    return 2 * (int(state["turn"]) - 1) + in_model + in_research


def _check_argument(candidate: Candidate, i: int) -> None:
    """BD-12 to BD-15, BD-24, as far as they can be seen afterwards."""
    state, facts, key = candidate.state, candidate.facts, f"arguments.{i}"
    by, turn, prediction = (
        int(state["argument_by"][i]),
        int(state["argument_turn"][i]),
        int(facts["prediction"][i]),
    )
    now = int(state["turn"])
    require(turn <= now, f"{key}.turn", f"must be from 1 to {now}")
    require(facts["model"][i] != NO_MODEL, f"{key}.inputs", f"is not a model of seat {by}")
    require(prediction != NO_PREDICTION, f"{key}.output", "is of an input's attribute")
    require(
        int(state["argument_support"][i]) == abs(prediction),
        f"{key}.support",
        f"must be {abs(prediction)} (BD-7)",
    )
    if state["argument_target"][i]:
        require(
            prediction == 0,
            f"{key}.output",
            f"a nullification needs support 0, not {abs(prediction)}",
        )
        had_target = bool(facts["had_target"][i])
        require(
            had_target,
            f"{key}.target",
            "no conjecture of an earlier turn has this single input and this state",
        )
    else:
        require(prediction != 0, f"{key}.output", "a conjecture needs support above 0")
        space = int(facts["predicted"][i])
        require(
            int(state["argument_output"][i]) == space,
            f"{key}.output",
            f"the prediction is {board.SPACES[space]}",
        )
    _check_creation(candidate, i)
    if not candidate.is_over:
        valid = not facts["disproved"][i]
        require(
            bool(state["argument_valid"][i]) == valid,
            f"{key}.valid",
            f"must be {str(valid).lower()} (BD-24)",
        )


def _check_creation(candidate: Candidate, i: int) -> None:
    """That the seat can have made argument i in its turn, after those before it."""
    state, key = candidate.state, f"arguments.{i}"
    by, turns = int(state["argument_by"][i]), state["argument_turn"]
    require(i == 0 or turns[i - 1] <= turns[i], f"{key}.turn", "arguments are in order of creation")
    before = any(turns[k] == turns[i] and state["argument_by"][k] == by for k in range(i))
    require(not before, f"{key}.turn", "a seat makes at most one argument in a turn")
    first = int(candidate.facts["first"][i])
    require(turns[first] == turns[i], key, f"was made before, as arguments.{first} (BD-15)")
    if turns[i] == state["turn"] and not candidate.is_over:
        made = state["phase"] > s.ARGUMENT and state["spent"][by, 0] == s.ACT
        require(
            bool(made), f"{key}.turn", f"seat {by} has made no argument in this turn yet (BD-12)"
        )


def _check_markers(candidate: Candidate) -> None:
    state, tokens = candidate.state, candidate.snapshot["tokens"]
    for p in candidate.seats:
        on = [
            space
            for space, known in zip(board.SPACES, state["discovered"], strict=True)
            if known and space in tokens[p]
        ]
        names = ", ".join(on)
        require(
            len(on) == 0, f"tokens.{p}", f"{names} has a discovered marker, where no token can lie"
        )
    found = candidate.snapshot["conjectured"]
    outputs = [
        space
        for space, guessed in zip(board.SPACES, candidate.facts["guessed"], strict=True)
        if guessed
    ]
    names = ", ".join(outputs) or "nothing"
    if candidate.is_over:  # BD-31 has taken some away
        require(
            set(found) <= set(outputs),
            "conjectured",
            f"must be among the outputs of valid conjectures: {names}",
        )
    else:
        require(
            found == outputs, "conjectured", f"must be the outputs of valid conjectures: {names}"
        )


def _check_end(candidate: Candidate) -> None:
    check_winners_by_score(candidate)
    for p in candidate.seats:
        for kind, name in enumerate(s.FINAL):
            points, right = (
                int(candidate.state["final"][p, kind]),
                int(candidate.facts["final"][p, kind]),
            )
            if kind == s.WILD:  # what lay without a marker before BD-31 cannot be seen any more
                require(points <= 0, f"final.{p}.{name}", "is a loss: at most 0")
            else:
                require(points == right, f"final.{p}.{name}", f"must be {right}")


# ---------------------------------------------------------------- commitments


def _check_pending(candidate: Candidate) -> None:
    state, together = candidate.state, COMMITTED in candidate.snapshot
    for p in candidate.seats:
        actions = [int(action) for action in state["pending"][p][: state["pending_len"][p]]]
        asked = bool(candidate.facts["asked"][p])
        begun = asked and (together or p <= state["to_move"])
        require(not actions or begun, f"pending.{p}", "must be empty")
        if asked:
            _check_commitment(candidate, p, actions, complete=not state["owes"][p])
    require(
        not together or bool(candidate.facts["apart"]),
        COMMITTED,
        "is left out when the seats commit one after the other",
    )


def _check_commitment(candidate: Candidate, p: int, actions: list[int], complete: bool) -> None:
    """Make a seat's choices once more on a copy, where the other one is still to decide, so that
    nothing is carried out."""
    key, game, in_words = f"pending.{p}", candidate.game, candidate.game.actions
    if candidate.state["phase"] in (s.MODEL, s.RESEARCH_MODEL):
        require(len(actions) < (1 if complete else 2), key, "a complete model is one of `models`")
        complete = False
    states = candidate.states.copy()
    copy = states[0]
    copy["pending"][p], copy["pending_len"][p], copy["owes"] = 0, 0, 1
    for action in actions:
        require(
            bool(copy["owes"][p]), key, f"the commitment is complete before {in_words[action]!r}"
        )
        require(
            action in game.legal_actions(states, p), key, f"{in_words[action]!r} is not legal there"
        )
        game.kernels.apply_one(states, p, action)
    require(
        complete != bool(copy["owes"][p]),
        key,
        f"the commitment must {'' if complete else 'not '}be complete for seat {p}",
    )
