"""What a seat may know, exactly (FM-11): views, determinize, observation, mask, and the ways in which hidden cards could leak."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.fossil_memory import reference
from tests.rules.fossil_memory.positions import GAME, PLACES, RECALLS, Position, base, deal, games, start

FEW = 2 if JIT_DISABLED else 12
EVERY = 17 if JIT_DISABLED else 3


def hidden_places(position, seat):
    return [place for place, card in enumerate(position.view(seat)["grid"]) if card is None]


@pytest.mark.parametrize("recall", RECALLS)
def test_the_view_of_every_seat(recall):
    """Null exactly where FM-11 shows nothing; everything else as it is; the generator is left out."""
    for position in games(FEW, EVERY, recall=recall):
        snapshot = position.snapshot
        views = [position.view(seat) for seat in range(len(snapshot["scores"]))]
        for seat, view in enumerate(views):
            assert view == reference.view(snapshot, seat)
        assert recall == "recent" or all(view == views[0] for view in views)


@pytest.mark.parametrize("recall", RECALLS)
def test_a_redeal_shows_nothing_new(recall):
    """View, observation and mask of the seat are the same bit by bit; the cards it is shown stay, the others are permuted."""
    moved = 0
    for position in games(FEW, EVERY, recall=recall):
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            for seed in range(3):
                twin = position.redeal(seat, seed)
                assert twin.known_to(seat) == position.known_to(seat)
                again = twin.snapshot
                assert sorted(again["grid"]) == sorted(snapshot["grid"])
                for key in set(snapshot) - {"grid", "rng"}:
                    assert again[key] == snapshot[key], key
                shown = set(range(24)) - set(hidden_places(position, seat))
                assert all(again["grid"][place] == snapshot["grid"][place] for place in shown)
                moved += again["grid"] != snapshot["grid"]
                assert GAME.to_snapshot(GAME.from_snapshot(again)[0]) == again
    assert moved


@pytest.mark.parametrize("recall", RECALLS)
def test_other_hidden_cards_change_nothing(recall):
    """Two hidden cards exchanged, without the help of determinize: the seat is told the same, and it may do the same."""
    chance = np.random.default_rng(4)
    for position in games(FEW, EVERY, recall=recall):
        for seat in range(len(position["scores"])):
            hidden = hidden_places(position, seat)
            if len(hidden) < 2:
                continue
            snapshot = position.snapshot
            i, j = chance.choice(hidden, 2, replace=False)
            snapshot["grid"][i], snapshot["grid"][j] = snapshot["grid"][j], snapshot["grid"][i]
            twin = Position(snapshot)
            assert twin.known_to(seat) == position.known_to(seat)


@pytest.mark.parametrize("recall", RECALLS)
def test_equal_views_and_seeds_give_equal_deals(recall):
    """A re-deal is computed from the view alone: re-dealt twice, it is what it is when it is re-dealt once."""
    for position in games(FEW, EVERY, recall=recall):
        for seat in range(len(position["scores"])):
            once = position.redeal(seat, 8)
            assert position.redeal(seat, 3).redeal(seat, 8)["grid"] == once["grid"]
            assert position.redeal(seat, 3).redeal(seat, 8).snapshot == once.snapshot


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of deals")
@pytest.mark.parametrize("recall", RECALLS)
def test_every_redeal_is_equally_likely(recall):
    """Four hidden cards: each of the 24 orders about as often."""
    position = start(recall, max_turns=20)
    for texts in (
        ("1,1", "1,2", "1,3", "1,4"),
        ("1,5", "1,6", "2,1"),
        ("2,2", "2,3", "2,4"),
        ("2,5", "2,6", "3,1"),
        ("3,2", "3,3", "3,4"),
    ):
        position.flip(*texts)
    position.flip("3,5", "3,6", "4,1", "4,2")  # left: DIL1, DIL2, MOS1, MOS2
    assert [position["grid"][place] for place in hidden_places(position, 0)] == ["DIL1", "DIL2", "MOS1", "MOS2"]
    orders = Counter(tuple(position.redeal(0, seed)["grid"][20:]) for seed in range(4800))
    assert len(orders) == 24
    assert all(130 < count < 275 for count in orders.values()), "200 on average, with a standard deviation of 14"


def test_a_redeal_by_hand():
    """Perfect: what was seen stays. None: only what is in sight stays. Recent: what this seat is shown stays."""
    texts = "1,1", "1,5", "2,2", "2,5"
    for recall, kept in (
        ("perfect", [{"1,1", "1,5", "2,2", "2,5"}] * 2),
        ("none", [{"2,2", "2,5"}] * 2),
        ("recent", [{"1,5", "2,2", "2,5"}, {"2,2", "2,5"}]),
    ):
        position = start(recall).flip(*texts)
        for seat in (0, 1):
            always = set(PLACES)
            for seed in range(60):
                grid = position.redeal(seat, seed)["grid"]
                always &= {place for place, card, before in zip(PLACES, grid, position["grid"], strict=True) if card == before}
            assert always == kept[seat]


def test_when_everything_is_known_nothing_is_dealt_anew():
    position = base("end")
    assert position.redeal(0, 1)["grid"] == position["grid"]


def test_the_chance_to_come_is_hidden_too():
    """The generator is seeded anew, and the episode's seed stays."""
    position = deal(5)
    twin = position.redeal(0, 9)
    assert twin.snapshot["rng"] != position.snapshot["rng"]
    assert twin.states["seed"] == position.states["seed"]


@pytest.mark.parametrize("recall", ["recent", "none"])
def test_nothing_in_the_observation_depends_on_the_older_past(recall):
    """Two games with other first turns, and the same flips since: the same observation for every seat."""
    one = start(recall).flip("4,1", "1,1", "1,5", "2,2", "4,6", "2,5", "4,6", "2,2")
    other = start(recall).flip("4,3", "4,5", "1,1", "2,2", "1,5", "2,5", "4,6", "2,2")
    for seat in (0, 1):
        assert one.known_to(seat) == other.known_to(seat)


def test_the_lists_of_the_others_and_orders_are_left_out_of_the_observation():
    """Seat 0 is told the same numbers, whatever seat 2 is shown, and in whatever order cards were flipped."""
    one = start("recent", 3).flip("1,1", "1,5", "4,5", "2,5", "2,2", "2,3", "4,3")
    two = start("recent", 3).flip("1,1", "1,5", "2,5", "4,5", "2,3", "2,2", "4,3")
    assert one["recent.0"] != two["recent.0"]
    assert one["shown"] != two["shown"]
    assert one.observation(0).tobytes() == two.observation(0).tobytes()
    snapshot = one.snapshot
    assert snapshot["recent"][1] == ["2,5", "2,2", "2,3", "4,3"]
    snapshot["recent"][1] = ["4,5", "2,2", "2,3", "4,3"]  # as if seat 1 had ended its turn otherwise
    snapshot["recent"][0] = ["1,5", "2,5", "4,5", "2,2", "2,3", "4,3"]
    assert Position(snapshot).observation(0).tobytes() == one.observation(0).tobytes()
    assert Position(snapshot).observation(1).tobytes() != one.observation(1).tobytes()
