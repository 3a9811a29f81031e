"""The rules of The Treasure of Oak Island (OI-1 to OI-19), as compiled functions on a state
record."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append, append_counted, clear
from dig_envs.engine.core.random import below, seed_generator, shuffle
from dig_envs.engine.core.seats import distance, next_seat
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.engine.core.turns import NOBODY, begin_turn, finish
from dig_envs.engine.core.variants import begin_content, draw_variant
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import events as e
from dig_envs.games.oak_island import state as s

# ---------------------------------------------------------------- the round


@compiled
def setup(state, seed):
    """Fill the bag, put Laird at the interpretive centre and begin the first round (OI-1)."""
    seed_generator(state, seed)
    if draw_variant(state, seed):
        choose_bag(state)
    state.in_bag[box.BROWN] = state.bag_brown
    state.in_bag[box.GREEN] = state.bag_green
    state.in_bag[box.BLUE] = state.bag_blue
    state.in_bag[box.RED] = state.bag_red
    state.in_bag[box.YELLOW] = 1
    mix_bag(state)
    state.laird = NOBODY
    state.found = NOBODY
    begin_round(state)


@compiled
def choose_bag(state):
    """OI-1 [added]: the bag of a variant."""
    before = begin_content(state)
    state.bag_red = about(state, box.RED)
    state.bag_blue = about(state, box.BLUE)
    state.bag_green = about(state, box.GREEN)
    state.bag_brown = about(state, box.BROWN)
    state.rng = before


@compiled
def about(state, colour):
    """Draw a number of cubes: from half of the box's to one and a half times as many, as far as the
    option goes."""
    usual = box.IN_BOX[colour]
    number = usual - usual // 2 + below(state, 2 * (usual // 2) + 1)
    return min(number, box.MOST_OF[colour])


@compiled
def mix_bag(state):
    """The bag in an order that only its contents and the generator decide."""
    state.bag_len = append_counted(state.bag, 0, state.in_bag)
    shuffle(state, state.bag, state.bag_len)


@compiled
def begin_round(state):
    """Begin a round: money for everybody, and all characters on the compass (OI-2, OI-3)."""
    state.round_number += 1
    tell(state, e.ROUND, NO_SEAT, state.round_number, box.WAR_MONEY)
    for p in range(state.num_players):
        state.money[p] += box.WAR_MONEY
    for c in range(box.NUM_CHARACTERS):
        state.where[c] = box.COMPASS
    clear(state.here, box.NUM_PLACES)
    state.here[box.COMPASS] = box.EVERYBODY
    begin_phase(state, s.WAR, 0)


@compiled
def begin_phase(state, phase, episode):
    """A War Room or an Episode begins with its first player."""
    state.phase = phase
    state.episode = episode
    state.first = first_player(state)
    tell(state, e.BEGUN, NO_SEAT, episode, state.first)
    begin_turn(state, state.first)


@compiled
def first_player(state):
    """The seat that begins a phase: most Bobby Dazzlers, then most money, then the lowest seat
    (OI-6)."""
    best = 0
    for p in range(1, state.num_players):
        if is_ahead(state, p, best):
            best = p
    return best


@compiled
def is_ahead(state, p, other):
    """Whether seat p has more Bobby Dazzlers, or as many and more money."""
    if state.scores[p] != state.scores[other]:
        return state.scores[p] > state.scores[other]
    return state.money[p] > state.money[other]


# ---------------------------------------------------------------- what is legal


@compiled
def legal_actions(state, seat, mask):
    """Mark the moves of a War Room, or the actions of an Episode; `skip` if there is none (OI-4,
    OI-8). Where a dig goes on: no extra cube more, or one (OI-19)."""
    if state.phase == s.WAR:
        legal_moves(state, seat, mask)
    elif state.phase == s.EXTRA:
        stop = s.A_DIG + s.FIRST_DIG[state.dig_place] + extra_pulled(state)
        mask[stop] = 1
        mask[stop + 1] = 1
    else:
        digs = legal_digs(state, seat, mask)
        uses = legal_uses(state, seat, mask)
        if not digs and not uses:
            mask[s.A_SKIP] = 1


@compiled
def legal_moves(state, seat, mask):
    """OI-4: whoever is on the compass, and for money whoever is not, to another location."""
    can_relocate = state.money[seat] >= box.RELOCATION
    for c in range(box.NUM_CHARACTERS):
        place = state.where[c]
        if place == box.COMPASS or can_relocate:
            first = s.A_MOVE + box.NUM_LOCATIONS * c
            for location in range(box.NUM_LOCATIONS):
                mask[first + location] = 1
            if place != box.COMPASS:
                mask[first + place - 1] = 0


@compiled
def legal_digs(state, seat, mask):
    """Mark the digs (OI-9, OI-10); return whether there is one."""
    found = False
    for place in range(box.NUM_DIGGING):
        if can_dig(state, seat, place):
            found = True
            first = s.A_DIG + s.FIRST_DIG[place]
            most = most_extra(state, seat, place) if state.extra == s.BEFORE else 0
            for extra in range(most + 1):
                mask[first + extra] = 1
    return found


@compiled
def is_active(state, place):
    """Whether all rows of a location are filled (OI-7)."""
    return box.ACTIVE[state.version, place, state.here[place + 1]] == 1


@compiled
def active_places(state):
    """The active locations, as bits."""
    places = 0
    for place in range(box.NUM_LOCATIONS):
        places |= is_active(state, place) << place
    return places


@compiled
def can_dig(state, seat, place):
    """Whether the seat can dig at a location that is active: it can pay, and Laird does not keep it
    away (OI-9, OI-15)."""
    keeps_away = state.laird == seat and minds(place)
    return is_active(state, place) and state.money[seat] >= box.COST[place] and not keeps_away


@compiled
def minds(place):
    """Whether Laird cares about the location (OI-15)."""
    return place == box.LOTS or place == box.SWAMP


@compiled
def most_extra(state, seat, place):
    """The number of extra cubes that the seat may pull at a location (OI-10)."""
    return min(box.EXTRA[place], int(state.clues[seat]))


@compiled
def extra_pulled(state):
    """The number of extra cubes that the current dig has pulled."""
    pulled = 0
    for cube in range(len(box.DIRT_NAMES)):
        pulled += state.dig_cubes[cube]
    return pulled - box.CUBES[state.dig_place]


@compiled
def legal_uses(state, seat, mask):
    """OI-8, OI-13, OI-14, OI-16; returns whether there is one."""
    if not is_active(state, box.CENTRE) or state.money[seat] < box.COST[box.CENTRE]:
        return False
    ifso = state.ifso[seat]
    if ifso > 0:
        for trade in range(len(s.TRADES)):
            mask[s.A_TRADE + trade] = s.TRADED_CLUES[trade] + s.TRADED_CASH[trade] <= ifso
    if state.scores[seat] > 0:
        mask[s.A_CONVERT] = 1
    if state.laird == seat:
        mask[s.A_VISIT] = 1
    return ifso > 0 or state.scores[seat] > 0 or state.laird == seat


# ---------------------------------------------------------------- what is done


@compiled
def apply_action(state, seat, action):
    """Carry out a move of the War Room or the turn of an Episode (OI-4 to OI-19)."""
    if action < s.A_DIG:
        move = action - s.A_MOVE
        move_character(state, seat, move // box.NUM_LOCATIONS, move % box.NUM_LOCATIONS + 1)
        end_move(state, seat)
    elif action < s.A_TRADE:
        if goes_on(state, seat, s.DIG_PLACE[action - s.A_DIG], s.DIG_EXTRA[action - s.A_DIG]):
            state.phase = s.EXTRA
        else:
            end_dig(state, seat)
            end_episode_turn(state, seat)
    else:
        if action < s.A_SKIP:
            use_centre(state, seat, action)
        else:
            tell(state, e.SKIPPED, seat)
        end_episode_turn(state, seat)


@compiled
def move_character(state, seat, character, place):
    """OI-4: for nothing from the compass, else for money."""
    before = state.where[character]
    if before != box.COMPASS:
        state.money[seat] -= box.RELOCATION
        tell(state, e.RELOCATED, seat, character, place - 1, box.RELOCATION)
    else:
        tell(state, e.PLACED, seat, character, place - 1)
    state.here[before] -= box.BIT[character]
    state.here[place] += box.BIT[character]
    state.where[character] = place


@compiled
def end_move(state, seat):
    """End a turn of the War Room; with an empty compass Episode 1 begins (OI-4, OI-5)."""
    if state.here[box.COMPASS] == 0:
        tell(state, e.ACTIVE, NO_SEAT, active_places(state))
        begin_phase(state, s.EPISODE, 1)
    else:
        begin_turn(state, next_seat(state, seat))


@compiled
def goes_on(state, seat, place, extra):
    """Begin a dig, or go on with it; return whether the player is asked for an extra cube more
    (OI-19)."""
    if state.phase != s.EXTRA:
        dig(state, seat, place, extra)
    elif extra > extra_pulled(state):
        cube = pull(state, seat)
        tell(
            state, e.EXTRA, seat, cube == box.BROWN, cube == box.GREEN, cube == box.BLUE,
            cube == box.RED, cube == box.YELLOW, box.GREEN_MONEY * (cube == box.GREEN),
        )  # fmt: skip
    else:
        tell(state, e.STOPPED, seat)
        return False
    if minds(place) and state.dig_cubes[box.RED] > 0 and state.laird != seat:
        state.laird = seat
        tell(state, e.LAIRD_CAME, seat)
    may_ask = state.extra == s.AFTER and state.found == NOBODY
    return may_ask and extra_pulled(state) < most_extra(state, seat, place)


@compiled
def dig(state, seat, place, extra):
    """Pay for a dig and pull its cubes (OI-9 to OI-11)."""
    state.money[seat] -= box.COST[place]
    state.dig_place = place
    for _ in range(box.CUBES[place] + extra):
        pull(state, seat)
        if state.found != NOBODY:
            break
    cubes = state.dig_cubes
    tell(
        state, e.DUG, seat, place, box.COST[place], cubes[box.BROWN], cubes[box.GREEN],
        cubes[box.BLUE], cubes[box.RED], state.found != NOBODY, box.GREEN_MONEY * cubes[box.GREEN],
    )  # fmt: skip


@compiled
def end_dig(state, seat):
    """End a dig: what is too much goes back (OI-12)."""
    state.phase = s.EPISODE
    state.dig_place = 0
    clear(state.dig_cubes, len(box.DIRT_NAMES))
    put_back_excess(state, seat)


@compiled
def pull(state, seat):
    """Pull one cube (OI-11), which is returned."""
    state.bag_len -= 1
    cube = state.bag[state.bag_len]
    state.bag[state.bag_len] = 0
    state.in_bag[cube] -= 1
    if cube == box.YELLOW:
        state.found = seat
        return cube
    state.dig_cubes[cube] += 1
    if cube == box.RED:
        state.scores[seat] += 1
    elif cube == box.BLUE:
        state.ifso[seat] += 1
    else:
        state.dirt[cube] += 1
        if cube == box.GREEN:
            state.money[seat] += box.GREEN_MONEY
    return cube


@compiled
def put_back_excess(state, seat):
    """Put If so cubes beyond the limit back into the bag and shuffle it (OI-12)."""
    excess = state.ifso[seat] + state.clues[seat] - box.LIMIT
    if excess > 0:
        tell(state, e.PUT_BACK, seat, excess)
        state.ifso[seat] -= excess
        state.in_bag[box.BLUE] += excess
        for _ in range(excess):
            state.bag_len = append(state.bag, state.bag_len, box.BLUE)
        shuffle(state, state.bag, state.bag_len)


@compiled
def use_centre(state, seat, action):
    """Trade, convert or visit at the interpretive centre, where Laird stays then (OI-13, OI-14,
    OI-16)."""
    state.money[seat] -= box.COST[box.CENTRE]
    if box.COST[box.CENTRE] > 0:
        tell(state, e.PAID, seat, box.COST[box.CENTRE])
    if action < s.A_CONVERT:
        trade(state, seat, s.TRADED_CLUES[action - s.A_TRADE], s.TRADED_CASH[action - s.A_TRADE])
    elif action == s.A_CONVERT:
        convert(state, seat)
    else:
        tell(state, e.VISITED, seat)
    if state.laird == seat:
        state.laird = NOBODY
        tell(state, e.LAIRD_LEFT, seat)


@compiled
def trade(state, seat, clues, cash):
    """Give If so cubes for clue tokens and cash (OI-13)."""
    tell(state, e.TRADED, seat, clues + cash, clues, cash * box.IFSO_MONEY)
    state.ifso[seat] -= clues + cash
    state.dirt[box.BLUE] += clues + cash
    state.clues[seat] += clues
    state.money[seat] += cash * box.IFSO_MONEY


@compiled
def convert(state, seat):
    """Give a Bobby Dazzler for money and, below the limit, a clue token (OI-14)."""
    state.scores[seat] -= 1
    state.dirt[box.RED] += 1
    state.money[seat] += box.DAZZLER_MONEY
    clue = state.ifso[seat] + state.clues[seat] < box.LIMIT
    if clue:
        state.clues[seat] += 1
    tell(state, e.CONVERTED, seat, box.DAZZLER_MONEY, clue)


# ---------------------------------------------------------------- the end of a turn


@compiled
def end_episode_turn(state, seat):
    """End a turn of an Episode: the treasure wins, or the next turn, Episode or round begins (OI-5,
    OI-17, OI-18)."""
    if state.found != NOBODY:
        tell(state, e.FOUND, state.found)
        state.winners[state.found] = 1
        finish(state, s.OVER)
    elif next_seat(state, seat) != state.first:
        begin_turn(state, next_seat(state, seat))
    elif state.episode == 1:
        begin_phase(state, s.EPISODE, 2)
    elif state.round_number < state.max_rounds:
        begin_round(state)
    else:
        end_without_treasure(state)


@compiled
def end_without_treasure(state):
    """OI-18: nobody wins; in version 0 the first of the seats by OI-6, and who is level with it."""
    state.truncated = 1
    if state.version == 0:
        best = first_player(state)
        for p in range(state.num_players):
            state.winners[p] = not is_ahead(state, best, p)
    finish(state, s.OVER)


@compiled
def turns_taken(state):
    """The number of seats that have had their turn in the Episode."""
    if state.phase == s.EPISODE or state.phase == s.EXTRA:
        return distance(state, state.first, state.to_move)
    if state.found != NOBODY:
        return distance(state, state.first, state.found) + 1
    return int(state.num_players) if state.truncated else 0


# ---------------------------------------------------------------- for the engine


@compiled
def determinize(state, seat):
    """Nobody knows the order of the bag."""
    mix_bag(state)


@compiled
def derive(state):
    """Count who is where, and what is in the bag."""
    clear(state.here, box.NUM_PLACES)
    for c in range(box.NUM_CHARACTERS):
        state.here[state.where[c]] += box.BIT[c]
    clear(state.in_bag, box.NUM_COLOURS)
    for i in range(state.bag_len):
        state.in_bag[state.bag[i]] += 1
