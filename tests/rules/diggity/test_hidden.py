"""The knowledge of a seat: views, re-deals (the rules' section "Determinize"), and hidden tools,
DG-32 and DG-33."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.diggity.positions import STUCK, arrange, base, whole_game
from tests.rules.diggity.reference import places

SEEDS = 2 if JIT_DISABLED else 9
HIDDEN = {"pile", "gold", "gold_aside", "hands", "tools"}


def some_positions(**options):
    """Positions of random games, of all numbers of players, with open and with hidden tools."""
    for seed in range(SEEDS):
        yield from whole_game(
            seed, 19, num_players=2 + seed % 3, hidden_tools=seed % 2 == 1, **options
        )


# ---------------------------------------------------------------- the view


def test_view_of_every_seat():
    for position in some_positions():
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            view = position.view(seat)
            for key in ("pile", "gold", "gold_aside"):
                assert view[key] == len(snapshot[key])
            assert view["hands"] == [
                hand if p == seat else len(hand) for p, hand in enumerate(snapshot["hands"])
            ]
            assert view["tools"] == [
                seen_tools(snapshot, seat, p) for p in range(len(snapshot["scores"]))
            ]
            assert set(view) == set(snapshot) - {"rng"}
            assert all(view[key] == snapshot[key] for key in set(view) - HIDDEN)


def seen_tools(snapshot, seat, p):
    """DG-32, DG-33: the own ones and all when they are not hidden; else first those that lie open,
    then null."""
    held = snapshot["tools"][p]
    if p == seat or not snapshot["options"]["hidden_tools"] or snapshot["phase"] == "over":
        return held
    seen = [kind for kind in held if snapshot["revealed"] and snapshot["revealed"]["kind"] == kind]
    return seen + [None] * (len(held) - len(seen))


# ---------------------------------------------------------------- determinize


def test_gold_is_mixed_over_deck_and_aside():
    """1: also the cards set aside."""
    position = base("jill")
    tops = Counter(
        position.redeal(1, seed)["gold"][-1] for seed in range(60 if JIT_DISABLED else 600)
    )
    assert set(tops) == {1, 2, 3, 4, 5, 6}
    if not JIT_DISABLED:
        unseen = Counter(position["gold"] + position["gold_aside"])
        for value, count in unseen.items():
            assert abs(tops[value] / 600 - count / 14) < 0.08


def test_hands_are_uniform():
    """2: each unseen card is as often in the other's hand as any other."""
    position, deals = base("start"), 100 if JIT_DISABLED else 1000
    seen = Counter(card for seed in range(deals) for card in position.redeal(0, seed)["hands.1"])
    unseen = Counter(position["pile"] + position["hands.1"])
    assert set(seen) <= set(unseen)
    for card, count in unseen.items():
        share = 5 * count / 59
        assert abs(seen[card] / deals - share) < 6 * (share / deals) ** 0.5, card


def test_who_has_just_passed_has_nothing_that_can_be_laid():
    """Chance 2: a re-deal gives a seat that has just passed no card that can be laid, as long as
    the mine has not changed."""
    position = base("ring", STUCK).play("pass")
    for seed in range(20):
        hand = position.redeal(0, seed)["hands.1"]
        assert not any(places(position.mine, card) for card in hand)
    hands = {tuple(position.redeal(0, seed)["hands.1"]) for seed in range(20)}
    assert len(hands) > 5
    card = position.play(sorted(position.legal)[0])  # a card is chosen: the mine is still the same
    assert not any(places(card.mine, held) for held in card.redeal(0, 1)["hands.1"])


def test_a_pass_is_forgotten_when_a_card_is_laid():
    """Chance 2, added rule 14: after another card is laid, a re-deal may give a seat that passed
    cards that can be laid."""
    position = base("ring", STUCK).play("pass", "card 0")
    position.play(
        next(
            text for text in sorted(position.legal) if position.copy().play(text)["phase"] == "play"
        )
    )
    position = position if position["mine"] else base("ring", STUCK)
    hands = [position.redeal(0, seed)["hands.1"] for seed in range(30)]
    assert any(places(position.mine, card) for hand in hands for card in hand)


def test_too_few_cards_that_cannot_be_laid():
    """2: in a contrived position the rest of the hand comes from the others."""
    position = base("parts", {"passes": 1})
    twin = position.redeal(0, 3)
    assert len(twin["hands.1"]) == 5
    assert twin.known_to(0) == position.known_to(0)


def test_hidden_tools_are_mixed_over_their_places():
    """3: of the others, those that do not lie open; every kind gets everywhere."""
    tools = [["shed"], ["shovel", "pulley"], ["shovel", "cart", "shed"]]
    revealed = {"kind": "shovel", "thief": 1}
    position = arrange([[], [], []], tools=tools, options__hidden_tools=True, revealed=revealed)
    seen = Counter()
    for seed in range(60):
        dealt = position.redeal(0, seed)["tools"]
        assert dealt[0] == ["shed"]
        assert [held.count("shovel") for held in dealt] == [0, 1, 1]
        assert sorted(dealt[1] + dealt[2]) == sorted(tools[1] + tools[2])
        seen[dealt[1][1] if dealt[1][0] == "shovel" else dealt[1][0]] += 1
    assert set(seen) == {"pulley", "cart", "shed"}
    assert min(seen.values()) > 8


# ---------------------------------------------------------------- hidden tools


@pytest.mark.parametrize("players", [2, 3, 4])
def test_whether_someone_is_asked_never_depends_on_what_is_hidden(players):
    """DG-32, DG-33: with the hidden tools re-dealt, the same actions bring the same seat to move,
    as far as they are legal."""
    for seed in range(1 if JIT_DISABLED else 4):
        for position in whole_game(seed, 7, num_players=players, hidden_tools=True):
            if position["phase"] != "auction":
                continue
            observer = (position.mover + 1) % players
            twin = position.redeal(observer, 5)
            for text in sorted(position.legal & twin.legal):
                one, other = position.copy().play(text), twin.copy().play(text)
                if one["phase"] == "auction":
                    assert (one.mover, one["phase"]) == (other.mover, other["phase"])
