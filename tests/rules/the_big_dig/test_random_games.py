"""Whole games, random ones and eager ones, compared step by step with the reference, which was written from the rules alone."""

import itertools
import random
from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.the_big_dig.players import at_random, eagerly
from tests.rules.the_big_dig.positions import GAME, argument, arrange, deal, wild_cards
from tests.rules.the_big_dig.reference import REGIONS, Reference, attribute, spaces_on, state_of

GAMES = 1 if JIT_DISABLED else 2  # of each kind
LOOK_EVERY = 40 if JIT_DISABLED else 7  # at a snapshot's checks, which are slow
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
    """Yield what happened between a snapshot and the game's position, to see that the games reach everything."""
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
    """Yield the names of what was argued, each with whether it was."""
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


def follow(position, player, chance):
    """A game to its end, compared after each action; returns what happened and how many actions it took."""
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
        if seen["actions"] % LOOK_EVERY == 0 or game.mover < 0:
            position.check_snapshot()
    return seen


def play(seed, player, **options):
    """The same for a game from the deal on."""
    return follow(deal(seed, **options), player, random.Random(seed))


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
    for count in itertools.count():
        if game.mover < 0:
            break
        p = chance.choice(game.owing)
        text = eagerly(game, p, chance)
        position.play_as(p, text)
        game.play(text, p)
        if not JIT_DISABLED or count % LOOK_EVERY == 0 or game.mover < 0:
            position.check_snapshot()
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


# ---------------------------------------------------------------- positions that whole games seldom reach

BOTH = ["2-3-A", "3-3-A"]  # nothing is known of the predation of animals with large canines and molars
PREDATOR, TWIN = argument(0, 1, ["2-3-A"], "18-1-A"), argument(1, 1, ["2-3-A"], "18-1-A")
AGAIN = argument(0, 3, ["2-1-N"], "18-1-A")
DOUBT = argument(1, 2, BOTH, "18-1", "2-3-A")
CARNIVORES = argument(1, 1, ["3-3-A"], "18-1-N")
HIP, HAND = argument(0, 1, ["2-3-A"], "11-1-A"), argument(1, 1, ["2-3-A"], "9-3-N")
HIP_DOUBT = argument(1, 2, ["2-3-A", "9-3-N"], "11-1", "2-3-A")  # with a conjectured input
EYES = [argument(0, 1, ["2-3-A"], "5-1-A"), argument(1, 1, ["3-3-A"], "5-1-N")]  # support 13 and 11
SNOUT, LEG = argument(0, 1, ["2-3-A"], "6-2-N"), argument(1, 2, ["6-2-N"], "13-1-N")
SWIMS = argument(0, 2, ["13-1-N"], "23-2-A")
WRONG = [{**SNOUT, "valid": False}, {**LEG, "valid": False}]

