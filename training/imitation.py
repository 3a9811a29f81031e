"""The warm start: imitate a teacher, such as the scripted player, before PPO takes over (behaviour
cloning).

In part of the games the student's own actions are played, so that it sees the positions that its
mistakes lead to (DAgger; Ross, Gordon and Bagnell 2011, arXiv:1011.0686).
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .device import DeviceGames
from .games import TrainingGames
from .network import ILLEGAL
from .ppo import Learner, Rollout, as_numbers, collect, compute_advantages


@dataclass
class Lesson(Rollout):
    """A rollout, with the teacher's choices, int64 (t, n), and the discounted rewards that
    followed, float32 (t, n)."""

    choices: Tensor
    following: Tensor


def take_lesson(
    learner: Learner, games: TrainingGames | DeviceGames, teacher: Any, rng: np.random.Generator
) -> Lesson:
    """Play ``rollout_steps`` decisions in every game: in some as the student would, in the others
    as the teacher does, an agent that the games can ask (``choices_of``)."""
    drawn = rng.random(games.num_envs) < games.settings.warm_start_student_share
    student_plays = torch.from_numpy(drawn)[:, None].to(learner.device)
    choices: list[Tensor] = []

    def decide(observation: Tensor, action_mask: Tensor, memory: Tensor) -> tuple[Tensor, ...]:
        """The learner's outputs; its logits leave the teacher's choice alone where that decides."""
        logits, values, after = learner.decide(observation, action_mask, memory)
        choices.append(torch.as_tensor(games.choices_of(teacher)))
        chosen = torch.full_like(logits, ILLEGAL).scatter(
            1, choices[-1][:, None].to(logits.device), 0.0
        )
        return torch.where(student_plays, logits, chosen), values, after

    rollout = collect(learner, games, decide)
    following = compute_advantages(rollout, learner.settings.gamma, gae_lambda=1.0) + rollout.values
    return Lesson(**vars(rollout), choices=torch.stack(choices), following=following)


def learn_from(learner: Learner, lesson: Lesson) -> dict[str, float]:
    """Learn from a lesson in several passes: cross-entropy to the teacher's choices, squared error
    to the rewards that followed.

    Returns the metrics agreement and imitation_loss.
    """
    measured, lesson = [], lesson.to(learner.device)
    for rows in learner.minibatches(*lesson.dones.shape):
        measured.append(learner.measure(rows, partial(loss_of_rows, learner, lesson)))
        learner.improve()
    return {name: float(np.mean([metrics[name] for metrics in measured])) for name in measured[0]}


def loss_of_rows(learner: Learner, lesson: Lesson, rows: Tensor) -> tuple[Tensor, dict[str, float]]:
    """The loss of some rows of a lesson, and its metrics."""
    logits, values = learner.judge(lesson, rows)
    wanted, following = (column.flatten()[rows] for column in (lesson.choices, lesson.following))
    loss = functional.cross_entropy(logits, wanted)
    agreement = (logits.argmax(dim=1) == wanted).float().mean()
    metrics = as_numbers({"agreement": agreement, "imitation_loss": loss})
    return loss + learner.settings.value_weight * functional.mse_loss(values, following), metrics
