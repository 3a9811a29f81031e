"""Snapshots of Diggity: their keys (the rules' section "Snapshot"); what must hold between them is
in `invariants`."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots import codecs as c
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import state as s
from dig_envs.games.diggity.codecs import Sometimes


@c.form(c.each(c.or_null, 2))
def open_tools(
    tools: list[list[str]], snapshot: Mapping[str, Any], seat: int
) -> list[list[str | None]]:
    """DG-32, DG-33: the own tools; of the others' hidden ones those of the kind that lies open, and
    a null for each other."""
    if not snapshot["options"]["hidden_tools"] or snapshot["phase"] == "over":
        return [list(held) for held in tools]
    kind = snapshot["revealed"]["kind"] if snapshot["revealed"] else None
    return [list(held) if p == seat else _shown(held, kind) for p, held in enumerate(tools)]


def _shown(held: list[str], kind: str | None) -> list[str | None]:
    seen: list[str | None] = [tool for tool in held if tool == kind]
    return seen + [None] * (len(held) - len(seen))


MINE_CARD = c.Group(
    {
        "card": c.Name(box.CODES, field="mine_card"),
        "x": c.Int(-box.FARTHEST, box.FARTHEST, field="mine_x"),
        "y": c.Int(-box.FARTHEST, box.FARTHEST, field="mine_y"),
        "r": c.Int(0, box.NUM_TURNS - 1, field="mine_r"),
    }
)

SNAPSHOT = {
    "turn": c.Int(1, box.MOST_TURNS),
    "scores": c.PerSeat(c.Int(0, box.MAX_SCORE)),
    "player": c.Seat(),
    "passes": c.Int(0, box.MAX_PLAYERS - 1),
    "hands": c.PerSeat(
        c.Items(box.CODES, ascending=True, bound="the hand's size: a card is drawn for each laid"),
        view=c.own_or_size,
    ),
    "chosen": c.InPhases(s.PHASES, (s.PLACE,), c.Name(box.CODES, first=1, none=0)),
    "pile": c.Items(box.CODES, bound="the 64 cards", view=c.size),
    "discard": c.Counts(box.CODES, box.MOST_COPIES, total="num_discard"),
    "cards": c.Content(box.CODES, box.MOST_COPIES, field="copies", usual=box.COPIES),
    "mine": c.Each(
        MINE_CARD,
        "mine_len",
        field="mine_card",
        bound="the cards that are not in hands or the pile, which is never empty",
    ),
    "piles": c.PerName(box.TOOLS, c.Int(0, box.MAX_PLAYERS)),
    "tools": c.PerSeat(c.Counts(box.TOOLS, box.MAX_PLAYERS), view=open_tools),
    "choices": c.Flags(box.THINGS),
    "steal": c.InPhases(
        s.PHASES, (s.STEAL,), c.Group({"kind": c.Name(box.TOOLS), "from": c.Seats()})
    ),
    "revealed": Sometimes({"kind": c.Name(box.TOOLS, first=1), "thief": c.Seat()}),
    "gold": c.Items(box.VALUES, bound="the 16 gold cards: they only leave", view=c.size),
    "gold_aside": c.Items(box.VALUES, bound="the 16 gold cards", view=c.size),
    "auction": c.InPhases(
        s.PHASES,
        (s.AUCTION,),
        c.Group(
            {"value": c.Name(box.VALUES), "rank": c.Int(0, box.NUM_TOOLS - 1), "leader": c.Seat()}
        ),
    ),
    "nuggets": c.PerSeat(c.Items(box.VALUES, bound="the 16 gold cards")),
}
