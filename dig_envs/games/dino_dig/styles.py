"""The styles of the scripted player. Frozen suites of the benchmark play against them."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.dino_dig.heuristic import Weights

STYLES = {
    "first": Style(
        "Goes home with the same lead however many rivals there are, as all styles do.",
        Weights(per_rival=0.0),
    ),
    "hasty": Style(
        "Goes home with a small lead, before the others have much.",
        Weights(margin=0.5, per_rival=0.0),
    ),
    "patient": Style("Stays until it is far ahead.", Weights(margin=4.5, per_rival=0.0)),
    "blocking": Style(
        "Covers what others want, and keeps their cards away from them.",
        Weights(per_rival=0.0, cover=1.5, withheld=2.0),
    ),
}
