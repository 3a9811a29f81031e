"""Checks of what comes from outside, before anything changes: integers, seeds, actions, and arrays
for compiled code.

Kernels are compiled anew for every type of their arguments, and to Numba a read-only array is of
another type than a writable one, a strided one of another than a contiguous one. So arrays are
brought to one form before a kernel sees them.
"""

import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dig_envs.engine.core.errors import IllegalActionError, OptionError
from dig_envs.engine.core.state import as_records
from dig_envs.engine.core.texts import escaped_text

Array = np.ndarray[Any, Any]

WORDS = 2**64  # seeds are taken modulo this
LEAST_SEED = -(2**63)
FORM: Any = ("C_CONTIGUOUS", "ALIGNED", "WRITEABLE", "ENSUREARRAY")


class _Short(reprlib.Repr):
    """Values in messages: short, however deep or long what came from outside is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 3, 60, 60

    def repr_int(self, x: int, level: int) -> str:
        return f"an integer of {x.bit_length()} bits" if x.bit_length() > 200 else repr(x)


SHORT = _Short()
LONGEST = 300  # characters of a value in a message


def shown_in_message(value: Any) -> str:
    """A value from outside for an error message: one short line, hidden characters as escapes."""
    shown = escaped_text(SHORT.repr(value)).replace("\n", " ")
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def check_choice(argument: str, value: Any, choices: tuple[str, ...]) -> str:
    """The value of an argument, which must be one of some words; raises OptionError."""
    if value not in choices:
        raise OptionError(
            f"{argument} {shown_in_message(value)} is not one of {', '.join(map(repr, choices))}"
        )
    return str(value)


def is_integer(value: Any) -> bool:
    """Whether it is an integer of Python or NumPy; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_integer(value: Any, what: str, least: int, most: int | None = None) -> int:
    """The value, which must be an integer in a closed range.

    Raises:
        TypeError: it is not an integer. ValueError: it is out of range.
    """
    if not is_integer(value):
        raise TypeError(f"{what} must be an integer, not {shown_in_message(value)}")
    number = int(value)
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{what} must be {bounds}, not {shown_in_message(number)}")
    return number


def check_seed(seed: Any) -> int:
    """A seed as an integer from 0 to 2**64 - 1; a negative one, from -2**63 on, stands for the one
    that is 2**64 larger.

    Raises:
        TypeError: it is not an integer: text, bytes, a fraction, True. ValueError: it is out of
            range.
    """
    if type(seed) is int and 0 <= seed < WORDS:  # the common case, checked fast
        return seed
    return check_integer(seed, "a seed", LEAST_SEED, WORDS - 1) % WORDS


def is_sequence(value: Any) -> bool:
    """Whether it is a list, an array with a dimension or the like; texts are not."""
    return (isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)) or (
        isinstance(value, np.ndarray) and value.ndim > 0
    )


def check_seeds(seed: Any, count: int, missing: Callable[[int], int] | None = None) -> list[int]:
    """The seeds of ``count`` games, integers from 0 to 2**64 - 1. An integer is the seed of the
    first game, and the others follow it; a list has one seed for each game.

    ``missing``: gives the seed of a game for which there is None.

    Raises:
        TypeError: as :func:`check_seed`. ValueError: likewise, or there is not one for each game.
    """
    if not is_sequence(seed):
        first = check_seed(seed)
        return [(first + i) % WORDS for i in range(count)]
    if len(seed) != count:
        raise ValueError(
            f"{len(seed)} seeds for {count} games; give one seed, or one for each game"
        )
    return [
        missing(i) if one is None and missing is not None else check_seed(one)
        for i, one in enumerate(seed)
    ]


def action_index(action: Any) -> int:
    """An action as an index; -1 for anything but an integer (True, 1.0, "1", None, an array of
    several numbers)."""
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.item()
    return int(action) if is_integer(action) else -1


