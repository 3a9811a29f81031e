"""A position of Fossil Canyon as text: what everybody can see of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.fossil_deck import grouped
from dig_envs.text.views import mark_of, result_of, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    ``<`` marks the player who is asked. Hidden fossils are shown as a number even where the snapshot knows them.
    """
    lines = [title(snapshot), ""]
    for p in range(len(snapshot["scores"])):
        lines += _seat(snapshot, p)
    lines += ["", *_site(snapshot)]
    return "\n".join(lines)


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, the phase and what is to be done; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    end = ", end phase" if snapshot["ending"] else ""
    line = f"Turn {snapshot['turn']} of P{snapshot['player']}{end}: {snapshot['phase']}"
    if snapshot["phase"] in ("dig", "keep"):
        line += f", {snapshot['digs']} to dig"
    if snapshot["exchange"]:
        exchange = snapshot["exchange"]
        barred = f", barred: {' '.join(exchange['barred'])}" if exchange["barred"] else ""
        line += f" with P{exchange['with']}, {exchange['left']} to give{barred}"
    if snapshot["claim"]:
        line += f" for a {snapshot['claim']['award']} award, {snapshot['claim']['paid']} paid"
    return line


def _seat(snapshot: Mapping[str, Any], p: int) -> list[str]:
    pieces = [*snapshot["museums"][p], *snapshot["awards"][p], *(f"{bonus} bonus" for bonus in snapshot["bonuses"][p])]
    return [
        f"P{p} {snapshot['scores'][p]:>3} points: {', '.join(pieces) or 'nothing yet'}{mark_of(snapshot, p)}",
        f"     {size_of(snapshot['hidden'][p])} hidden, face up: {grouped(snapshot['open'][p])}",
    ]


def _site(snapshot: Mapping[str, Any]) -> list[str]:
    lines = [f"Dig site: {size_of(snapshot['buried'])} buried, exposed: {grouped(snapshot['exposed'])}"]
    if snapshot["spent"]:
        lines.append(f"Research paid: {' '.join(snapshot['spent'])}")
    return lines
