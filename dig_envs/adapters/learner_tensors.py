"""Many games of one learner as tensors of PyTorch, on a CPU or on a GPU, where nothing leaves the
device."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from gymnasium.error import ResetNeeded

from dig_envs.adapters.learner import (
    ALL,
    RANDOM,
    Opponents,
    WeightedOpponents,
    check_learner,
    load_opponents,
    nothing_to_decide,
)
from dig_envs.adapters.learner_batch import LearnerBatch, Seeds, kind_of
from dig_envs.batch.batch_env import DENSE
from dig_envs.batch.common import illegal_action, new_learner
from dig_envs.engine.compiler.learner_data import (
    DEALT,
    DRAWN_SEAT,
    EVERY_SEAT,
    NONE_REFUSED,
    STUCK,
    LearnerData,
)
from dig_envs.engine.core.checks import shown_in_message

SEATS = {RANDOM: DRAWN_SEAT, ALL: EVERY_SEAT}

if TYPE_CHECKING:
    from torch import Tensor


class TensorPlayer(Protocol):
    """An opponent that decides by tensors, on the device where the games are.

    Attributes: ``memory_size``: the number of numbers that it remembers of a game; 0 for none.
    """

    memory_size: int

    def act_tensors(
        self, observation: "Tensor", action_mask: "Tensor", memory: "Tensor | None"
    ) -> "Tensor":
        """The actions of m decisions, int64 (m,).

        Args:
            observation: float32 (m, observation_size).
            action_mask: int8 (m, num_actions), 1 for each legal action.
            memory: float32 (m, memory_size), zero at the start of a game, to be rewritten in place;
                None without one.
        """


@dataclass(frozen=True)
class TensorStep:
    """The results of one decision of the learner in every game, tensors (num_envs,) that every step
    overwrites.

    ``reward`` float32, ``done`` bool: as in :class:`~dig_envs.adapters.learner_batch.Step`. The
    others are of the episode that ended last in a game, so they count where it is done: the game's
    return ``outcome`` float32, -1 to 1, whatever the reward is, the share of the victory ``won``
    float32, ``score``, ``seat`` (0 where the learner plays all) and the number of its ``decisions``
    int64, as in :class:`~dig_envs.adapters.learner_batch.Ended`.
    """

    reward: "Tensor"
    done: "Tensor"
    outcome: "Tensor"
    won: "Tensor"
    score: "Tensor"
    seat: "Tensor"
    decisions: "Tensor"


class LearnerTensors:
    """The games of a :class:`~dig_envs.adapters.learner_batch.LearnerBatch` on a device, with its
    steps.

    Other than there, seats and opponents are drawn inside the compiled step, from the seed of each
    episode, so that games are the same on every device, in whatever order they end. With a fixed
    seat and one opponent they are those of the LearnerBatch, bit by bit.

    Attributes: ``batch``: the games themselves. ``begun``: whether ``reset`` has dealt them, and no
    opponent has failed since. ``device``: of the tensors.

    Args:
        games: whose games, seats, opponents and rewards these are; they are left alone.
            Opponents other than the scripted player and the random one have to be
            :class:`TensorPlayer`; each round of these waits for the device.
        device: ``"cpu"`` or ``"cuda"``.

    Raises:
        TypeError: an opponent decides by other means. OptionError: a learner's seat is none, or
            there are too many opponents. ValueError: an unknown device, games with other
            observations than float32, or on a CPU games that note events. ImportError,
            RuntimeError: as :meth:`BatchEnv.to`.
    """

    def __init__(self, games: LearnerBatch, device: str = "cpu") -> None:
        if games.batch.observation_kind != DENSE:
            raise ValueError(
                f"the games need observation={DENSE!r}, not {games.batch.observation_kind!r}"
            )
        self.game, self.num_envs = games.game, games.num_envs
        host = deepcopy(games.batch) if device == "cpu" else games.batch
        self.batch: Any = host.to(device)
        counts = games.batch.states["num_players"]
        learners = [
            check_learner(seat, self.game, int(count))
            for seat, count in zip(games.learners, counts, strict=True)
        ]
        self._seat_given = np.array(
            [SEATS[seat] if isinstance(seat, str) else seat for seat in learners]
        )
        self._is_dealt = True  # and nothing has been played
        self.set_opponents(games.opponents)

    def set_opponents(self, opponents: Opponents) -> None:
        """Take other opponents; ``reset`` has to follow.

        Raises:
            TypeError: one of them is neither scripted nor random nor a :class:`TensorPlayer`.
        """
        # the seeds are of opponents that are loaded by name
        agents = load_opponents(opponents, self.game, np.random.default_rng(0))
        kinds = [kind_of(agent) for agent in agents]
        players: dict[int, Any] = {
            number: agent
            for number, (agent, kind) in enumerate(zip(agents, kinds, strict=True), 1)
            if kind == 0
        }
        for agent in players.values():
            if not hasattr(agent, "act_tensors"):
                raise TypeError(
                    "opponents of games as tensors are the scripted player, the random one, or "
                    f"have a method act_tensors, not {shown_in_message(agent)}"
                )
        weights: Sequence[float] = [1.0] * len(agents)
        mixed = 1.0
        if isinstance(opponents, WeightedOpponents):
            weights, mixed = opponents.weights, opponents.mixed
        learner = new_learner(self._seat_given, self.game.max_players, kinds, weights, mixed)
        learner, contents, self._play = self.batch._for_learner(learner)
        self.begun, self._players = False, players
        self._hold(learner, contents)

    def _hold(self, learner: LearnerData, contents: Any) -> None:
        """Take the memory of the games and of the learner as tensors."""
        import torch

        names = ("asked", "began", "refused", "idle", "seats", "players")
        given: list[Tensor] = [self.batch.as_tensor(getattr(learner, name)) for name in names]
        self._asked, self._began, self._refused, self._idle, self._seats, self._playing = given
        outputs = ("rewards", "done", "outcome", "won", "score", "seat", "decisions")
        self._step = TensorStep(*(self.batch.as_tensor(getattr(learner, name)) for name in outputs))
        self._actions: Tensor = self.batch.as_tensor(self.batch.actions)
        memory = (contents.flat, contents.masks, contents.movers)
        shown: list[Tensor] = [self.batch.as_tensor(array) for array in memory]
        self._observation, self._mask, self._mover = shown
        self.device = self._actions.device
        self._remembered = {
            number: torch.zeros((self.num_envs, self.game.max_players, size), device=self.device)
            for number, agent in self._players.items()
            if (size := int(getattr(agent, "memory_size", 0)))
        }

    # ------------------------------------------------------------ looking

    @property
    def observation(self) -> "Tensor":
        """The observations of the deciding seats, float32 (num_envs, observation_size); every step
        overwrites them. Raises ResetNeeded before the first ``reset``, as all here does."""
        self.require_games()
        return self._observation

    @property
    def action_mask(self) -> "Tensor":
        """The legal actions of the deciding seats, int8 (num_envs, num_actions), a copy."""
        self.require_games()
        return self._mask.clone()

    @property
    def learner_seats(self) -> "Tensor":
        """The learner's seat in each game now, int64 (num_envs,); -1 where it plays all."""
        self.require_games()
        return self._seats.clone()

    @property
    def players(self) -> "Tensor":
        """Who plays each seat now, int16 (num_envs, max_players), a copy: 0 the learner, above it
        the opponents, in their order."""
        self.require_games()
        return self._playing.clone()

    def require_games(self) -> None:
        """Raise ResetNeeded before the first ``reset``, and where a call has failed midway."""
        if not self.begun:
            raise ResetNeeded("there are no games in play: call reset() first")

    # ------------------------------------------------------------ playing

    def reset(self, seed: Seeds | None = None) -> None:
        """Deal all games, on the CPU, and play up to the learner's decisions.

        The first time without a seed the games are those of the LearnerBatch, later those that
        follow.

        Raises:
            TypeError, ValueError: as for :meth:`BatchEnv.reset`. RuntimeError: the learner has
                nothing to decide.
        """
        if seed is not None or not self._is_dealt:
            self.batch.reset(seed)
        self._asked.fill_(DEALT)
        self._refused.fill_(NONE_REFUSED)
        self._idle.zero_()
        self._play_on(0)
        self.check()

    def step(self, actions: Any, check: bool = True) -> TensorStep:
        """Play the learner's actions, then the others' up to its next decisions.

        Args:
            actions: integers (num_envs,), a legal action for each game: a tensor on the device, or
                what makes one.
            check: whether to wait for the device to say that all are legal. If not, a game whose
                action is illegal stays as it is (reward 0, not done), and :meth:`check` or a later
                step with a check says so.

        Raises:
            IllegalActionError: naming the first game with an illegal action, now or in a step
                without a check; then nothing has changed. TypeError, ValueError: ``actions`` of
                another kind or shape. RuntimeError: as for :meth:`check`.
            ResetNeeded: before the first ``reset``, and where a call has failed midway.
            Exception: an opponent fails, or chooses what is not legal; then ``reset`` has to
                follow.
        """
        self.require_games()
        chosen = self._check_actions(actions, self.num_envs, "actions")
        if check:
            self._refuse_illegal(chosen)
        self._actions.copy_(chosen)
        self._play_on(1)
        return self._step

    def _play_on(self, by_learner: int) -> None:
        """Play what is due; after an error the games are half played."""
        self.begun = self._is_dealt = False
        self._play(by_learner)
        self._ask_players()
        self.begun = True

    def check(self) -> None:
        """Wait for the device, and raise what steps without a check have found.

        Raises:
            IllegalActionError: naming the first game that had an illegal action since the last
                call, and the first such action in it. RuntimeError: the learner had nothing to
                decide in many games in a row; then other games are needed.
        """
        self.require_games()
        stuck = self._asked == STUCK
        if bool(stuck.any()):
            self.begun = False
            raise RuntimeError(nothing_to_decide(int(self._seats[stuck][0])))
        self._raise_refused(self._refused[:, 0] != NONE_REFUSED)

    def _raise_refused(self, where: "Tensor") -> None:
        """Raise IllegalActionError for the first of these games, if there is one."""
        if bool(where.any()):
            game = int(where.nonzero()[0, 0])
            seat, action = self._refused[game].tolist()
            self._refused.fill_(NONE_REFUSED)
            raise illegal_action(self.game, game, seat, action)

    def _check_actions(self, actions: Any, count: int, what: str) -> "Tensor":
        import torch

        given = torch.as_tensor(actions, device=self.device)
        if given.is_floating_point() or given.is_complex() or given.dtype == torch.bool:
            raise TypeError(f"{what} must be integers, not {given.dtype}")
        if given.shape != (count,):
            raise ValueError(f"{what} must have the shape {(count,)}, not {tuple(given.shape)}")
        return given

    def _refuse_illegal(self, chosen: "Tensor") -> None:
        """Raise IllegalActionError before anything has changed."""
        actions = chosen.long()
        inside = (actions >= 0) & (actions < self._mask.shape[1])
        at = actions.clamp(0, self._mask.shape[1] - 1)[:, None]
        legal = inside & (self._mask.gather(1, at)[:, 0] != 0)
        sound = (self._asked != STUCK) & (self._refused[:, 0] == NONE_REFUSED)
        if not bool((legal & sound).all()):
            self.check()
            game = int((~legal).nonzero()[0, 0])
            raise illegal_action(self.game, game, int(self._mover[game]), int(actions[game]))

    def _ask_players(self) -> None:
        """Ask the opponents that have to be asked until the learner is to decide in every game."""
        import torch

        while self._players:
            self._forget()
            waiting = self._asked[self._asked > 0]
            numbers = torch.unique(waiting).tolist()
            if not numbers:
                return
            for number in numbers:
                rows = (self._asked == number).nonzero()[:, 0]
                self._actions[rows] = self._choices(number, rows)
            self._play(0)
            # else a game would wait for ever
            self._raise_refused((self._asked > 0) & (self._refused[:, 0] != NONE_REFUSED))

    def _choices(self, number: int, rows: "Tensor") -> "Tensor":
        """What an opponent chooses in some games."""
        agent, memory = self._players[number], None
        if number in self._remembered:
            memory = self._remembered[number][rows, self._mover[rows]]
        chosen = agent.act_tensors(self._observation[rows], self._mask[rows], memory)
        if memory is not None:
            self._remembered[number][rows, self._mover[rows]] = memory
        what = f"the actions of {getattr(agent, 'name', type(agent).__name__)}"
        return self._check_actions(chosen, len(rows), what).long()

    def _forget(self) -> None:
        """Forget the episodes before those that have begun."""
        for kept in self._remembered.values():
            kept.mul_(~self._began[:, None, None])
        self._began.zero_()

    def close(self) -> None:
        """End the threads, where the games are on the CPU."""
        if hasattr(self.batch, "close"):
            self.batch.close()
