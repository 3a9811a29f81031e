"""A game as an environment of OpenEnv: its server, and a client with the types of its messages.

    python -m dig_envs.adapters.openenv go_dig_v0 --opponents heuristic --option num_players=3

serves it on this machine (:func:`make_app` is the application for any other server), and a program
elsewhere plays::

    with DigClient(base_url="http://127.0.0.1:8000").sync() as client:
        result = client.reset(seed=1)
        while not result.done:
            answer = model(result.observation.system, result.observation.prompt)
            result = client.step(DigAction(answer=answer))

* A connection has a game of its own, in which it answers for one seat, or for several (``seats``);
  agents play the others.
* **Observations** have the rules (``system``, the same for the whole game) and what the seat to
  decide needs to know (``prompt``); actions are answers in words
  (:mod:`dig_envs.language.answers`). What is no legal action changes nothing: the observation says
  why, and the same seat is asked again, ``mistakes`` times in a row; then it has lost.
* The **reward** is 0 until the end, then the return of the first of ``seats``, from -1 to 1;
  ``returns`` has those of all seats.
* ``reset`` takes a ``seed`` and ``options`` of the game. Who plays the other seats is said where
  the server is started: names of agents do not come from outside.
* In OpenEnv one connection is one episode: two programs cannot play against each other at one
  table.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from dig_envs.adapters.text_game import MISTAKES, TextGame
from dig_envs.agents.names import split_names
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.options import parse_options
from dig_envs.engine.core.words import NO_NAMES
from dig_envs.registry import load_game

try:
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server import Environment, create_app
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
    from pydantic import Field
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.openenv needs OpenEnv: {how_to_install('openenv')} (or openenv)",
        name="openenv",
    ) from error

SESSIONS = 64  # games at a time, unless something else is said


class DigAction(Action):
    """The answer of the seat that is to decide."""

    answer: str = Field(
        description=(
            "one legal action: its index, its notation or its words, in a sentence or in "
            "<answer>…</answer>"
        )
    )


class DigObservation(Observation):
    """The observation of the seat to move: the prompt, and its legal actions."""

    seat: int | None = Field(default=None, description="that is to decide; null: the game is over")
    player: str = Field(default="", description="what this seat is called in the texts")
    system: str = Field(
        default="", description="the rules and how to answer: the same for the whole game"
    )
    prompt: str = Field(
        default="",
        description=(
            "position, events since the last decision, legal actions; at the end how the game ended"
        ),
    )
    legal: list[int] = Field(default_factory=list, description="indices of the legal actions")
    outcome: str = Field(
        default="",
        description=(
            "of the last answer: legal, ambiguous, illegal, unreadable; empty before the first"
        ),
    )
    message: str = Field(default="", description="what was wrong with the last answer")
    returns: list[float] = Field(default_factory=list, description="of all seats, at the end")


class DigState(State):
    """The public state of an episode."""

    environment: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    seats: list[int] = Field(default_factory=list, description="that are played by the client")
    over: bool = False
    scores: list[int] = Field(default_factory=list)
    mistakes: list[int] = Field(default_factory=list, description="that each seat has made")


class DigEnvironment(Environment[DigAction, DigObservation, DigState]):
    """A game as an environment of OpenEnv.

    Args:
        name: the environment. seats: that the client plays. opponents: agents of the other seats;
            one name serves all.
        mistakes: that a seat may make in a row without losing. options: of the game.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        name: str,
        seats: Sequence[int] = (0,),
        opponents: str | Sequence[str] = "heuristic",
        mistakes: int = MISTAKES,
        **options: Any,
    ) -> None:
        super().__init__()
        self._options = options
        self._made = partial(TextGame, name, seats=seats, opponents=opponents, mistakes=mistakes)
        self._game = self._made(options)
        self._state = DigState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        options: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> DigObservation:
        """Deal a game; the same seed gives the same deal. ``options`` of the game go before those
        of the server."""
        self._game.close()
        self._game = self._made(self._options | (options or {}))
        self._game.reset(seed)
        self._state = DigState(episode_id=episode_id or str(uuid4()))
        return self._observation()

    def step(
        self, action: DigAction, timeout_s: float | None = None, **kwargs: Any
    ) -> DigObservation:
        """Take an answer.

        Raises:
            RuntimeError: there is no game yet, or it is over.
        """
        if not self._game.env.dealt:
            raise RuntimeError("there is no game yet: call reset() first")
        answer = self._game.answer(action.answer)
        self._state.step_count += 1
        return self._observation(answer.outcome, answer.message)

    def _observation(self, outcome: str = "", message: str = "") -> DigObservation:
        game, seat = self._game, self._game.seat
        own = game.seats[0]
        told = DigObservation(
            outcome=outcome, message=message, seat=seat, done=game.over, reward=game.returns[own]
        )
        who = own if seat is None else seat
        told.player, told.system = NO_NAMES.of(who), game.system
        told.prompt = game.ending(who) if seat is None else game.message(who)
        if seat is None:
            told.returns = game.returns
        else:
            told.legal = game.game.legal_actions(game.env.states, seat)
        return told

    @property
    def state(self) -> DigState:
        """The public state of the episode."""
        state, game = self._state, self._game
        state.environment, state.options, state.seats = (
            game.game.env_name,
            dict(game.env.options),
            list(game.seats),
        )
        if game.env.dealt:
            state.over, state.scores, state.mistakes = game.over, game.scores, list(game.made)
        return state

    def get_metadata(self) -> EnvironmentMetadata:
        """Name, title and version of the game."""
        game = self._game.game
        return EnvironmentMetadata(
            name=game.env_name, description=game.title, version=str(game.version)
        )

    def close(self) -> None:
        """End what agents keep open."""
        self._game.close()


class DigClient(EnvClient[DigAction, DigObservation, DigState]):
    """Plays on a server of a :class:`DigEnvironment`."""

    def _step_payload(self, action: DigAction) -> dict[str, Any]:
        return {"answer": action.answer}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[DigObservation]:
        done, reward = bool(payload.get("done", False)), payload.get("reward")
        observation = DigObservation(
            **payload.get("observation", {}) | {"done": done, "reward": reward}
        )
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> DigState:
        return DigState(**payload)


def make_app(name: str, sessions: int = SESSIONS, **settings: Any) -> Any:
    """The FastAPI application that serves an environment.

    Args:
        name: the environment. sessions: games at a time. settings: as for :class:`DigEnvironment`.

    Raises:
        OptionError, ValueError: as :class:`DigEnvironment`, before anybody connects.
    """
    first = DigEnvironment(name, **settings)
    first.reset()
    first.close()
    return create_app(
        lambda: DigEnvironment(name, **settings), DigAction, DigObservation, name, sessions
    )


def main() -> None:
    """Serve an environment on this machine until somebody stops it."""
    import uvicorn

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("environment")
    parser.add_argument(
        "--seats", default="0", help="seats that the client plays, separated by commas"
    )
    parser.add_argument(
        "--opponents",
        default="heuristic",
        help="agents of the other seats; a single name is for all of them",
    )
    parser.add_argument(
        "--option", action="append", default=[], help="an option of the game: name=value"
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args()
    parsed = parse_options(load_game(given.environment).options, given.option)
    options = {name: value for name, (value,) in parsed.items()}
    seats = [int(seat) for seat in split_names(given.seats)]
    app = make_app(
        given.environment, seats=seats, opponents=split_names(given.opponents), **options
    )
    uvicorn.run(app, host=given.host, port=given.port, log_level="warning")


if __name__ == "__main__":
    main()
