"""The observation against the view: every field computed once more, from what a seat may know and
nothing else."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.cretaceous_creek.components import (
    COPIES,
    GENERA,
    GENUS_OF,
    PARTS,
    SPACES,
    TYPES,
)
from tests.rules.cretaceous_creek.positions import Position, deal

LEVELS = ("beginner", "intermediate", "advanced", "expert")
PHASES = ("camp", "dig", "act", "swap", "sandbag", "escape")
CAMPS = ("A1", "A5", "C1", "C5")
TOPS = (None, "buried", "exposed", "endangered")
BOX = dict(zip(TYPES, COPIES.tolist(), strict=True))
GENUS = {t: (*GENERA, None)[g] for t, g in zip(TYPES, GENUS_OF, strict=True)}


def one_hot(names, value):
    """1 for the value among those that a field has a number for."""
    return [name == value for name in names]


def coordinates(space):
    return "ABC".index(space[0]), int(space[1]) - 1


def steps(a, b):
    return sum(abs(x - y) for x, y in zip(coordinates(a), coordinates(b), strict=True))


def expected(view, seat):
    """The fields as their meanings say, from a seat's view."""
    fields = {**spaces(view), **events(view), **seats(view, seat), **types(view), **clock(view)}
    fields["phase"] = one_hot(PHASES, view["phase"])
    swap, players = view["swap"], len(view["pos"])
    # itself as +3
    fields["swap_partner"] = one_hot(
        range(3), ((swap["partner"] - seat) % players - 1) % 3 if swap else None
    )
    fields["swap_gives"] = one_hot(TYPES, swap["gives"] if swap else None)
    fields["num_players"] = one_hot((1, 2, 3, 4), players)
    fields["level"] = one_hot(LEVELS, view["options"]["level"])
    fields["evacuation"] = view["options"]["evacuation"] == "any"
    return {**fields, **wanted(view, seat)}


def face_up(view):
    """The type of the top fossil of each space, None where none lies face up."""
    return [
        view["grid"][s][-1] if view["top"][s] in ("exposed", "endangered") else None for s in SPACES
    ]


def spaces(view):
    return {
        "fossils": [len(view["grid"][s]) / 2 for s in SPACES],
        "top_state": [one_hot(TOPS, view["top"][s]) for s in SPACES],
        "top_type": [one_hot(TYPES, t) for t in face_up(view)],
        "flooded": [s in view["flooded"] for s in SPACES],
    }


def events(view):
    places = {f"stack {i}": stack for i, stack in enumerate(view["stacks"])}
    lists = [
        [],
        *(places.get(f"stack {i}", []) for i in range(4)),
        view["revealed"],
        view["used"],
        view["sandbagged"],
    ]
    where = {card: place for place, cards in enumerate(lists) for card in cards if card != "none"}
    none_cards = np.array([cards.count("none") for cards in lists])
    none_cards[0] = 3 - none_cards.sum()
    draws_left = view["deck"] // view["storm"]
    soon = {
        card: 1 / (1 + draws_left + i) for i, stack in enumerate(view["stacks"]) for card in stack
    }
    return {
        "event_place": [
            one_hot(range(8), None if s in view["flooded"] else where.get(s, 0)) for s in SPACES
        ],
        "none_cards": none_cards / 3,
        "struck_soon": [soon.get(s, 0) for s in SPACES],
    }


