"""JSON-RPC 2.0: reading what comes from outside, and the envelopes of answers. It knows nothing of
games."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from dig_envs.engine.core.texts import message_text
from dig_envs.server.protocol.limits import Limits

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)

Message = dict[str, Any]
Handle = Callable[[str, Any], Any]  # (method, params) -> result; raises RpcError


class RpcError(Exception):
    """An error as the protocol has it. ``kind``: the name of the error in Python, where it is one
    of the package's."""

    def __init__(self, code: int, message: str, kind: str = "") -> None:
        message = message_text(message)
        super().__init__(message)
        self.code = code
        self.message = message
        self.kind = kind

    def as_json(self) -> Message:
        """The member ``error`` of an answer."""
        plain: Message = {"code": self.code, "message": self.message}
        return {**plain, "data": {"type": self.kind}} if self.kind else plain


@dataclass(frozen=True)
class Asked:
    """The messages of a text from outside, which are answered one by one. ``listed``: whether they
    came in a list."""

    messages: Sequence[Any]
    listed: bool

    def put_together(self, answers: Iterable[Message | None]) -> str | None:
        """The answers to all messages as one line of JSON, or None where nothing is to be answered
        (notifications)."""
        said = [one for one in answers if one is not None]
        return encode(said if self.listed else said[0]) if said else None


def read(text: str | bytes, limits: Limits) -> Asked | str:
    """The messages of a text; if it has none, what is answered to that."""
    try:
        given = parse(text, limits)
    except RpcError as error:
        return encode(refusal(None, error))
    if not isinstance(given, list):
        return Asked([given], listed=False)
    if not given or len(given) > limits.batch:
        return encode(
            refusal(
                None,
                RpcError(
                    INVALID_REQUEST, f"a list has 1 to {limits.batch} messages, not {len(given)}"
                ),
            )
        )
    return Asked(given, listed=True)


def parse(text: str | bytes, limits: Limits) -> Any:
    """The value of a text from outside; raises RpcError."""
    try:
        content = text if isinstance(text, bytes) else text.encode()
        if len(content) > limits.message_bytes:
            raise RpcError(
                INVALID_REQUEST,
                f"a message has at most {limits.message_bytes} bytes, not {len(content)}",
            )
        value = msgspec.json.decode(content)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise RpcError(PARSE_ERROR, f"the message is not JSON: {error}") from None
    except RecursionError:
        raise RpcError(
            PARSE_ERROR, f"lists and objects are more than {limits.depth} deep"
        ) from None
    if is_deeper(value, limits.depth):
        raise RpcError(PARSE_ERROR, f"lists and objects are more than {limits.depth} deep")
    return value


def is_deeper(value: Any, depth: int) -> bool:
    """Whether lists and objects lie within each other more than ``depth`` times."""
    level = [value]
    for _ in range(depth + 1):
        inner: list[Any] = []
        for entry in level:
            if isinstance(entry, dict):
                inner.extend(entry.values())
            elif isinstance(entry, list):
                inner.extend(entry)
        level = [entry for entry in inner if isinstance(entry, dict | list)]
        if not level:
            return False
    return True


def answer_one(message: Any, handle: Handle) -> Message | None:
    """The answer to one message; None to a notification."""
    ident = message.get("id") if isinstance(message, dict) else None
    if isinstance(ident, bool) or not isinstance(ident, str | int | float | None):
        ident = None
    try:
        check_request(message)
    except RpcError as error:
        return refusal(ident, error)
    try:
        result = handle(message["method"], message.get("params"))
    except RpcError as error:
        return None if "id" not in message else refusal(ident, error)
    return None if "id" not in message else {"jsonrpc": "2.0", "id": ident, "result": result}


def check_request(message: Any) -> None:
    """Raise RpcError unless a message has the form of a request."""
    if not isinstance(message, dict):
        raise RpcError(
            INVALID_REQUEST, "a request is an object with jsonrpc, id, method and params"
        )
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'a request has "jsonrpc": "2.0"')
    if not isinstance(message.get("method"), str):
        raise RpcError(INVALID_REQUEST, "method must be a text")
    if isinstance(message.get("id"), bool | list | dict):
        raise RpcError(INVALID_REQUEST, "id must be a text, a number or null")
    if not isinstance(message.get("params", {}), dict | list):
        raise RpcError(INVALID_REQUEST, "params must be an object or a list")
    unknown = sorted(set(message) - {"jsonrpc", "id", "method", "params"})
    if unknown:
        raise RpcError(INVALID_REQUEST, f"a request has no {unknown[0][:40]!r}")


def refusal(ident: Any, error: RpcError) -> Message:
    return {"jsonrpc": "2.0", "id": ident, "error": error.as_json()}


def encode(value: Any) -> str:
    """One line of JSON."""
    return msgspec.json.encode(value).decode()
