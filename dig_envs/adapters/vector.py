"""Thousands of games as one Gymnasium vector environment, without Python code per game."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from dig_envs.adapters.learner import DEFAULT_OPPONENT, Opponents
from dig_envs.adapters.learner_batch import LearnerBatch, OverLearnerBatch, Step
from dig_envs.adapters.position import check_reset, vector_space
from dig_envs.engine.core.checks import (
    check_choice,
    check_integer,
    check_seed,
    check_seeds,
    is_sequence,
    shown_in_message,
)
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.core.seeds import following_seed
from dig_envs.engine.game import Array
from dig_envs.registry import with_observation

Infos = dict[str, Any]
# number of a game -> what was seen at its end, its info, and the full state
Last = dict[int, tuple[Array, Infos, Array]]
NO_LIMIT = -1
AUTORESET_MODES = tuple(mode.value for mode in AutoresetMode)


class DigVectorEnv(OverLearnerBatch, VectorEnv[Array, Array, Array]):
    """Games of one environment for Gymnasium: the learner decides in all of them at once, agents
    play the rest.

    ``gymnasium.make_vec("dig/fossil_canyon-v0", num_envs=512)`` makes one. Each game goes as in the
    single-learner environment ``gymnasium.make("dig/fossil_canyon-v0")``, which takes the same
    arguments.

    Observations are float32 (num_envs, observation_size), what the deciding seats see. ``infos`` of
    ``reset`` and ``step`` have, each with the mask of the games that have it (``_action_mask`` …),
    as Gymnasium does it:

    * ``action_mask`` int8 (num_envs, num_actions): the legal actions. An illegal one raises
      IllegalActionError, and nothing has changed.
    * ``seat`` int64 (num_envs,): the seat that decides

    The reward of a step is all that the learner's seat is paid up to its next decision or the end
    of the game, also when another seat ends it. After an episode's end the next one begins as
    ``autoreset_mode`` says, in the same way as in Gymnasium's ``SyncVectorEnv``:

    * ``SAME_STEP`` (the default): in the same step. What is returned belongs to the new episode,
      but reward and end to the old one, of which ``infos`` has ``final_obs``, object (num_envs,):
      what was seen at the end, float32 (observation_size,), or None where no episode ended; and
      ``final_info``, a dictionary of arrays (num_envs,).
    * ``NEXT_STEP``: in the next step, which ignores the action of that game; the reward is 0.
    * ``DISABLED``: when ``reset(options={"reset_mask": mask})`` deals the games that ended; before
      that ``step`` raises ResetNeeded.

    The infos of a game that ended (``final_info`` with ``SAME_STEP``) also have ``won``, ``scores``
    and ``turn_limit`` as in the single-learner environment, and the mask is all zero.

    The turn limit is part of the rules and ends a game as any other end does: it *terminates* the
    episode, with ``turn_limit`` True. Only ``max_episode_steps`` truncates an episode, as
    Gymnasium's ``TimeLimit`` does: after so many decisions of the learner, of which the last need
    not end the game.

    Gymnasium before 1.4 knows no such episodes in its ``RecordEpisodeStatistics``: that leaves out
    the first step of every episode but the first, with its reward.

    ``reset(seed=…)`` takes an integer (game i gets ``seed + i``) or one per game; without a seed
    the first ``reset`` draws fresh ones, and later the games that follow are dealt.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        num_envs: number of games.
        learner, opponents, reward, num_threads, per_game, options: as for
            :class:`dig_envs.LearnerBatch`.
        render_mode: None; there is nothing to show of many games.
        autoreset_mode: a ``gymnasium.vector.AutoresetMode``, or its value, such as ``"NextStep"``.
        max_episode_steps: 1 or more; -1 or None: no limit.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game or agent.
    """

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        learner: int | str | Sequence[int] | Array | None = None,
        opponents: Opponents = DEFAULT_OPPONENT,
        reward: str = "win",
        num_threads: int | None = None,
        per_game: Sequence[Mapping[str, Any]] | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise OptionError(
                f"render_mode must be None for a vector of games, not {render_mode!r}"
            )
        if not isinstance(autoreset_mode, AutoresetMode):
            autoreset_mode = AutoresetMode(
                check_choice("autoreset_mode", autoreset_mode, AUTORESET_MODES)
            )
        self._most_steps = (
            NO_LIMIT
            if max_episode_steps in (None, NO_LIMIT)
            else check_integer(max_episode_steps, "max_episode_steps", 1)
        )
        self.autoreset_mode = autoreset_mode
        self.metadata = {"render_modes": [], "autoreset_mode": autoreset_mode}
        # only that is what these libraries take
        name = with_observation(name, options.pop("observation", None))
        self.games = LearnerBatch(
            name, num_envs, learner, opponents, 0, reward, num_threads, per_game, **options
        )
        self.game = self.games.game
        self.num_envs = num_envs
        self.render_mode = None
        self.single_observation_space = vector_space(self.game)
        self.single_action_space = spaces.Discrete(len(self.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._every_game = np.ones(num_envs, np.bool_)
        self._steps = np.zeros(num_envs, np.int64)  # of the episodes in play
        # of the games whose episode has ended and whose next one has not been shown yet. It has
        # been dealt already
        self._waiting: Last = {}

    # ------------------------------------------------------------ playing

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Deal games and play up to the learner's decisions: (observation, infos).

        Args:
            seed: an integer, then game i gets ``seed + i``; or one per game, where None stands for
                the one that follows; or None for all of them.
            options: ``reset_mask``, bool (num_envs,): which games to deal, at least one; the others
                stay as they are, and ``infos`` has nothing of them. Without it: all.

        Raises:
            TypeError, ValueError: a seed is not an integer from -2**63 to 2**64 - 1, there is not
                one per game, the mask is of another kind or shape, or ``options`` has an option of
                the game. ResetNeeded: a mask before the first ``reset``.
        """
        check_reset(self.game, options)
        mask = self._reset_mask((options or {}).get("reset_mask"))
        seeds = (
            None
            if seed is None and self.games.begun
            else check_seeds(
                [None] * self.num_envs if seed is None else seed, self.num_envs, self._next_seed
            )
        )
        super().reset(seed=None if seed is None or is_sequence(seed) else check_seed(seed))
        if seeds is None:
            dealt = mask & ~self._is_waiting()
            if dealt.any():
                self.games.reset(None, None if dealt.all() else dealt)
        else:
            self.games.reset(seeds, None if mask.all() else mask)
        self._waiting = {i: last for i, last in self._waiting.items() if not mask[i]}
        self._steps[mask] = 0
        return self._shown(mask)

    def _reset_mask(self, mask: Any) -> Array:
        """The games to deal, bool (num_envs,)."""
        if mask is None:
            return self._every_game
        self.games.require_games()
        if getattr(mask, "dtype", None) != np.bool_:
            raise TypeError(
                f"reset_mask must be a bool array ({self.num_envs},), not {shown_in_message(mask)}"
            )
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask must have the shape ({self.num_envs},) and at least one True, not "
                f"{shown_in_message(mask)}"
            )
        found: Array = mask
        return found

    def _next_seed(self, index: int) -> int:
        if not self.games.begun:
            return int(self.np_random.integers(2**63))
        present = int(self.batch.states["seed"][index])
        return present if index in self._waiting else following_seed(present)

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, Infos]:
        """Play the learner's actions, integers (num_envs,): (observation, reward, terminated,
        truncated, infos).

        Raises:
            IllegalActionError: naming the first game with an illegal action; then nothing has
                changed. TypeError, ValueError: the actions are no integers, or not one per game.
            ResetNeeded: before the first ``reset``; with ``DISABLED``, an episode is over.
        """
        waiting = self._is_waiting()
        if waiting.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"the episodes of the games {shown_in_message(list(self._waiting))} are over: call "
                "reset(options={'reset_mask': mask})"
            )
        playing = ~waiting
        step = self.games.step(actions, playing if waiting.any() else None)
        self._steps = np.where(playing, self._steps + 1, 0)
        truncated = playing & (self._steps == self._most_steps)
        last = self._ended(step, truncated)
        self._steps[list(last)] = 0
        same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        self._waiting = {} if same_step else last
        observation, infos = self._shown(self._every_game)
        if same_step:
            for index, (seen, info, _) in last.items():
                infos = self._add_info(infos, {"final_obs": seen, "final_info": info}, index)
        return observation, step.reward, step.done, truncated, infos

    def _ended(self, step: Step, truncated: Array) -> Last:
        """The final observation and info of each episode that a step ended. Truncated games are
        dealt anew."""
        none = np.zeros(len(self.game.actions), np.int8)
        last: Last = {
            index: (
                one.observation,
                {
                    "action_mask": none,
                    "seat": np.int64(one.observer),
                    "won": one.won,
                    "scores": one.scores,
                    "turn_limit": one.turn_limit,
                },
                one.full_state,
            )
            for index, one in step.ended.items()
        }
        cut = truncated & ~step.done
        for index in np.flatnonzero(cut).tolist():
            mask, seat = self.games.action_mask[index].copy(), self.batch.mover[index]
            seen = self.games.observation[index].copy()
            full = self.game.full_state.of(self.batch.states[index : index + 1])[0]
            last[index] = (seen, {"action_mask": mask, "seat": np.int64(seat)}, full)
        if cut.any():
            self.games.reset(games=cut)
        return dict(sorted(last.items()))

    # ------------------------------------------------------------ looking

    def _is_waiting(self) -> Array:
        """The games whose final observation is still shown, bool (num_envs,)."""
        waiting = np.zeros(self.num_envs, np.bool_)
        waiting[list(self._waiting)] = True
        return waiting

    def _shown(self, told: Array) -> tuple[Array, Infos]:
        """The observations, and the infos of some games. Games whose episode has ended show its
        end."""
        observation = self.games.observation.copy()
        infos: Infos = {
            "action_mask": np.where(told[:, None], self.games.action_mask, np.int8(0)),
            "_action_mask": told.copy(),
            "seat": np.where(told, self.batch.mover, 0),
            "_seat": told.copy(),
        }
        for index, (seen, info, _) in self._waiting.items():
            observation[index] = seen
            if told[index]:
                infos = self._add_info(infos, info, index)
        return observation, infos

    def action_masks(self) -> Array:
        """The legal actions of the deciding seats, bool (num_envs, num_actions)."""
        masks = super().action_masks()
        for index, (_, info, _) in self._waiting.items():
            masks[index] = info["action_mask"]
        return masks

    def full_state(self) -> Array:
        """Everything that is decided in each game, hidden or not, float32 (num_envs,
        full_state_size), a fresh array; that of the last position where an episode has ended and
        the next one is not shown yet."""
        full = super().full_state()
        for index, (_, _, last) in self._waiting.items():
            full[index] = last
        return full

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if hasattr(self, "games"):  # before 1.3 Gymnasium closes what could not be made, too
            self.games.close()
