"""The observation of a seat of Dino Dig (the rules' section "Observation").

Learners get the site twice: square by square and card by card, and once more as it lies around each
of their pieces, to which the actions refer. Cards come with the own suit first, so that what is
learnt with one contract holds with the others.
"""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.raw import News
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import events as e
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.rules import cards, course, site, skeletons
from dig_envs.games.dino_dig.rules.cards import bit, has
from dig_envs.games.dino_dig.rules.kinds import KIND_NAMES, is_seen, kinds_of_cards

P, K, C, N = box.MAX_PLAYERS, box.PIECES, box.NUM_CARDS, box.NUM_SQUARES
FEW = 8  # cards of a stack
MOST_FEW = C / FEW
VALUES = box.NUM_VALUES
MOST_MUSEUM = C / VALUES
HIGHEST = box.LOWEST_VALUE + VALUES - 1

KINDS = len(KIND_NAMES)
JOKER, OWN_SUIT, LACKING, NEXT, OTHERS_SUIT = range(KINDS)
KINDS_TEXT = ", ".join(KIND_NAMES)
IN_TOP = ("known to self", "to +1", "to +2", "to +3", *KIND_NAMES)
IN_SECOND = ("known to self", "joker", "lacking", "next")
IN_SIDE = ("lacking", "next", "lacking, at most two steps away", "next, at most two steps away")
IN_NEAR = (
    "is there",
    "may be entered",
    f"cards / {FEW}",
    "top known",
    *(f"top {kind}" for kind in KIND_NAMES),
    "another own piece on it",
    "an opponent's piece on it",
    "1 / (1 + steps to the base square)",
    "a card goes home from it",
)
THERE, MAY_ENTER, CARDS, TOP_KNOWN, TOP_KIND = range(5)
MATE, OPPONENT, NEARNESS, GOES_HOME = range(TOP_KIND + KINDS, len(IN_NEAR))
PLACES = len(box.DIRECTIONS) + 1  # around a piece
HERE = len(box.DIRECTIONS)

DEEP = 5  # cards below the top one of which is shown who knows them

