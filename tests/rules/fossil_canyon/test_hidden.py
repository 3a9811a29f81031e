"""The knowledge of a seat, exactly: views, determinize, and the ways in which hidden things could
leak."""

from collections import Counter

import numpy as np

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.fossil_deck import RESEARCH, TRACES
from tests.games import needs_compiling
from tests.rules.fossil_canyon.positions import arrange, base, deal, has_skeleton

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


# ---------------------------------------------------------------- determinize


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
