"""A player that is careless: a share of its choices is drawn at random."""

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.agents.memory import memory_size
from dig_envs.agents.protocol import Agent
from dig_envs.agents.random import RandomAgent
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Array, Game

CARELESS = "careless"
SETTINGS = {
    "style": "the name of a style",
    CARELESS: "the share of its choices that are drawn at random, 0 to 1",
}


def scripted_settings(text: str, who: str, game: Game) -> tuple[str, float]:
    """Return the style, empty for the usual one, and the share of random choices in a text such as
    ``style=greedy:careless=0.2``.

    Args:
        text: what stands behind a player's name.
        who: that name: ``heuristic``, or that of a player that only this game has, which has no
            styles.
        game: that it plays.

    Raises:
        ValueError: an unknown setting or style, one that is given twice, or a bad value; the
            message says what would be right.
    """
    keys = SETTINGS if who == "heuristic" else {CARELESS: SETTINGS[CARELESS]}
    given: dict[str, str] = {}
    for words in filter(None, text.split(":")):
        key, sign, value = words.partition("=")
        if not sign or key not in keys or key in given:
            known = ", and ".join(f"':{name}=' with {meaning}" for name, meaning in keys.items())
            raise ValueError(
                f"agent {shown_in_message(who)} has the settings {known}, each once, not "
                f"{shown_in_message(words)}"
            )
        given[key] = value
    if "style" in given:
        game.style(given["style"])
    careless = given.get(CARELESS, "0")
    try:
        share = float(careless)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ValueError(
            f"agent {shown_in_message(who)}: careless must be a number from 0 to 1, not "
            f"{shown_in_message(careless)}"
        )
    return given.get("style", ""), share


def careless_name(game: Game, share: float) -> str:
    """Return the name of the game's player for people with a share of random choices."""
    return f"{game.player_for_people}:{CARELESS}={share:g}" if share else game.player_for_people


class CarelessAgent(OneGame):
    """Plays as another player, but for a share of its choices, which are uniformly random legal
    actions.

    Args:
        player: that it plays as; it sees and remembers what that one does.
        share: of random choices, 0 to 1.
        seed: of the draws; None for entropy.
    """

    needs_positions = False  # the other player says so where it does

    def __init__(self, player: Agent, share: float, seed: int | None = None) -> None:
        self.name = f"{player.name}:{CARELESS}={share:g}"
        self.game = getattr(player, "game", None)
        self.memory_size = memory_size(player)
        self._player, self._share, self._random = player, share, RandomAgent(seed)

    def choose(self, asked: Decisions) -> Array:
        """Return one action for each decision; needs what the other player needs."""
        kept = (asked.memory,) if self.memory_size else ()
        actions = self._player.act_batch(*asked[:4], *kept)
        drawn = self._random.choose(asked)
        return np.where(self._random.draw(len(actions)) < self._share, drawn, actions)


def carelessly(player: Agent, share: float, seed: int | None) -> Agent:
    """Return a player, careless if the share is above 0."""
    return CarelessAgent(player, share, seed) if share else player
