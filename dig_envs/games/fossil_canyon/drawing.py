"""A position of Fossil Canyon as text, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.words import counted
from dig_envs.games.fossil_deck import grouped
from dig_envs.text.views import mark_of, result_of, seat_name, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end.

    ``<`` marks the player who is asked. A hidden hand is shown where the view has it, and who knows
    what of it.
    """
    lines = [title(snapshot), *_turn(snapshot), ""]
    for p in range(len(snapshot["scores"])):
        lines += _seat(snapshot, p)
    return "\n".join([*lines, "", *_site(snapshot)])


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, the phase and what is to be done; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']} of {seat_name(snapshot['player'])}. {result_of(snapshot)}"
    end = ", end phase" if snapshot["ending"] else ""
    line = f"Turn {snapshot['turn']} of {seat_name(snapshot['player'])}{end}: {snapshot['phase']}"
    if snapshot["exchange"]:
        exchange = snapshot["exchange"]
        barred = f", barred: {' '.join(exchange['barred'])}" if exchange["barred"] else ""
        line += (
            f", in an exchange with {seat_name(exchange['with'])}, {exchange['left']} to "
            f"give{barred}"
        )
    if snapshot["claim"]:
        line += f" for a {snapshot['claim']['award']} award, {snapshot['claim']['paid']} paid"
    return line


def _turn(snapshot: Mapping[str, Any]) -> list[str]:
    """Lines on the turn in progress, on the step after a payment, and on the counted turns of the
    end phase (FC-33)."""
    said = [f"{snapshot['digs']} to dig"] * (snapshot["digs"] > 0) + [
        f"dug up {snapshot['dug']}"
    ] * (snapshot["dug"] is not None)
    said += ["a fossil put back"] * snapshot["returned"] + ["a bonus dig earned"] * snapshot[
        "bonus"
    ]
    said += [f"{counted(snapshot['exchanges'], 'exchange')} made"] * (snapshot["exchanges"] > 0)
    said += ["a new piece in a museum"] * snapshot["scored"]
    if snapshot["claim"]:
        said.append(f"after the payment: {snapshot['claim']['back']}")
    lines = [f"This turn: {', '.join(said)}"] if said else []
    if snapshot["passes"] or snapshot["idle"]:
        passes, idle = counted(snapshot["passes"], "turn"), counted(snapshot["idle"], "turn")
        lines.append(f"{passes} in a row without exchange or award, {idle} without a new piece")
    return lines


def _seat(snapshot: Mapping[str, Any], p: int) -> list[str]:
    pieces = [
        *snapshot["museums"][p],
        *snapshot["awards"][p],
        *(f"{bonus} bonus" for bonus in snapshot["bonuses"][p]),
    ]
    hand, chosen = snapshot["hidden"][p], snapshot["chosen"][p]
    hidden = f": {grouped(hand)}" if isinstance(hand, list) and hand else ""
    lines = [
        (
            f"{seat_name(p)} {snapshot['scores'][p]:>3} points: "
            f"{', '.join(pieces) or 'nothing yet'}{mark_of(snapshot, p)}"
        ),
        f"     {size_of(hand)} hidden{hidden}",
        f"     face up: {grouped(snapshot['open'][p])}",
    ]
    if chosen:
        lines.append(f"     chosen to be hidden: {' '.join(chosen)}")
    for x, known in enumerate(snapshot["known"]):
        if x != p and known[p]:
            lines.append(f"     {seat_name(x)} knows of these hidden ones: {' '.join(known[p])}")
    return lines


def _site(snapshot: Mapping[str, Any]) -> list[str]:
    cards = " ".join("?" if card is None else str(card) for card in reversed(snapshot["events"]))
    lines = [
        f"Dig site: {size_of(snapshot['buried'])} buried, exposed: {grouped(snapshot['exposed'])}",
        (
            f"Event cards, next first, by the fossils that they expose: {cards} "
            f"({snapshot['events_seen']} known to all)"
        ),
    ]
    if snapshot["spent"]:
        lines.append(f"Research paid: {' '.join(snapshot['spent'])}")
    return lines
