"""Sentences that say where a game stands: what is to be decided, and how it has ended."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dig_envs.engine.core.events import Event, Kind
from dig_envs.engine.core.words import (
    NO_NAMES,
    Names,
    Viewer,
    capitalised,
    enumeration,
    fill,
    game_is_over,
)
from dig_envs.engine.game import Game
from dig_envs.text.views import limit_of

# kinds of events that a log does not tell: choices made at once are told together
UNTOLD = ("chose",)
TURN = "turn"  # the kind of event that is a heading of the lines after it


def log_lines(events: Iterable[Event], turn: int, names: Names = NO_NAMES) -> list[str]:
    """A sentence for each event, as in the log of the page.

    Args:
        events: in order. turn: the number of the turn before them. names: of the seats.
    """
    lines = []
    for event in events:
        if event.kind.name == TURN:
            turn += 1
            lines.append(f"{turn} · {event.text(names)}")
        elif event.kind.name not in UNTOLD:
            lines.append(event.text(names))
    return lines


def line_for_people(game: Game, event: Event, names: Names = NO_NAMES) -> str | None:
    """The sentence of an event for the log of a table with people, if that log leaves something out
    (``Game.log_words``); else None."""
    kind, words = event.kind, game.log_words.get(event.kind.name)
    if words is None:
        return None
    shorter = Kind(kind.name, "", words, kind.parts)
    return Event(shorter, event.seat, event.values, event.viewer, event.knows).text(names)


def headline(
    game: Game,
    view: Mapping[str, Any],
    viewer: Viewer = None,
    names: Names = NO_NAMES,
    deciding: Sequence[int] | None = None,
) -> str:
    """The decision and its seat, such as *You: ask another player for a genus*; for a finished game
    its result.

    Args:
        game: which. view: what the viewer may know (or a snapshot). viewer: who is called *you*.
            names: of the seats.
        deciding: the seats that decide now, by default the one to move.
    """
    if view["phase"] == "over":
        return result_text(game, view, viewer, names)
    words = game.headlines.get(view["phase"], view["phase"])
    question = fill(
        words if isinstance(words, str) else words(view),
        view,
        {"seat": view["to_move"]},
        names,
        viewer,
    )
    people = names.people([view["to_move"]] if deciding is None else deciding, viewer)
    return capitalised(f"{people}: {question}")


def result_text(
    game: Game, view: Mapping[str, Any], viewer: Viewer = None, names: Names = NO_NAMES
) -> str:
    """The result of a finished game: the reason, the winners and the scores.

    Args: as for :func:`headline`.
    """
    winners = names.people(view["winners"], viewer)
    scores = enumeration([f"{names.of(seat)} {score}" for seat, score in enumerate(view["scores"])])
    return capitalised(f"{ending_text(game, view)} {winners} won. Scores: {scores}.")


def ending_text(game: Game, view: Mapping[str, Any]) -> str:
    """The reason why a finished game has ended, such as *The game is over. All 23 skeletons are
    built.*"""
    reason = game.reason(view) if game.reason is not None else ""
    return capitalised(f"{game_is_over(limit_of(view))}. {reason}".rstrip())
