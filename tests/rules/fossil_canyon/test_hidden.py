"""The knowledge of a seat, exactly: views, determinize, and the ways in which hidden things could
leak."""

from collections import Counter

import numpy as np

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.fossil_deck import RESEARCH, TRACES
from tests.games import needs_compiling
from tests.rules.fossil_canyon.positions import Position, arrange, base, deal, has_skeleton

FEW = 3 if JIT_DISABLED else 20


def some_positions():
    """Positions of random games, of all numbers of players."""
    for seed in range(1 if JIT_DISABLED else 8):
        chance = np.random.default_rng(seed)
        game = deal(seed, num_players=2 + seed % 5)
        yield from game.on_the_way(
            lambda now, chance=chance: now.play_randomly(chance), 60 if JIT_DISABLED else 6
        )


# ---------------------------------------------------------------- the view


def test_view_of_every_seat():
    """A view replaces hidden entries by lengths and nulls exactly where the rules say so, and
    leaves everything else as it is."""
    for position in some_positions():
        snapshot = position.snapshot
        del snapshot["rng"]
        n, seen = len(snapshot["scores"]), snapshot["events_seen"]
        for seat in range(n):
            known = [
                [snapshot["known"][x][p] if x == p or seat in (x, p) else None for p in range(n)]
                for x in range(n)
            ]
            assert position.view(seat) == {
                **snapshot,
                "buried": len(snapshot["buried"]),
                "discarded": 4,
                "events": snapshot["events"][:seen] + [None] * (18 - seen),
                "hidden": [
                    hand if p == seat else len(hand) for p, hand in enumerate(snapshot["hidden"])
                ],
                "chosen": [
                    chosen if p == seat else None for p, chosen in enumerate(snapshot["chosen"])
                ],
                "known": known,
                "dug": snapshot["dug"] if seat == snapshot["player"] else None,
            }


def test_a_hidden_fossil_changes_nothing_for_others():
    """View, observation and mask of the others are the same whatever a seat hides, in every phase
    of their turn."""
    hands = [["TYR1", "BRA1"], ["CAM"]], [["UTA", "DIL1", "PAC1"], ["ALL1", "PAR1"]]
    real = arrange(
        *hands, phase="exchange", on_top=["SAU"], events=[1] * 11 + [0] * 3 + [2] * 3 + [1]
    )
    snapshot = real.snapshot
    snapshot["buried"][-1], snapshot["hidden"][1] = "CAM", ["SAU"]
    other = Position(snapshot)
    texts = [
        "exchange +1",
        "give open DIL1",
        "take ALL1",
        "exchange +1",
        "give hidden BRA1",
        "give open UTA",
        "take PAR1",
    ]
    for text in [*texts, "finish", "hide TYR1", "hide PAC1"]:
        real.play(text)
        other.play(text)
        assert real.known_to(0) == other.known_to(0)


def test_the_digger_only_sees_a_buried_fossil():
    """Whatever was dug, the others see the same, also while `keep` is decided and after `keep`."""
    for option in (False, True):
        seen = []
        for top in ("SAU", "DEI1", "QUE2"):
            position = arrange(
                [["TYR1"], ["BRA1"], []],
                [["UTA"], ["ALL1"], ["PAR1"]],
                on_top=[top],
                options__return_dig=option,
            )
            position.play("dig buried")
            moment = [position.known_to(1), position.known_to(2)]
            if option:
                assert position.view(0)["dug"] == top
                assert position.view(1)["dug"] is None
                position.play("keep")
                moment.append(position.known_to(1))
            seen.append(moment)
        assert seen[0] == seen[1] == seen[2]


def test_blind_take_is_seen_by_two_seats_only():
    """A third seat sees the same whichever card went."""
    seen = []
    for seed in range(6):
        hands = [["TYR1"], ["BRA1", "TRI1", "ALL1"], []], [["UTA"], [], ["PAR1"]]
        position = arrange(*hands, phase="exchange", rng=str(seed)).play(
            "exchange +1", "give open UTA", "take blind"
        )
        (taken,) = set(position["hidden.0"]) - {"TYR1"}
        assert position.view(1)["known"][1][0] == [taken]
        seen.append((taken, position.known_to(2)))
    assert len({taken for taken, _ in seen}) > 1
    assert all(told == seen[0][1] for _, told in seen)


