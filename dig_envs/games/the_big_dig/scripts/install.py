"""The command that puts other data in the place of the package's own: the living animals and the decks of the real box.

    python -m dig_envs.games.the_big_dig.scripts.install --fauna my_fauna.csv --decks my_decks.csv

Both files, or the package's own where none is given, are checked first, and all predictions are computed from them.
"""

import argparse
import shutil
import sys
from pathlib import Path

from dig_envs.games.the_big_dig.app import NO_PREDICTION, tables_of
from dig_envs.games.the_big_dig.board import NUM_ATTRIBUTES, NUM_SPACES
from dig_envs.games.the_big_dig.components import support_by_counts
from dig_envs.games.the_big_dig.data import DECK_NAMES, DECKS_FILE, FAUNA_FILE, DataError, read_decks, read_fauna


def install(fauna_file: Path | None, decks_file: Path | None) -> str:
    """Check data files and, where both are good, put those given in the place of the package's own; returns a summary."""
    species, fauna = read_fauna(fauna_file or FAUNA_FILE)
    read_decks(decks_file or DECKS_FILE)
    tables = tables_of(fauna, support_by_counts(len(species)))
    for given, own in ((fauna_file, FAUNA_FILE), (decks_file, DECKS_FILE)):
        if given is not None:
            partial = own.with_suffix(".new")
            shutil.copyfile(given, partial)
            partial.replace(own)
    predicted = tables.support != NO_PREDICTION
    models = (int(predicted.any(axis=2).sum()) + NUM_SPACES) // 2  # those with two inputs are found in both orders
    share = (tables.support > 0).sum() / predicted.sum()
    return (
        f"{len(species)} species with {NUM_ATTRIBUTES} attributes; decks {', '.join(DECK_NAMES)}; "
        f"{models} models, {share:.0%} of their predictions with support above 0"
    )


def main() -> None:
    """Check the data files, or others, which then take their place."""
    parser = argparse.ArgumentParser(prog="python -m dig_envs.games.the_big_dig.scripts.install", description=main.__doc__)
    parser.add_argument("--fauna", type=Path, help="a CSV of living animals, to replace the package's own")
    parser.add_argument("--decks", type=Path, help="a CSV of excavation decks, to replace the package's own")
    arguments = parser.parse_args()
    try:
        print(install(arguments.fauna, arguments.decks))
    except (DataError, OSError) as error:
        sys.exit(f"error: {error}")
    if arguments.fauna or arguments.decks:
        print("The package now plays with these data: the next program compiles the game anew.")


if __name__ == "__main__":
    main()
