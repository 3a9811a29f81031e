"""Sentences about what happens that tests/playthroughs do not record: rare kinds, the order, what
must not be told."""

from tests.rules.the_big_dig.positions import argument, arrange

# The rules' worked example of a final scoring: what stands before it.
DRAWN = ["2-3", "3-3", "rock", "rock", "rock", "rock", "rock"]
ARGUMENTS = [
    argument(0, 1, ["2-3-A"], "3-1-N"),
    argument(0, 2, ["2-3-A"], "18-1-A"),
    argument(0, 3, ["2-3-A", "18-1-A"], "26-3-N"),
    argument(1, 3, ["2-3-A", "3-3-A"], "18-1", target="2-3-A"),
    argument(1, 4, ["3-3-A"], "5-1-N"),
    argument(0, 4, ["2-3-A"], "5-1-A"),
]
TOKENS = [{"5-1-A": 1, "18-1-A": 1, "26-3-N": 1}, {"5-1-N": 2, "5-2-N": 1}]

LARGE, MOLARS = '"Canines: large"', '"Back Teeth: molars"'
PREDATOR = argument(0, 1, ["2-3-A"], "18-1-A")
# ---------------------------------------------------------------- arguments


def test_bd_24_bd_25_a_discovery_in_the_order_of_the_rules():
    """BD-24, BD-25: after a discovery markers, tokens and arguments change in the order of the
    rules; then orphaned markers are removed.
    """
    arguments = [argument(0, 1, ["2-3-A"], "6-2-N"), argument(1, 2, ["6-2-N"], "13-1-N")]
    tokens = [{"6-2-N": 1, "27-1-A": 1}, {"6-1-N": 2, "6-2-N": 1}]
    position = arrange(
        "placement", on_top=["6-2"], arguments=arguments, tokens=tokens, turn=3, scores=[3, 20]
    )
    assert position.happens("done", "done", viewer=None)[-7:] == [
        'The excavation shows "Snout Shape: broad", a discovery.',
        'The conjectured marker on "Snout Shape: not broad" is removed.',
        "Player 1 loses 3 points for 1 token on Snout Shape, and takes it back.",
        "Player 2 loses 1 point for 3 tokens on Snout Shape, and takes them back.",
        (
            f'Player 1\'s conjecture "Snout Shape: not broad" from {LARGE} becomes invalid: the '
            "discovery contradicts it."
        ),
        'Player 2\'s conjecture "Distal Hindlimb: not short" from "Snout Shape: not broad" '
        "becomes invalid: the discovery "
        "contradicts it.",
        'The conjectured marker on "Distal Hindlimb: not short" is removed.',
    ]


# ---------------------------------------------------------------- the end


def test_bd_23_bd_26_to_bd_34_the_final_scoring_in_the_order_of_the_rules():
    """The worked example of RULES.md, step by step."""
    position = arrange(
        "placement", drawn=DRAWN, arguments=ARGUMENTS, tokens=TOKENS, scores=[9, 7], turn=6
    )
    # BD-28
    assert position.happens("done", "done", viewer=0)[5:] == [
        "The last turn is over; the final scoring begins.",
        (
            f'Your conjecture "Predation: yes" from {LARGE} becomes invalid: a nullification from '
            "discovered inputs is aimed at it."
        ),
        'The conjectured marker on "Predation: yes" is removed.',
        (
            f'Your conjecture "Manus Posture: not tips" from {LARGE} and "Predation: yes" becomes '
            "invalid: an input has no marker."
        ),
        'The conjectured marker on "Manus Posture: not tips" is removed.',
        (
            f'Player 2\'s nullification about "Predation: yes" from {LARGE} and {MOLARS} is still '
            "valid and gives 5 points."
        ),
        "You lose 2 points for 2 tokens on spaces without a marker.",
        "Player 2 loses 1 point for 1 token on spaces without a marker.",
        # BD-30: 13 for one token, 11 for each of two
        'The conjectured marker on "Eye Position: front" has support 13.',
        'The conjectured marker on "Eye Position: not front" has support 22.',
        'The conjectured marker on "Eye Position: front" is removed.',
        (
            'Player 2 gets 3 points for 3 tokens compatible with the marker on "Eye Position: not '
            'front".'
        ),
        # BD-33
        f'Your conjecture "Back Teeth: not cones" from {LARGE} is still valid and gives 5 points.',
        (
            f'Player 2\'s conjecture "Eye Position: not front" from {MOLARS} is still valid and '
            "gives 5 points."
        ),
        "The game is over. All turns are played. Player 2 won.",
    ]


def test_bd_30_weighed_only_where_markers_compete():
    told = arrange("placement", arguments=[PREDATOR], tokens=[{"18-1-A": 1}, {}], turn=6).happens(
        "done", viewer=1
    )
    assert told[-4:] == [
        "The last turn is over; the final scoring begins.",
        'Player 1 gets 1 point for 1 token compatible with the marker on "Predation: yes".',
        f'Player 1\'s conjecture "Predation: yes" from {LARGE} is still valid and gives 5 points.',
        "The game is over. All turns are played. Player 1 won.",
    ]
