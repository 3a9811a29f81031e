"""The site, built by Sphinx from the Markdown files and docstrings of a checkout."""

import gc
import os
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

from dig_envs.documentation.notebooks import write_notebooks

ROOT = Path(__file__).parent.parent.parent


PLAYED = "DIG_ENVS_SITE_GAMES"  # names the games that the site lets people play, for conf.py


def sphinx(builder: str, out: Path, fresh: bool = True) -> None:
    """Run a builder of Sphinx over all pages; a warning is an error.

    Raises:
        SystemExit: Sphinx is missing, or has found something wrong.
    """
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        sys.exit('Sphinx is missing: pip install -e ".[docs]"')
    # millions of nodes that stay: looking for garbage among them takes a third of the time
    gc.set_threshold(200_000, 50, 50)
    words = [
        "-q",
        "-W",
        "--keep-going",
        "-b",
        builder,
        "-c",
        str(Path(__file__).parent),
        "-d",
        str(out / ".doctrees"),
    ]
    if build_main([*words, *(["-E"] if fresh else []), str(ROOT), str(out)]):
        sys.exit("the pages are not as they should be: see above")


def check_links(out: Path) -> None:
    """Ask for each page of the web that the documentation links to, and write what was found into
    ``output.txt`` of a folder.

    Raises:
        SystemExit: one is not there any more, or there is no network.
    """
    sphinx("linkcheck", out)
    print(f"all links lead somewhere: {out / 'output.txt'}")


def write_game(env: str, folder: Path) -> None:
    """Write the page on which a game is played, with its trained policies of the kinds that can be
    exported."""
    from dig_envs.export.build import export_game
    from dig_envs.export.machines import ExportError
    from dig_envs.export.weights import policy_weights
    from dig_envs.registry import load_game

    game, policies = load_game(env), []
    for card in sorted(ROOT.glob(f"policies/{game.name}/*/card.json")):
        policy = f"{game.name}/{card.parent.name}"
        with suppress(ExportError):
            policy_weights(game, policy)
            policies.append(policy)
    export_game(game, "wasm", folder, policies=policies)
    print(folder / "index.html")


def build(out: Path, fresh: bool = True, games: Sequence[str] = ()) -> None:
    """Build the site into a folder; a warning is an error.

    Args:
        out: the folder, which is made; ``index.html`` in it is the start page. It works from disk,
            search included.
        fresh: whether pages are built that have not changed since the last time.
        games: environments that can be played on the site, in the browser, where it lies on a
            server (their pages say so).

    Raises:
        SystemExit: Sphinx is missing, or has found something wrong: an unknown link, a docstring
            that cannot be read.
    """
    names = [env.rpartition("_v")[0] for env in games]
    # in this process nothing is compiled
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        list(other.map(write_game, games, [out / "play" / name for name in names]))
    os.environ[PLAYED] = " ".join(names)
    sphinx("html", out, fresh)
    write_notebooks(ROOT, out)
    shutil.copyfile(out / "README.html", out / "index.html")
    print(f"{out / 'index.html'}")
