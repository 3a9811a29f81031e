"""The observation against the view: every field computed once more, from what a seat may know and
nothing else."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.fossil_deck import COPIES, GENERA, RESEARCH, SKELETONS, TRACES, TYPES, parts_of
from tests.rules.fossil_canyon.positions import (
    CARNIVORES,
    GAME,
    HERBIVORES,
    JURASSIC,
    POINTS,
    arrange,
    deal,
    in_play,
)

BOX = dict(zip(TYPES, COPIES.tolist(), strict=True))
BUILT = dict(zip(GENERA, SKELETONS.tolist(), strict=True))
CLAIM_PHASES = ["dig", "exchange", "bonus", "adjust"]


def shares(fossils):
    """Per type: how many / copies in the box."""
    count = Counter(fossils)
    return [count[t] / BOX[t] for t in TYPES]


def one_hot(names, value):
    """1 for the value among those that a field has a number for."""
    return [name == value for name in names]


def size_of(hidden):
    return hidden if isinstance(hidden, int) else len(hidden)


def expected(view, seat):
    """The fields as their meanings say, from a seat's view."""
    n = len(view["scores"])
    order = [(seat + k) % n for k in range(n)]
    return {
        **hands(view, seat, order),
        **museums(view, seat, order),
        **genera(view, seat),
        **events(view),
        **turn(view, seat, n),
        **options(view["options"]),
    }


def hands(view, seat, order):
    known = {p: view["known"][seat][p] for p in order}
    placed = Counter([*view["hidden"][seat], *view["exposed"], *view["spent"]])
    for p in order:
        placed.update([*view["open"][p], *known[p]])
        for genus in view["museums"][p]:
            placed.update(parts_of(genus))
    if view["dug"]:
        placed[view["dug"]] += 1
    box = in_play(view["options"])
    return {
        "own_hidden": shares(view["hidden"][seat]),
        "own_open": shares(view["open"][seat]),
        "own_chosen": shares(view["chosen"][seat]),
        "own_dug": one_hot(TYPES, view["dug"]),
        "open": [shares(view["open"][p]) for p in order[1:]],
        "known_of": [shares(known[p]) for p in order[1:]],
        "known_by": [shares(view["known"][p][seat]) for p in order[1:]],
        "plays": [1 for _ in order],
        "num_hidden": [size_of(view["hidden"][p]) / 10 for p in order],
        "num_open": [len(view["open"][p]) / 41 for p in order],
        "num_unknown": [
            0 if p == seat else (view["hidden"][p] - len(known[p])) / 10 for p in order
        ],
        "exposed": shares(view["exposed"]),
        "unplaced": shares((box - placed).elements()),
        "buried": view["buried"] / 60,
        "site": (view["buried"] + len(view["exposed"])) / 60,
    }


def museums(view, seat, order):
    built = [view["museums"][p] for p in order]
    scores = [view["scores"][p] for p in order]

    def category(genera):
        return [[POINTS[genus] for genus in museum if genus in genera] for museum in built]

    return {
        "skeletons": [[museum.count(genus) / BUILT[genus] for genus in GENERA] for museum in built],
        "minor_awards": [view["awards"][p].count("minor") / 3 for p in order],
        "major_award": [view["awards"][p].count("major") for p in order],
        "score": [score / 384 for score in scores],
        "lead": [(score - scores[0]) / 384 for score in scores],
        "best_skeleton": [max((POINTS[g] for g in museum), default=0) / 25 for museum in built],
        "carnivores": [[len(mine) / 14, sum(mine) / 167] for mine in category(CARNIVORES)],
        "jurassic": [[len(mine) / 6, sum(mine) / 83] for mine in category(JURASSIC)],
        "herbivores": [[genus in museum for genus in HERBIVORES] for museum in built],
    }


