"""Train a policy by masked PPO on one of the environments, from the command line:

    python -m training.train cretaceous_creek --minutes 60 --name ppo
    python -m training.train fossil_canyon

A run lives in a folder (``runs/<game>-seed<seed>`` unless --run says otherwise) with its settings, checkpoints, TensorBoard logs
and ``metrics.jsonl`` (each metric is explained in ``training/metrics.py``). The same command again goes on with a run that was
interrupted, from its last checkpoint. At the end the best network becomes ``policies/<game>/<name>``: in a cooperative game the one
that did best in the evaluation games; in a competitive one, where the learner plays against a pool of opponents and of its own
snapshots, the one that passed the gate last (``training/pool.py``).

The run goes in legs of ``checkpoint_rollouts`` rollouts. Every leg begins with newly dealt games and with random generators
seeded from the run's seed and the steps done, so that a run that was interrupted and one that was not come to the same weights
(with --steps, on one machine; with --minutes the clock decides how many legs there are).
"""

import json
import shlex
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

import dig_envs
from dig_envs.agents.loading import load_agent, policy_folder
from dig_envs.agents.onnx import read_card
from dig_envs.engine.game import Game
from dig_envs.registry import load_game
from training import metrics
from training.checkpoints import BEST, list_checkpoints, read_progress, save_checkpoint, write_atomically
from training.curve import draw_curve
from training.environment import TrainingEnv
from training.evaluate import combinations, evaluate_policy, judge, print_table, wide_console
from training.export import check_free, copy_policy, read_network, write_policy
from training.imitation import imitate
from training.network import Network, NetworkAgent, make_model, network_of, set_network
from training.pool import Pool
from training.settings import Settings, load_settings
from training.window import make_window

EVALUATION_SEED = 1_000_000  # far from the games of the training evaluations
console = wide_console()
app = typer.Typer(add_completion=False)


class Watcher(BaseCallback):
    """Writes what PPO reports, update by update, and moves the progress bar."""

    def __init__(self, run: "Run") -> None:
        super().__init__()
        self.run = run
        self.started = time.perf_counter()
        self.row: dict[str, Any] = {}

    def _on_rollout_start(self) -> None:
        self._write()
        self.started = time.perf_counter()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.row = {"steps": self.num_timesteps, "phase": "ppo", **self.run.games_played()}
        for name in ("win_rate", "score", "decisions"):
            if name in self.row:
                self.logger.record(f"game/{name}", self.row[name])

    def _on_training_end(self) -> None:
        self._write()

    def _write(self) -> None:
        """After the update that followed the rollout."""
        if not self.row:
            return
        reported = self.logger.name_to_value
        for ours, theirs in {
            "policy_loss": "train/policy_gradient_loss",
            "value_loss": "train/value_loss",
            "explained_variance": "train/explained_variance",
            "kl": "train/approx_kl",
            "clip_fraction": "train/clip_fraction",
        }.items():
            self.row[ours] = round(float(reported[theirs]), 5)
        self.row["entropy"] = round(-float(reported["train/entropy_loss"]), 4)
        self.run.report(self.row, time.perf_counter() - self.started)
        self.row = {}


