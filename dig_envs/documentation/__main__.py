"""Renew the tables in the pages; ``build --out FOLDER``: build the site; ``links --out FOLDER``:
ask for all that it links to."""

from argparse import ArgumentParser
from pathlib import Path

from dig_envs.documentation.build import build, check_links
from dig_envs.registry import list_environments

if __name__ == "__main__":  # not in a process that exports a game
    parser = ArgumentParser(prog="python -m dig_envs.documentation", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    building = commands.add_parser("build", help="build the site")
    asking = commands.add_parser(
        "links", help="ask for every page of the web that is linked to; needs a network"
    )
    for command in (building, asking):
        command.add_argument(
            "--out", type=Path, required=True, metavar="FOLDER", help="where the result is put"
        )
    building.add_argument(
        "--with-games",
        nargs="*",
        metavar="ENV",
        help="also write pages on which to play these games, or all",
    )
    arguments = parser.parse_args()

    if arguments.command == "build":
        games = arguments.with_games
        build(arguments.out, games=list_environments() if games == [] else games or ())
    elif arguments.command == "links":
        check_links(arguments.out)
    else:
        from dig_envs.documentation.results import renewed  # imports Numba, which the site must not

        for path, text in renewed().items():
            if path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                print(f"renewed {path}")
