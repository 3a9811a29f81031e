"""The messages that tell a connection of a table, as JSON."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.words import Viewer, named
from dig_envs.engine.game import Game
from dig_envs.server.table.table import Move, Table
from dig_envs.server.thinking import Decision

Message = dict[str, Any]


def error_message(error: Exception) -> Message:
    """An error in words, with a code for programs."""
    return {"type": "error", "code": getattr(error, "code", "refused"), "message": str(error)}


def position_message(table: Table, seat: Viewer, view: Mapping[str, Any]) -> Message:
    """All that a viewer may see of a table, without the picture and the legal actions."""
    deciding = table.deciding
    with named(table.names):
        text = table.game.draw(view)
    return {
        "type": "position",
        "version": table.version(seat),
        "env": table.game.env_name,
        "title": table.game.title,
        "options": view["options"],
        "cooperative": table.game.cooperative,
        "seat": seat,
        "seats": [
            {"name": table.names.of(number), "player": player, "score": score, "asked": number in deciding}
            for number, (player, score) in enumerate(zip(table.players, view["scores"], strict=True))
        ],
        "turn": view["turn"],
        "phase": view["phase"],
        "together": table.together,
        "over": table.over,
        "won": list(view["winners"]),
        "result": table.result(),
        "scoring": table.scoring() if table.over else [],
        "decisions": table.decisions(seat) if table.over else [],
        "moves": len(table.moves) if table.over else 0,
        "loaded": table.loaded,
        "text": text,
        "headline": table.headline(seat, view),
        "back": seat is not None and table.may_take_back(seat),
    }


def log_message(table: Table, viewer: Viewer, first: int) -> Message:
    """The lines of the log from one on that a viewer is told, and how many it was told before.

    ``decision`` of a line counts the decisions that the viewer was told something of; lines with the same one belong together.
    ``turn``: of a heading, which turn begins; 0 for other lines.
    """
    told = [line for line in table.lines if viewer in line.words]
    before = sum(viewer in line.words for line in table.lines[:first])
    decisions = {moves: number for number, moves in enumerate(sorted({line.moves for line in told}))}
    lines = [
        {
            "seat": line.seat,
            "words": line.words[viewer],
            "things": list(line.things.get(viewer, ())),
            "decision": decisions[line.moves],
            "turn": line.turn,
        }
        for line in told[before:]
    ]
    return {"type": "log", "from": before, "lines": lines}


def search_message(table: Table, seat: int, version: str, decision: Decision) -> Message:
    """The visits and values that a search has found in a version of the position, the most visited action first."""
    bars = [
        {"action": action, "text": table.label(seat, action), "visits": visits, "value": value}
        for action, visits, value in sorted(decision.visits, key=lambda found: -found[1])
    ]
    return {"type": "search", "at": version, "action": decision.action, "simulations": decision.simulations, "bars": bars}


def legal_action(table: Table, seat: Viewer, action: int) -> Message:
    """A legal action of a seat, without its things: number, notation, in words, and how to choose it step by step."""
    actions = table.game.action_list
    group = actions.group(action)
    return {
        "action": action,
        "text": table.game.actions[action],
        "label": table.label(seat, action),
        "group": group.first,
        "steps": actions.steps(action, seat or 0, table.num_seats, table.names),
        "cost": group.cost,
        "warning": group.warning,
    }


def analysis_message(before: Table, moves: int, move: Move, decision: Decision) -> Message:
    """What a search would have done in the place of who made a move, and the values of its choice and of what was done."""
    values = {action: value for action, _, value in decision.visits}
    return {
        "type": "analysis",
        "moves": moves,
        "seat": move.seat,
        "played": before.label(move.seat, move.action),
        "played_value": values.get(move.action),
        "best": before.label(move.seat, decision.action),
        "best_value": values.get(decision.action),
        "same": move.action == decision.action,
    }


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
