"""One game between people and agents in a terminal: ``dig-envs watch`` and ``dig-envs play``."""

import copy
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.loading import load_agent
from dig_envs.agents.names import one_per_seat, split_names
from dig_envs.commands.output import say, write_json
from dig_envs.commands.positions import read_position
from dig_envs.engine.core.errors import ForfeitError, IllegalActionError, OptionError, SnapshotError
from dig_envs.engine.game import Game
from dig_envs.text.telling import result_text, words_told

if TYPE_CHECKING:
    from dig_envs.pictures.film import Film

HUMAN = "human"
HELP = """Type the number or the text of an action (its beginning is enough if it fits only one), or
  undo        back to your previous decision (what the others did in between is taken back, too)
  hint        what the scripted player would do
  show        the position again
  save FILE   write the position there
  load FILE   go on with a saved position
  help        this text
  quit        stop; the position is kept"""
WIDEST = 120  # columns of a list of actions


class Quit(Exception):
    """The person wants to stop."""


class Human:
    """A seat that a person plays."""

    name = HUMAN


class Match:
    """A game in play, and who plays it.

    Args:
        game: which.
        agents: names for :func:`dig_envs.load_agent` or ``human``, comma-separated, one per seat or one for all seats.
        options: of the game.
        seed: of the deal; None for a new one.
        position: a file to begin with instead of a new deal; it decides the options.

    Attributes: ``game``, ``env`` (the environment with the position), ``players`` (one per seat).
    """

    def __init__(
        self, game: Game, agents: str, options: dict[str, Any], seed: int | None = None, position: Path | None = None
    ) -> None:
        self.game = game
        if position is None:
            self.env = RawAEC(game.env_name, **options)
            self.env.reset(seed=seed)
        else:
            self.env = self._read(position)
        seated = enumerate(one_per_seat(split_names(agents), self.env.num_seats))
        self.players = [Human() if name == HUMAN else load_agent(name, game.env_name, seed=seat) for seat, name in seated]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.env.states["over"][0])

    @property
    def turn(self) -> int:
        """The number of the turn."""
        return int(self.env.states["turn"][0])

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.env.seat_of(self.env.agent_selection)

    @property
    def player(self) -> Any:
        """The player of the seat that decides."""
        return self.players[self.seat]

    @property
    def label(self) -> str:
        """The seat that decides and who plays it."""
        return f"{self.env.agent_selection} ({self.player.name})"

    @property
    def seed(self) -> int:
        """The seed from which the game was dealt."""
        return int(self.env.states["seed"][0])

    def scores(self) -> list[int]:
        """The score of each seat."""
        return [int(score) for score in self.env.states["scores"][0][: self.env.num_seats]]

    def legal(self) -> list[int]:
        """The legal actions now."""
        return self.game.legal_actions(self.env.states, self.seat)

    def play_agent(self) -> int:
        """Let the agent play that is to decide; returns its action. Raises ForfeitError if it gives up the game."""
        action: int = self.player.act(self.env)
        self.env.step(action)
        return action

    def result(self) -> str:
        """How the game ended."""
        return result_text(self.env.snapshot())

    def result_given_up(self, error: ForfeitError) -> str:
        """How a game ended in which the deciding player gave up."""
        others = [name for name, player in zip(self.env.possible_agents, self.players, strict=True) if player is not self.player]
        winners = "nobody" if self.game.cooperative else ", ".join(others) or "nobody"
        return f"The game is over: {self.env.agent_selection} gave it up ({error}). Won by: {winners}."

    def save(self, path: Path) -> None:
        """Write the complete position as JSON."""
        write_json(path, self.env.snapshot())

    def save_unnamed(self) -> Path:
        """Save under a new name in the current folder; returns the path."""
        number = 1
        while (path := Path(f"{self.game.env_name}-position-{number}.json")).exists():
            number += 1
        self.save(path)
        return path

    def load(self, path: Path) -> None:
        """Go on with a saved position; raises SnapshotError, and nothing has changed, if it is none for as many players."""
        env = self._read(path)
        if env.num_seats != len(self.players):
            raise SnapshotError(f"{path} is a position for {env.num_seats} players; here are {len(self.players)}")
        self.env = env

    def _read(self, path: Path) -> RawAEC:
        """An environment in a saved position; raises SnapshotError if it is none of the game."""
        snapshot = read_position(path, self.game)
        options = snapshot.get("options")
        if not isinstance(options, dict):
            raise SnapshotError("snapshot key 'options': an object is needed")
        env = RawAEC(self.game.env_name, **options)
        env.restore(snapshot)
        return env


# ---------------------------------------------------------------- watching


