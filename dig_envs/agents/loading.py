"""Players by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dig_envs.agents.names import MOST_THREADS, one_per_seat, split_names
from dig_envs.agents.protocol import Agent
from dig_envs.engine.checks import WORDS, check_seed, shown_in_message
from dig_envs.engine.errors import PolicyMismatchError
from dig_envs.registry import game_name, list_environments, load_game

PACKAGE = Path(__file__).parent.parent
PLUS_SEARCH = "+search"  # after the name of a policy: a search that it guides
LONGEST_SHOWN = 80  # characters of a name in an error message
ZOOS = (PACKAGE / "policies", PACKAGE.parent / "policies", Path("policies"))  # in an installed wheel; in a checkout; one's own


def zoo_policies() -> dict[str, Path]:
    """Trained policies by name, such as ``cretaceous_creek/ppo`` -> folder.

    Those that come with the package go before those in ``policies`` of the working folder.
    """
    found: dict[str, Path] = {}
    for zoo in ZOOS:
        for card in sorted(zoo.glob("*/*/card.json")):
            found.setdefault(f"{card.parent.parent.name}/{card.parent.name}", card.parent)
    return found


def load_agent(spec: str, env: str | None = None, seed: int | None = None) -> Agent:
    """Load a player by name.

    Args:
        spec: ``"random"``, ``"heuristic"``, ``"search"``, a player that a game has of its own
            (``"fossil_memory/remembering"``), a name of the zoo (``"cretaceous_creek/ppo"``, with or without the
            version after the game's name; ``"ppo"`` with ``env`` given), or a path to a policy's folder. A policy takes ``:sample``
            after its name to draw actions from its distribution instead of playing the likeliest one, and ``:threads=4`` to judge
            batches with so many threads. A search takes its settings
            there: ``"search:200ms"``, ``"fossil_canyon/search:sims=2000:c=0.7"`` (:class:`dig_envs.agents.search.SearchSettings`).
            ``"exec:node my_bot.js"`` starts a program that plays, ``"exec:500ms:node my_bot.js"`` one that has half a second for
            each decision (:mod:`dig_envs.agents.external`).
            ``"fossil_canyon/ppo+search:200ms"`` is a search that the policy guides; ``"fossil_canyon/best"`` the strongest player
            that does not search, ``"fossil_canyon/best+search:200ms"`` the same with search (:mod:`dig_envs.agents.best`).
        env: the environment's name, such as ``"cretaceous_creek_v0"``; needed by ``"heuristic"`` and ``"search"`` unless the
            game's name is before it, and by ``"exec"``; checked against a policy's card.
        seed: of an agent that draws at random, from -2**63 to 2**64 - 1; None for entropy.

    Raises:
        ValueError: unknown name or setting, the message lists those there are; a seed that is out of range.
        TypeError: the seed is no integer.
        PolicyMismatchError: the policy was made for something else.
        ImportError: a trained policy needs onnxruntime (``pip install "dig_envs[agents]"``).
    """
    if not isinstance(spec, str) or not spec:
        raise ValueError(f"an agent's name is a text such as 'random', not {shown_in_message(spec)}")
    if env is not None and not isinstance(env, str):
        raise ValueError(f"an environment's name is a text such as 'cretaceous_creek_v0', not {shown_in_message(env)}")
    seed = None if seed is None else check_seed(seed)
    name, _, setting = spec.partition(":")
    if name == "random":
        from dig_envs.agents.random import RandomAgent

        return RandomAgent(seed)
    if name == "exec":
        from dig_envs.agents.external import load_external

        return load_external(setting, load_game(_environment(spec, "", env)))
    own_game, _, kind = name.rpartition("/")
    if kind in ("heuristic", "search") and not _is_folder(name):
        return _load_on_game(kind, setting, _environment(spec, own_game, env), seed)
    if kind in players_of(own_game or env) and not setting:
        game = load_game(_environment(spec, own_game, env))
        player: Agent = game.players[kind](game)
        return player
    if kind in ("best", f"best{PLUS_SEARCH}") and not _is_folder(name):
        return _load_best(spec, kind, setting, _environment(spec, own_game, env), seed)
    if kind.endswith(PLUS_SEARCH) and not _is_folder(name):
        return _load_guided(name.removesuffix(PLUS_SEARCH), setting, env, seed)
    folder = policy_folder(name, env)
    from dig_envs.agents.onnx import OnnxAgent

    return OnnxAgent(folder, env=env, seed=seed, **_policy_settings(spec, setting))


def _policy_settings(spec: str, setting: str) -> dict[str, Any]:
    """What is written after a policy's name, such as ``sample:threads=4``, as arguments of an :class:`OnnxAgent`."""
    settings: dict[str, Any] = {}
    for part in filter(None, setting.split(":")):
        key, _, value = part.partition("=")
        threads = int(value) if key == "threads" and value.isdecimal() and len(value) <= len(str(MOST_THREADS)) else 0
        if key in settings or not (part == "sample" or 1 <= threads <= MOST_THREADS):
            raise ValueError(
                f"agent {spec!r}: the settings of a policy are ':sample' and ':threads=' with a whole number from 1 to "
                f"{MOST_THREADS}, each once, not {part!r}"
            )
        settings[key] = threads or True
    return settings


def players_of(env: str | None) -> list[str]:
    """The names of the players that a game has of its own (``players.py`` in its folder); none if there is no such game."""
    try:
        return list(load_game(env).players) if env else []
    except ValueError:  # no such game
        return []


def _environment(spec: str, own_game: str, env: str | None) -> str:
    """The environment that an agent that is made for any game is to play."""
    if own_game and env is not None and game_name(own_game) != game_name(env):
        raise PolicyMismatchError(f"agent {spec!r} is for {game_name(own_game)}, not for {env}")
    if not own_game and env is None:
        raise ValueError(f"{spec!r} needs the environment: load_agent({spec!r}, env='cretaceous_creek_v0')")
    return own_game or str(env)


def _load_on_game(kind: str, setting: str, env: str, seed: int | None) -> Agent:
    game = load_game(env)
    if kind == "search":
        from dig_envs.agents.search import load_search

        return load_search(setting, game, seed, lambda name: policy_folder(name, game.env_name))
    from dig_envs.agents.heuristic import HeuristicAgent

    return HeuristicAgent(game)


def _load_best(spec: str, kind: str, setting: str, env: str, seed: int | None) -> Agent:
    from dig_envs.agents.best import BestAgent

    if kind == "best" and setting:
        raise ValueError(f"agent {spec!r}: 'best' has no settings; those of a search go after 'best{PLUS_SEARCH}:'")
    return BestAgent(load_game(env), seed, None if kind == "best" else setting)


def _load_guided(policy: str, setting: str, env: str | None, seed: int | None) -> Agent:
    from dig_envs.agents.onnx import read_card
    from dig_envs.agents.search import load_search

    card = read_card(policy_folder(policy, env))
    game = load_game(env or card["environment"])
    return load_search(setting, game, seed, lambda name: policy_folder(name, game.env_name), guide=policy)


def zoo_name(name: str, env: str | None) -> str | None:
    """The name in the zoo of a policy that is named in one of the ways that :func:`load_agent` takes; None if there is none."""
    policies = zoo_policies()
    game, slash, policy = name.partition("/")
    plain = f"{game_name(game)}/{policy}" if slash and game in list_environments() else name
    own = f"{load_game(env).name}/{name}" if env is not None else plain
    return next((known for known in (plain, own) if known in policies), None)


def policy_folder(name: str, env: str | None) -> Path:
    """The folder of a policy of the zoo or of one given as a path; raises ValueError that lists those there are."""
    policies, known_as = zoo_policies(), zoo_name(name, env)
    if known_as is not None:
        return policies[known_as]
    if _is_folder(name):
        return Path(name)
    known = ", ".join(["random", "heuristic", "search", "best", *players_of(env), *policies])
    shown = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
    raise ValueError(f"no agent {shown!r}: neither a folder nor one of {known}")


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:  # such as a name that is too long
        return False


def load_agents(specs: str | list[str], env: str, num_seats: int, seed: int | None = None) -> list[Any]:
    """One player per seat from a comma-separated list; a single name serves all seats.

    Raises:
        ValueError: as :func:`load_agent`, and if names and seats differ in number.
        PolicyMismatchError: as :func:`load_agent`, and if a policy was not trained for so many players.
    """
    names = one_per_seat(split_names(specs) if isinstance(specs, str) else list(specs), num_seats)
    first = None if seed is None else check_seed(seed)
    agents = [load_agent(name.strip(), env, None if first is None else (first + seat) % WORDS) for seat, name in enumerate(names)]
    check_num_players(agents, num_seats)
    return agents


def check_num_players(agents: Sequence[Agent], num_players: int) -> None:
    """Raise PolicyMismatchError if one of the agents is a policy that was not trained for so many players."""
    for agent in agents:
        if hasattr(agent, "check_num_players"):
            agent.check_num_players([num_players])


def close_agents(agents: Sequence[Agent]) -> None:
    """End what agents hold open, such as the processes of programs."""
    for agent in agents:
        if hasattr(agent, "close"):
            agent.close()
