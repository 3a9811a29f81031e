"""Whole games, random ones and eager ones, compared step by step with the reference, which was written from the rules alone."""

import random
from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.the_big_dig.positions import GAME, deal
from tests.rules.the_big_dig.reference import SPACES, Reference, attribute, in_order, predictions, state_of

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

# ---------------------------------------------------------------- players


def at_random(game, p, chance):
    """Any legal action."""
    return chance.choice(sorted(game.legal(p)))


def eagerly(game, p, chance):
    """A player who argues, doubts and copies, so that everything that the rules speak of happens; sometimes at random."""
    legal = sorted(game.legal(p))
    wishes = []
    if game["phase"] in ("model", "research_model"):
        wishes = wanted_inputs(game, p, chance)
    elif game["phase"] in ("argumentation", "research"):
        wishes = ["act"] if chance.random() < 0.8 else []
    elif game["phase"] == "argument":
        wishes = wanted_arguments(game, p, chance, legal)
    elif game["phase"] == "evaluation":
        wishes = [chance.choice(["add", "move", "remove"])]
    elif game["phase"] == "placement":
        wishes = wanted_placements(game, chance, legal)
    wishes = [text for text in wishes if text in legal]
    return chance.choice(wishes) if wishes and chance.random() < 0.9 else chance.choice(legal)


def wanted_inputs(game, p, chance):
    """Marked spaces: one, the inputs of the other's model, or two of which the app knows less than of one."""
    marked = [space for space in SPACES if game.is_marked(space)]
    others = [model for model in game["models"][1 - p] if all(map(game.is_marked, model))]
    if not game["pending"][p]:
        if others and chance.random() < 0.3:
            marked = chance.choice(others)
        return [f"input {space}" for space in marked]
    first = game["pending"][p][0].removeprefix("input ")
    copies = [space for model in others if first in model for space in model if space != first]
    if copies and chance.random() < 0.3:
        return [f"input {space}" for space in copies]
    said = {state_of(a["output"]) for a in game["arguments"] if a["inputs"] == [first] and a["target"] is None}
    doubts = [s for s in marked if attribute(s) != attribute(first) and any(unknown([first, s], state) for state in said)]
    return [f"input {space}" for space in doubts] if chance.random() < 0.7 else ["single"]


def unknown(inputs, state):
    """Whether a model has support 0 for a state."""
    return predictions(tuple(in_order(inputs))).get(state, ("", 1))[1] == 0


def wanted_arguments(game, p, chance, legal):
    """The other's argument, a nullification, a conjecture about what a single input says, any other; rarely none."""
    pending, other = game["pending"][p], game["pending"][1 - p]
    if not pending:
        doubting = [m for m, model in enumerate(game["models"][p], 1) if nullified(game, model)]
        same = [m for m, model in enumerate(game["models"][p], 1) if other[1:] and model == game.argued(1 - p, other)]
        found = same or doubting
        return [f"argue {m}" for m in found] if found and chance.random() < 0.7 else [t for t in legal if t != "no argument"]
    if len(pending) == 1:
        if other[1:] and other[1] in legal and game.argued(p, pending) == game.argued(1 - p, other):
            return [other[1]]
        doubts = nullified(game, game.argued(p, pending))
        said = {state_of(a["output"]) for a in game["arguments"] if len(a["inputs"]) == 1 and a["target"] is None}
        again = [text for text in legal if text.removeprefix("output ") in said]
        physical = [text for text in legal if attribute(text.removeprefix("output ")) <= 14]
        return [f"output {state}" for state in doubts] if doubts and chance.random() < 0.7 else again or physical
    return legal


def nullified(game, model):
    """The states for which a model allows a nullification."""
    return [state for state, options in game.possible(model).items() if options[0]["target"]]


def wanted_placements(game, chance, legal):
    """Tokens on conjectured markers and their attributes; lift on."""
    near = {attribute(space) for space in game["conjectured"]}
    puts = [text for text in legal if text.startswith("put ") and attribute(text.removeprefix("put ")) in near]
    lifts = [text for text in legal if text.startswith("lift ")]
    return puts or (lifts if chance.random() < 0.7 else [])


# ---------------------------------------------------------------- the comparison


def compare(position, game):
    """Snapshot, legal actions and views are the same."""
    snapshot = position.snapshot
    assert snapshot.pop("rng").isdigit()
    assert snapshot == game.snapshot
    for p in (0, 1):
        assert position.legal_for(p) == (game.legal(p) if p in game.owing else set())
        assert GAME.hide(snapshot, p) == game.view(p)


def check_invariants(position):
    """The section "Snapshot" of the rules, a round trip, and the bounds of the observation."""
    snapshot = position.snapshot
    assert len(snapshot["deck"]) + len(snapshot["drawn"]) == 25
    for tokens in snapshot["tokens"]:
        assert sum(tokens.values()) <= 12
        assert not set(tokens) & set(snapshot["discovered"])
    if snapshot["phase"] != "over":
        outputs = {a["output"] for a in snapshot["arguments"] if a["valid"] and a["target"] is None}
        assert set(snapshot["conjectured"]) == outputs - set(snapshot["discovered"])
    for cards in snapshot["spent"]:
        assert cards.count("pass") == 1 if len(cards) == 3 else cards.count("pass") <= 1
    again = GAME.encode(snapshot)
    assert GAME.decode(again[0]) == snapshot
    for field in set(GAME.state.names) - {"seed"}:
        assert np.array_equal(again[field], position.states[field]), field
    for seat in (0, 1):
        flat = position.observation(seat)
        assert flat.min() >= GAME.low
        assert flat.max() <= GAME.high


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


EVENTS = {
    *("invalidated by a discovery", "invalidated in the end", "nullification invalidated", "marker kept by another"),
    *("several discoveries at once", "final nullifications", "final wild", "final confident", "final valuable"),
    *("best guesses chosen", "several markers on an attribute", "a state asserted and negated", "twin conjectures"),
    *("twin nullifications", "a request is active", "conjectured input", "nullification", "own conjecture nullified"),
    *("twins nullified", "no argument", "target chosen"),
}


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
        seen.update(name for name, happened in events_of(game, before) if happened)
        seen["actions"] += 1
        if seen["actions"] % (40 if JIT_DISABLED else 7) == 0 or game.mover < 0:
            check_invariants(position)
    return seen


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("player", [at_random, eagerly])
def test_every_step_of_whole_games(player, options):
    """BD-1 to BD-34: legal actions, snapshots and views at every step of whole games."""
    for seed in range(GAMES):
        play(1000 * GAMES + seed, player, **options)


@pytest.mark.skipif(JIT_DISABLED, reason="too slow")
def test_everything_happens():
    """The compared games reach all that the rules speak of."""
    seen = Counter()
    for seed in range(60):
        seen += play(seed, eagerly, deck=DECKS[seed % len(DECKS)])
    never = EVENTS - set(seen)
    assert not never, seen
