"""FC-1 to FC-8: components, deal, skeletons of the starting hand, the choice of hidden fossils, and the chance in them."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.adapters.parallel import Parallel
from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.engine.state import new_records
from dig_envs.games.fossil_deck import CARNIVORE, COPIES, GENERA, JURASSIC, PARTS, PERIOD, RESEARCH, SKELETONS, TRACES, TYPES, VALUE
from tests.rules.fossil_canyon.positions import CARDS, GAME, base, deal, fossils_of, parts

slow_as_plain_python = pytest.mark.skipif(JIT_DISABLED, reason="thousands of deals")
HANDS = {2: 10, 3: 8, 4: 6, 5: 5, 6: 4}


def many_deals(count: int, **options: object) -> np.ndarray:
    states = new_records(count, GAME.state)
    template = GAME.template(GAME.complete_options(options))
    GAME.kernels.start(states, 0, count, np.arange(count, dtype=np.uint64), template, np.zeros(count, np.int64))
    return states


def test_box():
    """The component tables: 64 cards of 40 types, 23 skeletons, values, periods and diets."""
    assert len(TYPES) == 40
    assert sum(CARDS.values()) == 64
    assert sum(count for fossil, count in CARDS.items() if fossil not in TRACES) == 58
    assert SKELETONS.sum() == 23
    assert int((SKELETONS * PARTS.astype(int)).sum()) == 58
    assert dict(zip(GENERA, VALUE.tolist(), strict=True)) == {
        "TYR": 25,
        "BRA": 20,
        "TRI": 19,
        "ALL": 18,
        "ANK": 17,
        "QUE": 16,
        "PAR": 15,
        "DEI": 12,
        "STE": 11,
        "PAC": 10,
        "COE": 9,
        "DIL": 8,
        "MOS": 7,
    }
    assert " ".join(np.array(GENERA)[CARNIVORE]) == "TYR ALL QUE DEI COE DIL MOS"
    assert " ".join(np.array(GENERA)[JURASSIC]) == "BRA ALL STE DIL"
    assert PERIOD.count("T") == 1
    assert dict(zip(TRACES, RESEARCH.tolist(), strict=True)) == {"CAM": 3, "UTA": 3, "ALA": 2, "EDM": 2, "ORN": 1, "SAU": 1}
    assert CARDS["MOS1"] == 4
    assert CARDS["TYR4"] == CARDS["DEI2"] == CARDS["SAU"] == 1


@pytest.mark.parametrize("players", HANDS)
def test_fc4_starting_hands(players):
    """FC-2, FC-4: four discarded, hands by the number of players, everything else buried and nothing exposed."""
    for seed in range(5 if JIT_DISABLED else 60):
        snapshot = deal(seed, num_players=players).snapshot
        assert fossils_of(snapshot) == CARDS
        assert len(snapshot["discarded"]) == 4
        assert snapshot["exposed"] == []
        assert snapshot["open"] == [[]] * players
        assert len(snapshot["buried"]) == 60 - players * HANDS[players]
        for hand, museum in zip(snapshot["hidden"], snapshot["museums"], strict=True):
            assert len(hand) + sum(len(parts(genus)) for genus in museum) == HANDS[players]


def test_fc1_fc7_who_begins():
    """FC-1, FC-7: seat 0 chooses first and has the first turn; turns go clockwise."""
    position = deal(1, num_players=3)
    for seat in range(3):
        assert (position.mover, position["phase"], position["player"], position["turn"]) == (seat, "setup", seat, 0)
        position.play("done")
    for turn in range(1, 6):
        assert (position["turn"], position.mover) == (turn, (turn - 1) % 3)
        while position["turn"] == turn:
            position.play(next(t for t in ("dig buried", "finish", "done", *sorted(position.legal)) if t in position.legal))


def test_research_false_leaves_the_trace_fossils_in_the_box():
    position = deal(3, research=False)
    assert fossils_of(position.snapshot) == CARDS - Counter(TRACES)
    assert len(position["buried"]) == 54 - 4 * 6


@slow_as_plain_python
def test_fc2_fc4_fossils_are_dealt_uniformly():
    """Chance 1: every type is equally often discarded, in each place of the site and in each hand."""
    count = 8000
    states = many_deals(count, num_players=6)
    share = COPIES / 64
    for place in (0, 17, 35):  # 60 - 24 buried fossils
        seen = np.bincount(states["buried"][:, place], minlength=40)
        assert (abs(seen - count * share) < 5 * (count * share) ** 0.5).all()
    discarded = states["discarded"].sum(axis=0)
    assert (abs(discarded - 4 * count * share) < 5 * (4 * count * share) ** 0.5).all()
    for seat in (0, 5):
        hand = states["hidden"][:, seat, 34:].sum(axis=0)  # trace fossils never leave
        assert (abs(hand - 4 * count / 64) < 5 * (4 * count / 64) ** 0.5).all()


@slow_as_plain_python
def test_fc3_event_cards_are_dealt_uniformly():
    """Chance 2, and the option `events`."""
    states = many_deals(6000)
    for kind, number in enumerate((3, 12, 3)):
        seen = (states["event_deck"] == kind).sum(axis=0)
        expected = 6000 * number / 18
        assert abs(seen - expected).max() < 5 * expected**0.5
    assert Counter(deal(1, events=[0, 17, 1])["events"]) == {1: 17, 2: 1}
    assert deal(1, events=(18, 0, 0))["events"] == [0] * 18


@slow_as_plain_python
def test_fc5_skeletons_of_the_starting_hand():
    """FC-5: built before anything is chosen, as often as possible, and the hand is not refilled."""
    found = 0
    for seed in range(3000):
        position = deal(seed, num_players=2)
        for seat in range(2):
            museum = position[f"museums.{seat}"]
            assert position["scores"][seat] == sum(VALUE[GENERA.index(g)] for g in museum)
            if museum == ["MOS", "MOS"]:
                found += 1
                assert len(position[f"hidden.{seat}"]) == 6
        assert not position["scored"]
        if found == 2:
            return
    raise AssertionError("no hand with two Mosasaurus")


@slow_as_plain_python
def test_fc8_a_seat_without_fossils_is_not_asked():
    """FC-8: in a game for six, a hand of four that is complete at once leaves nothing to choose."""
    states = many_deals(40000, num_players=6)
    without = np.argwhere(states["num_hidden"][:, :6] == 0)
    assert len(without)
    for seed, seat in without[:5]:
        position = deal(int(seed), num_players=6)
        asked = []
        while position["phase"] == "setup":
            asked.append(position.mover)
            position.play("done")
        assert asked == [p for p in range(6) if p != seat]
        assert position[f"hidden.{seat}"] == position[f"open.{seat}"] == []


def test_fc6_the_choice():
    """FC-6, FC-8: types of which a fossil is not chosen yet; ended by `done`, by the limit, or by the whole hand."""
    position = base("deal")
    hand = set(position["hidden.0"])
    assert position.legal == {"done", *(f"hide {t}" for t in hand)}
    position.play("hide ALL2")  # there are two
    assert "hide ALL2" in position.legal
    position.play("hide ALL2")
    assert "hide ALL2" not in position.legal
    assert position["chosen.0"] == ["ALL2", "ALL2"]
    position.play("hide TYR1")
    assert position.mover == 1
    position.play("done")
    assert position["hidden"] == [["TYR1", "ALL2", "ALL2"], []]
    assert len(position["open.1"]) == 10


def test_hidden_limit_2():
    """With `hidden_limit` 2 the second fossil completes the choice."""
    position = base("deal", {"options.hidden_limit": 2}).play("hide TYR1", "hide TYR4")
    assert position.mover == 1
    position.play("hide TRI2", "hide ORN")
    assert position["hidden"] == [["TYR1", "TYR4"], ["TRI2", "ORN"]]


@slow_as_plain_python
def test_fc8_the_whole_hand_completes_the_choice():
    for seed in range(2000):
        position = deal(seed, num_players=6)
        if len(position["hidden.0"]) == 2:
            first, second = position["hidden.0"]
            position.play(f"hide {second}", f"hide {first}")
            assert position.mover == 1
            return
    raise AssertionError("no hand of two")


def test_the_order_of_choosing_leaves_no_trace():
    """The same fossils chosen in another order give the same position."""
    one = base("deal").play("hide TYR1", "hide UTA", "hide ALL1", "hide ORN", "done")
    other = base("deal").play("hide ALL1", "hide TYR1", "hide UTA", "hide ORN", "done")
    assert {**one.snapshot, "rng": 0} == {**other.snapshot, "rng": 0}


def test_fc7_nothing_is_seen_before_the_last_has_committed():
    """What a seat chose is null for all others, as its hand is a number, until everything is revealed."""
    position = deal(8, num_players=3)
    views = []
    for choice in (["done"], ["hide first", "done"], ["hide first", "hide second", "done"]):
        twin = position.copy()
        hand = twin["hidden.0"]
        twin.play(*(text.replace("first", hand[0]).replace("second", hand[-1]) for text in choice))
        views.append((twin.view(1), twin.observation(1).tobytes(), twin.mask(1).tobytes(), twin.observation(2).tobytes()))
    assert views[0] == views[1] == views[2]
    view = views[0][0]
    assert view["chosen"] == [None, [], None]
    assert [view["hidden"][0], view["hidden"][2]] == [len(position["hidden.0"]), len(position["hidden.2"])]


def test_side_by_side_as_in_the_parallel_environment():
    """Seats may also choose in any order; the outcome is the same, and a snapshot in between comes back."""
    position = base("deal")
    states = position.states
    index = GAME.action_index
    for seat, text in [(1, "hide TRI2"), (0, "hide TYR1"), (1, "done"), (0, "hide UTA")]:
        GAME.kernels.apply_one(states, seat, index[text])
        again = GAME.from_snapshot(GAME.to_snapshot(states[0]))
        assert GAME.to_snapshot(again[0]) == GAME.to_snapshot(states[0])
        assert again["owes"].tolist() == states["owes"].tolist()
    assert position["committed"] == [1]
    assert position.view(0)["committed"] == [1]
    position.play("done")
    assert "committed" not in position.snapshot
    one_by_one = base("deal").play("hide TYR1", "hide UTA", "done", "hide TRI2", "done")
    assert {**position.snapshot, "rng": 0} == {**one_by_one.snapshot, "rng": 0}


def test_parallel_environment_in_setup():
    """All who have not committed owe a decision, and the position can be saved and restored at every step."""
    env = Parallel("fossil_canyon", num_players=4)
    rng = np.random.default_rng(4)
    for seed in range(2 if JIT_DISABLED else 10):
        seen, _ = env.reset(seed=seed)
        assert len(env.owing()) == 4
        while env.snapshot()["phase"] == "setup":
            twin = Parallel("fossil_canyon", num_players=4)
            twin.restore(env.snapshot())
            assert twin.owing() == env.owing()
            for agent in env.possible_agents:
                view = env.view(agent)
                twin.restore(env.snapshot())
                twin.determinize(agent, seed)
                assert twin.view(agent) == view
            seen, *_ = env.step({agent: int(rng.choice(np.flatnonzero(seen[agent]["action_mask"]))) for agent in env.owing()})
        assert len(env.owing()) == 1
