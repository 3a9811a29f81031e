"""Asking agents for a decision in a position that somebody else keeps, with bounds on who is asked
and for how long."""

import threading
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

import msgspec
import numpy as np

from dig_envs.agents.advice import advise_on
from dig_envs.agents.careless import scripted_settings
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import ANY_GAME, LEVELS, PLUS_SEARCH, searches
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.agents.search import Progress, SearchAgent, SearchSettings, parse_settings
from dig_envs.agents.search_settings import given_settings
from dig_envs.agents.zoo import policies_of, zoo_name
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.engine.core.words import NO_NAMES, Names
from dig_envs.engine.game import Array, Game, deciding
from dig_envs.server.protocol.answers import Advice, Advised, Chosen, Searched, Statistics
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.protocol.positions import asked, check_seat, decide

SCRIPTED = "heuristic"
BOUNDED = ("sims", "ms", "threads")  # settings of a search
LONGEST_NAME = 200
NAMES_KEPT = 256  # names that were checked and accepted
AGENTS_KEPT = 8  # of those that were asked last; a search has some MB of memory


class AgentError(DigEnvsError, ValueError):
    """An agent that may not be asked over the protocol, or a setting of one that is wrong."""


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The budget of an agent that searches: simulations or milliseconds, one of them."""

    sims: int | None = None
    ms: int | None = None


# ---------------------------------------------------------------- who may be asked


def agents_of(game: Game) -> list[str]:
    """The names of all agents of a game that may be asked, with no other settings than the styles
    of the scripted player."""
    styled = [f"{SCRIPTED}:style={style}" for style in game.styles]
    return [*ANY_GAME, *game.players, *policies_of(game), *styled]


@lru_cache(maxsize=NAMES_KEPT)
def permitted_agent(spec: str, game: Game, limits: Limits) -> str:
    """The name of an agent in the form in which :func:`~dig_envs.agents.loading.load_agent` takes
    it, if it may be asked.

    A name from outside never becomes a path or a program: it is one of those that :func:`agents_of`
    lists, with the settings of a search or of the scripted player, ``:careless=`` of a player that
    only this game has, or ``:sample`` of a policy after it, or ``+search`` and the settings of a
    search that it guides; or it is one of the language models that ``limits`` name.

    Raises:
        AgentError: it is none of these; the message lists them.
        LimitError: the search that it names is too long.
    """
    if spec in limits.models:
        return spec
    named, _, setting = spec.partition(":")
    name = named.removesuffix(PLUS_SEARCH)
    known = agents_of(game)
    chosen = next(
        (own for own in (without_game(name, game), zoo_name(name, game)) if own in known), None
    )
    if len(spec) > LONGEST_NAME or chosen is None:
        raise AgentError(
            f"no agent {shown_in_message(spec)} for {game.env_name}; there are {', '.join(known)}"
        )
    if name != named:
        if chosen in ("random", SCRIPTED, "search", *LEVELS, *game.players):
            raise AgentError(f"agent {chosen} cannot guide a search")
        check_search(setting, game, limits)
        return f"{chosen}{PLUS_SEARCH}:{setting}"
    if chosen == "search":
        check_search(setting, game, limits)
    elif chosen == SCRIPTED or chosen in game.players:
        try:
            scripted_settings(setting, chosen, game)
        except ValueError as error:
            raise AgentError(str(error)) from None
    elif setting and (chosen in ANY_GAME or setting != "sample"):
        raise AgentError(f"agent {chosen} has no setting {shown_in_message(setting)}")
    return f"{chosen}:{setting}" if setting else chosen


def without_game(name: str, game: Game) -> str:
    """The name of an agent as :func:`agents_of` lists it, if it was given with the game."""
    own, slash, kind = name.partition("/")
    return (
        kind
        if slash and own in (game.name, game.env_name) and kind in (*ANY_GAME, *game.players)
        else name
    )


def check_search(setting: str, game: Game, limits: Limits) -> SearchSettings:
    """The settings of a search; raises AgentError or LimitError unless it is bounded and has no
    guide but one of the zoo."""
    try:
        settings = parse_settings(setting, game)
    except ValueError as error:
        bounds = ", ".join(f"{what}={getattr(limits, what)}" for what in BOUNDED)
        raise AgentError(f"{error}; a search has at most {bounds} here") from None
    guide = settings.guide and zoo_name(settings.guide, game)
    if "guide" in given_settings(setting) and settings.guide and guide is None:
        raise AgentError(f"search: no guide {shown_in_message(settings.guide)} for {game.env_name}")
    for what in BOUNDED:
        most, given = getattr(limits, what), getattr(settings, what)
        if given > most and not (what == "sims" and settings.ms):
            raise LimitError(f"a search has at most {what}={most} here, not {given}")
    return settings


def with_budget(name: str, budget: Budget | None, game: Game, limits: Limits) -> str:
    """The name of an agent with the budget in the place of one in its name; agents that do not
    search need none.

    A search without a budget has the usual simulations, as far as the limits allow.

    Raises:
        AgentError: neither simulations nor milliseconds, or both, or less than one.
    """
    if budget is not None:
        if (budget.sims is None) == (budget.ms is None):
            raise AgentError("a budget has either sims or ms")
        what = "ms" if budget.sims is None else "sims"
        number = int(getattr(budget, what))
        if number < 1:
            raise AgentError(f"budget.{what} is from 1 to {getattr(limits, what)}, not {number}")
    if not searches(name):
        return name
    kind, _, setting = name.partition(":")
    parts = [part for part in setting.split(":") if part]
    spent = [part for part in parts if part.startswith(("sims=", "ms=")) or part.endswith("ms")]
    if budget is not None:
        own = [f"{what}={number}"]
    else:
        own = spent or [f"sims={min(limits.sims, SearchSettings().sims)}"]
    return ":".join([kind, *own, *(part for part in parts if part not in spent)])


# ---------------------------------------------------------------- asking


def choose(
    game: Game,
    states: Array,
    seat: int | None,
    agent: str,
    budget: Budget | None,
    seed: int | None,
    limits: Limits,
    progress: Progress | None = None,
    memory: str | None = None,
) -> Chosen:
    """Ask an agent what it would play for a seat in a position.

    Args:
        game: the game. states: record array of length 1, which stays as it is.
        seat: that is to decide; None: the first of those.
        agent: its name. budget: of a search. seed: of an agent that draws at random.
        limits: on who is asked and for how long.
        progress: called now and then while a search goes on, with how much of its time has passed;
            what it raises ends the search.
        memory: what an agent that has a memory remembered after its last decision for the seat;
            empty at its first one.

    Raises:
        AgentError, LimitError: as :func:`permitted_agent`. PolicyMismatchError: a policy for other
            numbers of players.
        ValueError: the seat is not to decide.
    """
    spec = permitted_agent(with_budget(agent, budget, game, limits), game, limits)
    who, player = mover(states, seat), _player(spec, game, states, seed)
    size, before = _memory(memory, player, spec, limits)
    chosen, after = ask(game, player, states, who, limits.ms / 1000, progress, before)
    if size:
        chosen["memory"] = b64encode(after).decode()
    return chosen


def mover(states: Array, seat: int | None) -> int:
    """A seat that is to decide, by default the first; raises ValueError where it is not."""
    seats = deciding(states)
    who = next(iter(seats), -1) if seat is None else check_seat(states, seat)
    if who not in seats:
        raise ValueError(
            f"seat {who} has no decision to make now"
            if seats
            else "the game is over: nobody is to decide"
        )
    return who


def ask(
    game: Game,
    agent: Agent,
    states: Array,
    seat: int,
    most_seconds: float,
    progress: Progress | None,
    memory: bytes,
) -> tuple[Chosen, bytes]:
    """The choice of a loaded agent for a seat that is to decide, and what it remembers then; other
    arguments as for :func:`choose`."""
    player = for_options(agent, game.options_of(states))
    statistics, after = None, b""
    if isinstance(player, SearchAgent):
        action, statistics = _search(player, game, states, seat, most_seconds, progress)
    else:
        action, after = decide(game, player, states, seat, memory)
    return {
        "seat": seat,
        "action": action,
        "text": game.actions[action],
        "agent": getattr(player, "full_name", player.name),
        "statistics": statistics,
        "memory": None,
    }, after


def advise(
    game: Game,
    states: Array,
    seat: int | None,
    agent: str,
    budget: Budget | None,
    seed: int | None,
    limits: Limits,
    progress: Progress | None = None,
    memory: str | None = None,
    top: int = 3,
    kept: Mapping[str, bytes] | None = None,
    names: Names = NO_NAMES,
) -> Advised:
    """Ask an agent for the best actions of a seat in a position, at most ``top``, with chances and
    reasons.

    ``kept``: what the server keeps of an agent's memory, by its name, for one without ``memory``;
    ``names``: of the seats. The other arguments, and what is raised, as for :func:`choose`.
    """
    spec = permitted_agent(with_budget(agent, budget, game, limits), game, limits)
    who, player = mover(states, seat), _player(spec, game, states, seed)
    size, before = _memory(memory, player, spec, limits, (kept or {}).get(spec))
    question = asked(game, player, states, who, before)
    labels = {one["action"]: one["label"] for one in game.legal_texts(states, who, names)}
    seconds = limits.ms / 1000
    found = advise_on(game, player, question, top, names, progress, most_seconds=seconds)
    return {
        "seat": who,
        "agent": getattr(player, "full_name", player.name),
        "moves": [cast("Advice", {**one.to_json(), "label": labels[one.action]}) for one in found],
        "memory": b64encode(question.memory.tobytes()).decode() if size else None,
    }


def _player(spec: str, game: Game, states: Array, seed: int | None) -> Agent:
    """The agent of a name that is permitted, for the options of a position."""
    agent = kept_agent(spec, game) if seed is None else load_agent(spec, game.env_name, seed)
    return for_options(agent, game.options_of(states))


def _memory(
    text: str | None, player: Agent, spec: str, limits: Limits, kept: bytes | None = None
) -> tuple[int, bytes]:
    """How many numbers an agent remembers between calls, and these, from the text of the last
    answer, or else as they are kept.

    Raises:
        AgentError: there is none, though without it the agent would play worse than at random; or
            the text is not a memory of this agent.
    """
    size = 0 if spec in limits.models else memory_size(player)
    if text is None and kept is not None:
        return size, kept
    if text is None and size:
        raise AgentError(
            f"agent {spec} plays from memory: give `memory`, an empty text at its first decision "
            "for the seat, and later that of its last answer"
        )
    if not text:
        return size, b""
    if not size:
        raise AgentError(f"agent {spec} has no memory: leave `memory` out")
    try:
        numbers = np.frombuffer(b64decode(text, validate=True), np.float32)
    except ValueError:
        numbers = np.zeros(0, np.float32)
    if numbers.size != size or not np.isfinite(numbers).all():
        raise AgentError(f"memory is not that of agent {spec}: give that of its last answer")
    return size, numbers.tobytes()


def kept_agent(spec: str, game: Game) -> Agent:
    """An agent of this thread, since one agent serves one thread."""
    return _kept_agent(threading.get_ident(), spec, game)


@lru_cache(maxsize=AGENTS_KEPT)
def _kept_agent(thread: int, spec: str, game: Game) -> Agent:
    return load_agent(spec, game.env_name)


def _search(
    player: SearchAgent,
    game: Game,
    states: Array,
    seat: int,
    most_seconds: float,
    progress: Progress | None,
) -> tuple[int, Statistics]:
    """The action that a search finds, and its statistics: the most visited action first."""
    found = player.search(states, seat, progress=progress, most_seconds=most_seconds)
    tried = sorted(
        np.flatnonzero(found.visits).tolist(), key=lambda action: -int(found.visits[action])
    )
    moves: list[Searched] = [
        {
            "action": action,
            "text": game.actions[action],
            "visits": int(found.visits[action]),
            "value": round(float(found.values[action]), 6),
        }
        for action in tried
    ]
    return found.action, {"simulations": found.simulations, "nodes": found.nodes, "moves": moves}
