"""How entries of a snapshot that only The Big Dig has are written and read: inputs, arguments,
decision cards."""

from dataclasses import dataclass
from typing import Any

from dig_envs.engine.snapshots import codecs as c
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s

Record = Any

# cards; 0 in the other phases
SPENT_IN = {s.ARGUMENT: 1, s.RESEARCH: 1, s.RESEARCH_MODEL: 2, s.EVALUATION: 3, s.PLACEMENT: 3}


@dataclass(frozen=True)
class Inputs(c.Codec):
    """The inputs of a model: one space, or two of different attributes in space order. Held as two,
    a single one twice."""

    def write(self, state: Record, name: str, at: c.Place) -> list[str]:
        low, high = c.get(state, name, at)
        return [board.SPACES[low]] if low == high else [board.SPACES[low], board.SPACES[high]]

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        spaces = [
            c.require_choice(space, key, board.SPACES)
            for space in c.require_list(value, key, most=box.MAX_INPUTS)
        ]
        c.require(len(spaces) > 0, key, "a model has one input or two")
        low, high = spaces[0], spaces[-1]
        if len(spaces) > 1:
            c.require(low < high, key, "must be in space order")
            apart = board.ATTRIBUTE_OF[low // 2] != board.ATTRIBUTE_OF[high // 2]
            c.require(bool(apart), key, "two inputs are of different attributes (BD-5)")
        c.put(state, name, at, (low, high))

    def json_schema(self) -> c.JsonSchema:
        return {
            "type": "array",
            "items": {"enum": list(board.SPACES)},
            "minItems": 1,
            "maxItems": box.MAX_INPUTS,
        }


@dataclass(frozen=True)
class Output(c.Codec):
    """The output of an argument: a space for a conjecture, a state for a nullification."""

    def write(self, state: Record, name: str, at: c.Place) -> str:
        return str(
            (board.STATES if c.get(state, "argument_target", at) else board.SPACES)[
                c.get(state, name, at)
            ]
        )

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        c.put(
            state,
            name,
            at,
            c.require_choice(value, key, board.STATES if value in board.STATES else board.SPACES),
        )

    def json_schema(self) -> c.JsonSchema:
        return {"enum": [*board.SPACES, *board.STATES]}


@dataclass(frozen=True)
class Target(c.Codec):
    """The input that a nullification is aimed at, null for a conjecture; held as its place from 1,
    and 0."""

    def write(self, state: Record, name: str, at: c.Place) -> str | None:
        target = int(c.get(state, name, at))
        return board.SPACES[c.get(state, "argument_inputs", at)[target - 1]] if target else None

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        if value is not None:
            low, high = c.get(state, "argument_inputs", at)
            c.require(low != high, key, "a nullification has two inputs")
            c.put(
                state,
                name,
                at,
                1 + c.require_choice(value, key, [board.SPACES[low], board.SPACES[high]]),
            )

    def json_schema(self) -> c.JsonSchema:
        return {"enum": [*board.SPACES, None]}


class Argument(c.Group):
    """An argument: its target says whether its output is a space or a state."""

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        given = c.require_object(value, key, self.entries)
        c.require_choice(
            given["output"],
            f"{key}.output",
            board.SPACES if given["target"] is None else board.STATES,
        )
        super().read(state, name, at, value, key)


@dataclass(frozen=True)
class Decisions(c.Codec):
    """The decision cards that a seat has revealed in this turn; how many follows from the phase
    (BD-11)."""

    def write(self, state: Record, name: str, at: c.Place) -> list[str]:
        return [
            s.CARDS[card - 1] for card in c.get(state, name, at)[: c.get(state, "num_spent", at)]
        ]

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        count = SPENT_IN.get(int(state["phase"]), 0)
        cards = [
            1 + c.require_choice(card, key, s.CARDS)
            for card in c.require_list(value, key, length=count)
        ]
        passes = cards.count(s.PASS)
        c.require(
            passes <= 1 and (passes == 1 or count < s.NUM_DECISIONS),
            key,
            "a player has two act cards and a pass",
        )
        c.get(state, name, at)[:count] = cards
        c.put(state, "num_spent", at, count)

    def json_schema(self) -> c.JsonSchema:
        return {"type": "array", "items": {"enum": list(s.CARDS)}, "maxItems": s.NUM_DECISIONS}
