"""Asking a server with the chat API of OpenAI, which vLLM, llama.cpp, Ollama and the providers
offer, within bounds.

The official client ``openai`` makes and authenticates the requests (extra ``llm``). What a server
can do is bounded here: the whole request has a time limit, however slowly the answer comes; an
answer, compressed or not, is read up to ``MOST_BYTES``; redirects are not followed. Whatever goes
wrong is a :class:`ChatError` with one short sentence.

The key is read from an environment variable when a client is made, is kept by that client alone,
and is taken out of every text that comes from here (:mod:`dig_envs.agents.secret`).
"""

import json
import math
import os
import queue
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from dig_envs.agents.secret import Secret
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.texts import clean_text
from dig_envs.language.tokens import count_tokens

MOST_BYTES = 1 << 20  # greatest size of an answer, with all that the server says about it
LONGEST_REASON = 300  # characters of what a server says of an error
NO_KEY = "none"  # for servers of one's own, which ask for none
GRACE = 2.0  # seconds after the time limit in which the client gives up by itself
WAIT = 1.0  # seconds before a failed request is made again, then twice as long

Message = dict[str, str]


class ChatError(ForfeitError):
    """A request that brought no answer. ``detail``: what the server says of it; ``again``: whether
    it may bring one if it is made again."""

    def __init__(self, reason: str, detail: str = "", again: bool = False) -> None:
        super().__init__(reason, detail)
        self.again = again


@dataclass(frozen=True)
class Reply:
    """An answer.

    ``text``; ``prompt_tokens`` and ``answer_tokens``: as the server says, or ``estimated`` by our
    own rule; ``seconds``: it took.
    """

    text: str
    prompt_tokens: int
    answer_tokens: int
    estimated: bool
    seconds: float


@dataclass(frozen=True)
class LlmSettings:
    """Settings of a language model that plays: how it is asked, and what happens if it does not
    answer well.

    Attributes:
        base_url: of the server, such as ``http://localhost:8000/v1``; "" for the variable
            OPENAI_BASE_URL, or else OpenAI's own.
        key_env: the environment variable that has the key. With a ``base_url`` it may be missing.
        tokens: the greatest length of an answer. seconds: the time limit of a request.
        temperature: with which answers are drawn; below 0: the server's default.
        retries: how often a request that failed is made again.
        repeats: how often the model is told what was wrong with its answer and asked again.
        fail: what then happens: ``forfeit`` (the game is given up) or ``random`` (a random legal
            action).
        turns: how many of its earlier decisions and answers in the game are part of a request.
        game_tokens: the most that a seat may use in a game, prompts included; then ``fail``
            applies. 0: no limit.
        transcript: a folder for a file of each game, JSON lines; "": none.
        price_in, price_out: the price of a million tokens of prompts and of answers, for the report
            of costs.
    """

    base_url: str = ""
    key_env: str = "OPENAI_API_KEY"
    tokens: int = 1024
    seconds: float = 60.0
    temperature: float = -1.0
    retries: int = 2
    repeats: int = 2
    fail: str = "forfeit"
    turns: int = 0
    game_tokens: int = 0
    transcript: str = ""
    price_in: float = 0.0
    price_out: float = 0.0

    def __post_init__(self) -> None:
        if self.base_url:
            check_url(self.base_url)
        if not re.fullmatch(r"[A-Za-z_]\w{0,99}", self.key_env):
            raise ValueError(  # which may be a key
                "key_env is the name of an environment variable, such as OPENAI_API_KEY, not a key"
            )
        for name, least, most in BOUNDS:
            value = getattr(self, name)
            if not least <= value <= most:
                raise ValueError(f"{name} must be from {least:g} to {most:g}, not {value:g}")
        if self.fail not in FAILS:
            raise ValueError(
                f"fail must be one of {', '.join(FAILS)}, not {shown_in_message(self.fail)}"
            )

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "LlmSettings":
        """Settings by name; values may be texts. Raises ValueError or TypeError that say what would
        be right."""
        defaults = cls()
        kinds: dict[str, Any] = {
            field.name: type(getattr(defaults, field.name)) for field in fields(cls)
        }
        found: dict[str, Any] = {}
        for name, value in given.items():
            if name not in kinds:
                raise ValueError(
                    f"a language model has no setting {shown_in_message(name)}; there are "
                    f"{', '.join(kinds)}"
                )
            kind = kinds[name]
            if isinstance(value, bool) or not isinstance(
                value, str | kind | (int if kind is float else kind)
            ):
                raise TypeError(
                    f"{name} must be {'a text' if kind is str else 'a number'}, not "
                    f"{type(value).__name__}"
                )
            try:
                found[name] = kind(value)
            except ValueError:
                raise ValueError(
                    f"{name} must be a number, not {shown_in_message(value)}"
                ) from None
            if kind is float and not math.isfinite(found[name]):
                raise ValueError(f"{name} must be a number, not {shown_in_message(value)}")
        return cls(**found)


