"""One game between people and agents in a terminal: ``dig-envs watch`` and ``dig-envs play``."""

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.advice import advise_on
from dig_envs.agents.best import adviser
from dig_envs.agents.deciding import decision_of, legal_or_forfeit
from dig_envs.agents.loading import load_agent, load_opponent
from dig_envs.agents.memory import remembered
from dig_envs.agents.mistakes import mistakes, mistakes_text
from dig_envs.agents.names import one_per_seat, split_names
from dig_envs.agents.protocol import Agent
from dig_envs.agents.sealed import PYTHON, load_player
from dig_envs.agents.standing_in import FAILURES, STAND_IN, Replacements
from dig_envs.commands.output import say, write_json
from dig_envs.commands.positions import read_position
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import (
    DigEnvsError,
    ForfeitError,
    IllegalActionError,
    SnapshotError,
)
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.options import defaults_for_people
from dig_envs.engine.core.texts import clean_text
from dig_envs.engine.core.words import NO_NAMES, usual_name
from dig_envs.engine.event_log import ALL
from dig_envs.engine.game import Game
from dig_envs.language.guides import guide_text
from dig_envs.text.sentences import headline, line_for_people, log_lines, result_text

if TYPE_CHECKING:
    from dig_envs.pictures.film import Film

HUMAN = "human"
HELP = """\
Type the number or the text of an action (its beginning is enough if it fits only one; notation \
will do, too), or
  undo        back to your previous decision (what the others did in between is taken back, too)
  hint        the best actions, with your chances of winning
  show        the position again
  rules       the rules on one page
  save FILE   write the position there
  load FILE   go on with a saved position
  help        this text
  quit        stop; you are asked whether to keep the position"""
LONGEST_NAME = 80  # characters of an agent's name
WIDEST = 120  # columns of a list of actions


class Quit(Exception):
    """The person wants to stop."""


def wants_to_keep(console: Console) -> bool:
    """Ask whether the position is to be kept, where there is somebody to ask."""
    try:
        return console.input("\nKeep the position, to go on later? (y or n) ").strip().lower() in (
            "y",
            "yes",
        )
    except (EOFError, KeyboardInterrupt):
        return False


class Human:
    """A seat that a person plays."""

    name = HUMAN


def _load(name: str, game: Game, seat: int) -> Agent:
    """The player of a seat: as people meet it, or code of their own."""
    if name.startswith(PYTHON):
        return load_player(name, game.env_name, seed=seat)
    return load_opponent(name, game, seed=seat)


