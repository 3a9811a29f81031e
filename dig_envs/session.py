"""One game between people and agents in a terminal: what ``dig-envs watch`` and ``dig-envs play`` do."""

import copy
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.loading import load_agent
from dig_envs.agents.names import one_per_seat, split_names
from dig_envs.engine.errors import ForfeitError, IllegalActionError, OptionError, SnapshotError
from dig_envs.engine.options import parse_option
from dig_envs.registry import load_game
from dig_envs.telling import result_text, words_told

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


class Quit(Exception):
    """The person wants to stop."""


class Human:
    """A seat that a person plays."""

    name = HUMAN


def parse_options(env: str, texts: list[str]) -> dict[str, Any]:
    """``name=value`` texts as options of the game; raises OptionError that says what would be right."""
    game = load_game(env)
    parsed = [parse_option(game.options, text) for text in texts]
    return {name: value for name, (value,) in parsed}


def read_json(path: Path) -> dict[str, Any]:
    """A file that should be a saved position; raises SnapshotError if it is no JSON object with a game."""
    try:
        snapshot = json.loads(path.read_text())
    except FileNotFoundError:
        raise SnapshotError(f"there is no file {path}") from None
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{path} is no saved position: {error}") from None
    if not isinstance(snapshot, dict) or not isinstance(snapshot.get("game"), str):
        raise SnapshotError(f"{path} is no saved position: it names no game")
    return snapshot


def read_position(path: Path, env: str) -> dict[str, Any]:
    """A saved position; raises SnapshotError if it is none of this environment's."""
    snapshot, game = read_json(path), load_game(env)
    if snapshot["game"] != game.name:
        raise SnapshotError(f"{path} is no saved position of {game.name}")
    return snapshot


