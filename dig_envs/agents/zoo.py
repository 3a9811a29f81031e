"""The zoo: trained policies, each a folder with weights and a card, found by name.

A policy fits an environment of the same name, with the same layout of observations and the same
actions. Asked for by name, it plays other versions of which that holds, and a line on stderr says
so. Where a player is chosen among several (``best``, the guide of a search, a
listing), policies that do not fit and damaged files are left out, and a line on stderr says so
once.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dig_envs.agents.names import ANY_GAME, PLUS_SEARCH
from dig_envs.agents.onnx import (
    CARD,
    NEEDS_RUNTIME,
    differences,
    read_card,
    read_weights,
    weights_hashes,
)
from dig_envs.agents.plain_file import leads_outside
from dig_envs.engine.compiler.notice import say
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.engine.game import Game
from dig_envs.registry import GAMES, game_name, is_environment, list_environments, load_game

PACKAGE = Path(__file__).parent.parent
OWN_ZOOS = (PACKAGE / "policies", PACKAGE.parent / "policies")  # of a wheel, a checkout
ZOOS = (*OWN_ZOOS, Path("policies"))  # the last one in the working folder
LONGEST_SHOWN = 80  # characters of a name in an error message


# ---------------------------------------------------------------- by name


def holds_policy(folder: Path) -> bool:
    """Whether a folder has a policy's card."""
    return (folder / CARD).exists()


def zoo_policies(zoos: Sequence[Path] | None = None) -> dict[str, Path]:
    """The folders of all trained policies by name, such as ``cretaceous_creek/policy``.

    Policies that come with the package go before those in ``policies`` of the working folder. Links
    to outside of these folders are left out, and a line on stderr says so.

    Args:
        zoos: the folders with a folder for each game; None: all there are.
    """
    found: dict[str, Path] = {}
    for zoo in ZOOS if zoos is None else zoos:
        for card in sorted(zoo.glob(f"*/*/{CARD}")):
            if leads_outside(card.parent, zoo):
                tell(f"{card.parent} is a link to outside of {zoo}; it is left out")
                continue
            found.setdefault(f"{card.parent.parent.name}/{card.parent.name}", card.parent)
    return found


def zoo_name(name: str, game: Game | None) -> str | None:
    """A policy's name in the zoo, from any of the names that ``load_agent`` takes; None if the zoo
    has no such policy.

    Args:
        name: ``cretaceous_creek/policy``, ``cretaceous_creek_v0/policy``, or ``policy`` for one of
            the given game.
        game: that the policy is to play, if it is known.
    """
    names = [name] if game is None else [name, f"{game.name}/{name}"]
    prefix, slash, policy = name.partition("/")
    if slash and is_environment(prefix):
        names = [f"{game_name(prefix)}/{policy}"] if game is None or game.env_name == prefix else []
    policies = zoo_policies()
    return next((known for known in names if known in policies), None)


def policy_folder(name: str, game: Game | None) -> Path:
    """The folder of a policy, from the zoo or given as a path; raises ValueError that lists the
    agents there are."""
    policies, known_as = zoo_policies(), zoo_name(name, game)
    if known_as is not None:
        return policies[known_as]
    if is_folder(name):
        return Path(name)
    of_game = (
        policies
        if game is None
        else [*game.players, *(one for one in policies if one.startswith(f"{game.name}/"))]
    )
    shown = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
    bare = f"; the folder of this name is './{name}'" if is_folder(f"./{name}") else ""
    raise ValueError(
        f"no agent {shown!r}: neither a folder nor one of {', '.join([*ANY_GAME, *of_game])}{bare}"
        f"; looked for policies in the package and in {ZOOS[-1].absolute()}"
    )


def is_folder(name: str) -> bool:
    """Whether a name is the path of a folder: it has a separator or begins with a dot, since a bare
    name is that of a player."""
    if not (name.startswith(".") or "/" in name or os.sep in name):
        return False
    try:
        return Path(name).is_dir()
    except OSError:  # such as a name that is too long
        return False


def is_game(name: str) -> bool:
    """Whether this is the name of a game or of an environment."""
    return is_environment(name) or any(name == game_name(one) for one in list_environments())


# ---------------------------------------------------------------- what comes with the package