class Match:
    """A game in play, and who plays it.

    Args:
        game: which.
        agents: names for :func:`dig_envs.load_agent` or ``human``, comma-separated, one per seat or
            one for all seats; None: a person, and in the other seats who plays with people in this
            game.
        options: of the game.
        seed: of the deal; None for a new one.
        position: a file to begin with instead of a new deal; it decides the options.

    Attributes: ``game``, ``env`` (the environment with the position), ``players`` (one per seat).
    """

    def __init__(
        self,
        game: Game,
        agents: str | None,
        options: dict[str, Any],
        seed: int | None = None,
        position: Path | None = None,
    ) -> None:
        self.game = game
        names = [HUMAN, game.partner] if agents is None else split_names(agents)
        if position is None:
            usual = defaults_for_people(game.options) if HUMAN in names else {}
            self.env = RawAEC(game.env_name, **{**usual, **options})
            self.env.reset(seed=seed)
        else:
            self.env = self._read(position)
        if agents is None:
            names = names[: self.env.num_seats]
        self._names = one_per_seat(names, self.env.num_seats)
        self.players = [
            Human() if name == HUMAN else _load(name, game, seat)
            for seat, name in enumerate(self._names)
        ]

    @property
    def over(self) -> bool:
        return bool(self.env.states["over"][0])

    @property
    def turn(self) -> int:
        return int(self.env.states["turn"][0])

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.env.seat_of(self.env.agent_selection)

    @property
    def player(self) -> Any:
        return self.players[self.seat]

    @property
    def seed(self) -> int:
        return int(self.env.states["seed"][0])

    def names_of_others(self) -> list[str]:
        """The names of the players at the other seats, as they were given."""
        return [name for seat, name in enumerate(self._names) if seat != self.seat]

    @property
    def only_person(self) -> int | None:
        """The seat of the person who plays alone against agents, and is called *you*; None where
        there is no such person."""
        people = [seat for seat, player in enumerate(self.players) if isinstance(player, Human)]
        return people[0] if len(people) == 1 else None

    def who_plays(self) -> str:
        """Who plays which seat, as a line."""
        return ", ".join(
            f"{usual_name(seat)}: {clean_text(name, LONGEST_NAME)}"
            for seat, name in enumerate(self._names)
        )

    def events(self, viewer: int | None, first: int) -> list[str]:
        """The events from number ``first`` on that a viewer is told of, as sentences (``ALL``:
        everything)."""
        return [str(event) for event in self.env.event_log.told(viewer, first)]

    def legal(self) -> list[int]:
        return self.game.legal_actions(self.env.states, self.seat)

    def labels(self) -> dict[int, str]:
        """The legal actions now, each with its words in plain English."""
        view = self.env.view(self.env.agent_selection)
        return {
            action: self.game.label(view, action, self.seat, self.seat) for action in self.legal()
        }

    def play_agent(self, instead: Agent | None = None) -> int:
        """Let the agent play that is to decide, or another one in its place; returns its action.
        Raises ForfeitError if it gives up the game."""
        player: Agent = self.player if instead is None else instead
        action = player.act(self.env)
        with legal_or_forfeit(player.name):
            self.env.step(action)
        return action

    def result(self) -> str:
        return result_text(self.game, self.env.snapshot(), self.only_person)

    def result_given_up(self, error: ForfeitError) -> str:
        """The result, in words, of a game that the deciding player gave up."""
        others = (
            []
            if self.game.cooperative
            else [seat for seat, player in enumerate(self.players) if player is not self.player]
        )
        winners = NO_NAMES.people(others, None) if others else "nobody"
        return (
            f"The game is over: {NO_NAMES.of(self.seat)} gave it up ({error}). Won by: {winners}."
        )

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
        """Go on with a saved position; raises SnapshotError, and changes nothing, if it has
        another number of players."""
        env = self._read(path)
        if env.num_seats != len(self.players):
            raise SnapshotError(
                f"{path} is a position for {env.num_seats} players; here are {len(self.players)}"
            )
        self.env = env

    def _read(self, path: Path) -> RawAEC:
        """An environment in a saved position; raises SnapshotError for another game."""
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
    """Plays a game of agents and tells it event by event.

    Attributes:
        match: the game. console: where it is told.
        draw: the position: ``"turn"`` (at every turn), ``"end"`` or ``"never"``.
        delay: seconds to wait after each action.
        film: gets a picture of what everybody may know at the start and after each action. Its
            caption is what the log of the page tells of the last action of which it tells
            something.
    """

    match: Match
    console: Console
    draw: str = "turn"
    delay: float = 0.0
    film: "Film | None" = None
    _caption: list[str] = field(default_factory=list)  # of the last picture

    def tell(self) -> None:
        """Play and tell the game to its end."""
        match, drawn = self.match, -1
        self._shoot([headline(match.game, match.env.snapshot())])
        try:
            while not match.over:
                if self.draw == "turn" and match.turn != drawn:
                    drawn = match.turn
                    self._say(f"\n{match.game.draw(match.env.snapshot())}\n")
                self._tell_action()
                time.sleep(self.delay)
        except ForfeitError as error:
            self._say(f"\n{match.result_given_up(error)}")
            return
        if self.draw != "never":
            self._say(f"\n{match.game.draw(match.env.snapshot())}")
        self._say(match.result())

    def _tell_action(self) -> None:
        """Let an agent play, and tell everything that happens."""
        match, before, turn = self.match, len(self.match.env.event_log), self.match.turn
        action = match.seat, match.play_agent()
        told = match.events(ALL, before) or [match.game.actions[action[1]]]
        self._say("\n".join(told))
        self._shoot(log_lines(match.env.event_log.told(None, before), turn) or self._caption)

    def _shoot(self, caption: list[str]) -> None:
        self._caption = caption
        if self.film is not None:
            from dig_envs.pictures.drawing import sheet_of  # which needs an extra

            game = self.match.game
            self.film.add(
                sheet_of(game, game.to_public(self.match.env.snapshot()), None, caption=caption),
                words=len(" ".join(caption).split()),
            )

    def _say(self, text: str) -> None:
        say(text, self.console)


# ---------------------------------------------------------------- playing


