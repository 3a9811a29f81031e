"""How to install what is missing."""

from pathlib import Path

ROOT = Path(__file__).parents[3]  # of a checkout, or the folder of all packages


def how_to_install(extra: str) -> str:
    """The command that installs an extra of this package: of this checkout, or of a release."""
    if (ROOT / "pyproject.toml").is_file():
        return f'pip install -e "{ROOT}[{extra}]"'
    return f'pip install "dig_envs[{extra}]"'
