"""Games inside ``jax.jit``, ``jax.vmap`` and ``jax.lax.scan``: a functional environment in the form
that Pgx's users know.

    env = dig_envs.adapters.jax.make("go_dig_v0", num_players=2)
    keys = jax.random.split(jax.random.key(0), 1024)
    state = jax.vmap(env.init)(keys)
    state = jax.vmap(env.step)(state, jax.vmap(env.heuristic)(state))

A step is one call of the compiled rules for all games of the batch, in XLA's own threads and
without a way back to Python. It needs ``pip install -e ".[jax]"`` and runs on the CPU: on
another backend a computation with a game in it ends with an error that says what can be done.

**Keys and deals.** The seed of a deal is made of the first two words of the key:
``word 0 * 2**32 + word 1``. So ``jax.random.key(5)`` is seed 5: the same game as ``reset(seed=5)``
of the other environments. Later chance comes from the generator in the game, so that ``step`` takes
no key; with ``auto_reset`` the next game has the seed that follows, as in
:class:`dig_envs.BatchEnv`.

**What the bytes of a game promise.** ``State.game`` is what the compiled rules work on, and they
check no bounds. Only bytes that this module has made may go in: to move them about (select, gather,
store, copy) is safe, to compute with them is not. A record whose head is impossible, such as zeros
from an empty replay buffer, counts as a finished game. What comes from outside, from a file for
instance, is to go through :meth:`Environment.check` or :meth:`Environment.from_records`, outside of
jit: they raise.
"""

from dataclasses import dataclass, fields, replace
from functools import cache, partial
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import canonical_states, check_action, check_choice, check_integer
from dig_envs.engine.core.declared import LayoutEntry
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.full_state import NUMBER, unit_of
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.state import REWARD_KINDS, as_records
from dig_envs.engine.game import Game, Snapshot
from dig_envs.engine.snapshots.positions import load_position, save_position
from dig_envs.registry import load_game

try:
    import jax
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.jax needs JAX: {how_to_install('jax')} (or jax)", name="jax"
    ) from error

import jax.numpy as jnp

__all__ = ["Array", "Environment", "State", "jax", "jnp", "make", "seed_words"]

Array = Any  # of JAX, or a tracer
WORDS_OF_KEYS = (2, 4)  # of JAX's generators: threefry and rbg
RESULT = ("winners", "scores")  # fields of a position at its end
# results that take the memory of an argument
IN_PLACE = {"step": {0: 0}, "redeal_for": {0: 0}}


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """Some games (shape ``…``, which may be empty), a pytree of arrays.

    At the end of a game (``terminated``, without ``auto_reset``) ``current_player`` is the seat
    that decided last, ``observation`` what it sees, and all actions are in the mask, as in Pgx:
    they do nothing.

    Attributes:
        game: uint8 (…, size of a record): the complete positions, with generators and seeds.
        observation: float32 (…, observation_size), what ``current_player`` sees
            (:meth:`Environment.named` has its parts).
        legal_action_mask: bool (…, num_actions), the legal actions of ``current_player``.
        current_player: int32 (…), the seat that is asked next: of those that decide at the same
            time the lowest.
        rewards: float32 (…, num_players), of the last step.
        terminated: bool (…), whether the last step ended the game. truncated: bool (…), always
            False.
        turn_limit: bool (…), whether it was the turn limit that ended it: a rule, which pays as any
            other end.
        returns: float32 (…, num_players), the sum of the episode's rewards; at its last step
            complete, also with ``auto_reset``.
        num_steps: int32 (…), steps of the episode.
        won: float32 (…, num_players), each seat's share of the victory, and
        scores: int32 (…, num_players), if the last step ended the game, zeros otherwise.
    """

    game: Array
    observation: Array
    legal_action_mask: Array
    current_player: Array
    rewards: Array
    terminated: Array
    truncated: Array
    turn_limit: Array
    returns: Array
    num_steps: Array
    won: Array
    scores: Array

    def replace(self, **changes: Any) -> "State":
        """A copy with these arrays replaced."""
        return replace(self, **changes)


