"""NFSP of OpenSpiel (``pip install -e ".[baselines]"``), beside our own in ``nfsp.py``:

    python -m training.baselines nfsp_openspiel twenty_questions --seed 0 --decisions 100000 --out results

Each seat is an agent of its own, and one game is played after the other. OpenSpiel pays a game's return at its end, and nothing
else: the weight of the score in ``settings/tasks.toml`` does not count here. The policy of a seat is its agent's average policy.
"""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch.nfsp import NFSP
from torch import nn

import dig_envs.adapters.openspiel  # noqa: F401 (makes the games known)
from dig_envs.engine.game import Array

from ..seeds import seed_stream
from .common import Choosing, Players, Study, Task, values_of

METRICS = {
    "average_loss": "cross-entropy in nats of what the best response did, by the average policy of the first seat",
    "td_loss": "loss between the value of an action and what followed it, of the first seat",
}
EVERY = 1024  # decisions between two reports


class SeatsPlayer(Choosing):
    """A player with a network for each seat."""

    def __init__(self, name: str, networks: Sequence[nn.Module], seed: int | None = None) -> None:
        super().__init__(name, lambda seen, mask: torch.zeros(0), seed)
        self.networks = list(networks)

    @torch.no_grad()
    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """Return one action for each decision, int64 (n,)."""
        if seats is None:
            raise ValueError(f"{self.name} has a network for each seat: pass seats")
        logits = np.zeros(action_mask.shape, np.float32)
        for seat, network in enumerate(self.networks):
            mine = np.asarray(seats) == seat
            if mine.any():
                logits[mine] = network(torch.tensor(observation[mine])).numpy()
        return self._choose(logits, action_mask)


def make_environment(task: Task) -> Any:
    """Return the game as OpenSpiel's environment for learners."""
    options = ",".join(f"{name}={value}" for name, value in task.options.items())
    return rl_environment.Environment(f"dig_{task.game.name}({options})")


def players_of(agents: Sequence[Any], seed: int) -> Players:
    """Return the average policies as players."""
    networks = [copy.deepcopy(agent._avg_network) for agent in agents]
    return {
        "sampled": SeatsPlayer("NFSP of OpenSpiel, sampled", networks, seed),
        "greedy": SeatsPlayer("NFSP of OpenSpiel, greedy", networks),
    }


def train(study: Study) -> None:
    """Play one game after the other; the agents learn while they play."""
    task = study.task
    if task.game.cooperative:
        raise ValueError(f"{study.algorithm} is for competitive games, and {task.name} is cooperative")
    settings = values_of("nfsp_openspiel", task.name, study.changes)
    study.settings = dict(settings)
    env = make_environment(task)
    env.seed(seed_stream("training", study.seed) % 2**32)
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    settings |= {"epsilon_decay_duration": study.decisions}
    # NFSP seeds NumPy's generator, from which everything here is drawn, and that of PyTorch.
    agents = [NFSP(seat, size, actions, seed=10 * study.seed + seat, **settings) for seat in range(task.options["num_players"])]
    study.explain(METRICS)
    study.report(0, lambda: players_of(agents, study.seed), {})
    reported = 0
    while study.done < study.decisions:
        step = env.reset()
        while not step.last():
            mover = step.observations["current_player"]
            step = env.step([agents[mover].step(step).action])
            study.done += 1
        for agent in agents:
            agent.step(step)
        if study.done - reported >= EVERY or study.done >= study.decisions:
            reported = study.done
            losses = dict(zip(METRICS, agents[0].loss, strict=True))
            metrics = {name: float(loss) for name, loss in losses.items() if loss is not None}
            study.report(study.done, lambda: players_of(agents, study.seed), metrics)
