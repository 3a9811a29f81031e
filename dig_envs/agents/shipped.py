"""Which players come with the package: of their names alone nothing is run and no weights are loaded."""

from dig_envs.agents.levels import LEVELS
from dig_envs.agents.names import PLUS_SEARCH
from dig_envs.agents.onnx import read_card, weights_hashes
from dig_envs.agents.zoo import OWN_ZOOS, is_folder, zoo_policies
from dig_envs.registry import list_environments, load_game

ANY_GAME = ("random", "heuristic", "search", "best", *LEVELS)


def comes_with_package(name: str) -> bool:
    """Return whether :func:`dig_envs.load_agent` makes a player of this name from this package alone.

    It does not for programs, language models, a user's code, and policies in other folders.
    """
    player, _, settings = name.partition(":")
    values = [value for setting in settings.split(":") if (value := setting.partition("=")[2])]
    return _is_own(player.removesuffix(PLUS_SEARCH)) and all(_is_own(value) for value in values if "/" in value or is_folder(value))


def _is_own(player: str) -> bool:
    """Return whether a name without settings is that of a player or a policy of this package."""
    game, slash, last = player.rpartition("/")
    if is_folder(player):
        return False
    if not slash:
        return last in ANY_GAME
    known = [one for one in (game, f"{game}_v0") if one in list_environments()]
    is_player = bool(known) and (last in ANY_GAME or last in load_game(known[0]).players)
    return is_player or player in zoo_policies(OWN_ZOOS)


def package_weights() -> frozenset[str]:
    """Return the hashes of the weights of all policies that come with the package."""
    policies = zoo_policies(OWN_ZOOS).values()
    return frozenset(found for folder in policies for found in weights_hashes(read_card(folder)))
