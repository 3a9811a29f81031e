"""Positions of Bone Bids for the tests: the bases of the worked examples with changes, and
deals."""

from dig_envs.registry import load_game
from tests import games, positions  # noqa: F401 (`games` makes the model known)

GAME = load_game("bone_bids")


class Position(positions.Position):
    """A position of Bone Bids."""

    game = GAME


base, deal, refused = Position.base, Position.deal, Position.refused