def genera(view, seat):
    built = Counter(genus for museum in view["museums"] for genus in museum)
    own = {*view["hidden"][seat], *view["open"][seat]}
    near = own | set(view["exposed"]) | {fossil for hand in view["open"] for fossil in hand}
    open_ones = [genus for genus in GENERA if built[genus] < BUILT[genus]]

    def share(of):
        return [
            len(of & set(parts_of(genus))) / len(parts_of(genus)) if genus in open_ones else 0
            for genus in GENERA
        ]

    hand = [*view["hidden"][seat], *view["open"][seat]]
    given = Counter(award for awards in view["awards"] for award in awards)
    return {
        "pieces_left": [1 - built[genus] / BUILT[genus] for genus in GENERA],
        "parts_held": share(own),
        "parts_in_reach": share(near),
        "spent": [trace in view["spent"] for trace in TRACES],
        "research_value": sum(RESEARCH[TRACES.index(fossil)] for fossil in hand if fossil in TRACES)
        / 12,
        "awards_left": [1 - given["minor"] / 3, 1 - given["major"]],
    }


def events(view):
    from_top = view["events"][::-1]
    known = [card for card in from_top if card is not None]
    unknown = [view["options"]["events"][kind] - known.count(kind) for kind in range(3)]
    return {
        "event_known": [card is not None for card in from_top],
        "event_exposes": [(card or 0) / 2 for card in from_top],
        "events_unknown": [number / 18 for number in unknown],
    }


def turn(view, seat, n):
    exchange, claim = view["exchange"], view["claim"]
    return {
        "has_turn": one_hot(range(n), (view["player"] - seat) % n),
        "phase": one_hot(GAME.phases, view["phase"]),
        "digs": view["digs"] / 2,
        "returned": view["returned"],
        "bonus": view["bonus"],
        "exchanges": view["exchanges"] / 3,
        "scored": view["scored"],
        "partner": one_hot(range(n), (exchange["with"] - seat) % n if exchange else None),
        "left_to_give": exchange["left"] / 3 if exchange else 0,
        "barred": [t in exchange["barred"] if exchange else 0 for t in TYPES],
        "claim": one_hot(("minor", "major"), claim["award"] if claim else None),
        "paid": claim["paid"] / 6 if claim else 0,
        "missing": ({"minor": 4, "major": 6}[claim["award"]] - claim["paid"]) / 6 if claim else 0,
        "claimed_in": one_hot(CLAIM_PHASES, claim["back"] if claim else None),
        "ending": view["ending"],
        "passes": view["passes"] / 6,
        "idle": view["idle"] / 60,
        "turn": view["turn"] / view["options"]["max_turns"],
        "num_players": one_hot(range(2, 7), n),
    }


def options(chosen):
    return {
        "research": chosen["research"],
        "endgame_bonuses": chosen["endgame_bonuses"],
        "hidden_limit": chosen["hidden_limit"] / 3,
        "blind_take": chosen["blind_take"],
        "return_dig": chosen["return_dig"],
        "events": [number / 18 for number in chosen["events"]],
        "stalemate_rounds": chosen["stalemate_rounds"] / 10,
    }


@pytest.mark.parametrize("players", [3] if JIT_DISABLED else [2, 3, 4, 5, 6])
@pytest.mark.parametrize(
    "options_",
    [{}, {"research": False, "hidden_limit": 2}, {"return_dig": True, "max_turns": 30}],
    ids=str,
)
def test_every_field_in_whole_games(players, options_):
    """At positions of random games, for every seat, the finished game included."""
    chance = np.random.default_rng(players)
    game = deal(players, num_players=players, **options_)
    for position in game.on_the_way(
        lambda now: now.play_randomly(chance), 20 if JIT_DISABLED else 12
    ):
        position.check_observations(expected)


@pytest.mark.parametrize(
    "texts",
    [
        "claim minor; pay SAU",
        "exchange +2; give hidden CAM",
        "exchange +1; give open TYR1; take BRA1",
    ],
)
def test_exchange_and_payment_as_all_seats_see_them(texts):
    position = arrange(
        [["CAM", "SAU"], [], []], [["TYR1", "TYR2"], ["BRA1"], ["ALL1"]], phase="exchange"
    )
    position.play(*texts.split("; ")).check_observations(expected)
