"""The interface of all players."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from dig_envs.engine.game import Array, Game


class Agent(Protocol):
    """A player of one environment, for one game at a time or for many at once.

    An agent decides from what the deciding seat may know. Scripted players and search are given
    complete states for speed and read nothing else of them (the tests re-deal what is hidden and
    expect the same choice).

    Optional attributes say what more it needs or may do (:class:`Traits`). An agent with a method
    ``close`` keeps something open, such as a process; call it when you no
    longer need the agent.
    """

    name: str

    def act(self, env: Any, agent: str | None = None) -> int:
        """The action of an agent.

        Args:
            env: any AEC, parallel or Gymnasium environment of this package, wrapped or not; of one
                for Gymnasium the seat that its learner plays now is asked.
            agent: who decides, such as ``"player_1"``; default: ``env.agent_selection``. A parallel
                environment has none.

        Raises:
            TypeError: it is not such an environment. PolicyMismatchError: it is of another game or
                version. ResetNeeded: there is no game yet.
            ValueError: there is no such agent, it is not to act now, or none is named in a parallel
                environment.
        """
        ...

    def act_view(
        self, view: Mapping[str, Any], events: Any = None, seat: int | None = None, seed: int = 0
    ) -> int:
        """The action for one seat of a game that somebody else keeps, from the seat's view alone.
        It equals the action of :meth:`act` in the true position.

        Args:
            view: as ``env.view(agent)``, the protocol's ``view`` or an exported game gives it.
            events: what the seat was told since, as :meth:`dig_envs.adapters.seat.Seat.told` takes
                it; None: nothing.
            seat: whose view it is, from 0; default: who is to move in it.
            seed: of what the view hides, which no agent uses.

        Raises:
            SnapshotError: the view is malformed, or no position agrees with it; the message names
                the key. PolicyMismatchError: it is one of another game.
            EventError: the events do not follow. TypeError, ValueError: the events are malformed,
                or the seat or the seed is not valid.
            ValueError: the seat has no decision to make; or the agent remembers what it was shown
                earlier, and is to be asked through a :class:`~dig_envs.adapters.seat.Seat`.
        """
        ...

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
    ) -> Array:
        """One action for each of n decisions.

        Args:
            observation: float32 (n, observation_size), what the deciding seats see.
            action_mask: int8 (n, num_actions).
            states: record array (n,), needed by scripted players and search.
            seats: int64 (n,), the deciding seats, needed together with ``states``.

        Returns:
            int64 (n,), legal actions.

        Raises:
            TypeError: an array is of another kind. PolicyMismatchError: the states are of another
                version.
            ValueError: an array is of another shape or length, or not finite; ``states`` or
                ``seats`` are needed and missing; a mask allows nothing, or a seat is not to act in
                its state.
        """
        ...


class Traits(NamedTuple):
    """What an agent may have beyond :class:`Agent`: its attributes of these names, or the defaults.

    Attributes:
        game: the only one that it plays; None: it plays any.
        memory_size: above 0: it remembers so many numbers of a game, and ``act_batch`` takes
            ``memory`` after ``seats`` (:mod:`dig_envs.agents.memory`). ``act`` keeps the memory by
            itself.
        takes_events: ``act_batch`` also takes ``events``, for each decision the list of
            :class:`~dig_envs.engine.core.events.Event` that its seat was told since its last one.
        may_forfeit: it may give up a game, as a program may that has crashed, and then raises
            :class:`~dig_envs.engine.core.errors.ForfeitError`.
        usage: what it has used so far, by name, such as the tokens of a language model.
    """

    game: Game | None = None
    memory_size: int = 0
    takes_events: bool = False
    may_forfeit: bool = False
    usage: Mapping[str, int] = MappingProxyType({})


def traits(agent: Any) -> Traits:
    """The optional attributes of an agent, with their defaults."""
    usual: dict[str, Any] = Traits._field_defaults
    return Traits(**{name: getattr(agent, name, usual[name]) for name in usual})


def for_options(agent: Agent, options: Mapping[str, Any]) -> Agent:
    """The player for these options, if the agent has several
    (:class:`~dig_envs.agents.best.BestAgent`)."""
    chosen: Agent = agent.for_options(options) if hasattr(agent, "for_options") else agent
    return chosen
