"""State, observation and actions of Fossil Canyon."""

import numpy as np

from dig_envs.engine.options import Option
from dig_envs.engine.state import observation_dtype, state_dtype
from dig_envs.games.fossil_canyon.components import (
    AWARDS,
    BONUSES,
    EVENT_KINDS,
    EVENT_MIXES,
    HERBIVORES,
    MAX_EXCHANGES,
    MAX_HIDDEN,
    MAX_IN_HIDDEN,
    MAX_PLAYERS,
    MOST_TURNS,
    NUM_EVENTS,
    STANDARD_EVENTS,
)
from dig_envs.games.fossil_deck import NUM_FOSSILS, NUM_GENERA, NUM_TRACES, NUM_TYPES, TRACES, TYPES

PHASES = ("setup", "dig", "keep", "exchange", "give", "take", "bonus", "adjust", "pay", "over")
SETUP, DIG, KEEP, EXCHANGE, GIVE, TAKE, BONUS, ADJUST, PAY, OVER = range(len(PHASES))
CLAIM_PHASES = (DIG, EXCHANGE, BONUS, ADJUST)  # FC-26

ENDS = (None, "exhausted", "passed", "stalemate", "turns")
NOT_ENDED, EXHAUSTED, PASSED, STALEMATE, TURNS = range(len(ENDS))

OPTIONS = (
    Option("num_players", range(2, MAX_PLAYERS + 1), 4, "players"),
    Option("research", (True, False), True, "false: without the six trace fossils and the awards"),
    Option("endgame_bonuses", (True, False), True, "false: without the bonuses of FC-34"),
    Option("hidden_limit", (3, 2), 3, "most fossils in a hidden hand; 2 is the rulebook's variation for 5 and 6 players"),
    Option("blind_take", (True, False), True, "false: nothing may be taken from a hidden hand"),
    Option("return_dig", (True, False), False, "true: a fossil just dug may be put back face up, once per turn (FC-15)"),
    Option(
        "events",
        EVENT_MIXES,
        STANDARD_EVENTS,
        "how many of the 18 event cards expose 0, 1 and 2 fossils",
        "three integers, 0 or more, with the sum 18",
    ),
    Option("stalemate_rounds", range(1, 11), 2, "rounds of the end phase without a new piece that end the game (FC-33)"),
    Option("max_turns", range(1, MOST_TURNS + 1), 200, "turn limit (FC-36)"),
)

State = state_dtype(
    MAX_PLAYERS,
    [
        ("max_turns", np.int16),
        ("events", np.int16),  # index of the mix
        ("research", np.int8),
        ("endgame_bonuses", np.int8),
        ("hidden_limit", np.int8),
        ("blind_take", np.int8),
        ("return_dig", np.int8),
        ("stalemate_rounds", np.int8),
        ("ended", np.int8),
        ("player", np.int8),
        ("ending", np.int8),
        ("buried", np.int8, (NUM_FOSSILS,)),  # types, top last
        ("buried_len", np.int8),
        ("exposed", np.int8, (NUM_TYPES,)),  # counts
        ("num_exposed", np.int8),  # their sum
        ("discarded", np.int8, (NUM_TYPES,)),  # counts
        ("spent", np.int8, (NUM_TRACES,)),  # counts
        ("event_deck", np.int8, (NUM_EVENTS,)),  # fossils exposed, top last
        ("events_seen", np.int8),
        ("hidden", np.int8, (MAX_PLAYERS, NUM_TYPES)),  # counts
        ("num_hidden", np.int8, (MAX_PLAYERS,)),  # their sum
        ("open", np.int8, (MAX_PLAYERS, NUM_TYPES)),  # counts
        ("num_open", np.int8, (MAX_PLAYERS,)),  # their sum
        ("known", np.int8, (MAX_PLAYERS, MAX_PLAYERS, MAX_IN_HIDDEN)),  # types, sorted
        ("known_len", np.int8, (MAX_PLAYERS, MAX_PLAYERS)),
        ("chosen", np.int8, (MAX_PLAYERS, MAX_HIDDEN)),  # types, sorted
        ("chosen_len", np.int8, (MAX_PLAYERS,)),
        ("apart", np.int8),  # 1 in set-up when seats did not choose one after the other (parallel play)
        ("museums", np.int8, (MAX_PLAYERS, NUM_GENERA)),  # counts
        ("awards", np.int8, (MAX_PLAYERS, len(AWARDS))),  # counts
        ("bonuses", np.int8, (MAX_PLAYERS, len(BONUSES))),  # 0 or 1
        # What follows from `museums`, kept beside it because it is read far more often than it changes.
        ("pieces", np.int8, (NUM_GENERA,)),  # skeletons in all museums
        ("carnivores", np.int8, (MAX_PLAYERS,)),
        ("carnivore_sum", np.int16, (MAX_PLAYERS,)),
        ("jurassic", np.int8, (MAX_PLAYERS,)),
        ("jurassic_sum", np.int16, (MAX_PLAYERS,)),
        ("best", np.int8, (MAX_PLAYERS,)),  # value of the most valuable skeleton
        # The turn in progress.
        ("digs", np.int8),
        ("returned", np.int8),
        ("dug", np.int8),  # type + 1, 0 outside `keep`
        ("bonus", np.int8),
        ("exchanges", np.int8),
        ("partner", np.int8),  # seat + 1, 0 outside `give` and `take`
        ("left", np.int8),
        ("barred", np.int8, (MAX_EXCHANGES,)),  # types, sorted
        ("barred_len", np.int8),
        ("claim", np.int8),  # award + 1, 0 outside `pay`
        ("paid", np.int8),
        ("back", np.int8),  # phase
        ("scored", np.int8),
        ("passes", np.int8),
        ("idle", np.int8),
        ("cards", np.int8, (NUM_FOSSILS,)),  # scratch, zero between actions
    ],
)

