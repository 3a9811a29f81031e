"""State, facts, actions and options of Fossil Canyon."""

import numpy as np

from dig_envs.engine.core.actions import AFTER, Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import record_dtype, state_dtype
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box

PHASES = ("setup", "dig", "keep", "exchange", "give", "take", "bonus", "adjust", "pay", "over")
SETUP, DIG, KEEP, EXCHANGE, GIVE, TAKE, BONUS, ADJUST, PAY, OVER = range(len(PHASES))
CLAIM_PHASES = (DIG, EXCHANGE, BONUS, ADJUST)  # FC-26

ENDS = (None, "exhausted", "passed", "stalemate", "turns")
NOT_ENDED, EXHAUSTED, PASSED, STALEMATE, TURNS = range(len(ENDS))

OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 4, "players"),
    Option("research", (True, False), True, "false: without the six trace fossils and the awards"),
    Option("endgame_bonuses", (True, False), True, "false: without the bonuses of FC-34"),
    Option(
        "hidden_limit",
        (3, 2),
        3,
        "most fossils in a hidden hand; 2 is the rulebook's variation for 5 and 6 players",
    ),
    Option("blind_take", (True, False), True, "false: nothing may be taken from a hidden hand"),
    Option(
        "return_dig",
        (True, False),
        False,
        "true: a fossil just dug may be put back face up, once per turn (FC-15)",
    ),
    Option(
        "events",
        box.EVENT_MIXES,
        box.STANDARD_EVENTS,
        "how many of the 18 event cards expose 0, 1 and 2 fossils",
        "three integers, 0 or more, with the sum 18",
    ),
    Option(
        "stalemate_rounds",
        range(1, box.MAX_STALEMATE_ROUNDS + 1),
        2,
        "rounds of the end phase without a new piece that end the game (FC-33)",
    ),
    Option("max_turns", range(1, box.MOST_TURNS + 1), 200, "turn limit (FC-36)"),
)

SCRATCH = ("cards",)  # zero between actions

State = state_dtype(
    box.MAX_PLAYERS,
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
        ("buried", np.int8, (deck.NUM_FOSSILS,)),  # types, top last
        ("buried_len", np.int8),
        ("exposed", np.int8, (deck.NUM_TYPES,)),  # counts
        ("num_exposed", np.int8),  # their sum
        ("discarded", np.int8, (deck.NUM_TYPES,)),  # counts
        ("spent", np.int8, (deck.NUM_TRACES,)),  # counts
        ("event_deck", np.int8, (box.NUM_EVENTS,)),  # fossils exposed, top last
        ("events_seen", np.int8),
        ("hidden", np.int8, (box.MAX_PLAYERS, deck.NUM_TYPES)),  # counts
        ("num_hidden", np.int8, (box.MAX_PLAYERS,)),  # their sum
        ("open", np.int8, (box.MAX_PLAYERS, deck.NUM_TYPES)),  # counts
        ("num_open", np.int8, (box.MAX_PLAYERS,)),  # their sum
        ("known", np.int8, (box.MAX_PLAYERS, box.MAX_PLAYERS, box.MAX_IN_HIDDEN)),  # types, sorted
        ("known_len", np.int8, (box.MAX_PLAYERS, box.MAX_PLAYERS)),
        ("chosen", np.int8, (box.MAX_PLAYERS, box.MAX_HIDDEN)),  # types, sorted
        ("chosen_len", np.int8, (box.MAX_PLAYERS,)),
        # 1 in set-up when seats did not choose one after the other (parallel play)
        ("apart", np.int8),
        ("museums", np.int8, (box.MAX_PLAYERS, deck.NUM_GENERA)),  # counts
        ("awards", np.int8, (box.MAX_PLAYERS, len(box.AWARDS))),  # counts
        ("bonuses", np.int8, (box.MAX_PLAYERS, len(box.BONUSES))),  # 0 or 1
        # What follows from `museums`, kept beside it because it is read far more often than it
        # changes.
        ("pieces", np.int8, (deck.NUM_GENERA,)),  # skeletons in all museums
        ("carnivores", np.int8, (box.MAX_PLAYERS,)),
        ("carnivore_sum", np.int16, (box.MAX_PLAYERS,)),
        ("jurassic", np.int8, (box.MAX_PLAYERS,)),
        ("jurassic_sum", np.int16, (box.MAX_PLAYERS,)),
        ("best", np.int8, (box.MAX_PLAYERS,)),  # value of the most valuable skeleton
        # The turn in progress.
        ("digs", np.int8),
        ("returned", np.int8),
        ("dug", np.int8),  # type + 1, 0 outside `keep`
        ("bonus", np.int8),
        ("exchanges", np.int8),
        ("partner", np.int8),  # seat + 1, 0 outside `give` and `take`
        ("left", np.int8),
        ("barred", np.int8, (box.MAX_EXCHANGES,)),  # types, sorted
        ("barred_len", np.int8),
        ("claim", np.int8),  # award + 1, 0 outside `pay`
        ("paid", np.int8),
        ("back", np.int8),  # phase
        ("scored", np.int8),
        ("passes", np.int8),
        ("idle", np.int8),
        # for re-dealing what is unseen
        ("cards", np.int8, (deck.NUM_FOSSILS,)),
    ],
)

