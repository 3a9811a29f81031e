"""One game in play: what the AEC, the parallel and the single-learner environment have in common."""

import operator
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from dig_envs.engine.errors import IllegalActionError, OptionError, SnapshotError
from dig_envs.engine.game import Array, Game, LayoutEntry, Snapshot
from dig_envs.engine.seeds import following_seed
from dig_envs.engine.state import REWARD_KINDS, as_records, new_records
from dig_envs.registry import load_game

RENDER_MODES = ("ansi", "human")

# Attributes that copies get anew: views of memory, and compiled functions.
ARRAYS = ("states", "_records", "_flat", "_masks", "_mask", "_vector", "_template")
NOT_COPIED = {"game", *ARRAYS, "_deal_one", "_look_one", "_advance"}


def check_reward(reward: str) -> str:
    """The kind of reward, or OptionError."""
    if reward not in REWARD_KINDS:
        raise OptionError(f"reward {reward!r} is not one of {', '.join(map(repr, REWARD_KINDS))}")
    return reward


def mask_space(size: int) -> spaces.Box:
    """The space of action masks: int8, 0 or 1."""
    return spaces.Box(0, 1, (size,), np.int8)


def vector_space(game: Game) -> spaces.Box:
    """The space of the flat observation, float32 (observation_size,), with the bounds of each field."""
    low, high = game.fields.bounds()
    return spaces.Box(low, high, dtype=np.float32)


def observation_space(game: Game) -> spaces.Dict:
    """``observation``: the flat float32 vector; ``action_mask``: int8, 1 for each legal action."""
    return spaces.Dict(
        {
            "observation": vector_space(game),
            "action_mask": mask_space(len(game.actions)),
        }
    )