OTHERS = MAX_PLAYERS - 1
Observation = observation_dtype(
    [
        ("own_hidden", (NUM_TYPES,)),
        ("own_open", (NUM_TYPES,)),
        ("own_chosen", (NUM_TYPES,)),
        ("own_dug", (NUM_TYPES,)),
        ("open", (OTHERS, NUM_TYPES)),
        ("known_of", (OTHERS, NUM_TYPES)),
        ("known_by", (OTHERS, NUM_TYPES)),
        ("plays", (MAX_PLAYERS,)),
        ("num_hidden", (MAX_PLAYERS,)),
        ("num_open", (MAX_PLAYERS,)),
        ("num_unknown", (MAX_PLAYERS,)),
        ("exposed", (NUM_TYPES,)),
        ("unplaced", (NUM_TYPES,)),
        ("buried", ()),
        ("site", ()),
        ("skeletons", (MAX_PLAYERS, NUM_GENERA)),
        ("minor_awards", (MAX_PLAYERS,)),
        ("major_award", (MAX_PLAYERS,)),
        ("score", (MAX_PLAYERS,)),
        ("lead", (MAX_PLAYERS,)),
        ("best_skeleton", (MAX_PLAYERS,)),
        ("carnivores", (MAX_PLAYERS, 2)),
        ("jurassic", (MAX_PLAYERS, 2)),
        ("herbivores", (MAX_PLAYERS, len(HERBIVORES))),
        ("pieces_left", (NUM_GENERA,)),
        ("parts_held", (NUM_GENERA,)),
        ("parts_in_reach", (NUM_GENERA,)),
        ("spent", (NUM_TRACES,)),
        ("research_value", ()),
        ("awards_left", (len(AWARDS),)),
        ("event_known", (NUM_EVENTS,)),
        ("event_exposes", (NUM_EVENTS,)),
        ("events_unknown", (EVENT_KINDS,)),
        ("has_turn", (MAX_PLAYERS,)),
        ("phase", (len(PHASES),)),
        ("digs", ()),
        ("returned", ()),
        ("bonus", ()),
        ("exchanges", ()),
        ("scored", ()),
        ("partner", (MAX_PLAYERS,)),
        ("left_to_give", ()),
        ("barred", (NUM_TYPES,)),
        ("claim", (len(AWARDS),)),
        ("paid", ()),
        ("missing", ()),
        ("claimed_in", (len(CLAIM_PHASES),)),
        ("ending", ()),
        ("passes", ()),
        ("idle", ()),
        ("turn", ()),
        ("num_players", (MAX_PLAYERS - 1,)),
        ("research", ()),
        ("endgame_bonuses", ()),
        ("hidden_limit", ()),
        ("blind_take", ()),
        ("return_dig", ()),
        ("events", (EVENT_KINDS,)),
        ("stalemate_rounds", ()),
    ]
)

