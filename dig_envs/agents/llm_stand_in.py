"""A server that stands in for a language model: it speaks the chat API and chooses among the legal
actions of a prompt at random.

No model is behind it. With it one can test all that surrounds a model; equal chats get equal
answers::

    with StandIn(at_random(bad=0.1)) as server:
        agent = dig_envs.load_agent(
            "llm:stand-in", env="go_dig_v0", base_url=server.url, fail="random"
        )
"""

import json
import random
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from dig_envs.agents.llm_chat import Message
from dig_envs.language.prompts import offered_actions
from dig_envs.language.tokens import count_tokens

LARGEST_REQUEST = 1 << 22  # bytes
# answers that are no actions
BAD = ("I do not know what to do.", "<answer>999999</answer>", "<answer>{0} or {1}</answer>", "")
Answering = Callable[[Sequence[Message]], str]


def at_random(seed: int = 0, bad: float = 0.0) -> Answering:
    """A stand-in for a model: it answers with a random legal action of the prompt, or with
    probability ``bad`` with something else."""

    def answer(messages: Sequence[Message]) -> str:
        text = json.dumps([seed, *messages])
        rng = random.Random(int.from_bytes(sha256(text.encode()).digest()[:8], "big"))
        lists = [message["content"].partition("## Legal actions")[2] for message in messages]
        offered = offered_actions(next(filter(None, reversed(lists)), ""))
        if not offered:
            return "There are no legal actions in the prompt."
        if rng.random() < bad:
            return rng.choice(BAD).format(rng.choice(offered), rng.choice(offered))
        return f"I choose at random.\n<answer>{rng.choice(offered)}</answer>"

    return answer


class StandIn:
    """The server, on this machine only, while its ``with`` block runs.

    Attributes: ``url``: the ``base_url`` for clients. ``asked``: how many requests it has answered.

    Args:
        answering: from the messages of a chat to the answer.
        handler: of the requests.
    """

    def __init__(self, answering: Answering, handler: type["Handler"] | None = None) -> None:
        self.answering = answering
        self.asked = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler or Handler)
        self._server.daemon_threads = True
        self._server.stand_in = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers requests of the chat API."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request, or say what is wrong with it."""
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > LARGEST_REQUEST:
            self.send(413, {"error": {"message": "a request needs its length, of at most 4 MiB"}})
            return
        body = self.rfile.read(int(size))
        try:
            asked = json.loads(body)
            messages = [
                {"role": str(one["role"]), "content": str(one["content"])}
                for one in asked["messages"]
            ]
        except (ValueError, RecursionError, LookupError, TypeError):
            self.send(400, {"error": {"message": "this is not a chat"}})
            return
        if not self.path.endswith("/chat/completions"):
            self.send(404, {"error": {"message": "there is only /v1/chat/completions"}})
            return
        self.server.stand_in.asked += 1  # type: ignore[attr-defined]
        self.respond(messages, str(asked.get("model")))

    def respond(self, messages: Sequence[Message], model: str) -> None:
        """Send the answer to a chat."""
        text = self.server.stand_in.answering(messages)  # type: ignore[attr-defined]
        prompt, answer = sum(count_tokens(one["content"]) for one in messages), count_tokens(text)
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": answer,
            "total_tokens": prompt + answer,
        }
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }
        said = {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
            "usage": usage,
        }
        self.send(200, said)

    def send(self, status: int, said: Any) -> None:
        """Send JSON."""
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: Any) -> None:
        """Say nothing."""
