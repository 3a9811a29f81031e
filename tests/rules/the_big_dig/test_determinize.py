"""The section "Determinize": what is re-dealt, what stays, and how evenly."""

from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.the_big_dig.positions import GAME, argument, arrange
from tests.rules.the_big_dig.reference import REGIONS, SPACES, attribute, decks, fauna
from tests.rules.the_big_dig.test_hidden import SEALED, every_phase, on_the_way, start

SEEDS = range(4 if JIT_DISABLED else 1000)
MODELS = 148 + 10528  # with one and with two inputs
slow_as_plain_python = pytest.mark.skipif(JIT_DISABLED, reason="too slow")


def check_kept(position, seat, seed):
    """The seat knows the same as before, of a possible position; returns it."""
    twin = position.redeal(seat, seed)
    assert twin.known_to(seat) == position.known_to(seat)
    assert GAME.to_snapshot(GAME.from_snapshot(twin.snapshot)[0]) == twin.snapshot
    return twin


def check_shares(found, weights):
    """Everything is found that has a weight, nothing else, and as often as it should be, within
    five standard deviations."""
    assert set(found) == set(weights)
    for what, weight in weights.items():
        expected = found.total() * weight / sum(weights.values())
        assert abs(found[what] - expected) < 5 * expected**0.5, what


@every_phase
@pytest.mark.parametrize("together", [False, True])
def test_commitments_are_dealt_anew(snapshot, mine, yours, together):
    """Of the other, a half-made commitment is empty again, a finished one is random; the own
    stays."""
    models = snapshot["phase"] in ("model", "research_model")
    for texts, answer in zip(mine, yours, strict=False):
        for position, _ in on_the_way(snapshot, texts, answer, together):
            for seat in (0, 1):
                twin = check_kept(position, seat, 5)
                assert twin.mover >= 0
                assert twin[f"pending.{seat}"] == position[f"pending.{seat}"]
                if not together:
                    assert bool(twin[f"pending.{1 - seat}"]) == (
                        not models and not position.states["owes"][0][1 - seat]
                    )


# ---------------------------------------------------------------- cards


def test_a_known_deck_is_shuffled():
    """Step 1: the same cards in another order, each as often on top; what was drawn stays."""
    position = arrange("model", deck="third", drawn=["7-1", "rock", "request movement"])
    tops = Counter()
    for seed in SEEDS:
        twin = position.redeal(seed % 2, seed)
        assert Counter(twin["deck"]) == Counter(position["deck"])
        assert twin["drawn"] == position["drawn"]
        tops[twin["deck"][-1]] += 1
    assert len(tops) > 1
    if not JIT_DISABLED:
        check_shares(tops, Counter(position["deck"]))


def deck_of(snapshot):
    cards = Counter(snapshot["deck"] + snapshot["drawn"])
    (name,) = [name for name in decks() if Counter(decks()[name]) == cards]
    return name


@slow_as_plain_python
@pytest.mark.parametrize(
    ("deck", "drawn", "possible"),
    [
        ("second", ["1-2", "rock"], {"starter", "second"}),
        ("second", ["10-1", "rock"], {"second", "third"}),
        ("second", ["11-2", "3-2", "rock", "10-1"], {"second", "third"}),
        ("third", ["7-1", "rock"], {"third", "fourth"}),
        ("third", ["7-1", "13-3", "request movement"], {"third"}),
        ("fourth", ["8-3", "request diet"], {"starter", "fourth"}),
    ],
)
def test_a_random_deck_is_any_that_fits(deck, drawn, possible):
    """Step 1: evenly one of the four that contain all cards drawn."""
    position = arrange("model", deck=deck, drawn=drawn, options__deck="random")
    found = Counter(deck_of(position.redeal(seed % 2, seed).snapshot) for seed in range(400))
    check_shares(found, dict.fromkeys(possible, 1))


@slow_as_plain_python
def test_a_wild_deck_is_dealt_from_what_is_possible():
    """Step 1: a species with all states drawn, then attributes, then requests, each evenly."""
    drawn = ["2-3", "3-3", "rock", "request diet"]
    cards = next(s for s in fauna() if (s[2], s[3]) == (3, 3))
    wild = (
        [f"{a}-{cards[a]}" for a in range(1, 9)] + ["request diet", "request skull"] + ["rock"] * 15
    )
    position = arrange("model", cards=wild, drawn=drawn)
    possible = [species for species in fauna() if (species[2], species[3]) == (3, 3)]
    count = 4000
    seen = Counter()
    for seed in range(count):
        twin = position.redeal(seed % 2, seed)
        hidden = twin["deck"]
        states = [card for card in hidden if card[0].isdigit()]
        assert len(states) == len({attribute(state) for state in states}) == 6
        assert any(
            all(species[attribute(s)] == int(s.split("-")[1]) for s in states)
            for species in possible
        )
        assert len(hidden) == 21
        seen.update(states)
        (request,) = [card for card in hidden if card.startswith("request")]
        seen[request] += 1
    for region in set(REGIONS) - {"diet"}:
        assert abs(seen[f"request {region}"] - count / 5) < 5 * (count / 5) ** 0.5, region
    assert seen["request diet"] == 0
    for a in [a for a in range(1, 15) if a not in (2, 3)]:
        for s in {species[a] for species in possible}:
            expected = count / 2 * sum(species[a] == s for species in possible) / len(possible)
            assert abs(seen[f"{a}-{s}"] - expected) < 5 * expected**0.5, (a, s)