class Run:
    """One training run.

    Args:
        env: the environment's name.
        folder: of the run.
        settings: of the run.
        seed: of everything random.
        steps: the budget in decisions of the learner, or None.
        minutes: the budget in minutes of training, or None. One of the two is needed.
        bfloat16: whether to compute the hidden layers in that format.
    """

    def __init__(
        self,
        env: str,
        folder: Path,
        settings: Settings,
        seed: int,
        steps: int | None,
        minutes: float | None,
        bfloat16: bool = False,
    ) -> None:
        self.game = load_game(env)
        self.folder, self.settings, self.seed = folder, settings, seed
        self.steps, self.minutes, self.bfloat16 = steps, minutes, bfloat16
        self.pool = None if self.game.cooperative else Pool(self.game, settings, folder)
        self.env = TrainingEnv(env, settings, seed)
        window = make_window(self.game, settings.window)
        self.model = make_model(self.env, settings, window, seed, settings.learning_rate)
        if settings.start_from:
            set_network(self.model, read_network(policy_folder(settings.start_from, env), self.game, window))
        self.progress: dict[str, Any] = {"steps": 0, "seconds": 0.0, "best": None}
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:.0f}%"),
            TimeElapsedColumn(),
            console=console,
        )
        self.task = self.bar.add_task("", total=1.0)
        self.started = time.perf_counter()

    # ------------------------------------------------------------ the whole run

    def train(self) -> None:
        """To the end of the budget."""
        trunk: Any = self.model.policy.features_extractor
        trunk.fast = self.bfloat16
        self.model.set_logger(configure(str(self.folder / "tensorboard"), ["tensorboard"]))
        self.started = time.perf_counter() - self.progress["seconds"]
        with self.bar:
            while self.done() < 1.0:
                warming_up = self.is_warming_up()
                if not warming_up:
                    self.open_pool()
                self.seed_everything()
                if warming_up:
                    self.imitation_leg()
                else:
                    self.ppo_leg()
                if self.pool is None:
                    self.judge()
                else:
                    self.gate(self.pool)
                self.save()
        self.open_pool()  # if the budget ended with the warm start
        self.env.close()

    def resume(self) -> None:
        """Take up the last checkpoint of the run's folder, if there is one; FileNotFoundError if its pool is not complete."""
        checkpoints = list_checkpoints(self.folder)
        if checkpoints:
            self.model = MaskablePPO.load(checkpoints[-1] / "model.zip", env=self.env, device="cpu")
            self.progress = read_progress(checkpoints[-1])
            if self.pool is not None:
                self.pool.restore(self.progress["pool"])
                self.pool.forget_others([read_progress(checkpoint)["pool"] for checkpoint in checkpoints])
            elif not (self.folder / BEST).exists():  # killed while it was being replaced: the next one judged is taken
                self.progress["best"] = None
            console.print(f"going on from {checkpoints[-1]} ({self.steps_done:,} steps)")
            metrics.cut(self.folder, self.steps_done)

    @property
    def steps_done(self) -> int:
        """Decisions of the learner so far."""
        return int(self.progress["steps"])

    def done(self) -> float:
        """The share of the budget that is used up, 0 to 1."""
        if self.steps is not None:
            return min(1.0, self.steps_done / self.steps)
        return min(1.0, (time.perf_counter() - self.started) / (60 * (self.minutes or 1.0)))

    def is_warming_up(self) -> bool:
        """Whether the next leg still imitates: until the warm start's steps, but no more than its share of the budget."""
        settings = self.settings
        left = self.steps_done < settings.warm_start_steps and self.done() < settings.warm_start_share
        return bool(settings.warm_start) and left

    def seed_everything(self) -> None:
        """For the next leg, opponents included, from the run's seed and the steps done."""
        seed = (self.seed * 1_000_003 + self.steps_done) % 2**32
        if self.pool is not None:
            self.env.set_opponents(self.pool.opponents(seed))
        self.model.set_env(self.env, force_reset=True)
        self.model.set_random_seed(seed)

    def open_pool(self) -> None:
        """What PPO begins with is the first best: there is none yet that it would have to beat."""
        if self.pool is not None and self.pool.best is None:
            self.pool.best = self.pool.write(network_of(self.model), self.steps_done)

    # ------------------------------------------------------------ legs

    def imitation_leg(self) -> None:
        """Learn from the scripted player."""
        settings = self.settings
        teacher = load_agent(settings.warm_start, self.game.env_name)
        before = time.perf_counter()
        per_rollout = settings.num_envs * settings.rollout_steps
        for learned in imitate(self.model, self.env, teacher, settings.checkpoint_rollouts, settings, self.seed + self.steps_done):
            self.progress["steps"] += per_rollout
            self.model.num_timesteps = self.steps_done
            row = {"steps": self.steps_done, "phase": "imitation", **self.games_played(), **learned}
            self.report(row, time.perf_counter() - before)
            before = time.perf_counter()

    def ppo_leg(self) -> None:
        """Learn by PPO."""
        settings = self.settings
        rate = settings.learning_rate + self.done() * (settings.learning_rate_end - settings.learning_rate)
        self.model.lr_schedule = lambda _: rate
        self.model.learn(settings.steps_per_leg, callback=Watcher(self), reset_num_timesteps=False)
        self.progress["steps"] = self.model.num_timesteps

    # ------------------------------------------------------------ measuring and saving

    def games_played(self) -> dict[str, float]:
        """How the games went that ended since the last call."""
        infos, self.env.finished = self.env.finished, []
        if not infos:
            return {"games": 0}
        count = len(infos)
        return {
            "games": count,
            "win_rate": round(sum(info["won"] for info in infos) / count, 4),
            "score": round(sum(info["score"] for info in infos) / count, 4),
            "decisions": round(sum(info["episode"]["l"] for info in infos) / count, 2),
        }

    def report(self, row: dict[str, Any], seconds: float) -> None:
        """To metrics.jsonl and the progress bar."""
        row["steps_per_second"] = round(self.settings.num_envs * self.settings.rollout_steps / seconds)
        metrics.append(self.folder, row)
        words = f"{row['phase']}  {row['steps']:,} steps  {row['steps_per_second']:,} steps/s"
        if "win_rate" in row:
            words += f"  win rate {row['win_rate']:.3f}  score {row['score']:.2f}"
        self.bar.update(self.task, completed=self.done(), description=words)

    def judge(self) -> None:
        """Play the evaluation games with the likeliest actions; remember the best network."""
        network = NetworkAgent(network_of(self.model))
        results = [
            evaluate_policy(self.game, network, self.settings.evaluation_games, options) for options in self.settings.distinct_games
        ]
        row = {
            "steps": self.steps_done,
            "phase": "evaluation",
            "greedy_win_rate": round(sum(r["win_rate"]["mean"] for r in results) / len(results), 4),
            "greedy_score": round(sum(r["score"]["mean"] for r in results) / len(results), 4),
        }
        self.log_evaluation(row)
        best = self.progress["best"]
        if best is None or (row["greedy_win_rate"], row["greedy_score"]) > (best["greedy_win_rate"], best["greedy_score"]):
            self.progress["best"] = row
            save_checkpoint(self.folder, self.model, self.progress, BEST)
        self.bar.console.print(
            f"{self.steps_done:>12,} steps: greedy win rate {row['greedy_win_rate']:.3f}, score {row['greedy_score']:.2f}"
        )

    def gate(self, pool: Pool) -> None:
        """Play the gate's games with the likeliest actions; after PPO a snapshot joins the pool, as the best if it passed."""
        network = network_of(self.model)
        opened = pool.best is not None
        result = pool.gate(NetworkAgent(network), EVALUATION_SEED + self.steps_done)
        first = next(iter(result.groups.values()))
        row: dict[str, Any] = {
            "steps": self.steps_done,
            "phase": "evaluation",
            "greedy_win_rate": round(first.win_rate, 4),
            "greedy_score": round(first.score, 4),
            "strength": result.strengths(),
            "gate_games": result.games,
            "promoted": opened and result.passed,
        }
        self.log_evaluation(row)
        if opened:
            snapshot = pool.write(network, self.steps_done)
            pool.add(snapshot)
            if result.passed:
                pool.promote(snapshot)
                self.progress["best"] = row
        strengths = ", ".join(f"{group} {value:.3f}" for group, value in row["strength"].items())
        verdict = ("; passed the gate" if result.passed else "; not promoted") if opened else ""
        self.bar.console.print(f"{self.steps_done:>12,} steps: strength against {strengths}{verdict}")

    def log_evaluation(self, row: dict[str, Any]) -> None:
        """To metrics.jsonl and TensorBoard."""
        metrics.append(self.folder, row)
        for name in ("greedy_win_rate", "greedy_score"):
            self.model.logger.record(f"game/{name}", row[name])
        for group, value in row.get("strength", {}).items():
            self.model.logger.record(f"strength/{group}", value)
        self.model.logger.dump(self.steps_done)

    def save(self) -> None:
        """A checkpoint."""
        self.progress["seconds"] = time.perf_counter() - self.started
        if self.pool is not None:
            self.progress["pool"] = self.pool.state()
        save_checkpoint(self.folder, self.model, self.progress)
        if self.pool is not None:
            self.pool.forget_others([read_progress(checkpoint)["pool"] for checkpoint in list_checkpoints(self.folder)])

    def export(self, out: Path, command: str, games: int) -> None:
        """The best network as a policy in ``out``, after it was loaded as one and judged beside others and as their partner."""
        place = out.resolve()
        network, origin = self.best_network()
        facts = {
            "name": f"{place.parent.name}/{place.name}",
            "algorithm": self.algorithm(),
            "training_command": command,
            "seed": self.seed,
            **origin,
            "steps_of_the_run": self.steps_done,
            "num_players": self.numbers_of_players(),
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"dig_envs": dig_envs.__version__, "torch": torch.__version__},
            "settings": self.settings.as_dict(),
        }
        draft = self.folder / "policy" / place.parent.name / place.name  # it takes its place when it has all its papers
        table = self.evaluate(str(write_policy(draft, self.game, network, facts)), games)
        write_policy(draft, self.game, network, {**facts, "evaluation": table})
        draw_curve(self.folder, draft / "curve.png", f"{self.game.title}: {facts['name']}")
        copy_policy(draft, out)
        print_table(table)
        console.print(f"saved: {out}   play with it: dig_envs.load_agent({str(out)!r})")

    def best_network(self) -> tuple[Network, dict[str, Any]]:
        """The network to export, and for its card from which step it is and what the gate said."""
        if self.pool is None:
            best = self.folder / BEST
            network = network_of(MaskablePPO.load(best / "model.zip", device="cpu"))
            return network, {"steps": read_progress(best)["best"]["steps"]}
        assert self.pool.best is not None
        folder = self.pool.path(self.pool.best)
        gate = {"promotions": self.pool.promotions, "last_passed": self.progress["best"]}
        if not self.pool.promotions:
            console.print("[yellow]no snapshot has passed the gate:[/yellow] the policy is the one that PPO began with")
        network = read_network(folder, self.game, make_window(self.game, self.settings.window))
        return network, {"steps": read_card(folder)["steps"], "gate": gate}

    def algorithm(self) -> str:
        """For the card, in words."""
        words = "masked PPO" if self.pool is None else "masked PPO by self-play against a pool"
        if self.settings.start_from:
            words += f", from the weights of {self.settings.start_from!r}"
        return words + (f" after imitating {self.settings.warm_start!r}" if self.settings.warm_start else "")

    def numbers_of_players(self) -> list[int]:
        """For how many players the policy is trained, ascending."""
        return sorted({int(self.game.complete_options(options)["num_players"]) for options in self.settings.games})

    def evaluate(self, policy: str, games: int) -> list[dict[str, Any]]:
        """The table on the card, in all games of the settings.

        Competitive: the policy against random players and against scripted ones. Cooperative: random, the scripted player, the
        policy, and the policy beside the scripted player.
        """
        rows = []
        for options in self.settings.distinct_games:
            for case in combinations(self.game, [], self.settings.evaluation_sweep):
                options_now = {**options, **case}
                seats = int(self.game.complete_options(options_now)["num_players"])
                line_ups = [["random"], ["heuristic"], [policy]] if self.game.cooperative else [[policy, "random"]]
                if seats > 1:
                    line_ups.append([policy, "heuristic"])
                for names in line_ups:
                    rows += judge(self.game, names, games, EVALUATION_SEED, options_now)
        return rows


