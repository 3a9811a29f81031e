"""What a seat may know of Dino Dig, as numbers (the rules' section "Observation")."""

import numpy as np

from dig_envs.engine import fields
from dig_envs.engine.fields import Field, Fields
from dig_envs.engine.jit import compiled
from dig_envs.engine.standard import standard_filler
from dig_envs.games.dino_dig import cards, site, skeletons
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.cards import has

P, K, C, N = box.MAX_PLAYERS, box.PIECES, box.NUM_CARDS, box.NUM_SQUARES
SEEN = 6  # cards of a stack, from the top, of which who knows them is shown
FEW = 8  # cards of a stack
MOST_FEW = C / FEW
VALUES = box.NUM_VALUES
MOST_MUSEUM = C / VALUES
IN_STACK = ("exists", "face up", "known to self", "to +1", "to +2", "to +3")
EXISTS, UP, KNOWN = range(3)

FIELDS = Fields(
    # per card, if known to the seat
    Field("card_row", (C, box.ROWS), "per card that the seat knows, on the site: one-hot row"),
    Field("card_column", (C, box.COLUMNS), "… one-hot column"),
    Field("card_above", (C,), f"… cards above it / {FEW}", high=MOST_FEW),
    Field("card_face_up", (C,), "… 1 if it lies face up"),
    Field("card_backpack", (C, P, K), "per card that the seat knows, in a backpack: one-hot seat and piece"),
    Field("card_museum", (C, P), "… in a museum: one-hot seat"),
    Field("card_in_hand", (C,), "… 1 if it is in hand"),
    Field("card_known_to", (C, P - 1), "per card that the seat knows: 1 if it is known to +1, +2, +3"),
    Field("card_unknown", (C,), "per card: 1 if the seat does not know where it is"),
    # per square
    Field("square", (N,), "per square: 1 if it is one of the site"),
    Field("stack_size", (N,), f"… cards on it / {FEW}", high=MOST_FEW),
    Field("stack_known", (N,), f"… cards on it that the seat knows / {FEW}", high=MOST_FEW),
    Field("square_pieces", (N, P), f"… and seat: pieces on it / {K}"),
    Field("square_base", (N, P), "… and seat: 1 if it is the base square"),
    Field("may_enter", (N,), "… 1 if the seat's pieces may enter it (DD-10)"),
    Field("stack", (N, SEEN, len(IN_STACK)), f"… and card from the top: {', '.join(IN_STACK)}"),
    Field("top_value", (N,), "… value of the top card, if the seat knows it and it is no joker, / 14"),
    Field("top_suit", (N, box.NUM_SUITS), f"… one-hot its suit: {', '.join(box.SUITS)}"),
    Field("top_joker", (N,), "… 1 if it is a joker"),
    # per seat and piece
    Field("at_home", (P, K), "per seat and piece: 1 if it is on its base"),
    Field("piece_row", (P, K, box.ROWS), "… one-hot row"),
    Field("piece_column", (P, K, box.COLUMNS), "… one-hot column"),
    Field("backpack_full", (P, K), "… 1 if it has a card in the backpack"),
    Field("backpack_known_to", (P, K, P), "… 1 if that card is known to self, +1, +2, +3"),
    Field("acted", (K,), "per own piece: 1 if it has acted in this turn"),
    # per seat
    fields.plays(P),
    Field("base_row", (P, box.ROWS), "per seat: one-hot row of its base square"),
    Field("base_column", (P, box.COLUMNS), "… one-hot column"),
    Field("suit", (P, box.NUM_SUITS), f"… one-hot its contract, if the seat may see it: {', '.join(box.SUITS)}"),
    Field("museum_size", (P,), f"… cards in its museum / {VALUES}", high=MOST_MUSEUM),
    Field("museum_known_to", (P, P), f"… and self, +1, +2, +3: those that this one knows / {VALUES}", high=MOST_MUSEUM),
    # the card in hand
    Field("hand", (), "1 if there is a card in hand"),
    Field("hand_known_to", (P - 1,), "1 if it is known to +1, +2, +3"),
    Field("chain", (K,), "per piece: 1 if it has been handler of that card"),
    Field("handler", (K,), "one-hot: the handler"),
    Field("stowed", (), "1 if the card comes from the handler's own backpack"),
    # everything together
    Field("own_length", (), f"length of the own best skeleton, the others' cards as far as the seat knows them, / {VALUES}"),
    Field("own_high", (), "its highest value / 14"),
    Field("unknown_suit", (box.NUM_SUITS,), f"per suit: cards that the seat does not know / {VALUES}"),
    Field("unknown_jokers", (), "jokers that the seat does not know / 2"),
    fields.phase(s.PHASES),
    fields.has_turn(P, "per seat: 1 if it has the turn, or chooses in set-up"),
    fields.turn("max_turns"),
    Field("supply", (), f"cards in the supply / {box.MAX_SUPPLY}"),
    fields.num_players(2, P),
    Field("jokers", (), "1 with jokers"),
    Field("contract", (len(s.CONTRACTS),), f"one-hot: {', '.join(s.CONTRACTS)}"),
    Field("deregulation", (), "1 with deregulation"),
    Field("new_horizons", (), "1 with New Horizons"),
)
standard = standard_filler(FIELDS, least_players=2)

