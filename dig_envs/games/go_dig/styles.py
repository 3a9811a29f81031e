"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.go_dig.heuristic import Weights

STYLES = {
    "greedy": Style(
        "Asks for what is worth most at once, and minds neither what it shows nor the rest of its "
        "turn.",
        Weights(go_on=0.0, exposed=0.0),
    ),
    "careful": Style(
        "Asks where it shows least of what others could take.", Weights(exposed=2.0, shown=0.8)
    ),
}
