"""Whole games, random ones and eager ones, compared step by step with the reference, which was
written from the rules alone."""

import itertools
import random

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.the_big_dig.players import at_random, eagerly
from tests.rules.the_big_dig.positions import GAME, argument, arrange, deal, wild_cards
from tests.rules.the_big_dig.reference import REGIONS, Reference, spaces_on

GAMES = 1 if JIT_DISABLED else 6  # of each kind
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


def follow(position, player, chance):
    """A game to its end, compared after each action."""
    game = Reference(position.snapshot)
    compare(position, game)
    for count in itertools.count(1):
        if game.mover < 0:
            break
        text = player(game, game.mover, chance)
        position.play(text)
        game.play(text)
        compare(position, game)
        if count % LOOK_EVERY == 0 or game.mover < 0:
            position.check_snapshot()


def play(seed, player, **options):
    """The same for a game from the deal on."""
    follow(deal(seed, **options), player, random.Random(seed))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("player", [at_random, eagerly])
def test_every_step_of_whole_games(player, options):
    """BD-1 to BD-34: legal actions, snapshots and views at every step of whole games."""
    for seed in range(GAMES):
        play(1000 * GAMES + seed, player, **options)


@pytest.mark.parametrize("deck", DECKS)
def test_any_order_of_commitments(deck):
    """Side by side, in whatever order the choices arrive: the same rules, and what is pending is
    the seats' own."""
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


# ---------------------------------------------------------- positions that whole games seldom reach

