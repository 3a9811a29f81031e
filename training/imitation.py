"""The warm start: imitate a scripted player before PPO takes over (behaviour cloning with the student at the wheel in part of
the games, so that it sees the positions that its own mistakes lead to: DAgger, Ross, Gordon and Bagnell 2011, arXiv:1011.0686).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch.nn import functional

from dig_envs.agents.protocol import Agent
from training.environment import TrainingEnv
from training.network import NetworkAgent, evaluate, network_of
from training.settings import Settings

Array = np.ndarray[Any, Any]


def imitate(
    model: MaskablePPO, env: TrainingEnv, teacher: Agent, rollouts: int, settings: Settings, seed: int
) -> Iterator[dict[str, float]]:
    """Play and learn ``rollouts`` times; yields after each what the metrics call agreement and imitation_loss."""
    rng = np.random.default_rng(seed)
    set_learning_rate(model, settings.warm_start_learning_rate)
    env.reset()
    for _ in range(rollouts):
        played = play_rollout(model, env, teacher, settings, rng)
        yield learn_from(model, *played, settings, rng)


def set_learning_rate(model: MaskablePPO, learning_rate: float) -> None:
    """Of the optimizer, until the next update of PPO sets its own."""
    for group in model.policy.optimizer.param_groups:
        group["lr"] = learning_rate


def play_rollout(
    model: MaskablePPO, env: TrainingEnv, teacher: Agent, settings: Settings, rng: np.random.Generator
) -> tuple[Array, Array, Array, Array]:
    """Positions seen (t * n, size), their masks, the teacher's choices, and the discounted rewards that followed."""
    steps, n = settings.rollout_steps, settings.num_envs
    network = network_of(model)
    student = NetworkAgent(network, sample=True, seed=int(rng.integers(2**32)))
    student_plays = rng.random(n) < settings.warm_start_student_share
    seen = np.zeros((steps, n, env.observation_space.shape[0]), np.float32)  # type: ignore[index]
    masks = np.zeros((steps, n, env.action_space.n), np.bool_)  # type: ignore[attr-defined]
    choices = np.zeros((steps, n), np.int64)
    rewards, dones = np.zeros((steps, n), np.float32), np.zeros((steps, n), np.bool_)
    for t in range(steps):
        seen[t], masks[t] = env.observations(), env.action_masks()
        choices[t] = env.choices_of(teacher)
        actions = choices[t].copy()
        if student_plays.any():
            actions[student_plays] = student.act_batch(seen[t, student_plays], masks[t, student_plays])
        _, rewards[t], dones[t], _ = env.step(actions)
    _, returns = network.evaluate(env.observations(), env.action_masks())
    following = np.zeros((steps, n), np.float32)
    for t in reversed(range(steps)):
        returns = rewards[t] + settings.gamma * np.where(dones[t], 0.0, returns)
        following[t] = returns
    flat = steps * n
    return seen.reshape(flat, -1), masks.reshape(flat, -1), choices.reshape(flat), following.reshape(flat)


def learn_from(
    model: MaskablePPO, seen: Array, masks: Array, choices: Array, following: Array, settings: Settings, rng: np.random.Generator
) -> dict[str, float]:
    """Passes over a rollout: cross-entropy to the teacher's choices, squared error to the rewards that followed."""
    model.policy.set_training_mode(True)
    losses, agreements = [], []
    for _ in range(settings.epochs):
        order = rng.permutation(len(seen))
        for start in range(0, len(order), settings.batch_size):
            rows = order[start : start + settings.batch_size]
            logits, values = evaluate(model, torch.from_numpy(seen[rows]), torch.from_numpy(masks[rows]))
            wanted = torch.from_numpy(choices[rows])
            loss = functional.cross_entropy(logits, wanted)
            value_loss = functional.mse_loss(values, torch.from_numpy(following[rows]))
            model.policy.optimizer.zero_grad()
            (loss + settings.value_weight * value_loss).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.policy.parameters(), 0.5)
            model.policy.optimizer.step()
            losses.append(float(loss.detach()))
            agreements.append(float((logits.argmax(dim=1) == wanted).float().mean()))
    return {"agreement": float(np.mean(agreements)), "imitation_loss": float(np.mean(losses))}
