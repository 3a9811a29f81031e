"""The companion app of The Big Dig for people: what a model predicts, from the living animals (BD-5 to BD-7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.games.the_big_dig.board import ATTRIBUTE_OF, NUM_SPACES, NUM_STATES, SPACES, STATES
from dig_envs.games.the_big_dig.components import FAUNA, SUPPORT

NO_PREDICTION = -1
Array = np.ndarray[Any, Any]
_SPECIES: list[list[int]] = FAUNA.tolist()  # the state of each attribute of each living species
_ATTRIBUTES: list[int] = ATTRIBUTE_OF.tolist()  # of each state


class ModelError(DigEnvsError, ValueError):
    """Inputs of which no model can be made; the message says why."""


@dataclass(frozen=True)
class Prediction:
    """The prediction of a model about one state.

    ``space``: the state with the sign that the model predicts. ``support``: 0 … 99. ``species``: living species that match all
    inputs. ``with_state``: those of them that have the state.
    """

    space: str
    support: int
    species: int
    with_state: int


@dataclass(frozen=True)
class Tables:
    """The predictions of every model. A model with one input is found under that input twice.

    ``support``: int8 (148, 148, 74), by the indices of both inputs and of the output state; -1 where there is no prediction.
    ``asserted``: bool, the same shape: the prediction is the assertion. ``species``: int16 (148, 148), how many match.
    ``with_state``: int16 (148, 148, 74), how many of them have the state.
    """

    support: Array
    asserted: Array
    species: Array
    with_state: Array


def predictions(inputs: Sequence[str]) -> list[Prediction]:
    """Return the predictions of a model.

    Args:
        inputs: one space, such as ``"2-3-A"``, or two of different attributes.

    Returns:
        A prediction for each state of each attribute that is not an input, in state order.

    Raises:
        ModelError: no such space, not one or two, or two of one attribute.
    """
    first, second = _model(inputs)
    fauna = [species for species in _SPECIES if _matches(species, first) and _matches(species, second)]
    found = []
    for state, attribute in enumerate(_ATTRIBUTES):
        if attribute not in (_ATTRIBUTES[first // 2], _ATTRIBUTES[second // 2]):
            count = sum(species[attribute] == state for species in fauna)
            space = f"{STATES[state]}-{'A' if 2 * count > len(fauna) else 'N'}"
            found.append(Prediction(space, int(SUPPORT[len(fauna), count]), len(fauna), count))
    return found


def _matches(species: Sequence[int], space: int) -> bool:
    """Return whether a living species is as a space says (BD-6)."""
    state, is_negation = divmod(space, 2)
    return (species[_ATTRIBUTES[state]] == state) != bool(is_negation)


def _model(inputs: Sequence[str]) -> tuple[int, int]:
    if isinstance(inputs, str) or not 1 <= len(inputs) <= 2:
        raise ModelError(f"a model has one input or two, such as ['2-3-A', '3-3-A'], not {inputs!r}")
    for text in inputs:
        if text not in SPACES:
            raise ModelError(f"no space {text!r}; spaces are {SPACES[0]}, {SPACES[1]} … {SPACES[-1]}")
    first, second = SPACES.index(inputs[0]), SPACES.index(inputs[-1])
    if len(inputs) == 2 and ATTRIBUTE_OF[first // 2] == ATTRIBUTE_OF[second // 2]:
        raise ModelError(f"the inputs {inputs[0]} and {inputs[1]} are of the same attribute; a model has two different ones (BD-5)")
    return first, second


def tables_of(fauna: Array, support: Array) -> Tables:
    """The predictions of every model from a fauna (int8, (species, 27)) and its table of supports by counts."""
    has_state = (fauna[:, ATTRIBUTE_OF] == np.arange(NUM_STATES)).astype(np.float32)  # (species, state)
    matches = np.stack([has_state, 1 - has_state], axis=2).reshape(len(fauna), NUM_SPACES)  # (species, space)
    both = matches[:, :, np.newaxis] * matches[:, np.newaxis, :]  # (species, first, second)
    with_state = np.tensordot(both, has_state, axes=(0, 0)).astype(np.int16)
    species = both.sum(axis=0).astype(np.int16)
    supports = support[species[:, :, np.newaxis], with_state]
    supports[~_is_predicted()] = NO_PREDICTION
    return Tables(supports, 2 * with_state > species[:, :, np.newaxis], species, with_state)


def _is_predicted() -> Array:
    """Return where there is a prediction (BD-6): no output on an input's attribute, no model of two inputs of one attribute."""
    attribute = np.repeat(ATTRIBUTE_OF, 2)
    pair = (attribute[:, np.newaxis] != attribute[np.newaxis, :]) | np.eye(NUM_SPACES, dtype=bool)
    free = attribute[:, np.newaxis] != ATTRIBUTE_OF[np.newaxis, :]  # (space, state)
    return np.asarray(pair[:, :, np.newaxis] & free[:, np.newaxis, :] & free[np.newaxis, :, :])


def consult(question: str) -> list[tuple[str, ...]]:
    """Return the predictions for inputs given as text (``2-3-A 3-3-A``) as rows of a table, the first is its head."""
    rows = [(p.space, str(p.support), str(p.species), str(p.with_state)) for p in predictions(question.replace(",", " ").split())]
    return [("prediction", "support", "matching species", "with the state"), *rows]
