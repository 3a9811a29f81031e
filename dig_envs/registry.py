"""The games, found by their folders; a game's modules are imported when it is first used."""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dig_envs.engine.core.fields import RAW

if TYPE_CHECKING:
    from dig_envs.engine.game import Game

GAMES = "dig_envs.games"
OBSERVATIONS = ("float32", "raw")  # what is observed: all fields, or those on the table and news
_added: dict[str, str] = {}  # name -> package, of games that are not in the folder


@cache
def _found() -> dict[str, str]:
    """The folders in ``dig_envs/games``: name -> package."""
    folder = Path(__file__).parent / "games"
    return {
        path.parent.name: f"{GAMES}.{path.parent.name}"
        for path in sorted(folder.glob("*/__init__.py"))
    }


def packages() -> dict[str, str]:
    """The packages of all games: name -> package."""
    return {**_found(), **_added}


def add_package(package: str) -> str:
    """Make a game of another package known under the name of its folder, and return that name.

    Args:
        package: such as ``my_project.my_game``, with the same modules as the games here (the README
            of ``dig_envs.engine``).

    Raises:
        ValueError: there is another game of that name already, or it is not a game package.
        ImportError: there is no such package.
    """
    name = package.rpartition(".")[2]
    if packages().get(name, package) != package:
        raise ValueError(f"there is a game {name!r} already, in {packages()[name]}")
    if not hasattr(import_module(package), "VERSION"):
        raise ValueError(f"{_shown(package)} is not a game package: it has no VERSION")
    _added[name] = package
    return name


def newest_version(name: str) -> int:
    """The newest version of a game's environment; all versions from 0 on exist."""
    return int(import_module(packages()[name]).VERSION)


def environments_of(name: str) -> list[str]:
    """The names of all versions of a game's environment, the oldest first."""
    return [f"{name}_v{version}" for version in range(newest_version(name) + 1)]


def list_environments() -> list[str]:
    """The names of all environments, such as ``cretaceous_creek_v0``, with those of added games.

    A game whose observation, actions or rules have changed has several versions, which all stay.
    """
    return [environment for name in packages() for environment in environments_of(name)]


def is_environment(name: Any) -> bool:
    """Whether there is an environment of this name; that of raw observations counts, too."""
    return isinstance(name, str) and name.removesuffix(RAW) in list_environments()


def with_observation(environment: str, kind: Any) -> str:
    """The name of an environment with observations of a kind of OBSERVATIONS
    (:mod:`dig_envs.engine.core.raw`); None: the kind that the name says.

    Raises:
        OptionError: there is no such kind, or the name says another one.
    """
    if kind is None:
        return environment
    from dig_envs.engine.core.checks import check_choice  # loads Numba
    from dig_envs.engine.core.errors import OptionError

    raw = check_choice("observation", kind, OBSERVATIONS) == "raw"
    if not isinstance(environment, str) or environment.endswith(RAW) == raw:
        return environment
    if not raw:
        raise OptionError(
            f"observation={kind!r}, but the name {_shown(environment)} says raw observations: "
            f"leave 'observation' out, or take {_shown(environment.removesuffix(RAW))}"
        )
    return environment + RAW


def split_name(environment: str) -> tuple[str, int]:
    """The game's name and the version of an environment's name; without a version it is the newest.
    That of raw observations has the same.

    Raises:
        ValueError: there is no such environment; the message lists those there are. TypeError: the
            name is not a string.
    """
    if not isinstance(environment, str):
        raise TypeError(
            "an environment's name is a text such as 'cretaceous_creek_v0', not "
            f"{_shown(environment)}"
        )
    if environment in packages():
        return environment, newest_version(environment)
    if environment.removesuffix(RAW) in packages():
        return split_name(environment.removesuffix(RAW))
    name, _, version = environment.removesuffix(RAW).rpartition("_v")
    if name in packages() and environment.removesuffix(RAW) in environments_of(name):
        return name, int(version)
    there = environments_of(name) if name in packages() else list_environments()
    raise ValueError(f"no environment {_shown(environment)}; there are {', '.join(there)}")


def _shown(value: object) -> str:
    from dig_envs.engine.core.checks import shown_in_message  # loads Numba: only for an error

    return shown_in_message(value)


def game_name(environment: str) -> str:
    """The game's name for an environment's name, with or without version; raises ValueError for an
    unknown one."""
    return split_name(environment)[0]


def load_game(environment: str) -> "Game":
    """The :class:`~dig_envs.engine.game.Game` for an environment's or a game's name; the same
    object at each call. A name that ends in ``_raw`` is that with raw observations.

    Raises:
        ValueError: there is no such environment; the message lists those there are.
    """
    from dig_envs.engine.game import build_game

    name, version = split_name(environment)
    raw = environment.endswith(RAW) and environment not in packages()
    return build_game(packages()[name], version, raw)
