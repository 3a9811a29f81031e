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

LARGE, MOLARS = '"large canines"', '"back molars"'
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
        'The dig brings up "broad snout", a discovery.',
        'Claimed no more: "no broad snout".',
        "Player 1 loses 3 points for 1 bet on Snout Shape.",
        "Player 2 loses 1 point for 3 bets on Snout Shape.",
        f'Player 1\'s claim "no broad snout" from {LARGE} falls: the discovery contradicts it.',
        'Player 2\'s claim "no short shins" from "no broad snout" falls: the discovery contradicts '
        "it.",
        'Claimed no more: "no short shins".',
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
            f'Your claim "hunts" from {LARGE} falls: an attack from discovered inputs is aimed at '
            "it."
        ),
        'Claimed no more: "hunts".',
        (
            f'Your claim "no hands on tips" from {LARGE} and "hunts" falls: an input is neither '
            "discovered nor claimed."
        ),
        'Claimed no more: "no hands on tips".',
        (
            f'Player 2\'s attack on a claim about "hunts" from {LARGE} and {MOLARS} holds to the '
            "end: 5 points."
        ),
        "You lose 2 points for 2 bets on what nobody claims.",
        "Player 2 loses 1 point for 1 bet on what nobody claims.",
        # BD-30: 13 for one token, 11 for each of two
        'The claim "eyes at front" has support 13.',
        'The claim "no eyes at front" has support 22.',
        'Claimed no more: "eyes at front".',
        'Player 2 gets 3 points for 3 bets in agreement with the claim "no eyes at front".',
        # BD-33
        f'Your claim "no back cones" from {LARGE} holds to the end: 5 points.',
        f'Player 2\'s claim "no eyes at front" from {MOLARS} holds to the end: 5 points.',
        "The game is over. All turns are played. Player 2 won.",
    ]


def test_bd_30_weighed_only_where_markers_compete():
    told = arrange("placement", arguments=[PREDATOR], tokens=[{"18-1-A": 1}, {}], turn=6).happens(
        "done", viewer=1
    )
    assert told[-4:] == [
        "The last turn is over; the final scoring begins.",
        'Player 1 gets 1 point for 1 bet in agreement with the claim "hunts".',
        f'Player 1\'s claim "hunts" from {LARGE} holds to the end: 5 points.',
        "The game is over. All turns are played. Player 1 won.",
    ]
