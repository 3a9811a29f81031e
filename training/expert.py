"""Train a policy by expert iteration: a search that the network guides plays, and the network learns to do at once what it found.

    python -m training.expert fossil_canyon --minutes 60 --name expert
    python -m training.expert cretaceous_creek

After imitating the scripted player, as in ``training/train.py``, the run goes in rounds (Anthony, Tian, Barber 2017):

1. Games are played by search, all seats or one of them among scripted and random players (``training/searching.py``). The network
   gives the priors, and its values take the place of playouts as soon as they explain enough of the results. With ``expert_guide``
   another policy does both from the beginning: a small network can play many games for one that takes longer to ask.
2. The network learns from a window of the last rounds: the policy what the search would do (the improved policy of
   Danihelka et al. 2022, or shares of visits), the value how the games ended and what the search expected.
3. After some rounds it is judged as in every training: the gate in a competitive game, the evaluation games in a cooperative one.

Rewards are not shaped and not discounted, so that values judge positions. A run is resumed, gated and exported as any other; the
settings are the game's, of which `expert_…` are for this.
"""

import math
import os
import time
from dataclasses import replace
from pathlib import Path

import typer

from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.search import reward_weights
from dig_envs.agents.search_settings import usable_cores
from dig_envs.agents.zoo import policy_folder
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from . import command_options as option
from .budget import Budget
from .checkpoints import list_checkpoints, read_progress
from .command_options import plain_errors
from .files import draft_of
from .ppo import summarize
from .run import Run
from .searching import DRAWN, Rows, SearchedGame, explained, guided, learn_from, play_searched
from .seeds import seed_stream
from .settings import Settings
from .train import train_policy

REPLAY = "replay"
app = typer.Typer(add_completion=False)


class ExpertRun(Run):
    """A run that learns by expert iteration; see :class:`training.run.Run`."""

    method = "expert iteration"
    module = "training.expert"

    def begin(self) -> None:
        """Load what :class:`Run` does, and the window of decisions.

        Raises:
            FileNotFoundError: a file of the window is missing. ValueError: it is damaged, or as :class:`Run` says.
        """
        self.progress |= {REPLAY: [], "explained": None}
        super().begin()
        self._window = {name: Rows.load(self.folder / REPLAY / name) for name in self.progress[REPLAY]}
        self._remove_old_rows()

    def _learning_leg(self) -> None:
        """Play and learn in rounds, as many as PPO would have rollouts, fewer where the budget ends."""
        settings = self.settings
        self.learner.set_learning_rate(settings.learning_rate, settings.learning_rate_end, self.budget.share(self.steps_done))
        self._repeat("expert", self._round, lambda: not self.budget.is_over(self.steps_done))

    def _round(self) -> tuple[int, dict[str, float]]:
        """Play, and learn from the window; return how many decisions were searched, and the metrics."""
        settings = self.settings
        with_values = self._values_are_good()
        with self.budget.measuring("playing"):
            played = self._play(settings.expert_search if with_values else settings.expert_playouts, 1)
        rows = Rows.joined([one.rows for one in played])
        self.progress["explained"] = explained(self.learner, rows)  # before they are learned from
        self._window[f"rows-{self.steps_done:012d}.npz"] = rows
        while sum(map(len, self._window.values())) - len(next(iter(self._window.values()))) >= settings.expert_window:
            del self._window[next(iter(self._window))]  # the oldest round is not needed any more
        window = Rows.joined(list(self._window.values())).last(settings.expert_window)
        learned = learn_from(self.learner, window, math.ceil(settings.expert_passes * len(rows) / settings.batch_size))
        metrics = {
            **summarize(played),
            **learned,
            "explained_variance": round(self.progress["explained"], 5),
            "with_values": int(with_values),
            "rows": len(window),
        }
        return sum(one.decisions for one in played), metrics

    def _values_are_good(self) -> bool:
        """Return whether the values explain enough of the last results; before the first round, of games without search.

        Those of a policy that was chosen to guide are taken as good.
        """
        if self.settings.expert_guide:
            return True
        if self.progress["explained"] is None:
            self.progress["explained"] = explained(self.learner, Rows.joined([one.rows for one in self._play(DRAWN, 0)]))
        return bool(self.progress["explained"] >= self.settings.expert_value_from)

    def _play(self, search: str, stream: int) -> list[SearchedGame]:
        """Play a round of games by a search that the network guides as it is now, or the policy that was chosen for it."""
        chosen = self.settings.expert_guide
        guide = policy_folder(chosen, self.game) if chosen else self._candidate()
        threads = self.settings.threads or usable_cores()
        seed = seed_stream("training", self.seed, self.steps_done, stream)
        return play_searched(self.game, self.settings, guide, search, threads, self.settings.expert_games, seed)

    def _save(self) -> None:
        """Save a checkpoint, and before it the rows that it needs: each round in a file, complete or not at all."""
        folder = self.folder / REPLAY
        folder.mkdir(exist_ok=True)
        for name, rows in self._window.items():
            if not (folder / name).exists():
                rows.save(draft_of(folder / name))
                os.replace(draft_of(folder / name), folder / name)
        self.progress[REPLAY] = list(self._window)
        super()._save()
        self._remove_old_rows()

    def _remove_old_rows(self) -> None:
        """Remove files that no checkpoint needs."""
        needed = {name for checkpoint in list_checkpoints(self.folder) for name in read_progress(checkpoint).get(REPLAY, [])}
        for path in (self.folder / REPLAY).glob("rows-*"):
            if path.name not in needed:
                path.unlink()


