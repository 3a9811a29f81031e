"""The decision that a player is asked for: from an environment, a view, or as arrays from outside.

All players pass the one check of :func:`check_decisions`, and those that are asked with an
environment that of :func:`position_of`, with a view that of :func:`position_of_view`.
"""

import logging
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dig_envs.agents.memory import check_memory, memory_size
from dig_envs.agents.protocol import for_options, traits
from dig_envs.engine.core.checks import canonical, canonical_states, check_array, shown_in_message
from dig_envs.engine.core.errors import (
    ForfeitError,
    IllegalActionError,
    PolicyMismatchError,
    SnapshotError,
)
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.texts import clean_text
from dig_envs.engine.following import follow
from dig_envs.engine.game import Array, Game
from dig_envs.engine.snapshots.completing import seat_to_move
from dig_envs.registry import game_name, is_environment, list_environments, load_game

LONGEST_DETAIL = 1000  # characters of what an owner is told
log = logging.getLogger(__name__)


class Decisions(NamedTuple):
    """The n decisions that a player is asked for, checked.

    Attributes:
        observation: float32 (n, observation_size). action_mask: as given, (n, num_actions).
        states: records (n,); None: not given, where the player needs none.
        seats: int64 (n,); None with ``states``.
        memory: float32 (n, memory_size) of a player that has one, to be rewritten in place.
        events: for each decision what its seat was told, for a player that takes events.
    """

    observation: Array
    action_mask: Array
    states: Any
    seats: Any
    memory: Any
    events: Sequence[Sequence[Event]]


