"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.the_big_dig.heuristic import Weights

STYLES = {
    "greedy": Style(
        "Argues for the points of the moment, and hardly minds what lasts.", Weights(lasting=0.2)
    ),
    "careful": Style(
        "Argues from what has been discovered rather than from conjectures.", Weights(shaky=0.65)
    ),
    "attacking": Style("Nullifies the other's conjectures wherever it can.", Weights(harm=8.0)),
}