class GamePosition:
    """Mixin: the state of one game, with everything that does not depend on the kind of environment.

    Attributes: ``game``, ``options`` (all of them, with values), ``states`` (record array of length 1),
    ``reward_kind``, ``render_mode``, ``possible_agents``.
    """

    def _init_position(self, name: str, reward: str, render_mode: str | None, options: Mapping[str, Any]) -> None:
        self.game: Game = load_game(name)
        self.options = self.game.complete_options(options)
        self.reward_kind = check_reward(reward)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render_mode {render_mode!r} is not one of None, {', '.join(map(repr, RENDER_MODES))}")
        self.render_mode = render_mode
        self.num_seats = int(self.options["num_players"])
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_seats)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        observation = observation_space(self.game)
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces = {agent: spaces.Discrete(len(self.game.actions)) for agent in self.possible_agents}
        self._episode_seed: int | None = None
        self._template = self.game.template(self.options)
        self._allocate(new_records(1, self.game.state))

    def _allocate(self, states: Array) -> None:
        self.states = states
        self._records, self._flat = self.game.new_observations(1)
        self._masks = np.zeros((1, len(self.game.actions)), np.int8)
        kernels = self.game.kernels
        self._deal_one, self._look_one, self._advance = kernels.deal_one, kernels.look_one, kernels.advance

    # ------------------------------------------------------------ what is known of the game

    @property
    def action_names(self) -> tuple[str, ...]:
        """The text of each action."""
        return self.game.actions

    @property
    def observation_layout(self) -> dict[str, LayoutEntry]:
        """Name of each field of the observation -> its shape, slice in the flat vector and meaning."""
        return self.game.layout

    def named(self, vector: Array) -> dict[str, Array]:
        """A flat observation by the names of its fields: name -> view of the same numbers in the field's shape."""
        return self.game.named(vector)

    def seat_of(self, agent: str) -> int:
        """The seat (0 … n-1) of an agent's name."""
        return self._seats[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observations; the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions; the same object at each call."""
        return self.action_spaces[agent]

    # ------------------------------------------------------------ dealing and looking

    def _deal(self, seed: int | None) -> int:
        """Deal a new game: from a seed, else from the one that follows the last episode's, else from entropy.

        Mask and observation of the first mover are kept; returns its seat.
        """
        if seed is not None:
            self._episode_seed = int(seed) % 2**64
        elif self._episode_seed is None:
            self._episode_seed = secrets.randbits(64)
        else:
            self._episode_seed = following_seed(self._episode_seed)
        return int(
            self._deal_one(self.states, np.uint64(self._episode_seed), self._template, self._masks, self._records, self._flat)
        )

    def _look(self, seat: int) -> dict[str, Array]:
        """A fresh observation of any seat; the mask is zero for one that owes nothing."""
        records, flat = self.game.new_observations(1)
        masks = np.zeros((1, len(self.game.actions)), np.int8)
        self._look_one(self.states, seat, masks, records, flat)
        return {"observation": flat[0], "action_mask": masks[0]}

    def _require_legal(self, agent: str, action: Any, mask: Array) -> int:
        """The action as an index, or IllegalActionError."""
        try:
            index = operator.index(action)
        except TypeError:
            index = -1
        if 0 <= index < len(mask) and mask[index]:
            return index
        name = repr(self.game.actions[index]) if 0 <= index < len(mask) else f"{action!r}, which is no action,"
        legal = [self.game.actions[a] for a in np.flatnonzero(mask)]
        shown = ", ".join(legal[:12]) + (f" … ({len(legal)} in all)" if len(legal) > 12 else "")
        raise IllegalActionError(f"{name} is not legal for {agent} now; legal: {shown or 'nothing'}")

    def _returns(self) -> Array:
        """The returns of the finished game, per seat."""
        returns = np.zeros((1, self.game.max_players), np.float32)
        self.game.kernels.returns_of(self.states, returns)
        return np.asarray(returns[0])

    def _scores(self) -> list[int]:
        return [int(score) for score in self.states["scores"][0][: self.num_seats]]

    # ------------------------------------------------------------ saving, viewing, searching

    def snapshot(self) -> Snapshot:
        """The complete state as a JSON-able dict (keys: the README of the game)."""
        return self.game.to_snapshot(self.states[0])

    def view(self, agent: str) -> Snapshot:
        """What an agent may know, in the same form as a snapshot."""
        return self.game.to_view(self.snapshot(), self._seats[agent])

    def _restore_states(self, snapshot: Snapshot) -> None:
        states = self.game.from_snapshot(snapshot)
        found = self.game.options_of(states)
        if found != self.options:
            different = [f"{k} = {found[k]!r} (here {self.options[k]!r})" for k in found if found[k] != self.options[k]]
            raise SnapshotError(f"snapshot key 'options': made with other options: {', '.join(different)}")
        self.states[:] = states
        self._episode_seed = int(self.states["seed"][0])

    def _redeal(self, agent: str, seed: int) -> None:
        self.game.kernels.redeal_one(self.states, self._seats[agent], np.uint64(int(seed) % 2**64))

    # ------------------------------------------------------------ rendering, copying

    def render(self) -> str | None:
        """The public position as text (``ansi``), or printed (``human``)."""
        if self.render_mode is None:
            return None
        text = self.game.draw(self.snapshot())
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def __getstate__(self) -> dict[str, Any]:
        plain = {k: v for k, v in self.__dict__.items() if k not in NOT_COPIED}
        return {**plain, "game_name": self.game.name, "state_bytes": self.states.tobytes()}

    def __setstate__(self, plain: dict[str, Any]) -> None:
        plain = dict(plain)
        self.game = load_game(plain.pop("game_name"))
        states = np.frombuffer(plain.pop("state_bytes"), self.game.state).copy()
        self.__dict__.update(plain)
        self._template = self.game.template(self.options)
        self._allocate(as_records(states))
        if self._episode_seed is not None:  # a game has been dealt
            self._refresh()

    def _refresh(self) -> None:
        """Recompute what is derived from the state."""