class Session:
    """A game in play.

    Args:
        env: the environment's name.
        agents: names for :func:`dig_envs.load_agent` or ``human``, comma-separated, one per seat or one for all seats.
        options: of the game.
        seed: of the deal; None for a new one.
        position: a file to begin with instead of a new deal; it decides the options.
    """

    def __init__(
        self, env: str, agents: str, options: dict[str, Any], seed: int | None = None, position: Path | None = None
    ) -> None:
        self.name = load_game(env).env_name
        self.options = options
        self._history: list[RawAEC] = []  # the positions in which people decided
        if position is None:
            self.env = RawAEC(self.name, **options)
            self.env.reset(seed=seed)
        else:
            self.load(position)
        self.players = self._seat_players(split_names(agents))

    def _seat_players(self, names: list[str]) -> list[Any]:
        seated = enumerate(one_per_seat(names, self.env.num_seats))
        return [Human() if name == HUMAN else load_agent(name, self.name, seed=seat) for seat, name in seated]

    # ------------------------------------------------------------ the game

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.env.states["over"][0])

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.env.seat_of(self.env.agent_selection)

    def label(self, seat: int) -> str:
        """A seat and who plays it."""
        return f"{self.env.possible_agents[seat]} ({self.players[seat].name})"

    def legal(self) -> list[int]:
        """The legal actions now."""
        return self.env.game.legal_actions(self.env.states, self.seat)

    def result(self) -> str:
        """How the game ended."""
        return result_text(self.env.snapshot())

    def given_up(self, error: ForfeitError) -> str:
        """How a game ended in which a player gave up."""
        loser = self.players[self.seat]
        others = [name for name, player in zip(self.env.possible_agents, self.players, strict=True) if player is not loser]
        winners = "nobody" if self.env.game.cooperative else ", ".join(others) or "nobody"
        return f"The game is over: {self.env.agent_selection} gave it up ({error}). Won by: {winners}."

    def save(self, path: Path) -> None:
        """Write the complete position as JSON."""
        path.write_text(json.dumps(self.env.snapshot(), indent=1) + "\n")

    def save_rest(self) -> Path:
        """Save under a new name in the current folder; returns the path."""
        number = 1
        while (path := Path(f"{self.name}-position-{number}.json")).exists():
            number += 1
        self.save(path)
        return path

    def load(self, path: Path) -> None:
        """Go on with a saved position; raises SnapshotError, and nothing has changed, if it is none."""
        snapshot = read_position(path, self.name)
        options = snapshot.get("options")
        if not isinstance(options, dict):
            raise SnapshotError("snapshot key 'options': an object is needed")
        env = RawAEC(self.name, **options)
        if hasattr(self, "players") and env.num_seats != len(self.players):
            raise SnapshotError(f"{path} is a position for {env.num_seats} players; here are {len(self.players)}")
        env.restore(snapshot)
        self.env = env
        self._history = []

    @property
    def seed(self) -> int:
        """The seed from which the game was dealt."""
        return int(self.env.states["seed"][0])

    # ------------------------------------------------------------ watching

    def tell(self, console: Any, draw: str = "turn", delay: float = 0.0, film: "Film | None" = None) -> None:
        """Play the game and tell it: one line for all that a seat does in a row, the scores when they change.

        Args:
            console: of Rich.
            draw: the position: ``"turn"`` (at every turn), ``"end"`` or ``"never"``.
            delay: seconds to wait after each seat's line.
            film: gets a picture of what everybody may know at the start and after each action.
        """
        try:
            self._tell_all(console, draw, delay, film)
        except ForfeitError as error:
            self._say(console, f"\n{self.given_up(error)}")
            return
        if draw != "never":
            self._say(console, f"\n{self.env.game.draw(self.env.snapshot())}")
        self._say(console, self.result())

    def _tell_all(self, console: Any, draw: str, delay: float, film: "Film | None") -> None:
        turn, scores = -1, self._scores()
        self._film(film)
        while not self.over:
            if draw == "turn" and int(self.env.states["turn"][0]) != turn:
                turn = int(self.env.states["turn"][0])
                self._say(console, f"\n{self.env.game.draw(self.env.snapshot())}\n")
            seat, now, done = self.seat, int(self.env.states["turn"][0]), []
            while not self.over and self.seat == seat and int(self.env.states["turn"][0]) == now:
                done.append(self.env.game.actions[self._let_play()])
                self._film(film)
            self._say(console, f"{self.label(seat)}: {'; '.join(done)}")
            if self._scores() != scores:
                scores = self._scores()
                self._say(console, f"  scores: {', '.join(map(str, scores))}")
            time.sleep(delay)

    def _film(self, film: "Film | None") -> None:
        if film is not None:
            film.add(self.env._sheet())

    def _let_play(self) -> int:
        action: int = self.players[self.seat].act(self.env)
        self.env.step(action)
        return action

    def _scores(self) -> list[int]:
        return [int(score) for score in self.env.states["scores"][0][: self.env.num_seats]]

    def _say(self, console: Any, text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    # ------------------------------------------------------------ playing

    def play(self, console: Any) -> None:
        """Ask the people, let the agents play; raises :class:`Quit`, EOFError or KeyboardInterrupt if a person stops."""
        try:
            self._play_all(console)
        except ForfeitError as error:
            self._say(console, f"\n{self.given_up(error)}")

    def _play_all(self, console: Any) -> None:
        last = -1
        while not self.over:
            seat = self.seat
            if not isinstance(self.players[seat], Human):
                self._say(console, f"{self.label(seat)}: {words_told(self.env.game, self._let_play())}")
                continue
            if last not in (-1, seat) and not self.env.game.cooperative:
                console.input(f"{self.env.agent_selection} is next: hand over the screen, then press Enter ")
            last = seat
            self._show(console)
            self._ask(console)
        self._say(console, f"\n{self.env.game.draw(self.env.snapshot())}\n{self.result()}")

    def _show(self, console: Any) -> None:
        """What the deciding person may know, and the legal actions."""
        game = self.env.game
        legal = self.legal()
        self._say(console, f"\n{game.draw(self.env.view(self.env.agent_selection))}\n")
        numbered = [f"{number:>3} {game.actions[action]}" for number, action in enumerate(legal, 1)]
        width = max(map(len, numbered)) + 2
        per_line = max(1, min(console.width, 120) // width)
        for start in range(0, len(numbered), per_line):
            self._say(console, "".join(f"{text:<{width}}" for text in numbered[start : start + per_line]).rstrip())

    def _ask(self, console: Any) -> None:
        """Ask until something happens that changes the position."""
        while True:
            words = console.input(f"{self.env.agent_selection}, your action (or help): ").strip()
            try:
                if self._command(console, words):
                    return
            except (IllegalActionError, SnapshotError, OptionError, OSError) as error:
                self._say(console, str(error))

    def _command(self, console: Any, words: str) -> bool:
        """Carry out a line of input; whether the position has changed."""
        command, _, rest = words.partition(" ")
        if not words:
            return False
        if command == "quit" and not rest:
            raise Quit
        if command == "help" and not rest:
            self._say(console, HELP)
        elif command == "show" and not rest:
            self._show(console)
        elif command == "hint" and not rest:
            self._say(console, f"the scripted player would: {self._hint()}")
        elif command == "save" and rest:
            self.save(Path(rest))
            self._say(console, f"saved: {rest}")
        elif command == "load" and rest:
            self.load(Path(rest))
            return True
        elif command == "undo" and not rest:
            return self._undo(console)
        else:
            action = self.choose(words)
            self._history.append(copy.deepcopy(self.env))
            self.env.step(action)
            return True
        return False

    def _hint(self) -> str:
        action = load_agent("heuristic", self.name).act(self.env)
        return self.env.game.actions[action]

    def _undo(self, console: Any) -> bool:
        seat = self.seat
        for index in reversed(range(len(self._history))):
            earlier = self._history[index]
            if earlier.seat_of(earlier.agent_selection) == seat:  # not another person's decision
                self.env = earlier
                del self._history[index:]
                return True
        self._say(console, "there is nothing to undo")
        return False

    def choose(self, words: str) -> int:
        """The legal action meant by a number, a text or its beginning; raises IllegalActionError."""
        legal = self.legal()
        names = {self.env.game.actions[action].lower(): action for action in legal}
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
        if words.lower() in (text.lower() for text in self.env.game.actions):
            raise IllegalActionError(f"{words!r} is not legal now")
        raise IllegalActionError(f"{words!r} is neither an action nor a command (try help)")
