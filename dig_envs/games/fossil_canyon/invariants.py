"""The invariants between the keys of a snapshot of Fossil Canyon, so that no position is accepted
that no game can reach."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.snapshots.codecs import in_sight, require, require_multiset
from dig_envs.engine.snapshots.snapshot import COMMITTED, Candidate, check_winners
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import state as s

Record = Any


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    snapshot, state = candidate.snapshot, candidate.state
    _check_fossils(snapshot, state)
    _check_scores(snapshot, state)
    _check_clock(snapshot, state)
    _check_phase(snapshot, state)
    _check_step(snapshot, state)
    _check_hands(candidate)
    _check_chosen(candidate)
    if snapshot["exchange"] is not None:
        _check_exchange(candidate)
    if snapshot["claim"] is not None:
        _check_claim(candidate)
    if candidate.is_over:
        _check_end(candidate)
    else:
        _check_going_on(candidate)


def fossils_in_play(state: Record) -> list[str]:
    number = deck.NUM_FOSSILS - (0 if state["research"] else deck.NUM_TRACES)
    return [deck.TYPES[t] for t in deck.FOSSILS[:number]]


def fossils_in_sight(position: Mapping[str, Any]) -> list[str]:
    built = [part for genus in in_sight(position["museums"]) for part in deck.parts_of(genus)]
    keys = ("buried", "exposed", "discarded", "spent", "hidden", "open", "dug")
    return built + in_sight(*(position[key] for key in keys))


def _check_fossils(snapshot: Mapping[str, Any], state: Record) -> None:
    found = fossils_in_sight(snapshot)
    require_multiset(found, fossils_in_play(state), "buried", "the fossils in play")
    require(
        len(snapshot["discarded"]) == box.DISCARDED, "discarded", f"has {box.DISCARDED} fossils"
    )
    mix = box.EVENT_MIXES[state["events"]]
    cards = tuple(snapshot["events"].count(kind) for kind in range(box.EVENT_KINDS))
    require(
        cards == mix,
        "events",
        f"must have {mix[0]}, {mix[1]} and {mix[2]} cards that expose 0, 1 and 2 fossils",
    )


def _check_scores(snapshot: Mapping[str, Any], state: Record) -> None:
    given = state["awards"].sum(axis=0)
    for name, number, pieces in zip(box.AWARDS, given, box.AWARD_PIECES, strict=True):
        require(number <= pieces, "awards", f"{name}: there are {pieces}")
    spent = int(state["spent"] @ deck.RESEARCH)
    price = int(given @ box.AWARD_VALUE) + int(state["paid"])
    require(
        spent >= price,
        "spent",
        f"the value of what was paid, {spent}, is less than what was bought, {price}",
    )
    worth = (("museums", deck.VALUE), ("awards", box.AWARD_POINTS), ("bonuses", box.BONUS_POINTS))
    for p, score in enumerate(snapshot["scores"]):
        points = sum(int(state[pieces][p].astype(int) @ each) for pieces, each in worth)
        require(score == points, "scores", f"must be {points} for seat {p}")


def _check_clock(snapshot: Mapping[str, Any], state: Record) -> None:
    seats, turn, phase = int(state["num_players"]), int(state["turn"]), int(state["phase"])
    require((turn == 0) == (phase == s.SETUP), "turn", "is 0 exactly in `setup`")
    drawn = min(box.NUM_EVENTS, turn)
    if state["ending"]:
        require(_site(state) == 0, "ending", "the dig site is empty in the end phase")
        require(
            phase in (s.EXCHANGE, s.GIVE, s.TAKE, s.PAY, s.OVER),
            "phase",
            "does not exist in the end phase",
        )
        require(snapshot["events_seen"] <= drawn, "events_seen", f"is at most {drawn}")
    else:
        require(snapshot["events_seen"] == drawn, "events_seen", f"must be {drawn} in turn {turn}")
        for key in ("passes", "idle"):
            require(snapshot[key] == 0, key, "is 0 before the end phase")
        player = (turn - 1) % seats
        require(
            phase == s.SETUP or snapshot["player"] == player,
            "player",
            f"must be {player} in turn {turn}",
        )
    require(snapshot["passes"] <= seats, "passes", f"is at most {seats}")
    most = seats * int(state["stalemate_rounds"])
    require(snapshot["idle"] <= most, "idle", f"is at most {most}")
    require(snapshot["passes"] <= snapshot["idle"], "passes", "is at most `idle`")


def _site(state: Record) -> int:
    return int(state["buried_len"]) + int(state["num_exposed"])


def _fossils_of(state: Record, p: int) -> int:
    return int(state["num_hidden"][p]) + int(state["num_open"][p])


# ---------------------------------------------------------------- hands


def _check_hands(candidate: Candidate) -> None:
    snapshot, state = candidate.snapshot, candidate.state
    for p in candidate.seats:
        hidden, held = snapshot["hidden"][p], int(state["num_hidden"][p])
        complete = candidate.facts["complete"][p]
        require(
            not complete,
            f"hidden.{p}",
            f"seat {p} holds all parts of a skeleton, which would have been built",
        )
        if state["phase"] == s.SETUP:
            built = sum(len(deck.parts_of(genus)) for genus in snapshot["museums"][p])
            hand = int(box.STARTING_HAND[state["num_players"]]) - built
            require(
                held == hand,
                f"hidden.{p}",
                f"a starting hand less what was built has {hand} fossils",
            )
            require(not snapshot["open"][p], f"open.{p}", "is empty in `setup`")
        most = _most_hidden(state, p)
        require(held <= most, f"hidden.{p}", f"holds at most {most} here")
        for x, row in enumerate(snapshot["known"]):
            require(
                not Counter(row[p]) - Counter(hidden),
                f"known.{x}.{p}",
                f"must be contained in hidden.{p}",
            )
            require(
                not row[p] or (x != p and state["phase"] != s.SETUP),
                f"known.{x}.{p}",
                "must be empty",
            )


def _most_hidden(state: Record, p: int) -> int:
    """The most fossils that the hidden hand of a seat can hold.

    A turn begins with `hidden_limit` of them. Each fossil dug or taken may be one more, until
    `adjust`: since the bound counts those that can have come so far, what is within it now is
    within MAX_IN_HIDDEN for the rest of the game. Before the bonus dig a skeleton has been built,
    and with it at least the fossil that completed it has left the hidden hand.
    """
    limit = int(state["hidden_limit"])
    if state["phase"] == s.SETUP:
        return int(box.STARTING_HAND[state["num_players"]])
    if state["ending"]:
        return 0
    if p != state["player"] or state["phase"] == s.OVER:
        return limit
    come = box.DIGS - int(state["digs"]) + int(state["exchanges"])
    # what came by the bonus dig makes up for it
    gone = int(state["bonus"]) if _step(state) != s.ADJUST else 0
    return limit + come - gone


def _step(state: Record) -> int:
    """The phase, or where play goes on after the payment that is under way."""
    return int(state["back"] if state["phase"] == s.PAY else state["phase"])


def _check_chosen(candidate: Candidate) -> None:
    snapshot, state = candidate.snapshot, candidate.state
    phase, player, limit = int(state["phase"]), int(state["player"]), int(state["hidden_limit"])
    for p, chosen in enumerate(snapshot["chosen"]):
        require(len(chosen) <= limit, f"chosen.{p}", f"must have at most {limit} entries")
        surplus = Counter(chosen) - Counter(snapshot["hidden"][p]) - Counter(snapshot["open"][p])
        require(not surplus, f"chosen.{p}", "must be fossils of the seat")
        adjusts = phase == s.ADJUST and p == player
        may = adjusts or (phase == s.SETUP and (p <= player or state["apart"]))
        require(may or not chosen, f"chosen.{p}", "must be empty")
        if adjusts or (phase == s.SETUP and state["owes"][p]):
            complete = candidate.facts["chosen_all"][p]
            require(not complete, f"chosen.{p}", "is complete, so that the choice would be over")


# ---------------------------------------------------------------- the turn


def _check_phase(snapshot: Mapping[str, Any], state: Record) -> None:
    phase = int(state["phase"])
    require(phase == s.OVER or snapshot["to_move"] == snapshot["player"], "to_move", "is `player`")
    require(phase == s.SETUP or COMMITTED not in snapshot, COMMITTED, "is there only in `setup`")
    if phase in (s.SETUP, s.OVER):
        for key in ("digs", "returned", "bonus", "exchanges", "scored"):
            nothing = False if isinstance(snapshot[key], bool) else 0
            require(not snapshot[key], key, f"is {nothing!r} in `{s.PHASES[phase]}`")
    if phase == s.SETUP:
        for key in ("exposed", "spent"):
            require(not snapshot[key], key, "is empty in `setup`")
        require(not any(snapshot["awards"]), "awards", "are empty in `setup`")
    if phase == s.KEEP:
        require(bool(state["return_dig"]), "phase", "`keep` is asked only with return_dig")
        require(not state["returned"], "returned", "is false in `keep`")
    if phase == s.ADJUST:
        require(
            _fossils_of(state, snapshot["player"]) > 0,
            "phase",
            "`adjust` is passed over by a player without fossils",
        )


def _check_step(snapshot: Mapping[str, Any], state: Record) -> None:
    """Refuse what there cannot be in a step of a turn, also while an award is paid."""
    step = _step(state)
    digging = step in (s.DIG, s.KEEP)
    require((snapshot["digs"] > 0) == digging, "digs", "is more than 0 exactly in step 2")
    require(
        snapshot["digs"] <= _site(state) + (step == s.KEEP),
        "digs",
        "is not more than there are fossils",
    )
    require(not digging or snapshot["exchanges"] == 0, "exchanges", "is 0 in step 2")
    require(
        not state["returned"] or bool(state["return_dig"]),
        "returned",
        "is false without return_dig",
    )
    if state["bonus"]:
        require(bool(state["scored"]), "scored", "is true if `bonus` is")
        require(
            bool(snapshot["museums"][snapshot["player"]]),
            "bonus",
            "is true only after a skeleton was built",
        )
        require(snapshot["digs"] < box.DIGS, "bonus", "is false until something was dug")
        require(not state["ending"], "bonus", "is false in the end phase")
    if step == s.BONUS:
        require(bool(state["bonus"]), "bonus", "is true in the phase `bonus`")
        require(_site(state) > 0, "phase", "`bonus` needs a fossil in the dig site")
    if state["ending"]:
        require(
            step in (s.EXCHANGE, s.GIVE, s.TAKE, s.OVER),
            "claim.back",
            "is `exchange` in the end phase",
        )


def _check_exchange(candidate: Candidate) -> None:
    snapshot, state, facts = candidate.snapshot, candidate.state, candidate.facts
    partner, barred = snapshot["exchange"]["with"], snapshot["exchange"]["barred"]
    price, left = int(state["exchanges"]) + 1, int(state["left"])
    require(partner != snapshot["player"], "exchange.with", "must be another player")
    require(
        price <= box.MAX_EXCHANGES,
        "exchanges",
        f"is at most {box.MAX_EXCHANGES - 1} during an exchange",
    )
    if state["phase"] == s.GIVE:
        require(1 <= left <= price, "exchange.left", f"must be from 1 to {price}")
        require(
            left <= _fossils_of(state, snapshot["player"]),
            "exchange.left",
            "is more than the mover has",
        )
        require(
            left < price or bool(facts["tradable"]),
            "exchange.with",
            "had nothing that could be taken",
        )
    else:
        require(left == 0, "exchange.left", "is 0 in `take`")
        require(bool(facts["takeable"]), "exchange.barred", "leaves nothing to take")
    require(
        len(set(barred)) == len(barred) <= price - left,
        "exchange.barred",
        "has more types than were given",
    )
    for fossil in barred:
        built = any(fossil in deck.parts_of(genus) for genus in snapshot["museums"][partner])
        require(
            fossil in snapshot["open"][partner] or built,
            "exchange.barred",
            f"{fossil} was not given to seat {partner}",
        )


def _check_claim(candidate: Candidate) -> None:
    state, facts = candidate.state, candidate.facts
    paid_off = state["paid"] >= box.AWARD_VALUE[state["claim"] - 1]
    require(not paid_off, "claim.paid", "is enough, so that the payment would be over")
    require(bool(facts["can_pay"]), "claim.paid", "the mover cannot pay the rest")
    require(bool(facts["piece_left"]), "claim.award", "no piece is left")


# ---------------------------------------------------------------- the end


def _check_going_on(candidate: Candidate) -> None:
    snapshot, facts = candidate.snapshot, candidate.facts
    require(snapshot["ended"] is None, "ended", "is null until the game is over")
    require(not any(snapshot["bonuses"]), "bonuses", "are empty until the game is over")
    require(facts["stalled"] != s.PASSED, "passes", "the game would be over")
    require(facts["stalled"] != s.STALEMATE, "idle", "the game would be over")
    over = (
        snapshot["ending"]
        and candidate.state["phase"] == s.EXCHANGE
        and facts["ended"] == s.EXHAUSTED
    )
    require(not over, "phase", "the game would be over: nothing can be completed any more")


def _check_end(candidate: Candidate) -> None:
    snapshot, state, facts = candidate.snapshot, candidate.state, candidate.facts
    ended, right = snapshot["ended"], s.ENDS[facts["ended"]]
    require(ended is not None, "ended", "must say how the game ended")
    require(
        snapshot["truncated"] == (ended == "turns"),
        "truncated",
        "is true exactly if `ended` is `turns`",
    )
    require(ended == right, "ended", f"must be {right!r} in this position")
    require(
        bool(state["ending"]) or _site(state) > 0, "ending", "is true when the dig site is empty"
    )
    given = np.zeros_like(state["bonuses"])
    if state["endgame_bonuses"] and ended != "turns":
        for bonus, owner in enumerate(facts["bonus_owner"]):
            if owner >= 0:
                given[owner, bonus] = 1
    require(
        state["bonuses"].tolist() == given.tolist(),
        "bonuses",
        "do not go to those who have earned them",
    )
    check_winners(candidate, [p for p in candidate.seats if facts["winners"][p]])
