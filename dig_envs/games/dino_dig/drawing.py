"""A position of Dino Dig as text, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.text.views import mark_of, result_of, seat_name, size_of

WIDTH = 11
LEGEND = "Cards: ? one that is not known here, ^ lies face up, :12 has been seen by players 1 and 2"


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end.

    A square shows how many cards lie on it, the top card if it lies face up, and the pieces:
    ``4 8D a1b2`` is four cards, the eight of diamonds on top, piece 1 of Player 1 and piece 2 of
    Player 2. Base squares are marked ``A`` to ``D``. Below are the stacks of which something is
    known. Behind each card that does not lie face up stand the players who have seen it.
    """
    lines = [title(snapshot), *_handling(snapshot), ""]
    squares = [tuple(map(int, text.split(","))) for text in snapshot["site"]]
    rows, columns = (range(min(some), max(some) + 1) for some in zip(*squares, strict=True))
    lines.append(" " * 4 + "".join(f"{column:<{WIDTH}}" for column in columns).rstrip())
    for row in rows:
        lines.append(
            f"{row:>2}  "
            + "".join(
                f"{_square(snapshot, f'{row},{column}'):<{WIDTH}}" for column in columns
            ).rstrip()
        )
    seen = {
        text: stack
        for text, stack in snapshot["site"].items()
        if any(card["card"] or card["known"] for card in stack)
    }
    if seen:
        lines += ["", "Stacks of which something is known, bottom first:"]
        lines += [f"{text}: {_cards(stack)}" for text, stack in seen.items()]
    lines.append("")
    lines += [_seat(snapshot, p) for p in range(len(snapshot["scores"]))]
    left = size_of(snapshot["supply"])
    return "\n".join([*lines, *([f"Supply: {left} cards"] if left else []), "", LEGEND])


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, whose it is and what is asked; or how the game ended."""
    name, turn = seat_name(snapshot["player"]), f"Turn {snapshot['turn']}"
    if snapshot["phase"] == "over":
        return f"{turn} was the last, that of {name}. {result_of(snapshot)}"
    what = {
        "lay": "lays a card",
        "base": "chooses a base",
        "contract": "chooses a contract",
        "act": "has the turn",
    }
    return f"{turn}: {name} {what.get(snapshot['phase'], 'has a card in hand')}"


def _handling(snapshot: Mapping[str, Any]) -> list[str]:
    """The card in hand and the pieces that have had it; the pieces that have acted."""
    hand, chain = snapshot["hand"], " > ".join(map(str, snapshot["chain"]))
    acted = ", ".join(str(k + 1) for k, done in enumerate(snapshot["acted"]) if done)
    lines = [
        "" if hand is None else f"Card in hand: {_card(hand)}",
        f"Its way from piece to piece: {chain}" if chain else "",
        "It comes from a backpack and cannot be stowed there" if snapshot["stowed"] else "",
        f"Pieces that have acted: {acted}" if acted else "",
    ]
    return list(filter(None, lines))


def _card(card: Mapping[str, Any]) -> str:
    seen = "".join(str(p + 1) for p in card["known"])
    return (card["card"] or "?") + ("^" if card.get("up") else f":{seen}" if seen else "")


def _cards(cards: Any) -> str:
    return " ".join(map(_card, cards))


def _square(snapshot: Mapping[str, Any], text: str) -> str:
    stack = snapshot["site"].get(text)
    if stack is None:
        return ""
    parts = [str(len(stack))]
    if stack and stack[-1]["up"]:
        parts.append(str(stack[-1]["card"]))
    parts += ["ABCD"[p] for p, base in enumerate(snapshot["bases"]) if base == text]
    here = [
        f"{'abcd'[p]}{k + 1}"
        for p, some in enumerate(snapshot["pieces"])
        for k, place in enumerate(some)
        if place == text
    ]
    return " ".join([*parts, "".join(here)]).rstrip()


def _seat(snapshot: Mapping[str, Any], p: int) -> str:
    base, suit = (snapshot[key][p] or "-" for key in ("bases", "suits"))
    packs = " ".join("." if card is None else _card(card) for card in snapshot["backpacks"][p])
    home = " ".join(
        f"{'abcd'[p]}{k + 1}" for k, place in enumerate(snapshot["pieces"][p]) if place == "home"
    )
    museum = snapshot["museums"][p]
    line = (
        f"{seat_name(p)} ({'abcd'[p]}) suit {suit}, base {base}, at home {home or '-'}, backpacks "
        f"{packs}{mark_of(snapshot, p)}"
    )
    lines = [line, f"   museum of {len(museum)}: {_cards(museum) or 'nothing'}"]
    if snapshot["runs"] is not None:
        run = snapshot["runs"][p]
        lines.append(
            f"   skeleton of {snapshot['scores'][p]}, high {run['high']}: "
            f"{' '.join(run['cards']) or 'none'}"
        )
    return "\n".join(lines)