def seats(view, seat):
    """Per seat, the observer first; absent ones are zero."""
    players = len(view["pos"])
    fields = {
        name: np.zeros(4)
        for name in (
            "plays",
            "evacuated",
            "free_storage",
            "displaced",
            "has_turn",
            "carries_set",
            "camp_steps",
        )
    }
    fields |= {
        "position": np.zeros((4, 15)),
        "storage": np.zeros((4, 19)),
        "genus_stored": np.zeros((4, 6)),
        "offset": np.zeros((3, 2)),
    }
    for k in range(players):
        p = (seat + k) % players
        stored, space = view["storage"][p], view["pos"][p]
        fields["plays"][k] = 1
        fields["evacuated"][k] = view["evacuated"][p]
        fields["free_storage"][k] = 1 - len(stored) / (6 if players == 1 else 4)
        fields["displaced"][k] = p in view["displaced"]
        fields["has_turn"][k] = p == view["player"]
        fields["storage"][k] = [stored.count(t) / 2 for t in TYPES]
        fields["genus_stored"][k] = [
            len({t for t in stored if GENUS[t] == g}) / n
            for g, n in zip(GENERA, PARTS, strict=True)
        ]
        missing = [
            share
            for share, g in zip(fields["genus_stored"][k], GENERA, strict=True)
            if g not in view["museum"]
        ]
        fields["carries_set"][k] = 1.0 in missing
        if space is not None:
            fields["position"][k] = one_hot(SPACES, space)
            dry = [steps(space, camp) for camp in CAMPS if camp not in view["flooded"]]
            fields["camp_steps"][k] = min(dry, default=0) / 6
            if k > 0 and view["pos"][seat] is not None:
                here, there = coordinates(view["pos"][seat]), coordinates(space)
                fields["offset"][k - 1] = [(b - a) / 4 for a, b in zip(here, there, strict=True)]
    return fields


def types(view):
    stored = [t for storage in view["storage"] for t in storage]
    up = face_up(view)
    needed = {t: GENUS[t] is not None and GENUS[t] not in view["museum"] for t in TYPES}
    seen = {
        t: stored.count(t) + up.count(t) + view["out"].count(t) + (GENUS[t] in view["museum"])
        for t in TYPES
    }
    return {
        "museum": [g in view["museum"] for g in GENERA],
        "out": [view["out"].count(t) / BOX[t] for t in TYPES],
        "face_up": [up.count(t) / BOX[t] for t in TYPES],
        "unseen": [(BOX[t] - seen[t]) / BOX[t] for t in TYPES],
        "needed": [needed[t] for t in TYPES],
    }


def clock(view):
    storm, over = view["storm"], view["storm"] > 4
    draws = 0 if over else view["deck"] // storm
    return {
        "storm": one_hot((1, 2, 3, 4), storm),
        "period": view["period"] - 1,
        "deck_length": view["deck"] / 16,
        "stacks": len(view["stacks"]) / 4,
        "cards_per_turn": min(storm, 4) / 4,
        "turns_left_in_phase": (2 * draws + len(view["stacks"])) / 8,
        "turn": view["turn"] / 32,
        "action_points": view["ap"] / 4,
    }


def wanted(view, seat):
    stored = {t for storage in view["storage"] for t in storage}
    fields = {name: np.zeros(15) for name in ("wanted", "last_copy", "fits")}
    for i, t in enumerate(face_up(view)):
        if t is None or GENUS[t] is None or GENUS[t] in view["museum"] or t in stored:
            continue
        fields["wanted"][i] = 1
        fields["last_copy"][i] = view["out"].count(t) == BOX[t] - 1
        mine = {own for own in view["storage"][seat] if GENUS[own] == GENUS[t]}
        fields["fits"][i] = len(mine) / PARTS[GENERA.index(GENUS[t])]
    return fields


def check_game(position, seed):
    chance, careless = np.random.default_rng(seed), 1 if JIT_DISABLED else seed % 2 * 0.5
    for now in position.on_the_way(lambda now: now.play(now.choose(chance, careless))):
        now.check_observations(expected)


@pytest.mark.parametrize(
    ("players", "level"), [*enumerate(LEVELS, 1), *enumerate(reversed(LEVELS), 1)]
)
def test_whole_games(players, level):
    """Every field in every position, in careful and in careless games."""
    for seed in range(1 if JIT_DISABLED else 2):
        check_game(deal(seed, num_players=players, level=level), seed)


def test_the_last_storm_phase():
    """Floods, sandbags, escapes."""
    for seed in range(2 if JIT_DISABLED else 20):
        check_game(Position("late").redeal(0, seed), seed)
