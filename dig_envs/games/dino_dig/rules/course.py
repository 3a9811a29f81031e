"""Set-up, turns and actions of Dino Dig, and what is legal."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import clear
from dig_envs.engine.core.random import seed_generator, shuffle
from dig_envs.engine.core.seats import next_seat, seat_after
from dig_envs.engine.core.tell import tell
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import events as e
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.rules import cards, site, skeletons
from dig_envs.games.dino_dig.rules.cards import bit, has

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """Deal a new game; the record holds the options and is zero otherwise."""
    seed_generator(state, seed)
    shuffle_deck(state, box.NUM_CARDS if state.jokers else box.FIRST_JOKER - 1)
    deal_site(state)
    if state.new_horizons:
        state.phase = s.LAY
        ask(state, 0)
    else:
        begin_bases(state, 0)


@compiled
def shuffle_deck(state, count):
    """DD-1: the cards are shuffled, and are all in the supply, from whose top they are dealt."""
    deck = state.place[1:]  # until they have their places
    for i in range(count):
        deck[i] = i + 1
    shuffle(state, deck, count)
    for i in range(1, count):
        state.below[deck[i]] = deck[i - 1]
    state.supply_top = deck[count - 1]
    state.supply_size = count
    for i in range(count):
        deck[i] = box.IN_SUPPLY


@compiled
def deal_site(state):
    """Deal the cards to the squares of the site: the standard one, or two to each square in the
    middle (DD-1, DD-5)."""
    site_number = box.NEW_HORIZONS if state.new_horizons else state.jokers
    state.squares = box.SITES[site_number]
    for square in range(1, box.NUM_SQUARES + 1):
        for _ in range(box.STACKS[site_number, square]):
            cards.lay(state, square)


@compiled
def ask(state, seat):
    state.player = seat
    turns.ask(state, seat)


@compiled
def lay(state, seat, square):
    """Lay the top card of the supply on a place; after the last one bases are chosen (DD-5)."""
    tell(state, e.LAID, seat, square - 1, 1 - has(state.squares, square))
    state.squares |= bit(square)
    cards.lay(state, square)
    if state.supply_size > 0:
        ask(state, next_seat(state, seat))
    else:
        begin_bases(state, seat)


@compiled
def begin_bases(state, seat):
    """Begin the choice of bases with this seat (DD-3, DD-5)."""
    state.phase = s.BASE
    choose_bases(state, seat)


@compiled
def choose_bases(state, seat):
    """The seat chooses, unless all have; who has one possibility only is not asked (DD-8)."""
    while state.bases[seat] == box.NONE:
        free = site.free_bases(state)
        if cards.size_of(free) != 1:
            ask(state, seat)
            return
        state.bases[seat] = cards.lowest(free)
        tell(state, e.CHOSE_BASE, seat, state.bases[seat] - 1, 1)
        seat = next_to_choose(state, seat)
    begin_contracts(state)


@compiled
def next_to_choose(state, seat):
    """The seat that chooses a base after another; with New Horizons the order goes backwards."""
    return seat_after(state, seat, state.num_players - 1 if state.new_horizons else 1)


@compiled
def begin_contracts(state):
    """Begin the choice of contracts, or the first turn if there are none (DD-6, DD-7)."""
    if state.contract == s.FREE_FOR_ALL:
        begin_turn(state, 0)
    else:
        state.phase = s.CONTRACT
        choose_contracts(state, 0)


@compiled
def choose_contract(state, seat, suit):
    """The seat takes a contract, openly or in secret (DD-6, DD-7)."""
    state.suits[seat] = suit + 1
    if state.contract == s.FREELANCE:
        tell(state, e.WROTE_CONTRACT, seat, suit)
    else:
        tell(state, e.CHOSE_CONTRACT, seat, suit, 0)


@compiled
def choose_contracts(state, seat):
    """The seat and those after it choose; who has one possibility only is not asked (DD-8)."""
    for p in range(seat, state.num_players):
        free = free_suits(state)
        if cards.size_of(free) != 1:
            ask(state, p)
            return
        state.suits[p] = cards.lowest(free) + 1
        tell(state, e.CHOSE_CONTRACT, p, state.suits[p] - 1, 1)
    begin_turn(state, 0)


@compiled
def free_suits(state):
    """DD-6, DD-7: the suits of which the next player chooses, as a set."""
    if state.contract == s.FREELANCE:
        return (1 << box.NUM_SUITS) - 1
    free = (1 << (2 if state.num_players == 2 else box.NUM_SUITS)) - 1
    for p in range(state.num_players):
        if state.suits[p] > 0:
            free &= ~bit(state.suits[p] - 1)
    return free


# ---------------------------------------------------------------- turns


@compiled
def begin_turn(state, seat):
    """Begin the turn of a seat: none of its pieces has acted (DD-9)."""
    state.player = seat
    state.phase = s.ACT
    for k in range(box.PIECES):
        state.acted[k] = 0
    turns.begin_turn(state, seat)


@compiled
def end_turn(state):
    """End the turn: the next seat's begins, or the turn limit ends the game (DD-9, DD-31)."""
    if turns.is_turn_limit_reached(state):
        state.truncated = 1
        skeletons.end_game(state)
    else:
        begin_turn(state, next_seat(state, state.player))


