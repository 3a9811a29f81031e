"""Players by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dig_envs.agents.protocol import Agent
from dig_envs.registry import game_name, list_environments, load_game

PACKAGE = Path(__file__).parent.parent
ZOOS = (PACKAGE / "policies", PACKAGE.parent / "policies")  # in an installed wheel; in a checkout


def zoo_policies() -> dict[str, Path]:
    """The trained policies that come with the package: name, such as ``cretaceous_creek/ppo``, -> folder."""
    found: dict[str, Path] = {}
    for zoo in ZOOS:
        for card in sorted(zoo.glob("*/*/card.json")):
            found.setdefault(f"{card.parent.parent.name}/{card.parent.name}", card.parent)
    return found


def load_agent(spec: str, env: str | None = None, seed: int | None = 0) -> Agent:
    """Load a player by name.

    Args:
        spec: ``"random"``, ``"heuristic"``, a name of the zoo (``"cretaceous_creek/ppo"``, with or without the version after
            the game's name; ``"ppo"`` with ``env`` given), or a path to a policy's folder. A policy takes ``:sample`` after
            its name to draw actions from its distribution instead of playing the likeliest one.
        env: the environment's name, such as ``"cretaceous_creek_v0"``; needed by ``"heuristic"``, and checked against a
            policy's card.
        seed: of an agent that draws at random; None for entropy.

    Raises:
        ValueError: unknown name; the message lists those there are.
        PolicyMismatchError: the policy was made for something else.
        ImportError: a trained policy needs onnxruntime (``pip install "dig_envs[agents]"``).
    """
    name, _, setting = spec.partition(":")
    if name == "random":
        from dig_envs.agents.random import RandomAgent

        return RandomAgent(seed)
    if name == "heuristic":
        return _load_on_game(name, env)
    folder = policy_folder(name, env)
    from dig_envs.agents.onnx import OnnxAgent

    if setting not in ("", "sample"):
        raise ValueError(f"agent {spec!r}: the only setting of a policy is ':sample', not {setting!r}")
    return OnnxAgent(folder, env=env, sample=setting == "sample", seed=seed)


def _load_on_game(name: str, env: str | None) -> Agent:
    if env is None:
        raise ValueError(f"{name!r} needs the environment: load_agent({name!r}, env='cretaceous_creek_v0')")
    from dig_envs.agents.heuristic import HeuristicAgent

    return HeuristicAgent(load_game(env))


def policy_folder(name: str, env: str | None) -> Path:
    """The folder of a policy of the zoo or of one given as a path; raises ValueError that lists those there are."""
    policies = zoo_policies()
    game, slash, policy = name.partition("/")
    plain = f"{game_name(game)}/{policy}" if slash and game in list_environments() else name
    if plain in policies:
        return policies[plain]
    if env is not None and f"{load_game(env).name}/{name}" in policies:
        return policies[f"{load_game(env).name}/{name}"]
    if Path(name).is_dir():
        return Path(name)
    known = ", ".join(["random", "heuristic", *policies])
    raise ValueError(f"no agent {name!r}: neither a folder nor one of {known}")


def load_agents(specs: str | list[str], env: str, num_seats: int, seed: int | None = 0) -> list[Any]:
    """One player per seat from a comma-separated list; a single name serves all seats.

    Raises:
        ValueError: as :func:`load_agent`, and if names and seats differ in number.
        PolicyMismatchError: as :func:`load_agent`, and if a policy was not trained for so many players.
    """
    names = specs.split(",") if isinstance(specs, str) else list(specs)
    if len(names) == 1:
        names = names * num_seats
    if len(names) != num_seats:
        raise ValueError(f"{len(names)} agents for {num_seats} seats: {', '.join(names)}")
    agents = [load_agent(name.strip(), env, None if seed is None else seed + seat) for seat, name in enumerate(names)]
    check_num_players(agents, num_seats)
    return agents


def check_num_players(agents: Sequence[Agent], num_players: int) -> None:
    """Raise PolicyMismatchError if one of the agents is a policy that was not trained for so many players."""
    for agent in agents:
        if hasattr(agent, "check_num_players"):
            agent.check_num_players([num_players])
