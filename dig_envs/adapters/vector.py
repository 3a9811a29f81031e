"""Thousands of games as one Gymnasium vector environment, without Python code per game."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from dig_envs.adapters.learner import DEFAULT_OPPONENT, Opponents
from dig_envs.adapters.learner_batch import Ended, LearnerBatch, OverLearnerBatch
from dig_envs.adapters.position import vector_space
from dig_envs.engine.core.checks import WORDS, check_seed
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.game import Array

Infos = dict[str, Any]


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
    of the game, also when another seat ends it. Games that ended are dealt anew in the same step
    (``AutoresetMode.SAME_STEP``): what is returned belongs to the new episodes, but reward and
    termination to the old ones, of which ``infos`` has:

    * ``final_obs`` object (num_envs,): what was seen at the end, float32 (observation_size,); None
      where no game ended
    * ``final_info``: a dictionary of arrays (num_envs,): ``seat`` (that saw it), ``score``,
      ``won``, ``turn_limit``, and ``action_mask`` (num_envs, num_actions), all zero

    The turn limit is part of the rules and ends a game as any other end does: it *terminates* the
    episode, with ``turn_limit`` True. No episode is truncated.

    Gymnasium before 1.4 knows no such episodes in its ``RecordEpisodeStatistics``: that leaves out
    the first step of every episode but the first, with its reward.

    ``reset(seed=…)`` takes an integer (game i gets ``seed + i``) or one per game; without a seed
    the first ``reset`` draws fresh ones, and later the games that follow are dealt.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        num_envs: number of games.
        learner, opponents, reward, num_threads, per_game, options: as for
            :class:`~dig_envs.adapters.learner_batch.LearnerBatch`.
        render_mode: None; there is nothing to show of many games.

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
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise OptionError(
                f"render_mode must be None for a vector of games, not {render_mode!r}"
            )
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
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
        self._seeded = False

    # ------------------------------------------------------------ playing

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Deal all games and play up to the learner's decisions: (observation, infos). ``options``
        must be empty.

        Raises:
            TypeError, ValueError: a seed is no integer from -2**63 to 2**64 - 1, or there is not
                one per game.
        """
        if options:
            raise ValueError(
                f"reset takes no options, not {', '.join(options)}: games that end are dealt anew "
                "by step"
            )
        several = isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes)
        super().reset(seed=None if seed is None or several else check_seed(seed))
        self.games.reset(self._seeds(seed))
        self._seeded = True
        return self.games.observation.copy(), self._infos({})

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int] | None:
        """Return one seed per game, or None to go on with those that follow."""
        if seed is None and self._seeded:
            return None
        given: Sequence[int | None]
        if seed is None:
            given = [None] * self.num_envs
        elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes):
            given = seed
        else:
            given = [(check_seed(seed) + i) % WORDS for i in range(self.num_envs)]
        if len(given) != self.num_envs:
            raise ValueError(
                f"{len(given)} seeds for {self.num_envs} games; give one seed, or one for each game"
            )
        return [
            int(self.np_random.integers(2**63)) if one is None else check_seed(one) for one in given
        ]

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, Infos]:
        """Play the learner's actions, integers (num_envs,): (observation, reward, terminated,
        truncated, infos).

        Raises:
            IllegalActionError: naming the first game with an illegal action; then nothing has
                changed.
        """
        step = self.games.step(np.asarray(actions))
        truncated = np.zeros(self.num_envs, np.bool_)
        return (
            self.games.observation.copy(),
            step.reward,
            step.done,
            truncated,
            self._infos(step.ended),
        )

    def _infos(self, ended: Mapping[int, Ended]) -> Infos:
        infos: Infos = {
            "action_mask": self.games.action_mask.copy(),
            "seat": self.batch.mover.copy(),
        }
        infos |= {f"_{name}": self._every_game.copy() for name in ("action_mask", "seat")}
        if ended:
            none = np.zeros(len(self.game.actions), np.int8)
            for index, one in ended.items():
                result = {
                    "seat": one.observer,
                    "score": one.score,
                    "won": one.won,
                    "turn_limit": one.turn_limit,
                }
                final = {
                    "final_obs": one.observation,
                    "final_info": {"action_mask": none, **result},
                }
                infos = self._add_info(infos, final, index)
        return infos

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if hasattr(self, "games"):  # before 1.3 Gymnasium closes what could not be made, too
            self.games.close()
