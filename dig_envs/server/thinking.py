"""What a process that thinks or draws does: it is asked for one thing at a time through a pipe, says how far it is, answers."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from dig_envs.agents.loading import check_num_players, load_agent
from dig_envs.agents.search import SearchAgent
from dig_envs.engine.errors import DigEnvsError
from dig_envs.engine.state import as_records
from dig_envs.registry import load_game
from dig_envs.server.held import decide
from dig_envs.server.pictured import Pictured, Sight, pictured
from dig_envs.warmup import warm_up_steps

MOST_AGENTS = 4  # kept loaded in a process: a search has a large tree
NEEDED = ("environment", "scripted player")  # of what can be compiled: what every table needs
SEARCH = "search"
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Thought:
    """What is to be thought about.

    ``agent``: a name for :func:`dig_envs.load_agent`. ``state``: the record of a position, as bytes, in which ``seat`` owes a
    decision; ``memory``: what the agent remembers, float32 bytes.
    """

    env: str
    agent: str
    state: bytes
    seat: int
    memory: bytes = b""


@dataclass(frozen=True)
class Decision:
    """What an agent has decided: an action, and what it remembers.

    ``visits``, ``values``: of a search, by the actions that it looked at; ``simulations``: how many it made.
    """

    action: int
    memory: bytes = b""
    visits: tuple[tuple[int, int, float], ...] = ()  # action, visits, value
    simulations: int = 0


@dataclass(frozen=True)
class Preparation:
    """Have a game's compiled code on the disk, with that of the search if asked, and see whether agents can play it."""

    env: str
    num_players: int
    agents: tuple[str, ...]
    search: bool


Asked = Thought | Preparation | Sight
Answer = Decision | Pictured | None


def serve_thoughts(pipe: Connection) -> None:
    """Answer what comes through the pipe, until its other end is closed.

    The answers are any number of floats from 0 to 1, how much of it is done, and then a :class:`Decision` to a :class:`Thought`, a
    :class:`Pictured` to a :class:`Sight` and None to a :class:`Preparation`, or an exception that says what was wrong.
    """
    agents: OrderedDict[tuple[str, str], Any] = OrderedDict()
    while True:
        try:
            asked = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        answer: Answer | Exception = None
        try:
            if isinstance(asked, Preparation):
                prepare(asked)
            elif isinstance(asked, Sight):
                answer = pictured(asked)
            else:
                answer = think(asked, agents, pipe.send)
        except (DigEnvsError, ValueError) as error:
            answer = ValueError(str(error))
        except Exception as error:  # the server says so and goes on
            answer = RuntimeError(f"{type(error).__name__}: {error}")
        try:
            pipe.send(answer)
        except OSError:
            return


def prepare(asked: Preparation) -> None:
    """Compile what is not compiled yet; raises ValueError for an agent that cannot play."""
    for what, run in warm_up_steps(asked.env):
        if what in NEEDED or (asked.search and what == SEARCH):
            run()
    for name in asked.agents:
        check_num_players([load_agent(name, asked.env)], asked.num_players)


def think(thought: Thought, agents: OrderedDict[tuple[str, str], Any], progress: Progress) -> Decision:
    """Let an agent decide; those that were used last stay loaded."""
    game = load_game(thought.env)
    key = (thought.env, thought.agent)
    agent = agents.pop(key, None) or load_agent(thought.agent, thought.env)
    agents[key] = agent
    while len(agents) > MOST_AGENTS:
        agents.popitem(last=False)
    states = as_records(np.frombuffer(thought.state, game.state).copy())
    if isinstance(agent, SearchAgent):
        return _searched(agent, states, thought.seat, progress)
    return Decision(*decide(game, agent, states, thought.seat, thought.memory))


def _searched(agent: SearchAgent, states: Any, seat: int, progress: Progress) -> Decision:
    found = agent.search(states, seat, progress=progress)
    visited = np.flatnonzero(found.visits)
    return Decision(
        found.action,
        visits=tuple((int(action), int(found.visits[action]), float(found.values[action])) for action in visited),
        simulations=found.simulations,
    )