@compiled
def go_on(state):
    """After an action: the turn ends by itself when all three pieces have acted (DD-9)."""
    if state.acted[0] and state.acted[1] and state.acted[2]:
        end_turn(state)
    else:
        state.phase = s.ACT


@compiled
def is_finished(state, seat):
    """DD-21: all three pieces on the base and enough cards in the museum."""
    return all_home(state, seat) and state.museum_size[seat] >= box.ENOUGH_CARDS


@compiled
def all_home(state, seat):
    """Whether all three pieces are on the base."""
    return (
        state.pieces[seat, 0] == box.HOME
        and state.pieces[seat, 1] == box.HOME
        and state.pieces[seat, 2] == box.HOME
    )


# ---------------------------------------------------------------- actions


@compiled
def apply_action(state, seat, action):
    """Carry out a legal action and all that follows from it without a decision."""
    if action >= s.A_FACE_UP:
        if action == s.A_END_TURN:
            tell(state, e.ENDED_TURN, seat)
            end_turn(state)
        else:
            treat_card(state, seat, action)
    elif action >= s.A_MOVE:
        act(state, seat, action)
    elif action >= s.A_SUIT:
        choose_contract(state, seat, action - s.A_SUIT)
        choose_contracts(state, seat + 1)
    elif action >= s.A_BASE:
        state.bases[seat] = action - s.A_BASE + 1
        tell(state, e.CHOSE_BASE, seat, action - s.A_BASE, 0)
        choose_bases(state, next_to_choose(state, seat))
    else:
        lay(state, seat, action - s.A_LAY + 1)


@compiled
def act(state, seat, action):
    """Move, dig or unload with a piece (DD-9 to DD-12)."""
    if action < s.A_DIG:
        k = (action - s.A_MOVE) // s.WAYS
        way = (action - s.A_MOVE) % s.WAYS
        state.acted[k] = 1
        move(state, seat, k, way)
        if way == s.W_HOME and is_finished(state, seat):
            skeletons.end_game(state)
        else:
            go_on(state)
    elif action < s.A_UNLOAD:
        k = action - s.A_DIG
        state.acted[k] = 1
        card = cards.take_from(state, state.pieces[seat, k])
        begin_chain(state, seat, k, card, 0)
        tell(
            state,
            e.DUG,
            seat,
            k + 1,
            state.pieces[seat, k] - 1,
            card - 1,
            cards.knowers(state, card),
        )
    else:
        k = action - s.A_UNLOAD
        state.acted[k] = 1
        card = state.backpacks[seat, k]
        state.backpacks[seat, k] = box.NONE
        begin_chain(state, seat, k, card, 1)
        tell(state, e.UNLOADED, seat, k + 1, card - 1, cards.knowers(state, card))


@compiled
def move(state, seat, k, way):
    """Move a piece to an adjacent square, home, or out of the base (DD-10)."""
    before = state.pieces[seat, k]
    if way == s.W_HOME:
        state.pieces[seat, k] = box.HOME
    elif way == s.W_OUT:
        state.pieces[seat, k] = state.bases[seat]
    else:
        state.pieces[seat, k] = box.NEIGHBOUR[before, way]
    tell(state, e.MOVED, seat, k + 1, before, state.pieces[seat, k])


@compiled
def begin_chain(state, seat, k, card, stowed):
    """A card comes to the hand, and the piece is its handler (DD-11 to DD-13)."""
    cards.into_hand(state, seat, card)
    state.chain[0] = k
    state.chain_len = 1
    state.stowed = stowed
    state.phase = s.CARD


@compiled
def handler(state):
    """DD-13: the piece on which the places for the card in hand depend."""
    return state.chain[state.chain_len - 1]


@compiled
def handlers(state):
    """DD-18: the pieces that have had the card in hand, as a set."""
    used = 0
    for i in range(state.chain_len):
        used |= bit(state.chain[i])
    return used


