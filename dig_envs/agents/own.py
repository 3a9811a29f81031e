"""A user's own object as an agent: the one check of agents that are given as objects
(:func:`check_agent`), and of the actions that they choose."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame, plays_another_game
from dig_envs.agents.protocol import Agent, traits
from dig_envs.engine.core.checks import check_array, illegal_action, shown_in_message
from dig_envs.engine.game import Array, Game

METHOD = "act_batch(observation, action_mask, states=None, seats=None)"


def check_agent(agent: Any, game: Game) -> Agent:
    """Return the agent that plays for an object: itself, if it is one of this package, else one
    that checks what it chooses.

    Args:
        agent: from :func:`dig_envs.load_agent`, or any object with a method ``act_batch``. Its
            attributes may be those of :class:`~dig_envs.agents.protocol.Traits`.
        game: that it is to play.

    Raises:
        TypeError: it is no agent, such as a name or a class. PolicyMismatchError: it plays another
            game.
    """
    check_is_agent(agent)
    plays = traits(agent).game
    if plays is not None and plays is not game:
        raise plays_another_game(str(getattr(agent, "name", agent)), plays, game.env_name)
    return agent if isinstance(agent, OneGame) else OwnAgent(agent, game)


def check_is_agent(agent: Any) -> None:
    """Raise TypeError for what is no agent, such as a name or a class."""
    if isinstance(agent, type) or not callable(getattr(agent, "act_batch", None)):
        raise TypeError(
            "an agent is what load_agent returns, or an object with a method "
            f"{METHOD}, not {shown_in_message(agent)}"
        )


class OwnAgent(OneGame):
    """An object with a method ``act_batch`` as an agent. What it chooses is checked."""

    needs_positions = False

    def __init__(self, own: Any, game: Game) -> None:
        self.game: Game = game
        self.own = own
        self.name = str(getattr(own, "name", type(own).__name__))
        known = traits(own)
        self.memory_size, self.takes_events = known.memory_size, known.takes_events
        self.may_forfeit = known.may_forfeit
        self._few = _takes_two(own.act_batch)

    @property
    def usage(self) -> Mapping[str, int]:
        """What the object says that it has used so far."""
        return traits(self.own).usage

    def check_num_players(self, counts: Any) -> None:
        """Ask the object whether it plays with so many players, if it can say that."""
        if hasattr(self.own, "check_num_players"):
            self.own.check_num_players(counts)

    def choose(self, decisions: Decisions) -> Array:
        """Return the object's actions, int64 (n,).

        Raises:
            TypeError: they are no integers. ValueError: there is not one for each decision.
            IllegalActionError: one is not legal.
        """
        given = list(decisions[: 2 if self._few else 4])
        if self.memory_size:
            given.append(decisions.memory)
        more = {"events": decisions.events} if self.takes_events else {}
        return check_choices(
            self.own.act_batch(*given, **more), decisions.action_mask, self.name, self.game
        )


def check_choices(chosen: Any, action_mask: Array, who: str, game: Game) -> Array:
    """Return the actions that an agent chose, int64 (n,).

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


def _takes_two(method: Any) -> bool:
    """Return whether a method takes two arguments and no more."""
    try:
        signature = inspect.signature(method)
        signature.bind(None, None)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(None, None, None, None)
    except TypeError:
        return True
    return False
