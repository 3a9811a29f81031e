"""One seat of a game that somebody else keeps: what it sees, and what an agent would do there."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.adapters.position import GamePosition
from dig_envs.agents.advice import Advice, advise
from dig_envs.agents.protocol import Agent, check_agent
from dig_envs.engine.core.checks import check_seed, shown_in_message
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.seeds import following_seed
from dig_envs.engine.game import Array, Snapshot
from dig_envs.engine.snapshots.completing import seat_to_move
from dig_envs.engine.snapshots.following import follow
from dig_envs.registry import list_environments, load_game
from dig_envs.text.sentences import headline


class Seat(GamePosition):
    """A seat that knows its views and nothing else, as a program has that plays on a server of
    others or at a real table.

    Every agent of this package takes it in the place of an environment, ``agent.act(seat)``, and
    chooses as in the true position: what the view hides is dealt at random, and no agent uses it.
    An agent with a memory remembers the views that it was asked about.

    Args:
        view: what the seat sees, as ``env.view(agent)``, the protocol's ``view`` or an exported
            game gives it.
        seat: whose view it is, from 0; default: who is to move in it.
        seed: of what the view hides.

    Raises:
        SnapshotError: the view is malformed, or no position agrees with it; the message names the
            key. TypeError, ValueError: the seat or the seed is none.
    """

    def __init__(self, view: Mapping[str, Any], seat: int | None = None, seed: int = 0) -> None:
        if not isinstance(view, Mapping):
            raise SnapshotError(f"a view is a JSON object, not {type(view).__name__}")
        name = view.get("environment", f"{view.get('game')}_v0")
        if name not in list_environments():
            raise SnapshotError(
                f"snapshot key 'environment': {shown_in_message(name)} is not one of "
                f"{', '.join(list_environments())}"
            )
        game, seed = load_game(name), check_seed(seed)
        self.seat = seat_to_move(view) if seat is None else seat
        states = game.complete(view, self.seat, seed)
        options = {option.name: option.decode(states[0][option.name]) for option in game.options}
        self._init_position(name, "win", None, "observation", "public", False, options)
        self.render_view = self.agent_selection
        self._seen, self._episode_seed = dict(view), seed
        # positions in which it has decided, and agents with a memory were not asked
        self._passed = list[Array]()
        self._take(states)

    @property
    def unwrapped(self) -> "Seat":
        """The seat itself, as of an environment."""
        return self

    @property
    def agent_selection(self) -> str:
        """The name of the seat's agent, such as ``player_0``."""
        return self.possible_agents[self.seat]

    # ------------------------------------------------------------ what it sees

    def saw(self, view: Mapping[str, Any]) -> None:
        """Take a new view of the same game.

        Raises:
            SnapshotError: as above, or the options are others; then nothing has changed.
        """
        seed = following_seed(self._episode_seed or 0)
        states = self.game.complete(view, self.seat, seed)
        for option in self.game.options:
            if option.decode(states[0][option.name]) != self.options[option.name]:
                raise SnapshotError(
                    f"snapshot key 'options.{option.name}': must be "
                    f"{self.options[option.name]!r}: this is a seat of another game"
                )
        self._seen, self._episode_seed = dict(view), seed
        self._take(states)

    def told(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Bring the view up to date by what the seat was told since: at a table that gives no
        views.

        Args:
            events: in order, each as :meth:`dig_envs.engine.core.events.Event.to_json` gives it for
                the seat, with or without ``text``: ``{"kind": "asked", "seat": 1, "other": 2,
                "genus": "TRI"}``. All events of an action are told together; what is hidden from
                the seat is null or left out. ``{"kind": "action", "seat": 1, "action": "ask +1
                TRI"}`` before them names the action, where several tell the same.

        Raises:
            EventError: the events do not follow, or some are missing; the message names the first.
            TypeError, ValueError: an event is malformed. Then nothing has changed.
        """
        seed = following_seed(self._episode_seed or 0)
        states, steps, _ = follow(self.game, self.states, self.seat, events, seed)
        self._passed += [step.before for step in steps if step.seat == self.seat]
        self._seen = self.game.to_view(self.game.to_snapshot(states[0]), self.seat)
        self._episode_seed = seed
        self._take(states)

    def _take(self, states: Array) -> None:
        self.states[:] = states
        self._begin_log()

    def view(self, agent: str | None = None) -> Snapshot:
        """Return the view of the seat, as it was given; raises ValueError for another agent."""
        if agent not in (None, self.agent_selection):
            raise ValueError(f"this is {self.agent_selection}: it does not know what {agent} sees")
        return dict(self._seen)

    def snapshot(self) -> Snapshot:
        """Return the view: nobody here knows the complete position."""
        return self.view()

    def _shown(self) -> tuple[Mapping[str, Any], int | None]:
        return self._seen, self.seat

    @property
    def observation(self) -> Array:
        """The observation of the seat: float32 (observation_size,)."""
        vector: Array = self._look(self.seat)["observation"]
        return vector

    @property
    def action_mask(self) -> Array:
        """The mask of its legal actions: int8 (num_actions,), all zero if it has no decision to
        make."""
        return self._mask_of(self.seat)

    def legal(self) -> list[dict[str, Any]]:
        """Return its legal actions, each with index, text and label in plain English."""
        return self.game.legal_texts(self.states, self.seat)

    def headline(self) -> str:
        """Return who is to decide what, or how the game has ended, as a sentence."""
        return headline(self.game, self._seen, self.seat)

    def text(self) -> str:
        """Return what it sees, as text."""
        return self.game.draw(self._seen)

    def picture(self, theme: str = "light", fonts: bool = True, layout: str = "wide") -> str:
        """Return what it sees as SVG (:func:`dig_envs.pictures.picture`); it needs the extra
        ``pictures``."""
        from dig_envs.pictures import picture

        return picture(self.game, self._seen, self.seat, theme, fonts, layout)

    # ------------------------------------------------------------ what to do

    def act(self, agent: Agent) -> int:
        """Return the action of an agent for this seat.

        Raises:
            ValueError: the seat has no decision to make. TypeError: it is no agent, such as a name.
        """
        return check_agent(agent).act(self, self.agent_selection)

    def advise(self, agent: Agent, top: int = 3) -> list[Advice]:
        """Return the best actions for this seat, each with its chance of winning and a reason
        (:func:`dig_envs.agents.advice.advise`)."""
        return advise(self, agent, top)