FIELDS = Fields(
    # per card: the own suit (without one: hearts), the others in table order, jokers
    Field(
        "card_place",
        (C, 3),
        f"per card that the seat knows, on the site: row / 7, column / 7, cards above it / {FEW}",
        high=MOST_FEW,
    ),
    Field("card_face_up", (C,), "… 1 if it lies face up"),
    Field("card_in_hand", (C,), "… 1 if it is in hand"),
    Field("card_unknown", (C,), "per card: 1 if the seat does not know where it is", derived=True),
    Field(
        "card_held",
        (P, C),
        "per seat and card that the observer knows: 1 if it is in the seat's museum, 1/2 if in a "
        "backpack",
    ),
    Field(
        "card_known_to",
        (P - 1, C),
        "per other seat and card that the observer knows: 1 if the other knows it, too",
        derived=True,
    ),
    # per square
    Field("square", (N,), "per square: 1 if it is one of the site"),
    Field("stack_size", (N,), f"… cards on it / {FEW}", high=MOST_FEW),
    Field(
        "stack_known",
        (N,),
        f"… cards on it that the seat knows / {FEW}",
        high=MOST_FEW,
        derived=True,
    ),
    Field("square_pieces", (N, P), f"… and seat: pieces on it / {K}"),
    Field("top", (N, len(IN_TOP)), f"… top card: {', '.join(IN_TOP)}", derived=True),
    Field(
        "second", (N, len(IN_SECOND)), f"… the card below it: {', '.join(IN_SECOND)}", derived=True
    ),
    # around the own pieces
    Field(
        "near",
        (K, PLACES, len(IN_NEAR)),
        "per own piece and square N, E, S, W of it and its own (at home: of the base square): "
        f"{', '.join(IN_NEAR)}",
        high=MOST_FEW,
        derived=True,
    ),
    Field(
        "on_side",
        (K, len(box.DIRECTIONS), len(IN_SIDE)),
        "per own piece and direction: 1 if on a square on that side a top card is known to be: "
        f"{', '.join(IN_SIDE)}",
        derived=True,
    ),
    Field(
        "near_handler",
        (PLACES, len(IN_NEAR)),
        "the same for the handler of the card in hand",
        high=MOST_FEW,
        derived=True,
    ),
    # per seat and piece
    Field("at_home", (P, K), "per seat and piece: 1 if it is on its base"),
    Field("piece_row", (P, K, box.ROWS), "… one-hot row"),
    Field("piece_column", (P, K, box.COLUMNS), "… one-hot column"),
    Field("backpack_full", (P, K), "… 1 if it has a card in the backpack"),
    Field(
        "backpack_known_to",
        (P, K, P),
        "… 1 if that card is known to self, +1, +2, +3",
        derived=True,
    ),
    Field(
        "backpack_kind",
        (P, K, KINDS),
        f"… that card, if the observer knows it: {KINDS_TEXT}",
        derived=True,
    ),
    Field("acted", (K,), "per own piece: 1 if it has acted in this turn"),
    # per seat
    fields.plays(P),
    Field("base_row", (P, box.ROWS), "per seat: one-hot row of its base square"),
    Field("base_column", (P, box.COLUMNS), "… one-hot column"),
    Field(
        "suit",
        (P, box.NUM_SUITS),
        "… one-hot its contract, if the seat may see it: the own suit, the others in table order",
    ),
    Field("museum_size", (P,), f"… cards in its museum / {VALUES}", high=MOST_MUSEUM),
    Field(
        "museum_known_to",
        (P, P),
        f"… and self, +1, +2, +3: those that this one knows / {VALUES}",
        high=MOST_MUSEUM,
        derived=True,
    ),
    Field(
        "length",
        (P,),
        f"… length of its best skeleton, from the cards that the observer knows, / {VALUES}",
        derived=True,
    ),
    Field("high", (P,), f"… its highest value / {HIGHEST}", derived=True),
    # the own run
    Field(
        "soon_length",
        (),
        "length of the own best skeleton if the cards in backpacks and hand were in the museum / "
        f"{VALUES}",
        derived=True,
    ),
    Field(
        "home_values",
        (VALUES,),
        "per value: 1 if the own museum has a card of it that the skeleton may have",
        derived=True,
    ),
    Field(
        "carried_values", (VALUES,), "… 1 if an own backpack or the own hand has one", derived=True
    ),
    # the card in hand
    Field("hand", (), "1 if there is a card in hand"),
    Field("hand_known_to", (P - 1,), "1 if it is known to +1, +2, +3", derived=True),
    Field("hand_kind", (KINDS,), f"the card, if the seat knows it: {KINDS_TEXT}", derived=True),
    Field("chain", (K,), "per piece: 1 if it has been handler of that card"),
    Field("handler", (K,), "one-hot: the handler"),
    Field("stowed", (), "1 if the card comes from the handler's own backpack"),
    # everything together
    Field(
        "unknown_suit",
        (box.NUM_SUITS,),
        f"per suit, the own first: cards that the seat does not know / {VALUES}",
        derived=True,
    ),
    Field("unknown_jokers", (), "jokers that the seat does not know / 2", derived=True),
    fields.phase(s.PHASES),
    fields.has_turn(P, "per seat: 1 if it has the turn, or chooses in set-up"),
    fields.turn(),
    Field("supply", (), f"cards in the supply / {box.MAX_SUPPLY}"),
    fields.num_players(2, P),
    Field("jokers", (), "1 with jokers"),
    Field("contract", (len(s.CONTRACTS),), f"one-hot: {', '.join(s.CONTRACTS)}"),
    Field("deregulation", (), "1 with deregulation"),
    Field("new_horizons", (), "1 with New Horizons"),
    # what is seldom of use
    Field(
        "card_piece",
        (C,),
        f"per card that the seat knows, in a backpack: number of the piece that carries it / {K}",
    ),
    Field(
        "buried_known_to",
        (DEEP, N),
        "per card from the second to the sixth of a stack, and square: who knows it, 1/2 for "
        "self, 1/4, 1/8, 1/16 for +1, +2, +3",
        derived=True,
    ),
)
# what was seen and is hidden again
NEWS = News(
    64,
    kinds=(
        e.CHOSE_CONTRACT,
        e.WROTE_CONTRACT,
        e.DUG,
        e.UNLOADED,
        e.LAID_FACE_UP,
        e.BROUGHT_HOME,
        e.LAID_FACE_DOWN,
        e.STOWED,
        e.SWAPPED,
    ),
    parts=("suit", "piece", "square", "card"),
    split={
        "card": {
            "card_suit": np.arange(C) // VALUES,  # with the jokers as one more
            "card_value": np.arange(C) % VALUES,
        }
    },
)
standard = standard_filler(FIELDS)

