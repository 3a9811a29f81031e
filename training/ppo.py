"""Masked PPO with self-play in one file, to be read from top to bottom:

    python -m training.ppo fossil_canyon --steps 2000000

1. Many games are played side by side for a while, actions drawn from the policy (`collect`).
2. Each action gets an advantage: how much more was earned after it than the value expected (`estimate_advantages`).
3. In a few passes over all that, the likely actions become those with a high advantage (`update`).
4. In a competitive game the opponents of the next leg are the scripted player, a random one, and what the learner was (`main`).

The policies of the zoo are trained by the same functions (training/run.py), with more around them: imitation first, checkpoints
that a kill cannot damage, opponents on disk, a gate, cards. Settings are explained in training/settings/defaults.toml.
"""

import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from torch.nn import functional

from dig_envs.adapters.learner import Opponents, WeightedOpponents
from dig_envs.agents.loading import load_agent
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from .export import check_out, write_policy
from .games import TrainingGames
from .network import Network, NetworkAgent
from .parts import Parts, begin_network
from .seeds import seed_stream
from .settings import Settings, load_settings

LARGEST_GRADIENT = 0.5  # gradients are scaled down to this norm
KL_MARGIN = 1.5  # a pass is stopped at this many times `target_kl`


# ---------------------------------------------------------------- what learns


