"""The warm start: imitate a teacher, such as the scripted player, before PPO takes over (behaviour cloning).

In part of the games the student's own actions are played, so that it sees the positions that its mistakes lead to (DAgger; Ross,
Gordon and Bagnell 2011, arXiv:1011.0686).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch.nn import functional

from dig_envs.agents.protocol import Agent

from . import ppo
from .games import TrainingGames
from .learner import Learner, Remembering, Rollout, Tensor
from .network import ILLEGAL
from .ppo import as_numbers, compute_advantages


@dataclass
class Lesson(Rollout):
    """A rollout, with the teacher's choices, int64 (t, n), and the discounted rewards that followed, float32 (t, n)."""

    choices: Tensor
    following: Tensor


class Teaching(Remembering):
    """A student and its teacher as one policy: ``student_plays``, bool (n,), says which of the two decides in each game.

    The teacher's choices in all games are kept.
    """

    def __init__(self, learner: Learner, games: TrainingGames, teacher: Agent, student_plays: Tensor) -> None:
        super().__init__(learner, torch.from_numpy(games.memory_of(learner.network)))
        self.games, self.teacher, self.student_plays = games, teacher, student_plays
        self.choices: list[Tensor] = []

    def __call__(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits that leave the teacher's choice alone where it decides, and the student's values."""
        self.choices.append(torch.from_numpy(self.games.choices_of(self.teacher)))
        logits, values = super().__call__(observation, action_mask)
        chosen = torch.full_like(logits, ILLEGAL).scatter(1, self.choices[-1][:, None].to(logits.device), 0.0)
        return torch.where(self.student_plays[:, None].to(logits.device), logits, chosen), values


def take_lesson(learner: Learner, games: TrainingGames, teacher: Agent, rng: np.random.Generator) -> Lesson:
    """Play ``rollout_steps`` decisions in every game: in some as the student would, in the others as the teacher does."""
    settings = learner.settings
    student_plays = torch.from_numpy(rng.random(games.num_envs) < settings.warm_start_student_share)
    policy = Teaching(learner, games, teacher, student_plays)
    memory = policy.memory.clone()
    rollout = ppo.collect(policy, games, settings.rollout_steps, learner.generator, learner.network.seen_as)
    following = compute_advantages(rollout, settings.gamma, gae_lambda=1.0) + rollout.values
    return Lesson(**vars(rollout), memory=memory, choices=torch.stack(policy.choices), following=following)


def learn_from(learner: Learner, lesson: Lesson) -> dict[str, float]:
    """Learn from a lesson in several passes: cross-entropy to the teacher's choices, squared error to the rewards that followed.

    Returns the metrics agreement and imitation_loss.
    """
    measured, lesson = [], lesson.to(learner.device)
    for rows in learner.minibatches(*lesson.dones.shape):
        measured.append(learner.measure(rows, partial(loss_of_rows, learner, lesson)))
        learner.improve()
    return {name: float(np.mean([metrics[name] for metrics in measured])) for name in measured[0]}


def loss_of_rows(learner: Learner, lesson: Lesson, rows: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Return the loss of some rows of a lesson, and its metrics."""
    logits, values = learner.judge(lesson, rows)
    wanted, following = (column.flatten()[rows] for column in (lesson.choices, lesson.following))
    loss = functional.cross_entropy(logits, wanted)
    agreement = (logits.argmax(dim=1) == wanted).float().mean()
    metrics = as_numbers({"agreement": agreement, "imitation_loss": loss})
    return loss + learner.settings.value_weight * functional.mse_loss(values, following), metrics
