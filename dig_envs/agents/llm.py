"""Players that are language models: ``load_agent("llm:MODEL", env="go_dig_v0",
base_url="http://localhost:8000/v1")``.

The model is asked by the prompt of its decision (:mod:`dig_envs.language.prompts`): the rules and
how to answer as the system message, position, news and legal actions as the user's. An answer that
is no legal action is told back with what was wrong (:mod:`dig_envs.language.answers`), a few times;
then the game is given up, or a random legal action is played, and counted.
"""

import json
import re
import secrets
import time
import weakref
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame, forfeit
from dig_envs.agents.llm_chat import Chat, ChatError, LlmSettings, Message
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.words import usual_name
from dig_envs.engine.game import Array, Game
from dig_envs.language.answers import LONGEST, parse_answer
from dig_envs.language.prompts import PARTS, SYSTEM, VERSION, make_prompt

PREFIX = "llm"
MOST_FAILURES = 3  # failed requests in a row, after which the server is not asked …
PAUSE = 60.0  # … for so many seconds
MOST_TALKS = 4096  # games that it remembers at a time


@dataclass
class _Talk:
    """The conversation with one seat in one game. ``tokens``: used so far. ``file``: the
    transcript, if there is one."""

    messages: list[Message]
    tokens: int = 0
    decisions: int = 0
    file: Path | None = None


