"""The observation of Twenty Questions against the view: every field computed once more, from what a
seat may know."""

from collections import Counter

import pytest

from tests.rules.twenty_questions.positions import GAME, base, consistent, in_play, some_positions
from tests.rules.twenty_questions.printed import CARDS, GENERA, QUESTIONS, RESEARCH, VALUE


def per_genus(cards):
    count = Counter(cards)
    return [count[genus] / 8 for genus in GENERA]


def expected(view, seat):
    """The fields as their meanings say, from a seat's view."""
    n, options, asked = len(view["scores"]), view["options"], view["asked"]
    order = [(seat + k) % n for k in range(n)]
    gone = Counter([*view["discards"], *(genus for cards in view["taken"] for genus in cards)])
    unseen = {genus: CARDS[genus] - gone[genus] for genus in GENERA}
    playing = view["phase"] == "question"
    possible = [genus for genus in GENERA if playing and unseen[genus] and consistent(genus, asked)]
    total = sum(unseen[genus] for genus in possible)
    said = dict(asked)
    taken = [view["taken"][p] for p in order]

    def best(cards, worth):
        return max([worth[genus] for genus in cards], default=0)

    return {
        "unseen": [unseen[genus] / 8 for genus in GENERA],
        "possible": [genus in possible for genus in GENERA],
        "chance": [unseen[genus] / total if genus in possible else 0 for genus in GENERA],
        "card": [genus == view["card"] for genus in GENERA],
        "guessed": [f"guess {genus}" in said for genus in GENERA],
        "discarded": per_genus(view["discards"]),
        "taken": [per_genus(cards) for cards in taken],
        "asked": [question in said for question in QUESTIONS],
        "yes": [said.get(question, False) for question in QUESTIONS],
        "plays": [1] * n,
        "questioner": [p == view["to_move"] for p in order],
        "answerer": [p == view["answerer"] for p in order],
        "left": [view["left"][p] / options["questions"] for p in order],
        "cards": [min(1, len(cards) / 20) for cards in taken],
        "best_research": [best(cards, RESEARCH) / 3 for cards in taken],
        "best_value": [best(cards, VALUE) / 25 for cards in taken],
        "deck": [view["deck"] / 64],
        "num_asked": [len(asked) / options["questions"]],
        "phase": [playing, not playing],
        "num_players": [n == count for count in (2, 3, 4)],
        "questions": [options["questions"] / 40],
        "passing": [options["passing"] == "free"],
    }


def test_every_field_follows_from_the_view():
    for position in some_positions(every=5):
        position.check_observations(expected)


def test_many_cards_are_cut_off():
    """More than 20 cards of a seat are shown as 20."""
    cards = ["MOS"] * 8 + ["ANK"] * 6 + ["QUE"] * 6 + ["PAR"] * 2
    position = in_play(
        "COE", options__questions=40, left=[18, 40], taken=[cards, []], scores=[22, 0], deck=[]
    )
    position.check_observations(expected)
    assert position.observation(0)[GAME.layout["cards"].slice].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("seat", [0, 1])
def test_nothing_is_in_play_when_the_game_is_over(seat):
    position = base("start", {"left": [1, 0]}).play("guess COE")
    position.check_observations(expected)
    for name in ("possible", "chance", "card", "asked", "questioner", "answerer"):
        assert not position.observation(seat)[GAME.layout[name].slice].any()


def test_the_order_is_left_out():
    """The same cards and questions in another order look the same."""
    one = base("start").play("ask trace", "ask carnivore", "guess DIL")
    two = base("start").play("guess DIL", "ask carnivore", "ask trace")
    assert one.observation(0).tobytes() == two.observation(0).tobytes()
    assert one.view(0) != two.view(0)
