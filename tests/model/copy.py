"""The beginning of a new game: a copy of the model under the game's own name.

    python -m tests.model.copy NAME PREFIX TITLE

such as ``python -m tests.model.copy plank_run PR "Plank Run"``, makes ``dig_envs/games/NAME``,
``dig_envs/NAME_v0.py``, ``tests/rules/NAME`` and ``tests/pictures/test_NAME.py``. ``PREFIX``: two
capitals, with which the numbers of its rules begin.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
MODEL = {  # where the parts of the model lie -> where those of a game do
    "tests/model/bone_bids": "dig_envs/games/{}",
    "tests/rules/bone_bids": "tests/rules/{}",
    "tests/pictures/test_bone_bids.py": "tests/pictures/test_{}.py",
}
PETTINGZOO = '''\
"""{}, version 0: ``env``, ``raw_env`` and ``parallel_env``, as PettingZoo's modules have them."""

from dig_envs.adapters.modules import constructors

env, raw_env, parallel_env = constructors(__name__)
'''


def prefixes(root: Path = ROOT) -> set[str]:
    """The prefixes of rules that are taken."""
    texts = (
        path.read_text(encoding="utf-8")
        for path in [*root.glob("dig_envs/games/*/RULES.md"), *root.glob("tests/model/*/RULES.md")]
    )
    return {
        prefix
        for text in texts
        for prefix in re.findall(r"^- \*\*([A-Z]{2})-1\*\*", text, re.MULTILINE)
    }


def copies(name: str, prefix: str, title: str, root: Path = ROOT) -> dict[Path, str]:
    """The files of the new game with their texts; raises ValueError, saying which word does not
    do."""
    if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name):
        raise ValueError(
            f"NAME is lower-case words with _ between them, such as plank_run, not {name!r}"
        )
    if (root / "dig_envs" / "games" / name).exists():
        raise ValueError(f"NAME: there is a game {name!r} already")
    if not re.fullmatch(r"[A-Z]{2}", prefix) or prefix in prefixes(root):
        raise ValueError(
            f"PREFIX is two capitals other than {', '.join(sorted(prefixes(root)))}, not {prefix!r}"
        )
    if not title.strip():
        raise ValueError("TITLE is the name of the game for people, such as 'Plank Run'")
    words = {
        "tests.model.bone_bids": f"dig_envs.games.{name}",
        "../../../dig_envs/engine/": "../../engine/",
        "tests/model/bone_bids": f"dig_envs/games/{name}",
        "import games, positions  # noqa: F401 (`games` makes the model known)": "import positions",
        "bone_bids": name,
        "Bone Bids": title,
        "BB-": f"{prefix}-",
        "_bb_": f"_{prefix.lower()}_",
    }
    found = {root / "dig_envs" / f"{name}_v0.py": PETTINGZOO.format(title)}
    for origin, place in MODEL.items():
        files = [root / origin] if origin.endswith(".py") else sorted((root / origin).glob("*.*"))
        for file in files:
            text = file.read_text(encoding="utf-8")
            for old, new in words.items():
                text = text.replace(old, new)
            target = root / place.format(name)
            found[target if origin.endswith(".py") else target / file.name] = text
    return found


def main(words: list[str]) -> None:
    """Write the copy."""
    if len(words) != 3:
        sys.exit('python -m tests.model.copy NAME PREFIX TITLE, such as: plank_run PR "Plank Run"')
    try:
        files = copies(*words)
    except ValueError as error:
        sys.exit(str(error))
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
