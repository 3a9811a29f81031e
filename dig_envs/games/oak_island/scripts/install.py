"""The command that puts another data table in the place of the package's own: characters, locations and bag of the real box.

    python -m dig_envs.games.oak_island.scripts.install --box my_box.toml

The table, or the package's own where none is given, is checked first.
"""

import argparse
import shutil
import sys
from pathlib import Path

from dig_envs.games.oak_island.data import BOX_FILE, DIGGING, DataError, read_box


def install(box_file: Path | None) -> str:
    """Check a data table and, where it is good, put it in the place of the package's own; returns a summary."""
    box = read_box(box_file or BOX_FILE)
    if box_file is not None:
        partial = BOX_FILE.with_suffix(".new")
        shutil.copyfile(box_file, partial)
        partial.replace(BOX_FILE)
    digs = ", ".join(
        f"{place.name} {place.cubes}+{place.extra} for ${place.cost}" for place in box.locations if place.name in DIGGING
    )
    bag = ", ".join(f"{count} {colour}" for colour, count in box.bag)
    return f"{len(box.characters)} characters; {digs}; bag: 1 yellow, {bag}; hash {box.hash}"


def main() -> None:
    """Check the data table, or another one, which then takes its place."""
    parser = argparse.ArgumentParser(prog="python -m dig_envs.games.oak_island.scripts.install", description=main.__doc__)
    parser.add_argument("--box", type=Path, help="a table in the form of box.toml, to replace the package's own")
    arguments = parser.parse_args()
    try:
        print(install(arguments.box))
    except (DataError, OSError) as error:
        sys.exit(f"error: {error}")
    if arguments.box:
        print("The package now plays with this table: the next program compiles it anew, and policies of other tables are refused.")


if __name__ == "__main__":
    main()
