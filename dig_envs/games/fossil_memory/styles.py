"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.fossil_memory.heuristic import Weights

STYLES = {
    "greedy": Style(
        "Looks for the part that it needs, whatever that shows to the next player.",
        Weights(minded=0.0),
    ),
    "careful": Style(
        "Rather ends its turn than show the next player something.", Weights(minded=3.0)
    ),
}