class OneGame:
    """Mixin of agents: checks what they are given, and makes of a choice in one game one in a batch
    of one.

    An environment keeps what an agent with a memory remembers of it, per seat, until the next
    episode begins. So copies of the environment have copies of that, and a copy of the agent goes
    on as the agent does. Asked twice about one decision it has the same memory.

    Attributes: ``game``: that it plays; None: any. ``needs_positions``: whether it decides on
    states. ``numbers_games``: whether its memory is only a number that tells a new game from one
    that goes on. The others are those of :class:`~dig_envs.agents.protocol.Agent`.
    """

    name: str
    game: Game | None = None
    needs_positions = True
    memory_size = 0
    numbers_games = False
    takes_events = False

    def act(self, env: Any, agent: str | None = None) -> int:
        """The action of an agent, by default of ``env.agent_selection``
        (:class:`dig_envs.agents.protocol.Agent`)."""
        position = position_of(env, self.name, self.game)
        if position is not env.unwrapped and not env.unwrapped.action_masks().any():
            raise ValueError("the learner has no decision to make now: its episode is over")
        return int(self.choose(decision_of(position, self, agent))[0])

    def act_view(
        self, view: Mapping[str, Any], events: Any = None, seat: int | None = None, seed: int = 0
    ) -> int:
        """The action for a view, by default of the seat to move, or after the events that the seat
        was told since (:class:`dig_envs.agents.protocol.Agent`)."""
        game, states, who = position_of_view(view, seat, seed)
        if self.game is not None and game is not self.game:
            raise plays_another_game(self.name, self.game, game.env_name)
        if events is not None:
            states = follow(game, states, who, events, seed)[0]
        player = for_options(self, game.options_of(states))
        size = memory_size(player)
        if size and not self.numbers_games:
            raise ValueError(
                f"{player.name} remembers what it was shown: keep a dig_envs.Seat for the whole "
                "game, seat.saw(view), and ask seat.act(agent)"
            )
        if not states["owes"][0][who]:
            raise ValueError(f"seat {who} has no decision to make now")
        vector, mask = game.look(states, who)
        kept = [np.zeros((1, size), np.float32)] if size else []
        seats = np.array([who], np.int64)
        return int(player.act_batch(vector[None], mask[None], states, seats, *kept)[0])

    @cached_property
    def memory_key(self) -> str:
        """The text by which environments know this agent and its copies."""
        return secrets.token_hex(8)

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        memory: Array | None = None,
        events: Sequence[Sequence[Event]] | None = None,
    ) -> Array:
        """One action for each decision (:class:`dig_envs.agents.protocol.Agent`)."""
        return self.choose(
            check_decisions(self, observation, action_mask, states, seats, memory, events)
        )

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision, int64 (n,)."""
        raise NotImplementedError


# ---------------------------------------------------------------- from an environment


def position_of(env: Any, who: str, game: Game | None) -> Any:
    """The game in play of an environment, wrapped or not; for Gymnasium, of the AEC environment
    inside.

    Args:
        env: the environment. who: the agent's name. game: that it plays; None: any.

    Raises:
        TypeError: it is not such an environment. PolicyMismatchError: it is of another game, or of
            another version. ResetNeeded: there is no game yet.
    """
    plain = getattr(env, "unwrapped", None)
    position: Any = getattr(plain, "aec", plain)
    played = getattr(position, "game", None)
    if not isinstance(played, Game) or not hasattr(position, "look"):
        raise TypeError(
            "act needs an AEC, parallel or Gymnasium environment of dig_envs, not "
            f"{shown_in_message(env)}; for a batch of games there is act_batch"
        )
    if game is not None and played is not game:
        raise plays_another_game(who, game, played.env_name)
    position._require_game()
    return position


def plays_another_game(who: str, game: Game, other: str) -> PolicyMismatchError:
    """The error for a player that is asked about another game, or another version of it."""
    is_version = is_environment(other) and game_name(other) == game.name
    remedy = f": load it with env={other!r}" if is_version else ""
    return PolicyMismatchError(f"agent {who} plays {game.env_name}, not {other}{remedy}")


def decision_of(position: Any, player: Any, agent: str | None) -> Decisions:
    """The decision of an agent in a game in play, as a batch of one, with its memory and its
    events.

    Raises:
        TypeError: the agent's name is not a string. ValueError: there is no such agent, it is not
            to act now, or none is named where several may act at once.
    """
    if agent is None:
        agent = getattr(position, "agent_selection", None)
        if agent is None:
            raise ValueError("in a parallel environment name the agent: act(env, agent='player_0')")
    if not isinstance(agent, str):
        raise TypeError(
            f"an agent is named by a text such as 'player_0', not {shown_in_message(agent)}"
        )
    seen = position.look(agent)
    if not seen["action_mask"].any():
        raise ValueError(
            f"{agent} has no decision to make now; ask an agent whose action mask is not all zero"
        )
    seat, size = position.seat_of(agent), memory_size(player)
    return Decisions(
        seen["observation"][None],
        seen["action_mask"][None],
        position.states,
        np.array([seat], np.int64),
        position.memory_of(player.memory_key, seat, size) if size else None,
        [position.event_log.since(seat) if traits(player).takes_events else ()],
    )


# ---------------------------------------------------------------- from a view


def position_of_view(view: Any, seat: int | None, seed: int) -> tuple[Game, Array, int]:
    """The game of a view, a position that agrees with it (record array of length 1), and the view's
    seat.

    Args:
        view: what a seat sees. seat: which; None: who is to move in it.
        seed: of what the view hides.

    Raises:
        SnapshotError: the view is malformed, or no position agrees with it. TypeError, ValueError:
            the seat or the seed is not valid.
    """
    if not isinstance(view, Mapping):
        raise SnapshotError(f"a view is a JSON object, not {type(view).__name__}")
    if not view.keys() & {"environment", "game"}:
        raise SnapshotError("snapshot key 'game': is missing")
    name = view.get("environment", f"{view.get('game')}_v0")
    if name not in list_environments():
        raise SnapshotError(
            f"snapshot key 'environment': {shown_in_message(name)} is not one of "
            f"{', '.join(list_environments())}"
        )
    game, who = load_game(name), seat_to_move(view) if seat is None else seat
    return game, game.complete(view, who, seed), who


# ---------------------------------------------------------------- as arrays


def check_decisions(
    agent: OneGame,
    observation: Any,
    action_mask: Any,
    states: Any = None,
    seats: Any = None,
    memory: Any = None,
    events: Any = None,
) -> Decisions:
    """Decisions in the form that agents and compiled code take.

    Raises:
        TypeError: something is of another kind than it must be, or the agent takes no such thing.
        ValueError: something is missing, of another shape or length, not finite, a mask allows
            nothing, or a seat is not to act.
        PolicyMismatchError: the states are of another version of the game.
    """
    seen, mask = check_seen(agent.game, agent.name, observation, action_mask)
    count = len(mask)
    none = np.flatnonzero(~mask.any(axis=1))
    if len(none):
        raise ValueError(
            f"action_mask allows no action in decision {none[0]}: give the mask of a seat that is "
            "to act"
        )
    if agent.needs_positions and (states is None or seats is None):
        raise ValueError(
            f"{agent.name} decides on positions: pass states and seats (BatchEnv.states, "
            "BatchEnv.mover)"
        )
    if agent.game is not None and states is not None:
        states, seats = check_positions(agent.game, states, seats, agent.name, count)
    if agent.memory_size:
        memory = check_memory(memory, count, agent.memory_size, agent.name)
    elif memory is not None:
        raise TypeError(f"{agent.name} remembers nothing: pass no memory")
    return Decisions(seen, mask, states, seats, memory, _check_events(agent, events, count))


def check_seen(
    game: Game | None, who: str, observation: Any, action_mask: Any
) -> tuple[Array, Array]:
    """Observations float32 (n, observation_size) and masks (n, num_actions) of integers 0 and 1, or
    bool; raises as :func:`check_decisions`."""
    of_game = "" if game is None else f" of {game.env_name}, which {who} plays,"
    actions, size = (None, None) if game is None else (len(game.actions), game.observation_size)
    mask = check_array(
        action_mask, f"action_mask{of_game}", "biu", "integers or bool", (None, actions)
    )
    if mask.dtype != np.bool_ and mask.size and not (mask.min() >= 0 and mask.max() <= 1):
        raise ValueError(f"action_mask{of_game} must be 1 for each legal action and 0 for others")
    what = f"observation{of_game or ','} with action_mask {mask.shape},"
    seen = check_array(observation, what, "f", "floating point numbers", (len(mask), size))
    with np.errstate(over="ignore"):  # numbers that are too large become infinite
        seen = np.asarray(seen, np.float32)
    if not np.isfinite(seen).all():
        raise ValueError(f"{what} must be finite numbers, without NaN")
    return seen, mask


def check_positions(
    game: Game, states: Any, seats: Any, who: str, count: int | None = None
) -> tuple[Array, Any]:
    """States and deciding seats as compiled code takes them: records (n,), int64 (n,).

    Args:
        game: that is played. states, seats: as given; seats None: of no seat.
        who: asks. count: how many there must be; None: any number.

    Raises:
        TypeError: they are of another kind. ValueError: they are of another shape or game, or a
            seat is not to act. PolicyMismatchError: states of another version.
    """
    records = canonical_states(states, game.state, game.env_name)
    if count is not None and len(records) != count:
        raise ValueError(f"{len(records)} states for {count} decisions; give one for each")
    others = np.flatnonzero(records["version"] != game.version)
    if len(others):
        raise plays_another_game(who, game, f"{game.name}_v{records['version'][others[0]]}")
    if seats is None:
        return records, None
    given = check_array(seats, "seats", "iu", "integers, one for each state", records.shape)
    movers = canonical(given, np.int64)
    exist = (movers >= 0) & (movers < game.max_players)
    to_act = records["owes"][np.arange(len(records)), np.where(exist, movers, 0)] != 0
    wrong = np.flatnonzero(~(exist & to_act))
    if len(wrong):
        raise ValueError(
            f"seat {given[wrong[0]]} has no decision to make in position {wrong[0]}; see "
            "BatchEnv.mover"
        )
    return records, movers


def _check_events(agent: OneGame, events: Any, count: int) -> Sequence[Sequence[Event]]:
    """The events before each decision; empty lists by default."""
    if events is None:
        return [()] * count
    if not agent.takes_events:
        raise TypeError(f"{agent.name} takes no events: pass none")
    if not all(
        isinstance(told, Sequence) and all(isinstance(one, Event) for one in told)
        for told in (events if isinstance(events, Sequence) else [None])
    ):
        raise TypeError(
            "events must be a list of events for each decision (BatchEnv.events), not "
            f"{shown_in_message(events)}"
        )
    if len(events) != count:
        raise ValueError(f"{len(events)} lists of events for {count} decisions; give one for each")
    return list(events)


def forfeit(who: str, failure: ForfeitError) -> ForfeitError:
    """The error to raise when ``who`` gives up a game. The detail goes to the log of this process
    (standard error by default), which its owner sees and other players do not."""
    if failure.detail:
        log.warning("%s, %s", who, clean_text(failure.in_full, LONGEST_DETAIL))
    return ForfeitError(f"{who}, {failure}")


@contextmanager
def legal_or_forfeit(who: str) -> Iterator[None]:
    """Play inside what ``who`` chose; raises ForfeitError if it is not legal. Which action it was,
    and what would have been legal, is for its owner alone."""
    try:
        yield
    except IllegalActionError as error:
        raise forfeit(who, ForfeitError("chose an illegal action", str(error))) from None
