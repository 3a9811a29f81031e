"""The functions of an exported game: compiled functions that take pointers and call the engine's
own loops.

Nothing is decided here: each function puts arrays around memory that the caller has and calls what
``kernels.py``, ``search/simulation.py``, ``search/tree.py`` or ``search/program.py`` have. What is
checked before is in ``templates/game.c``.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.unsafe.ndarray import to_fixed_tuple

from dig_envs.agents.search import new_work
from dig_envs.batch.common import GENERATOR
from dig_envs.engine.compiler.batch_data import BatchData
from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.compiler.portable import Entry, load_for_export
from dig_envs.engine.core import tell
from dig_envs.engine.core.tell import MAX_EVENTS, MAX_NUMBERS, listening_dtype
from dig_envs.engine.game import Game
from dig_envs.engine.search import program, tree
from dig_envs.engine.search.program import COLUMNS, NO_POLICY, Program, Scratch
from dig_envs.engine.search.tree import (
    EDGE,
    EDGES_PER_NODE,
    MAX_PATH,
    NODE,
    NOTHING,
    SEARCH,
    Tree,
    Work,
)

SIZES = len(NO_POLICY.sizes)
# What code for size tells, while somebody listens; see `machines.object_code`.
EVENTS = np.dtype(
    [
        ("listens", np.int64),
        ("told_len", np.int64),
        ("told", np.int32, (MAX_EVENTS, 2 + MAX_NUMBERS)),
    ]
)
LINE = 64  # bytes to a multiple of which each part of a search's memory is rounded up


@intrinsic
def _beyond(typing_context, start, offset):
    """The address so many bytes beyond a pointer."""

    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8).as_pointer()
        return cgutils.pointer_add(builder, builder.bitcast(arguments[0], byte), arguments[1], byte)

    return types.voidptr(start, types.int64), generate


def _address_of(name: str, words: int) -> Any:
    """The function that returns the address of a variable, which `object_code` defines."""

    @intrinsic
    def address(typing_context):
        def generate(context, builder, signature, arguments):
            kind = ir.ArrayType(ir.IntType(64), words)
            known = builder.module.globals.get(name)
            found = known or ir.GlobalVariable(builder.module, kind, name)
            return builder.bitcast(found, ir.IntType(8).as_pointer())

        return types.voidptr(), generate

    return address


events_address = _address_of("dig_events", EVENTS.itemsize // 8)
is_small_address = _address_of("dig_is_small", 1)


@intrinsic
def _apart(typing_context):
    """Keeps the function that calls this from becoming a part of others."""

    def generate(context, builder, signature, arguments):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), generate


write_event = compiled(tell._write)


@compiled
def keep_event(kind, seat, a, b, c, d, e, f, g, h):
    """Write an event where code for size keeps them."""
    _apart()
    write_event(carray(events_address(), (1,), EVENTS)[0], kind, seat, a, b, c, d, e, f, g, h)


def write_if_heard(state, kind, seat, a, b, c, d, e, f, g, h):
    """What `tell` does with a plain state."""
    if carray(events_address(), (1,), EVENTS)[0].listens:
        keep_event(kind, seat, a, b, c, d, e, f, g, h)


def make_entries(game: Game) -> list[Entry]:
    """The functions of a game that its C interface needs (``templates/game.c`` declares them in
    this order). ``tell`` writes by ``write_if_heard`` from now on in this process."""
    tell.plain_writer = write_if_heard
    kernels, simulation, grave, mistakes, playouts = load_for_export(game)
    return [
        *_rules(game, kernels, grave),
        *_batch(game, kernels),
        *_policy(game),
        *_search(game, simulation),
        *_words(game, kernels, mistakes, playouts),
    ]


def remembering(game: Game) -> dict[str, Any]:
    """The game's own player that is the scripted one with a memory, by name, if there is one. Its
    class has ``memory_size`` and ``remember(state, seat, memory)``."""
    found = {name: own for name, own in game.players.items() if hasattr(own, "remember")}
    if len(found) > 1:
        raise ValueError(f"{game.name} has several players with a memory: {', '.join(found)}")
    return found


@compiled
def nothing_remembered(state, seat, memory):
    """In the place of ``remember`` for games without such a player."""
    return True


def _words(game: Game, kernels: Any, mistakes: Any, playouts: Any) -> list[Entry]:
    """The functions behind the words: for events, for positions from outside, and for players with
    other names than the usual ones."""
    player = next(iter(remembering(game).values()), None)
    remember, memory_size = (
        (nothing_remembered, 1) if player is None else (player.remember, player.memory_size)
    )
    derive_one, inspect_one, apply_and_tell, apply_action = (
        kernels.derive_one,
        kernels.inspect_one,
        kernels.apply_and_tell,
        kernels.apply_action,
    )
    write_mask, settled, actions = kernels.write_mask, mistakes.settled, len(game.actions)
    playout, most, imagine = kernels.playout, game.max_actions, playouts.imagine
    state_type = game.state
    state_place = listening_dtype(state_type).itemsize - state_type.itemsize
    told_place = EVENTS.fields["told_len"][1]  # type: ignore[index]
    told_words = (EVENTS.itemsize - told_place) // 8

    def dig_derive(states):
        derive_one(carray(states, (1,)))

    def dig_inspect(states, facts):
        inspect_one(carray(states, (1,)), carray(facts, (1,)))

    def dig_tell(listening, seat, action):
        if not carray(is_small_address(), (1,), np.int64)[0]:
            apply_and_tell(carray(listening, (1,)), seat, action)
            return
        events = carray(events_address(), (1,), EVENTS)[0]
        events.listens, events.told_len = 1, 0
        apply_action(carray(_beyond(listening, state_place), (1,), state_type)[0], seat, action)
        events.listens = 0
        heard = carray(_beyond(events_address(), told_place), (told_words,), np.int64)
        written = carray(_beyond(listening, 0), (told_words,), np.int64)
        for k in range(told_words):
            written[k] = heard[k]

    def dig_remember(state, seat, memory):
        return np.int64(remember(state, seat, carray(memory, (memory_size,))))

    def dig_settle(state, seat, asked):
        action, mistaken, draw = carray(asked, (3,))
        mask = np.zeros(actions, np.int8)
        write_mask(state, seat, mask)
        found, numbers, work = (
            np.zeros(actions, np.int8),
            np.zeros(actions),
            np.zeros(2, state_type),
        )
        return np.int64(
            settled(state, seat, mask, np.int64(action), mistaken > 0, draw, work, found, numbers)
        )

    def dig_imagine(state, seat, seed):
        imagine(state, seat, seed)

    def dig_play_out(state):
        count = 0
        while not state.over and count < most:
            mover = state.to_move
            apply_action(state, mover, playout(state, mover))
            count += 1
        return np.int64(count)

    state, listening = _pointer(game.state), _pointer(listening_dtype(game.state))
    facts = game.facts_type if game.facts_type is not None else np.dtype([("nothing", np.int64)])
    return [
        Entry(inner(game, "derive"), dig_derive, (state,)),
        Entry(inner(game, "inspect"), dig_inspect, (state, _pointer(facts))),
        Entry(inner(game, "tell"), dig_tell, (listening, SIGNED, SIGNED)),
        Entry(
            inner(game, "styled"),
            _styled(game, kernels),
            (_record(game.state), SIGNED, _pointer(np.float64)),
        ),
        Entry(
            inner(game, "remember"),
            dig_remember,
            (_record(game.state), SIGNED, _pointer(np.float32)),
        ),
        Entry(
            inner(game, "settle"), dig_settle, (_record(game.state), SIGNED, _pointer(np.float64))
        ),
        Entry(inner(game, "imagine"), dig_imagine, (_record(game.state), SIGNED, WORD)),
        Entry(inner(game, "play_out"), dig_play_out, (_record(game.state),)),
    ]


def _styled(game: Game, kernels: Any) -> Any:
    """The function that asks the scripted player with other weights."""
    heuristic, weights = kernels.heuristic, [style.weights for style in game.styles.values()]

    def dig_unstyled(state, seat, numbers):
        return np.int64(heuristic(state, seat))

    if not weights:
        return dig_unstyled
    kind, count, styled = type(weights[0]), len(weights[0]), game.rules.styled

    def dig_styled(state, seat, numbers):
        given = to_fixed_tuple(carray(numbers, (count,)), count)
        return np.int64(styled(state, seat, kind(*given)))

    return dig_styled


def _pointer(dtype: Any) -> Any:
    return types.CPointer(numba.from_dtype(np.dtype(dtype)))


def _record(dtype: Any) -> Any:
    return numba.from_dtype(np.dtype(dtype))


def inner(game: Game, name: str) -> str:
    """The symbol of one of these functions: several games can be in one program."""
    return f"{game.name}_inner_{name}"


BYTES, SIGNED = _pointer(np.uint8), types.int64
WORD: Any = types.uint64


def _rules(game: Game, kernels: Any, grave: Any) -> list[Entry]:
    """Deals, masks, actions, observations, results; the scripted and the random player, and what
    players leave out."""
    write_mask, write_returns, redeal = kernels.write_mask, kernels.write_returns, kernels.redeal
    setup, apply_action, observe, heuristic = (
        kernels.setup,
        kernels.apply_action,
        kernels.observe,
        kernels.heuristic,
    )
    random_legal, grave_in = kernels.random_legal, grave.grave_in
    actions, seats = len(game.actions), game.max_players

    def dig_setup(state, seed):
        setup(state, seed)

    def dig_mask(state, seat, mask):
        write_mask(state, seat, carray(mask, (actions,)))

    def dig_apply(state, seat, action):
        apply_action(state, seat, action)

    def dig_observe(state, seat, observation):
        observe(state, seat, observation)

    def dig_returns(state, returns):
        write_returns(state, carray(returns, (seats,)))

    def dig_redeal(state, seat, seed):
        redeal(state, seat, seed)

    def dig_heuristic(state, seat):
        return np.int64(heuristic(state, seat))

    def dig_random(mask, generator):
        return np.int64(random_legal(carray(mask, (actions,)), generator))

    def dig_grave(state, seat, mask, work, found):
        legal, kinds = carray(mask, (actions,)), carray(found, (actions,))
        grave_in(state, seat, legal, carray(work, (2,)), kinds)

    state, mask = _record(game.state), _pointer(np.int8)
    return [
        Entry(inner(game, "setup"), dig_setup, (state, WORD)),
        Entry(inner(game, "mask"), dig_mask, (state, SIGNED, mask)),
        Entry(inner(game, "apply"), dig_apply, (state, SIGNED, SIGNED)),
        Entry(inner(game, "observe"), dig_observe, (state, SIGNED, _record(game.observation))),
        Entry(inner(game, "returns"), dig_returns, (state, _pointer(np.float64))),
        Entry(inner(game, "redeal"), dig_redeal, (state, SIGNED, WORD)),
        Entry(inner(game, "heuristic"), dig_heuristic, (state, SIGNED)),
        Entry(inner(game, "random"), dig_random, (mask, _record(GENERATOR))),
        Entry(inner(game, "grave"), dig_grave, (state, SIGNED, mask, _pointer(game.state), mask)),
    ]


def _batch(game: Game, kernels: Any) -> list[Entry]:
    """Many games: what the methods of ``BatchEnv`` call."""
    start, masks_of, observations_of = kernels.start, kernels.masks_of, kernels.observations_of
    first_illegal, step_batch, sample_legal = (
        kernels.first_illegal,
        kernels.step_batch,
        kernels.sample_legal,
    )
    heuristic_actions = kernels.heuristic_actions
    actions, seats, size = len(game.actions), game.max_players, game.observation_size

    def batch_deal(states, templates, which, seeds, count):
        start(
            carray(states, (count,)),
            0,
            count,
            carray(seeds, (count,)),
            carray(templates, (1,)),
            carray(which, (count,)),
        )

    def batch_masks(states, movers, masks, count):
        masks_of(
            carray(states, (count,)),
            0,
            count,
            carray(movers, (count,)),
            carray(masks, (count, actions)),
        )

    def batch_observe(states, movers, observations, flat, count):
        seen = carray(observations, (count,))
        observations_of(
            carray(states, (count,)),
            0,
            count,
            carray(movers, (count,)),
            seen,
            carray(flat, (count, size)),
        )

    def batch_first_illegal(playing, masks, chosen, count):
        tables = carray(masks, (count, actions))
        return np.int64(
            first_illegal(0, count, carray(playing, (count,)), tables, carray(chosen, (count,)))
        )

    def batch_random(masks, generators, chosen, count):
        sample_legal(
            0,
            count,
            carray(masks, (count, actions)),
            carray(generators, (count,)),
            carray(chosen, (count,)),
        )

    def batch_scripted(states, movers, chosen, count):
        heuristic_actions(
            carray(states, (count,)), 0, count, carray(movers, (count,)), carray(chosen, (count,))
        )

    def batch_step(
        states, templates, which, generators, masks, observations, flat, movers, rewards,
        terminated, turn_limit, returns, lengths, final_states, final_returns, final_lengths,
        reward_kind, with_observations, playing, chosen, count,
    ):  # fmt: skip
        seen = count if with_observations else 1
        batch = BatchData(
            carray(states, (count,)),
            carray(templates, (1,)),
            carray(which, (count,)),
            carray(generators, (count,)),
            carray(masks, (count, actions)),
            carray(observations, (seen,)),
            carray(flat, (seen, size)),
            carray(movers, (count,)),
            carray(rewards, (count, seats)),
            carray(terminated, (count,)),
            carray(turn_limit, (count,)),
            carray(returns, (count, seats)),
            carray(lengths, (count,)),
            carray(final_states, (count,)),
            carray(final_returns, (count, seats)),
            carray(final_lengths, (count,)),
            reward_kind,
            with_observations != 0,
        )
        step_batch(batch, 0, count, carray(playing, (count,)), carray(chosen, (count,)))

    state, seen = _pointer(game.state), _pointer(game.observation)
    bytes_, flags, signed, words = (
        _pointer(np.int8),
        _pointer(np.bool_),
        _pointer(np.int64),
        _pointer(np.uint64),
    )
    floats, generators = _pointer(np.float32), _pointer(GENERATOR)
    before = (
        state,
        state,
        signed,
        generators,
        bytes_,
        seen,
        floats,
        signed,
        floats,
        flags,
        flags,
        floats,
        signed,
    )
    after = (state, floats, signed, SIGNED, SIGNED, flags, signed, SIGNED)
    return [
        Entry(inner(game, "batch_deal"), batch_deal, (state, state, signed, words, SIGNED)),
        Entry(inner(game, "batch_masks"), batch_masks, (state, signed, bytes_, SIGNED)),
        Entry(inner(game, "batch_observe"), batch_observe, (state, signed, seen, floats, SIGNED)),
        Entry(
            inner(game, "batch_first_illegal"), batch_first_illegal, (flags, bytes_, signed, SIGNED)
        ),
        Entry(inner(game, "batch_random"), batch_random, (bytes_, generators, signed, SIGNED)),
        Entry(inner(game, "batch_scripted"), batch_scripted, (state, signed, signed, SIGNED)),
        Entry(inner(game, "batch_step"), batch_step, (*before, *after)),
    ]


@compiled
def network_at(weights, count, steps, num_steps, table, num_places, heads, num_heads, sizes):
    """A network whose parts are in memory."""
    return Program(
        carray(weights, (count,)),
        carray(steps, (num_steps, COLUMNS)),
        carray(table, (num_places,)),
        carray(heads, (num_heads, 3)),
        carray(sizes, (SIZES,)),
    )


@compiled
def scratch_at(place, network, actions):
    """The memory of a network, of :func:`scratch_size` bytes."""
    size, most = network.sizes[2], network.sizes[4]
    return Scratch(
        carray(_beyond(place, 8 * most), (size,), np.float32),
        carray(_beyond(place, 0), (most,), np.int64),
        carray(_beyond(place, 8 * most + 4 * size), (actions,), np.float32),
    )


@compiled
def scratch_size(size, most, actions):
    """Bytes, a multiple of LINE."""
    return (8 * most + 4 * size + 4 * actions + LINE - 1) // LINE * LINE


NETWORK = (
    *(_pointer(np.float32), SIGNED, _pointer(np.int64), SIGNED, _pointer(np.int32), SIGNED),
    *(_pointer(np.int64), SIGNED, _pointer(np.int64)),
)  # what ``network_at`` takes


def _policy(game: Game) -> list[Entry]:
    """A network's logits and value for one decision; what it remembers, the last of its inputs, is
    rewritten."""
    actions, evaluate_rows = len(game.actions), program.evaluate_rows

    def policy_size(sizes):
        own = carray(sizes, (SIZES,))
        return np.int64(scratch_size(own[2], own[4], actions))

    def policy_evaluate(
        weights,
        count,
        steps,
        num_steps,
        table,
        num_places,
        heads,
        num_heads,
        sizes,
        memory,
        inputs,
        mask,
        logits,
        value,
    ):
        network = network_at(
            weights, count, steps, num_steps, table, num_places, heads, num_heads, sizes
        )
        scratch = scratch_at(memory, network, actions)
        size, remembered, after = network.sizes[0], network.sizes[5], network.sizes[6]
        seen, legal = carray(inputs, (1, size)), carray(mask, (1, actions))
        evaluate_rows(
            network, scratch, seen, legal, carray(logits, (1, actions)), carray(value, (1,))
        )
        program.copy(scratch.memory[after : after + remembered], seen[0, size - remembered :])

    floats = _pointer(np.float32)
    return [
        Entry(inner(game, "policy_size"), policy_size, (_pointer(np.int64),)),
        Entry(
            inner(game, "policy_evaluate"),
            policy_evaluate,
            (*NETWORK, BYTES, floats, _pointer(np.int8), floats, floats),
        ),
    ]


def _rounded(size: int) -> int:
    return -(-size // LINE) * LINE


def _search(game: Game, simulation: Any) -> list[Entry]:
    """The tree search, in memory that begins with the scratch memory of one simulation and of a
    network (``room`` bytes)."""
    actions, seats, size = len(game.actions), game.max_players, game.observation_size
    state, seen = game.state, game.observation
    work = new_work(game, 1)
    places, end = {}, _rounded(SEARCH.itemsize)
    for name, array in work._asdict().items():
        if name == "weights":  # the other seats have no style
            continue
        places[name] = end
        end += _rounded(array.nbytes)
    # Numba takes numbers from closures one by one.
    p_states, p_paths, p_odds, p_lengths = (
        places[name] for name in ("states", "paths", "odds", "lengths")
    )
    p_leaves, p_waiting, p_deciders, p_returns = (
        places[name] for name in ("leaves", "waiting", "deciders", "returns")
    )
    p_leads, p_lucky, p_mask, p_slots = (
        places[name] for name in ("leads", "lucky", "mask", "slots")
    )
    p_flat, p_masks, p_flats = (places[name] for name in ("flat", "masks", "flats"))
    node_size, edge_size, fixed = NODE.itemsize, EDGE.itemsize, end
    simulate, clear_tree = simulation.simulate, tree.clear_tree
    read_root, rank_root = tree.read_root, tree.rank_root

    @compiled
    def table_size(num_nodes):
        entries = 1
        while entries < 2 * num_nodes:
            entries *= 2
        return entries

    @compiled
    def tree_at(memory, num_nodes, room):
        table = fixed + room
        nodes = table + 4 * table_size(num_nodes) + LINE
        edges = nodes + node_size * num_nodes
        return Tree(
            carray(_beyond(memory, nodes), (num_nodes,), NODE),
            carray(_beyond(memory, edges), (EDGES_PER_NODE * num_nodes + 1024,), EDGE),
            carray(_beyond(memory, table), (table_size(num_nodes),), np.int32),
            carray(_beyond(memory, 0), (1,), SEARCH),
        )

    @compiled
    def work_at(memory):
        return Work(
            carray(_beyond(memory, p_states), (1,), state),
            carray(_beyond(memory, p_paths), (1, MAX_PATH, 2), np.int32),
            carray(_beyond(memory, p_odds), (1, MAX_PATH), np.float64),
            carray(_beyond(memory, p_lengths), (1,), np.int64),
            carray(_beyond(memory, p_leaves), (1,), np.int64),
            carray(_beyond(memory, p_waiting), (1,), np.int8),
            carray(_beyond(memory, p_deciders), (1,), np.int64),
            carray(_beyond(memory, p_returns), (1, seats), np.float64),
            carray(_beyond(memory, p_leads), (1, seats), np.float64),
            carray(_beyond(memory, p_lucky), (1, seats), np.float64),
            carray(_beyond(memory, p_mask), (actions,), np.int8),
            carray(_beyond(memory, p_slots), (actions,), np.int32),
            carray(_beyond(memory, p_flat), (1,), seen),
            carray(_beyond(memory, p_flat), (1, size), np.float32),
            carray(_beyond(memory, p_flat), (1, size), np.uint32),
            carray(_beyond(memory, p_masks), (seats, actions), np.int8),
            carray(_beyond(memory, p_flats), (seats,), seen),
            carray(_beyond(memory, p_flats), (seats, size), np.float32),
            (),
        )

    def search_size(num_nodes, room):
        before = fixed + room + 4 * table_size(num_nodes) + LINE
        return np.int64(
            before + node_size * num_nodes + edge_size * (EDGES_PER_NODE * num_nodes + 1024)
        )

    def search_begin(
        memory, num_nodes, room, seed, exploration, lead_weight, trust, win_weight, score_weight,
        depth, playout, others, guided, valued, win_or_lose,
    ):  # fmt: skip
        carray(memory, (fixed,))[:] = 0
        own = work_at(memory)
        own.leaves[:] = NOTHING
        own.slots[:] = NOTHING
        whole = tree_at(memory, num_nodes, room)
        clear_tree(whole, seed)
        search = whole.search[0]
        search.exploration = exploration
        search.lead_weight = lead_weight
        search.trust = trust
        search.win_weight = win_weight
        search.score_weight = score_weight
        search.depth = depth
        search.playout = playout
        search.others = others
        search.guided = guided
        search.inside = guided
        search.valued = valued
        search.win_or_lose = win_or_lose

    def search_more(
        root, seat, memory, num_nodes, room,
        weights, count, steps, num_steps, table, num_places, heads, num_heads, sizes, simulations,
    ):  # fmt: skip
        network = network_at(
            weights, count, steps, num_steps, table, num_places, heads, num_heads, sizes
        )
        scratch = scratch_at(_beyond(memory, fixed), network, actions)
        whole = tree_at(memory, num_nodes, room)
        simulate(carray(root, (1,)), seat, whole, work_at(memory), network, scratch, simulations)
        return np.int64(whole.search[0].simulations)

    def search_read(memory, num_nodes, room, visits, values, leads, priors):
        read_root(
            tree_at(memory, num_nodes, room),
            carray(visits, (actions,)),
            carray(values, (actions,)),
            carray(leads, (actions,)),
            carray(priors, (actions,)),
        )

    def search_rank(memory, num_nodes, room, ranks):
        whole = tree_at(memory, num_nodes, room)
        rank_root(whole, carray(ranks, (actions,)), work_at(memory).slots)
        whole.search[0].halving = 1

    signed, real = _pointer(np.int64), types.float64
    doubles = _pointer(np.float64)
    tree_of = (BYTES, SIGNED, SIGNED)
    numbers = (WORD, *[real] * 5, *[SIGNED] * 6)
    return [
        Entry(inner(game, "search_size"), search_size, (SIGNED, SIGNED)),
        Entry(inner(game, "search_begin"), search_begin, (*tree_of, *numbers)),
        Entry(
            inner(game, "search_more"),
            search_more,
            (_pointer(state), SIGNED, *tree_of, *NETWORK, SIGNED),
        ),
        Entry(
            inner(game, "search_read"), search_read, (*tree_of, signed, doubles, doubles, doubles)
        ),
        Entry(inner(game, "search_rank"), search_rank, (*tree_of, _pointer(np.int16))),
    ]
