"""A server with the chat API of OpenAI that stands in for a model: it answers by rules, and sometimes badly."""

import contextlib
import json
import random
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

INDEX = re.compile(r"(?:^|[;:] )(\d+)(?=: | |$| = )", re.MULTILINE)


class StandIn:
    """Answers with one of the legal actions of the last message.

    Args:
        bad: how often, 0 to 1, the answer is no action. seed: of what it draws.

    Attributes: ``asked``: the messages of all requests.
    """

    def __init__(self, bad: float = 0.0, seed: int = 0) -> None:
        self.bad, self.random = bad, random.Random(seed)
        self.asked: list[list[dict[str, Any]]] = []

    def answer(self, messages: list[dict[str, Any]]) -> str:
        """The reply to a conversation."""
        self.asked.append(messages)
        if self.random.random() < self.bad:
            return "I would rather talk about something else."
        lists = [message["content"].partition("## Legal actions")[2] for message in messages if message["role"] == "user"]
        listed = next(text for text in reversed(lists) if text)
        return f"I have looked at all of it.\n<answer>{self.random.choice(INDEX.findall(listed.partition(chr(10))[2]))}</answer>"


@contextlib.contextmanager
def serving(model: StandIn) -> Iterator[str]:
    """The address of the server, as the base of the API."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = {"role": "assistant", "content": model.answer(body["messages"])}
            answer = {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": reply}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
            }
            content = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