def settings_for_search(game: Game, settings: Settings) -> Settings:
    """Return settings with rewards whose values judge positions: those of the end from the beginning, not shaped, not discounted.

    Raises:
        ValueError: for a network that remembers, which cannot judge positions that nobody has come to, for late starts, for bad
            searches, or for a policy that was chosen to guide and is unknown, or whose values do not judge positions.
    """
    if settings.memory:
        raise ValueError("a search cannot be guided by a network with a [memory]; train one without it: --set 'memory={}'")
    if settings.late_starts:
        raise ValueError(
            "games of search begin at the deal; train with late_starts by training.train, or without: --set 'late_starts={}'"
        )
    for text in (settings.expert_search, settings.expert_playouts):
        guided(text, game)
    if settings.expert_guide:
        guide = OnnxAgent(policy_folder(settings.expert_guide, game), env=game.env_name)
        reward_weights(guide)  # refuses values that do not judge positions
    rewards = settings.rewards_at(1.0)
    return replace(
        settings, gamma=1.0, win_weight=rewards.win_weight, score_weight=rewards.score_weight, shaping_weight=0.0, late_rewards={}
    )


@app.command()
def main(
    game_name: option.GameName,
    minutes: option.Minutes = None,
    steps: option.Steps = None,
    seed: option.Seed = 0,
    run: option.RunFolder = None,
    name: option.Name = "expert",
    out: option.Out = None,
    settings_file: option.SettingsFile = None,
    changes: option.Changes = None,
    games: option.Games = 2000,
    device: option.Device = None,
    threads: option.Threads = None,
    bfloat16: option.BFloat16 = None,
    processor_time: option.ProcessorTime = False,
) -> None:
    """Train a policy by expert iteration, evaluate it, and save it as an opponent (or teammate)."""
    with plain_errors():
        game = load_game(game_name)
        settings = option.read_settings(game.name, settings_file, changes, device, threads, bfloat16)
        settings = settings_for_search(game, settings)
        budget = Budget(steps, minutes, time.process_time if processor_time else time.monotonic)
    train_policy(ExpertRun, game, settings, budget, seed, run, out or Path("policies") / game.name / name, games)


if __name__ == "__main__":
    app()
