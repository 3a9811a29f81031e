"""What an agent would play in a position that somebody else keeps, with bounds on who is asked and for how long."""

import threading
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from dig_envs.agents.loading import PLUS_SEARCH, load_agent, zoo_name, zoo_policies
from dig_envs.agents.search import SearchAgent, SearchSettings, parse_settings
from dig_envs.engine.checks import shown_in_message
from dig_envs.engine.errors import DigEnvsError
from dig_envs.engine.game import Array, Game
from dig_envs.server.held import check_seat, decide, owing
from dig_envs.server.limits import LimitError, Limits

PLAIN = ("random", "heuristic", "search", "best")
LONGEST_NAME = 200
NAMES_KEPT = 256  # that were found good
AGENTS_KEPT = 8  # of those that were asked last; a search has some MB of memory


class AgentError(DigEnvsError, ValueError):
    """An agent that may not be asked over the protocol, or a setting of one that is wrong."""


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long an agent that searches may think: simulations or milliseconds, one of them."""

    sims: int | None = None
    ms: int | None = None


# ---------------------------------------------------------------- who may be asked


def agents_of(game: Game, limits: Limits) -> list[str]:
    """The names of all agents of a game that may be asked."""
    own = [name for name in zoo_policies() if name.partition("/")[0] == game.name]
    return [name for name in (*PLAIN, *game.players, *own) if limits.agents is None or name in limits.agents]


@lru_cache(maxsize=NAMES_KEPT)
def permitted_agent(spec: str, game: Game, limits: Limits) -> str:
    """The name of an agent in the form in which :func:`~dig_envs.agents.loading.load_agent` takes it, if it may be asked.

    A name from outside never becomes a path or a program: it is one of those that :func:`agents_of` lists, with the settings of a
    search or ``:sample`` of a policy after it, or ``+search`` and the settings of a search that it guides.

    Raises:
        AgentError: it is none of these; the message lists them.
        LimitError: the search that it names is too long.
    """
    named, _, setting = spec.partition(":")
    name = named.removesuffix(PLUS_SEARCH)
    known = agents_of(game, limits)
    chosen = next((own for own in (_without_game(name, game), zoo_name(name, game.env_name)) if own in known), None)
    if len(spec) > LONGEST_NAME or chosen is None:
        raise AgentError(f"no agent {shown_in_message(spec)} for {game.env_name}; there are {', '.join(known)}")
    if name != named:
        if chosen in ("random", "heuristic", "search", *game.players):
            raise AgentError(f"agent {chosen} cannot guide a search")
        check_search(setting, game, limits)
        return f"{chosen}{PLUS_SEARCH}:{setting}"
    if chosen == "search":
        check_search(setting, game, limits)
    elif setting and (chosen in (*PLAIN, *game.players) or setting != "sample"):
        raise AgentError(f"agent {chosen} has no setting {shown_in_message(setting)}")
    return f"{chosen}:{setting}" if setting else chosen


def _without_game(name: str, game: Game) -> str:
    own, slash, kind = name.partition("/")
    return kind if slash and own in (game.name, game.env_name) and kind in (*PLAIN, *game.players) else name


def check_search(setting: str, game: Game, limits: Limits) -> SearchSettings:
    """The settings of a search; raises AgentError or LimitError unless it is bounded and has no guide but one of the zoo."""
    try:
        settings = parse_settings(setting, game)
    except ValueError as error:
        raise AgentError(str(error)) from None
    guide = settings.guide and zoo_name(settings.guide, game.env_name)
    if settings.guide and (guide is None or (limits.agents is not None and guide not in limits.agents)):
        raise AgentError(f"search: no guide {shown_in_message(settings.guide)} for {game.env_name}")
    for what in ("sims", "ms", "threads"):
        most, given = getattr(limits, what), getattr(settings, what)
        if given > most and not (what == "sims" and settings.ms):
            raise LimitError(f"a search has at most {what}={most} here, not {given}")
    return settings


def searches(name: str) -> bool:
    """Whether an agent searches, by its name."""
    kind = name.partition(":")[0]
    return kind.rpartition("/")[2] == "search" or kind.endswith(PLUS_SEARCH)


def with_budget(name: str, budget: Budget | None, game: Game, limits: Limits) -> str:
    """The name of an agent that keeps to a budget, in the place of one in its name; agents that do not search need none.

    A search without any has the usual simulations, as far as the limits allow.

    Raises:
        AgentError: neither simulations nor milliseconds, or both.
    """
    if budget is not None and (budget.sims is None) == (budget.ms is None):
        raise AgentError("a budget has either sims or ms")
    if not searches(name):
        return name
    kind, _, setting = name.partition(":")
    parts = [part for part in setting.split(":") if part]
    spent = [part for part in parts if part.startswith(("sims=", "ms=")) or part.endswith("ms")]
    if budget is not None:
        own = [f"ms={budget.ms}" if budget.sims is None else f"sims={budget.sims}"]
    else:
        own = spent or [f"sims={min(limits.sims, SearchSettings().sims)}"]
    return ":".join([kind, *own, *(part for part in parts if part not in spent)])


# ---------------------------------------------------------------- asking


def choose(
    game: Game, states: Array, seat: int | None, agent: str, budget: Budget | None, seed: int | None, limits: Limits
) -> dict[str, Any]:
    """What an agent would play for a seat in a position, and what it found.

    Args:
        game: the game. states: record array of length 1, which stays as it is.
        seat: that owes a decision; None: the first of them.
        agent: its name. budget: of a search. seed: of an agent that draws at random.
        limits: on who is asked and for how long.

    Raises:
        AgentError, LimitError: as :func:`permitted_agent`. PolicyMismatchError: a policy for other numbers of players.
        ValueError: the seat owes no decision.
    """
    spec = permitted_agent(with_budget(agent, budget, game, limits), game, limits)
    asked = owing(states)
    who = check_seat(states, seat) if seat is not None else asked[0] if asked else -1
    if who not in asked:
        raise ValueError(f"seat {who} owes no decision now" if asked else "the game is over: nobody owes a decision")
    player = _load(spec, game, seed)
    action, statistics = _ask(player, game, states, who)
    return {"seat": who, "action": action, "text": game.actions[action], "agent": player.name, "statistics": statistics}


def _load(spec: str, game: Game, seed: int | None) -> Any:
    if seed is None:
        return _kept_agent(threading.get_ident(), spec, game)
    return load_agent(spec, game.env_name, seed)


@lru_cache(maxsize=AGENTS_KEPT)
def _kept_agent(thread: int, spec: str, game: Game) -> Any:
    """An agent for one thread, since one agent serves one thread."""
    return load_agent(spec, game.env_name)


def _ask(player: Any, game: Game, states: Array, seat: int) -> tuple[int, dict[str, Any] | None]:
    """The action, and what a search or a policy says of it."""
    if isinstance(player, SearchAgent):
        return _search(player, game, states, seat)
    return decide(game, player, states, seat)[0], None  # nothing is remembered of what was before this position


def _search(player: SearchAgent, game: Game, states: Array, seat: int) -> tuple[int, dict[str, Any]]:
    found = player.search(states, seat)
    tried = sorted(np.flatnonzero(found.visits).tolist(), key=lambda action: -int(found.visits[action]))
    moves = [
        {
            "action": action,
            "text": game.actions[action],
            "visits": int(found.visits[action]),
            "value": round(float(found.values[action]), 6),
        }
        for action in tried
    ]
    return found.action, {"simulations": found.simulations, "nodes": found.nodes, "moves": moves}