MEANINGS = {
    "own_hidden": "per type: fossils in the own hidden hand / copies in the box (in `setup` the whole hand)",
    "own_open": "per type: own face-up fossils / copies",
    "own_chosen": "per type: fossils chosen so far, in `setup` and `adjust` / copies",
    "own_dug": "one-hot: the fossil about which the seat decides in `keep`",
    "open": "per other seat (+1 to +5) and type: face-up fossils / copies",
    "known_of": "per other seat and type: fossils that the seat knows to be in the other's hidden hand / copies",
    "known_by": "per other seat and type: fossils that the other knows to be in the seat's hidden hand / copies",
    "plays": "per seat (self, +1 to +5): 1 if the seat is in the game",
    "num_hidden": "per seat: hidden fossils / 10",
    "num_open": "per seat: face-up fossils / 41",
    "num_unknown": "per seat: hidden fossils that the seat does not know / 10 (self: 0)",
    "exposed": "per type: fossils exposed in the dig site / copies",
    "unplaced": "per type: copies that the seat cannot place / copies: buried, discarded, in the hidden hand or under the "
    "eyes of another",
    "buried": "buried fossils / 60",
    "site": "fossils in the dig site, buried or exposed / 60",
    "skeletons": "per seat and genus: skeletons in its museum / skeletons in the box",
    "minor_awards": "per seat: minor awards / 3",
    "major_award": "per seat: 1 if it has the major award",
    "score": "per seat: score / 384",
    "lead": "per seat: its score minus the own score / 384, from -1 to 1",
    "best_skeleton": "per seat: value of its most valuable skeleton / 25",
    "carnivores": "per seat: carnivore skeletons / 14; the sum of their values / 167",
    "jurassic": "per seat: Jurassic skeletons / 6; the sum of their values / 83",
    "herbivores": "per seat: 1 for each of TRI, ANK, PAR, PAC of which it has a skeleton",
    "pieces_left": "per genus: skeletons not built yet / skeletons in the box",
    "parts_held": "per genus: different parts in the own hand / parts",
    "parts_in_reach": "per genus: different parts in the own hand, face up at others or exposed / parts",
    "spent": "per trace fossil: 1 if it was paid for an award",
    "research_value": "research value of the own hand / 12",
    "awards_left": "minor, major: pieces left / pieces",
    "event_known": "per event card from the top: 1 if known, because it was drawn before",
    "event_exposes": "per event card from the top: fossils that it exposes / 2, if known",
    "events_unknown": "cards that expose 0, 1, 2 fossils among the unknown ones / 18",
    "has_turn": "per seat: 1 for the one whose turn it is (in `setup`, that chooses)",
    "phase": "one-hot: setup, dig, keep, exchange, give, take, bonus, adjust, pay, over",
    "digs": "fossils still to be dug in step 2 / 2",
    "returned": "1 if a fossil has been put back in this turn",
    "bonus": "1 if the mover has built a skeleton in step 2 or 3 of this turn",
    "exchanges": "exchanges completed in this turn / 3",
    "scored": "1 if somebody has got a scoring piece in this turn",
    "partner": "one-hot (self, +1 to +5): with whom the mover exchanges",
    "left_to_give": "fossils still to be given / 3",
    "barred": "per type: 1 if it may not be taken in this exchange",
    "claim": "one-hot: minor, major: the award that is being paid",
    "paid": "research value paid so far / 6",
    "missing": "research value still to be paid / 6",
    "claimed_in": "one-hot: dig, exchange, bonus, adjust: where play goes on after the payment",
    "ending": "1 in the end phase",
    "passes": "turns of the end phase without exchange or claim, in a row / 6",
    "idle": "turns of the end phase without a new piece, in a row / 60",
    "turn": "turn / max_turns",
    "num_players": "one-hot: 2, 3, 4, 5, 6",
    "research": "1 with research fossils",
    "endgame_bonuses": "1 with endgame bonuses",
    "hidden_limit": "most fossils in a hidden hand / 3",
    "blind_take": "1 if blind takes are allowed",
    "return_dig": "1 if a dug fossil may be put back",
    "events": "event cards that expose 0, 1, 2 fossils / 18",
    "stalemate_rounds": "stalemate_rounds / 10",
}


def _action_names() -> tuple[str, ...]:
    names = [*(f"hide {t}" for t in TYPES), "done"]
    names += ["dig buried", *(f"dig {t}" for t in TYPES), "keep", "put back"]
    names += [*(f"exchange +{k}" for k in range(1, MAX_PLAYERS)), "finish"]
    names += [f"give {where} {t}" for where in ("hidden", "open") for t in TYPES]
    names += [*(f"take {t}" for t in TYPES), "take blind"]
    names += [*(f"claim {award}" for award in AWARDS), *(f"pay {trace}" for trace in TRACES)]
    return tuple(names)


ACTIONS = _action_names()

# First indices of the action groups (the table "Actions" of the rules).
A_HIDE, A_DONE, A_DIG_BURIED, A_DIG, A_KEEP, A_PUT_BACK = 0, 40, 41, 42, 82, 83
A_EXCHANGE, A_FINISH, A_GIVE_HIDDEN, A_GIVE_OPEN, A_TAKE, A_TAKE_BLIND = 84, 89, 90, 130, 170, 210
A_CLAIM, A_PAY = 211, 213

assert len(ACTIONS) == A_PAY + NUM_TRACES
