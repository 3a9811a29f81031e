"""The program of a process that thinks and draws: it gets one task at a time through a pipe,
and answers."""

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from dig_envs.adapters.warmup import warm_up_steps
from dig_envs.agents.advice import Advice, advise_on
from dig_envs.agents.loading import check_num_players, load_agent, load_opponent
from dig_envs.agents.memory import remembered
from dig_envs.agents.mistakes import Mistake, mistakes
from dig_envs.agents.protocol import for_options
from dig_envs.engine.core.errors import DigEnvsError, ForfeitError
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.state import as_records
from dig_envs.engine.core.words import NO_NAMES, Names, Viewer, named
from dig_envs.engine.event_log import ALL, EventLog
from dig_envs.engine.game import Array, Game
from dig_envs.pictures import picture, touched
from dig_envs.server.course import Moment
from dig_envs.server.protocol.positions import asked, decide
from dig_envs.text.telling import reveals, view_of

MOST_AGENTS = 4  # kept loaded in a process: a search has a large tree
# of the steps of warming up: what every table needs
NEEDED = ("environment", "events", "scripted player", "grave actions")
SEARCH, ADVICE = "search", "advice"
Agents = OrderedDict[tuple[Game, str], Any]


@dataclass(frozen=True)
class Think:
    """The task to decide for a seat. ``state``: the record of the position; ``memory``: what the
    agent remembers, float32 bytes.

    ``before``, ``played``: for an agent that takes events, the record of the position before its
    last decision, and the seats and actions since, in the order in which they were carried out.
    """

    game: Game
    agent: str
    state: bytes
    seat: int
    memory: bytes = b""
    before: bytes = b""
    played: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Decision:
    """The answer to :class:`Think`: an action, and what the agent then remembers."""

    action: int
    memory: bytes = b""


@dataclass(frozen=True)
class Advise:
    """The task to give ``top`` pieces of advice on what an agent is asked.

    ``names``: of the seats; ``also``: an action that is judged, too. ``first``, ``moves``: the
    record of the first position and all that was carried out since, for an agent that remembers, as
    if it had sat there all the time.
    """

    think: Think
    top: int
    names: Names = NO_NAMES
    also: int | None = None
    first: bytes = b""
    moves: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Draw:
    """The task to tell and draw what ``seat`` (None: a spectator) may see of a position, for whom
    some actions are ``legal``.

    ``state``: the record of the position; ``theme``, ``layout``: of the picture, the theme empty
    for none; ``names``: of the seats; ``open``: whether all is shown.
    """

    game: Game
    state: bytes
    seat: int | None
    theme: str
    legal: tuple[int, ...] = ()
    names: Names = NO_NAMES
    open: bool = False
    layout: str = "wide"


@dataclass(frozen=True)
class Drawing:
    """The answer to :class:`Draw`: the view, the position in words, SVG without its fonts (empty if
    it cannot be drawn or is not wanted), and for each legal action the names of the things in it
    that it belongs to, its words, and what is to be asked before it."""

    view: Mapping[str, Any]
    text: str
    svg: str
    things: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """The task to find out whether an action, which ``seat`` has played in a position, has shown it
    something new."""

    game: Game
    state: bytes
    seat: int
    action: int


@dataclass(frozen=True)
class Replay:
    """The task to play moves of a finished game again. ``state``: the record of a position before
    them in which no choice is waiting for others; ``moves``: seats and actions, in the order in
    which they came in; ``viewer``: who could see its part of the position afterwards."""

    game: Game
    state: bytes
    moves: tuple[tuple[int, int], ...]
    viewer: Viewer
    names: Names = NO_NAMES


@dataclass(frozen=True)
class Replayed:
    """The answer to :class:`Replay`: the record of the position, and the last move in words, hidden
    ones included (empty if there was none)."""

    state: bytes
    done: str


@dataclass(frozen=True)
class Prepare:
    """The task to compile a game, with its search and what advice needs if asked, and to see
    whether agents can play it."""

    game: Game
    num_players: int
    agents: tuple[str, ...]
    search: bool
    advice: bool = False


@dataclass(frozen=True)
class LookBack:
    """The task to find the largest mistakes of a seat in a game. ``state``: the record of its first
    position; ``moves``: seats and actions in the order in which they were carried out."""

    game: Game
    state: bytes
    moves: tuple[tuple[int, int], ...]
    seat: int
    names: Names = NO_NAMES


Task = Think | Advise | Draw | Look | LookBack | Replay | Prepare
Answer = Decision | list[Advice] | list[Mistake] | Drawing | Replayed | bool | None


