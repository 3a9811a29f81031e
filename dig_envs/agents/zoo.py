"""The zoo: trained policies, each a folder with weights and a card, found by name."""

from collections.abc import Sequence
from pathlib import Path

from dig_envs.engine.game import Game
from dig_envs.registry import game_name, list_environments

PACKAGE = Path(__file__).parent.parent
OWN_ZOOS = (PACKAGE / "policies", PACKAGE.parent / "policies")  # of a wheel, a checkout
ZOOS = (*OWN_ZOOS, Path("policies"))  # the last one in the working folder
CARD, WEIGHTS = "card.json", "policy.onnx"  # of a policy
LONGEST_SHOWN = 80  # characters of a name in an error message


def holds_policy(folder: Path) -> bool:
    """Return whether there is a policy in a folder, by its card."""
    return (folder / CARD).exists()


def zoo_policies(zoos: Sequence[Path] | None = None) -> dict[str, Path]:
    """Return the folders of all trained policies by name, such as ``cretaceous_creek/ppo``.

    Policies that come with the package go before those in ``policies`` of the working folder.

    Args:
        zoos: the folders with a folder for each game; None: all there are.
    """
    found: dict[str, Path] = {}
    for zoo in ZOOS if zoos is None else zoos:
        for card in sorted(zoo.glob(f"*/*/{CARD}")):
            found.setdefault(f"{card.parent.parent.name}/{card.parent.name}", card.parent)
    return found


def zoo_name(name: str, game: Game | None) -> str | None:
    """Return a policy's name in the zoo, from any of the names that ``load_agent`` takes; None if the zoo has no such policy.

    Args:
        name: ``cretaceous_creek/ppo``, ``cretaceous_creek_v0/ppo``, or ``ppo`` for a policy of the given game.
        game: that the policy is to play, if it is known.
    """
    policies = zoo_policies()
    prefix, slash, policy = name.partition("/")
    without_version = f"{game_name(prefix)}/{policy}" if slash and prefix in list_environments() else name
    of_game = f"{game.name}/{name}" if game is not None else without_version
    return next((known for known in (without_version, of_game) if known in policies), None)


def policy_folder(name: str, game: Game | None) -> Path:
    """Return the folder of a policy of the zoo or of one given as a path; raises ValueError that lists the agents there are."""
    policies, known_as = zoo_policies(), zoo_name(name, game)
    if known_as is not None:
        return policies[known_as]
    if is_folder(name):
        return Path(name)
    of_game = policies if game is None else [*game.players, *(one for one in policies if one.startswith(f"{game.name}/"))]
    known = ", ".join(["random", "heuristic", "easy", "medium", "hard", "search", "best", *of_game])
    shown = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
    raise ValueError(f"no agent {shown!r}: neither a folder nor one of {known}")


def is_folder(name: str) -> bool:
    """Whether there is a folder of this name."""
    try:
        return Path(name).is_dir()
    except OSError:  # such as a name that is too long
        return False
