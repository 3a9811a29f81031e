"""The scripted player of a game, its styles, and how careless it is."""

from dataclasses import dataclass

import numpy as np

from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.agents.random import RandomAgent
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Array, Game

SETTINGS = "':style=' with the name of a style, and ':careless=' with the share of its choices that are drawn at random, 0 to 1"


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
    given: dict[str, str] = {}
    for words in filter(None, text.split(":")):
        key, sign, value = words.partition("=")
        if not sign or key not in ("style", "careless") or key in given:
            raise ValueError(f"agent 'heuristic' has the settings {SETTINGS}, each once, not {shown_in_message(words)}")
        given[key] = value
    if "style" in given:
        game.style(given["style"])
    try:
        careless = float(given.get("careless", "0"))
    except ValueError:
        careless = -1.0
    if not 0.0 <= careless <= 1.0:
        raise ValueError(f"agent 'heuristic': careless must be a number from 0 to 1, not {shown_in_message(given['careless'])}")
    return HeuristicSettings(given.get("style", ""), careless)


class HeuristicAgent(OneGame):
    """The game's scripted player (``dig_envs/games/<game>/heuristic.py``); deterministic unless it is careless.

    Args:
        game: the game that it plays.
        settings: its style, one of those in the game's ``styles.py``, and how careless it is: with that chance it takes a uniformly
            random legal action instead of its choice.
        seed: of these draws; None for entropy.

    Raises:
        ValueError: there is no such style; the message lists those that there are.
    """

    def __init__(self, game: Game, settings: HeuristicSettings | None = None, seed: int | None = None) -> None:
        settings = settings or HeuristicSettings()
        self.game = game
        parts = [f"style={settings.style}"] * bool(settings.style) + [f"careless={settings.careless:g}"] * bool(settings.careless)
        self.name = ":".join(["heuristic", *parts])
        self._weights = game.style(settings.style).weights if settings.style else None
        self._careless = settings.careless
        self._random = RandomAgent(seed) if settings.careless else None

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """Return one action for each decision; needs ``states`` and ``seats``."""
        records, deciders = check_positions(self.game, states, seats, "the heuristic")
        actions = np.zeros(len(deciders), np.int64)
        if self._weights is None:
            self.game.kernels.heuristic_actions(records, 0, len(deciders), deciders, actions)
        else:
            self.game.kernels.styled_actions(records, 0, len(deciders), deciders, self._weights, actions)
        if self._random is None:
            return actions
        drawn = self._random.act_batch(observation, action_mask)
        return np.where(self._random.draw(len(actions)) < self._careless, drawn, actions)
