"""A game with the compiled loops around its functions."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dig_envs.engine.compiler import loading
from dig_envs.engine.core.checks import check_integer
from dig_envs.engine.core.declared import Array, DeclaredGame
from dig_envs.engine.core.grave import warning_of
from dig_envs.engine.core.state import as_records, new_records
from dig_envs.engine.core.turns import NOBODY


@dataclass(frozen=True, eq=False, kw_only=True)
class CompiledGame(DeclaredGame):
    """The declarations of a game, with the loops that are compiled for it when they are first
    used."""

    @cached_property
    def kernels(self) -> Any:
        """The compiled loops (:mod:`dig_envs.engine.compiler.kernels`) for this game."""
        return loading.load_kernels(self)

    @cached_property
    def search_kernels(self) -> Any:
        """The compiled tree search (:mod:`dig_envs.engine.search.simulation`) for this game."""
        own = {"opponent": self.kernels.unstyled}
        return loading.load_part(self, self.kernels, loading.SIMULATION, **own)

    @cached_property
    def styled_search_kernels(self) -> Any:
        """The same, where the scripted player plays the other seats with the weights of a style."""
        own = {"opponent": self.kernels.styled, "form": "_styled"}
        return loading.load_part(self, self.kernels, loading.SIMULATION, **own)

    @cached_property
    def learning(self) -> Any:
        """The compiled games of one learner (:mod:`dig_envs.engine.compiler.learning`)."""
        return loading.load_part(self, self.kernels, loading.LEARNING)

    @cached_property
    def playouts(self) -> Any:
        """The compiled games of scripted players (:mod:`dig_envs.engine.search.playouts`)."""
        return loading.load_playouts(self, self.kernels)

    @cached_property
    def grave_kernels(self) -> Any:
        """The compiled search for grave actions (:mod:`dig_envs.engine.search.grave`)."""
        return loading.load_part(self, self.kernels, loading.GRAVE)

    @cached_property
    def mistake_kernels(self) -> Any:
        """The compiled choice of mistakes (:mod:`dig_envs.engine.search.mistakes`)."""
        return loading.load_mistakes(self, self.kernels, self.grave_kernels)

    @cached_property
    def xla_calls(self) -> Any:
        """The functions of this game that computations of XLA can call
        (:class:`dig_envs.engine.compiler.xla_calls.Calls`)."""
        # it loads machine code that nobody else needs
        from dig_envs.engine.compiler.xla_calls import Calls

        return Calls(self, loading.load_part(self, self.kernels, loading.XLA))

    @cached_property
    def source_hash(self) -> str | None:
        """Hash of all the sources that make the game's compiled code; None if they are in no
        files."""
        return loading.cache_key(self).sources

    def facts(self, state: Any) -> Any:
        """The facts about a state record that the rules give: a record of ``facts_type``, or None
        if the game has none."""
        if self.facts_type is None:
            return None
        states, facts = as_records(np.array([state], self.state)), new_records(1, self.facts_type)
        self.kernels.inspect_one(states, facts)
        return facts[0]

    def new_observations(self, count: int) -> tuple[Array, Array]:
        """Zero observation records and the same memory as a float32 matrix (count,
        observation_size)."""
        flat = np.zeros((count, self.observation_size), np.float32)
        return as_records(flat.view(self.observation).reshape(count)), flat

    def returns_of(self, states: Array) -> Array:
        """The returns of finished games, float64 (n, max_players)."""
        returns = np.zeros((len(states), self.max_players))
        self.kernels.returns_of(states, returns)
        return returns

    def mask_of(self, states: Array, seat: int) -> Array:
        """The action mask of a seat in the first state, a fresh int8 (num_actions,); all zero if it
        has no decision to make.

        Raises:
            TypeError, ValueError: there is no such seat.
        """
        check_integer(seat, "a seat", NOBODY, self.max_players - 1)
        mask = np.zeros((1, len(self.actions)), np.int8)
        self.kernels.masks_of(states, 0, 1, np.array([seat], np.int64), mask)
        return np.asarray(mask[0])

    def grave_of(self, states: Array, seats: Array, masks: Array) -> Array:
        """The reason why each action of the deciding seat is grave, int8 (n, num_actions); 0 if it
        is not grave (:mod:`dig_envs.engine.core.grave`).

        Args:
            states: records (n,). seats: int64 (n,). masks: (n, num_actions).
        """
        found = np.zeros(masks.shape, np.int8)
        work = new_records(2, self.state)
        legal = np.ascontiguousarray(masks, np.int8)
        self.grave_kernels.find_grave(states, 0, len(states), seats, legal, work, found)
        return found

    def settle(
        self,
        states: Array,
        seats: Array,
        masks: Array,
        actions: Array,
        mistaken: Array,
        draws: Array,
    ) -> Array:
        """What seats choose that do nothing grave, int64 (n,): their actions, or others
        where these are grave or they are mistaken (:mod:`dig_envs.engine.search.mistakes`).

        Args:
            states: records (n,). seats, actions: int64 (n,). masks: (n, num_actions).
            mistaken: bool (n,). draws: float64 (n,) from 0 up to 1, on which mistakes depend.
        """
        settled, size = np.array(actions, np.int64), len(self.actions)
        self.mistake_kernels.settle_choices(
            states,
            seats,
            np.ascontiguousarray(masks, np.int8),
            np.asarray(mistaken, np.bool_),
            draws,
            settled,
            new_records(2, self.state),
            np.zeros(size, np.int8),
            np.zeros(size),
        )
        return settled

    def warnings_of(self, states: Array, seat: int) -> list[str]:
        """The question to ask a person before each action of a seat in the first state; empty if
        there is none."""
        mask, seats = self.mask_of(states, seat), np.array([seat], np.int64)
        kinds = self.grave_of(states[:1], seats, mask[None])[0]
        return [
            warning_of(int(kind), self.action_list.group(action).warning) if kind else ""
            for action, kind in enumerate(kinds)
        ]

    def legal_actions(self, states: Array, seat: int) -> list[int]:
        """The legal actions of a seat in the first state, ascending; raises as :meth:`mask_of`."""
        return [int(action) for action in np.flatnonzero(self.mask_of(states, seat))]