@dataclass
class Narrator:
    """Plays a game of agents and tells it: one line for all that a seat does in a row, the scores when they change.

    Attributes:
        match: the game. console: where it is told.
        draw: the position: ``"turn"`` (at every turn), ``"end"`` or ``"never"``.
        delay: seconds to wait after each seat's line.
        film: gets a picture of what everybody may know at the start and after each action.
    """

    match: Match
    console: Console
    draw: str = "turn"
    delay: float = 0.0
    film: "Film | None" = None

    def tell(self) -> None:
        """Play and tell the game to its end."""
        match, drawn, scores = self.match, -1, self.match.scores()
        self._shoot()
        try:
            while not match.over:
                if self.draw == "turn" and match.turn != drawn:
                    drawn = match.turn
                    self._say(f"\n{match.game.draw(match.env.snapshot())}\n")
                self._tell_seat()
                if match.scores() != scores:
                    scores = match.scores()
                    self._say(f"  scores: {', '.join(map(str, scores))}")
                time.sleep(self.delay)
        except ForfeitError as error:
            self._say(f"\n{match.result_given_up(error)}")
            return
        if self.draw != "never":
            self._say(f"\n{match.game.draw(match.env.snapshot())}")
        self._say(match.result())

    def _tell_seat(self) -> None:
        """Let a seat play as long as it is the only one to do so in this turn, and tell what it did."""
        match, done = self.match, []
        seat, turn, label = match.seat, match.turn, match.label
        while not match.over and (match.seat, match.turn) == (seat, turn):
            done.append(match.game.actions[match.play_agent()])
            self._shoot()
        self._say(f"{label}: {'; '.join(done)}")

    def _shoot(self) -> None:
        """Take a picture."""
        if self.film is not None:
            from dig_envs.pictures.drawing import sheet_of  # which needs an extra

            game = self.match.game
            self.film.add(sheet_of(game, game.to_public(self.match.env.snapshot()), None))

    def _say(self, text: str) -> None:
        say(text, self.console)


# ---------------------------------------------------------------- playing


@dataclass
class Dialogue:
    """Asks the people what they do, on a console, and lets the agents play."""

    match: Match
    console: Console
    _history: list[RawAEC] = field(default_factory=list)  # the positions in which people decided

    def play(self) -> None:
        """Play the game to its end; raises :class:`Quit`, EOFError or KeyboardInterrupt if a person stops."""
        match, last = self.match, -1
        try:
            while not match.over:
                if not isinstance(match.player, Human):
                    label = match.label
                    self._say(f"{label}: {words_told(match.game, match.play_agent())}")
                    continue
                if last not in (-1, match.seat) and not match.game.cooperative:
                    self.console.input(f"{match.env.agent_selection} is next: hand over the screen, then press Enter ")
                last = match.seat
                self.show()
                self._ask()
        except ForfeitError as error:
            self._say(f"\n{match.result_given_up(error)}")
            return
        self._say(f"\n{match.game.draw(match.env.snapshot())}\n{match.result()}")

    def show(self) -> None:
        """Show what the deciding person may know, and the legal actions."""
        match, game = self.match, self.match.game
        self._say(f"\n{game.draw(match.env.view(match.env.agent_selection))}\n")
        numbered = [f"{number:>3} {game.actions[action]}" for number, action in enumerate(match.legal(), 1)]
        width = max(map(len, numbered)) + 2
        per_line = max(1, min(self.console.width, WIDEST) // width)
        for start in range(0, len(numbered), per_line):
            self._say("".join(f"{text:<{width}}" for text in numbered[start : start + per_line]).rstrip())

    def _ask(self) -> None:
        """Ask until something happens that changes the position."""
        while True:
            words = self.console.input(f"{self.match.env.agent_selection}, your action (or help): ").strip()
            try:
                if self.carry_out(words):
                    return
            except (IllegalActionError, SnapshotError, OptionError, OSError) as error:
                self._say(str(error))

    def carry_out(self, words: str) -> bool:
        """Carry out a line of input: a command or an action; returns whether the position has changed.

        Raises:
            Quit: the person wants to stop. IllegalActionError: it is neither. SnapshotError, OSError: no such file.
        """
        match words.split(maxsplit=1):
            case []:
                return False
            case ["quit"]:
                raise Quit
            case ["help"]:
                self._say(HELP)
            case ["show"]:
                self.show()
            case ["hint"]:
                self._say(f"the scripted player would: {self._hint()}")
            case ["save", file]:
                self.match.save(Path(file))
                self._say(f"saved: {file}")
            case ["load", file]:
                self.match.load(Path(file))
                self._history = []
                return True
            case ["undo"]:
                return self._undo()
            case _:
                action = self._action_meant(words)
                self._history.append(copy.deepcopy(self.match.env))
                self.match.env.step(action)
                return True
        return False

    def _hint(self) -> str:
        """The text of the scripted player's action."""
        scripted = load_agent("heuristic", self.match.game.env_name)
        return self.match.game.actions[scripted.act(self.match.env)]

    def _undo(self) -> bool:
        """Go back to the previous decision of the same person; returns whether there is one."""
        seat = self.match.seat
        for index in reversed(range(len(self._history))):
            earlier = self._history[index]
            if earlier.seat_of(earlier.agent_selection) == seat:  # not another person's decision
                self.match.env = earlier
                del self._history[index:]
                return True
        self._say("there is nothing to undo")
        return False

    def _action_meant(self, words: str) -> int:
        """The legal action meant by a number, a text or its beginning; raises IllegalActionError."""
        legal, actions = self.match.legal(), self.match.game.actions
        names = {actions[action].lower(): action for action in legal}
        if words.isdecimal():
            if 1 <= int(words) <= len(legal):
                return legal[int(words) - 1]
            raise IllegalActionError(f"{words}: the legal actions have the numbers 1 to {len(legal)}")
        if words.lower() in names:
            return names[words.lower()]
        fitting = [name for name in names if name.startswith(words.lower())]
        if len(fitting) == 1:
            return names[fitting[0]]
        if fitting:
            raise IllegalActionError(f"{words!r} may be {', '.join(fitting[:8])}")
        if words.lower() in (text.lower() for text in actions):
            raise IllegalActionError(f"{words!r} is not legal now")
        raise IllegalActionError(f"{words!r} is neither an action nor a command (try help)")

    def _say(self, text: str) -> None:
        say(text, self.console)
