"""The games of a run on a GPU. Observations, masks, actions and rewards stay there as tensors, the
scripted players play inside the compiled step, and policies among the opponents decide there, too.
"""

from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.adapters.learner_tensors import LearnerTensors
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import OnnxAgent, first_line
from dig_envs.agents.protocol import Agent
from dig_envs.agents.random import RandomAgent
from dig_envs.batch.batch_env import DENSE
from dig_envs.engine.game import Game

from .cells import make_cells
from .export import read_network
from .games import TrainingGames
from .network import Network
from .ppo import RESULTS, EarlierCopy, Results
from .settings import Settings

DEVICES = ("cuda",)  # on which games can be played, besides the CPU
OF_NETWORKS = ("cells", "links", "grid", "rounds")  # settings that shape a network


class DeviceGames:
    """Games on a device, paid as a run's games are, for :func:`training.ppo.collect`.

    Args:
        paid: the run's games, which say what is paid; they are not played on.
        tensors: the same games on the device.
    """

    def __init__(self, paid: TrainingGames, tensors: LearnerTensors) -> None:
        self.paid, self.tensors = paid, tensors
        self.num_envs, self.game, self.device = paid.num_envs, paid.game, tensors.device
        self.settings, self.kind = paid.settings, DENSE
        self._over: list[Tensor] = []
        self._remembered: WeakKeyDictionary[Any, Tensor] = WeakKeyDictionary()

    @property
    def observation(self) -> Tensor:
        """Float32 (num_envs, observation_size)."""
        return self.tensors.observation

    @property
    def action_mask(self) -> Tensor:
        """Int8 (num_envs, num_actions)."""
        return self.tensors.action_mask

    def memory_of(self, agent: Any, /) -> Tensor:
        """What an agent in the learner's place remembers, float32 (num_envs, memory_size), zero
        where an episode has just begun; to be rewritten in place."""
        if agent not in self._remembered:
            self._remembered[agent] = torch.zeros(
                self.num_envs, agent.memory_size, device=self.device
            )
        return self._remembered[agent]

    def set_opponents(self, opponents: WeightedOpponents) -> None:
        """Take other opponents, which decide on the device (:func:`moved`); ``reset`` has to
        follow."""
        self.tensors.set_opponents(opponents)

    def reset(self, seed: int) -> None:
        """Deal games and play up to the learner's decisions."""
        self.paid.take_rewards()
        self.tensors.reset(seed)
        self._over.clear()
        self._remembered.clear()

    def play(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """As :class:`training.ppo.Games`. Nothing is waited for: :meth:`take_results` tells of an
        illegal action."""
        step = self.tensors.step(actions, check=False)
        self._over.append(
            torch.stack([step.done.double(), *(getattr(step, name).double() for name in RESULTS)])
        )
        for memory in self._remembered.values():
            memory *= ~step.done[:, None]
        at_end = self.paid.win_weight * step.outcome * step.done
        return step.reward * self.paid.score_weight + at_end, step.done

    def take_results(self) -> Results:
        """The results of the episodes that ended since this was called last.

        Raises:
            IllegalActionError: an action since then was not legal.
        """
        self.tensors.check()
        rows = torch.cat([*self._over, torch.zeros(4, 0, device=self.device)], dim=1)
        self._over.clear()
        ended = rows[1:, rows[0] > 0]
        return dict(zip(RESULTS, ended, strict=True))

    def choices_of(self, teacher: EarlierCopy) -> Tensor:
        """The actions of a policy in the learner's place in every game, int64 (num_envs,)."""
        memory = self.memory_of(teacher) if teacher.memory_size else None
        return teacher.act_tensors(self.observation, self.action_mask, memory)

    def close(self) -> None:
        """End what runs for the games."""
        self.tensors.close()


def on_device(agent: Agent, device: torch.device, rng: np.random.Generator) -> Agent:
    """A policy as a player that decides on the device; the scripted player and the random one as
    they are.

    Raises:
        ValueError: another player, or a policy that is no network of this package.
    """
    if isinstance(agent, OnnxAgent):
        seed = int(rng.integers(2**63)) if agent.sample else None
        return EarlierCopy(network_of(agent), agent.name, seed, device)
    if isinstance(agent, RandomAgent) or (type(agent) is HeuristicAgent and not agent.style):
        return agent
    raise ValueError(f"{agent.name} cannot decide on a GPU")


def moved(
    opponents: WeightedOpponents, device: torch.device, rng: np.random.Generator
) -> WeightedOpponents:
    """The opponents as players that decide on the device."""
    return replace(opponents, agents=[on_device(one, device, rng) for one in opponents.agents])


def network_of(policy: OnnxAgent) -> Network:
    """The network of a policy; raises ValueError if it is none of this package."""
    of_card = policy.card.get("settings", {})
    shape = {name: of_card[name] for name in OF_NETWORKS if name in of_card}
    cells = make_cells(policy.game, Settings.of(**shape))
    return read_network(policy.folder, policy.game, cells).requires_grad_(False)


def games_on(device: torch.device, games: TrainingGames) -> tuple[DeviceGames | None, str]:
    """The games on the device of the network, if that is a GPU that can play them; else what keeps
    them off it, in words, which are empty if there is no GPU."""
    if device.type not in DEVICES:
        return None, ""
    reason = why_not(games.game, games.settings)
    if reason:
        return None, reason
    try:
        return DeviceGames(games, LearnerTensors(games, device.type)), ""
    except Exception as error:  # numba-cuda's own errors are plain ones
        return None, first_line(error)


def why_not(game: Game, settings: Settings) -> str:
    """What keeps a run's games off a GPU, in words; empty: nothing."""
    if any(settings.rewards_at(share).shaping_weight for share in (0.0, 1.0)):
        return "shaping_weight is computed there"
    for name in settings.fixed_opponents if not game.cooperative else ():
        try:
            on_device(
                load_agent(name, game.env_name, 0), torch.device("cpu"), np.random.default_rng()
            )
        except ValueError as error:
            return str(error)
    return ""
