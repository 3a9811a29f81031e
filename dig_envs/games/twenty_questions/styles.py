"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.twenty_questions.heuristic import Weights

STYLES = {
    "bold": Style(
        "Guesses early, and stays with a card for longer.", Weights(bold=1.0, patience=1.0)
    ),
    "careful": Style("Asks until it is nearly sure, and guesses late.", Weights(bold=-0.6)),
}
