"""The scripted player of a game, its styles, and how careless it is."""

from dataclasses import dataclass

import numpy as np

from dig_envs.agents.careless import MEANING, SETTING, careless_share, settings_of
from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.engine.game import Array, Game

SETTINGS = {"style": "the name of a style", **MEANING}  # what they say


@dataclass(frozen=True)
class HeuristicSettings:
    """Settings of the scripted player. ``style``: "" for the usual one. ``careless``: the share of its choices that are random."""

    style: str = ""
    careless: float = 0.0


def heuristic_settings(text: str, game: Game) -> HeuristicSettings:
    """Return the settings in a text such as ``style=greedy:careless=0.2``.

    Raises:
        ValueError: an unknown setting or style, or a bad value; the message says what would be right.
    """
    given = settings_of(text, "heuristic", SETTINGS)
    if "style" in given:
        game.style(given["style"])
    return HeuristicSettings(given.get("style", ""), careless_share(given.get(SETTING, "0"), "heuristic"))


class HeuristicAgent(OneGame):
    """The game's scripted player (``dig_envs/games/<game>/heuristic.py``), deterministic.

    Args:
        game: the game that it plays.
        style: one of those in the game's ``styles.py``; empty: the usual one.

    Raises:
        ValueError: there is no such style; the message lists those that there are.
    """

    def __init__(self, game: Game, style: str = "") -> None:
        self.game = game
        self.name = f"heuristic:style={style}" if style else "heuristic"
        self._weights = game.style(style).weights if style else None

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """Return one action for each decision; needs ``states`` and ``seats``."""
        records, deciders = check_positions(self.game, states, seats, "the heuristic")
        actions = np.zeros(len(deciders), np.int64)
        if self._weights is None:
            self.game.kernels.heuristic_actions(records, 0, len(deciders), deciders, actions)
        else:
            self.game.kernels.styled_actions(records, 0, len(deciders), deciders, self._weights, actions)
        return actions
