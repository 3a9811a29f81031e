"""A position of The Big Dig as text: what everybody can see of it, and in a view the own models."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig.app import Prediction, predictions
from dig_envs.text.views import mark_of, result_of, seat_name, size_of

BEST_PREDICTIONS = 6  # of a model, shown in a text
# of a model in a short text, and of the one that an argument is chosen from
FEW_PREDICTIONS, MORE_PREDICTIONS = 3, 12
# BD-28, BD-29, BD-32, BD-33
FINAL_WORDS = ("attacks", "bets on what nobody claims", "bets that agree", "claims that hold")


@lru_cache
def in_words() -> dict[str, str]:
    """What cards, states and spaces are called, such as ``no large canines (2-3-N)``."""
    requests = {f"request {region}": f"special request {region}" for region in board.REGIONS}
    codes, names = board.STATES + board.SPACES, board.STATES_SAID + board.SPACES_SAID
    spaces = {code: f"{name} ({code})" for code, name in zip(codes, names, strict=True)}
    return {"rock": "rock", **requests, **spaces}


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end; models are shown where the view has
    them.

    ``<`` marks the player who is asked. A space is followed by D (discovered) or C (conjectured)
    and each player's tokens.
    """
    lines = [_title(snapshot), ""]
    for p in range(len(snapshot["scores"])):
        lines += _seat(snapshot, p)
    lines += ["", *_cards(snapshot), *_board(snapshot), *_arguments(snapshot)]
    for p in range(len(snapshot["scores"])):
        lines += _models(snapshot, p)
    return "\n".join(lines)


def brief(view: Mapping[str, Any]) -> str:
    """The position as text in the codes of states and spaces, for prompts: with the strongest
    predictions of the own models."""
    lines = [_title(view), ""]
    for p in range(len(view["scores"])):
        lines += _seat(view, p)
    request = f"; active special request: {view['request']}" if view["request"] else ""
    lines.append(f"Drawn: {', '.join(view['drawn'])} ({size_of(view['deck'])} cards left){request}")
    lines.append(
        f"Discovered: {', '.join(space for space in view['discovered'] if space.endswith('A'))}"
    )
    lines.append(f"C: {', '.join(view['conjectured']) or 'none'}")
    for p, mine in enumerate(view["tokens"]):
        lines.append(
            f"Tokens of {seat_name(p)}: "
            f"{', '.join(f'{count} on {space}' for space, count in mine.items()) or 'none'}"
        )
    for one in view["arguments"]:
        argument = _argument(one, " + ".join(one["inputs"]), one["output"])
        lines.append(f"{seat_name(one['by'])} argued in turn {one['turn']}: {argument}")
    for p, models in enumerate(view["models"]):
        lines += (
            [f"Models of {seat_name(p)}" + (" that are known:" if None in models else ":")]
            if any(models)
            else []
        )
        lines += [
            f"  {m + 1}. {_brief_model(view, p, m, inputs)}"
            for m, inputs in enumerate(models)
            if inputs
        ]
    return "\n".join(lines)


def _brief_model(view: Mapping[str, Any], p: int, m: int, inputs: Sequence[str]) -> str:
    """A model and its predictions: of another player's none, and none but those of the model that
    an argument is chosen from."""
    text, chosen = (
        " + ".join(inputs),
        [pick for pick in view["pending"][p] or () if pick.startswith("argue ")],
    )
    if None in view["models"][p] or (chosen and chosen != [f"argue {m + 1}"]):
        return text
    guesses = [guess for guess in open_predictions(inputs, view["discovered"]) if guess.support > 0]
    shown = guesses[: MORE_PREDICTIONS if chosen else FEW_PREDICTIONS]
    return (
        f"{text} predicts "
        f"{', '.join(f'{guess.space} {guess.support}' for guess in shown) or 'nothing'}"
    )


def _title(snapshot: Mapping[str, Any]) -> str:
    turns = f"Turn {snapshot['turn']} of {snapshot['options']['turns']}"
    if snapshot["phase"] == "over":
        return f"{turns}. {result_of(snapshot)}"
    return f"{turns}: {snapshot['phase'].replace('_', ' ')}"


