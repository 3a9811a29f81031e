"""A user's own object as an agent: the one check of agents that are given as objects
(:func:`check_agent`), and of the actions that they choose."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame, plays_another_game
from dig_envs.agents.protocol import Agent, traits
from dig_envs.engine.core.checks import check_array, illegal_action, shown_in_message
from dig_envs.engine.core.texts import clean_text
from dig_envs.engine.game import Array, Game

METHOD = "act_batch(observation, action_mask, states=None, seats=None)"
LONGEST_NAME = 60  # characters


def check_agent(agent: Any, game: Game) -> Agent:
    """The agent that plays for an object: itself, if it is one of this package, else one
    that checks what it chooses.

    Args:
        agent: from :func:`dig_envs.load_agent`, or any object with a method ``act_batch``. Its
            attributes may be those of :class:`~dig_envs.agents.protocol.Traits`.
        game: that it is to play.

    Raises:
        TypeError: it is no agent, such as a name or a class, or its method takes other arguments.
            PolicyMismatchError: it plays another game.
    """
    check_is_agent(agent)
    plays = traits(agent).game
    if plays is not None and plays is not game:
        raise plays_another_game(name_of(agent), plays, game.env_name)
    return agent if isinstance(agent, OneGame) else OwnAgent(agent, game)


def check_is_agent(agent: Any) -> None:
    """Raise TypeError for what is no agent, such as a name or a class."""
    acts = callable(getattr(agent, "act_batch", None))
    if acts and not isinstance(agent, type):
        return
    advice = ""
    if acts:
        advice = f"; give an instance: {agent.__name__}()"
    elif isinstance(agent, str):
        advice = f"; load it: load_agent({shown_in_message(agent)}, …)"
    elif not isinstance(agent, type) and callable(getattr(agent, "act", None)):
        advice = "; one that has only act(env) plays in dig_envs.arena.run"
    raise TypeError(
        "an agent is what load_agent returns, or an object with a method "
        f"{METHOD}, not {shown_in_message(agent)}{advice}"
    )


def name_of(own: Any) -> str:
    """The name of an object: its attribute ``name``, as one short line, or its class."""
    kind = type(own).__name__
    return clean_text(str(getattr(own, "name", kind)), LONGEST_NAME) or kind


class OwnAgent(OneGame):
    """An object with a method ``act_batch`` as an agent. What it chooses is checked."""

    needs_positions = False

    def __init__(self, own: Any, game: Game) -> None:
        self.game: Game = game
        self.own = own
        self.name = name_of(own)
        known = traits(own)
        self.memory_size, self.takes_events = known.memory_size, known.takes_events
        self.may_forfeit = known.may_forfeit
        more = {"events": None} if self.takes_events else {}
        self._number = _number_of_arrays(own.act_batch, int(self.memory_size > 0), more, self.name)

    @property
    def usage(self) -> Mapping[str, int]:
        """What the object says that it has used so far."""
        return traits(self.own).usage

    def check_num_players(self, counts: Any) -> None:
        """Ask the object whether it plays with so many players, if it can say that."""
        if hasattr(self.own, "check_num_players"):
            self.own.check_num_players(counts)

    def choose(self, decisions: Decisions) -> Array:
        """The object's actions, int64 (n,).

        Raises:
            TypeError: they are no integers. ValueError: there is not one for each decision.
            IllegalActionError: one is not legal.
        """
        given = list(decisions[: self._number])
        if self.memory_size:
            given.append(decisions.memory)
        more = {"events": decisions.events} if self.takes_events else {}
        return check_choices(
            self.own.act_batch(*given, **more), decisions.action_mask, self.name, self.game
        )


def check_choices(chosen: Any, action_mask: Array, who: str, game: Game) -> Array:
    """The actions that an agent chose, int64 (n,).

    Raises:
        TypeError: they are no integers. ValueError: there is not one for each decision.
        IllegalActionError: one is not legal; the message names it and those that are.
    """
    what = f"the actions of agent {who} in {game.env_name}"
    words = "integers, such as action_mask.argmax(axis=1)"
    actions = check_array(chosen, what, "iu", words, (len(action_mask),))
    possible = (actions >= 0) & (actions < action_mask.shape[1])
    at = np.where(possible, actions, 0).astype(np.int64)
    legal = possible & (action_mask[np.arange(len(at)), at] != 0)
    if not legal.all():
        row = int(legal.argmin())
        raise illegal_action(int(actions[row]), action_mask[row], game.actions, f"agent {who}")
    return at


def _number_of_arrays(method: Any, memory: int, more: Mapping[str, Any], who: str) -> int:
    """How many arrays a method takes before its memory: 4, or 2, if it takes no more; raises
    TypeError if neither."""
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # of compiled code
        return 4
    for number in (4, 2):
        try:
            signature.bind(*[None] * (number + memory), **more)
        except TypeError:
            continue
        return number
    also = ", ".join(["memory"] * memory + list(more))
    raise TypeError(
        f"agent {who} has act_batch{clean_text(str(signature), 200)}; it is called with "
        "(observation, action_mask, states, seats) or (observation, action_mask), in this order "
        f"and without names{f', and then {also}' if also else ''}"
    )
