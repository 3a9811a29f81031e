"""The messages that tell a connection of a table, as JSON."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.words import NO_NAMES, Viewer
from dig_envs.engine.game import Game
from dig_envs.server.table.table import Table
from dig_envs.server.thinking import Decision

Message = dict[str, Any]


def error_message(error: Exception) -> Message:
    """An error in words, with a code for programs."""
    return {"type": "error", "code": getattr(error, "code", "refused"), "message": str(error)}


def position_message(table: Table, seat: Viewer, view: Mapping[str, Any]) -> Message:
    """All that a viewer may see of a table, without the picture and the legal actions."""
    deciding = table.deciding
    return {
        "type": "position",
        "version": table.version(seat),
        "env": table.game.env_name,
        "title": table.game.title,
        "options": view["options"],
        "cooperative": table.game.cooperative,
        "seat": seat,
        "seats": [
            {"name": NO_NAMES.of(number), "player": player, "score": score, "asked": number in deciding}
            for number, (player, score) in enumerate(zip(table.players, view["scores"], strict=True))
        ],
        "turn": view["turn"],
        "phase": view["phase"],
        "together": table.together,
        "over": table.over,
        "won": list(view["winners"]),
        "result": table.result(),
        "moves": len(table.moves) if table.over else 0,
        "loaded": table.loaded,
        "text": table.game.draw(view),
        "headline": table.headline(seat, view),
        "back": seat is not None and table.may_take_back(seat),
    }


def log_message(table: Table, viewer: Viewer, first: int) -> Message:
    """The lines of the log from one on that a viewer is told, and how many it was told before."""
    told = [line for line in table.lines if viewer in line.words]
    before = sum(viewer in line.words for line in table.lines[:first])
    return {"type": "log", "from": before, "lines": [{"seat": line.seat, "words": line.words[viewer]} for line in told[before:]]}


def search_message(table: Table, seat: int, version: str, decision: Decision) -> Message:
    """The visits and values that a search has found in a version of the position, the most visited action first."""
    bars = [
        {"action": action, "text": table.label(seat, action), "visits": visits, "value": value}
        for action, visits, value in sorted(decision.visits, key=lambda found: -found[1])
    ]
    return {"type": "search", "at": version, "action": decision.action, "simulations": decision.simulations, "bars": bars}


def replay_message(game: Game, seat: Viewer, view: Mapping[str, Any], moves: int, texts: list[str], picture: str) -> Message:
    """A viewer's sight of a finished game after so many moves; ``texts``: all moves in words."""
    return {
        "type": "replay",
        "moves": moves,
        "of": len(texts),
        "seat": seat,
        "done": texts[moves - 1] if moves else "",
        "scores": view["scores"],
        "turn": view["turn"],
        "phase": view["phase"],
        "text": game.draw(view),
        "picture": picture,
    }
