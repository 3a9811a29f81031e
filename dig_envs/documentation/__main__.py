"""Renew the tables in the pages; ``build --out FOLDER``: build the site; ``links --out FOLDER``: ask for all that it links to."""

from argparse import ArgumentParser
from pathlib import Path

from dig_envs.documentation import build, results
from dig_envs.registry import list_environments

if __name__ == "__main__":  # not in a process that exports a game
    parser = ArgumentParser(prog="python -m dig_envs.documentation", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    building = commands.add_parser("build", help="build the site")
    asking = commands.add_parser("links", help="ask for every page of the web that is linked to; needs a network")
    for command in (building, asking):
        command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the result is put")
    building.add_argument(
        "--with-games", nargs="*", metavar="ENV", help="also write pages on which games are played; none named: all"
    )
    arguments = parser.parse_args()

    if arguments.command == "build":
        games = arguments.with_games
        build.build(arguments.out, games=list_environments() if games == [] else games or ())
    elif arguments.command == "links":
        build.check_links(arguments.out)
    else:
        for path, text in results.renewed().items():
            if path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                print(f"renewed {path}")