@compiled
def treat_card(state, seat, action):
    """Do with the card in hand what the action says (DD-14 to DD-18)."""
    k = handler(state)
    at = state.pieces[seat, k]
    card = state.hand
    known = cards.knowers(state, card)
    if action >= s.A_PASS:
        tell(state, e.PASSED, seat, k + 1, action - s.A_PASS + 1, card - 1, known)
        state.chain[state.chain_len] = action - s.A_PASS
        state.chain_len += 1
        state.stowed = 0
    elif action == s.A_STOW:
        old = state.backpacks[seat, k]
        cards.into_backpack(state, seat, k, card)
        tell(state, e.STOWED, seat, k + 1, card - 1, known)
        if old == box.NONE:
            end_chain(state)
        else:
            cards.into_hand(state, seat, old)
            tell(state, e.SWAPPED, seat, k + 1, old - 1, cards.knowers(state, old))
            state.stowed = 1
    elif action == s.A_HOME:
        cards.into_museum(state, seat, card)
        tell(state, e.BROUGHT_HOME, seat, card - 1, known)
        end_chain(state)
    elif action == s.A_FACE_DOWN:
        cards.put_on(state, at, card)
        tell(state, e.LAID_FACE_DOWN, seat, at - 1, card - 1, known)
        end_chain(state)
    else:
        way = action - s.A_FACE_UP
        cards.put_on(state, state.bases[seat] if at == box.HOME else box.NEIGHBOUR[at, way], card)
        tell(state, e.LAID_FACE_UP, seat, state.place[card] - 1, card - 1)
        state.face_up |= bit(card)
        cards.reveal(state, bit(card))
        end_chain(state)


@compiled
def end_chain(state):
    """The card in hand has found its place: the turn goes on, or the game ends (DD-19, DD-21)."""
    for i in range(box.PIECES):
        state.chain[i] = 0
    state.chain_len = 0
    state.stowed = 0
    state.hand = box.NONE
    if is_finished(state, state.player):
        skeletons.end_game(state)
    else:
        go_on(state)


# ---------------------------------------------------------------- what may be done


@compiled
def legal_actions(state, seat, mask):
    """Write 1 for each legal action of the seat, which is to decide."""
    if state.phase == s.ACT:
        legal_acts(state, seat, mask)
    elif state.phase == s.CARD:
        legal_for_card(state, seat, mask)
    elif state.phase == s.LAY:
        mark(state.squares | site.beside(state.squares), mask, s.A_LAY)  # DD-5
    elif state.phase == s.BASE:
        mark(site.free_bases(state), mask, s.A_BASE)
    else:
        free = free_suits(state)
        for suit in range(box.NUM_SUITS):
            mask[s.A_SUIT + suit] = has(free, suit)


@compiled
def mark(squares, mask, first):
    """Each square of a set, in a group of actions that has one for each."""
    for square in range(1, box.NUM_SQUARES + 1):
        mask[first + square - 1] = has(squares, square)


@compiled
def legal_acts(state, seat, mask):
    """Mark what the pieces that have not acted can do; `end turn` is always legal (DD-9 to
    DD-12)."""
    open_squares = state.squares & ~site.blocked(state, seat)
    for k in range(box.PIECES):
        if not state.acted[k]:
            at = state.pieces[seat, k]
            first = s.A_MOVE + s.WAYS * k
            if at == box.HOME:
                mask[first + s.W_OUT] = has(open_squares, state.bases[seat])
            else:
                for d in range(4):
                    mask[first + d] = has(open_squares, box.NEIGHBOUR[at, d])
                mask[first + s.W_HOME] = at == state.bases[seat]
                mask[s.A_DIG + k] = state.height[at] > 0
            mask[s.A_UNLOAD + k] = state.backpacks[seat, k] != box.NONE
    mask[s.A_END_TURN] = 1


@compiled
def legal_for_card(state, seat, mask):
    """Mark what the handler can do with the card in hand (DD-13 to DD-18)."""
    k = handler(state)
    at = state.pieces[seat, k]
    if at == box.HOME:
        mask[s.A_FACE_UP + len(box.DIRECTIONS)] = 1
    else:
        for d in range(4):
            mask[s.A_FACE_UP + d] = has(state.squares, box.NEIGHBOUR[at, d])
        mask[s.A_FACE_DOWN] = 1
    mask[s.A_HOME] = at == box.HOME or at == state.bases[seat]
    mask[s.A_STOW] = not state.stowed
    used = handlers(state)
    for j in range(box.PIECES):
        if not has(used, j):
            mask[s.A_PASS + j] = site.are_close(state, seat, at, state.pieces[seat, j])


# ---------------------------------------------------------------- for snapshots


@compiled
def derive(state):
    """When the game is over, skeletons and scores follow from museums and backpacks; before, there
    are none."""
    if state.over:
        skeletons.score(state)
    else:
        clear(state.scores, box.MAX_PLAYERS)


@compiled
def inspect(state, facts):
    facts.allowed_bases = site.allowed_bases(state)
    facts.whole = site.hangs_together(state.squares)
    for p in range(state.num_players):
        facts.is_home[p] = is_finished(state, p)
    _, taker = skeletons.next_gift(state)
    facts.giver = taker >= 0