ENDS = {  # what stands when the final scoring begins: arguments, tokens
    "twins fall together": ([PREDATOR, TWIN, DOUBT], [{"18-1-A": 1}, {}]),
    "another conjecture holds the marker": ([PREDATOR, DOUBT, AGAIN, argument(1, 3, ["18-1-A"], "1-3-N")], [{}, {}]),
    "two nullifications of one conjecture": ([PREDATOR, {**DOUBT, "by": 0}, DOUBT], [{"5-1-A": 7}, {}]),
    "each of two nullified": ([PREDATOR, CARNIVORES, DOUBT, argument(1, 3, BOTH, "18-1", "3-3-A")], [{}, {}]),
    "a chain over both players": (
        [PREDATOR, argument(0, 2, ["2-3-A"], "9-4-N"), argument(1, 2, ["18-1-A"], "1-3-N"),
         argument(0, 3, ["2-3-A", "18-1-A"], "26-3-N"), {**DOUBT, "turn": 3}, argument(0, 4, ["9-4-N", "26-3-N"], "5-2-N"),
         argument(1, 4, ["1-3-N"], "6-1-N")], [{}, {}],
    ),
    "a circle holds itself": (
        [PREDATOR, argument(1, 1, ["2-3-A"], "26-3-N"), argument(0, 2, ["18-1-A"], "26-3-N"),
         argument(1, 2, ["26-3-N"], "18-1-A"), {**DOUBT, "turn": 3}, argument(1, 4, BOTH, "26-3", "2-3-A")], [{}, {}],
    ),
    "a nullification in a chain": ([HIP, HAND, HIP_DOUBT, argument(0, 3, BOTH, "9-3", "2-3-A")], [{}, {}]),
    "targeted markers do not count": ([HIP, HAND, HIP_DOUBT, argument(0, 3, ["2-3-A"], "11-2-N")], [{"11-1-A": 9}, {"11-2-N": 1}]),
    "one token each": (EYES, [{"5-1-A": 1}, {"5-1-N": 1}]),
    "tied at 0": (EYES, [{"5-2-N": 3}, {}]),
    "tied above 0": (EYES, [{"5-1-A": 11, "5-1-N": 1}, {"5-1-N": 12}]),
    "twins twice": ([EYES[0], {**EYES[1], "by": 0, "turn": 2}, {**EYES[1], "turn": 2}], [{"5-1-A": 1}, {"5-1-N": 1}]),
    "several markers": ([EYES[0], argument(1, 1, ["2-3-A"], "5-2-N")], [{"5-3-N": 2, "6-1-A": 1}, {"5-3-A": 1}]),
    "tokens on discovered attributes": ([PREDATOR], [{"5-1-A": 2, "2-1-A": 1, "18-1-A": 2}, {}]),
    **{
        f"a token on each space beside {marker}": ([argument(1, 1, ["2-3-A"], marker)], [dict.fromkeys(spaces_on(number), 1), {}])
        for marker, number in (("18-1-A", 18), ("5-2-N", 5), ("9-4-N", 9))
    },
}  # fmt: skip
RARE = {
    **{
        (name, score): ("placement", {"drawn": ["2-3", "3-3"], "arguments": arguments, "tokens": tokens, "scores": [score, 20]}
                        | {"turn": 6, "evaluation": ["move", "add"], "to_move": 1 - bool(tokens[0])})
        for name, (arguments, tokens) in ENDS.items() for score in ((3,) if JIT_DISABLED else (0, 3, 20))
    },
    "what stood on a false input": (
        "evaluation", {"drawn": ["2-3", "6-2"], "arguments": [*WRONG, SWIMS], "turn": 6},
    ),
    "found true before the end": (
        "evaluation", {"drawn": ["2-3", "9-2"], "arguments": [argument(0, 1, ["2-3-A"], "9-1-N"), TWIN], "turn": 6},
    ),
    "a marker may come back": (
        "argument", {"drawn": ["2-3", "6-2"], "arguments": [*WRONG, SWIMS], "models": [[], [["2-3-A"]]], "turn": 6},
    ),
    "no chain in the turns": (
        "evaluation", {"on_top": ["6-2"], "arguments": [SNOUT, LEG, SWIMS], "models": [[], [["23-2-A"]]], "turn": 3},
    ),
    "together": ("evaluation", {"on_top": ["6-2"], "turn": 3,
                               "arguments": [SNOUT, LEG, argument(0, 3, ["2-3-A", "6-2-N"], "13-1-N")]}),
    "one of two holds the marker": (
        "evaluation", {"on_top": ["6-2"], "arguments": [SNOUT, LEG, argument(0, 3, ["2-3-A"], "13-1-N")], "turn": 3},
    ),
    "an input of a nullification is true": ("evaluation", {"on_top": ["9-2"], "arguments": [HIP, HAND, HIP_DOUBT], "turn": 3}),
    "an input of a nullification is false": (
        "evaluation", {"on_top": ["1-2"], "turn": 3,
                       "arguments": [argument(0, 1, ["2-3-A"], "10-3-N"), argument(1, 1, ["2-3-A"], "1-2-N"),
                                     argument(0, 2, ["1-2-N", "2-3-A"], "10-3", "2-3-A")]},
    ),
    "gains before losses": (
        "placement", {"on_top": ["6-2"], "turn": 3, "scores": [1, 12],
                      "tokens": [{"6-2-A": 1, "6-1-N": 1, "6-1-A": 2}, {"6-1-A": 3, "6-2-A": 1}]},
    ),
    "either of two targets": (
        "argument", {"drawn": ["2-3", "3-3"], "arguments": [PREDATOR, CARNIVORES], "models": [[BOTH], [BOTH]]},
    ),
    "an empty bank": (
        "argument", {"models": [[["2-3-A"]], [["2-3-A"]]], "tokens": [{"27-1-A": 12}, {"18-1-N": 11, "18-1-A": 1}]},
    ),
    "opposite conjectures": (
        "argument", {"drawn": ["2-3", "3-3"], "models": [[["2-3-A"]], [["3-3-A"]]],
                     "tokens": [{"5-2-A": 1, "5-1-N": 1}, {"5-1-A": 2, "5-3-A": 1}]},
    ),
    "eleven models": ("research_model", {"models": [[[f"{a}-1-N"] for a in range(4, 15)], []], "turn": 6,
                                         "spent": [["pass", "act"], ["act", "pass"]]}),
    "all tokens on the board": ("evaluation", {"tokens": [{"5-1-A": 7, "18-1-A": 5}, {"5-1-A": 11}]}),
    "two tokens crosswise": ("placement", {"tokens": [{"5-1-A": 1, "5-1-N": 1}, {"2-1-A": 1}]}),
    **{
        f"a request for {region}": (
            "argument", {"cards": wild_cards(["2-3"], [region, next(r for r in REGIONS if r != region)]),
                         "drawn": ["2-3", f"request {region}"], "arguments": [PREDATOR], "models": [[["2-3-A"], ["18-1-A"]], []]},
        )
        for region in REGIONS
    },
}  # fmt: skip


@pytest.mark.parametrize("name", RARE)
def test_every_step_from_rare_positions(name):
    """BD-4, BD-5, BD-14 to BD-18, BD-22, BD-24 to BD-34: random and eager play from there on, to the end."""
    phase, changes = RARE[name]
    for seed in range(1 if JIT_DISABLED else 8):
        follow(arrange(phase, **changes), (eagerly, at_random)[seed % 2], random.Random(seed))


def test_an_empty_deck():
    """BD-9, BD-20: nothing is drawn, and the game goes on. Six turns draw at most 19 of the 25 cards: no snapshot is like this."""
    position = arrange("placement", tokens=[{"27-1-A": 1}, {}], turn=2)
    drawn = position["drawn"]
    position.states["cards_len"] = 0
    position.play("done", *["input 2-3-A", "single"] * 2, "pass", "pass", *["input 27-1-A", "single"] * 2)
    assert (position["turn"], position["phase"], position["deck"], position["drawn"]) == (3, "evaluation", [], drawn)
