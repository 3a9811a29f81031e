"""Pictures of saved positions, and pictures in files."""

from pathlib import Path

from dig_envs.adapters.position import agent_names
from dig_envs.adapters.rendering import shown
from dig_envs.pictures.drawing import sheet_of
from dig_envs.pictures.pixels import pixels
from dig_envs.pictures.sheet import Sheet
from dig_envs.registry import load_game
from dig_envs.session import read_json


def sheet_of_file(path: Path, what: str = "public", theme: str = "light") -> Sheet:
    """The picture of a saved position.

    Args:
        what: ``"public"``, ``"all"``, or an agent, such as ``"player_0"``, for what it may know.

    Raises:
        SnapshotError: the file is no position that play can reach. OptionError: no such view or theme.
    """
    snapshot = read_json(path)
    game = load_game(snapshot["game"])
    states = game.from_snapshot(snapshot)
    view, seat = shown(game, game.to_snapshot(states[0]), what, agent_names(int(states["num_players"][0])))
    return sheet_of(game, view, seat, theme)


def save_picture(sheet: Sheet, path: Path) -> None:
    """Write a picture as ``.svg`` or ``.png``; raises ValueError for another ending."""
    if path.suffix == ".svg":
        path.write_text(sheet.svg())
    elif path.suffix == ".png":
        from PIL import Image

        Image.fromarray(pixels(sheet)).save(path)
    else:
        raise ValueError(f"{path}: a picture ends with .svg or .png")
