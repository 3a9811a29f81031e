"""A run of the zoo: legs of imitation and then of PPO, each with newly dealt games, each judged and
saved.

A run lives in a folder with its settings, checkpoints, TensorBoard logs and ``metrics.jsonl``. A
leg is ``checkpoint_rollouts`` rollouts, fewer where minutes are the budget. It begins with random
generators seeded from the run's seed and the steps done, so that a run that was interrupted and one
that was not come to the same weights (with a budget of steps, on the CPU of one machine; with one
of minutes the clock decides how many legs there are).

In a cooperative game the best network is the one that did best in the evaluation games; in a
competitive one, where the learner plays against a pool of opponents and of its own snapshots, it is
the one that passed the gate last: the last one that surely beat all of them (``training/pool.py``).
"""

import math
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_games
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.zoo import policy_folder
from dig_envs.batch.batch_env import DENSE, SPARSE
from dig_envs.engine.game import Game

from . import metrics
from .budget import Budget
from .cells import make_cells
from .checkpoints import (
    PROGRESS,
    list_checkpoints,
    load_checkpoint,
    put_aside,
    read_progress,
    save_checkpoint,
)
from .device import games_on, moved, on_device
from .export import copy_policy, read_network, write_policy
from .games import TrainingGames
from .imitation import Lesson, learn_from, take_lesson
from .learner import new_learner
from .pool import Pool, is_state
from .ppo import collect, summarize, update
from .reporter import Reporter
from .seeds import seed_stream
from .settings import Rewards, Settings

# the network to evaluate, as a policy; in a cooperative game also the best one
CANDIDATE, BEST = "candidate", "best_policy"
IMITATION, PPO = "imitation", "ppo"  # the phases
Opponents = WeightedOpponents | None


