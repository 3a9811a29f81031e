"""What is to be decided, in words."""

from dig_envs.text.sentences import headline
from tests.rules.fossil_memory.positions import GAME, start


def test_fm3_fm6_the_headline_says_which_parts_are_missing():
    position = start()
    assert headline(GAME, position.view(1), 1) == "Player 1: turn up a card"
    position.flip("1,2")
    assert (
        headline(GAME, position.view(0), 0)
        == "You: turn up another card; Tyrannosaurus lacks parts 1, 3 and 4"
    )
    position.flip("1,4", "1,1")
    assert (
        headline(GAME, position.view(0), 0)
        == "You: turn up another card; Tyrannosaurus lacks part 3"
    )