Facts = record_dtype(
    [
        # 1 if the seat has a decision to make in this phase
        ("asked", np.int8, (box.MAX_PLAYERS,)),
        ("apart", np.int8),
        ("complete", np.int8, (box.MAX_PLAYERS,)),  # 1 if the seat holds all parts of some skeleton
        # 1 if the seat's choice would be over without `done`
        ("chosen_all", np.int8, (box.MAX_PLAYERS,)),
        # 1 if the partner of the open exchange has something that could be taken, barred or not
        ("tradable", np.int8),
        ("takeable", np.int8),  # 1 if something could be taken now
        ("piece_left", np.int8),  # 1 if the award that is being paid is still there
        ("can_pay", np.int8),  # 1 if the mover can pay the rest of it
        ("ended", np.int8),  # why the game ends where a turn would begin, NOT_ENDED if it goes on
        ("stalled", np.int8),  # the same from the turns that are counted alone
        ("bonus_owner", np.int8, (len(box.BONUSES),)),  # -1 for nobody
        ("winners", np.int8, (box.MAX_PLAYERS,)),  # 1 for each if the game ended here
    ]
)

ACTIONS = Actions()
A_HIDE = ACTIONS.add("hide {}", deck.TYPES, label="Hide {0}", called=(box.FOSSIL_NAMES,))
A_DONE = ACTIONS.add("done", label="Hide no more fossils")
A_DIG_BURIED = ACTIONS.add("dig buried", label="Dig a buried fossil")
A_DIG = ACTIONS.add("dig {}", deck.TYPES, label="Dig the exposed {0}", called=(deck.TYPE_NAMES,))
A_KEEP = ACTIONS.add("keep", label="Keep the fossil just dug")
A_PUT_BACK = ACTIONS.add("put back", label="Put the fossil just dug back, exposed")
A_EXCHANGE = ACTIONS.add(
    "exchange +{}", range(1, box.MAX_PLAYERS), label="Begin an exchange with {0}", called=(AFTER,)
)
A_FINISH = ACTIONS.add("finish", label="Make no more exchanges")
A_GIVE_HIDDEN = ACTIONS.add(
    "give hidden {}", deck.TYPES, label="Give the hidden {0}", called=(deck.TYPE_NAMES,)
)
A_GIVE_OPEN = ACTIONS.add(
    "give open {}", deck.TYPES, label="Give the face-up {0}", called=(deck.TYPE_NAMES,)
)
A_TAKE = ACTIONS.add("take {}", deck.TYPES, label="Take {0}", called=(box.FOSSIL_NAMES,))
A_TAKE_BLIND = ACTIONS.add("take blind", label="Take a hidden fossil, blind")
A_CLAIM = ACTIONS.add("claim {}", box.AWARDS, label="Claim {0}", called=(box.AWARD_NAMES,))
A_PAY = ACTIONS.add(
    "pay {}", deck.TRACES, label="Pay {0}", called=(box.FOSSIL_NAMES[deck.FIRST_TRACE :],)
)