def whole_legs(settings: Settings, steps: int | None) -> int | None:
    """The decisions of a run for so many, which are rounded up: imitation to whole rollouts, PPO to
    whole legs. Rounded again they stay the same."""
    if steps is None:
        return None
    rollout = settings.num_envs * settings.rollout_steps
    leg = rollout * settings.checkpoint_rollouts
    warm = min(settings.warm_start_steps, settings.warm_start_share * steps)
    imitated = math.ceil(warm / rollout) * rollout if settings.warm_start else 0
    whole = imitated + max(0, -(-(steps - imitated) // leg)) * leg
    # of more steps imitation has a share of more
    return whole if whole == steps else whole_legs(settings, whole)


class Part:
    """The games of a run, and the learner that plays and learns in them; where several processes
    learn together (:mod:`training.processes`), the part of one of them.

    Attributes: ``on_device``: the games where the network is, if that is a GPU that can play them;
    ``why_not``: what keeps them off it, in words.

    Args:
        game: what is played. settings: of the part.
        seed: of the run: of the first weights.
    """

    def __init__(self, game: Game, settings: Settings, seed: int) -> None:
        self.game, self.settings, self.seed = game, settings, seed
        self.learner = new_learner(game, settings, seed)
        kind = SPARSE if self.learner.network.reads_rows else DENSE
        first = seed_stream("training", seed)
        self.games = TrainingGames(game.env_name, settings, first, observation=kind)
        self.on_device, self.why_not = games_on(self.learner.device, self.games)

    def prepare(self) -> None:
        """Have everything compiled that plays."""
        first = seed_stream("training", self.seed)
        self.games.reset(first)
        self.games.step(self.games.choices_of(load_agent("heuristic", self.game.env_name)))
        if self.on_device is not None:
            self.on_device.reset(first)
            self.on_device.play(self.on_device.action_mask.argmax(dim=1))

    def deal(self, phase: str, steps: int, share: float, opponents: Opponents) -> None:
        """Begin a leg after so many steps and this share of the budget: new games, generators and
        opponents (None: nobody else plays). ``phase``: `IMITATION` or `PPO`."""
        self._begin(phase, seed_stream("training", self.seed, steps), share, opponents)

    def _begin(self, phase: str, seed: int, share: float, opponents: Opponents) -> None:
        self.phase = phase
        self.learner.generator.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.teacher: Any = None
        playing: Any = self.games if self.on_device is None else self.on_device
        if phase == IMITATION:
            self.teacher = load_agent(self.settings.warm_start, self.game.env_name)
            playing = self.games  # where the scripted player chooses, and networks of others
            if self.on_device is not None and isinstance(self.teacher, OnnxAgent):
                with suppress(ValueError):
                    self.teacher = on_device(self.teacher, self.learner.device, self.rng)
                    playing = self.on_device
        if opponents is not None:
            there = playing is self.on_device
            playing.set_opponents(
                moved(opponents, self.learner.device, self.rng) if there else opponents
            )
        self.games.share = share
        playing.reset(seed)
        self.playing = playing

    def learn(self, clock: AbstractContextManager[None]) -> tuple[int, dict[str, float]]:
        """Play and learn once.

        Args:
            clock: entered while games are played.

        Returns:
            the learner's decisions, and the metrics.
        """
        with clock:
            played = (
                take_lesson(self.learner, self.playing, self.teacher, self.rng)
                if self.phase == IMITATION
                else collect(self.learner, self.playing)
            )
        learned = (
            learn_from(self.learner, played)
            if isinstance(played, Lesson)
            else update(self.learner, played)
        )
        return played.dones.numel(), summarize(played.ended) | learned

    def close(self) -> None:
        """End the threads of the games."""
        self.games.close()
        if self.on_device is not None:
            self.on_device.close()


class Run:
    """One training run; ``folder`` is where its files are, ``part`` plays and learns."""

    def __init__(
        self, part: Part, folder: Path, settings: Settings, budget: Budget, reporter: Reporter
    ) -> None:
        self.game, self.folder, self.settings, self.seed = part.game, folder, settings, part.seed
        self.budget, self.reporter = budget, reporter
        budget.steps = whole_legs(settings, budget.steps)
        self.pool = None if self.game.cooperative else Pool(self.game, settings, folder)
        self.part, self.learner = part, part.learner
        self.progress: dict[str, Any] = {
            "steps": 0,
            "imitated": 0,
            "sharpened": False,
            "seconds": 0.0,
            "best": None,
        }

    @property
    def steps_done(self) -> int:
        """Decisions of the learner so far."""
        return int(self.progress["steps"])

    # ------------------------------------------------------------ begin, or go on

    def begin(self) -> None:
        """Load the last checkpoint of the run's folder that can be used, and put those after it
        aside; if there is none, load the policy that the settings start from.

        Raises:
            ValueError: there are checkpoints, and none of them can be used.
        """
        checkpoints = list_checkpoints(self.folder)
        if not checkpoints:
            metrics.cut(self.folder, 0)  # of a run that was killed before its first one
            if self.settings.start_from:
                folder = policy_folder(self.settings.start_from, self.game)
                network = read_network(folder, self.game, make_cells(self.game, self.settings))
                self.learner.network.load_state_dict(network.state_dict())
            return
        used = self._load_last(checkpoints)
        if self.pool is not None:
            self._forget_old_snapshots(self.pool)
        elif not (self.folder / BEST).exists():
            # killed while it was being replaced: the next one judged is taken
            self.progress["best"] = None
        metrics.cut(self.folder, self.steps_done)
        self.reporter.say(f"going on from {used} ({self.steps_done:,} steps)")

    def _load_last(self, checkpoints: Sequence[Path]) -> Path:
        """Load the last one that can be used, and put those after it aside."""
        unusable: list[Path] = []
        for checkpoint in reversed(checkpoints):
            try:
                progress = self._progress_of(checkpoint)
                load_checkpoint(checkpoint, self.learner)
                if self.pool is not None:
                    self.pool.restore(progress["pool"])
            except (ValueError, FileNotFoundError) as error:
                self._pass_over(error)
                unusable.append(checkpoint)
                continue
            self.progress |= progress
            for later in unusable:
                put_aside(later)
            return checkpoint
        words = shlex.join(map(str, unusable))
        raise ValueError(f"no checkpoint can be used; to begin this run anew, remove {words}")

    def _pass_over(self, error: Exception) -> None:
        self.reporter.say(f"passed over: {error}", "yellow")

    def _progress_of(self, checkpoint: Path) -> dict[str, Any]:
        """The progress of a checkpoint, in a competitive game with a pool; else ValueError."""
        progress = read_progress(checkpoint)
        if self.pool is not None and not is_state(progress.get("pool")):
            raise ValueError(
                f"{checkpoint / PROGRESS} is damaged: it does not say who is in the pool"
            )
        return progress

    # ------------------------------------------------------------ legs

    def train(self) -> None:
        """Train to the end of the budget, leg by leg."""
        with metrics.open_tensorboard(self.folder, self.steps_done) as self.writer:
            self._train()
        self.part.close()

    def _train(self) -> None:
        self._compile()  # once on each machine, so that it is not part of the budget
        self.reporter.say(
            f"training for {self.budget.words}; you can stop it: the same command goes on from its "
            "last checkpoint"
        )
        self.budget.start(self.progress["seconds"])
        self.reporter.begin(self.budget.share(self.steps_done))
        while not self.budget.is_over(self.steps_done) or self.steps_done == 0:
            warming_up = self._is_warming_up()
            if not warming_up:
                self._end_warm_start()
                self._open_pool()
            self._deal_and_seed(IMITATION if warming_up else PPO)
            if warming_up:
                self._imitation_leg()
            else:
                self._learning_leg()
            self._judge()
            self._save()
        self._end_warm_start()  # if the budget ended with it
        self._open_pool()

    def _compile(self) -> None:
        """Have everything compiled that plays, so that no part of the run is taken for slow because
        it was the first."""
        self.reporter.say("preparing the game, which is compiled at its first use")
        self.part.prepare()
        if self.part.why_not:
            self.reporter.say(f"the games are played on the CPU: {self.part.why_not}", "yellow")

    def _is_warming_up(self) -> bool:
        """Whether imitation is next: until the warm start's steps, but within its share of the
        budget."""
        settings = self.settings
        has_time = self.budget.share(self.steps_done) < settings.warm_start_share
        return (
            bool(settings.warm_start) and self.steps_done < settings.warm_start_steps and has_time
        )

    def _end_warm_start(self) -> None:
        """Sharpen what imitation has made, once."""
        if self.progress["imitated"] and not self.progress["sharpened"]:
            self.learner.network.sharpen(self.settings.warm_start_sharpening)
            self.progress["sharpened"] = True

    def _open_pool(self) -> None:
        """Make the network that PPO begins with the first best, if there is none yet."""
        if self.pool is not None and self.pool.best is None:
            self.pool.best = self.pool.write(self.learner.network, self.steps_done)

    def _deal_and_seed(self, phase: str) -> None:
        """Begin a leg: new games, opponents and generators, from the run's seed and the steps
        done."""
        share = self.budget.share(self.steps_done)
        if self.settings.rewards_at(share) != self.settings.rewards_at(0.0):
            # snapshots from here on have values about the late rewards
            self.progress.setdefault("late_from", self.steps_done)
        seed = seed_stream("training", self.seed, self.steps_done)
        opponents = None if self.pool is None else self.pool.opponents(seed)
        self.part.deal(phase, self.steps_done, share, opponents)

    def rewards_of(self, steps: int) -> Rewards:
        """The last rewards that a network of this number of steps was trained with."""
        return self.settings.rewards_at(
            1.0 if steps > self.progress.get("late_from", steps) else 0.0
        )

    def _imitation_leg(self) -> None:
        """Learn from the teacher. The learning rate is linear over the warm start's steps or time,
        whichever is further."""
        settings = self.settings
        by_time = self.budget.share(self.steps_done) / settings.warm_start_share
        done = max(by_time, self.steps_done / settings.warm_start_steps)
        self.learner.set_learning_rate(
            settings.warm_start_learning_rate, settings.warm_start_learning_rate_end, done
        )
        self._repeat(IMITATION, self._is_warming_up)
        self.progress["imitated"] = self.steps_done

    def _learning_leg(self) -> None:
        """Learn by PPO. The learning rate is linear over the budget."""
        settings = self.settings
        self.learner.set_learning_rate(
            settings.learning_rate, settings.learning_rate_end, self.budget.share(self.steps_done)
        )
        self._repeat(PPO, lambda: True)

    def _repeat(self, phase: str, goes_on: Callable[[], bool]) -> None:
        """Play and learn as often as a leg has rollouts, less often where the leg's time or the
        phase is over."""
        leg_began = self.budget.clock()
        for k in range(self.settings.checkpoint_rollouts):
            if k and (self.budget.leg_is_over(leg_began) or not goes_on()):
                break
            with self.budget.measuring("rollout"):
                steps, learned = self.part.learn(self.budget.measuring("playing"))
            self._report(phase, steps, learned)

    def _report(self, phase: str, steps: int, learned: dict[str, float]) -> None:
        """Count the decisions; write the metrics, and show them to whoever watches."""
        self.progress["steps"] += steps
        seconds = max(self.budget.taken("rollout"), 1e-9)
        per_second, playing = (
            round(steps / seconds),
            round(self.budget.taken("playing") / seconds, 3),
        )
        row = {
            "steps": self.steps_done,
            "phase": phase,
            **learned,
            "steps_per_second": per_second,
            "playing_share": playing,
        }
        self._log(row)
        words = f"{phase}  {self.steps_done:,} steps  {per_second:,} steps/s"
        if "won" in row:
            words += f"  won {row['won']:.3f}  score {row['score']:.2f}"
        self.reporter.progress(self.budget.share(self.steps_done), words)

    def _log(self, row: dict[str, Any]) -> None:
        metrics.append(self.folder, row)
        metrics.to_tensorboard(self.writer, row)

    # ------------------------------------------------------------ measuring and saving

    def _judge(self) -> None:
        """Measure how good the network is after a leg, and remember it if it is the best so far."""
        with self.budget.measuring("judging"):
            if self.pool is None:
                self._play_evaluation()
            else:
                self._play_gate(self.pool)

    def _candidate(self) -> Path:
        """Write the network as it is now as a policy, and return its folder."""
        facts = {
            "name": CANDIDATE,
            "steps": self.steps_done,
            "pays": "return",
            "settings": self.settings.as_dict(),
        }
        return write_policy(self.folder / CANDIDATE, self.game, self.learner.network, facts)

    def _play_evaluation(self) -> None:
        """Cooperative games: play the evaluation games, always the same, with the likeliest
        actions."""
        agent, count, seed = (
            OnnxAgent(self._candidate()),
            self.settings.evaluation_games,
            seed_stream("evaluation", self.seed),
        )
        results = []
        for options in self.settings.distinct_games:
            seats = int(self.game.complete_options(options)["num_players"])
            results.append(play_games(self.game.env_name, [agent] * seats, count, seed, options))
        row = {
            "steps": self.steps_done,
            "phase": "evaluation",
            "greedy_won": round(float(np.mean([result.won_by(0).mean for result in results])), 4),
            "greedy_score": round(float(np.mean([result.score(0).mean for result in results])), 4),
        }
        self._log(row)
        best = self.progress["best"]
        if best is None or (row["greedy_won"], row["greedy_score"]) > (
            best["greedy_won"],
            best["greedy_score"],
        ):
            self.progress["best"] = row
            copy_policy(self.folder / CANDIDATE, self.folder / BEST)
        self.reporter.say(
            f"{self.steps_done:>12,} steps: greedy won {row['greedy_won']:.3f}, score "
            f"{row['greedy_score']:.2f}"
        )

    def _play_gate(self, pool: Pool) -> None:
        """Competitive games: play the gate with the likeliest actions. After PPO a snapshot joins
        the pool, best if it passed."""
        opened = pool.best is not None
        began = self.budget.clock()
        seed = seed_stream("gate", self.seed, self.steps_done)
        result = pool.gate(
            OnnxAgent(self._candidate()), seed, lambda: self.budget.judged_enough(began)
        )
        first = next(iter(result.groups.values()))
        row: dict[str, Any] = {
            "steps": self.steps_done,
            "phase": "evaluation",
            "greedy_won": round(first.won, 4),
            "greedy_score": round(first.score, 4),
            "strength": {group: round(one.strength, 4) for group, one in result.groups.items()},
            "strength_low": {group: round(one.low, 4) for group, one in result.groups.items()},
            "gate_games": result.games,
            "promoted": opened and result.passed,
        }
        self._log(row)
        if opened:
            snapshot = pool.write(self.learner.network, self.steps_done)
            pool.add(snapshot)
            if result.passed:
                pool.promote(snapshot)
                self.progress["best"] = row
        strengths = ", ".join(f"{group} {value:.3f}" for group, value in row["strength"].items())
        verdict = "; not promoted" if opened and not result.passed else ""
        self.reporter.say(f"{self.steps_done:>12,} steps: strength against {strengths}{verdict}")

    def _save(self) -> None:
        self.progress["seconds"] = self.budget.seconds
        if self.pool is not None:
            self.progress["pool"] = self.pool.state()
        save_checkpoint(self.folder, self.learner, self.progress)
        if self.pool is not None:
            self._forget_old_snapshots(self.pool)

    def _forget_old_snapshots(self, pool: Pool) -> None:
        """Remove the snapshots that no checkpoint needs; those that cannot be used are put
        aside."""
        states = []
        for checkpoint in list_checkpoints(self.folder):
            try:
                states.append(self._progress_of(checkpoint)["pool"])
            except ValueError as error:
                self._pass_over(error)
                put_aside(checkpoint)
        pool.forget_others(states)
