"""The knowledge of a seat of Twenty Questions, exactly: views, determinize, and the ways in which
the card in play could leak."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.twenty_questions.positions import (
    base,
    chi_square,
    consistent,
    in_play,
    some_positions,
)
from tests.rules.twenty_questions.printed import CARDS, GENERA


def test_view_of_every_seat():
    """The deck is a length, the card is for the answerer alone, and all else is public."""
    for position in some_positions():
        snapshot = position.snapshot
        del snapshot["rng"]
        for seat in range(len(snapshot["scores"])):
            card = snapshot["card"] if seat == snapshot["answerer"] else None
            assert position.view(seat) == {**snapshot, "deck": len(snapshot["deck"]), "card": card}


@pytest.mark.parametrize(
    ("texts", "limit"),
    [
        ((), 42.3),
        (("ask period K", "guess DIL"), 30),
        (("ask dinosaur", "ask trace", "ask value>=10", "guess DEI"), 30),
    ],
)
def test_redeals_are_uniform(texts, limit):
    """The card in play is drawn from the agreeing cards, each copy equally likely; the top of the
    deck from all the rest."""
    position = base("start").play(*texts)
    games = [position.redeal(0, seed).snapshot for seed in range(600 if JIT_DISABLED else 4000)]
    agreeing = {
        genus: count for genus, count in CARDS.items() if consistent(genus, position["asked"])
    }
    cards = Counter(game["card"] for game in games)
    assert set(cards) == set(agreeing)
    assert chi_square(cards, agreeing) < limit
    rest = {
        genus: CARDS[genus] - agreeing.get(genus, 0) / sum(agreeing.values()) for genus in CARDS
    }
    assert chi_square(Counter(game["deck"][-1] for game in games), rest) < 45


def test_the_answerer_redeals_the_deck_alone():
    """Each order of two different cards is equally likely."""
    games = [in_play("MOS", ["PAR", "STE"]).redeal(1, seed).snapshot for seed in range(400)]
    tops = Counter(game["deck"][-1] for game in games)
    assert set(tops) == {"PAR", "STE"}
    assert min(tops.values()) > 150
    assert {game["card"] for game in games} == {"MOS"}


def test_when_over_the_deck_is_redealt_for_everybody():
    position = base("start", {"left": [1, 0]}).play("guess COE")
    for seat in (0, 1):
        assert len({tuple(position.redeal(seat, seed)["deck"]) for seed in range(5)}) == 5


def test_certainty():
    """If the answers leave one genus, every re-deal has it."""
    position = base("start").play("ask period T")
    assert {position.redeal(0, seed)["card"] for seed in range(10)} == {"COE"}
    assert [
        genus
        for genus, chance in zip(GENERA, position.observation(0)[38:57], strict=True)
        if chance
    ] == ["COE"]
