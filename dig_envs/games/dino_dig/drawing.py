"""A position of Dino Dig as text: what everybody can see of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.text.views import mark_of, result_of, size_of

WIDTH = 11


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    A square shows how many cards lie on it, the top card if it lies face up, and the pieces: ``4 8D a1b2`` is four cards, the eight
    of diamonds on top, P1 of player 0 and P2 of player 1. Base squares are marked ``A`` to ``D``.
    """
    lines = [title(snapshot), ""]
    squares = [tuple(map(int, text.split(","))) for text in snapshot["site"]]
    rows, columns = (range(min(some), max(some) + 1) for some in zip(*squares, strict=True))
    lines.append(" " * 4 + "".join(f"{column:<{WIDTH}}" for column in columns).rstrip())
    for row in rows:
        lines.append(f"{row:>2}  " + "".join(f"{_square(snapshot, f'{row},{column}'):<{WIDTH}}" for column in columns).rstrip())
    lines.append("")
    lines += [_seat(snapshot, p) for p in range(len(snapshot["scores"]))]
    left = size_of(snapshot["supply"])
    return "\n".join(lines + ([f"Supply: {left} cards"] if left else []))


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, whose it is and what is asked; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    what = {"lay": "lays a card", "base": "chooses a base", "contract": "chooses a contract"}.get(snapshot["phase"], "has the turn")
    line = f"Turn {snapshot['turn']}: P{snapshot['player']} {what}"
    if snapshot["phase"] == "card":
        line += f", a card in hand at piece {snapshot['chain'][-1]}"
    return line


def _square(snapshot: Mapping[str, Any], text: str) -> str:
    stack = snapshot["site"].get(text)
    if stack is None:
        return ""
    parts = [str(len(stack))]
    if stack and stack[-1]["up"]:
        parts.append(str(stack[-1]["card"]))
    parts += ["ABCD"[p] for p, base in enumerate(snapshot["bases"]) if base == text]
    here = [f"{'abcd'[p]}{k + 1}" for p, some in enumerate(snapshot["pieces"]) for k, place in enumerate(some) if place == text]
    return " ".join([*parts, "".join(here)]).rstrip()


def _seat(snapshot: Mapping[str, Any], p: int) -> str:
    over = snapshot["phase"] == "over"
    secret = snapshot["options"]["contract"] == "freelance" and not over
    suit = "-" if secret or snapshot["suits"][p] is None else snapshot["suits"][p]
    everybody = [*range(len(snapshot["scores"]))]
    museum = [card["card"] if card["known"] == everybody else "?" for card in snapshot["museums"][p]]
    packs = ["." if card is None else card["card"] if card["known"] == everybody else "?" for card in snapshot["backpacks"][p]]
    line = (
        f"P{p} ({'abcd'[p]}) suit {suit}, backpacks {' '.join(packs)}, {len(museum)} in the museum: {' '.join(museum) or 'nothing'}"
    )
    if over:
        run = snapshot["runs"][p]
        line += f"\n   skeleton of {len(run['cards'])}: {' '.join(run['cards']) or 'none'}"
    return line + mark_of(snapshot, p)