def comes_with_package(name: str) -> bool:
    """Whether :func:`dig_envs.load_agent` makes a player of this name from this package alone.

    It does not for programs, language models, a user's code, and policies in other folders. Of the
    name alone nothing is run and no weights are loaded.
    """
    player, _, settings = name.partition(":")
    values = [value for setting in settings.split(":") if (value := setting.partition("=")[2])]
    return _is_own(player.removesuffix(PLUS_SEARCH)) and all(
        _is_own(value) for value in values if "/" in value or is_folder(value)
    )


def _is_own(player: str) -> bool:
    """Whether a name without settings is that of a player or a policy of this package."""
    game, slash, last = player.rpartition("/")
    if not slash:
        return last in ANY_GAME
    try:
        is_player = last in (*ANY_GAME, *load_game(game).players)
    except ValueError:  # there is no such game
        return False
    return is_player or f"{game_name(game)}/{last}" in zoo_policies(OWN_ZOOS)


# ---------------------------------------------------------------- cards


def policy_cards(
    game: Game | None = None, zoos: Sequence[Path] | None = None
) -> dict[str, dict[str, Any]]:
    """The cards of policies by name; damaged cards are left out and named on stderr.

    Args:
        game: whose policies are wanted, for its version; None: those of all environments.
        zoos: the folders with a folder for each game; None: all there are.
    """
    found = {}
    for name, folder in zoo_policies(zoos).items():
        if game is not None and not name.startswith(f"{game.name}/"):
            continue
        try:
            card = read_card(folder)
        except PolicyMismatchError as error:
            tell(f"{error}; policy {name} is left out")
            continue
        if game is None or card["environment"] == game.env_name:
            found[name] = card
    return found


def is_measured(card: dict[str, Any], sha256: Any) -> bool:
    """Whether measured weights, by their SHA-256 (hexadecimal), are those of a policy's card."""
    return sha256 in weights_hashes(card)


def policies_of(game: Game) -> list[str]:
    """The names of the policies that can play a game; a line on stderr names the others of this
    environment, and the reason."""
    found: list[str] = []
    others: dict[str, list[str]] = {}  # by the reason
    for name, card in policy_cards(game).items():
        reason = why_not(name, card, game)
        (others.setdefault(reason, []) if reason else found).append(name)
    for reason, names in others.items():
        tell(f"{', '.join(names)} cannot play {game.env_name}: {reason}")
    return found


def why_not(name: str, card: dict[str, Any], game: Game) -> str:
    """The reason why a policy of the zoo with this card cannot play a game, in words; empty if it
    can."""
    if find_spec("onnxruntime") is None:
        return NEEDS_RUNTIME
    if different := differences(card, game):
        return different
    try:
        read_weights(zoo_policies()[name], card)
    except PolicyMismatchError as error:
        return str(error)
    return ""


# ---------------------------------------------------------------- who plays instead

_told: set[str] = set()


def tell(what: str, cause: str = "") -> None:
    """Write a line to stderr, once in a process for each cause; empty: for these words."""
    if (cause or what) not in _told:
        _told.add(cause or what)
        say(what)


def is_shipped(game: Game) -> bool:
    """Whether a game is part of this package, which has policies; an added game need not have
    any."""
    return game.package.startswith(f"{GAMES}.")


def tell_instead(role: str, game: Game, expected: str, reason: str, instead: str) -> None:
    """Say on stderr that another player than the expected one has a role, once in a process for
    each reason."""
    what = f"{role} in {game.env_name} should be {expected}, but {reason}; instead it is {instead}"
    tell(what, cause=f"{role} in {game.env_name}: {reason}")


def first_that_plays(
    role: str, names: Iterable[str], cards: Mapping[str, dict[str, Any]], game: Game, otherwise: str
) -> str:
    """The first of several players that can play a game; ``otherwise`` if none can.

    A policy may be unable to (:func:`why_not`): then a line on stderr says who plays instead.

    Args:
        role: what the player is chosen for, such as ``best``.
        names: of the players. cards: of those that are policies. game: that they are to play.
        otherwise: who plays then; empty for nobody.
    """
    passed = []
    for name in names:
        reason = why_not(name, cards[name], game) if name in cards else ""
        if not reason:
            otherwise = name
            break
        passed.append((name, reason))
    for name, reason in passed[:1]:
        tell_instead(role, game, name, reason, otherwise or "none")
    return otherwise
