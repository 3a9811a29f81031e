"""Servers that do something else than answer a chat, for the tests of language models that play."""

import gzip
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from dig_envs.agents.llm_stand_in import Handler

PIECE = b"x" * 65536


class Faulty(Handler):
    """Answers every request in the way of the class."""

    def respond(self, messages: Sequence[dict[str, str]], model: str) -> None:
        raise NotImplementedError

    def begin(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.close_connection = True

    def write_on(self, piece: bytes, times: int, pause: float = 0.0) -> None:
        """Write the same again and again, until nobody reads it."""
        try:
            for _ in range(times):
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(pause)
        except OSError:
            self.close_connection = True


def fault(respond: Callable[[Faulty, str], None]) -> type[Faulty]:
    """A handler that answers so; the function gets the key that came with the request."""

    class Made(Faulty):
        def respond(self, messages: Sequence[dict[str, str]], model: str) -> None:
            respond(self, self.headers.get("Authorization", "").removeprefix("Bearer "))

    Made.__name__ = respond.__name__
    return Made


def said(body: bytes) -> type[Faulty]:
    """A handler that sends this."""

    def respond(handler: Faulty, key: str) -> None:
        handler.begin(Content_Type="application/json", Content_Length=str(len(body)))
        handler.wfile.write(body)

    return fault(respond)


@fault
def slow(handler: Faulty, key: str) -> None:
    time.sleep(1.5)
    handler.begin()


@fault
def dripping(handler: Faulty, key: str) -> None:
    """A byte now and then, each in time, without an end."""
    handler.begin(Content_Type="application/json")
    handler.write_on(b" ", 60, 0.05)


@fault
def dripping_head(handler: Faulty, key: str) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    handler.write_on(b"x", 60, 0.05)


@fault
def endless(handler: Faulty, key: str) -> None:
    handler.begin(Content_Type="application/json")
    handler.write_on(PIECE, 1600)  # 100 MB


@fault
def endless_error(handler: Faulty, key: str) -> None:
    handler.begin(500, Content_Type="application/json")
    handler.write_on(PIECE, 1600)


@fault
def bomb(handler: Faulty, key: str) -> None:
    """100 MB in 100 KB."""
    body = gzip.compress(b" " * 100_000_000, 1)
    handler.begin(
        Content_Type="application/json", Content_Encoding="gzip", Content_Length=str(len(body))
    )
    handler.write_on(body, 1)


@fault
def closing(handler: Faulty, key: str) -> None:
    handler.close_connection = True


@fault
def half(handler: Faulty, key: str) -> None:
    handler.begin(Content_Type="application/json", Content_Length="1000")
    handler.write_on(b'{"choices": [', 1)


@fault
def redirecting(handler: Faulty, key: str) -> None:
    handler.begin(307, Location="http://127.0.0.1:9/v1/chat/completions", Content_Length="0")


@fault
def echoing_error(handler: Faulty, key: str) -> None:
    handler.send(401, {"error": {"message": f"the key {key} is wrong"}})


@fault
def echoing(handler: Faulty, key: str) -> None:
    """The key in the answer."""
    handler.send(200, completion(f"Your key is {key}. <answer>none</answer>"))


def completion(text: Any, **more: Any) -> dict[str, Any]:
    """The JSON of an answer."""
    return {"choices": [{"message": {"role": "assistant", "content": text}}], **more}


GARBAGE = {
    "nothing": b"",
    "no JSON": b"<html>502</html>",
    "a list": b"[]",
    "null": b"null",
    "no choices": b"{}",
    "empty choices": b'{"choices": []}',
    "choices of another kind": b'{"choices": {"0": 1}}',
    "no message": b'{"choices": [{}]}',
    "null text": json.dumps(completion(None)).encode(),
    "a number as text": json.dumps(completion(7)).encode(),
    "deep": b"[" * 100_000,
    "no UTF-8": b"\xff\xfe\x00" * 50,
    "a long number": b'{"choices": ' + b"9" * 10_000 + b"}",
}
