"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.diggity.heuristic import Weights

STYLES = {
    "greedy": Style(
        "Takes what is best for itself at once, whatever that leaves to the others.",
        Weights(minded=0.0),
    ),
    "careful": Style(
        "Keeps its tools together, and fights only for much gold.", Weights(thrift=1.8)
    ),
    "blocking": Style("Above all leaves the others nothing.", Weights(minded=2.5, own_next=0.0)),
}
