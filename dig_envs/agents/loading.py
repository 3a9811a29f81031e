"""Players by name: a name is parsed once (:func:`parse_spec`), and its kind says who makes the
player (:data:`MAKERS`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dig_envs.agents.best import BestAgent
from dig_envs.agents.careless import CarelessAgent, careless_name, carelessly, scripted_settings
from dig_envs.agents.deciding import OneGame
from dig_envs.agents.external import load_external
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.llm import load_llm
from dig_envs.agents.measured import read_players
from dig_envs.agents.names import ANY_GAME, LEVELS, MOST_THREADS, PLUS_SEARCH, one_per_seat
from dig_envs.agents.onnx import OnnxAgent, read_card
from dig_envs.agents.protocol import Agent
from dig_envs.agents.random import RandomAgent
from dig_envs.agents.search import load_search
from dig_envs.agents.zoo import is_folder, is_game, policy_folder, tell_instead
from dig_envs.engine.core.checks import WORDS, check_seed, shown_in_message
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.engine.game import Game
from dig_envs.registry import game_name, is_environment, load_game

# whatever the game: all but random, which needs none
FOR_ANY_GAME = (*ANY_GAME[1:], f"best{PLUS_SEARCH}")
# how careless the player for people is where no level was measured
FALLBACK = {"easy": 0.4, "medium": 0.2, "hard": 0.0}


def load_agent(
    spec: str, env: str | None = None, seed: int | None = None, **settings: Any
) -> Agent:
    """Load a player by name.

    ==========================================  ====================================================
    ``random``                                  a legal action, each equally likely
    ``heuristic``                               the game's scripted player;
                                                ``heuristic:style=greedy``: a style of it, which the
                                                README of the game lists;
                                                ``heuristic:careless=0.2``: with 20 % mistakes
    ``easy``, ``medium``, ``hard``              players of a strength for people
    ``search``                                  a tree search; ``search:200ms``: with 200
                                                milliseconds for each decision;
                                                ``search:sims=2000:c=0.7``: other settings
                                                (:class:`dig_envs.agents.search.SearchSettings`)
    ``cretaceous_creek/policy``                 a trained policy of the package, or of the folder
                                                ``policies``; ``policy`` alone if ``env`` names the
                                                game
    ``my_runs/policy``, ``./policy``            a trained policy in any folder
    ``cretaceous_creek/policy+search:200ms``    a search that the policy guides
    ``best``, ``best+search:200ms``             the strongest player without a search, and the same
                                                with one (:mod:`dig_envs.agents.best`)
    ``fossil_memory/remembering``               a player that only this game has; it can be
                                                careless, too
    ``exec:node my_bot.js``                     a program that plays; ``exec:500ms:node my_bot.js``:
                                                with half a second for each decision;
                                                ``exec:observation:node my_bot.js``: also sent the
                                                observation and the action mask
                                                (:mod:`dig_envs.agents.external`)
    ``llm:MODEL``                               a language model behind a server, asked in words
                                                (:mod:`dig_envs.agents.llm`)
    ==========================================  ====================================================

    A policy plays its likeliest action. ``:sample`` after its name draws actions from its
    distribution instead, and ``:threads=4`` lets it decide batches with four threads. The game may
    stand before the other names, too: ``fossil_canyon/search:200ms``.

    Example::

        env = dig_envs.make("fossil_canyon_v0", num_players=2)
        env.reset(seed=1)
        agent = dig_envs.load_agent("heuristic", env="fossil_canyon_v0", seed=0)
        env.step(agent.act(env))  # the action of the agent to move

        batch = dig_envs.BatchEnv("fossil_canyon_v0", batch_size=100)
        batch.step(agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover))

    Args:
        spec: the name, as above.
        env: the environment's name, such as ``"cretaceous_creek_v0"``. It may be left out for
            ``random``, and where the game stands before the name. A policy must have been made for
            this environment.
        seed: of a player that draws at random, an integer from -2**63 to 2**64 - 1; None: other
            draws each time.
        settings: of a language model (:class:`~dig_envs.agents.llm_chat.LlmSettings`), such as
            ``base_url="http://localhost:8000/v1"``; they may stand in its name, too:
            ``"llm:MODEL:tokens=500"``.

    Returns:
        An :class:`~dig_envs.agents.protocol.Agent`: ``act(env)`` returns one action (int),
        ``act_batch(…)`` one for each of n decisions (int64 (n,)).

    Raises:
        ValueError: an unknown name or setting (the message lists those there are), a missing
            ``env``, or a seed out of range.
        TypeError: a name is not a string, or the seed not an integer.
        PolicyMismatchError: the policy was made for another environment, or for a version of it
            with another observation or other actions.
        ImportError: a trained policy needs onnxruntime (``pip install -e ".[agents]"``), a
            language model the client (``pip install -e ".[llm]"``).
    """
    parsed = parse_spec(spec, env)
    if parsed.kind == "llm":
        return load_llm(
            parsed.settings, parsed.game, None if seed is None else check_seed(seed), settings
        )
    if parsed.kind == "python":
        raise ValueError(
            f"no agent {shown_in_message(spec)}: load_agent imports no code. The arena, evaluate, "
            "play, watch and benchmark do; a program gives its object to them, or to LearnerBatch"
        )
    if settings:
        raise ValueError(
            f"agent {shown_in_message(spec)} takes no settings by name, such as "
            f"{shown_in_message(next(iter(settings)))}"
        )
    return MAKERS[parsed.kind](parsed, None if seed is None else check_seed(seed))


@dataclass(frozen=True)
class AgentSpec:
    """An agent's name, taken apart.

    Attributes:
        text: the name as it was given.
        name: what stands before the first colon, such as ``fossil_canyon/policy+search``.
        settings: what stands behind it, such as ``200ms``.
        env: the environment that the agent is to play, if one was given.
    """

    text: str
    name: str
    settings: str
    env: str | None

    @cached_property
    def kind(self) -> str:
        """The key of :data:`MAKERS`, or ``llm`` or ``python``."""
        prefix, _, last = self.name.rpartition("/")
        if self.name in ("random", "exec", "llm", "python"):
            return self.name
        if last in self._own_players():
            return "player"
        if last in FOR_ANY_GAME and (is_game(prefix) or not is_folder(self.name)):
            return last
        if is_folder(self.name):
            return "policy"
        return f"policy{PLUS_SEARCH}" if last.endswith(PLUS_SEARCH) else "policy"

    def _own_players(self) -> Sequence[str]:
        """The players that belong to the named game, or else to that of ``env``; empty if there is
        no such game."""
        try:
            return list(self.game.players)
        except ValueError:
            return []

    @property
    def policy(self) -> str:
        """The name or the folder of a policy, whether it plays or guides a search."""
        return self.name.removesuffix(PLUS_SEARCH) if self.kind != "policy" else self.name

    @property
    def folder(self) -> Path:
        """The folder of this policy; raises ValueError if there is none."""
        return policy_folder(
            self.policy, None if self.environment is None else load_game(self.environment)
        )

    @property
    def environment(self) -> str | None:
        """The environment that is to be played: that before the slash if it has a version, or else
        ``env``; None: neither is given.

        Raises:
            PolicyMismatchError: the two are different.
        """
        prefix = self.name.rpartition("/")[0]
        named = [one for one in (prefix, self.env) if is_environment(one)]
        if len(set(named)) > 1:
            raise PolicyMismatchError(
                f"agent {shown_in_message(self.text)} is for {prefix}, not for {self.env}"
            )
        return named[0] if named else self.env

    @property
    def game(self) -> Game:
        """The game that is named before the slash, or else that of ``env``.

        Raises:
            ValueError: neither is given, or there is no such game.
            PolicyMismatchError: the two are different.
        """
        prefix = self.name.rpartition("/")[0]
        if prefix and self.env is not None and game_name(prefix) != game_name(self.env):
            raise PolicyMismatchError(
                f"agent {shown_in_message(self.text)} is for {game_name(prefix)}, not for "
                f"{self.env}"
            )
        if not prefix and self.env is None:
            raise ValueError(
                f"{shown_in_message(self.text)} needs the environment: "
                f"load_agent({shown_in_message(self.text)}, "
                "env='cretaceous_creek_v0')"
            )
        return load_game(self.environment or prefix)


def parse_spec(text: Any, env: Any = None) -> AgentSpec:
    """Take an agent's name apart.

    Raises:
        TypeError: a name is not a string. ValueError: the name is empty.
    """
    if not isinstance(text, str):
        raise TypeError(f"an agent's name is a text such as 'random', not {shown_in_message(text)}")
    if not text:
        raise ValueError("an agent's name is a text such as 'random', not ''")
    if env is not None and not isinstance(env, str):
        raise TypeError(
            "an environment's name is a text such as 'cretaceous_creek_v0', not "
            f"{shown_in_message(env)}"
        )
    name, _, settings = text.partition(":")
    return AgentSpec(text, name, settings, env)


# ---------------------------------------------------------------- who makes which kind of player


def _load_policy(spec: AgentSpec, seed: int | None) -> Agent:
    folder = spec.folder
    settings: dict[str, Any] = {}
    for setting in filter(None, spec.settings.split(":")):
        key, _, value = setting.partition("=")
        threads = (
            int(value)
            if key == "threads" and value.isdecimal() and len(value) <= len(str(MOST_THREADS))
            else 0
        )
        if key in settings or not (setting == "sample" or 1 <= threads <= MOST_THREADS):
            raise ValueError(
                f"agent {shown_in_message(spec.text)}: the settings of a policy are ':sample' and "
                "':threads=' "
                f"with a whole number from 1 to {MOST_THREADS}, each once, not "
                f"{shown_in_message(setting)}"
            )
        settings[key] = threads or True
    return OnnxAgent(folder, env=spec.environment, seed=seed, **settings)


def _load_heuristic(spec: AgentSpec, seed: int | None) -> Agent:
    style, share = scripted_settings(spec.settings, "heuristic", spec.game)
    return carelessly(HeuristicAgent(spec.game, style), spec.game, share, seed)


def _load_level(spec: AgentSpec, seed: int | None) -> Agent:
    if spec.settings:
        raise ValueError(
            f"agent {shown_in_message(spec.text)}: {shown_in_message(spec.kind)} has no settings"
        )
    level, game = spec.kind, spec.game
    instead, players = careless_name(game, FALLBACK[level]), read_players(game)
    if players is not None and players.levels:
        name = str(players.levels["players"][level]["agent"])
        try:
            return never_grave(_load_measured(name, game, seed), game, seed)
        except (ValueError, ImportError) as error:
            tell_instead(level, game, name, str(error), instead)
    elif players is not None:
        tell_instead(
            level,
            game,
            "a player that was measured",
            f"policies/{game.name}/players.json has no levels",
            instead,
        )
    return never_grave(load_agent(instead, game.env_name, seed), game, seed)


def never_grave(agent: Agent, game: Game, seed: int | None) -> Agent:
    """A player without grave actions, as people expect of a level."""
    assert isinstance(agent, OneGame)  # as all are that are loaded by name
    return agent if isinstance(agent, CarelessAgent) else CarelessAgent(agent, game, None, seed)


def load_opponent(name: str, game: Game, seed: int | None = None) -> Agent:
    """Load a player that people meet. To them ``best`` is a level, so it does nothing grave
    either, with or without a search."""
    agent = load_agent(name, game.env_name, seed)
    is_best = parse_spec(name, game.env_name).kind in ("best", f"best{PLUS_SEARCH}")
    return never_grave(agent, game, seed) if is_best else agent


def _load_measured(name: str, game: Game, seed: int | None) -> Agent:
    """The player that a file names for a level, if it plays with any number of players. The name
    comes from outside: programs, language models and names that a file explains are refused.

    The name comes from outside: programs and language models are refused, as are names that a file
    explains.
    """
    if parse_spec(name, game.env_name).kind not in (
        "random",
        "heuristic",
        "search",
        "player",
        "policy",
        f"policy{PLUS_SEARCH}",
    ):
        raise ValueError(f"{shown_in_message(name)} cannot be a level")
    agent = load_agent(name, game.env_name, seed)
    for count in range(game.min_players, game.max_players + 1):
        check_num_players([agent], count)
    return agent


def _load_guided_search(spec: AgentSpec, seed: int | None) -> Agent:
    game = load_game(spec.environment or read_card(spec.folder)["environment"])
    return load_search(spec.settings, game, seed, guide=spec.policy)


def _load_best(spec: AgentSpec, seed: int | None) -> Agent:
    if spec.kind == "best" and spec.settings:
        raise ValueError(
            f"agent {shown_in_message(spec.text)}: 'best' has no settings; those of a search go "
            "after "
            f"'best{PLUS_SEARCH}:'"
        )
    return BestAgent(spec.game, load_agent, seed, None if spec.kind == "best" else spec.settings)


def _load_own_player(spec: AgentSpec, seed: int | None) -> Agent:
    name = spec.name.rpartition("/")[2]
    _, share = scripted_settings(spec.settings, name, spec.game)
    return carelessly(spec.game.players[name](spec.game), spec.game, share, seed)


MAKERS: Mapping[str, Callable[[AgentSpec, int | None], Agent]] = {
    "random": lambda spec, seed: RandomAgent(seed, None if spec.env is None else spec.game),
    "heuristic": _load_heuristic,
    **dict.fromkeys(LEVELS, _load_level),
    "search": lambda spec, seed: load_search(spec.settings, spec.game, seed),
    "exec": lambda spec, seed: load_external(spec.settings, spec.game),
    "player": _load_own_player,
    "best": _load_best,
    f"best{PLUS_SEARCH}": _load_best,
    "policy": _load_policy,
    f"policy{PLUS_SEARCH}": _load_guided_search,
}


# ---------------------------------------------------------------- several players


def check_num_players(agents: Sequence[Agent], num_players: int) -> None:
    """Raise PolicyMismatchError if one of the agents is a policy that was not trained for so many
    players."""
    for agent in agents:
        if hasattr(agent, "check_num_players"):
            agent.check_num_players([num_players])


def load_seats(
    names: Sequence[str], env: str, seats: Sequence[int], num_players: int, seed: int
) -> dict[int, Agent]:
    """Load an agent for each of some seats of one game, so that the same seed gives the same play.

    Args:
        names: one for each of the seats, or one for all of them; each seat has an agent of its own.
        env: the environment's name. seats: that they play. num_players: of the game.
        seed: of the game; an agent that draws at random in seat i has ``seed + i + 1``.

    Raises:
        ValueError: names and seats differ in number. The others as for :func:`load_agent`, and
            PolicyMismatchError for a policy that was not trained for so many players.
    """
    given = one_per_seat(list(names), len(seats)) if seats else []
    agents = {
        seat: load_agent(name, env, (seed + seat + 1) % WORDS)
        for seat, name in zip(seats, given, strict=True)
    }
    check_num_players(list(agents.values()), num_players)
    return agents


def close_agents(agents: Sequence[Agent]) -> None:
    """End what agents keep open, such as the processes of programs."""
    for agent in agents:
        if hasattr(agent, "close"):
            agent.close()
