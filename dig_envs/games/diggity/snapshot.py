"""Snapshots of Diggity: their keys (the rules' section "Snapshot"); what must hold between them is in `invariants`."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots.codecs import (
    Counts,
    Each,
    Flags,
    Group,
    InPhases,
    Int,
    Items,
    Name,
    PerName,
    PerSeat,
    Seat,
    Seats,
    each,
    form,
    or_null,
    own_or_size,
    size,
)
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import state as s
from dig_envs.games.diggity.codecs import Sometimes


@form(each(or_null, 2))
def open_tools(tools: list[list[str]], snapshot: Mapping[str, Any], seat: int) -> list[list[str | None]]:
    """DG-32, DG-33: the own tools; of the others' hidden ones those of the kind that lies open, and a null for each other."""
    if not snapshot["options"]["hidden_tools"] or snapshot["phase"] == "over":
        return [list(held) for held in tools]
    kind = snapshot["revealed"]["kind"] if snapshot["revealed"] else None
    return [list(held) if p == seat else _shown(held, kind) for p, held in enumerate(tools)]


def _shown(held: list[str], kind: str | None) -> list[str | None]:
    seen: list[str | None] = [tool for tool in held if tool == kind]
    return seen + [None] * (len(held) - len(seen))


MINE_CARD = Group(
    {
        "card": Name(box.CODES, field="mine_card"),
        "x": Int(-box.FARTHEST, box.FARTHEST, field="mine_x"),
        "y": Int(-box.FARTHEST, box.FARTHEST, field="mine_y"),
        "r": Int(0, box.NUM_TURNS - 1, field="mine_r"),
    }
)

SNAPSHOT = {
    "turn": Int(1, box.MOST_TURNS),
    "scores": PerSeat(Int(0, box.MAX_SCORE)),
    "player": Seat(),
    "passes": Int(0, box.MAX_PLAYERS - 1),
    "hands": PerSeat(Items(box.CODES, ascending=True, bound="the hand's size: a card is drawn for each laid"), view=own_or_size),
    "chosen": InPhases(s.PHASES, (s.PLACE,), Name(box.CODES, first=1, none=0)),
    "pile": Items(box.CODES, bound="the 64 cards", view=size),
    "discard": Counts(box.CODES, box.COPIES, total="num_discard"),
    "mine": Each(
        MINE_CARD, "mine_len", field="mine_card", bound="the cards that are not in hands or the pile, which is never empty"
    ),
    "piles": PerName(box.TOOLS, Int(0, box.MAX_PLAYERS)),
    "tools": PerSeat(Counts(box.TOOLS, box.MAX_PLAYERS), view=open_tools),
    "choices": Flags(box.THINGS),
    "steal": InPhases(s.PHASES, (s.STEAL,), Group({"kind": Name(box.TOOLS), "from": Seats()})),
    "revealed": Sometimes({"kind": Name(box.TOOLS, first=1), "thief": Seat()}),
    "gold": Items(box.VALUES, bound="the 16 gold cards: they only leave", view=size),
    "gold_aside": Items(box.VALUES, bound="the 16 gold cards", view=size),
    "auction": InPhases(
        s.PHASES,
        (s.AUCTION,),
        Group({"value": Name(box.VALUES), "rank": Int(0, box.NUM_TOOLS - 1), "leader": Seat()}),
    ),
    "nuggets": PerSeat(Items(box.VALUES, bound="the 16 gold cards")),
}