class Learner:
    """A network with its optimizer and the generator of all that is drawn while learning.

    Args:
        game: that it learns.
        settings: of the run.
        seed: of the first weights.
    """

    def __init__(self, game: Game, settings: Settings, seed: int) -> None:
        self.settings = settings
        self.device = choose_device(settings.device)
        self.network = begin_network(game, settings.layers, Parts.of(game, settings), seed).to(self.device)
        self.network.fast = settings.bfloat16
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5)
        self.generator = torch.Generator(self.device)

    def set_weights(self, network: Network) -> None:
        """Begin with the weights of a network; raises ValueError if its layers are others."""
        if network.layers != self.network.layers:
            raise ValueError(f"the network has other layers: {network.layers}, not {self.network.layers}")
        self.network.load_state_dict(network.state_dict())

    def improve(self, loss: torch.Tensor) -> None:
        """One step of the optimizer."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()

    def minibatches(self, steps: int, games: int) -> list[torch.Tensor]:
        """The numbers 0 … steps * games - 1 of decisions, step by step, in a random order and in pieces.

        A network that remembers needs whole sequences: then a piece has all steps of some games, as :meth:`replay` expects it.
        """
        if not self.network.memory_size:
            return self._shuffled(steps * games, self.settings.batch_size)
        pieces = self._shuffled(games, max(1, self.settings.batch_size // steps))
        return [(games * torch.arange(steps)[:, None] + some).flatten() for some in pieces]

    def _shuffled(self, count: int, size: int) -> list[torch.Tensor]:
        order = torch.randperm(count, generator=self.generator, device=self.device)
        return list(torch.split(order.cpu(), size))

    def replay(self, played: "Played", rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values of a minibatch, with the network as it is now."""
        seen, masks = (tensor.flatten(0, 1)[rows].to(self.device) for tensor in (played.observations, played.masks))
        if not self.network.memory_size:
            logits, values = self.network(seen, masks)
            return logits, values
        t = len(played.dones)
        games = rows[: len(rows) // t]
        sequences = (seen.view(t, len(games), -1), masks.view(t, len(games), -1))
        return self.network.replay(*sequences, played.dones[:, games].to(self.device), played.memory[games].to(self.device))


def choose_device(name: str) -> torch.device:
    """The device of the setting ``device``; ValueError if there is no such."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} cannot be used here: {str(error).splitlines()[0]}") from None


def between(first: float, last: float, done: float) -> float:
    """A number that changes linearly from the first to the last one, when so much is done (0 to 1)."""
    return first + done * (last - first)


def set_learning_rate(learner: Learner, rate: float) -> None:
    """Of the next updates."""
    for group in learner.optimizer.param_groups:
        group["lr"] = rate


# ---------------------------------------------------------------- 1. play


@dataclass
class Played:
    """What was seen in t steps of n games; every tensor but one begins with the shape (t, n).

    ``dones``: whether the game ended before the learner's next decision. ``memory`` (n, memory_size): what the network remembered
    before the first step.
    """

    observations: torch.Tensor
    masks: torch.Tensor
    dones: torch.Tensor
    memory: torch.Tensor


@dataclass
class Rollout(Played):
    """What was done there.

    ``values``: of the positions, as the network saw them. ``rewards``: up to the learner's next decision. ``last_values`` (n,): of
    the positions after the last step.
    """

    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    last_values: torch.Tensor


@torch.no_grad()
def collect(learner: Learner, games: TrainingGames) -> Rollout:
    """Play ``rollout_steps`` decisions in every game, with actions drawn from the policy."""
    network, t, n = learner.network, learner.settings.rollout_steps, games.num_envs
    observations = torch.zeros(t, n, games.game.observation_size)
    masks = torch.zeros(t, n, len(games.game.actions), dtype=torch.bool)
    actions = torch.zeros(t, n, dtype=torch.int64)
    log_probs, values, rewards, dones = (torch.zeros(t, n) for _ in range(4))
    memory = torch.from_numpy(games.memory_of(network))  # the games set it to zero where an episode begins
    remembered = memory.clone()
    for k in range(t):
        observations[k] = torch.from_numpy(games.observation.copy())
        masks[k] = torch.from_numpy(games.action_mask.astype(np.bool_))
        logits, value, after = network.step(*(tensor.to(learner.device) for tensor in (observations[k], masks[k], memory)))
        memory.copy_(after)
        distribution = functional.log_softmax(logits, dim=1)
        action = torch.multinomial(distribution.exp(), 1, generator=learner.generator)
        actions[k], values[k] = action[:, 0].cpu(), value.cpu()
        log_probs[k] = distribution.gather(1, action)[:, 0].cpu()
        step = games.step(actions[k].numpy())
        rewards[k], dones[k] = torch.from_numpy(step.reward), torch.from_numpy(step.done)
    now = (network.to_device(games.observation), network.to_device(games.action_mask), memory.to(learner.device))
    last_values = network.step(*now)[1]
    return Rollout(observations, masks, dones, remembered, actions, log_probs, values, rewards, last_values.cpu())


# ---------------------------------------------------------------- 2. judge what was done


def estimate_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> torch.Tensor:
    """How much better than expected each action was, (t, n): generalised advantage estimation (Schulman et al. 2016).

    From the end backwards: what a step earned beyond the value that was expected, and a share of what came after it. At the end
    of a game nothing comes after: the turn limit, too, is an end whose result was paid.
    """
    advantages = torch.zeros_like(rollout.rewards)
    advantage, next_value = torch.zeros_like(rollout.last_values), rollout.last_values
    for k in reversed(range(len(advantages))):
        goes_on = 1.0 - rollout.dones[k]
        surprise = rollout.rewards[k] + gamma * goes_on * next_value - rollout.values[k]
        advantage = surprise + gamma * gae_lambda * goes_on * advantage
        advantages[k], next_value = advantage, rollout.values[k]
    return advantages


# ---------------------------------------------------------------- 3. learn from it


def update(learner: Learner, rollout: Rollout) -> dict[str, float]:
    """Passes over a rollout; returns the metrics, each the mean over the minibatches (training/metrics.py explains them)."""
    settings = learner.settings
    advantages = estimate_advantages(rollout, settings.gamma, settings.gae_lambda)
    returns = advantages + rollout.values
    columns = [tensor.flatten() for tensor in (rollout.actions, rollout.log_probs, advantages, returns)]
    measured: list[tuple[float, ...]] = []
    for rows in (rows for _ in range(settings.epochs) for rows in learner.minibatches(*rollout.dones.shape)):
        actions, old_log_probs, advantage, wanted = (column[rows].to(learner.device) for column in columns)
        logits, values = learner.replay(rollout, rows)
        distribution = functional.log_softmax(logits, dim=1)
        log_ratio = distribution.gather(1, actions[:, None])[:, 0] - old_log_probs
        ratio = log_ratio.exp()  # how much likelier the action is now than when it was drawn
        if len(rows) > 1:
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)

        # The objective gains nothing beyond the clip range: the policy stays where the rollout still says something about it.
        clipped = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
        policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
        value_loss = functional.mse_loss(values, wanted)
        entropy = -(distribution.exp() * distribution).sum(dim=1).mean()

        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).mean().item()
            beyond = ((ratio - 1).abs() > settings.clip_range).float().mean().item()
        measured.append((policy_loss.item(), value_loss.item(), entropy.item(), kl, beyond))
        if settings.target_kl and kl > KL_MARGIN * settings.target_kl:
            break
        learner.improve(policy_loss + settings.value_weight * value_loss - settings.entropy_weight * entropy)
    names = ("policy_loss", "value_loss", "entropy", "kl", "clip_fraction")
    metrics = {name: round(float(mean), 5) for name, mean in zip(names, np.mean(measured, axis=0), strict=True)}
    unexplained = (returns - rollout.values).var() / returns.var() if returns.var() > 0 else torch.nan
    return {**metrics, "explained_variance": round(float(1 - unexplained), 5)}


def results_of(games: TrainingGames) -> dict[str, float]:
    """How the games went that ended since the last call."""
    ended, games.finished = games.finished, []
    if not ended:
        return {"games": 0}
    return {
        "games": len(ended),
        "win_rate": round(float(np.mean([one.won for one in ended])), 4),
        "score": round(float(np.mean([one.score for one in ended])), 4),
        "decisions": round(float(np.mean([one.decisions for one in ended])), 2),
    }


# ---------------------------------------------------------------- 4. against itself


def opponents_of_leg(game: Game, settings: Settings, past: deque[NetworkAgent], seed: int) -> Opponents:
    """Agents by name with the weights of the settings, and former selves with that of snapshots and best."""
    fixed = settings.fixed_opponents
    agents = [load_agent(name, game.env_name, seed + k) for k, name in enumerate(fixed)]
    of_past = (sum(settings.opponents.values()) - sum(fixed.values())) / max(len(past), 1)
    return WeightedOpponents([*agents, *past], [*fixed.values(), *[of_past] * len(past)], settings.mixed_seats)


app = typer.Typer(add_completion=False)


@app.command()
def main(
    game_name: Annotated[str, typer.Argument(metavar="GAME", help="the game, such as fossil_canyon")],
    steps: Annotated[int, typer.Option(min=1, help="decisions of the learner")] = 2_000_000,
    seed: Annotated[int, typer.Option(help="of everything random")] = 0,
    settings_file: Annotated[Path | None, typer.Option("--settings", help="TOML file; default: the game's")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="change a setting: name=value")] = None,
    out: Annotated[Path | None, typer.Option(help="folder for the policy")] = None,
) -> None:
    """Train by masked PPO and self-play, from nothing, in one process and without checkpoints."""
    try:
        game = load_game(game_name)
        settings = load_settings(game.name, settings_file, changes)
        if out is not None:
            check_out(out)
        learner = Learner(game, settings, seed)
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from None
    first = seed_stream("training", seed)
    learner.generator.manual_seed(first)
    games = TrainingGames(game.env_name, settings, first)
    games.reset()
    past: deque[NetworkAgent] = deque(maxlen=settings.pool_size)
    per_rollout = settings.num_envs * settings.rollout_steps
    for k in range(-(-steps // per_rollout)):
        if k % settings.checkpoint_rollouts == 0:  # a new leg
            if not game.cooperative:
                games.set_opponents(opponents_of_leg(game, settings, past, first + k))
                past.append(NetworkAgent(learner.network, sample=True, seed=k, name=f"after {k * per_rollout} steps"))
            games.rewards = settings.rewards_at(k * per_rollout / steps)
            games.reset()
        started = time.perf_counter()
        set_learning_rate(learner, between(settings.learning_rate, settings.learning_rate_end, k * per_rollout / steps))
        rollout = collect(learner, games)
        row = {"steps": (k + 1) * per_rollout, **results_of(games), **update(learner, rollout)}
        row["steps_per_second"] = round(per_rollout / (time.perf_counter() - started))
        print("  ".join(f"{name} {value:,}" for name, value in row.items()), flush=True)
    games.close()
    if out is not None:
        facts = {"name": out.name, "algorithm": "masked PPO by self-play (training/ppo.py)", "seed": seed, "steps": steps}
        write_policy(
            out,
            game,
            learner.network,
            {**facts, "settings": settings.as_dict(), "pays": "return", "rewards": games.rewards._asdict()},
        )


if __name__ == "__main__":
    app()
