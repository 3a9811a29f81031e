"""The styles of the scripted player. Frozen suites of the benchmark play against them."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.fossil_canyon.heuristic import Weights

STYLES = {
    "first": Style(
        "Waits in the end phase for parts that are out of the game, as all styles do.",
        Weights(waits=1.0),
    ),
    "greedy": Style(
        "Takes what adds most to its own hand, and does not mind what it gives to others.",
        Weights(gift=0.0, given_away=0.0, waits=1.0),
    ),
    "careful": Style(
        "Exchanges only for a clear gain, and gives away nothing with which another might "
        "complete a skeleton.",
        Weights(given_away=2.0, least_gain=1.5, waits=1.0),
    ),
    "blocking": Style(
        "Takes parts from whoever is about to complete a skeleton.",
        Weights(gift=1.6, given_away=1.5, denied=0.8, waits=1.0),
    ),
}
