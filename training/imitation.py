"""The warm start: imitate a scripted player before PPO takes over (behaviour cloning with the student at the wheel in part of
the games, so that it sees the positions that its own mistakes lead to: DAgger, Ross, Gordon and Bagnell 2011, arXiv:1011.0686).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from dig_envs.agents.protocol import Agent

from .games import TrainingGames
from .ppo import Learner, Played


@dataclass
class Lesson(Played):
    """The teacher's choices in what was seen, and the discounted rewards that followed."""

    choices: torch.Tensor
    following: torch.Tensor


def imitate(learner: Learner, games: TrainingGames, teacher: Agent, rng: np.random.Generator) -> dict[str, float]:
    """One rollout and the passes over it; returns what the metrics call agreement and imitation_loss."""
    return learn_from(learner, take_lesson(learner, games, teacher, rng))


@torch.no_grad()
def take_lesson(learner: Learner, games: TrainingGames, teacher: Agent, rng: np.random.Generator) -> Lesson:
    """Play ``rollout_steps`` decisions in every game: in some as the student would, in the others as the teacher does."""
    settings, network = learner.settings, learner.network
    t, n = settings.rollout_steps, games.num_envs
    student_plays = rng.random(n) < settings.warm_start_student_share
    observations = torch.zeros(t, n, games.game.observation_size)
    masks = torch.zeros(t, n, len(games.game.actions), dtype=torch.bool)
    choices = torch.zeros(t, n, dtype=torch.int64)
    rewards, dones = torch.zeros(t, n), torch.zeros(t, n)
    memory = torch.from_numpy(games.memory_of(network))  # the student sees all, whoever plays
    remembered = memory.clone()
    for k in range(t):
        observations[k] = torch.from_numpy(games.observation.copy())
        masks[k] = torch.from_numpy(games.action_mask.astype(np.bool_))
        choices[k] = torch.from_numpy(games.choices_of(teacher).astype(np.int64))
        actions = choices[k].numpy().copy()
        watching = student_plays | bool(network.memory_size)
        if watching.any():
            decisions = (observations[k, watching], masks[k, watching], memory[watching])
            logits, _, memory[watching] = network.step(*(tensor.to(learner.device) for tensor in decisions))
            logits = logits[student_plays[watching]]
        if student_plays.any():
            drawn = torch.multinomial(torch.softmax(logits, dim=1), 1, generator=learner.generator)
            actions[student_plays] = drawn[:, 0].cpu().numpy()
        step = games.step(actions)
        rewards[k], dones[k] = torch.from_numpy(step.reward), torch.from_numpy(step.done)
    now = (network.to_device(games.observation), network.to_device(games.action_mask), memory.to(learner.device))
    values = network.step(*now)[1]
    later, following = values.cpu(), torch.zeros(t, n)
    for k in reversed(range(t)):
        later = rewards[k] + settings.gamma * (1.0 - dones[k]) * later
        following[k] = later
    return Lesson(observations, masks, dones, remembered, choices, following)


def learn_from(learner: Learner, lesson: Lesson) -> dict[str, float]:
    """Passes over a lesson: cross-entropy to the teacher's choices, squared error to the rewards that followed."""
    settings = learner.settings
    losses, agreements = [], []
    columns = [lesson.choices.flatten(), lesson.following.flatten()]
    for rows in (rows for _ in range(settings.epochs) for rows in learner.minibatches(*lesson.dones.shape)):
        logits, values = learner.replay(lesson, rows)
        wanted, following = (column[rows].to(learner.device) for column in columns)
        loss = functional.cross_entropy(logits, wanted)
        value_loss = functional.mse_loss(values, following)
        learner.improve(loss + settings.value_weight * value_loss)
        losses.append(loss.item())
        agreements.append((logits.argmax(dim=1) == wanted).float().mean().item())
    return {"agreement": float(np.mean(agreements)), "imitation_loss": float(np.mean(losses))}
