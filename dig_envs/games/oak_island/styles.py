"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.oak_island.heuristic import Weights

STYLES = {
    "greedy": Style(
        "Digs where it pulls most cubes at once, and saves little for later.",
        Weights(later=0.8, now=1.3),
    ),
    "careful": Style("Saves money and tokens for later.", Weights(later=1.1, now=0.5)),
    "blocking": Style("Keeps the locations closed that the others could use.", Weights(spite=1.1)),
}
