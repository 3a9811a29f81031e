"""A game in which happens what is rare: that somebody has no card that fits, and passes."""

from collections.abc import Iterator

from tests.rules.diggity.positions import deal

SEED = 2631  # of one game in about a thousand among four scripted players


def played() -> Iterator[str]:
    """Return the actions of scripted players until somebody passes (DG-11), or the game is over."""
    position, text = deal(SEED, num_players=4), ""
    while text != "pass" and position.legal:
        text = position.scripted
        position.play(text)
        yield text