@dataclass
class Dialogue:
    """Asks the people what they do, on a console, and lets the agents play."""

    match: Match
    console: Console
    _history: list[RawAEC] = field(default_factory=list)  # the positions in which people decided
    _replaced: Replacements = field(default_factory=Replacements)  # of agents that failed

    def play(self) -> None:
        """Play the game to its end; raises :class:`Quit`, EOFError or KeyboardInterrupt if a person
        stops."""
        match, last = self.match, -1
        while not match.over:
            if not isinstance(match.player, Human):
                self._let_agent_play()
                continue
            if last not in (-1, match.seat) and not match.game.cooperative:
                self.console.input(
                    f"{NO_NAMES.of(match.seat)} is next: hand over the screen, then press Enter "
                )
            last = match.seat
            self.show()
            self._ask()
        viewer = match.only_person
        last_words = (
            match.env.event_log.told(None) if viewer is None else match.env.event_log.since(viewer)
        )
        self._tell(last_words[:-1] if viewer is not None else [])
        self._say(f"\n{match.game.draw(match.env.snapshot())}\n{match.result()}")
        for seat, player in enumerate(match.players):
            if isinstance(player, Human):
                self._tell_mistakes(seat)

    def _let_agent_play(self) -> None:
        """Let the agent play that is to decide, or, where it fails, the scripted player
        (:mod:`dig_envs.agents.standing_in`); raises its failure, if that fails, too."""
        match, seat = self.match, self.match.seat
        for attempt in self._replaced.attempts(seat):
            instead = _load(STAND_IN, match.game, seat) if attempt.stands_in else None
            try:
                match.play_agent(instead)
            except FAILURES as error:
                if attempt.stands_in:
                    raise
                if attempt.is_told:
                    who = NO_NAMES.of(seat)
                    self._say(f"\n{self._replaced.words(seat, attempt, who, str(error))}.")
            else:
                self._replaced.moved(seat, attempt)
                return

    def _tell_mistakes(self, seat: int) -> None:
        """Tell a person's largest mistakes."""
        whose = "Your" if seat == self.match.only_person else f"{NO_NAMES.of(seat)}'s"
        found = mistakes(self.match.env.event_log, seat)
        self._say(f"\n{mistakes_text(found, whose)}")

    def _tell(self, events: Sequence[Event]) -> None:
        """Tell events as the log of a table does."""
        if events:
            lines = [line_for_people(self.match.game, event) or str(event) for event in events]
            self._say("\n" + "\n".join(lines))

    def show(self) -> None:
        """Show what the deciding person was told since its last decision and may know now, and the
        legal actions."""
        match, game = self.match, self.match.game
        view = match.env.view(match.env.agent_selection)
        self._tell(match.env.events(match.env.agent_selection))
        self._say(f"\n{game.draw(view)}\n\n{headline(game, view, match.seat)}")
        for line in in_columns(list(match.labels().values()), self.console.width):
            self._say(line)

    def _ask(self) -> None:
        """Ask until something happens that changes the position."""
        while True:
            words = self.console.input(
                f"{NO_NAMES.of(self.match.seat)}, your action (or help): "
            ).strip()
            try:
                if self.carry_out(words):
                    return
            except (DigEnvsError, ValueError, OSError) as error:
                self._say(str(error))

    def carry_out(self, words: str) -> bool:
        """Carry out a line of input: a command or an action; returns whether the position has
        changed.

        Raises:
            Quit: the person wants to stop. IllegalActionError: it is neither. SnapshotError,
                OSError: no such file.
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
            case ["rules"]:
                env = self.match.env
                self._say(guide_text(self.match.game, env.snapshot()["options"]))
            case ["hint"]:
                self._hint()
            case ["save", file]:
                self.match.save(Path(file))
                self._say(f"saved: {file}")
            case ["load", file]:
                self.match.load(Path(file))
                self._history = []
                self._replaced.clear()
                return True
            case ["undo"]:
                return self._undo()
            case _:
                action = action_meant(words, self.match.labels(), self.match.game.actions)
                self._history.append(copy.deepcopy(self.match.env))
                self.match.env.step(action)
                return True
        return False

    def _hint(self) -> None:
        legal, env, game = self.match.legal(), self.match.env, self.match.game
        agent = load_agent(adviser(game, env.options, self.match.names_of_others()), game.env_name)
        log = env.event_log
        asked = decision_of(env, agent, None)
        if asked.memory is not None:
            memory = remembered(agent, game, log.first, log.played, self.match.seat)
            asked = asked._replace(memory=memory)
        self._say(f"{agent.name} advises:")
        for one in advise_on(game, agent, asked):
            self._say(f"{legal.index(one.action) + 1:>3} {one}")

    def _undo(self) -> bool:
        """Go back to the previous decision of the same person; returns whether there is one."""
        seat = self.match.seat
        for index in reversed(range(len(self._history))):
            earlier = self._history[index]
            if earlier.seat_of(earlier.agent_selection) == seat:  # not another person's decision
                self.match.env = earlier
                del self._history[index:]
                self._replaced.clear()
                return True
        self._say("there is nothing to undo")
        return False

    def _say(self, text: str) -> None:
        say(text, self.console)


def in_columns(texts: Sequence[str], width: int) -> list[str]:
    numbered = [f"{number:>3} {text}" for number, text in enumerate(texts, 1)]
    column = max(map(len, numbered)) + 2
    per_line = max(1, min(width, WIDEST) // column)
    return [
        "".join(f"{text:<{column}}" for text in numbered[start : start + per_line]).rstrip()
        for start in range(0, len(numbered), per_line)
    ]


def action_meant(words: str, labels: Mapping[int, str], actions: Sequence[str]) -> int:
    """The legal action meant by a number, a text or its beginning; raises IllegalActionError.
    ``labels``: of the legal actions; ``actions``: the texts of all."""
    legal = list(labels)
    names = {
        text.lower(): action
        for action, label in labels.items()
        for text in (actions[action], label)
    }
    if words.isdecimal():
        if 1 <= int(words) <= len(legal):
            return legal[int(words) - 1]
        raise IllegalActionError(f"{words}: the legal actions have the numbers 1 to {len(legal)}")
    if words.lower() in names:
        return names[words.lower()]
    fitting = sorted({action for name, action in names.items() if name.startswith(words.lower())})
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        some = ", ".join(labels[action] for action in fitting[:8])
        raise IllegalActionError(f"{shown_in_message(words)} may be {some}")
    if words.lower() in (text.lower() for text in actions):
        raise IllegalActionError(f"{shown_in_message(words)} is not legal now")
    raise IllegalActionError(
        f"{shown_in_message(words)} is neither an action nor a command (try help)"
    )
