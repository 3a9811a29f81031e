"""Positions for the rule tests, made from the cards drawn, the arguments on the board and the
players' models."""

from collections.abc import Sequence
from typing import Any

from dig_envs.registry import load_game
from tests import positions
from tests.rules.the_big_dig.reference import (
    attribute,
    decks,
    discovered_by,
    fauna,
    in_order,
    predictions,
    state_of,
)
from tests.worked_examples import set_path

GAME = load_game("the_big_dig")
SPENT = {
    "model": [[], []],
    "argumentation": [[], []],
    "argument": [["act"], ["act"]],
    "research": [["act"], ["act"]],
    "research_model": [["act", "act"], ["act", "act"]],
    "evaluation": [["act", "act", "pass"], ["act", "act", "pass"]],
    "placement": [["act", "act", "pass"], ["act", "act", "pass"]],
    "over": [[], []],
}


class Position(positions.Position):
    """A position of The Big Dig."""

    game = GAME


deal = Position.deal


def wild_cards(states: Sequence[str], requests: Sequence[str]) -> list[str]:
    """The cards of a wild deck (BD-8) of a species that has some states, which are among the
    cards."""
    numbers = [attribute(state) for state in states]
    numbers += [a for a in range(1, 15) if a not in numbers][: 8 - len(numbers)]
    species = next(
        s
        for s in fauna()
        if all(s[attribute(state)] == int(state.split("-")[1]) for state in states)
    )
    return (
        [f"{a}-{species[a]}" for a in numbers]
        + [f"request {request}" for request in requests]
        + ["rock"] * 15
    )


def argument(
    by: int,
    turn: int,
    inputs: Sequence[str],
    output: str,
    target: str | None = None,
    valid: bool = True,
) -> dict[str, Any]:
    """An argument as it stands in a snapshot: ``output`` is a space for a conjecture, a state for a
    nullification."""
    space, support = predictions(tuple(inputs))[state_of(output)]
    assert (support > 0 and space == output) if target is None else support == 0, (space, support)
    return {
        "by": by,
        "turn": turn,
        "inputs": list(inputs),
        "output": output,
        "support": support,
        "target": target,
        "valid": valid,
    }


def arranged(
    phase: str,
    drawn: Sequence[str] = ("2-3", "rock"),
    on_top: Sequence[str] = (),
    deck: str = "starter",
    cards: Sequence[str] = (),
    arguments: Sequence[dict[str, Any]] = (),
    models: Sequence[Sequence[Sequence[str]]] = ((), ()),
    **changes: Any,
) -> dict[str, Any]:
    """A snapshot of the first decision of a phase in turn 5, unless changed.

    What follows from the cards drawn and the arguments is filled in: deck (with ``on_top`` drawn
    first, its first card first of all), markers, and models that were used in arguments (after
    those named). ``cards``: those of a wild deck. Changes by key, ``__`` for the dots.
    """
    rest = list(cards or decks()[deck])
    for card in [*drawn, *on_top]:
        rest.remove(card)
    requests = [card.removeprefix("request ") for card in drawn if card.startswith("request")]
    discovered = in_order(
        space for card in drawn if card[0].isdigit() for space in discovered_by(card)
    )
    used = [[a["inputs"] for a in arguments if a["by"] == p] for p in (0, 1)]
    conjectured = {a["output"] for a in arguments if a["valid"] and a["target"] is None} - set(
        discovered
    )
    snapshot: dict[str, Any] = {
        "game": "the_big_dig",
        "options": {
            "num_players": 2,
            "deck": "wild" if cards else deck,
            "first_discovery": "random",
            "turns": 6,
        },
        "to_move": -1 if phase == "over" else 0,
        "phase": phase,
        "turn": 5,
        "scores": [20, 20],
        "winners": [],
        "truncated": False,
        "deck": rest + list(on_top)[::-1],
        "drawn": list(drawn),
        "request": requests[-1] if requests else None,
        "discovered": discovered,
        "conjectured": in_order(conjectured),
        "tokens": [{}, {}],
        "models": [[list(model) for model in models[p]] for p in (0, 1)],
        "arguments": list(arguments),
        "spent": [list(cards) for cards in SPENT[phase]],
        "evaluation": [None, None] if phase != "placement" else ["move", "move"],
        "pending": [[], []],
        "final": None,
    }
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    for p in (0, 1):
        for model in used[p]:
            if model not in snapshot["models"][p]:
                snapshot["models"][p].append(model)
    return snapshot


def arrange(phase: str, **changes: Any) -> Position:
    """The position of :func:`arranged`."""
    return Position(arranged(phase, **changes))
