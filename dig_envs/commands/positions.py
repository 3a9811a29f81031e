"""Saved positions: files that commands read and draw."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dig_envs.adapters.position import agent_names
from dig_envs.adapters.rendering import shown
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.snapshot import ENVIRONMENT
from dig_envs.registry import load_game

if TYPE_CHECKING:
    from dig_envs.pictures.sheet import Sheet


def read_position(path: Path, game: Game | None = None) -> dict[str, Any]:
    """A saved position; raises SnapshotError for other files, and for another game."""
    try:
        snapshot = json.loads(path.read_text())
    except FileNotFoundError:
        raise SnapshotError(f"there is no file {path}") from None
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{path} is not a saved position: {error}") from None
    if not isinstance(snapshot, dict) or not isinstance(snapshot.get("game"), str):
        raise SnapshotError(f"{path} is not a saved position: it names no game")
    if not isinstance(snapshot.get(ENVIRONMENT), str | None):
        raise SnapshotError(
            f"{path} is not a saved position: its environment is "
            f"{shown_in_message(snapshot[ENVIRONMENT])}"
        )
    if game is not None and snapshot["game"] != game.name:
        raise SnapshotError(
            f"{path} is a saved position of {shown_in_message(snapshot['game'])}, not of "
            f"{game.name}"
        )
    return snapshot


def picture_of(path: Path, what: str, theme: str, layout: str = "wide") -> "Sheet":
    """The picture of a saved position.

    Args:
        path: the file.
        what: ``"public"``, ``"all"``, or an agent, such as ``"player_0"``, for what it may know.
        theme: ``"light"`` or ``"dark"``.
        layout: ``"wide"``, or ``"column"`` for a phone or a column of a paper.

    Raises:
        SnapshotError: the file is not a position that play can reach. OptionError: no such view,
            theme or layout.
    """
    from dig_envs.pictures.drawing import sheet_of  # which needs an extra

    snapshot = read_position(path)
    game = load_game(snapshot.get(ENVIRONMENT) or f"{snapshot['game']}_v0")
    states = game.from_snapshot(snapshot)
    view, seat = shown(
        game, game.to_snapshot(states[0]), what, agent_names(int(states["num_players"][0]))
    )
    return sheet_of(game, view, seat, theme, layout=layout)