def check_settings(game: Game, settings: Settings) -> None:
    """Raise ValueError for settings that do not go with the game, before a run's folder is made."""
    for options in settings.games:
        game.complete_options(options)
    make_window(game, settings.window)
    combinations(game, [], settings.evaluation_sweep)
    if any(text.startswith("num_players") for text in settings.evaluation_sweep):
        raise ValueError("evaluation_sweep cannot change num_players: a policy plays the numbers of players of [[games]]")
    for name in (*settings.fixed_opponents, *([settings.warm_start] if settings.warm_start else [])):
        load_agent(name, game.env_name)
    if settings.start_from:
        network = read_network(policy_folder(settings.start_from, game.env_name), game, make_window(game, settings.window))
        layers = [len(network.weights[f"layer{k}.bias"]) for k in range(network.depth)]
        if layers != settings.layers:
            raise ValueError(f"start_from: {settings.start_from} has other layers: {layers}, not {settings.layers}")


def open_run(folder: Path, wanted: dict[str, Any]) -> None:
    """Note what a new run is; refuse to go on with another one under the same name."""
    path = folder / "run.json"
    if path.exists():
        there, now = _flat(json.loads(path.read_text())), _flat(wanted)
        different = [f"{key} is {there.get(key)!r}, asked for {value!r}" for key, value in now.items() if there.get(key) != value]
        if different:
            raise ValueError(f"{folder} holds another run: {'; '.join(different)}. Choose another folder with --run")
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(wanted, indent=1))