def serve_tasks(pipe: Connection, patience: int = 0) -> None:
    """Answer what comes through the pipe, until its other end is closed. ``patience``: how much
    lower the priority is made.

    The answer is a :class:`Decision`, a list of advice or mistakes, a :class:`Drawing`, a
    :class:`Replayed`, a bool for a :class:`Look`, None for a :class:`Prepare`, or an exception that
    says what was wrong.
    """
    if patience and hasattr(os, "nice"):
        os.nice(patience)
    agents: Agents = OrderedDict()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        answer: Answer | Exception
        try:
            answer = carry_out(task, agents)
        except ForfeitError as error:
            answer = error
        except (DigEnvsError, ValueError) as error:
            answer = ValueError(str(error))
        except Exception as error:  # the server says so and goes on
            answer = RuntimeError(f"{type(error).__name__}: {error}")
        try:
            pipe.send(answer)
        except OSError:
            return


def carry_out(task: Task, agents: Agents) -> Answer:
    """The answer to a task. ``agents``: those that were used last, which stay loaded."""
    if isinstance(task, Think):
        return think(task, agents)
    if isinstance(task, Advise):
        return advise(task, agents)
    if isinstance(task, Draw):
        return draw(task)
    if isinstance(task, Look):
        return reveals(task.game, position(task.game, task.state), task.seat, task.action)
    if isinstance(task, LookBack):
        return look_back(task)
    if isinstance(task, Replay):
        return replay(task)
    prepare(task)
    return None


def prepare(task: Prepare) -> None:
    """Compile what is not compiled yet; raises ValueError for an agent that cannot play."""
    for step, run in warm_up_steps(task.game):
        if step in NEEDED or (task.search and step == SEARCH) or (task.advice and step == ADVICE):
            run()
    for name in task.agents:
        check_num_players([load_agent(name, task.game.env_name)], task.num_players)


def position(game: Game, state: bytes) -> Array:
    """The record array of length 1 of a record."""
    return as_records(np.frombuffer(state, game.state).copy())


def replay(task: Replay) -> Replayed:
    """Play moves of a finished game again."""
    game, first = task.game, position(task.game, task.state)
    moment, done = Moment(first, first), ""
    for number, (seat, action) in enumerate(task.moves, 1):
        if number == len(task.moves):
            before = view_of(game, moment.world(game, seat), seat)
            done = f"{task.names.of(seat)}: {game.label(before, action, seat, names=task.names)}"
        moment.play(game, seat, action)
    viewer = task.viewer
    states = moment.base if viewer is None or viewer == ALL else moment.world(game, viewer)
    return Replayed(states.tobytes(), done)


def draw(task: Draw) -> Drawing:
    """Tell and draw what may be seen of a position; without a picture if that fails, for the game
    goes on without it."""
    game, seat = task.game, task.seat
    states = position(game, task.state)
    view = view_of(game, states, ALL if task.open else seat)
    asked = game.warnings_of(states, seat) if seat is not None and task.legal else []
    warnings = tuple(asked[action] for action in task.legal)
    with named(task.names):
        text, nothing = game.draw(view), ((),) * len(task.legal)
        labels = tuple(
            game.label(view, action, seat or 0, seat, task.names) for action in task.legal
        )
        if not task.theme:
            return Drawing(view, text, "", nothing, labels, warnings)
        try:
            svg = picture(game, view, seat, task.theme, fonts=False, layout=task.layout)
            things = tuple(touched(game, view, seat, action) for action in task.legal)
            return Drawing(view, text, svg, things, labels, warnings)
        except (DigEnvsError, ValueError, RuntimeError):
            return Drawing(view, text, "", nothing, labels, warnings)


def told(task: Think) -> list[Event]:
    """The events that the seat of a task was told since its last decision, that decision first."""
    log = EventLog(task.game, position(task.game, task.before))
    for seat, action in task.played:
        log.play(seat, action)
    return log.since(task.seat)


def think(task: Think, agents: Agents) -> Decision:
    player, states = _player(task, agents)
    events = told(task) if task.before else None
    return Decision(*decide(task.game, player, states, task.seat, task.memory, events))


def advise(task: Advise, agents: Agents) -> list[Advice]:
    question = task.think
    player, states = _player(question, agents)
    events = told(question) if question.before else None
    if task.first and hasattr(player, "notice"):
        first = position(question.game, task.first)
        memory = remembered(player, question.game, first, task.moves, question.seat)
        question = replace(question, memory=memory.tobytes())
    decision = asked(question.game, player, states, question.seat, question.memory, events)
    return advise_on(question.game, player, decision, task.top, task.names, also=task.also)


def look_back(task: LookBack) -> list[Mistake]:
    log = EventLog(task.game, position(task.game, task.state))
    for seat, action in task.moves:
        log.play(seat, action)
    return mistakes(log, task.seat, names=task.names)


def _player(task: Think, agents: Agents) -> tuple[Any, Array]:
    """The agent of a task, which stays loaded, and the position."""
    key = (task.game, task.agent)
    agent = agents.pop(key, None) or load_opponent(task.agent, task.game)
    agents[key] = agent
    while len(agents) > MOST_AGENTS:
        agents.popitem(last=False)
    states = position(task.game, task.state)
    return for_options(agent, task.game.options_of(states)), states
