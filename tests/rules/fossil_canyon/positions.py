"""Positions for the rule tests: the worked examples' bases with changes, and positions made from
hands."""

import copy
from collections import Counter
from typing import Any

from dig_envs.games.fossil_deck import FOSSILS, GENERA, TRACES, TYPES, VALUE, parts_of
from dig_envs.registry import load_game
from tests import positions
from tests.worked_examples import set_path

GAME = load_game("fossil_canyon")
CARDS = Counter(TYPES[t] for t in FOSSILS)
POINTS = {
    **dict(zip(GENERA, VALUE.tolist(), strict=True)),
    "minor": 10,
    "major": 20,
    "small": 8,
    "medium": 11,
    "large": 14,
}


class Position(positions.Position):
    """A position of Fossil Canyon."""

    game = GAME


BASES = Position.bases
changed, base, deal, refused = Position.changed, Position.base, Position.deal, Position.refused
CARNIVORES, JURASSIC, HERBIVORES = (
    genera.split()
    for genera in ("TYR ALL QUE DEI COE DIL MOS", "BRA ALL STE DIL", "TRI ANK PAR PAC")
)


def in_order(fossils: Any) -> list[str]:
    return sorted(fossils, key=TYPES.index)


def has_skeleton(fossils: Any) -> bool:
    """Whether all parts of some genus are among them."""
    return any(set(parts_of(genus)) <= set(fossils) for genus in GENERA)


def in_play(options: dict[str, Any]) -> Counter:
    return CARDS if options["research"] else CARDS - Counter(TRACES)


def fossils_of(snapshot: dict[str, Any]) -> Counter:
    lists = [snapshot[key] for key in ("buried", "exposed", "discarded", "spent")]
    lists += [*snapshot["hidden"], *snapshot["open"], [snapshot["dug"]] if snapshot["dug"] else []]
    return Counter(
        fossil
        for fossils in [*lists, *(parts_of(g) for m in snapshot["museums"] for g in m)]
        for fossil in fossils
    )


def arrange(
    hidden: list[list[str]],
    open: list[list[str]],
    museums: list[list[str]] | None = None,
    awards: list[list[str]] | None = None,
    exposed: list[str] | None = None,
    spent: list[str] | None = None,
    on_top: list[str] | None = None,
    events: list[int] | None = None,
    **changes: Any,
) -> Position:
    """A position of seat 0 in turn 1 + k·n, in the phase `dig` unless changed, made from hands and
    museums.

    Of what is not named four are discarded and the others buried, ``on_top`` last. Changes by key,
    ``__`` for the dots.
    """
    n = len(hidden)
    snapshot = copy.deepcopy(BASES["start"])
    snapshot["options"]["num_players"] = n
    museums = museums or [[] for _ in range(n)]
    awards = awards or [[] for _ in range(n)]
    turn = changes.pop("turn", 1)
    snapshot.update(
        to_move=(turn - 1) % n,
        player=(turn - 1) % n,
        turn=turn,
        hidden=[in_order(hand) for hand in hidden],
        open=[in_order(hand) for hand in open],
        museums=[sorted(museum, key=GENERA.index) for museum in museums],
        awards=awards,
        exposed=in_order(exposed or []),
        spent=sorted(spent or [], key=TRACES.index),
        scores=[
            sum(POINTS[piece] for piece in [*museum, *award])
            for museum, award in zip(museums, awards, strict=True)
        ],
        known=[[[] for _ in range(n)] for _ in range(n)],
        chosen=[[] for _ in range(n)],
        bonuses=[[] for _ in range(n)],
        buried=[],
        discarded=[],
        events=events or [1] * 12 + [0] * 3 + [2] * 3,
        events_seen=min(18, turn),
    )
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    left = list(
        (in_play(snapshot["options"]) - fossils_of(snapshot) - Counter(on_top or [])).elements()
    )
    snapshot["discarded"] = in_order(left[:4])
    snapshot["buried"] = left[4:] + (on_top or [])
    if snapshot["phase"] in ("exchange", "give", "take", "bonus", "adjust"):
        snapshot["digs"] = 0
    return Position(snapshot)
