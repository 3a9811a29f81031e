"""Whole games, random ones and eager ones, compared step by step with the reference, which was written from the rules alone."""

import random
from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.the_big_dig.players import at_random, eagerly
from tests.rules.the_big_dig.positions import GAME, deal
from tests.rules.the_big_dig.reference import Reference, attribute, state_of

GAMES = 1 if JIT_DISABLED else 4  # of each kind
OPTIONS = [
    {},
    {"deck": "starter"},
    {"deck": "starter", "first_discovery": "starter"},
    {"deck": "second"},
    {"deck": "third"},
    {"deck": "fourth"},
    {"deck": "wild"},
    {"turns": 1},
    {"turns": 3},
]

DECKS = ("starter", "second", "third", "fourth", "wild")

# ---------------------------------------------------------------- the comparison


def compare(position, game):
    """Snapshot, legal actions and views are the same."""
    snapshot = position.snapshot
    assert snapshot.pop("rng").isdigit()
    assert snapshot == game.snapshot
    for p in (0, 1):
        assert position.legal_for(p) == (game.legal(p) if p in game.owing else set())
        assert GAME.to_view(snapshot, p) == game.view(p)


def events_of(game, before):
    """What happened between a snapshot and the game's position, to see that the games reach everything."""
    after = game.snapshot
    over = after["phase"] == "over"
    yield from argument_events(game, after, before)
    fallen = [a for a, old in zip(after["arguments"], before["arguments"], strict=False) if old["valid"] and not a["valid"]]
    yield "invalidated by a discovery", bool(fallen) and not over
    yield "invalidated in the end", bool(fallen) and over
    yield "nullification invalidated", any(a["target"] for a in fallen)
    yield "marker kept by another", any(a["target"] is None and a["output"] in after["conjectured"] for a in fallen)
    yield "several discoveries at once", len(after["discovered"]) - len(before["discovered"]) > 4
    for part in ("nullifications", "wild", "confident", "valuable"):
        yield f"final {part}", over and any(final[part] for final in after["final"])
    outputs = {a["output"] for a in after["arguments"] if a["valid"] and a["target"] is None} - set(after["discovered"])
    yield "best guesses chosen", over and set(after["conjectured"]) < outputs
    markers = after["conjectured"]
    yield "several markers on an attribute", len({attribute(space) for space in markers}) < len(markers)
    yield "a state asserted and negated", len({state_of(space) for space in markers}) < len(markers)


def argument_events(game, after, before):
    """What was argued."""
    new = after["arguments"][len(before["arguments"]) :]
    twins = len(new) == 2 and {**new[0], "by": 1} == new[1]
    yield "twin conjectures", twins and new[0]["target"] is None
    yield "twin nullifications", twins and bool(new[0]["target"])
    yield "a request is active", any(after["request"] for _ in new)
    yield "conjectured input", any(space in before["conjectured"] for a in new for space in a["inputs"])
    aims = [(a, aim) for a in new if a["target"] for aim in game.aimed_at(a)]
    yield "nullification", bool(aims)
    yield "own conjecture nullified", any(a["by"] == aim["by"] for a, aim in aims)
    yield "twins nullified", any(one is other and aim is not twin for one, aim in aims for other, twin in aims)
    pending = after["pending"][0]
    yield "no argument", pending == ["no argument"]
    yield "target chosen", len(pending) == 3 and pending[2].startswith("target")


def play(seed, player, **options):
    """One game, compared after each action; returns what happened and how many actions it took."""
    chance = random.Random(seed)
    position = deal(seed, **options)
    game = Reference(position.snapshot)
    seen = Counter()
    compare(position, game)
    while game.mover >= 0:
        before = {key: list(game[key]) for key in ("discovered", "conjectured")}
        before["arguments"] = [dict(argument) for argument in game["arguments"]]
        text = player(game, game.mover, chance)
        position.play(text)
        game.play(text)
        compare(position, game)
        for name, happened in events_of(game, before):
            seen[name] += happened
        seen["actions"] += 1
        if seen["actions"] % (40 if JIT_DISABLED else 7) == 0 or game.mover < 0:
            position.check_snapshot()
    return seen


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("player", [at_random, eagerly])
def test_every_step_of_whole_games(player, options):
    """BD-1 to BD-34: legal actions, snapshots and views at every step of whole games."""
    for seed in range(GAMES):
        play(1000 * GAMES + seed, player, **options)


@pytest.mark.parametrize("deck", DECKS)
def test_any_order_of_commitments(deck):
    """Side by side, in whatever order the choices arrive: the same rules, and what is pending is the seats' own."""
    chance = random.Random(deck)
    position = deal(1, deck=deck)
    game = Reference(position.snapshot)
    while game.mover >= 0:
        p = chance.choice(game.owing)
        text = eagerly(game, p, chance)
        position.play_as(p, text)
        game.play(text, p)
        snapshot = position.snapshot
        committed = snapshot.pop("committed", None)
        assert {key: value for key, value in snapshot.items() if key != "rng"} == game.snapshot
        if committed is not None:
            assert committed == [seat for seat in game.asked() if seat not in game.owing]
        for seat in (0, 1):
            assert position.legal_for(seat) == (game.legal(seat) if seat in game.owing else set())


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
def test_everything_happens():
    """Eager games reach, sooner or later, all that the rules speak of; they too are compared step by step."""
    seen: Counter[str] = Counter()
    for seed in range(300):
        seen.update(play(seed, eagerly, deck=DECKS[seed % len(DECKS)]))
        if all(seen.values()):
            return
    raise AssertionError(f"never: {[name for name, count in seen.items() if not count]}")
