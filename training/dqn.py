"""Double DQN with action masks, all of it in this file. Read it from top to bottom:

    python -m training.dqn go_dig --steps 200000 --out policies/go_dig/dqn

The games, opponents and rewards are those of `training/settings/<game>_baseline.toml`, or else of
`baseline.toml`. The network estimates for each action the discounted rewards that follow (Mnih et
al. 2015, Nature 518). The target network values the action that the network itself takes to be the
best legal one (van Hasselt et al. 2016, arXiv:1509.06461).
"""

import argparse
import copy
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from dig_envs import load_agent, save_policy
from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.engine.core.checks import check_integer
from dig_envs.registry import load_game

from .files import check_new
from .games import TrainingGames
from .interrupt import as_program
from .ppo import linear, results_of, summarize, to_its_end
from .settings import load_settings


@dataclass(frozen=True)
class Hyperparameters:
    """The settings of DQN; ``steps`` are decisions of the learner."""

    steps: int
    seed: int
    hidden: int = 256
    kept: int = 50_000  # decisions in the replay memory
    batch_size: int = 512
    updates: int = 2  # after each decision in every game
    learning_rate: float = 0.0003
    gamma: float = 0.998
    exploring: float = 0.5  # share of the steps in which epsilon falls
    epsilon_end: float = 0.05
    target_every: int = 200  # updates between two copies of the target network


class Network(nn.Module):
    """Two hidden layers, and the value of each action."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.layer0 = linear(inputs, hidden, gain=2**0.5)
        self.layer1 = linear(hidden, hidden, gain=2**0.5)
        self.policy = linear(hidden, actions, gain=0.01)

    def forward(self, observation: Tensor, mask: Tensor) -> Tensor:
        """Values (n, actions) of legal actions, -1e8 of the others."""
        features = torch.relu(self.layer1(torch.relu(self.layer0(observation))))
        values: Tensor = self.policy(features)
        return values.masked_fill(~mask, -1e8)


class Replay:
    """The last decisions of n games side by side, t of each.

    What follows the decision at t is at t + 1; behind the newest decision nothing is known yet.
    """

    def __init__(self, length: int, games: int, inputs: int, actions: int) -> None:
        self.seen = torch.zeros(length, games, inputs, dtype=torch.float16)
        self.masks = torch.zeros(length, games, actions, dtype=torch.bool)
        self.actions = torch.zeros(length, games, dtype=torch.int64)
        self.rewards, self.dones = torch.zeros(length, games), torch.zeros(length, games)
        self.count = 0  # decisions in each game so far

    def look(self, observation: Tensor, mask: Tensor) -> None:
        """Keep what is seen before the next decision."""
        row = self.count % len(self.seen)
        self.seen[row], self.masks[row] = observation.half(), mask

    def add(self, actions: Tensor, rewards: Tensor, dones: Tensor) -> None:
        """Keep a decision in every game, and what came of it."""
        row = self.count % len(self.seen)
        self.actions[row], self.rewards[row], self.dones[row] = actions, rewards, dones
        self.count += 1

    def sample(self, size: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Rows of past decisions, of those that follow them, and of games, each int64 (size,)."""
        length, games = self.actions.shape
        known = min(self.count, length - 1)
        back = torch.randint(1, known + 1, (size,), generator=generator)
        rows = (self.count - back) % length
        return rows, (rows + 1) % length, torch.randint(games, (size,), generator=generator)


def loss_of(
    network: Network, target: Network, replay: Replay, picked: Sequence[Tensor], gamma: float
) -> Tensor:
    """The mean error of the values of the decisions that were picked."""
    rows, after, games = picked
    values = network(replay.seen[rows, games].float(), replay.masks[rows, games])
    value = values.gather(1, replay.actions[rows, games][:, None])[:, 0]
    with torch.no_grad():
        follows = replay.seen[after, games].float(), replay.masks[after, games]
        best = network(*follows).argmax(dim=1, keepdim=True)
        later = target(*follows).gather(1, best)[:, 0]
        goes_on = 1 - replay.dones[rows, games]
        wanted = replay.rewards[rows, games] + gamma * goes_on * later
    return functional.smooth_l1_loss(value, wanted)


