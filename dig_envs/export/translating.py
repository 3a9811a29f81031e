"""``python -m dig_envs.export.translating PACKAGE FILE`` writes the compiled code of a game in
LLVM's language.

It is a program because it needs a process in which nothing else has been compiled
(``engine/compiler/portable.py``).
"""

import gc
import sys
from pathlib import Path

from dig_envs.engine.compiler.portable import link_entries, translate_only
from dig_envs.export.entries import inner, make_entries
from dig_envs.registry import add_package, load_game, packages


def main(package: str, path: str) -> None:
    """Write the module of the game in a package."""
    translate_only()
    # compiling makes so many objects that looking for garbage costs a tenth of the time
    gc.disable()
    name = package.rpartition(".")[2]
    game = load_game(name if packages().get(name) == package else add_package(package))
    module = link_entries(make_entries(game), inner(game, "take"), inner(game, "give_back"))
    Path(path).write_text(module, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
