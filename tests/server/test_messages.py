"""What comes from outside to a table and to the lobby: each argument has the type that its message
says, or the message is refused in words that name the argument."""

import asyncio
import types
from collections.abc import Sequence
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dig_envs.server.bounds import Rate, TableError
from dig_envs.server.table.connection import checked
from dig_envs.server.table.lobby import FreeSeat, Greeting, Wanted
from dig_envs.server.table.session import PARAMS
from tests.server.tables import SHORT, connected, played, session_of, table_of

FORMS = {**PARAMS, "table": Wanted, "seat": FreeSeat, "greeting": Greeting}
PLAYED = {"in play": played(table_of("go_dig_v0"), 5)}
PLAYED["over"] = played(table_of("twenty_questions_v0", **SHORT["twenty_questions_v0"]), 10**6)

numbers = st.integers() | st.integers(0, 5) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none()
    | st.booleans()
    | numbers
    | st.text(max_size=20)
    | st.sampled_from(["light", "0.0.0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


def fits(value: Any, hint: Any) -> bool:
    """Whether JSON is of a type, by the rules of Python rather than those of the product."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in args)
    if origin in (list, Sequence):
        return isinstance(value, list) and all(fits(one, args[0]) for one in value)
    if hint is float:
        return type(value) in (int, float)
    return type(value) is (origin or hint)


@st.composite
def messages(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A message of a kind, with some of its arguments, right or wrong, and sometimes another."""
    names = draw(st.lists(st.sampled_from([*FORMS[kind].__struct_fields__, "other"]), unique=True))
    return {name: draw(values) for name in names}


@pytest.mark.parametrize("kind", FORMS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_arguments_of_a_wrong_type_are_named(kind, data):
    """So are those that are missing, and those that the message does not have."""
    message, form = data.draw(messages(kind)), FORMS[kind]
    hints = get_type_hints(form)
    needed = {field.name for field in msgspec.structs.fields(form) if field.required}
    wrong = {name for name in message if name not in hints or not fits(message[name], hints[name])}
    wrong |= needed - set(message)
    if not wrong:
        checked(message, form, kind)
        return
    with pytest.raises(TableError) as refused:
        checked(message, form, kind)
    assert refused.value.code == "bad-request"
    assert any(name in str(refused.value) for name in wrong)


@pytest.mark.parametrize("state", PLAYED)
@pytest.mark.parametrize("kind", PARAMS)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_no_message_breaks_a_table(kind, state, data):
    """Whatever a seat or a viewer sends is done, or refused in a few words, and then the game is as
    it was."""
    message, seat = data.draw(messages(kind)), data.draw(st.sampled_from([0, 1, None]))

    async def story():
        table = PLAYED[state]
        session, moves = session_of(table), len(table.moves)
        connection = connected(session, seat)
        connection.rate = Rate(1e6)
        await session.handle(connection, {"type": kind, **message})
        await asyncio.sleep(0)
        for told in connection.messages:
            if told["type"] == "error":
                assert len(told["message"]) < 500
                assert len(table.moves) == moves
        connection.end()
        await session.close()

    asyncio.run(story())