@torch.no_grad()
def choose(
    network: Network, seen: Tensor, mask: Tensor, epsilon: float, rng: torch.Generator
) -> Tensor:
    """The best legal action of each row, or with this probability any legal one, int64 (n,)."""
    anything = torch.multinomial(mask.float(), 1, generator=rng)[:, 0]
    explores = torch.rand(len(mask), generator=rng) < epsilon
    return torch.where(explores, anything, network(seen, mask).argmax(dim=1))


def train(games: TrainingGames, network: Network, h: Hyperparameters) -> Iterator[int]:
    """Learn for ``h.steps`` decisions; yields those so far."""
    rng = torch.Generator().manual_seed(h.seed)
    n, size = games.num_envs, (games.game.observation_size, len(games.game.actions))
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), h.learning_rate)
    replay, tell = Replay(h.kept // n, n, *size), -(-h.steps // n // 20)
    ended: list[Any] = []

    def look() -> tuple[Tensor, Tensor]:
        found = torch.tensor(games.observation), torch.tensor(games.action_mask).bool()
        replay.look(*found)
        return found

    games.reset()
    seen, mask = look()
    for step in range(h.steps // n):
        falls = min(step * n / (h.exploring * h.steps), 1)
        epsilon = 1 + falls * (h.epsilon_end - 1)
        actions = choose(network, seen, mask, epsilon, rng)
        result = games.step(actions.numpy())
        replay.add(actions, torch.from_numpy(result.reward), torch.from_numpy(result.done).float())
        seen, mask = look()
        ended += result.ended.values()
        for update in range(step * h.updates, (step + 1) * h.updates):
            loss = loss_of(network, target, replay, replay.sample(h.batch_size, rng), h.gamma)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimizer.step()
            if update % h.target_every == 0:
                target.load_state_dict(network.state_dict())
        if step % tell == tell - 1:
            metrics = {
                "steps": (step + 1) * n,
                "epsilon": round(epsilon, 3),
                **summarize(results_of(ended)),
            }
            print("  ".join(f"{name} {value:,}" for name, value in metrics.items()), flush=True)
            ended.clear()
        yield (step + 1) * n


def main(words: Sequence[str] | None = None) -> None:
    """Train, and save the policy."""
    parser = argparse.ArgumentParser("python -m training.dqn")
    parser.add_argument("game", help="such as fossil_canyon")
    parser.add_argument("--steps", type=int, default=200_000, help="decisions of the learner")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the policy, such as policies/go_dig/dqn"
    )
    given = parser.parse_args(words)
    try:
        game = load_game(given.game)
        settings = load_settings(game.name, Path("baseline"))
        steps = check_integer(given.steps, "--steps", settings.num_envs)
        h = Hyperparameters(steps, check_integer(given.seed, "--seed", 0, 2**63 - 1))
        check_new(given.out)
    except ValueError as error:
        parser.error(str(error))
    torch.set_num_threads(1)  # more of them wait for each other where other programs run
    torch.manual_seed(h.seed)  # of the first weights
    agents = [load_agent(name, game.env_name, h.seed) for name in settings.opponents]
    others = WeightedOpponents(agents, list(settings.opponents.values()))
    games = TrainingGames(game.env_name, settings, h.seed, "random" if game.cooperative else others)
    network = Network(game.observation_size, len(game.actions), h.hidden)
    steps = to_its_end(train(games, network, h))
    games.close()
    facts: dict[str, Any] = {
        "name": given.out.name,
        "algorithm": "double DQN with masks (training/dqn.py)",
    }
    weights = {name: array.numpy() for name, array in network.state_dict().items()}
    facts |= asdict(h) | {"steps": steps}
    save_policy(given.out, game.env_name, weights, options=settings.games, about=facts)


if __name__ == "__main__":
    as_program(main)
