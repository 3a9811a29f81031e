"""A game in a given position, for rule tests: played by the actions' texts, looked at by dotted
path."""

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, ClassVar, Self

import numpy as np
import pytest

from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.state import new_records
from dig_envs.engine.event_log import ALL, EventLog
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.snapshot import ORIGIN
from tests.worked_examples import get_path, legal_names, load_bases, play_actions, with_changes

NOT_PLAYED = "the step has played nothing: `choose` and `scripted` only name an action, `play` it"
MOST_CHOICES = 1000  # in one position, one after the other


def refusals(*parts: str | dict[str, Any]) -> list[tuple[Any, ...]]:
    """Rows of a table of what is refused: (base, changes, key) for each of the changes that follow
    base and key; or no base."""
    words = [part for part in parts if isinstance(part, str)]
    return [(*words[:-1], part, words[-1]) for part in parts if not isinstance(part, str)]


class Position:
    """A position of ``game``, which a subclass names.

    Attributes:
        bases: the snapshots that the game's worked examples begin with, by name.
    """

    game: ClassVar[Game]
    bases: ClassVar[dict[str, dict[str, Any]]]
    # where `choose` was called last, and how often one after the other
    _chosen: tuple[bytes, int] = (b"", 0)

    def __init_subclass__(cls) -> None:
        cls.bases = load_bases(cls.game)

    def __init__(self, snapshot: dict[str, Any]) -> None:
        self.states = self.game.from_snapshot(snapshot)

    @classmethod
    def of(cls, states: Any) -> Self:
        """The position of a record array of length 1, which it takes."""
        position = cls.__new__(cls)
        position.states = states
        return position

    @classmethod
    def changed(cls, name: str, changes: dict[str, Any]) -> dict[str, Any]:
        """A copy of a base with changes by dotted path."""
        return with_changes(cls.bases[name], changes)

    @classmethod
    def base(cls, name: str, changes: dict[str, Any] | None = None) -> Self:
        """The position of a base with changes."""
        return cls.of(cls.game.from_snapshot(cls.changed(name, changes or {})))

    @classmethod
    def refused(cls, name: str, changes: dict[str, Any], key: str) -> None:
        """A base is fine; with changes it is refused, and what is refused is this key or something
        in it."""
        cls.refuses(cls.bases[name], changes, key)

    @classmethod
    def refuses(cls, snapshot: dict[str, Any], changes: dict[str, Any], key: str) -> None:
        """The same of any snapshot."""
        cls.game.from_snapshot(snapshot)
        with pytest.raises(SnapshotError, match=f"snapshot key '{re.escape(key)}[.']"):
            cls.game.from_snapshot(with_changes(snapshot, changes))

    @classmethod
    def deal(cls, seed: int, **options: Any) -> Self:
        """A new game as dealt from a seed."""
        states = new_records(1, cls.game.state)
        template = cls.game.template(cls.game.complete_options(options))
        cls.game.kernels.start(
            states, 0, 1, np.array([seed], np.uint64), template, np.zeros(1, np.int64)
        )
        return cls.of(states)

    @classmethod
    def deals(cls, count: int, **options: Any) -> Any:
        """The records of new games as dealt from the seeds 0, 1, 2 …"""
        states = new_records(count, cls.game.state)
        template = cls.game.template(cls.game.complete_options(options))
        cls.game.kernels.start(
            states, 0, count, np.arange(count, dtype=np.uint64), template, np.zeros(count, np.int64)
        )
        return states

    @classmethod
    def games(
        cls, count: int, every: int, carelessness: float, most: int | None = None, **options: Any
    ) -> Iterator[Self]:
        """Positions on the way of games of two, three and four players, by the scripted player with
        some random moves."""
        for seed in range(count):
            position, chance = (
                cls.deal(seed, **{"num_players": 2 + seed % 3, **options}),
                np.random.default_rng(seed),
            )
            yield from position.on_the_way(
                lambda now, chance=chance: now.play(now.choose(chance, carelessness)), every, most
            )

    def copy(self) -> Self:
        return self.of(self.states.copy())

    def play(self, *texts: str) -> Self:
        play_actions(self.game, self.states, list(texts))
        return self

    def play_as(self, seat: int, *texts: str) -> Self:
        """Play actions of a seat that has a decision to make, whoever is to move (as side by side
        in the parallel environment)."""
        for text in texts:
            assert text in self.legal_for(seat), text
            self.game.kernels.apply_one(self.states, seat, self.game.action_index[text])
        return self

    def redeal(self, seat: int, seed: int) -> Self:
        """A copy in which what the seat cannot know is dealt anew."""
        twin = self.copy()
        self.game.kernels.determinize_one(twin.states, seat, np.uint64(seed))
        return twin

    def happens(self, *texts: str, viewer: int | None = ALL) -> list[str]:
        """Play actions; returns what a viewer is told of them, as sentences."""
        log = EventLog(self.game, self.states)
        for text in texts:
            assert text in self.legal, text
            log.play(self.mover, self.game.action_index[text])
            self.states[:] = log.states
        return [str(event) for event in log.told(viewer)]

    @property
    def mover(self) -> int:
        return int(self.states["to_move"][0])

    @property
    def legal(self) -> set[str]:
        return legal_names(self.game, self.states) if self.mover >= 0 else set()

    def legal_for(self, seat: int) -> set[str]:
        return {self.game.actions[action] for action in np.flatnonzero(self.mask(seat))}

    @property
    def scripted(self) -> str:
        """The scripted player's action, which must be legal."""
        actions = np.zeros(1, np.int64)
        self.game.kernels.heuristic_actions(self.states, 0, 1, np.array([self.mover]), actions)
        text = self.game.actions[actions[0]]
        assert text in self.legal
        return text

    def play_scripted(self, count: int) -> list[str]:
        """Play actions of the scripted player, one after the other, and return them."""
        texts = []
        for _ in range(count):
            texts.append(self.scripted)
            self.play(texts[-1])
        return texts

    def play_randomly(self, chance: np.random.Generator) -> str:
        """A random legal action is played; returns it."""
        action = int(chance.choice(np.flatnonzero(self.mask(self.mover))))
        self.game.kernels.apply_one(self.states, self.mover, action)
        return self.game.actions[action]

    def choose(self, chance: np.random.Generator, carelessness: float) -> str:
        """Return an action for `play`: the scripted one, or with some probability any. A loop that
        does not play it is stopped."""
        here, times = self.states.tobytes(), self._chosen[1]
        self._chosen = here, times + 1 if here == self._chosen[0] else 1
        assert self._chosen[1] <= MOST_CHOICES, (
            f"{NOT_PLAYED} ({MOST_CHOICES} choices in one position)"
        )
        if chance.random() < carelessness:
            return str(chance.choice(sorted(self.legal)))
        return self.scripted

    def on_the_way(
        self, step: Callable[[Self], object], every: int = 1, most: int | None = None
    ) -> Iterator[Self]:
        """Itself before every so many steps, of ``most``, and at the end of the game."""
        for done in count():
            if self.mover < 0 or done == most:
                break
            if done % every == 0:
                yield self
            before = self.states.tobytes()
            step(self)
            assert self.states.tobytes() != before, NOT_PLAYED
        if self.mover < 0:
            yield self

    @property
    def snapshot(self) -> dict[str, Any]:
        return self.game.to_snapshot(self.states[0])

    @property
    def plain(self) -> dict[str, Any]:
        """The snapshot without the generator and without who wrote it, as the plain second
        implementations have it."""
        return {key: value for key, value in self.snapshot.items() if key not in ("rng", *ORIGIN)}

    def view(self, seat: int) -> dict[str, Any]:
        return self.game.to_view(self.snapshot, seat)

    def observation(self, seat: int) -> np.ndarray:
        records, flat = self.game.new_observations(1)
        self.game.kernels.observations_of(self.states, 0, 1, np.array([seat]), records, flat)
        return flat[0].copy()

    def check_observations(self, expected: Callable[[dict[str, Any], int], dict[str, Any]]) -> None:
        """Every seat's observation is within its bounds and has the fields that are expected of its
        view.

        What is expected may end early: the rest, of seats that are not there, is zero.
        """
        low, high = self.game.fields.bounds()
        for seat in range(int(self.states["num_players"][0])):
            flat = self.observation(seat)
            assert (low <= flat).all()
            assert (flat <= high).all()
            fields = expected(self.view(seat), seat)
            assert fields.keys() == self.game.layout.keys(), "every field, and nothing else"
            for name, value in fields.items():
                found = flat[self.game.layout[name].slice]
                wanted = np.zeros_like(found)
                wanted[: np.size(value)] = np.ravel(np.asarray(value, float))
                assert np.allclose(found, wanted, atol=1e-6), (
                    name,
                    seat,
                    np.flatnonzero(~np.isclose(found, wanted, atol=1e-6)),
                )

    def check_snapshot(self) -> None:
        """The snapshot is accepted and holds all that is in the state, but for the seed of the
        episode."""
        again = self.game.from_snapshot(self.snapshot)
        again["seed"] = self.states["seed"]
        assert again.tobytes() == self.states.tobytes()

    def mask(self, seat: int) -> np.ndarray:
        return self.game.mask_of(self.states, seat)

    def known_to(self, seat: int) -> tuple[Any, ...]:
        """All that a seat is told: view, observation and mask, bit by bit."""
        return self.view(seat), self.observation(seat).tobytes(), self.mask(seat).tobytes()

    def __getitem__(self, path: str) -> Any:
        return get_path(self.snapshot, path)
