"""A player for people: a share of its choices are plausible mistakes, and none is grave
(:mod:`dig_envs.engine.search.mistakes`)."""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, cast

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.agents.memory import in_mind, memory_size
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Array, Game

CARELESS = "careless"
SETTINGS = {
    "style": "the name of a style",
    CARELESS: "the share of its choices that are plausible mistakes, 0 to 1, none of them grave",
}


def scripted_settings(text: str, who: str, game: Game) -> tuple[str, float | None]:
    """The style, empty for the usual one, and the share of mistakes, None where it is not
    said, in a text such as ``style=greedy:careless=0.2``.

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
    if CARELESS not in given:
        return given.get("style", ""), None
    careless = given[CARELESS]
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
    """The name of the game's player for people with a share of mistakes."""
    return f"{game.player_for_people}:{CARELESS}={share:g}" if share else game.player_for_people


class CarelessAgent(OneGame):
    """Plays as another player, but for a share of its choices, which are plausible mistakes.

    A mistake is one of the best of the other actions, as a look at its next turn finds them. The
    best of these also takes the place of a choice that is grave. Only where there is no other it
    does something grave.

    Args:
        player: that it plays as; it sees and remembers what that one does.
        game: that is played.
        share: of mistakes, 0 to 1; None: none, and the name is that of the other player.
        seed: of the draws; None for entropy.
    """

    def __init__(
        self, player: OneGame, game: Game, share: float | None, seed: int | None = None
    ) -> None:
        self.name = player.name if share is None else f"{player.name}:{CARELESS}={share:g}"
        self.game: Game = game
        self.memory_size = memory_size(player)
        self._player, self._share = player, share or 0.0
        self._rng = np.random.default_rng(seed)

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision; needs ``states`` and ``seats``."""
        actions = self._player.choose(decisions)
        mistaken, draws = np.zeros((2, len(actions)))
        if self._share:
            mistaken, draws = self._rng.random((2, len(actions)))
        return self.game.settle(
            decisions.states,
            decisions.seats,
            decisions.action_mask,
            actions,
            mistaken < self._share,
            draws,
        )

    def in_mind(self, states: Array, seats: Array, memory: Array | None) -> Array:
        """What the other player makes of the positions (:func:`dig_envs.agents.memory.in_mind`)."""
        return in_mind(self._player, states, seats, memory)

    def for_options(self, options: Mapping[str, Any]) -> "CarelessAgent":
        """The player for these options; it draws from the same generator."""
        chosen = copy(self)
        chosen.memory_key = self.memory_key
        chosen._player = cast(OneGame, for_options(self._player, options))
        chosen.memory_size = memory_size(chosen._player)
        return chosen

    def check_num_players(self, counts: Iterable[int]) -> None:
        """Raise PolicyMismatchError if the other player was not trained for so many players."""
        if hasattr(self._player, "check_num_players"):
            self._player.check_num_players(counts)


def carelessly(player: OneGame, game: Game, share: float | None, seed: int | None) -> Agent:
    """The player itself, or a careless one if a share is given."""
    return player if share is None else CarelessAgent(player, game, share, seed)
