"""Many games as one environment of TorchRL: ``DigEnv("cretaceous_creek_v0", num_envs=64)``."""

# the documentation is built without TorchRL, whose stand-ins know no "|"
from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from dig_envs.engine.core.installing import how_to_install

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.torchrl needs TorchRL ({error.name} is missing): "
        f"{how_to_install('torchrl')}",
        name=error.name,
    ) from error

from dig_envs.adapters.parallel import IGNORED
from dig_envs.adapters.position import agent_names
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.checks import check_seed
from dig_envs.engine.game import Array

GROUP = "player"


class DigEnv(EnvBase):
    """Games of one environment, stepped together in compiled code, as an environment with the batch
    size [num_envs].

    Example::

        env = DigEnv("go_dig_v0", num_envs=64, num_players=2)
        frames = env.rollout(100, break_when_any_done=False)  # random legal actions in all games
        frames["next", "player", "reward"]  # float32 (64, 100, 2, 1)

    The seats are the agents of one group, ``player``, with the entries that ``PettingZooWrapper``
    makes of a parallel environment:

    * ``("player", "observation")`` float32 (num_envs, num_players, observation_size)
    * ``("player", "action_mask")`` bool (num_envs, num_players, num_actions)
    * ``("player", "action")`` int64 (num_envs, num_players)
    * ``("player", "reward")`` float32 (num_envs, num_players, 1)
    * ``state`` float32 (num_envs, full_state_size): everything that is decided, hidden or not, for
      a central critic (:mod:`dig_envs.engine.core.full_state`)
    * ``done``, ``terminated``, ``truncated`` bool (num_envs, 1), and in the group bool (num_envs,
      num_players, 1)

    **In a step** one seat of each game decides. The masks of the other seats allow action 0 alone,
    which is ignored. Seats that decide at the same time do so one after the other, without seeing
    what the others chose, as in the AEC environment. An illegal action raises IllegalActionError,
    and nothing has changed. Actions that are drawn from ``action_spec`` are legal.

    **At the end of a game** a step returns the last observations, and ``reset`` deals the next
    game: ``rollout`` and collectors call it for the games that are over. The turn limit is a rule
    and gives rewards like any other end: a game that it ends is terminated, never truncated.

    **Seeds**: game i is dealt from ``seed + i``, at the first ``reset``, after ``set_seed(seed)``
    and by ``reset(seed=seed)``, and later from the seeds that follow, as in the AEC environment.

    Attributes: ``batch``, the games themselves (:class:`~dig_envs.batch.batch_env.BatchEnv`), which
    deals the next game already in the step that ends one. ``game``, ``num_players``, ``group_map``.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        num_envs: number of games.
        seed: an integer.
        reward: ``"win"`` or ``"score"``, as for BatchEnv.
        num_threads: default: all cores.
        device: of the tensors. The games are played on the CPU.
        options: the game's options, the same for all games.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game. ModuleNotFoundError (at
            import): TorchRL is missing.
    """

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        seed: int = 0,
        reward: str = "win",
        num_threads: int | None = None,
        device: Any = "cpu",
        **options: Any,
    ) -> None:
        batch = BatchEnv(
            name, num_envs, check_seed(seed), num_threads, reward, observation=None, **options
        )
        super().__init__(device=device, batch_size=[num_envs])
        self.batch, self.game = batch, batch.game
        self.num_players = int(self.game.complete_options(options)["num_players"])
        self.group_map = {GROUP: agent_names(self.num_players)}
        self._games = np.arange(num_envs)
        self._begun = False  # whether all games have been reset
        # which games are to be reset before they can be played on
        self._over = np.ones(num_envs, np.bool_)
        self._set_seed(seed)
        self._make_specs()

    def _make_specs(self) -> None:
        seats, actions = self.num_players, len(self.game.actions)
        low, high = (torch.from_numpy(bound) for bound in self.game.fields.bounds())
        seen = {
            "observation": Bounded(
                low.expand(seats, -1), high.expand(seats, -1), dtype=torch.float32
            ),
            "action_mask": Categorical(2, (seats, actions), dtype=torch.bool),
        }
        self.full_observation_spec_unbatched = Composite(
            {
                GROUP: Composite(seen, shape=(seats,)),
                "state": Bounded(
                    *map(torch.from_numpy, self.game.full_state.bounds()), dtype=torch.float32
                ),
            }
        ).to(self.device)
        self.full_action_spec_unbatched = _of_group(
            {"action": Categorical(actions, (seats,))}, seats
        ).to(self.device)
        self.full_reward_spec_unbatched = _of_group({"reward": Unbounded((seats, 1))}, seats).to(
            self.device
        )
        ends = ("done", "terminated", "truncated")
        done = _of_group({end: Categorical(2, (seats, 1), dtype=torch.bool) for end in ends}, seats)
        done.update({end: Categorical(2, (1,), dtype=torch.bool) for end in ends})
        self.full_done_spec_unbatched = done.to(self.device)

    # ------------------------------------------------------------ playing

    def _set_seed(self, seed: int | None) -> None:
        """Deal the next game in each place from these seeds; None: from those that follow. Games in
        play go on until then."""
        self._seed = None if seed is None else check_seed(seed)
        self._seeded = np.full(len(self._games), seed is not None)

    def _reset(self, tensordict: TensorDictBase | None, seed: int | None = None) -> TensorDict:
        """Deal games where ``_reset`` in the tensordict is True, or all of them: game i from
        ``seed + i``, if a seed is given."""
        games = self._games_of(tensordict, "_reset")
        if not self._begun and not games.all():
            raise ResetNeeded("there are no games yet: call reset() for all of them first")
        seeded = games if seed is not None else games & self._seeded
        self._deal(seeded, self._seed if seed is None else seed)
        # where a game was over, the batch has dealt the next one
        self._deal(games & ~seeded & ~self._over, None)
        self._seeded &= ~games
        self._over &= ~games
        self._begun = True
        return self._look()

    def _deal(self, games: Array, seed: int | None) -> None:
        if games.any():
            self.batch.reset(seed, games)

    def _games_of(self, tensordict: TensorDictBase | None, key: str) -> Array:
        """The games that a mask in a tensordict selects, bool (num_envs,); all without such a
        mask."""
        mask = None if tensordict is None else tensordict.get(key, None)
        return (
            np.ones(len(self._games), np.bool_) if mask is None else mask.reshape(-1).cpu().numpy()
        )

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        """Play the action of the seat that decides in each game, where ``_step`` in the tensordict
        is True, or in all."""
        playing = self._games_of(tensordict, "_step")
        over = np.flatnonzero(playing & self._over)
        if len(over):
            raise ResetNeeded(
                f"game {over[0]} is over, or was never dealt: reset it before its next step"
            )
        actions = tensordict.get((GROUP, "action")).cpu().numpy()
        if actions.shape != (len(self._games), self.num_players):
            raise ValueError(
                f"actions must have the shape {(len(self._games), self.num_players)}, not "
                f"{actions.shape}"
            )
        self.batch.step(actions[self._games, self.batch.mover], playing)
        self._over |= self.batch.terminated
        after = self._look()
        after[GROUP, "reward"] = self._tensor(self.rewards()[:, :, None])
        return after

    def rewards(self) -> Array:
        """The rewards of the last step, float32 (num_envs, num_players), a fresh array. Override it
        to pay other rewards."""
        return self.batch.reward[:, : self.num_players].copy()

    # ------------------------------------------------------------ looking

    def _look(self) -> TensorDict:
        """Observations and masks of all seats, the complete state, and which games are over."""
        seen, state, over = (
            self._tensor(self.batch.observe_all(self._over)),
            self._tensor(self.batch.full_state(self._over)),
            self._tensor(self._over.copy())[:, None],
        )
        masks = self._tensor(self._masks())
        self.full_action_spec[GROUP, "action"].update_mask(masks)
        ends = {"done": over, "terminated": over.clone(), "truncated": torch.zeros_like(over)}
        in_group = {
            end: value[:, None].repeat(1, self.num_players, 1) for end, value in ends.items()
        }
        entries = {"observation": seen, "action_mask": masks, **in_group}
        group = TensorDict(entries, [*self.batch_size, self.num_players], device=self.device)
        return TensorDict(
            {GROUP: group, "state": state, **ends}, self.batch_size, device=self.device
        )

    def _masks(self) -> Array:
        """The masks of all seats, bool (num_envs, num_players, num_actions)."""
        masks = np.zeros((len(self._games), self.num_players, len(self.game.actions)), np.bool_)
        masks[:, :, IGNORED] = True
        games = np.flatnonzero(~self._over)
        masks[games, self.batch.mover[games]] = self.batch.action_mask[games]
        return masks

    def _tensor(self, array: Array) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """End the threads."""
        self.batch.close()
        super().close(raise_if_closed=raise_if_closed)


def _of_group(entries: dict[str, Any], seats: int) -> Composite:
    return Composite({GROUP: Composite(entries, shape=(seats,))})