# nothing is known of the predation of animals with large canines and molars
BOTH = ["2-3-A", "3-3-A"]
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
    "another conjecture holds the marker": ([PREDATOR, DOUBT, AGAIN,
        argument(1, 3, ["18-1-A"], "1-3-N")], [{}, {}]),
    "two nullifications of one conjecture": ([PREDATOR, {**DOUBT, "by": 0}, DOUBT],
        [{"5-1-A": 7}, {}]),
    "each of two nullified": ([PREDATOR, CARNIVORES, DOUBT, argument(1, 3, BOTH, "18-1", "3-3-A")],
        [{}, {}]),
    "a chain over both players": (
        [PREDATOR, argument(0, 2, ["2-3-A"], "9-4-N"), argument(1, 2, ["18-1-A"], "1-3-N"),
         argument(0, 3, ["2-3-A", "18-1-A"], "26-3-N"), {**DOUBT, "turn": 3},
         argument(0, 4, ["9-4-N", "26-3-N"], "5-2-N"), argument(1, 4, ["1-3-N"], "6-1-N")],
         [{}, {}],
    ),
    "a circle holds itself": (
        [PREDATOR, argument(1, 1, ["2-3-A"], "26-3-N"), argument(0, 2, ["18-1-A"], "26-3-N"),
         argument(1, 2, ["26-3-N"], "18-1-A"), {**DOUBT, "turn": 3},
         argument(1, 4, BOTH, "26-3", "2-3-A")], [{}, {}],
    ),
    "a nullification in a chain": ([HIP, HAND, HIP_DOUBT, argument(0, 3, BOTH, "9-3", "2-3-A")],
        [{}, {}]),
    "targeted markers do not count": ([HIP, HAND, HIP_DOUBT, argument(0, 3, ["2-3-A"], "11-2-N")],
        [{"11-1-A": 9}, {"11-2-N": 1}]),
    "one token each": (EYES, [{"5-1-A": 1}, {"5-1-N": 1}]),
    "tied at 0": (EYES, [{"5-2-N": 3}, {}]),
    "tied above 0": (EYES, [{"5-1-A": 11, "5-1-N": 1}, {"5-1-N": 12}]),
    "twins twice": ([EYES[0], {**EYES[1], "by": 0, "turn": 2}, {**EYES[1], "turn": 2}],
        [{"5-1-A": 1}, {"5-1-N": 1}]),
    "several markers": ([EYES[0], argument(1, 1, ["2-3-A"], "5-2-N")],
        [{"5-3-N": 2, "6-1-A": 1}, {"5-3-A": 1}]),
    "tokens on discovered attributes": ([PREDATOR], [{"5-1-A": 2, "2-1-A": 1, "18-1-A": 2}, {}]),
    **{
        f"a token on each space beside {marker}": ([argument(1, 1, ["2-3-A"], marker)],
            [dict.fromkeys(spaces_on(number), 1), {}])
        for marker, number in (("18-1-A", 18), ("5-2-N", 5), ("9-4-N", 9))
    },
}  # fmt: skip
RARE = {
    **{
        (name, score): ("placement",
                        {"drawn": ["2-3", "3-3"], "arguments": arguments, "tokens": tokens,
            "scores": [score, 20]}
                        | {"turn": 6, "evaluation": ["move", "add"],
                            "to_move": 1 - bool(tokens[0])})
        for name, (arguments, tokens) in ENDS.items()
            for score in ((3,) if JIT_DISABLED else (0, 3, 20))
    },
    "what stood on a false input": (
        "evaluation", {"drawn": ["2-3", "6-2"], "arguments": [*WRONG, SWIMS], "turn": 6},
    ),
    "found true before the end": (
        "evaluation", {"drawn": ["2-3", "9-2"],
            "arguments": [argument(0, 1, ["2-3-A"], "9-1-N"), TWIN], "turn": 6},
    ),
    "a marker may come back": (
        "argument", {"drawn": ["2-3", "6-2"], "arguments": [*WRONG, SWIMS],
            "models": [[], [["2-3-A"]]], "turn": 6},
    ),
    "no chain in the turns": (
        "evaluation", {"on_top": ["6-2"], "arguments": [SNOUT, LEG, SWIMS],
            "models": [[], [["23-2-A"]]], "turn": 3},
    ),
    "together": ("evaluation", {"on_top": ["6-2"], "turn": 3,
                               "arguments": [SNOUT, LEG,
                                   argument(0, 3, ["2-3-A", "6-2-N"], "13-1-N")]}),
    "one of two holds the marker": (
        "evaluation", {"on_top": ["6-2"],
            "arguments": [SNOUT, LEG, argument(0, 3, ["2-3-A"], "13-1-N")], "turn": 3},
    ),
    "an input of a nullification is true": ("evaluation",
        {"on_top": ["9-2"], "arguments": [HIP, HAND, HIP_DOUBT], "turn": 3}),
    "an input of a nullification is false": (
        "evaluation", {"on_top": ["1-2"], "turn": 3,
                       "arguments": [argument(0, 1, ["2-3-A"], "10-3-N"),
                                     argument(1, 1, ["2-3-A"], "1-2-N"),
                                     argument(0, 2, ["1-2-N", "2-3-A"], "10-3", "2-3-A")]},
    ),
    "gains before losses": (
        "placement", {"on_top": ["6-2"], "turn": 3, "scores": [1, 12],
                      "tokens": [{"6-2-A": 1, "6-1-N": 1, "6-1-A": 2}, {"6-1-A": 3, "6-2-A": 1}]},
    ),
    "either of two targets": (
        "argument", {"drawn": ["2-3", "3-3"], "arguments": [PREDATOR, CARNIVORES],
            "models": [[BOTH], [BOTH]]},
    ),
    "an empty bank": (
        "argument", {"models": [[["2-3-A"]], [["2-3-A"]]],
            "tokens": [{"27-1-A": 12}, {"18-1-N": 11, "18-1-A": 1}]},
    ),
    "opposite conjectures": (
        "argument", {"drawn": ["2-3", "3-3"], "models": [[["2-3-A"]], [["3-3-A"]]],
                     "tokens": [{"5-2-A": 1, "5-1-N": 1}, {"5-1-A": 2, "5-3-A": 1}]},
    ),
    "eleven models": ("research_model",
        {"models": [[[f"{a}-1-N"] for a in range(4, 15)], []], "turn": 6,
                                         "spent": [["pass", "act"], ["act", "pass"]]}),
    "all tokens on the board": ("evaluation",
        {"tokens": [{"5-1-A": 7, "18-1-A": 5}, {"5-1-A": 11}]}),
    "two tokens crosswise": ("placement", {"tokens": [{"5-1-A": 1, "5-1-N": 1}, {"2-1-A": 1}]}),
    **{
        f"a request for {region}": (
            "argument", {"cards": wild_cards(["2-3"],
                [region, next(r for r in REGIONS if r != region)]),
                         "drawn": ["2-3", f"request {region}"], "arguments": [PREDATOR],
                         "models": [[["2-3-A"], ["18-1-A"]], []]},
        )
        for region in REGIONS
    },
}  # fmt: skip


@pytest.mark.parametrize("name", RARE)
def test_every_step_from_rare_positions(name):
    """BD-4, BD-5, BD-14 to BD-18, BD-22, BD-24 to BD-34: random and eager play from there on, to
    the end."""
    phase, changes = RARE[name]
    for seed in range(1 if JIT_DISABLED else 8):
        follow(arrange(phase, **changes), (eagerly, at_random)[seed % 2], random.Random(seed))


def test_an_empty_deck():
    """BD-9, BD-20: nothing is drawn, and the game goes on. Six turns draw at most 19 of the 25
    cards: no snapshot is like this."""
    position = arrange("placement", tokens=[{"27-1-A": 1}, {}], turn=2)
    drawn = position["drawn"]
    position.states["cards_len"] = 0
    position.play(
        "done", *["input 2-3-A", "single"] * 2, "pass", "pass", *["input 27-1-A", "single"] * 2
    )
    assert (position["turn"], position["phase"], position["deck"], position["drawn"]) == (
        3,
        "evaluation",
        [],
        drawn,
    )
