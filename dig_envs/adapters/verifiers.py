"""Games as a taskset and a multi-turn environment of verifiers, for evaluation and reinforcement
learning of language models.

verifiers finds tasksets by the name of a module at the top level, so put this into a file
``my_games.py`` where Python finds it::

    from dig_envs.adapters.verifiers import DigEnv, DigHarness, DigTaskset

    __all__ = ["DigEnv", "DigHarness", "DigTaskset"]

and ``vf-eval my_games --env.taskset.environment go_dig_v0 --env.taskset.opponents
'["go_dig/policy"]' -n 100`` plays 100 games.

* **A task** is a game: environment, options, seats of the model, opponents by name, seed. There are
  as many as anybody wants, with the seeds ``first_seed``, ``first_seed + 1`` … Without ``seats``
  the model plays one seat, another one from task to task.
* **The environment** holds a conversation for each seat of the model (with several seats it plays
  against itself, or in a team): the system prompt is the rules and how to answer, each turn is what
  the seat needs to decide. In a simultaneous decision seats are asked one after the other, and none
  is told what others have chosen before all have.
* What is no legal action changes nothing: the next turn says what was wrong, ``mistakes`` times in
  a row; then the game is lost. It is lost, too, for a seat whose conversation ends before the game,
  by a limit of turns or tokens.
* **The reward** ``game_return`` is the return of the seat, from -1 to 1; metrics are ``won``,
  ``score``, ``decisions``, ``wrong_answers`` and ``forfeited``.
* **The harness** sends the conversation to the model from this process. Any harness that can resume
  a conversation does as well, such as ``null``, which starts a program for every turn.
"""

import asyncio
import itertools
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from typing import Any

from dig_envs.adapters.text_game import MISTAKES, TextGame
from dig_envs.engine.core.installing import how_to_install
from dig_envs.registry import load_game

try:
    import httpx
    import verifiers.v1 as vf
    from pydantic import Field
    from verifiers.v1.dialects.chat import message_to_wire
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.verifiers needs verifiers: "
        f"{how_to_install('verifiers')} (or verifiers)",
        name="verifiers",
    ) from error

__all__ = [
    "DigConfig",
    "DigData",
    "DigEnv",
    "DigEnvConfig",
    "DigHarness",
    "DigHarnessConfig",
    "DigTask",
    "DigTaskset",
]


class DigConfig(vf.TasksetConfig):
    """Which games are played (``--env.taskset.…``)."""

    environment: str = "go_dig_v0"
    """Its name."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Of the game; those left out have their defaults."""
    seats: list[int] | None = None
    """That the model plays; none: one, another from task to task."""
    opponents: list[str] = Field(default_factory=lambda: ["heuristic"])
    """Agents of the other seats in their order; one name serves all."""
    mistakes: int = Field(MISTAKES, ge=0)
    """Answers in a row that may be no legal action."""
    first_seed: int = 0
    """Of the first task; the others follow."""


class DigData(vf.TaskData):
    """One game."""

    environment: str
    options: dict[str, Any]
    seats: list[int]
    opponents: list[str]
    mistakes: int
    seed: int

    def game(self) -> TextGame:
        """The game, not dealt yet."""
        return TextGame(self.environment, self.options, self.seats, self.opponents, self.mistakes)


class DigTask(vf.Task[DigData, vf.State, vf.TaskConfig]):
    """One game to be played."""


class DigTaskset(vf.Taskset[DigTask, DigConfig]):
    """Games with one seed after the other, without end."""

    INFINITE = True

    def load(self) -> Iterator[DigTask]:
        """Yield the tasks; raises OptionError for wrong options, ValueError for wrong seats."""
        config = self.config
        game = load_game(config.environment)
        options = game.complete_options(config.options)
        for number in itertools.count():
            data = DigData(
                name=f"{game.env_name}#{config.first_seed + number}",
                environment=game.env_name,
                options=options,
                seats=[number % options["num_players"]] if config.seats is None else config.seats,
                opponents=config.opponents,
                mistakes=config.mistakes,
                seed=config.first_seed + number,
            )
            first = data.game()
            yield DigTask(data.model_copy(update={"system_prompt": first.system}), config.task)


class DigEnvConfig(vf.EnvConfig):
    """The players. ``player``: the model; its harness needs no sandbox."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class DigEnv(vf.Env[DigEnvConfig]):
    """Plays one game for each task."""

    async def run(self, task: DigTask, agents: vf.Agents) -> None:
        """Play the game, and record returns and metrics of each seat of the model."""
        game = task.data.game()
        await asyncio.to_thread(game.reset, task.data.seed)
        decisions = dict.fromkeys(game.seats, 0)
        try:
            async with AsyncExitStack() as stack:
                talks = {
                    seat: await stack.enter_async_context(agents.player.interaction(task))
                    for seat in game.seats
                }
                wrong = ""
                while (seat := game.seat) is not None:
                    segment = await talks[seat].turn(wrong or game.message(seat))
                    if segment.terminated:
                        game.forfeit(seat, "The conversation ended before the game.")
                        break
                    answer = await asyncio.to_thread(game.answer, segment.last_reply)
                    wrong = answer.message
                    decisions[seat] += answer.legal
        finally:
            game.close()
        for seat, talk in talks.items():
            record(talk.trace, game, seat, decisions[seat])


def record(trace: vf.Trace, game: TextGame, seat: int, decisions: int) -> None:
    """Write what a seat has reached into its trace."""
    trace.record_reward("game_return", game.returns[seat], 1.0)
    facts: Mapping[str, float] = {
        "won": game.won[seat],
        "score": game.scores[seat],
        "decisions": decisions,
        "wrong_answers": game.made[seat],
        "forfeited": game.forfeited == seat,
    }
    trace.record_metrics({name: float(value) for name, value in facts.items()})
    trace.info["seat"], trace.info["outcome"] = seat, game.ending(seat)


# ---------------------------------------------------------------- the conversation with the model


class DigHarnessConfig(vf.HarnessConfig):
    """The harness has no settings of its own."""


class DigHarness(vf.Harness[DigHarnessConfig]):
    """Sends the conversation to the model and takes its answer; no tools, no program."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Ask the model for the next answer of the conversation."""
        system, prompt = self.resolve_prompt(data)
        spoken = (
            [{"role": "user", "content": prompt}]
            if isinstance(prompt, str)
            else [message_to_wire(one) for one in prompt or []]
        )
        messages = [{"role": "system", "content": system}, *spoken] if system else spoken
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(timeout=None, trust_env=False) as client:
            asked = {"model": ctx.model, "messages": messages}
            response = await client.post(
                f"{endpoint}/chat/completions", headers=headers, json=asked
            )
        if response.is_success:
            return vf.ProgramResult(0, "", "")
        return vf.ProgramResult(1, "", response.text[-2000:])
