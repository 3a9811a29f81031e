"""``tell``: how the rules say what has happened. It costs nothing where nobody listens.

The rules call it with the state. To get events, a caller plays on a *listening* record: a state
with room for events behind it (:func:`listening_dtype`). For a plain state ``tell`` is compiled to
nothing. A state with news (:mod:`dig_envs.engine.core.raw`) keeps the last events of some kinds.
"""

from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import compiled, overloaded
from dig_envs.engine.core.state import as_records, new_records

MAX_EVENTS = 256  # greatest number of events of one action
MAX_NUMBERS = 8  # greatest number of values of an event besides kind and seat
NO_SEAT = -1  # in an event that is about no seat
# kinds that all games have (:class:`dig_envs.engine.core.events.Events`)
TURN, CHOSE, OVER = range(3)


def listening_dtype(state: np.dtype[Any]) -> np.dtype[Any]:
    """The record type of a state with room for events: ``told_len`` rows of ``told`` (kind, seat,
    numbers).

    The state lies behind the events: Numba takes a record that begins as another one does for that
    other one, and would call what is compiled for a plain state.
    """
    own = [(name, *_plain(state.fields[name][0])) for name in state.names or ()]  # type: ignore[index]
    room = [("told_len", np.int64), ("told", np.int32, (MAX_EVENTS, 2 + MAX_NUMBERS))]
    return np.dtype([*room, *own], align=True)


def _plain(kind: np.dtype[Any]) -> tuple[Any, ...]:
    return kind.subdtype or (kind,)


def new_listening(state: np.dtype[Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A listening record, zero, and its state in the same memory; both are record arrays of length
    1."""
    listening = new_records(1, listening_dtype(state))
    offset = listening.dtype.itemsize - state.itemsize
    return listening, as_records(np.ndarray(1, state, buffer=listening, offset=offset))


@compiled
def tell(state, kind, seat, a=0, b=0, c=0, d=0, e=0, f=0, g=0, h=0):  # type: ignore[no-untyped-def]
    """Say that something has happened: an event of a kind, about a seat (or NO_SEAT), with the
    numbers that the kind declares."""
    write_event(state, kind, seat, a, b, c, d, e, f, g, h)  # type: ignore[no-untyped-call]


def write_event(state, kind, seat, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    """Write an event where the record has room for events; those beyond MAX_EVENTS are counted and
    lost. Where it has news, keep it there, too."""
    if "news" in state.dtype.names:
        _keep(state, kind, seat, a, b, c, d, e, f, g, h)  # type: ignore[no-untyped-call]
    if "told" in state.dtype.names:
        _write(state, kind, seat, a, b, c, d, e, f, g, h)  # type: ignore[no-untyped-call]


def _write(state, kind, seat, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    if state.told_len < MAX_EVENTS:
        event = state.told[state.told_len]
        event[0] = kind
        event[1] = seat
        event[2] = a
        event[3] = b
        event[4] = c
        event[5] = d
        event[6] = e
        event[7] = f
        event[8] = g
        event[9] = h
    state.told_len += 1


def _keep(state, kind, seat, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    if (state.news_kinds >> kind) & 1:
        event = state.news[state.news_len % len(state.news)]
        event[0] = kind
        event[1] = seat
        event[2] = a
        event[3] = b
        event[4] = c
        event[5] = d
        event[6] = e
        event[7] = f
        event[8] = g
        event[9] = h
        state.news_len += 1


_keep_compiled: Any = compiled(_keep)
_write_compiled: Any = compiled(_write)


def _do_both(state, kind, seat, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    _keep_compiled(state, kind, seat, a, b, c, d, e, f, g, h)
    _write_compiled(state, kind, seat, a, b, c, d, e, f, g, h)


def _do_nothing(state, kind, seat, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    pass


plain_writer: Any = _do_nothing  # for plain states; another one in exported games


@overloaded(write_event)
def _choose(state, kind, seat, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    fields = getattr(state, "fields", ())
    if "news" in fields:
        return _do_both if "told" in fields else _keep
    return _write if "told" in fields else plain_writer
