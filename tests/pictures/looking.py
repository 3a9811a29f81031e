"""Helpers that find things in the picture of a position as a seat sees it."""

from dig_envs.pictures.drawing import sheet_of, touched
from tests.positions import Position


def things(position: Position, seat: int | None) -> dict[str, str]:
    """Name and title of each thing, as a seat sees it, or everybody (None)."""
    snapshot = position.snapshot
    view = position.game.to_public(snapshot) if seat is None else position.view(seat)
    return sheet_of(position.game, view, seat).things


def touched_by(position: Position, action: str) -> tuple[str, ...]:
    """The things that an action of the mover belongs to."""
    seat = position.mover
    return touched(position.game, position.view(seat), seat, position.game.action_index[action])
