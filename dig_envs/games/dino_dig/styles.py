"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.dino_dig.heuristic import Weights

STYLES = {
    "hasty": Style(
        "Goes home with a small lead, before the others have much.", Weights(margin=0.5)
    ),
    "patient": Style("Stays until it is far ahead.", Weights(margin=4.5)),
    "blocking": Style(
        "Covers what others want, and keeps their cards away from them.",
        Weights(cover=1.5, withheld=2.0),
    ),
}