FAILS = ("forfeit", "random")
BOUNDS = (
    ("tokens", 1, 1_000_000),
    ("seconds", 0.05, 3600),
    ("temperature", -1, 2),
    ("retries", 0, 10),
    ("repeats", 0, 10),
    ("turns", 0, 1000),
    ("game_tokens", 0, 1_000_000_000),
    ("price_in", 0, 1_000_000),
    ("price_out", 0, 1_000_000),
)


def check_url(text: str) -> None:
    """Raise ValueError unless a text is the address of a server, without a name or password in
    it."""
    try:
        parts = urlsplit(text)
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fine = False
    if "@" in text or (fine and (parts.query or parts.fragment)):  # not shown: it may be a password
        raise ValueError("base_url must have no name, password, question mark or hash sign in it")
    if not fine or not text.isprintable() or " " in text:
        raise ValueError(
            "base_url must be an address such as http://localhost:8000/v1, not "
            f"{shown_in_message(text)}"
        )


class Chat:
    """A model behind a server.

    Args:
        model: its name there.
        settings: how it is asked.

    Raises:
        ImportError: the extra ``llm`` is not installed. ValueError: there is no key, and no server
            of one's own is named.
    """

    def __init__(self, model: str, settings: LlmSettings) -> None:
        self.model, self.settings = model, settings
        self._base_url = settings.base_url or os.environ.get("OPENAI_BASE_URL") or None
        if self._base_url is not None:
            check_url(self._base_url)
        self._key = Secret(os.environ.get(settings.key_env) or NO_KEY)
        if self._base_url is None and self._key.reveal() == NO_KEY:
            raise ValueError(
                f"set {settings.key_env} to the key of the provider, or say where the server is: "
                "base_url=http://…"
            )
        self._client: Any = self._new_client()

    def _new_client(self) -> Any:
        try:
            import openai
        except ImportError:
            raise ImportError(
                f'language models need the extra "llm": {how_to_install("llm")}'
            ) from None
        seconds = self.settings.seconds
        later = seconds + GRACE
        return openai.OpenAI(
            api_key=self._key.reveal(),
            base_url=self._base_url,
            max_retries=0,
            timeout=later,
            default_headers={"Accept-Encoding": "identity"},
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False,
                timeout=later,
                event_hooks={"response": [lambda response: _refuse(response, seconds)]},
            ),
        )

    def clean(self, text: str) -> str:
        """A text without the key."""
        return text if self._key.reveal() == NO_KEY else self._key.hide(text)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies have connections of their own; the key is not in them."""
        return Chat, (self.model, self.settings)

    def ask(self, messages: Sequence[Message]) -> Reply:
        """The answer to a chat; a failed request is repeated up to ``retries`` times.

        Raises:
            ChatError: no answer came.
        """
        for attempt in range(self.settings.retries + 1):
            if attempt:
                time.sleep(min(WAIT * 2 ** (attempt - 1), self.settings.seconds))
            try:
                return self._ask_once(messages)
            except ChatError as error:
                failure = error
                if not error.again:
                    break
        detail = clean_text(self.clean(failure.detail), LONGEST_REASON)
        raise ChatError(str(failure), detail) from None

    def _ask_once(self, messages: Sequence[Message]) -> Reply:
        """Make a request in a thread of its own: nothing that the server does takes longer than the
        time limit."""
        start = time.monotonic()
        answers: queue.SimpleQueue[bytes | ChatError] = queue.SimpleQueue()
        client = self._client = self._client or self._new_client()
        thread = threading.Thread(
            target=self._request, args=(client, list(messages), answers), daemon=True
        )
        thread.start()
        try:
            found = answers.get(timeout=self.settings.seconds)
        except queue.Empty:
            self._client = None  # the thread still waits: the server may keep it waiting for ever
            threading.Thread(target=client.close, daemon=True).start()
            raise ChatError(
                f"did not answer within {self.settings.seconds:g} seconds", again=True
            ) from None
        if isinstance(found, ChatError):
            raise found
        return self._reply(found, messages, time.monotonic() - start)

    def _request(
        self, client: Any, messages: list[Message], answers: "queue.SimpleQueue[bytes | ChatError]"
    ) -> None:
        """Put the body of the server's answer, or what was wrong, into the queue."""
        # what OpenAI's own newer models want
        limit = "max_tokens" if self._base_url else "max_completion_tokens"
        more: dict[str, Any] = {limit: self.settings.tokens}
        if self.settings.temperature >= 0:
            more["temperature"] = self.settings.temperature
        try:
            with client.chat.completions.with_streaming_response.create(
                model=self.model, messages=messages, **more
            ) as response:
                answers.put(_read(response.iter_bytes(), self.settings.seconds))
        except ChatError as error:
            answers.put(error)
        except Exception as error:
            # of the client, of the network, of what the server has sent: nothing of it goes on
            cause = error.__cause__
            known = cause if isinstance(cause, ChatError) else None
            answers.put(
                known
                or ChatError(f"could not be asked ({type(cause or error).__name__})", again=True)
            )

    def _reply(self, body: bytes, messages: Sequence[Message], seconds: float) -> Reply:
        try:
            said = json.loads(body)
            text = said["choices"][0]["message"]["content"]
        except (ValueError, RecursionError, LookupError, TypeError):
            raise ChatError("gave an answer that is not a chat completion") from None
        if not isinstance(text, str):
            raise ChatError("answered without a text")
        usage = said.get("usage")
        counts = [
            usage.get(key) if isinstance(usage, dict) else None
            for key in ("prompt_tokens", "completion_tokens")
        ]
        if all(type(count) is int and 0 <= count < 10**9 for count in counts):
            prompt, answer, estimated = int(counts[0]), int(counts[1]), False  # type: ignore[arg-type]
        else:
            prompt, answer, estimated = (
                sum(count_tokens(one["content"]) for one in messages),
                count_tokens(text),
                True,
            )
        return Reply(self.clean(text), prompt, answer, estimated, seconds)

    def close(self) -> None:
        """End the connections; the next request makes new ones."""
        client, self._client = self._client, None
        if client is not None:
            client.close()


def _refuse(response: Any, seconds: float) -> None:
    """Raise ChatError for an answer that says that something is wrong, with what it says as the
    detail."""
    status = int(response.status_code)
    if status < 300:
        return
    try:
        body = _read(response.iter_bytes(), seconds)
        said = json.loads(body)
        reason = said["error"]["message"] if isinstance(said.get("error"), dict) else said["error"]
    except (ChatError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        reason = ""
    again = status == 429 or status >= 500
    raise ChatError(f"answered with status {status}", str(reason or ""), again)


def _read(chunks: Any, seconds: float) -> bytes:
    """The bytes of a response; raises ChatError if it is too long or takes too long."""
    body, end = bytearray(), time.monotonic() + seconds
    for chunk in chunks:
        body += chunk
        if len(body) > MOST_BYTES:
            raise ChatError(f"answered with more than {MOST_BYTES} bytes")
        if time.monotonic() > end:
            raise ChatError(f"did not end its answer within {seconds:g} seconds", again=True)
    return bytes(body)
