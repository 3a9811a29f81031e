"""BD-8, BD-9 and the section "Chance": decks, the initial discovery, the first card; options."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import OptionError
from tests.rules.the_big_dig.positions import GAME, deal
from tests.rules.the_big_dig.reference import (
    REGIONS,
    attribute,
    decks,
    discovered_by,
    fauna,
    in_order,
)

NAMES = ("starter", "second", "third", "fourth")
DEALS = 10 if JIT_DISABLED else 100
slow_as_plain_python = pytest.mark.skipif(JIT_DISABLED, reason="many deals")


def states_in(cards):
    return [card for card in cards if card[0].isdigit()]


def within(found, expected):
    """Whether a count is as expected, within five standard deviations at most."""
    return abs(found - expected) < 5 * expected**0.5


# ---------------------------------------------------------------- the position at the start


@pytest.mark.parametrize("deck", ["random", *NAMES, "wild"])
def test_bd8_the_beginning(deck):
    """BD-8, BD-9: the initial discovery and the first turn's card are drawn; everything else is
    empty."""
    for seed in range(DEALS):
        snapshot = deal(seed, deck=deck).snapshot
        drawn = snapshot["drawn"]
        assert (len(drawn), len(snapshot["deck"])) == (2, 23)
        assert drawn[0] in states_in(drawn)
        assert snapshot["discovered"] == in_order(
            space for card in states_in(drawn) for space in discovered_by(card)
        )
        request = drawn[1].removeprefix("request ")
        assert snapshot["request"] == (request if request != drawn[1] else None)
        assert (snapshot["phase"], snapshot["to_move"], snapshot["turn"]) == ("model", 0, 1)
        empty = {
            "scores": [0, 0],
            "winners": [],
            "conjectured": [],
            "tokens": [{}, {}],
            "models": [[], []],
            "arguments": [],
        }
        empty |= {
            "truncated": False,
            "spent": [[], []],
            "evaluation": [None, None],
            "pending": [[], []],
            "final": None,
        }
        assert {key: snapshot[key] for key in empty} == empty
        assert snapshot["options"] == {
            "num_players": 2,
            "deck": deck,
            "first_discovery": "random",
            "variant": 0,
            "variants": 1,
            "turns": 6,
        }


def test_bd8_the_starter_discovery():
    """BD-8, option `first_discovery`: large canines, always; the rest is shuffled."""
    orders = set()
    for seed in range(DEALS):
        snapshot = deal(seed, deck="starter", first_discovery="starter").snapshot
        assert snapshot["drawn"][0] == "2-3"
        orders.add(tuple(snapshot["deck"]))
        assert Counter(snapshot["deck"] + snapshot["drawn"]) == Counter(decks()["starter"])
    assert len(orders) > 2


# ---------------------------------------------------------------- evenly


@slow_as_plain_python
def test_bd8_decks_discoveries_and_orders_are_even():
    """Chance: the deck, the initial discovery, and each card on each place of the rest."""
    count = 3000
    snapshots = [deal(seed).snapshot for seed in range(count)]
    found = Counter()
    for snapshot in snapshots:
        cards = Counter(snapshot["deck"] + snapshot["drawn"])
        (name,) = [name for name in NAMES if Counter(decks()[name]) == cards]
        found[name] += 1
        found[name, snapshot["drawn"][0]] += 1
        found["turn 1", snapshot["drawn"][1] == "rock"] += 1
        found["bottom", snapshot["deck"][0] == "rock"] += 1
    for name in NAMES:
        assert within(found[name], count / 4)
        for card in states_in(decks()[name]):
            assert within(found[name, card], count / 32)
    for place in ("turn 1", "bottom"):
        assert within(found[place, True], count * 15 / 24)


@slow_as_plain_python
def test_bd8_wild_decks():
    """BD-8 (added): a species, eight of its physical states, two requests, each evenly; every deck
    agrees with a living species."""
    count = 3000
    found = Counter()
    for seed in range(count):
        snapshot = deal(seed, deck="wild").snapshot
        cards = snapshot["deck"] + snapshot["drawn"]
        states, requests = states_in(cards), [card for card in cards if card.startswith("request")]
        numbers = {attribute(state) for state in states}
        assert len(states) == len(numbers) == 8
        assert max(numbers) <= 14
        assert len(set(requests)) == len(requests) == 2
        assert cards.count("rock") == 15
        wanted = {attribute(state): int(state.split("-")[1]) for state in states}
        assert any(all(species[a] == s for a, s in wanted.items()) for species in fauna())
        found.update(numbers)
        found.update(requests)
        found.update(states)
        found["first", attribute(snapshot["drawn"][0])] += 1
    for a in range(1, 15):
        assert within(found[a], count * 8 / 14)
        assert within(found["first", a], count / 14)
        for s in {species[a] for species in fauna()}:
            share = sum(species[a] == s for species in fauna()) / len(fauna())
            assert within(found[f"{a}-{s}"], count * 8 / 14 * share), (a, s)
    for region in REGIONS:
        assert within(found[f"request {region}"], count / 3)


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("deck", ["random", "second", "wild"])
def test_the_starter_discovery_belongs_to_the_starter_deck(deck):
    """Option `first_discovery`."""
    with pytest.raises(OptionError, match="deck"):
        GAME.complete_options({"first_discovery": "starter", "deck": deck})
