"""The companion app of The Big Dig for people: what a model predicts, from the living animals (BD-5
to BD-7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.games.the_big_dig.board import ATTRIBUTE_OF, SPACES, STATES
from dig_envs.games.the_big_dig.components import FAUNA, support_by_counts

_SPECIES: list[list[int]] = FAUNA.tolist()  # the state of each attribute of each living species
_ATTRIBUTES: list[int] = ATTRIBUTE_OF.tolist()  # of each state


class ModelError(DigEnvsError, ValueError):
    """Inputs of which no model can be made; the message says why."""


@dataclass(frozen=True)
class Prediction:
    """The prediction of a model about one state.

    ``space``: the state with the sign that the model predicts. ``support``: 0 … 99. ``species``:
    living species that match all inputs. ``with_state``: those of them that have the state.
    """

    space: str
    support: int
    species: int
    with_state: int


def predictions(inputs: Sequence[str]) -> list[Prediction]:
    """The predictions of a model.

    Args:
        inputs: one space, such as ``"2-3-A"``, or two of different attributes.

    Returns:
        A prediction for each state of each attribute that is not an input, in state order.

    Raises:
        ModelError: no such space, not one or two, or two of one attribute.
    """
    return list(_predictions(*_model(inputs)))


@lru_cache(maxsize=512)
def _predictions(first: int, second: int) -> tuple[Prediction, ...]:
    """What the model of these spaces (twice the same: of one) predicts."""
    fauna = [
        species for species in _SPECIES if _matches(species, first) and _matches(species, second)
    ]
    counts = [0] * len(_ATTRIBUTES)
    for species in fauna:
        for state in species:
            counts[state] += 1
    found = []
    for state, attribute in enumerate(_ATTRIBUTES):
        if attribute not in (_ATTRIBUTES[first // 2], _ATTRIBUTES[second // 2]):
            count = counts[state]
            space = f"{STATES[state]}-{'A' if 2 * count > len(fauna) else 'N'}"
            support = support_by_counts(len(fauna), count)
            found.append(Prediction(space, support, len(fauna), count))
    return tuple(found)


def _matches(species: Sequence[int], space: int) -> bool:
    """Whether a living species fits a space (BD-6)."""
    state, is_negation = divmod(space, 2)
    return (species[_ATTRIBUTES[state]] == state) != bool(is_negation)


def _model(inputs: Sequence[str]) -> tuple[int, int]:
    if isinstance(inputs, str) or not 1 <= len(inputs) <= 2:
        raise ModelError(
            "a model has one input or two, such as ['2-3-A', '3-3-A'], not "
            f"{shown_in_message(inputs)}"
        )
    for text in inputs:
        if text not in SPACES:
            raise ModelError(
                f"no space {shown_in_message(text)}; spaces are {SPACES[0]}, {SPACES[1]} … "
                f"{SPACES[-1]}"
            )
    first, second = SPACES.index(inputs[0]), SPACES.index(inputs[-1])
    if len(inputs) == 2 and ATTRIBUTE_OF[first // 2] == ATTRIBUTE_OF[second // 2]:
        raise ModelError(
            f"the inputs {inputs[0]} and {inputs[1]} are of the same attribute; a model has two "
            "different ones (BD-5)"
        )
    return first, second


def consult(question: str) -> list[tuple[str, ...]]:
    """The predictions for inputs given as text (``2-3-A 3-3-A``), as rows of a table with its head
    first."""
    rows = [
        (p.space, str(p.support), str(p.species), str(p.with_state))
        for p in predictions(question.replace(",", " ").split())
    ]
    return [("prediction", "support", "matching species", "with the state"), *rows]
