"""State, facts, actions and options of Fossil Canyon."""

import numpy as np

from dig_envs.engine.core.actions import AFTER, Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
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

FIELDS: Fields = [
    ("max_turns", np.int16),
    ("events", np.int16, "index of the mix, as the option says"),
    ("research", np.int8),
    ("endgame_bonuses", np.int8),
    ("hidden_limit", np.int8),
    ("blind_take", np.int8),
    ("return_dig", np.int8),
    ("stalemate_rounds", np.int8),
    ("ended", np.int8, "why the game has ended, 0: not yet"),
    ("player", np.int8, "whose turn it is; in `setup` the seat that chooses"),
    ("ending", np.int8, "1 if the end phase has begun"),
    ("buried", np.int8, (deck.NUM_FOSSILS,), "face-down fossils of the dig site: types, top last"),
    ("buried_len", np.int8),
    ("exposed", np.int8, (deck.NUM_TYPES,), "per type: face-up fossils of the dig site"),
    ("num_exposed", np.int8, "sum of `exposed`"),
    ("discarded", np.int8, (deck.NUM_TYPES,), "per type: fossils discarded at set-up"),
    ("spent", np.int8, (deck.NUM_TRACES,), "per trace fossil: paid for awards"),
    ("event_deck", np.int8, (box.NUM_EVENTS,), "fossils that each card exposes, top last"),
    ("events_seen", np.int8, "event cards drawn"),
    (
        "hidden",
        np.int8,
        (box.MAX_PLAYERS, deck.NUM_TYPES),
        "per seat and type: fossils in the hidden hand",
    ),
    ("num_hidden", np.int8, (box.MAX_PLAYERS,), "per seat: sum of `hidden`"),
    ("open", np.int8, (box.MAX_PLAYERS, deck.NUM_TYPES), "per seat and type: face-up fossils"),
    ("num_open", np.int8, (box.MAX_PLAYERS,), "per seat: sum of `open`"),
    (
        "known",
        np.int8,
        (box.MAX_PLAYERS, box.MAX_PLAYERS, box.MAX_IN_HIDDEN),
        "per seat, what it knows of the hidden hand of each seat (FC-29): types, sorted",
    ),
    ("known_len", np.int8, (box.MAX_PLAYERS, box.MAX_PLAYERS)),
    (
        "chosen",
        np.int8,
        (box.MAX_PLAYERS, box.MAX_HIDDEN),
        "per seat: types chosen in `setup` or `adjust`, sorted",
    ),
    ("chosen_len", np.int8, (box.MAX_PLAYERS,)),
    ("apart", np.int8, "1 in set-up when seats did not choose one after the other (parallel play)"),
    ("museums", np.int8, (box.MAX_PLAYERS, deck.NUM_GENERA), "per seat and genus: skeletons"),
    ("awards", np.int8, (box.MAX_PLAYERS, len(box.AWARDS)), "per seat: minor awards, major awards"),
    (
        "bonuses",
        np.int8,
        (box.MAX_PLAYERS, len(box.BONUSES)),
        "per seat: 0 or 1 for small, medium, large",
    ),
    # What follows from `museums`, kept beside it because it is read far more often than it
    # changes.
    ("pieces", np.int8, (deck.NUM_GENERA,), "per genus: skeletons in all museums"),
    ("carnivores", np.int8, (box.MAX_PLAYERS,), "per seat: skeletons of carnivores"),
    (
        "carnivore_sum",
        np.int16,
        (box.MAX_PLAYERS,),
        "per seat: value of the skeletons of carnivores",
    ),
    ("jurassic", np.int8, (box.MAX_PLAYERS,), "per seat: skeletons of the Jurassic"),
    (
        "jurassic_sum",
        np.int16,
        (box.MAX_PLAYERS,),
        "per seat: value of the skeletons of the Jurassic",
    ),
    ("best", np.int8, (box.MAX_PLAYERS,), "per seat: value of the most valuable skeleton"),
    ("digs", np.int8, "fossils still to be dug in this turn"),
    ("returned", np.int8, "1 if a fossil has been put back in this turn"),
    ("dug", np.int8, "in `keep`: type + 1, else 0"),
    ("bonus", np.int8, "1 if the player has built a skeleton in step 2 or 3 of this turn"),
    ("exchanges", np.int8, "exchanges completed in this turn"),
    ("partner", np.int8, "in `give` and `take`: seat + 1, else 0"),
    ("left", np.int8, "in `give`: fossils still to be given"),
    ("barred", np.int8, (box.MAX_EXCHANGES,), "types that may not be taken back, sorted"),
    ("barred_len", np.int8),
    ("claim", np.int8, "in `pay`: award + 1, else 0"),
    ("paid", np.int8, "in `pay`: value paid so far"),
    ("back", np.int8, "in `pay`: phase of the claim"),
    ("scored", np.int8, "1 if somebody has got a scoring piece in this turn"),
    ("passes", np.int8, "turns passed in a row in the end phase (FC-33)"),
    ("idle", np.int8, "turns in a row without a scoring piece in the end phase (FC-33)"),
    ("cards", np.int8, (deck.NUM_FOSSILS,), "for re-dealing what is unseen"),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

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