class Environment:
    """A game as pure functions of arrays. All take single games and batches of any shape, inside
    and outside of jit.

    Attributes: ``game`` (:class:`~dig_envs.engine.game.Game`), ``options`` (all, with values),
    ``num_players``, ``num_actions``, ``observation_size``, ``action_names``, ``reward``,
    ``auto_reset``, ``checked``.
    """

    def __init__(
        self, name: Game | str, reward: str, auto_reset: bool, checked: bool, **options: Any
    ) -> None:
        self.game: Game = load_game(name) if isinstance(name, str) else name
        self.options = self.game.options_to_deal(options)
        self.reward = check_choice("reward", reward, REWARD_KINDS)
        self.auto_reset, self.checked = bool(auto_reset), bool(checked)
        self.num_players = int(self.options["num_players"])
        self.num_actions = len(self.game.actions)
        self.observation_size = self.game.observation_size
        self.action_names = self.game.actions
        self._calls = self.game.xla_calls
        self._settings: dict[int, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies are made anew: compiled functions cannot be copied."""
        given = (self.game, self.reward, self.auto_reset, self.checked)
        return partial(Environment, *given, **self.options), ()

    id = property(
        lambda self: self.game.env_name, doc="The name of the environment, such as ``go_dig_v0``."
    )
    observation_shape = property(
        lambda self: (self.observation_size,), doc="The shape of one observation."
    )

    # ------------------------------------------------------------ playing

    def init(self, key: Array) -> State:
        """Deal a game from a key, or one from each of several.

        Args:
            key: a key (``jax.random.key``) of shape (…), or uint32 (…, 2) of the older kind
                (``jax.random.PRNGKey``).

        Raises:
            TypeError: it is no key.
        """
        words = seed_words(key)
        return self._state(self._call("init", words.shape[:-1], words))

    def step(self, state: State, action: Array, key: Array | None = None) -> State:
        """Play one action of ``current_player`` in each game.

        An illegal action ends the game with reward -1 for who made it and 0 for the others; the
        position does not change. With ``checked`` it raises an error that has the action's text. A
        game that is over stays as it is, with rewards 0; with ``auto_reset`` the next one is dealt
        in the step that ends it: ``rewards``, ``terminated``, ``turn_limit``, ``returns``,
        ``num_steps``, ``won`` and ``scores`` are then those of the episode that ended, all else
        belongs to the new one.

        Args:
            state: games (…).
            action: integers (…).
            key: not used; Pgx's wrapper for auto-reset passes one.
        """
        chosen = self.actions(action, state.game.shape[:-1], "action")
        return self._play(state, chosen[..., None])

    def step_all(self, state: State, actions: Array) -> State:
        """Play the actions of all seats that have a decision to make in each game, in the order of
        the seats, as one step.

        If some are illegal, none is played: the game ends with reward -1 for all who made one.

        Args:
            state: games (…).
            actions: integers (…, num_players); those of seats that have nothing to decide mean
                nothing.
        """
        shape = (*state.game.shape[:-1], self.num_players)
        return self._play(state, self.actions(actions, shape, "actions"))

    def _play(self, state: State, actions: Array) -> State:
        books = (state.current_player, state.terminated, state.returns, state.num_steps)
        lead, seats = state.game.shape[:-1], actions.shape[-1]
        return self._state(self._call("step", lead, state.game, actions, *books, seats=seats))

    def sample(self, state: State, key: Array) -> Array:
        """A random legal action for each game, all equally likely, int32 (…).

        Args:
            state: games (…).
            key: one key for each game, of shape (…).
        """
        words = seed_words(key)
        return self._call("sample", words.shape[:-1], state.legal_action_mask, words)[0]

    def heuristic(self, state: State) -> Array:
        """The action of the game's scripted player for each game, int32 (…); 0 where the game is
        over."""
        return self._call("scripted", state.game.shape[:-1], state.game)[0]

    # ------------------------------------------------------------ looking

    def observe(self, state: State, seat: Array | None = None) -> Array:
        """The observation of a seat, float32 (…, observation_size); by default that of
        ``current_player``.

        Args:
            state: games (…).
            seat: integers, one or (…). Nothing (zeros) is seen from a seat that there is not.
        """
        return (
            state.observation
            if seat is None
            else self._look(state, self._seats(state, seat)[..., None])[0][..., 0, :]
        )

    def legal_actions(self, state: State, seat: Array) -> Array:
        """The action mask of a seat, bool (…, num_actions); all False if it has nothing to
        decide."""
        return self._look(state, self._seats(state, seat)[..., None])[1][..., 0, :]

    def look_all(self, state: State) -> tuple[Array, Array]:
        """Observations and masks of all seats: float32 (…, num_players, observation_size), bool (…,
        num_players, num_actions)."""
        shape = (*state.game.shape[:-1], self.num_players)
        return self._look(
            state, jnp.broadcast_to(jnp.arange(self.num_players, dtype=jnp.int32), shape)
        )

    @property
    def full_state_layout(self) -> dict[str, LayoutEntry]:
        """As :attr:`dig_envs.BatchEnv.full_state_layout`."""
        return self.game.full_state.layout

    def full_state(self, state: State) -> Array:
        """The complete state for a critic in training, hidden information included, float32 (…,
        full_state_size). A record of zero bytes gives zeros.

        ``full_state_layout`` says what each number is (:mod:`dig_envs.engine.core.full_state`).
        """
        lead = state.game.shape[:-1]
        fields = []
        for part in self.game.full_state.parts:
            one = state.game[..., part.offset : part.offset + part.size * part.count]
            if part.bits == NUMBER:
                kind = {1: jnp.int8, 2: jnp.int16, 4: jnp.int32}[part.size]
                one = one.reshape(*lead, part.count, *[part.size] * (part.size > 1))
                numbers = jax.lax.bitcast_convert_type(one, kind)
                fields.append(numbers.astype(jnp.float32) / unit_of(part.size))
            else:
                one = one.reshape(*lead, part.count, part.size, 1)
                bits = (one >> jnp.arange(8, dtype=jnp.uint8)) & 1
                bits = bits.reshape(*lead, part.count, -1)[..., : part.bits]
                fields.append(bits.reshape(*lead, -1).astype(jnp.float32))
        return jnp.concatenate(fields, axis=-1)

    def _look(self, state: State, seats: Array) -> tuple[Array, Array]:
        seen, allowed = self._call(
            "look", state.game.shape[:-1], state.game, seats, seats=seats.shape[-1]
        )
        return seen, allowed

    def _seats(self, state: State, seat: Array) -> Array:
        lead = state.game.shape[:-1]
        return jnp.broadcast_to(_integers(seat, (lead, ()), "seat", self.num_players), lead)

    def named(self, observation: Array) -> dict[str, Array]:
        """The fields of an observation (…, observation_size) by name, each (…, then the shape of
        the field)."""
        lead = observation.shape[:-1]
        return {
            name: observation[..., entry.slice].reshape(*lead, *entry.shape)
            for name, entry in self.game.layout.items()
        }

    # ------------------------------------------------------------ searching

    def determinize(self, state: State, key: Array, seat: Array | None = None) -> State:
        """Deal anew what a seat cannot know: hidden cards and all chance to come. What that seat
        sees stays the same.

        Args:
            state: games (…).
            key: one key for each game, of shape (…): equal keys and views give equal deals.
            seat: who searches, integers, one or (…); default: ``current_player``.
        """
        words = seed_words(key)
        seats = state.current_player if seat is None else self._seats(state, seat)
        dealt = state.replace(
            game=self._call("redeal_for", words.shape[:-1], state.game, seats, words)[0]
        )
        if seat is None:
            return dealt
        seen, allowed = self._look(dealt, state.current_player[..., None])
        mask = allowed[..., 0, :]
        if not self.auto_reset:
            mask = jnp.where(state.terminated[..., None], state.legal_action_mask, mask)
        return dealt.replace(observation=seen[..., 0, :], legal_action_mask=mask)

    # ------------------------------------------------------------ outside of jit

    def records(self, state: State) -> np.ndarray[Any, Any]:
        """A copy of the games as NumPy records (n,), which agents and BatchEnv work with. Not
        inside jit."""
        given = np.asarray(state.game)
        if given.dtype != np.uint8 or given.shape[-1:] != (self.game.state.itemsize,):
            raise ValueError(
                f"games of {self.id} are uint8 (…, {self.game.state.itemsize}), not {given.dtype} "
                f"{given.shape}"
            )
        return as_records(np.frombuffer(given.tobytes(), self.game.state).copy())

    def from_records(self, records: np.ndarray[Any, Any]) -> State:
        """The state (n,) of positions from elsewhere, each of which is checked. Not inside jit.

        Raises:
            SnapshotError: one is not a position of this game with these options; names its place.
            TypeError, ValueError: not records, or those of another game.
        """
        records = canonical_states(records, self.game.state, self.id)
        loaded = [self._checked_record(records[i : i + 1], i) for i in range(len(records))]
        return self._state_of(np.concatenate(loaded) if loaded else records)

    def check(self, state: State) -> None:
        """Raise SnapshotError for the first game, by its place in the flattened batch, that is no
        position. Not inside jit."""
        records = self.records(state)
        for i in range(len(records)):
            self._checked_record(records[i : i + 1], i)

    def _checked_record(self, record: Any, place: int) -> Any:
        try:
            snapshot = self.game.to_snapshot(record[0])
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            raise SnapshotError(
                f"game {place} is not a position of {self.game.name}: {error}"
            ) from None
        try:
            return load_position(self.game, snapshot, self.options, int(record["seed"][0]))
        except SnapshotError as error:
            raise SnapshotError(f"game {place}: {error}") from None

    def check_action(self, state: State, action: Array) -> None:
        """Raise IllegalActionError, with the action's text, for the first illegal action of
        ``current_player``. Not inside jit."""
        masks = np.asarray(state.legal_action_mask).reshape(-1, self.num_actions)
        actions, seats = (
            np.asarray(action).reshape(-1),
            np.asarray(state.current_player).reshape(-1),
        )
        if len(actions) != len(masks):
            raise ValueError(f"{len(actions)} actions for {len(masks)} games")
        for place, (mask, one, seat) in enumerate(zip(masks, actions, seats, strict=True)):
            check_action(one, mask, self.action_names, f"seat {seat} in game {place}")

    def snapshot(self, state: State, index: int = 0) -> Snapshot:
        """The position of one game of the flattened batch, as a JSON-able dict. Not inside jit."""
        records = self.records(state)
        return save_position(
            self.game, records, check_integer(index, "the index of a game", 0, len(records) - 1)
        )

    def restore(self, snapshot: Snapshot, seed: int = 0) -> State:
        """A single game in the position of a snapshot. Not inside jit.

        Args:
            snapshot: of this game with these options.
            seed: from which the episode after it follows, if the snapshot has none.

        Raises:
            SnapshotError: naming the key.
        """
        state = self._state_of(load_position(self.game, snapshot, self.options, seed))
        return State(**{field.name: getattr(state, field.name)[0] for field in fields(State)})

    def _state_of(self, records: Any) -> State:
        count = len(records)
        over = records["over"].astype(np.bool_)
        returns = np.where(over[:, None], self.game.returns_of(as_records(records)), 0.0)[
            :, : self.num_players
        ]
        seats = np.maximum(records["to_move"], 0).astype(np.int32)
        games = jnp.asarray(np.frombuffer(records.tobytes(), np.uint8).reshape(count, -1))
        nothing = jnp.zeros((count, self.num_players), jnp.float32)
        flags = jnp.zeros(count, jnp.bool_)
        ended = [np.where(over[:, None], records[of], 0)[:, : self.num_players] for of in RESULT]
        state = State(
            games, flags, flags, jnp.asarray(seats), nothing, jnp.asarray(over), flags,
            jnp.asarray(over & (records["truncated"] != 0)),
            jnp.asarray(returns, jnp.float32) if self.reward == "win" else nothing,
            jnp.zeros(count, jnp.int32), self._won(jnp.asarray(ended[0] != 0)),
            jnp.asarray(ended[1], jnp.int32),
        )  # fmt: skip
        seen, allowed = self._look(state, state.current_player[:, None])
        return state.replace(
            observation=seen[:, 0], legal_action_mask=allowed[:, 0] | state.terminated[:, None]
        )

    # ------------------------------------------------------------ calls

    def actions(self, given: Array, shape: tuple[int, ...], what: str) -> Array:
        """Actions as int32 of a shape. Those out of range become -1, which is never legal.

        Raises:
            TypeError: they are no integers. ValueError: they have another shape.
        """
        return _integers(given, (shape,), what, self.num_actions)

    def _state(self, results: tuple[Array, ...]) -> State:
        game, seen, mask, player, rewards, terminated, limit, returns, steps, *result = results
        winners, scores = result
        return State(
            game,
            seen,
            mask,
            player,
            rewards,
            terminated,
            jnp.zeros_like(terminated),
            limit,
            returns,
            steps,
            self._won(winners),
            scores,
        )

    def _won(self, winners: Array) -> Array:
        """The shares of the victory, as :func:`~dig_envs.engine.core.winners.shares_of_victory`."""
        won = winners.astype(jnp.float32)
        return won if self.game.cooperative else won / jnp.maximum(won.sum(-1, keepdims=True), 1)

    def _call(
        self, name: str, lead: tuple[int, ...], *arguments: Array, seats: int = 1
    ) -> tuple[Array, ...]:
        """Call a loop over games; its results have the shape ``lead`` in front."""
        given, results = self._calls.forms(name, self.num_players, seats)
        for argument, form in zip(arguments, given, strict=True):
            if argument.shape != (*lead, *form.shape) or argument.dtype != form.base:
                raise ValueError(
                    f"{name}: an array {(*lead, *form.shape)} of {form.base} is needed, not "
                    f"{argument.shape} of {argument.dtype}"
                )
        call = jax.ffi.ffi_call(
            _registered(self._calls, name),
            [jax.ShapeDtypeStruct((*lead, *form.shape), form.base) for form in results],
            vmap_method="broadcast_all",
            input_output_aliases=IN_PLACE.get(name),
        )
        rows = np.array([form.itemsize for form in given + results], np.int64)
        return tuple(call(*arguments, rows=rows, settings=self._settings_for(seats)))

    def _settings_for(self, seats: int) -> Any:
        if seats not in self._settings:
            self._settings[seats] = self._calls.settings(
                self.options, self.reward, self.auto_reset, self.checked, seats
            )
        return self._settings[seats]


def make(
    name: Game | str,
    *,
    reward: str = "win",
    auto_reset: bool = False,
    checked: bool = False,
    **options: Any,
) -> Environment:
    """Create an environment for JAX.

    Args:
        name: such as ``go_dig_v0`` (:func:`dig_envs.list_environments`).
        reward: ``"win"`` (returns on the last step) or ``"score"`` (each seat's change of score at
            every step).
        auto_reset: whether the next game is dealt in the step that ends one.
        checked: whether an illegal action raises (``jax.errors.JaxRuntimeError`` with the action's
            text) instead of ending the game, also inside jit.
        options: of the game.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game.
        RuntimeError: nothing is compiled (``NUMBA_DISABLE_JIT=1``).
    """
    return Environment(name, reward, auto_reset, checked, **options)


def seed_words(key: Array) -> Array:
    """The seed of a deal: the two words of a key, uint32 (…, 2). Raises TypeError if it is not a
    key."""
    array = jnp.asarray(key) if not hasattr(key, "dtype") else key
    if jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
        array = jax.random.key_data(array)
    if array.dtype != jnp.uint32 or array.ndim < 1 or array.shape[-1] not in WORDS_OF_KEYS:
        raise TypeError(
            f"a key is needed (jax.random.key), not {array.dtype} of shape {array.shape}"
        )
    return array[..., :2]


def _integers(given: Any, shapes: tuple[tuple[int, ...], ...], what: str, end: int) -> Array:
    """Integers of one of these shapes, as int32. Those below 0, or from ``end`` on, become -1."""
    array = given
    if not isinstance(given, jax.Array):
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(given))
        # JAX itself would narrow what NumPy has
        array = jnp.asarray(given) if traced else np.asarray(given)
    if not jnp.issubdtype(array.dtype, jnp.integer):
        raise TypeError(f"{what} must be integers, not {array.dtype}")
    if array.shape not in shapes:
        raise ValueError(
            f"{what} must have the shape {' or '.join(map(str, shapes))}, not {array.shape}"
        )
    return jnp.where((array >= 0) & (array < end), array, -1).astype(jnp.int32)


# ---------------------------------------------------------------- XLA


@cache
def _registered(calls: Any, name: str) -> str:
    """The name under which XLA knows a loop; on other devices than a CPU there is an error in its
    place."""
    target = f"dig_envs.{calls.game.env_name}.{name}"
    jax.ffi.register_ffi_target(
        target, jax.ffi.pycapsule(calls.handler(name)), platform="cpu", api_version=1
    )
    for platform in ("CUDA", "ROCM"):
        jax.ffi.register_ffi_target(
            target, jax.ffi.pycapsule(calls.refusal), platform=platform, api_version=1
        )
    return target
