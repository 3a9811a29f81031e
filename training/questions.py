"""What each game asks of an agent, in figures for the page *Which game for which question*:

    python -m training.questions --out dig_envs/documentation/results/questions.json

Each game is played by two, with its other options at their defaults. A share is that of the
victory; a gain is a share less that of an equal opponent (one half), or in the cooperative game
less that of a team of the other player. The columns:

* ``choices``: legal actions in a decision; ``decisions``: of all seats in a game.
* ``hidden``: numbers of the position, in per cent, that are others in a re-deal for the mover.
* ``first_seat``: gain of the first seat. ``scripted``: of the scripted player against the random
  one. ``best``: of `best` against the scripted player. ``search_20``, ``search_100``: of a search
  with so many simulations against `best`.
* ``seeing``: share of a network that sees everything, less that of one of the same training that
  does not, both against the scripted player.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dig_envs import BatchEnv, load_agent
from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.matches import Interval, mean_interval, play_games
from dig_envs.arena.machine import machine_now
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game, packages

from .ppo import Hyperparameters, Learner, PaidGames, PolicyAndValue, collect, update

SEED = 3 << 62  # of the first game; nothing is trained on these deals
APART = 13  # decisions between two positions of a game that are looked at
TRAINED = 131_072  # decisions of each of the two networks of `seeing_everything`


def gain(game: Game, first: Any, second: Any, games: int) -> Interval:
    """The share of the victory of the first agent against the second, less one half; in the
    cooperative game the share of a team of the first, less that of a team of the second."""

    def shares(agents: Sequence[Any]) -> Array:
        played = play_games(game.env_name, agents, games, SEED, {"num_players": 2}, rotate=True)
        return np.asarray(np.where(played.agents == 0, played.won, 0).max(axis=1))

    if game.cooperative:
        return mean_interval(shares([first, first]) - shares([second, second]))
    return mean_interval(shares([first, second]) - 0.5)


def agent(game: Game, name: str) -> Any:
    """A player by name."""
    return load_agent(name, game.env_name, seed=0)


# ---------------------------------------------------------------- what is measured


def of_positions(game: Game, count: int = 4_000) -> dict[str, float]:
    """The columns that follow from positions of games between scripted players."""
    games = BatchEnv(game.env_name, 64, seed=SEED, num_players=2)
    games.reset()
    choices: list[float] = []
    hidden: list[float] = []
    while len(choices) < count:
        choices += games.action_mask.sum(axis=1).tolist()
        states, before = games.states.copy(), game.full_state.of(games.states)
        for k, seat in enumerate(games.mover.tolist()):
            number = np.uint64(len(hidden) + k)
            game.kernels.determinize_one(states[k : k + 1], seat, number)
        hidden += (game.full_state.of(states) != before).mean(axis=1).tolist()
        for _ in range(APART):
            games.step(games.heuristic_actions())
    games.close()
    return {"choices": float(np.mean(choices)), "hidden": 100 * float(np.mean(hidden))}


def of_scripted_players(game: Game) -> dict[str, Any]:
    """The columns that follow from whole games between two scripted players."""
    scripted = agent(game, "heuristic")
    played = play_games(game.env_name, [scripted, scripted], 2_000, SEED, {"num_players": 2})
    found: dict[str, Any] = {"decisions": float(played.lengths.mean())}
    if not game.cooperative:
        found["first_seat"] = mean_interval(played.won[:, 0] - 0.5)
    return found


class Seeing(PaidGames):
    """Games in which the learner sees everything, hidden or not, besides its observation."""

    @property
    def observation(self) -> Array:
        """Float32 (num_envs, observation_size + full_state_size)."""
        return np.hstack([super().observation, self.full_state()])


@torch.no_grad()
def share_of(network: PolicyAndValue, games: PaidGames, count: int) -> Array:
    """The shares of the victory in at least so many games, with the likeliest actions.

    Each place plays as many games, so that short games do not count more often.
    """
    shares: list[list[float]] = [[] for _ in range(games.num_envs)]
    games.reset(SEED)
    while min(map(len, shares)) < count // games.num_envs:
        seen, mask = torch.tensor(games.observation), torch.tensor(games.action_mask)
        for k, ended in games.step(network(seen, mask)[0].argmax(dim=1).numpy()).ended.items():
            shares[k].append(ended.won)
    return np.concatenate([one[: count // games.num_envs] for one in shares])


def seeing_everything(game: Game) -> Interval:
    """The gain of a network that sees everything over one that does not: both learn by PPO against
    the scripted and the random player, with equal settings."""
    shares, h = [], Hyperparameters()
    updates = TRAINED // (h.num_envs * h.rollout_steps)
    others = [agent(game, name) for name in ("heuristic", "random")]
    for kind in (Seeing, PaidGames):
        torch.manual_seed(0)
        games = kind(
            game.env_name,
            h.num_envs,
            opponents=WeightedOpponents(others, [0.8, 0.2]),
            reward="score",
            num_threads=1,
            num_players=2,
        )
        games.score_weight = 0.03
        games.reset()
        network = PolicyAndValue(games.observation.shape[1], len(game.actions), 256)
        learner = Learner(network, h, torch.device("cpu"))
        for k in range(updates):
            learner.set_learning_rate(h.learning_rate, h.learning_rate_end, k / updates)
            update(learner, collect(learner, games))
        games.set_opponents("heuristic")
        shares.append(share_of(network, games, 2_048))
        games.close()
    return mean_interval(shares[0] - shares[1])


def measure(game: Game) -> dict[str, Any]:
    """All columns of a game; None where one does not apply."""
    scripted, random, best = (agent(game, name) for name in ("heuristic", "random", "best"))
    found: dict[str, Any] = {
        **of_positions(game),
        **of_scripted_players(game),
        "scripted": gain(game, scripted, random, 2_000),
        "best": gain(game, best, scripted, 2_000),
        "plays_best": best.name,
    }
    if game.cooperative:  # a game with a search takes a minute, and so little training wins none
        return found
    for sims in (20, 100):
        searching = agent(game, f"search:sims={sims}")
        found[f"search_{sims}"] = gain(game, searching, best, 100)
    found["seeing"] = seeing_everything(game)
    return found


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and write the file; games that it has already are left as they are."""
    parser = argparse.ArgumentParser("python -m training.questions")
    parser.add_argument("--out", type=Path, required=True, help="JSON file")
    given = parser.parse_args(words)
    rows = json.loads(given.out.read_text())["rows"] if given.out.exists() else []
    torch.set_num_threads(1)  # more of them wait for each other where other programs run
    for game in map(load_game, packages()):
        if game.env_name not in [row["environment"] for row in rows]:
            began = time.process_time()
            row = {"environment": game.env_name, "options": {"num_players": 2}, **measure(game)}
            row["seconds"] = round(time.process_time() - began)
            rows.append(row)
            text = {"rows": rows, "machine": machine_now()}
            given.out.write_text(json.dumps(text, indent=1, default=vars) + "\n")


if __name__ == "__main__":
    main()
