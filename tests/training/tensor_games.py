"""Games whose arrays are tensors, on the CPU: what the loop on a GPU plays, made of a
:class:`LearnerBatch`."""

from types import SimpleNamespace

import numpy as np
import torch

from dig_envs.adapters.learner_batch import LearnerBatch


class TensorsOfBatch:
    """The games of a batch as :class:`training.device.TensorGames`."""

    def __init__(self, games, device):
        self._games, self.num_envs, self.device = games, games.num_envs, torch.device(device)
        self._illegal = None

    def _show(self):
        """Overwrite what was shown before."""
        shown = torch.tensor(self._games.observation), torch.tensor(self._games.action_mask)
        if not hasattr(self, "observation"):
            self.observation, self.action_mask = shown
        self.observation.copy_(shown[0])
        self.action_mask.copy_(shown[1])

    def reset(self, seed=None):
        LearnerBatch.reset(self._games, seed)
        self._show()

    def step(self, actions, check=True):
        chosen = actions.numpy()
        legal = self._games.action_mask[np.arange(self.num_envs), chosen] == 1
        if not legal.all():
            self._illegal = int(np.flatnonzero(~legal)[0])
            if check:
                self.check()
        step = LearnerBatch.step(self._games, chosen, legal)
        self._show()
        found = {
            name: torch.zeros(self.num_envs, dtype=kind)
            for name, kind in (
                ("outcome", torch.float32),
                ("won", torch.float32),
                ("score", torch.int64),
                ("decisions", torch.int64),
            )
        }
        for game, ended in step.ended.items():
            found["outcome"][game], found["won"][game] = ended.outcome, ended.won
            found["score"][game] = int(ended.scores[ended.seat])
            found["decisions"][game] = ended.decisions
        return SimpleNamespace(
            reward=torch.from_numpy(step.reward), done=torch.from_numpy(step.done), **found
        )

    def check(self):
        if self._illegal is not None:
            raise ValueError(f"illegal in game {self._illegal}")

    def set_opponents(self, opponents):
        self._games.set_opponents(opponents)

    def close(self):
        self._games.close()
