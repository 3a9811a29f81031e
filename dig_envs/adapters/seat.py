"""One seat of a game that somebody else keeps: what it sees, and what an agent would do there."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dig_envs.adapters.position import GamePosition
from dig_envs.agents.advice import Advice, advise
from dig_envs.agents.deciding import position_of_view
from dig_envs.agents.memory import memory_size
from dig_envs.agents.mistakes import Mistake, decisions_of, mistakes_in
from dig_envs.agents.own import check_agent
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.engine.core.checks import check_integer, check_seed, is_sequence, shown_in_message
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.seeds import following_seed
from dig_envs.engine.following import Possible, Step, follow, possible
from dig_envs.engine.game import Array, Snapshot
from dig_envs.engine.snapshots.codecs import JsonSchema
from dig_envs.registry import load_game
from dig_envs.text.sentences import headline

Told = dict[str, Any]  # a view, or events
_Before = tuple[
    Snapshot, int | None, Array, list[Array], list[Step], dict[str, int], dict[Any, Any]
]


OPENINGS = 24  # deals that are compared


def _memory_key(agent: Agent) -> str:
    return getattr(agent, "memory_key", agent.name)


def opening_of(
    environment: str, seat: int, options: Mapping[str, Any] | None = None
) -> tuple[list[str], list[Snapshot]]:
    """The keys of a seat's first view that a deal decides, and such views of some deals. Keys that
    are the same in all deals, or follow from others, are left out. Raises as :meth:`Seat.begin`."""
    game = load_game(environment)
    options = game.complete_options(options or {})
    check_integer(seat, "seat", 0, int(game.template(options)["num_players"][0]) - 1)
    deals = [game.deal(options, seed) for seed in range(OPENINGS)]
    views = [game.to_view(game.to_snapshot(states[0]), seat) for states in deals]
    derived = game.derived(views[0])
    differing = [key for key in views[0] if any(v[key] != views[0][key] for v in views)]
    return [key for key in differing if key not in derived], views


def _in_order(entry: Any, form: JsonSchema) -> Any:
    """An entry with its lists of names in the order in which its form lists them."""
    if not isinstance(entry, list):
        return entry
    items = [one["items"] for one in form.get("anyOf", [form]) if "items" in one]
    for names in (one["enum"] for one in items if "enum" in one):
        if all(one in names for one in entry):
            return sorted(entry, key=names.index)
    return [_in_order(one, items[0]) for one in entry] if items else entry


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
            key. TypeError, ValueError: the seat or the seed is not valid.
    """

    def __init__(self, view: Mapping[str, Any], seat: int | None = None, seed: int = 0) -> None:
        seed = check_seed(seed)
        game, states, self.seat = position_of_view(view, seat, seed)
        options = game.options_of(states)
        self._init_position(game.env_name, "win", None, "observation", "public", False, options)
        self.render_view = self.agent_selection
        self._seen, self._episode_seed = dict(view), seed
        # positions in which it has decided; by agent with a memory, how many it was shown,
        # with the present one where it has decided there
        self._passed, self._shown_to = list[Array](), dict[str, int]()
        self._steps = list[Step]()  # what all have done, as far as it was told events
        # what it was before it was told something, and what that was
        self._history = list[tuple[_Before, Told]]()
        self._take(states)

    @classmethod
    def begin(
        cls,
        environment: str,
        seat: int,
        opening: Mapping[str, Any],
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> "Seat":
        """A seat at the beginning of a game, made from the part of the deal that it sees.

        Args:
            environment: such as ``go_dig_v0``. seat: whose it is. options: of the game.
            opening: the entries of its first view that are not the same in all deals, such as its
                hand: :func:`opening_of` names them. Cards may stand in any order.
            seed: of what it does not see.

        Raises:
            SnapshotError: an entry is missing or impossible. OptionError, TypeError, ValueError: of
                the others.
        """
        needed, [view, *_] = opening_of(environment, seat, options)
        if not isinstance(opening, Mapping):
            raise TypeError(f"an opening is an object, not {shown_in_message(opening)}")
        for key in (*needed, *opening):
            if key not in opening or key not in needed:
                says = "is missing" if key in needed else "is known without: leave it out"
                raise SnapshotError(
                    f"snapshot key {shown_in_message(key)}: {says}; an opening is such as "
                    f"{json.dumps({name: view[name] for name in needed})}"
                )
        game = load_game(environment)
        first = {**view, **opening}
        with suppress(TypeError, ValueError):  # a malformed entry is told with its name below
            first |= game.derived(first)
        try:
            return cls(first, seat, seed)
        except SnapshotError:
            forms = game.view_schema["properties"]
            ordered = {key: _in_order(entry, forms[key]) for key, entry in opening.items()}
            if ordered == opening:
                raise
            return cls({**first, **ordered}, seat, seed)

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
            SnapshotError: the view is malformed, no position agrees with it, or its options
                are others; then nothing has changed.
        """
        seed = following_seed(self._episode_seed or 0)
        states = self.game.complete(view, self.seat, seed)
        for option in self.game.options:
            if option.decode(states[0][option.name]) != self.options[option.name]:
                raise SnapshotError(
                    f"snapshot key 'options.{option.name}': must be "
                    f"{self.options[option.name]!r}: this is a seat of another game"
                )
        self._remember({"view": dict(view)})
        if self.states["owes"][0][self.seat] and dict(view) != self._seen:
            self._passed.append(self.states.copy())
        self._seen, self._episode_seed = dict(view), seed
        self._take(states)

    def told(self, events: Sequence[Mapping[str, Any] | str]) -> None:
        """Bring the view up to date by what the seat was told since: at a table that gives no
        views.

        Args:
            events: in order, each as :meth:`dig_envs.engine.core.events.Event.to_json` gives it for
                the seat, with or without ``text``: ``{"kind": "asked", "seat": 1, "other": 2,
                "genus": "TRI"}``. All events of an action are told together; what is hidden from
                the seat is null or left out; what people see at the same time, such as fossils
                turned up, has any order. ``{"kind": "action", "seat": 1, "action": "ask +1 TRI"}``
                before them names the action, if several actions give these events. Lines of text
                are read, too: ``asked 2 3 TRI``, or the sentence of the log
                (:mod:`dig_envs.engine.core.lines`).

        Raises:
            EventError: the events do not follow, or some are missing; the message names the first.
            TypeError, ValueError: an event is malformed. Then nothing has changed.
        """
        seed = following_seed(self._episode_seed or 0)
        states, steps, told = follow(self.game, self.states, self.seat, events, seed)
        self._remember({"events": [entry.to_json() for entry in told]})
        own = [place for place, step in enumerate(steps) if step.seat == self.seat]
        if own and self.states["owes"][0][self.seat]:  # as agents were asked about it
            steps[own[0]] = replace(steps[own[0]], before=self.states.copy())
        self._passed += [steps[place].before for place in own]
        self._steps += steps
        self._seen = self.game.to_view(self.game.to_snapshot(states[0]), self.seat)
        self._episode_seed = seed
        self._take(states)

    def possible(self, so_far: Sequence[Mapping[str, Any] | str] = ()) -> Possible:
        """The events that the seat may be told next; rare ones may be missing.

        Args:
            so_far: the first events of an action that is not complete yet.

        Raises:
            TypeError, ValueError: an event is malformed.
        """
        return possible(self.game, self.states, self.seat, so_far, self._episode_seed or 0)

    def back(self, number: int = 1) -> None:
        """Take back what it was told or saw last, ``number`` times.

        Raises:
            ValueError: it was not told so often. TypeError: ``number`` is not an integer.
        """
        check_integer(number, "number", 1, len(self._history))
        before, _ = self._history[-number]
        del self._history[-number:]
        self._seen, self._episode_seed, states, passed, steps, shown, memories = before
        self._passed, self._steps = passed[:], steps[:]
        self._shown_to, self._memories = dict(shown), dict(memories)
        self._take(states)

    def _remember(self, told: Told) -> None:
        kept = self._passed[:], self._steps[:], dict(self._shown_to), dict(self._memories)
        self._history.append(((self._seen, self._episode_seed, self.states.copy(), *kept), told))

    def to_json(self) -> dict[str, Any]:
        """All that the seat has seen and was told, as a JSON-able dict for :meth:`from_json`."""
        first, seed = self._seen, self._episode_seed
        if self._history:
            first, seed = self._history[0][0][:2]
        told = [told for _, told in self._history]
        return {"view": dict(first), "seat": self.seat, "seed": seed, "told": told}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> "Seat":
        """The seat that :meth:`to_json` has saved.

        Raises:
            SnapshotError, EventError, TypeError, ValueError: it is not one; the message says why.
        """
        if not isinstance(saved, Mapping) or saved.keys() != {"view", "seat", "seed", "told"}:
            raise ValueError("a saved seat is an object with exactly view, seat, seed and told")
        if not is_sequence(saved["told"]):
            raise TypeError(f"told must be a list, not {shown_in_message(saved['told'])}")
        seat = cls(saved["view"], check_integer(saved["seat"], "seat", 0), saved["seed"])
        for number, one in enumerate(saved["told"], 1):
            if not isinstance(one, Mapping) or list(one) not in (["view"], ["events"]):
                raise ValueError(f"told {number} must be an object with either view or events")
            if "view" in one:
                seat.saw(one["view"])
            else:
                seat.told(one["events"])
        return seat

    def _take(self, states: Array) -> None:
        self.states[:] = states
        self._begin_log()

    def view(self, agent: str | None = None) -> Snapshot:
        """The view of the seat, as it was given; raises ValueError for another agent."""
        if agent not in (None, self.agent_selection):
            raise ValueError(f"this is {self.agent_selection}: it does not know what {agent} sees")
        return dict(self._seen)

    def snapshot(self) -> Snapshot:
        """The view of the seat; it does not know the complete position."""
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
        """Its legal actions, each with index, text and label in plain English."""
        return self.game.legal_texts(self.states, self.seat)

    def headline(self) -> str:
        """A sentence that says who decides what, or how the game has ended."""
        return headline(self.game, self._seen, self.seat)

    def text(self) -> str:
        """The view as text."""
        return self.game.draw(self._seen)

    def picture(self, theme: str = "light", fonts: bool = True, layout: str = "wide") -> str:
        """The view as SVG (:func:`dig_envs.pictures.picture`); needs the extra ``pictures``."""
        from dig_envs.pictures import picture

        return picture(self.game, self._seen, self.seat, theme, fonts, layout)

    # ------------------------------------------------------------ what to do

    def act(self, agent: Agent) -> int:
        """The action that an agent chooses for this seat.

        Raises:
            ValueError: the seat has no decision to make. TypeError: it is no agent, such as a name.
        """
        player = self._informed(agent)
        action = player.act(self, self.agent_selection)
        if memory_size(player):
            self._shown_to[_memory_key(player)] = len(self._passed) + 1
        return action

    def advise(self, agent: Agent, top: int = 3) -> list[Advice]:
        """The best actions for this seat, each with its chance of winning and a reason
        (:func:`dig_envs.agents.advice.advise`)."""
        return advise(self, self._informed(agent), top)

    def mistakes(self, most: int = 3) -> list[Mistake]:
        """Its largest mistakes (:func:`dig_envs.agents.mistakes.mistakes`), as far as it was told
        events.

        Raises:
            TypeError, ValueError: a wrong ``most``, or it was given views only, which do not tell
                what it has done.
        """
        steps = [(step.before, step.seat, step.action) for step in self._steps]
        made = list(decisions_of(self.game, self.seat, steps))
        if not made and any("view" in told for _, told in self._history):
            raise ValueError("its actions are not known: it was given views, and no events")
        return mistakes_in(self.game, self.seat, made, most)

    def _informed(self, agent: Agent) -> Agent:
        """The player of an agent for these options, with its memory up to date."""
        player = for_options(check_agent(agent, self.game), self.options)
        if memory_size(player):
            self._catch_up(player)
        return player

    def _catch_up(self, player: Agent) -> None:
        """Show an agent with a memory the decisions since it was asked last, as in a game in which
        it decides each time."""
        now, key = self.states.copy(), _memory_key(player)
        try:
            for states in self._passed[self._shown_to.get(key, 0) :]:
                self.states[:] = states
                player.act(self, self.agent_selection)
        finally:
            self.states[:] = now
        self._shown_to[key] = max(self._shown_to.get(key, 0), len(self._passed))