def check_action_type(action: Any) -> int:
    """An action, legal or not, as an integer; raises TypeError for anything else."""
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.item()
    if not is_integer(action):
        raise TypeError(
            "an action must be an integer, such as action_mask.argmax(), not "
            f"{shown_in_message(action)}"
        )
    return int(action)


def is_legal(action: Any, mask: Array) -> bool:
    """Whether an action is a legal integer; True is not an integer."""
    index = action_index(action)
    return 0 <= index < len(mask) and bool(mask[index])


def check_action(action: Any, mask: Array, names: tuple[str, ...], who: str) -> int:
    """A legal action as an index.

    Raises:
        TypeError: it is not an integer. IllegalActionError: names it and the legal actions.
    """
    index = check_action_type(action)
    if 0 <= index < len(mask) and mask[index]:
        return index
    raise illegal_action(action, mask, names, who)


def illegal_action(
    action: Any, mask: Array, names: tuple[str, ...], who: str
) -> IllegalActionError:
    """The error for an illegal action, or for None if one is missing; it names the action and the
    legal ones."""
    legal = [names[a] for a in np.flatnonzero(mask)]
    shown = ", ".join(legal[:12]) + (f" … ({len(legal)} in all)" if len(legal) > 12 else "")
    return IllegalActionError(
        f"{action_text(action, names)} is not legal for {who} now; legal: {shown or 'nothing'}"
    )


def action_text(action: Any, names: tuple[str, ...]) -> str:
    """Any value as an error message shows an action."""
    index = action_index(action)
    if 0 <= index < len(names):
        return repr(names[index])
    return f"{shown_in_message(action)}, which is not an action,"


def canonical(array: Any, dtype: Any) -> Array:
    """The array in the form that kernels are compiled for; copied only if it has another form."""
    return np.require(array, dtype, FORM)


def check_kind_and_shape(
    array: Any, what: str, kinds: str, words: str, shape: tuple[int | None, ...]
) -> None:
    """Check an array, on whatever device, before it is cast to another type.

    Args:
        array: that was given. what: its name in messages.
        kinds: of its numbers, as NumPy's ``dtype.kind``. words: the same in words.
        shape: that it must have; None where any size is right.

    Raises:
        TypeError: its numbers are of another kind. ValueError: it has another shape.
    """
    if array.dtype.kind not in kinds:
        raise TypeError(f"{what} must be {words}, not {array.dtype}")
    given = tuple(array.shape)
    if len(given) != len(shape) or any(
        size not in (None, found) for size, found in zip(shape, given, strict=True)
    ):
        wanted = ", ".join("n" if size is None else str(size) for size in shape)
        comma = "," if len(shape) == 1 else ""
        raise ValueError(f"{what} must have the shape ({wanted}{comma}), not {given}")


def check_array(
    given: Any, what: str, kinds: str, words: str, shape: tuple[int | None, ...]
) -> Array:
    """A given array, without a cast; raises as :func:`check_kind_and_shape`."""
    try:
        array = np.asarray(given)
    except ValueError:  # lists of different lengths
        raise ValueError(
            f"{what} must be an array of {words}, not lists of different lengths"
        ) from None
    check_kind_and_shape(array, what, kinds, words, shape)
    return array


def canonical_states(states: Any, dtype: np.dtype[Any], name: str) -> Array:
    """State records in the form that kernels are compiled for.

    Raises:
        TypeError: they are no records. ValueError: they are of another game than that with this
            name, or not a one-dimensional array.
    """
    what = f"states must be a one-dimensional array of records of {name} (such as BatchEnv.states)"
    given = getattr(states, "dtype", None)
    if getattr(given, "names", None) is None:
        raise TypeError(f"{what}, not {shown_in_message(states)}")
    if given != dtype:
        raise ValueError(f"{what}, not of another game")
    if np.ndim(states) != 1:
        raise ValueError(f"{what}, not of shape {np.shape(states)}")
    return as_records(canonical(states, dtype))