# ---------------------------------------------------------------- models


def test_shown_models_stay_in_their_places():
    """Step 2: the other's unshown models are drawn anew, the shown ones and the own ones stay."""
    stands = [argument(0, 1, ["2-3-A"], "18-1-A"), argument(1, 1, ["2-1-N"], "18-1-A")]
    models = [[["5-1-A"], ["2-3-A"], ["6-1-A", "7-1-A"]], [["2-1-N"], ["5-1-A"]]]
    position = arrange("model", arguments=stands, models=models)
    dealt = set()
    for seed in SEEDS:
        mine, others = position.redeal(1, seed)["models"][1], position.redeal(1, seed)["models"][0]
        assert mine == models[1]
        assert others[1] == ["2-3-A"]
        assert len(others) == 3
        dealt.add(str(others))
        mine, others = position.redeal(0, seed)["models"]
        assert (mine, others[0]) == (models[0], ["2-1-N"])
    assert len(dealt) == len(SEEDS)


@slow_as_plain_python
def test_models_are_drawn_evenly():
    """Step 2: evenly from all models, as sets of inputs."""
    position = arrange(
        "evaluation", turn=6, models=[[], [["5-1-A"]] + [[f"{a}-1-N"] for a in range(1, 12)]]
    )
    seen = Counter()
    count = 500
    for seed in range(count):
        for model in position.redeal(0, seed)["models.1"]:
            assert len({attribute(space) for space in model}) == len(model)
            seen.update(model)
            seen[len(model)] += 1
    drawn = 12 * count
    assert abs(seen[1] - drawn * 148 / MODELS) < 5 * (drawn * 148 / MODELS) ** 0.5
    for space in SPACES:
        pairs = sum(attribute(other) != attribute(space) for other in SPACES)
        expected = drawn * (1 + pairs) / MODELS
        assert abs(seen[space] - expected) < 5 * expected**0.5, space


# ---------------------------------------------------------------- commitments


@slow_as_plain_python
@pytest.mark.parametrize("phase", ["argumentation", "research", "evaluation"])
def test_cards_are_committed_evenly(phase):
    """Step 3: uniformly random legal actions."""
    snapshot, mine, _ = SEALED[phase]
    position = start(snapshot).play(*mine[0])
    check_shares(
        Counter(position.redeal(1, seed)["pending.0"][0] for seed in range(600)),
        {texts[0]: 1 for texts in mine},
    )


@slow_as_plain_python
def test_arguments_are_committed_with_the_models_dealt():
    """Step 3: after step 2, so that only shown models and lucky deals can argue; otherwise
    `no argument`."""
    stands = [argument(0, 1, ["2-3-A"], "18-1-A"), argument(1, 1, ["3-3-A"], "18-1-N")]
    models = [[["2-3-A", "3-3-A"], ["2-3-A"]], [["3-3-A"]]]
    position = arrange("argument", drawn=["2-3", "3-3"], arguments=stands, models=models)
    position.play("argue 1", "output 18-1", "target 1")
    seen = Counter()
    for seed in range(300):
        twin = check_kept(position, 1, seed)
        seen[twin["pending.0"][0]] += 1
        twin.play("no argument")
        assert twin["phase"] == "research"
    assert seen["argue 2"] > 100, "the shown model"
    assert seen["no argument"] > 100
    assert seen["argue 1"] < 10


@slow_as_plain_python
def test_placements_are_committed_action_by_action():
    """Step 3: each action is uniform over those legal after the ones before."""
    position = arrange(
        "placement",
        tokens=[{"5-1-A": 2, "6-1-A": 1}, {"6-1-A": 1}],
        evaluation=["remove", "remove"],
    )
    position.play("done")
    seen = Counter(" ".join(position.redeal(1, seed)["pending.0"]) for seed in range(1200))
    check_shares(
        seen, {"done": 2, "lift 6-1-A": 2, "lift 5-1-A done": 1, "lift 5-1-A lift 5-1-A": 1}
    )
