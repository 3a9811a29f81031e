"""A game in which some seats are asked and answer in words, and agents play the others: what
adapters for text have in common."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.deciding import legal_or_forfeit
from dig_envs.agents.loading import close_agents, load_seats
from dig_envs.agents.matches import given_up
from dig_envs.agents.protocol import Agent
from dig_envs.engine.core.checks import check_integer
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.winners import shares_of_victory
from dig_envs.engine.core.words import NO_NAMES, counted
from dig_envs.engine.game import Array
from dig_envs.language.answers import Answer
from dig_envs.language.prompts import HOW_TO_ANSWER, rules_text
from dig_envs.text.sentences import result_text

# the parts of a prompt that change from decision to decision
NEWS = ("position", "news", "actions")
MISTAKES = 2  # answers in a row that may be no legal action, unless something else is said


class TextGame:
    """One game after the other, in words.

    Seats are asked one at a time; in a simultaneous decision none is told what others have chosen
    before all have. An answer that is no legal action is a mistake: nothing is played, and
    :meth:`answer` says what was wrong. Who makes more mistakes in a row than are allowed forfeits:
    the game ends, that seat loses and the others win (in a cooperative game all lose).

    Args:
        name: the environment. options: of the game.
        seats: that are asked in words; None: all of them.
        opponents: agents of the other seats in their order (or teammates); one name serves all.
        mistakes: that a seat may make in a row without forfeiting, 0 or more.

    Attributes:
        env: the environment (:class:`~dig_envs.adapters.aec.RawAEC`). seats: that are asked in
            words.
        forfeited: the seat that has forfeited, or None. reason, detail: why, as :meth:`forfeit` has
            it. made: how many mistakes each seat has made.

    Raises:
        OptionError, ValueError, TypeError: for what is wrong with the arguments; names of agents
            are looked at in :meth:`reset`.
    """

    def __init__(
        self,
        name: str,
        options: Mapping[str, Any] | None = None,
        seats: Sequence[int] | None = None,
        opponents: str | Sequence[str] = "heuristic",
        mistakes: int = MISTAKES,
    ) -> None:
        self.env = RawAEC(name, **(options or {}))
        self.game, self.num_seats = self.env.game, self.env.num_seats
        every = range(self.num_seats)
        self.seats = sorted(
            {
                check_integer(seat, "seat", 0, self.num_seats - 1)
                for seat in (every if seats is None else seats)
            }
        )
        if not self.seats:
            raise ValueError("at least one seat must be asked in words")
        self.mistakes = check_integer(mistakes, "mistakes", 0)
        self._opponents = [opponents] if isinstance(opponents, str) else list(opponents)
        self._others = [seat for seat in every if seat not in self.seats]
        self._agents: dict[int, Agent] = {}
        self._in_a_row = 0
        self.forfeited: int | None = None
        self.reason = self.detail = ""
        self.made = [0] * self.num_seats

    def reset(self, seed: int | None = None) -> None:
        """Deal a new game, and let the agents play up to the first decision in words.

        Args:
            seed: of the deal and of agents that draw at random; None: the one that follows the last
                game's.

        Raises:
            ValueError, PolicyMismatchError, ImportError: for an agent that cannot play. TypeError,
                ValueError: for a wrong seed.
        """
        self.close()
        self.env.reset(seed)
        self._agents = load_seats(
            self._opponents,
            self.game.env_name,
            self._others,
            self.num_seats,
            int(self.env.states["seed"][0]),
        )
        self.forfeited, self.reason, self.detail, self._in_a_row = None, "", "", 0
        self.made = [0] * self.num_seats
        self._let_agents_play()

    def _let_agents_play(self) -> None:
        while (seat := self.seat) is not None and seat not in self.seats:
            agent = self._agents[seat]
            try:
                with legal_or_forfeit(agent.name):
                    self.env.step(agent.act(self.env))
            except ForfeitError as error:
                self.forfeit(seat, str(error))

    def forfeit(self, seat: int, reason: str, detail: str = "") -> None:
        """End the game, which is lost for a seat. ``reason``: a sentence for everybody; ``detail``:
        one for the seat alone, since it may name what the seat has tried."""
        self.forfeited, self.reason, self.detail = seat, reason, detail

    # ------------------------------------------------------------ where it stands

    @property
    def seat(self) -> int | None:
        """The seat that is to decide; None: the game is over."""
        return None if self.over else int(self.env.states["to_move"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or because somebody has forfeited."""
        return self.forfeited is not None or bool(self.env.states["over"][0])

    @property
    def returns(self) -> list[float]:
        """The returns of all seats, from -1 to 1; zeros before the end."""
        if self.forfeited is not None:
            found: list[float] = self._given_up()[1].tolist()
            return found[: self.num_seats]
        return self.env._returns() if self.over else [0.0] * self.num_seats

    @property
    def won(self) -> list[float]:
        """Each seat's share of the victory, 1/k for each of k winners; zeros before the end."""
        winners = (
            self.env.states["winners"][0][: self.num_seats]
            if self.forfeited is None
            else self._given_up()[0]
        )
        shares: list[float] = shares_of_victory(winners, self.game.cooperative).tolist()
        return shares

    def _given_up(self) -> tuple[Array, Array]:
        losers = np.arange(self.num_seats) == self.forfeited
        return given_up(self.game, self.env.states, losers)

    @property
    def scores(self) -> list[int]:
        """The scores of all seats."""
        return self.env._scores()

    # ------------------------------------------------------------ words

    @property
    def system(self) -> str:
        """The rules and how to answer: the same for all seats and the whole game, for a system
        message."""
        return f"{rules_text(self.game, self.env.options)}\n\n{HOW_TO_ANSWER}"

    def message(self, seat: int) -> str:
        """The prompt of a seat: its view of the position, the events since its last decision, its
        legal actions."""
        return self.env.prompt(self.env.possible_agents[seat], NEWS).text()

    def ending(self, seat: int | None) -> str:
        """A text for a seat (None: for everybody) that says how the game has ended."""
        if self.forfeited is not None:
            own = self.forfeited == seat
            who = "you have" if own else f"{NO_NAMES.of(self.forfeited)} has"
            reason = re.sub("^It ", "You ", self.reason) if own else self.reason
            said = f"The game is over: {who} forfeited. {reason}"
            return f"{said} {self.detail}" if own and self.detail else said
        snapshot = self.game.to_snapshot(self.env.states[0])
        view = self.game.to_public(snapshot) if seat is None else self.game.to_view(snapshot, seat)
        return result_text(self.game, view, seat)

    def answer(self, text: str) -> Answer:
        """Take the answer of the seat that is to decide: play it if it is a legal action, then let
        the agents play.

        Returns:
            What was understood; ``.message`` says what was wrong with a mistake.

        Raises:
            RuntimeError: the game is over. TypeError: the answer is not a string.
        """
        seat = self.seat
        if seat is None:
            raise RuntimeError("the game is over: reset() deals a new one")
        answer = self.env.parse(self.env.possible_agents[seat], text)
        if answer.action is not None:
            self._in_a_row = 0
            self.env.step(answer.action)
            self._let_agents_play()
        else:
            self.made[seat] += 1
            self._in_a_row += 1
            if self._in_a_row > self.mistakes:
                gave = counted(self._in_a_row, "wrong answer")
                row = " in a row" if self._in_a_row > 1 else ""
                self.forfeit(seat, f"It gave {gave}{row}.", answer.message)
        return answer

    def close(self) -> None:
        """End what agents keep open."""
        close_agents(list(self._agents.values()))
        self._agents = {}