def _seat(snapshot: Mapping[str, Any], p: int) -> list[str]:
    """A player's line, and where there is one, the commitment so far and the points of the final
    scoring."""
    bank = 12 - sum(snapshot["tokens"][p].values())
    played = ", ".join(snapshot["spent"][p]) or "none"
    evaluation = f", evaluation {snapshot['evaluation'][p]}" if snapshot["evaluation"][p] else ""
    line = (
        f"{seat_name(p)} {snapshot['scores'][p]:>3} points: {len(snapshot['models'][p])} models, "
        f"{bank} tokens in the bank, "
    )
    lines = [f"{line}cards played: {played}{evaluation}{mark_of(snapshot, p)}"]
    if snapshot["pending"][p]:
        lines.append(f"     chosen so far: {', '.join(snapshot['pending'][p])}")
    if snapshot["final"]:
        words = zip(FINAL_WORDS, snapshot["final"][p].values(), strict=True)
        lines.append(
            f"     final scoring: {', '.join(f'{word} {points}' for word, points in words)}"
        )
    return lines


def _cards(snapshot: Mapping[str, Any]) -> list[str]:
    request = f"; active special request: {snapshot['request']}" if snapshot["request"] else ""
    drawn = ", ".join(in_words()[card] for card in snapshot["drawn"])
    return [f"Drawn: {drawn} ({size_of(snapshot['deck'])} cards left){request}"]


def _board(snapshot: Mapping[str, Any]) -> list[str]:
    """A line for each attribute with a marker or a token."""
    lines = []
    for a in range(board.NUM_ATTRIBUTES):
        spaces = board.SPACES[2 * board.FIRST_STATE[a] : 2 * board.FIRST_STATE[a + 1]]
        shown = [text for text in (_space(snapshot, space) for space in spaces) if text]
        if shown:
            lines.append(f"{a + 1:>3} {board.ATTRIBUTE_NAMES[a]}: {', '.join(shown)}")
    return lines


def _space(snapshot: Mapping[str, Any], space: str) -> str:
    marker = (
        "D" if space in snapshot["discovered"] else "C" if space in snapshot["conjectured"] else ""
    )
    tokens = [
        f"{seat_name(p)} x{mine[space]}"
        for p, mine in enumerate(snapshot["tokens"])
        if space in mine
    ]
    name = board.SPACE_NAMES[board.SPACES.index(space)].partition(": ")[2]
    return (
        " ".join(filter(None, [f"{space} ({name})", marker, *tokens])) if marker or tokens else ""
    )


def _arguments(snapshot: Mapping[str, Any]) -> list[str]:
    lines = ["Arguments:"] if snapshot["arguments"] else []
    for one in snapshot["arguments"]:
        argument = _argument(one, _in_words(one["inputs"]), in_words()[one["output"]])
        lines.append(f"  {seat_name(one['by'])}, turn {one['turn']}: {argument}")
    return lines


def _argument(argument: Mapping[str, Any], inputs: str, output: str) -> str:
    if argument["target"]:
        text = f"{inputs} nullifies {argument['target']} -> {output}"
    else:
        text = f"{inputs} -> {output}, support {argument['support']}"
    return text if argument["valid"] else f"{text} (invalid)"


def _in_words(inputs: Sequence[str]) -> str:
    return " + ".join(in_words()[space] for space in inputs)


def _models(snapshot: Mapping[str, Any], p: int) -> list[str]:
    """The models of a player with their strongest predictions on attributes that are not
    discovered; a hidden one as a number."""
    lines = [f"Models of {seat_name(p)}:"] if snapshot["models"][p] else []
    for m, inputs in enumerate(snapshot["models"][p]):
        lines.append(f"  {m + 1}. {_in_words(inputs) if inputs else 'not shown'}")
        if inputs:
            lines.append(f"     predicts {_best_predictions(inputs, snapshot['discovered'])}")
    return lines


def _best_predictions(inputs: Sequence[str], discovered: Sequence[str]) -> str:
    best = [guess for guess in open_predictions(inputs, discovered) if guess.support > 0][
        :BEST_PREDICTIONS
    ]
    return ", ".join(f"{in_words()[guess.space]} {guess.support}" for guess in best) or "nothing"


def open_predictions(inputs: Sequence[str], discovered: Sequence[str]) -> list[Prediction]:
    """The predictions of a model on attributes that are not discovered, the strongest first."""
    known = {space.partition("-")[0] for space in discovered}
    found = [one for one in predictions(inputs) if one.space.partition("-")[0] not in known]
    return sorted(found, key=lambda guess: -guess.support)
