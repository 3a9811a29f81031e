"""The messages that tell a connection of a table, as JSON."""

from collections.abc import Sequence
from typing import Any

from dig_envs.agents.advice import Advice
from dig_envs.agents.mistakes import Mistake
from dig_envs.engine.core.texts import message_text
from dig_envs.engine.core.words import Viewer
from dig_envs.server.table.table import Move, Table
from dig_envs.server.thinking import Drawing
from dig_envs.text.sentences import headline

LINES = 200  # of the log in a message

Message = dict[str, Any]


def error_message(error: Exception) -> Message:
    """An error in words, with a code for programs."""
    return {
        "type": "error",
        "code": getattr(error, "code", "refused"),
        "message": message_text(str(error)),
    }


def standing_message(table: Table, seat: Viewer, back: bool) -> Message:
    """The message that tells a viewer the present state of a table. ``back``: whether the viewer
    may take back its last action."""
    return {
        "type": "position",
        "version": table.version(seat),
        "env": table.game.env_name,
        "title": table.game.title,
        "cooperative": table.game.cooperative,
        "seat": seat,
        "together": table.together,
        "over": table.over,
        "result": table.result(),
        "ending": table.ending(),
        "by_score": table.by_score(),
        "scoring": table.scoring() if table.over else [],
        "decisions": table.decisions() if table.over else {},
        "moves": len(table.moves) if table.over else 0,
        "loaded": table.loaded,
        "back": back,
        "coach": table.coach(seat),
    }


def sight_message(table: Table, seat: Viewer, deciding: list[int], drawing: Drawing) -> Message:
    """The message that shows a viewer a position, in which these seats were deciding."""
    view = drawing.view
    return {
        "options": view["options"],
        "seats": [
            {
                "name": table.names.of(number),
                "player": player,
                "score": score,
                "asked": number in deciding,
            }
            for number, (player, score) in enumerate(
                zip(table.players, view["scores"], strict=True)
            )
        ],
        "turn": view["turn"],
        "phase": view["phase"],
        "won": list(view["winners"]),
        "text": drawing.text,
        "picture": drawing.svg,
        "headline": headline(
            table.game, view, seat, table.names, [seat] if seat in deciding else deciding
        ),
    }


def log_messages(table: Table, viewer: Viewer, first: int) -> list[Message]:
    """The lines of the log from one on, of those that a viewer is told of; a long log in parts."""
    lines = [
        {
            "seat": line.seat,
            "words": line.words[viewer],
            "things": list(line.things.get(viewer, ())),
            "decision": line.decision,
            "turn": line.turn,
            "joy": line.joy,
        }
        for line in table.told(viewer, first)
    ]
    parts = range(0, len(lines), LINES) or [0]
    return [
        {"type": "log", "from": first + part, "lines": lines[part : part + LINES]} for part in parts
    ]


def advice_message(version: str, agent: str, found: Sequence[Advice]) -> Message:
    """What an agent, named as the game lists it, advises in a version of the position, the best
    action first."""
    return {
        "type": "advice",
        "at": version,
        "agent": agent,
        "moves": [{**one.to_json(), "text": one.label} for one in found],
    }


def analysis_message(moves: int, move: Move, found: Sequence[Advice]) -> Message:
    """What a search would have done in place of the seat that made a move, and both chances."""
    best, played = found[0], found[-1]
    return {
        "type": "analysis",
        "moves": moves,
        "seat": move.seat,
        "played": played.label,
        "played_chance": played.chance,
        "best": best.label,
        "best_chance": best.chance,
        "reason": best.reason,
        "same": move.action == best.action,
    }


def mistakes_message(table: Table, seat: int, found: Sequence[Mistake]) -> Message:
    """The largest mistakes of a seat; ``moves``: how many came before."""
    return {
        "type": "mistakes",
        "mistakes": [{**one.to_json(), "moves": table.place(seat, one.decision)} for one in found],
    }


def replay_message(seat: Viewer, drawing: Drawing, moves: int, of: int, done: str) -> Message:
    """A viewer's sight of a finished game after so many moves ``of`` all; ``done``: the last of
    them in words."""
    return {
        "type": "replay",
        "moves": moves,
        "of": of,
        "seat": seat,
        "done": done,
        "scores": drawing.view["scores"],
        "turn": drawing.view["turn"],
        "phase": drawing.view["phase"],
        "text": drawing.text,
        "picture": drawing.svg,
    }