NO_OR_YES = np.array([0, 1], np.float32)
ONE, HALF = np.float32(1), np.float32(0.5)
PER_FEW = np.float32(1 / FEW)
PER_VALUE = np.float32(1 / VALUES)
PER_PIECE = np.float32(1 / K)
PER_HIGHEST = np.float32(1 / HIGHEST)
ROW_SHARE = (box.ROW_OF[1:] + 1).astype(np.float32) * np.float32(1 / box.ROWS)
COLUMN_SHARE = (box.COLUMN_OF[1:] + 1).astype(np.float32) * np.float32(1 / box.COLUMNS)
# By a set of seats, as bits: 1/2 for self, 1/4, 1/8, 1/16 for +1, +2, +3.
SHARE_OF = np.array(
    [sum(0.5 ** (k + 1) for k in range(P) if who >> k & 1) for who in range(1 << P)], np.float32
)
# By the suit that comes first and the card.
INDEX_OF = np.zeros((box.NUM_SUITS, s.CARDS), np.uint8)
for _first in range(box.NUM_SUITS):
    _order = sorted(range(1, s.CARDS), key=lambda card: ((card - 1) // VALUES != _first, card))
    INDEX_OF[_first, _order] = range(C)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    known = np.int64(state.known[seat])
    first = max(0, np.int64(state.suits[seat]) - 1)  # the suit that comes first
    mine = state.museum[seat] | cards.in_backpacks(state, seat)
    theirs = cards.held_by_others(state, seat)
    others = theirs & known
    kinds = kinds_of_cards(state, seat, mine, others)
    seen = (
        known & kinds[0],
        known & kinds[1],
        known & kinds[2],
        known & kinds[3],
        known & kinds[4],
    )
    knows = (known, known_to(state, seat, 1), known_to(state, seat, 2), known_to(state, seat, 3))
    on_site = ~(mine | theirs | bit(state.hand))
    by_anyone = (knows[0] | knows[1] | knows[2] | knows[3]) & on_site
    tops = top_cards(state)
    observe_stacks(state, obs)
    observe_places(state, known & on_site, first, obs)
    lacking, following = observe_tops(state, by_anyone & tops, knows, seen, obs)
    seconds = observe_buried(state, by_anyone & ~tops, knows, obs)
    observe_seconds(state, known & seconds, seen, obs)
    for k in range(state.num_players):
        observe_seat(state, seat, k, knows, first, seen, mine | others, obs)
    observe_sets(state, seat, known, first, obs)
    if state.bases[seat] != box.NONE:
        observe_surroundings(state, seat, obs)
        observe_sides(state, seat, lacking, following, obs)
    if state.hand != box.NONE:
        observe_hand(state, knows, first, seen, obs)
    observe_run(state, seat, mine, others, obs)
    observe_rest(state, obs)


@compiled
def observe_raw(state, seat, obs):
    """Take out the cards that lie neither face up on a stack nor with the seat."""
    for i in range(C):
        if obs.card_face_up[i] == 0 or obs.card_place[i, 2] > 0:
            obs.card_face_up[i] = 0
            for j in range(3):
                obs.card_place[i, j] = 0
        if obs.card_held[0, i] == 0:
            obs.card_piece[i] = 0
        for k in range(1, P):
            obs.card_held[k, i] = 0


@compiled
def told(numbers, number):
    """Whether a set has a card or square, as the observation tells it; by a table, since
    conversions take longer."""
    return NO_OR_YES[has(numbers, number)]


@compiled
def known_to(state, seat, k):
    """The cards that the seat k places clockwise knows, none if there is no such seat."""
    return (
        np.int64(state.known[seat_after(state, seat, k)]) if k < state.num_players else np.int64(0)
    )


# ---------------------------------------------------------------- cards with the own suit first


@compiled
def shown(numbers, first):
    """A set of cards with the suit first in front, and without the place that is for no card: bit 0
    is the first card."""
    numbers = np.int64(numbers) >> 1
    shift = VALUES * first
    before = numbers & (bit(shift) - 1)
    after = (numbers >> (shift + VALUES)) << (shift + VALUES)
    return after | (before << VALUES) | ((numbers >> shift) & box.ALL_VALUES)


@compiled
def index_of(card, first):
    """The place of a card in fields that have one for each."""
    return np.int64(INDEX_OF[first, card])


@compiled
def suit_index(suit, first):
    """The place of a suit in the order that begins with suit ``first``."""
    if suit == first:
        return 0
    return suit + 1 if suit < first else suit


@compiled
def write_bits(bits, out):
    """1 for each bit that is set."""
    for i in range(len(out)):
        out[i] = np.float32(np.int32((bits >> i) & 1))


# ---------------------------------------------------------------- the site


@compiled
def top_cards(state):
    found = np.int64(0)
    for square in range(1, s.SQUARES):
        found |= bit(state.top[square])
    return found & ~bit(box.NONE)


@compiled
def observe_stacks(state, obs):
    """The squares of the site and how many cards lie there."""
    write_bits(state.squares >> 1, obs.square)
    for at in range(N):
        obs.stack_size[at] = np.float32(state.height[at + 1]) * PER_FEW


@compiled
def index_at(square):
    """The place of a square in fields that have one for each; that this is not negative is said for
    the compiler's sake."""
    return (np.int64(square) - 1) & 63


@compiled
def observe_places(state, some, first, obs):
    """Write where the cards of a set lie on the site."""
    while some != 0:
        card = cards.lowest(some)
        some &= some - 1
        at = index_at(state.place[card])
        place = obs.card_place[index_of(card, first)]
        place[0] = ROW_SHARE[at]
        place[1] = COLUMN_SHARE[at]
        place[2] = np.float32(cards.number_above(state, card)) * PER_FEW
        obs.stack_known[at] += PER_FEW


@compiled
def observe_tops(state, some, knows, seen, obs):
    """Write who knows these top cards, and of which kinds they are; return the squares with those
    that are lacking, and next."""
    lacking, following = np.int64(0), np.int64(0)
    while some != 0:
        card = cards.lowest(some)
        some &= some - 1
        at = index_at(state.place[card])
        top = obs.top[at]
        for k in range(P):
            top[k] = told(knows[k], card)
        write_kinds(card, seen, top[P:])
        lacking |= has(seen[LACKING], card) << (at + 1)
        following |= has(seen[NEXT], card) << (at + 1)
    return lacking, following


@compiled
def observe_seconds(state, some, seen, obs):
    """Write the kinds of these cards, which the seat knows and which lie just below the top."""
    while some != 0:
        card = cards.lowest(some)
        some &= some - 1
        second = obs.second[index_at(state.place[card])]
        second[0] = ONE
        second[1] = told(seen[JOKER], card)
        second[2] = told(seen[LACKING], card)
        second[3] = told(seen[NEXT], card)


@compiled
def observe_buried(state, some, knows, obs):
    """Write who knows these cards, which lie below others; return those that are just below the
    top."""
    seconds = np.int64(0)
    while some != 0:
        card = cards.lowest(some)
        some &= some - 1
        depth = cards.number_above(state, card)
        seconds |= np.int64(depth == 1) << card
        if depth <= DEEP:
            who = 0
            for k in range(P):
                who |= has(knows[k], card) << k
            obs.buried_known_to[(depth - 1) & 7, index_at(state.place[card])] = SHARE_OF[who]
    return seconds


@compiled
def write_kinds(card, seen, out):
    """Write the kinds of a card, zero for one that the seat does not know."""
    for kind in range(KINDS):
        out[kind] = told(seen[kind], card)


# ---------------------------------------------------------------- around the own pieces


@compiled
def observe_surroundings(state, seat, obs):
    """Write what lies around the own pieces, and around the handler once more."""
    used = course.handlers(state) * (state.player == seat)
    theirs, crowded = site.opponents(state, seat)
    free = ~crowded
    base = np.int64(state.bases[seat])
    for k in range(K):
        at = state.pieces[seat, k]
        if at == box.HOME:
            at = base
        mates = bit(state.pieces[seat, (k + 1) % K]) | bit(state.pieces[seat, (k + 2) % K])
        goes_home = site.delivering(state, seat, k, used)
        for d in range(PLACES):
            square = np.int64(at if d == HERE else box.NEIGHBOUR[at, d])
            if has(state.squares, square):
                index = index_at(square)
                near, top = obs.near[k, d], obs.top[index]
                near[THERE] = ONE
                near[MAY_ENTER] = told(free, square)
                near[CARDS] = obs.stack_size[index]
                near[TOP_KNOWN] = top[0]
                for kind in range(KINDS):
                    near[TOP_KIND + kind] = top[P + kind]
                near[MATE] = told(mates, square)
                near[OPPONENT] = told(theirs, square)
                near[NEARNESS] = 1.0 / (1 + site.steps(base, square))
                near[GOES_HOME] = told(goes_home, square)
    if used != 0:
        handler = state.chain[state.chain_len - 1]
        for d in range(PLACES):
            for i in range(len(IN_NEAR)):
                obs.near_handler[d, i] = obs.near[handler, d, i]


@compiled
def observe_sides(state, seat, lacking, following, obs):
    """On which sides of the own pieces there are cards that are of use, which lie on top of these
    squares."""
    for k in range(K):
        at = state.pieces[seat, k]
        if at == box.HOME:
            at = state.bases[seat]
        for d in range(len(box.DIRECTIONS)):
            side = obs.on_side[k, d]
            side[0] = NO_OR_YES[np.int64(lacking & box.ON_SIDE[at, d] != 0)]
            side[1] = NO_OR_YES[np.int64(following & box.ON_SIDE[at, d] != 0)]
            side[2] = NO_OR_YES[np.int64(lacking & box.ON_SIDE_NEAR[at, d] != 0)]
            side[3] = NO_OR_YES[np.int64(following & box.ON_SIDE_NEAR[at, d] != 0)]


# ---------------------------------------------------------------- seats


@compiled
def observe_seat(state, seat, k, knows, first, seen, held, obs):
    """Pieces, backpacks, base, contract and museum of the seat k places clockwise."""
    p = seat_after(state, seat, k)
    for i in range(K):
        observe_piece(state, p, k, i, knows, first, seen, obs)
    if k == 0 and state.player == seat:
        for i in range(K):
            obs.acted[i] = np.float32(state.acted[i])
    base = state.bases[p]
    if base != box.NONE:
        obs.base_row[k, box.ROW_OF[base]] = ONE
        obs.base_column[k, box.COLUMN_OF[base]] = ONE
    if state.suits[p] > 0 and is_seen(state, seat, p):
        obs.suit[k, suit_index(state.suits[p] - 1, first)] = ONE
    if state.museum_size[p] > 0:
        observe_museum(state, seat, p, k, knows, first, held, obs)


@compiled
def observe_piece(state, p, k, i, knows, first, seen, obs):
    at = state.pieces[p, i]
    if at == box.HOME:
        obs.at_home[k, i] = ONE
    else:
        obs.piece_row[k, i, box.ROW_OF[at]] = ONE
        obs.piece_column[k, i, box.COLUMN_OF[at]] = ONE
        obs.square_pieces[index_at(at), k] += PER_PIECE
    card = np.int64(state.backpacks[p, i])
    if card != box.NONE:
        obs.backpack_full[k, i] = ONE
        for j in range(P):
            obs.backpack_known_to[k, i, j] = told(knows[j], card)
        write_kinds(card, seen, obs.backpack_kind[k, i])
        if has(knows[0], card):
            obs.card_held[k, index_of(card, first)] = HALF
            obs.card_piece[index_of(card, first)] = np.float32(i + 1) * PER_PIECE


@compiled
def observe_museum(state, seat, p, k, knows, first, held, obs):
    """The museum of a seat, which is not empty, and the run that is known to be in it; ``held``:
    known cards of all seats."""
    museum = state.museum[p]
    obs.museum_size[k] = np.float32(state.museum_size[p]) * PER_VALUE
    for j in range(P):
        obs.museum_known_to[k, j] = np.float32(cards.size_of(museum & knows[j])) * PER_VALUE
    left = museum & knows[0]
    while left != 0:
        obs.card_held[k, index_of(cards.lowest(left), first)] = ONE
        left &= left - 1
    if is_seen(state, seat, p):
        others = held & ~(museum | cards.in_backpacks(state, p))
        best, _ = skeletons.best_of_suits(state, p, museum & knows[0], others)
        if best > 0:
            obs.length[k] = np.float32(best // 16) * PER_VALUE
            obs.high[k] = np.float32(best // 16 + best % 16 + box.LOWEST_VALUE - 1) * PER_HIGHEST


# ---------------------------------------------------------------- the rest


@compiled
def observe_sets(state, seat, known, first, obs):
    """Which cards are known, to whom, and lie face up."""
    unknown = shown(cards.deck_of(state) & ~known, first)
    write_bits(unknown, obs.card_unknown)
    write_bits(shown(known & state.face_up, first), obs.card_face_up)
    for k in range(1, state.num_players):
        write_bits(
            shown(known & state.known[seat_after(state, seat, k)], first), obs.card_known_to[k - 1]
        )
    for i in range(box.NUM_SUITS):
        obs.unknown_suit[i] = (
            np.float32(cards.size_of((unknown >> (VALUES * i)) & box.ALL_VALUES)) * PER_VALUE
        )
    obs.unknown_jokers = np.float32(cards.size_of(unknown >> (VALUES * box.NUM_SUITS))) * HALF


@compiled
def observe_hand(state, knows, first, seen, obs):
    card = np.int64(state.hand)
    obs.hand = ONE
    for k in range(1, P):
        obs.hand_known_to[k - 1] = told(knows[k], card)
    write_kinds(card, seen, obs.hand_kind)
    if has(knows[0], card):
        obs.card_in_hand[index_of(card, first)] = ONE
    for i in range(state.chain_len):
        obs.chain[state.chain[i]] = ONE
    obs.handler[state.chain[state.chain_len - 1]] = ONE
    obs.stowed = np.float32(state.stowed)


@compiled
def observe_run(state, seat, mine, others, obs):
    """Write what the own run has, and what it could be soon."""
    carried = mine & ~state.museum[seat]
    if state.player == seat and state.hand != box.NONE:
        carried |= bit(state.hand)
    some = carried | state.museum[seat]
    if some == 0:
        return
    soon, _ = skeletons.best_of_suits(state, seat, some, others)
    obs.soon_length = np.float32(soon // 16) * PER_VALUE
    if state.contract == s.FREE_FOR_ALL:
        usable = np.int64(box.NO_ACES | box.NO_TWOS)
    else:
        usable = skeletons.usable_cards(state.suits[seat] - 1, others)
    write_bits(cards.folded(state.museum[seat] & usable), obs.home_values)
    write_bits(cards.folded(carried & usable), obs.carried_values)


@compiled
def observe_rest(state, obs):
    obs.supply = np.float32(state.supply_size) / np.float32(box.MAX_SUPPLY)
    obs.jokers = np.float32(state.jokers)
    obs.contract[state.contract] = ONE
    obs.deregulation = np.float32(state.deregulation)
    obs.new_horizons = np.float32(state.new_horizons)
