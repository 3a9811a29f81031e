"""Tools and gold of Diggity: what the card laid gives, thefts, and the auction (DG-17 to DG-21,
DG-32, DG-33)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import append
from dig_envs.engine.core.seats import next_seat, seat_after
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import events as happens
from dig_envs.games.diggity import state as s

# ---------------------------------------------------------------- what the card gives


@compiled
def owners(state, kind):
    """The number of players, without the one whose turn it is, who have a tool of the kind."""
    count = 0
    for p in range(state.num_players):
        count += p != state.player and state.tools[p, kind] > 0
    return count


@compiled
def can_be_gained(state, kind):
    """Whether a tool can be taken or stolen; a hidden one may be chosen in any case (DG-33)."""
    return state.hidden_tools or state.piles[kind] > 0 or owners(state, kind) > 0


@compiled
def find_choices(state, choices):
    """DG-17: flags of what the player can take for the last card; returns how many there are."""
    count = 0
    for thing in range(box.NUM_THINGS):
        choices[thing] = state.made >> thing & 1 and (thing == 0 or can_be_gained(state, thing - 1))
        count += choices[thing]
    return count


@compiled
def tell_choices(state, count):
    """Tell what the player can choose from, `count` things, and which tools were made but cannot be
    gained (DG-17)."""
    for kind in range(box.NUM_TOOLS):
        if state.made >> kind + 1 & 1 and not state.choices[kind + 1]:
            tell(state, happens.NOT_GAINED, state.player, kind)
    if count > 1:
        things = 0
        for thing in range(box.NUM_THINGS):
            things |= int(state.choices[thing]) << thing
        tell(state, happens.MAY_CHOOSE, state.player, things)


@compiled
def gain(state, kind):
    """DG-18, DG-33: the player gets a tool of the kind; returns whether that is done, and not left
    to a choice of the victim."""
    if state.piles[kind] > 0:
        state.piles[kind] -= 1
        state.tools[state.player, kind] += 1
        tell(state, happens.TOOK, state.player, kind)
        return True
    tell(state, happens.PILE_EMPTY, state.player, kind)
    if state.hidden_tools:
        lay_open(state, kind)
    if owners(state, kind) > 1:
        ask_for_victim(state, kind)
        return False
    for p in range(state.num_players):
        if p != state.player and state.tools[p, kind] > 0:
            take_from(state, p, kind)
            return True
    tell(state, happens.FOUND_NONE, state.player)
    return True


@compiled
def lay_open(state, kind):
    """All tools of a kind lie open, and no others any more (DG-33)."""
    if state.revealed_kind > 0 and state.revealed_kind != kind + 1:
        tell(state, happens.HIDDEN, NO_SEAT, state.revealed_kind - 1)
    state.revealed_kind = kind + 1
    state.revealed_thief = state.player
    for p in range(state.num_players):
        if state.tools[p, kind] > 0:
            tell(state, happens.SHOWED, p, kind, state.tools[p, kind])


@compiled
def ask_for_victim(state, kind):
    """Several players have the tool: the player chooses."""
    state.phase = s.STEAL
    state.steal_kind = kind
    for p in range(state.num_players):
        state.steal_from[p] = p != state.player and state.tools[p, kind] > 0
    turns.ask(state, state.player)


@compiled
def take_from(state, victim, kind):
    state.tools[victim, kind] -= 1
    state.tools[state.player, kind] += 1
    tell(state, happens.STOLE, state.player, victim, kind)


# ---------------------------------------------------------------- the auction


@compiled
def has_any_tool(state, p):
    for kind in range(box.NUM_TOOLS):
        if state.tools[p, kind] > 0:
            return True
    return False


@compiled
def is_asked(state, p):
    """DG-20, DG-32: whether a player is not skipped who has the chance."""
    if state.hidden_tools:
        return has_any_tool(state, p)
    # the next tool has the rank after, and kinds count from 0
    return state.tools[p, state.auction_rank] > 0


@compiled
def begin_auction(state):
    """DG-19: returns whether the auction is over already."""
    state.gold_len -= 1
    state.auction_value = state.gold[state.gold_len]
    state.gold[state.gold_len] = 0
    state.auction_rank = 0
    state.auction_leader = state.player
    state.phase = s.AUCTION
    tell(state, happens.FOUND_GOLD, state.player, box.VALUES[state.auction_value])
    return give_chance(state, state.player, True)


@compiled
def give_chance(state, first, even_leader):
    """The chance goes clockwise to the next who is asked, from a seat on; returns whether the
    auction is over (DG-21).

    ``even_leader``: whether the first one is asked though it is the leader.
    """
    if state.auction_rank == box.NUM_TOOLS:
        return True
    skipped = 0
    is_over = True
    for k in range(state.num_players):
        p = seat_after(state, first, k)
        if p == state.auction_leader and (k > 0 or not even_leader):
            break
        if is_asked(state, p):
            turns.ask(state, p)
            is_over = False
            break
        skipped |= 1 << p
    if skipped:
        tell(
            state,
            happens.SKIPPED,
            NO_SEAT,
            skipped,
            -1 if state.hidden_tools else state.auction_rank,
        )
    return is_over


@compiled
def play_tool(state, seat, kind):
    """Play a tool in the auction (DG-20); return whether the auction is over."""
    state.tools[seat, kind] -= 1
    state.piles[kind] += 1
    state.auction_rank += 1
    state.auction_leader = seat
    tell(state, happens.PLAYED, seat, kind)
    return give_chance(state, seat, True)


@compiled
def stop(state, seat):
    """Stop bidding in the auction (DG-20); return whether the auction is over."""
    tell(state, happens.STOPPED, seat)
    return give_chance(state, next_seat(state, seat), False)


@compiled
def award_gold(state):
    """DG-21: the leader gets the gold card and is returned."""
    winner, value = state.auction_leader, state.auction_value
    state.nuggets_len[winner] = append(state.nuggets[winner], state.nuggets_len[winner], value)
    state.scores[winner] += box.VALUES[value]
    tell(state, happens.WON, winner, box.VALUES[value])
    state.auction_value = 0
    state.auction_rank = 0
    state.auction_leader = 0
    return winner
