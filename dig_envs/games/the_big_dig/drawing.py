"""A position of The Big Dig as text: what everybody can see of it, and in a view the own models."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from dig_envs.games.the_big_dig.app import Prediction, predictions
from dig_envs.games.the_big_dig.board import ATTRIBUTE_NAMES, FIRST_STATE, NUM_ATTRIBUTES, SPACES, STATE_NAMES, STATES
from dig_envs.text.views import mark_of, result_of, size_of

BEST_PREDICTIONS = 6  # of an own model, shown in a view


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end; of a view also the seat's own models.

    ``<`` marks the player who is asked. A space is followed by D (discovered) or C (conjectured) and each seat's tokens.
    """
    lines = [_title(snapshot), ""]
    for p in range(len(snapshot["scores"])):
        lines += _seat(snapshot, p)
    lines += ["", *_cards(snapshot), *_board(snapshot), *_arguments(snapshot)]
    if isinstance(snapshot["deck"], int):
        lines += _own_models(snapshot)
    return "\n".join(lines)


def _title(snapshot: Mapping[str, Any]) -> str:
    turns = f"Turn {snapshot['turn']} of {snapshot['options']['turns']}"
    if snapshot["phase"] == "over":
        return f"{turns}. {result_of(snapshot)}"
    return f"{turns}: {snapshot['phase'].replace('_', ' ')}"


def _seat(snapshot: Mapping[str, Any], p: int) -> list[str]:
    asked = mark_of(snapshot, p)
    bank = 12 - sum(snapshot["tokens"][p].values())
    played = ", ".join(snapshot["spent"][p]) or "none"
    evaluation = f", evaluation {snapshot['evaluation'][p]}" if snapshot["evaluation"][p] else ""
    line = f"P{p} {snapshot['scores'][p]:>3} points: {len(snapshot['models'][p])} models, {bank} tokens in the bank, "
    final = [f"{name} {points}" for name, points in snapshot["final"][p].items()] if snapshot["final"] else []
    return [f"{line}cards played: {played}{evaluation}{asked}", *([f"     final scoring: {', '.join(final)}"] if final else [])]


def _cards(snapshot: Mapping[str, Any]) -> list[str]:
    request = f"; special request: {snapshot['request']}" if snapshot["request"] else ""
    return [f"Drawn: {', '.join(snapshot['drawn'])} ({size_of(snapshot['deck'])} cards left){request}"]


def _board(snapshot: Mapping[str, Any]) -> list[str]:
    """A line for each attribute with a marker or a token."""
    lines = []
    for a in range(NUM_ATTRIBUTES):
        spaces = SPACES[2 * FIRST_STATE[a] : 2 * FIRST_STATE[a + 1]]
        shown = [text for text in (_space(snapshot, space) for space in spaces) if text]
        if shown:
            lines.append(f"{a + 1:>3} {ATTRIBUTE_NAMES[a]}: {', '.join(shown)}")
    return lines


def _space(snapshot: Mapping[str, Any], space: str) -> str:
    marker = "D" if space in snapshot["discovered"] else "C" if space in snapshot["conjectured"] else ""
    tokens = [f"P{p}x{mine[space]}" for p, mine in enumerate(snapshot["tokens"]) if space in mine]
    name = STATE_NAMES[STATES.index(space[:-2])].partition(": ")[2]
    return " ".join([f"{space} ({'not ' if space[-1] == 'N' else ''}{name})", marker, *tokens]) if marker or tokens else ""


def _arguments(snapshot: Mapping[str, Any]) -> list[str]:
    return [f"  P{argument['by']} turn {argument['turn']}: {_argument(argument)}" for argument in snapshot["arguments"]]


def _argument(argument: Mapping[str, Any]) -> str:
    inputs = " + ".join(argument["inputs"])
    if argument["target"]:
        text = f"{inputs} nullifies {argument['target']} -> {argument['output']}"
    else:
        text = f"{inputs} -> {argument['output']}, support {argument['support']}"
    return text if argument["valid"] else f"{text} (invalid)"


def _own_models(snapshot: Mapping[str, Any]) -> list[str]:
    """The models that the view shows of the seat, with their strongest predictions on attributes that are not discovered."""
    own = next((p for p, pending in enumerate(snapshot["pending"]) if pending is not None), None)
    if own is None:  # a view of nobody
        return []
    lines = ["Your models:"] if snapshot["models"][own] else []
    for m, inputs in enumerate(snapshot["models"][own]):
        lines.append(f"  {m + 1}. {' + '.join(inputs)}: {_best_predictions(inputs, snapshot['discovered'])}")
    return lines


def _best_predictions(inputs: Sequence[str], discovered: Sequence[str]) -> str:
    best = [guess for guess in open_predictions(inputs, discovered) if guess.support > 0][:BEST_PREDICTIONS]
    return ", ".join(f"{guess.space} {guess.support}" for guess in best) or "nothing"


def open_predictions(inputs: Sequence[str], discovered: Sequence[str]) -> list[Prediction]:
    """The predictions of a model on attributes that are not discovered, the strongest first."""
    known = {space.partition("-")[0] for space in discovered}
    return [guess for guess in _predictions(tuple(inputs)) if guess.space.partition("-")[0] not in known]


@lru_cache(maxsize=512)
def _predictions(inputs: tuple[str, ...]) -> list[Prediction]:
    """All that a model says, the strongest first; kept, since each frame of a film asks again."""
    return sorted(predictions(inputs), key=lambda guess: -guess.support)