ONE = np.float32(1)
PER_FEW = np.float32(1 / FEW)
PER_VALUE = np.float32(1 / VALUES)
HIGHEST = box.LOWEST_VALUE + VALUES - 1


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    known = state.known[seat]
    observe_squares(state, seat, obs)
    for square in range(1, s.SQUARES):
        if state.height[square] > 0:
            observe_stack(state, seat, square, known, obs)
    for k in range(state.num_players):
        observe_seat(state, seat, k, known, obs)
    observe_hand(state, seat, known, obs)
    observe_unknown(state, known, obs)
    observe_skeleton(state, seat, known, obs)
    observe_rest(state, obs)


@compiled
def other_seat(state, seat, k):
    """The seat k places clockwise, 0 <= k < num_players; a remainder would take longer."""
    p = seat + k
    return p - state.num_players if p >= state.num_players else p


# ---------------------------------------------------------------- the site


@compiled
def observe_squares(state, seat, obs):
    """Which squares there are, and which may be entered."""
    may_enter = state.squares & ~site.blocked(state, seat)
    for square in range(1, s.SQUARES):
        obs.square[square - 1] = np.float32(has(state.squares, square))
        obs.may_enter[square - 1] = np.float32(has(may_enter, square))


@compiled
def observe_stack(state, seat, square, known, obs):
    """The cards on a square, from the top."""
    at = square - 1
    obs.stack_size[at] = np.float32(state.height[square]) * PER_FEW
    card = np.int64(state.top[square])
    if has(known, card):
        if card >= box.FIRST_JOKER:
            obs.top_joker[at] = ONE
        else:
            obs.top_suit[at, (card - 1) // VALUES] = ONE
            obs.top_value[at] = np.float32((card - 1) % VALUES + box.LOWEST_VALUE) / np.float32(HIGHEST)
    depth, seen = 0, 0
    while card != box.NONE:
        face_up = has(state.face_up, card)
        if depth < SEEN:
            told = obs.stack[at, depth]
            told[EXISTS] = ONE
            told[UP] = np.float32(face_up)
            for k in range(state.num_players):
                told[KNOWN + k] = np.float32(has(state.known[other_seat(state, seat, k)], card))
        if has(known, card):
            seen += 1
            c = card - 1
            obs.card_row[c, box.ROW_OF[square]] = ONE
            obs.card_column[c, box.COLUMN_OF[square]] = ONE
            obs.card_above[c] = np.float32(depth) * PER_FEW
            obs.card_face_up[c] = np.float32(face_up)
            observe_knowers(state, seat, card, obs)
        depth += 1
        card = np.int64(state.below[card])
    obs.stack_known[at] = np.float32(seen) * PER_FEW


@compiled
def observe_knowers(state, seat, card, obs):
    """Which others know a card that the seat knows."""
    for k in range(1, state.num_players):
        obs.card_known_to[card - 1, k - 1] = np.float32(has(state.known[other_seat(state, seat, k)], card))


# ---------------------------------------------------------------- seats


@compiled
def observe_seat(state, seat, k, known, obs):
    """Pieces, backpacks, base, contract and museum of the seat k places clockwise."""
    p = other_seat(state, seat, k)
    for i in range(K):
        observe_piece(state, seat, p, k, i, known, obs)
    if k == 0 and state.player == seat:
        for i in range(K):
            obs.acted[i] = np.float32(state.acted[i])
    base = state.bases[p]
    if base != box.NONE:
        obs.base_row[k, box.ROW_OF[base]] = ONE
        obs.base_column[k, box.COLUMN_OF[base]] = ONE
        obs.square_base[base - 1, k] = ONE
    if state.suits[p] > 0 and (k == 0 or state.contract != s.FREELANCE or state.over):
        obs.suit[k, state.suits[p] - 1] = ONE
    if state.museum_size[p] > 0:
        observe_museum(state, seat, p, k, known, obs)


@compiled
def observe_piece(state, seat, p, k, i, known, obs):
    """A piece and its backpack."""
    at = state.pieces[p, i]
    if at == box.HOME:
        obs.at_home[k, i] = ONE
    else:
        obs.piece_row[k, i, box.ROW_OF[at]] = ONE
        obs.piece_column[k, i, box.COLUMN_OF[at]] = ONE
        on_it = 0
        for j in range(K):
            on_it += state.pieces[p, j] == at
        obs.square_pieces[at - 1, k] = np.float32(on_it) / np.float32(K)
    card = np.int64(state.backpacks[p, i])
    if card != box.NONE:
        obs.backpack_full[k, i] = ONE
        for j in range(state.num_players):
            obs.backpack_known_to[k, i, j] = np.float32(has(state.known[other_seat(state, seat, j)], card))
        if has(known, card):
            obs.card_backpack[card - 1, k, i] = ONE
            observe_knowers(state, seat, card, obs)


@compiled
def observe_museum(state, seat, p, k, known, obs):
    """The museum of a seat."""
    museum = state.museum[p]
    obs.museum_size[k] = np.float32(state.museum_size[p]) * PER_VALUE
    for j in range(state.num_players):
        by_j = cards.size_of(museum & state.known[other_seat(state, seat, j)])
        obs.museum_known_to[k, j] = np.float32(by_j) * PER_VALUE
    seen = museum & known
    if seen != 0:
        for card in range(1, s.CARDS):
            if has(seen, card):
                obs.card_museum[card - 1, k] = ONE
                observe_knowers(state, seat, card, obs)


# ---------------------------------------------------------------- the rest


@compiled
def observe_hand(state, seat, known, obs):
    """The card in hand and its way."""
    card = np.int64(state.hand)
    if card == box.NONE:
        return
    obs.hand = ONE
    for k in range(1, state.num_players):
        obs.hand_known_to[k - 1] = np.float32(has(state.known[other_seat(state, seat, k)], card))
    if has(known, card):
        obs.card_in_hand[card - 1] = ONE
        observe_knowers(state, seat, card, obs)
    for i in range(state.chain_len):
        obs.chain[state.chain[i]] = ONE
    obs.handler[state.chain[state.chain_len - 1]] = ONE
    obs.stowed = np.float32(state.stowed)


@compiled
def observe_unknown(state, known, obs):
    """The cards that the seat does not know."""
    in_game = s.CARDS if state.jokers else box.FIRST_JOKER
    unknown = ~known
    for card in range(1, in_game):
        obs.card_unknown[card - 1] = np.float32(has(unknown, card))
    for suit in range(box.NUM_SUITS):
        obs.unknown_suit[suit] = np.float32(cards.size_of(cards.values_of(unknown, suit))) * PER_VALUE
    if state.jokers:
        obs.unknown_jokers = np.float32(cards.size_of(unknown & box.JOKERS)) / np.float32(2)


@compiled
def observe_skeleton(state, seat, known, obs):
    """The own best skeleton as things stand."""
    if state.museum_size[seat] == 0:
        return
    others = cards.held_by_others(state, seat) & known
    suit = skeletons.best_suit(state, seat, others)
    best = skeletons.best_run(state.contract, suit, state.museum[seat], others)
    if best > 0:
        obs.own_length = np.float32(best // 16) * PER_VALUE
        obs.own_high = np.float32(best // 16 + best % 16 + box.LOWEST_VALUE - 1) / np.float32(HIGHEST)


@compiled
def observe_rest(state, obs):
    """Numbers and options."""
    obs.turn = np.float32(state.turn / state.max_turns)
    obs.supply = np.float32(state.supply_size) / np.float32(box.MAX_SUPPLY)
    obs.jokers = np.float32(state.jokers)
    obs.contract[state.contract] = ONE
    obs.deregulation = np.float32(state.deregulation)
    obs.new_horizons = np.float32(state.new_horizons)