def test_a_skeleton_shows_when_it_is_built_and_not_before():
    """While a dug fossil is looked at, nothing shows that it would complete a skeleton; nobody sees
    an unbuilt one."""
    hands = [["MOS1"], []], [["TYR1"], ["ALL1"]]
    completes = arrange(*hands, on_top=["MOS2"], options__return_dig=True).play("dig buried")
    does_not = arrange(*hands, on_top=["DEI1"], options__return_dig=True).play("dig buried")
    assert completes.known_to(1) == does_not.known_to(1)


# ---------------------------------------------------------------- determinize


def test_determinize_keeps_known_fossils_and_own_cards():
    """A card that a seat knows in a hand stays there; cards that two others know of each other
    become those that the seat knows."""
    hands = (
        [["TYR1", "BRA1"], ["TRI1", "DEI1", "STE1"], ["QUE1", "QUE2"]],
        [["UTA"], ["PAR1"], ["ALL1"]],
    )
    known = {
        "known__0__1": ["DEI1"],
        "known__2__1": ["TRI1", "STE1"],
        "known__1__0": ["BRA1"],
        "known__1__2": ["QUE2"],
    }
    position = arrange(*hands, **known)
    for seed in range(20):
        twin = position.redeal(0, seed)
        assert twin["hidden.0"] == ["TYR1", "BRA1"]
        assert "DEI1" in twin["hidden.1"]
        assert twin["known.0"] == position["known.0"]
        assert (twin["known.1.0"], twin["known.2.0"]) == (["BRA1"], [])
        assert (twin["known.2.1"], twin["known.1.2"]) == (["DEI1"], [])


@needs_compiling
def test_determinize_is_uniform():
    """Every unseen fossil is equally often in a hidden hand, in the discard, and on top of the
    site."""
    position = arrange([["TYR1"], ["CAM"]], [["UTA"], []])
    count = 6000
    places = {"hidden": Counter(), "discarded": Counter(), "top": Counter()}
    for seed in range(count):
        snapshot = position.redeal(0, seed).snapshot
        places["hidden"].update(snapshot["hidden"][1])
        places["discarded"].update(snapshot["discarded"])
        places["top"].update(snapshot["buried"][-1:])
    for place, number in (("hidden", 1), ("discarded", 4), ("top", 1)):
        for fossil, copies in (("CAM", 1), ("MOS1", 4), ("ALL3", 2)):
            expected = count * number * copies / 62
            assert abs(places[place][fossil] - expected) < 5 * expected**0.5, (place, fossil)


def test_determinize_never_deals_a_complete_skeleton():
    """A re-deal never gives another seat a complete skeleton, also when its hand is easy to
    complete."""
    open_ = ["MOS1", "PAC1", "COE1", "DIL1", "DEI1", "STE1", "ALL1", "ALL2"]
    position = arrange([[], ["TYR1", "TYR2", "TYR3"]], [["UTA"], open_])
    for seed in range(15 * FEW):
        twin = position.redeal(0, seed)
        assert not has_skeleton([*twin["hidden.1"], *twin["open.1"]])


def test_determinize_while_another_pays():
    """The payer can still pay the rest, as the claim shows."""
    position = arrange([["SAU", "ALA"], []], [["ORN"], ["TYR1"]]).play("claim minor", "pay ORN")
    for seed in range(3 * FEW):
        twin = position.redeal(1, seed)
        traces = [t for t in [*twin["hidden.0"], *twin["open.0"]] if t in TRACES]
        assert sum(RESEARCH[TRACES.index(t)] for t in traces) >= 3


def test_determinize_of_commitments():
    """A commitment of another becomes a random legal one; a half-made choice starts again empty;
    the own one stays."""
    position = base("deal").play("hide TYR1", "hide UTA", "done", "hide TRI2")
    sizes = Counter()
    for seed in range(10 * FEW):
        twin = position.redeal(1, seed)
        assert twin["chosen.1"] == ["TRI2"]
        chosen = twin["chosen.0"]
        sizes[len(chosen)] += 1
        assert not Counter(chosen) - Counter(twin["hidden.0"])
        assert position.redeal(0, seed)["chosen.1"] == []
    assert set(sizes) == {0, 1, 2, 3}
    adjusting = arrange([["TYR1", "BRA1"], []], [["UTA"], ["ALL1"]], phase="adjust").play(
        "hide UTA"
    )
    assert adjusting.redeal(1, 5)["chosen"] == [[], []]
    assert adjusting.redeal(0, 5)["chosen"] == [["UTA"], []]


def test_event_cards_drawn_before_stay():
    position = base("start")
    orders = set()
    for seed in range(20):
        events = position.redeal(0, seed)["events"]
        assert events[:4] == position["events"][:4]
        assert sorted(events) == sorted(position["events"])
        orders.add(tuple(events))
    assert len(orders) > 5
