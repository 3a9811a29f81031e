"""Snapshots of The Big Dig: the table of their keys (the rules' section "Snapshot"), and what a
seat sees of them."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.snapshots import codecs as c
from dig_envs.engine.snapshots.snapshot import COMMITTED, Snapshot
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.codecs import Argument, Decisions, Inputs, Output, Target


@c.form(c.each(c.or_null, 2))
def unless_private(
    models: list[list[Any]], snapshot: Mapping[str, Any], seat: int
) -> list[list[Any]]:
    """The own models, and those of the other that its arguments have shown."""
    used = {(argument["by"], *argument["inputs"]) for argument in snapshot["arguments"]}
    return [
        [inputs if p == seat or (p, *inputs) in used else None for inputs in row]
        for p, row in enumerate(models)
    ]


ARGUMENT = Argument(
    {
        "by": c.Seat(field="argument_by"),
        "turn": c.Int(1, box.MOST_TURNS, field="argument_turn"),
        "inputs": Inputs(field="argument_inputs"),
        "output": Output(field="argument_output"),
        "support": c.Int(0, 100, field="argument_support"),
        "target": Target(field="argument_target"),
        "valid": c.Flag(field="argument_valid"),
    }
)
MAKES_MODELS = ("model", "research_model")  # phases in which each seat asked makes one
CARDS = "the 25 cards of a deck: a card is in `deck` or in `drawn`"  # what bounds the lists
SNAPSHOT = {
    "turn": c.Int(1, box.MOST_TURNS),
    "scores": c.PerSeat(c.Int(0, box.MAX_SCORE)),
    "deck": c.Items(box.CARD_NAMES, field="cards", bound=CARDS, view=c.size),
    "drawn": c.Items(box.CARD_NAMES, bound=CARDS),
    "request": c.Name(board.REGIONS, first=1, none=0),
    "discovered": c.Flags(board.SPACES),
    "conjectured": c.Flags(board.SPACES),
    "tokens": c.PerSeat(c.Amounts(board.SPACES, box.NUM_TOKENS, together=box.NUM_TOKENS)),
    "models": c.PerSeat(
        c.Each(
            Inputs(),
            "num_models",
            bound=(
                "the turns: a seat makes one in `model` and at most one in `research_model` of each"
            ),
        ),
        view=unless_private,
    ),
    "arguments": c.Each(
        ARGUMENT,
        "num_arguments",
        field="argument_by",
        bound="the turns: a seat makes at most one in `argument` of each",
    ),
    "spent": c.PerSeat(Decisions()),
    "evaluation": c.PerSeat(c.InPhases(s.PHASES, (s.PLACEMENT,), c.Name(s.EVALUATIONS, first=1))),
    "pending": c.PerSeat(
        c.Items(
            s.ACTIONS.names,
            bound="the commitments: at most a lift and a put for each of 12 tokens, and `done`",
        ),
        view=c.own_or_null,
    ),
    "final": c.InPhases(
        s.PHASES, (s.OVER,), c.PerSeat(c.PerName(s.FINAL, c.Int(-box.NUM_TOKENS, box.MAX_SCORE)))
    ),
}


def adjust_view(view: Snapshot, snapshot: Mapping[str, Any], seat: int) -> Snapshot:
    """In parallel play a seat that has not committed sees what it would if they took turns.

    So it does not see whether the other has begun, or has made its model, or needed fewer choices
    for its own commitment; and who looks on sees of neither.
    """
    if COMMITTED in snapshot and seat not in snapshot[COMMITTED]:
        view["to_move"] = max(seat, 0)
        if snapshot["phase"] in MAKES_MODELS:
            made = snapshot[COMMITTED]
            view["models"] = [
                row[:-1] if p in made else row for p, row in enumerate(view["models"])
            ]
        del view[COMMITTED]
    return view