class LlmAgent(OneGame):
    """A language model that plays.

    Attributes: ``settings``; ``usage``: what was counted so far, name -> number: ``decisions``;
    ``requests`` that were answered; answers that were ``ambiguous``, ``illegal`` or ``unreadable``;
    ``random_actions`` played instead; ``failed_requests``; ``prompt_tokens``, ``answer_tokens``, of
    which in ``estimated`` requests by our own rule; ``seconds``; ``cost`` by the prices of the
    settings.

    Args:
        model: its name at the server.
        game: that it plays.
        settings: how it is asked.
        name: of the agent.
        seed: of the random actions; None for entropy.

    Raises:
        ImportError: the extra ``llm`` is not installed. ValueError: no key and no server are given.
    """

    may_forfeit = True
    takes_events = True
    memory_size = 1
    numbers_games = True

    def __init__(
        self, model: str, game: Game, settings: LlmSettings, name: str = "", seed: int | None = None
    ) -> None:
        self.game: Game = game
        self.model, self.settings, self.seed = model, settings, seed
        self.name = name or f"{PREFIX}:{model}"
        self.usage: Counter[str] = Counter()
        self._chat = Chat(model, settings)
        self._rng = np.random.default_rng(None if seed is None else seed % 2**64)
        self._talks: OrderedDict[int, _Talk] = OrderedDict()
        self._games = self._failures = 0
        self._failed_at = 0.0
        # in the names of transcripts: no two agents write to one file
        self._mark = secrets.token_hex(4)
        weakref.finalize(self, self._chat.close)

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision, asked for one after the other; needs ``states``, ``seats``
        and ``memory``. ``events`` are those that the seats were told since their last decisions.

        ``events``: what the seats were told since their last decisions.

        Raises:
            ForfeitError: the server brought no answer, or the model none that is a legal action.
        """
        records, numbers = decisions.states, decisions.memory
        actions = np.zeros(len(records), np.int64)
        for i, seat in enumerate(decisions.seats.tolist()):
            if numbers[i, 0] == 0:
                self._games += 1
                numbers[i, 0] = self._games
            actions[i] = self._decide(
                records[i : i + 1], seat, int(numbers[i, 0]), decisions.events[i]
            )
        return actions

    def _decide(self, states: Array, seat: int, number: int, events: Sequence[Event]) -> int:
        prompt = make_prompt(self.game, states, seat, events)
        talk = self._talk(number, seat, states, prompt.text(*SYSTEM))
        talk.decisions += 1
        self.usage["decisions"] += 1
        question: Message = {
            "role": "user",
            "content": prompt.text(*(part for part in PARTS if part not in SYSTEM)),
        }
        earlier = talk.messages[1:][-2 * self.settings.turns :] if self.settings.turns else []
        asked = [talk.messages[0], *earlier, question]
        for attempt in range(self.settings.repeats + 1):
            if self.settings.game_tokens and talk.tokens >= self.settings.game_tokens:
                used_up = f"has used the {self.settings.game_tokens} tokens of the game"
                return self._fail(states, seat, talk, ForfeitError(used_up))
            text, used = self._ask(asked, talk, seat, attempt)
            answer = parse_answer(self.game, states, seat, text)
            said = {
                "prompt": asked[-1]["content"],
                "answer": text[:LONGEST],
                "parse": answer.to_json(),
            }
            self._write(talk, {"attempt": attempt, **said, "usage": used})
            asked = [*asked, {"role": "assistant", "content": text}]
            if answer.action is not None:
                if self.settings.turns:
                    talk.messages += [question, asked[-1]]
                    del talk.messages[1 : -2 * self.settings.turns]
                return answer.action
            self.usage[answer.outcome] += 1
            asked.append({"role": "user", "content": answer.message})
        wrong = f"gave no legal action in {self.settings.repeats + 1} answers"
        return self._fail(states, seat, talk, ForfeitError(wrong, f"the last: {answer.message}"))

    def _talk(self, number: int, seat: int, states: Array, system: str) -> _Talk:
        if number not in self._talks:
            talk = _Talk([{"role": "system", "content": system}])
            if self.settings.transcript:
                model = re.sub(r"[^\w.=+-]+", "_", self.model)[:60]
                folder = Path(self.settings.transcript)
                folder.mkdir(parents=True, exist_ok=True)
                talk.file = folder / f"{self.game.env_name}-{model}-{self._mark}-{number:05d}.jsonl"
            self._talks[number] = talk
            head = {
                "environment": self.game.env_name,
                "options": self.game.options_of(states),
                "seat": seat,
                "model": self.model,
            }
            self._write(talk, {**head, "prompt_version": VERSION, "system": system})
            if len(self._talks) > MOST_TALKS:
                self._talks.popitem(last=False)
        return self._talks[number]

    def _ask(
        self, messages: Sequence[Message], talk: _Talk, seat: int, attempt: int
    ) -> tuple[str, dict[str, float]]:
        """The model's answer and what it cost, which is counted."""
        if self._failures >= MOST_FAILURES and time.monotonic() < self._failed_at + PAUSE:
            raise ForfeitError(
                f"{self.name}: the server failed {self._failures} times in a row and is not asked "
                f"again within {PAUSE:g} seconds"
            )
        try:
            reply = self._chat.ask(messages)
        except ChatError as error:
            self._failures += 1
            self._failed_at = time.monotonic()
            self.usage["failed_requests"] += 1
            self._write(
                talk,
                {"attempt": attempt, "prompt": messages[-1]["content"], "error": error.in_full},
            )
            failure = ForfeitError(f"the server {error}", error.detail)
            raise forfeit(f"{self.name}, {usual_name(seat)}", failure) from None
        self._failures = 0
        cost = (
            reply.prompt_tokens * self.settings.price_in
            + reply.answer_tokens * self.settings.price_out
        ) / 1e6
        used = {
            "requests": 1,
            "prompt_tokens": reply.prompt_tokens,
            "answer_tokens": reply.answer_tokens,
            "estimated": int(reply.estimated),
            "seconds": reply.seconds,
            "cost": cost,
        }
        self.usage.update(used)
        talk.tokens += reply.prompt_tokens + reply.answer_tokens
        return reply.text[: LONGEST + 1], used

    def _fail(self, states: Array, seat: int, talk: _Talk, failure: ForfeitError) -> int:
        """A random legal action; or give up the game, if the settings say so."""
        if self.settings.fail == "forfeit":
            self._write(talk, {"forfeit": failure.in_full})
            raise forfeit(f"{self.name}, {usual_name(seat)}", failure)
        action = int(self._rng.choice(self.game.legal_actions(states, seat)))
        self.usage["random_actions"] += 1
        self._write(talk, {"random_action": action, "reason": failure.in_full})
        return action

    def _write(self, talk: _Talk, line: Mapping[str, Any]) -> None:
        """Append a line to the transcript, without the key."""
        if talk.file is not None:
            text = self._chat.clean(json.dumps({"decision": talk.decisions, **line}))
            with talk.file.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text + "\n")

    def close(self) -> None:
        """End the connections, and forget what failed."""
        self._chat.close()
        self._failures = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies have connections of their own; the key is not in them."""
        return LlmAgent, (self.model, self.game, self.settings, self.name, self.seed)


def check_public_name(name: str) -> str:
    """The name of a language model that strangers may see and ask, as on a server.

    Raises:
        ValueError: it is not such a name, says where its server or a file is (that
            stands in OPENAI_BASE_URL, or nowhere), or cannot be asked.
        TypeError, ImportError: as for :func:`load_llm`.
    """
    if not name.startswith(f"{PREFIX}:"):
        raise ValueError(f"a language model is named {PREFIX}:MODEL, not {shown_in_message(name)}")
    model, settings = model_and_settings(name.removeprefix(f"{PREFIX}:"))
    if settings.keys() & {"base_url", "key_env", "transcript"}:
        raise ValueError(
            "the name of a model that everybody sees has no base_url, key_env and transcript: set "
            "OPENAI_BASE_URL"
        )
    Chat(model, LlmSettings.of(settings)).close()
    return name


_NAMES = "|".join(field.name for field in fields(LlmSettings))
_SETTING = re.compile(rf":(?=(?:{_NAMES})=)")


def load_llm(
    text: str, game: Game, seed: int | None = None, more: Mapping[str, Any] | None = None
) -> LlmAgent:
    """The agent of the text behind ``llm:`` in a name: the model, then settings:
    ``qwen3:8b:tokens=500:repeats=1``.

    Args:
        text: model and settings (:class:`~dig_envs.agents.llm_chat.LlmSettings`). game: that it
            plays. seed: of random actions.
        more: settings by name, which must not be in the text, too.

    Raises:
        ValueError, TypeError: no model, a wrong setting. ImportError: the extra ``llm`` is not
            installed.
    """
    model, given = model_and_settings(text)
    if given.keys() & (more or {}).keys():
        raise ValueError(f"agent {shown_in_message(f'{PREFIX}:{text}')}: each setting once")
    return LlmAgent(
        model, game, LlmSettings.of({**given, **(more or {})}), f"{PREFIX}:{text}", seed
    )


def model_and_settings(text: str) -> tuple[str, dict[str, str]]:
    """The model and the settings behind ``llm:``. Raises ValueError if there is no model, or a
    setting twice."""
    model, *settings = _SETTING.split(text)
    if not model or not model.isprintable():
        raise ValueError(
            f"an agent that is a language model needs the name of the model: {PREFIX}:MODEL"
        )
    given = dict(setting.split("=", 1) for setting in settings)
    if len(given) < len(settings):
        raise ValueError(f"agent {shown_in_message(f'{PREFIX}:{text}')}: each setting once")
    return model, given