def _flat(run: dict[str, Any]) -> dict[str, Any]:
    """What identifies a run with its settings one by one; those that it does not know yet have their defaults."""
    return {**{k: v for k, v in run.items() if k != "settings"}, **Settings().as_dict(), **run["settings"]}


@app.command()
def main(
    game_name: Annotated[str | None, typer.Argument(metavar="[GAME]", help="the game, such as fossil_canyon")] = None,
    env: Annotated[str | None, typer.Option(help="the same, as an option")] = None,
    minutes: Annotated[float | None, typer.Option(help="train for so many minutes; default: the settings' minutes")] = None,
    steps: Annotated[
        int | None, typer.Option(help="train for so many decisions of the learner, rounded up to whole legs (repeatable)")
    ] = None,
    seed: Annotated[int, typer.Option(help="of everything random")] = 0,
    run: Annotated[Path | None, typer.Option(help="folder of the run; one that was interrupted goes on")] = None,
    name: Annotated[str, typer.Option(help="of the policy")] = "mine",
    out: Annotated[Path | None, typer.Option(help="folder of the policy; default policies/<game>/<name>")] = None,
    settings_file: Annotated[
        Path | None, typer.Option("--settings", help="TOML file; default training/settings/<game>.toml")
    ] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="change a setting: name=value")] = None,
    games: Annotated[int, typer.Option(help="in the final evaluation")] = 2000,
    threads: Annotated[int | None, typer.Option(help="of PyTorch; default: all cores")] = None,
    bfloat16: Annotated[
        bool, typer.Option("--bfloat16", help="compute in bfloat16: faster on processors with AVX512-BF16 or AMX, slower on others")
    ] = False,
) -> None:
    """Train a policy by masked PPO, evaluate it, and save it as an opponent (or teammate)."""
    try:
        if (game_name is None) == (env is None):
            raise ValueError("name the game once: python -m training.train fossil_canyon")
        game = load_game(game_name or env or "")
        settings = load_settings(game.name, settings_file, changes)
        check_settings(game, settings)
        if minutes is None and steps is None and settings.minutes > 0:
            minutes = settings.minutes
        if (minutes is None) == (steps is None):
            raise ValueError("say how long to train: either --minutes or --steps")
        if (steps or minutes or 0.0) <= 0:
            raise ValueError("the time to train must be more than 0")
        target = out or Path("policies") / game.name / name
        check_free(target)
        folder = run or Path("runs") / f"{game.name}-seed{seed}"
        open_run(folder, {"environment": game.env_name, "seed": seed, "settings": settings.as_dict(), "steps": steps})
    except (ValueError, ImportError) as error:
        console.print(f"[red]error:[/red] {escape(str(error))}")
        raise typer.Exit(2) from None
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        training = Run(game.env_name, folder, settings, seed, steps, minutes, bfloat16)
        training.resume()
    except FileNotFoundError as error:
        console.print(f"[red]error:[/red] {escape(str(error))}")
        raise typer.Exit(2) from None
    training.train()
    command = "python -m training.train " + shlex.join(sys.argv[1:])
    training.export(target, command, games)


if __name__ == "__main__":
    app()
