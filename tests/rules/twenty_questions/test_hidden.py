"""What a seat of Twenty Questions may know, exactly: views, determinize, and the ways in which the card in play could leak."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.twenty_questions.positions import GAME, Position, base, deal, in_play
from tests.rules.twenty_questions.printed import CARDS, GENERA, QUESTIONS

SEEDS = 6 if JIT_DISABLED else 30


def some_positions(every=3):
    """Positions of random games with many passes and guesses, of all numbers of players and both kinds of passing."""
    for seed in range(SEEDS):
        position = deal(seed, num_players=2 + seed % 3, questions=5 + 7 * (seed % 6), passing=("asked", "free")[seed // 3 % 2])
        chance = np.random.default_rng(seed)
        step = 0
        while True:
            if step % every == 0 or position.mover < 0:
                yield position
            if position.mover < 0:
                break
            position.play(str(chance.choice(sorted(position.legal))))
            step += 1


def consistent(card, asked):
    """Whether all that has been answered is true for a genus."""
    return all(yes == (card in QUESTIONS[text] if text in QUESTIONS else text == f"guess {card}") for text, yes in asked)


def test_view_of_every_seat():
    """The deck is a length, the card is for the answerer alone, and all else is public."""
    for position in some_positions():
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            view = position.view(seat)
            assert view["deck"] == len(snapshot["deck"])
            assert view["card"] == (snapshot["card"] if seat == snapshot["answerer"] else None)
            assert set(view) == set(snapshot) - {"rng"}
            for key in set(view) - {"deck", "card"}:
                assert view[key] == snapshot[key]


def test_the_card_changes_nothing_for_others():
    """TQ-2: with another card of which the answers are true, all but the answerer are told the same, bit by bit."""
    compared = 0
    for position in some_positions():
        snapshot = position.snapshot
        if snapshot["phase"] == "over":
            continue
        for place, card in enumerate(snapshot["deck"][:20]):
            if card != snapshot["card"] and consistent(card, snapshot["asked"]):
                deck = [*snapshot["deck"]]
                deck[place] = snapshot["card"]
                other = Position({**snapshot, "card": card, "deck": deck})
                for seat in range(len(snapshot["scores"])):
                    same = position.known_to(seat) == other.known_to(seat)
                    assert same == (seat != snapshot["answerer"])
                assert other.scripted == position.scripted
                compared += 1
                break
    assert compared > 20


def test_the_deck_changes_nothing_for_anybody():
    """Its order is known to nobody, not to the answerer either."""
    for position in some_positions():
        snapshot = position.snapshot
        other = Position({**snapshot, "deck": snapshot["deck"][::-1]})
        for seat in range(len(snapshot["scores"])):
            assert position.known_to(seat) == other.known_to(seat)


def test_redeals_look_the_same():
    """Determinize: view, observation and mask stay, the snapshot stays sound, and what has been answered is true."""
    for position in some_positions(every=5):
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            twin = position.redeal(seat, 11 * seat + 1)
            assert twin.known_to(seat) == position.known_to(seat)
            again = twin.snapshot
            GAME.from_snapshot(again)
            assert Counter([*again["deck"], again["card"]]) == Counter([*snapshot["deck"], snapshot["card"]])
            assert set(again) == set(snapshot)
            for key in set(again) - {"deck", "card", "rng"}:
                assert again[key] == snapshot[key]
            if seat == snapshot["answerer"] or snapshot["phase"] == "over":
                assert again["card"] == snapshot["card"]
            else:
                assert consistent(again["card"], again["asked"])


def test_redeals_depend_on_the_view_alone():
    """Equal views and seeds give equal re-deals, whatever the card and the order of the deck are."""
    for position in some_positions(every=7):
        snapshot = position.snapshot
        if snapshot["phase"] == "over":
            continue
        other = position.redeal(snapshot["to_move"], 1234)
        for seed in range(3):
            one, two = (twin.redeal(snapshot["to_move"], seed).snapshot for twin in (position, other))
            assert one == two


def chi_square(found, weights, games):
    expected = {genus: games * weight / sum(weights.values()) for genus, weight in weights.items()}
    assert set(found) <= set(expected)
    return sum((found[genus] - count) ** 2 / count for genus, count in expected.items())


@pytest.mark.parametrize(
    ("texts", "limit"),
    [((), 42.3), (("ask period K", "guess DIL"), 30), (("ask dinosaur", "ask trace", "ask value>=10", "guess DEI"), 30)],
)
def test_redeals_are_uniform(texts, limit):
    """The card in play is drawn from the agreeing cards, each copy equally likely; the top of the deck from all the rest."""
    position = base("start").play(*texts)
    games = 600 if JIT_DISABLED else 4000
    cards, tops = Counter(), Counter()
    for seed in range(games):
        twin = position.redeal(0, seed).snapshot
        cards[twin["card"]] += 1
        tops[twin["deck"][-1]] += 1
    asked = position["asked"]
    agreeing = {genus: count for genus, count in CARDS.items() if consistent(genus, asked)}
    assert set(cards) == set(agreeing)
    assert chi_square(cards, agreeing, games) < limit
    total = sum(agreeing.values())
    rest = {genus: CARDS[genus] - agreeing.get(genus, 0) / total for genus in CARDS}
    assert chi_square(tops, rest, games) < 45


def test_the_answerer_redeals_the_deck_alone():
    """Each order of two different cards is equally likely."""
    position = in_play("MOS", ["PAR", "STE"])
    tops = Counter(position.redeal(1, seed)["deck"][-1] for seed in range(400))
    assert set(tops) == {"PAR", "STE"}
    assert min(tops.values()) > 150
    assert all(position.redeal(1, seed)["card"] == "MOS" for seed in range(20))


def test_when_over_the_deck_is_redealt_for_everybody():
    position = base("start", {"left": [1, 0]}).play("guess COE")
    for seat in (0, 1):
        decks = {tuple(position.redeal(seat, seed)["deck"]) for seed in range(5)}
        assert len(decks) == 5
        assert all(Counter(deck) == Counter(position["deck"]) for deck in decks)


def test_certainty():
    """If the answers leave one genus, every re-deal has it."""
    position = base("start").play("ask period T")
    assert {position.redeal(0, seed)["card"] for seed in range(10)} == {"COE"}
    assert [genus for genus, chance in zip(GENERA, position.observation(0)[38:57], strict=True) if chance] == ["COE"]
