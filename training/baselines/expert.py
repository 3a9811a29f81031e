"""Expert iteration as in AlphaZero: games that a search guided by the network plays against itself, and the network learns what
the search found and how the games ended. It is ``training/expert.py`` without imitation, gate and scripted players:

    python -m training.baselines expert go_dig --seed 0 --decisions 20000 --out results

A decision here is one that was searched, with as many simulations as ``expert_search`` in ``settings/expert.toml`` says: it
costs about a hundred times one of the other algorithms.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

from ..budget import Budget
from ..command_options import console
from ..expert import ExpertRun, settings_for_search
from ..reporter import Reporter
from .common import Study, values_of
from .ppo import players_of

METRICS = {
    "policy_loss": "cross-entropy in nats of what the search would do, by the policy",
    "value_loss": "mean squared error of the value",
    "entropy": "mean randomness of the policy in nats",
    "agreement": "share of decisions in which the policy's likeliest action is the search's",
    "explained_variance": "share of the results' variance that the value explains; from `expert_value_from` on the search asks it",
    "with_values": "1 when the search asks the value instead of playing on at random",
}


class ReportedRun(ExpertRun):
    """A run that is evaluated as the other baselines are, instead of by the gate."""

    study: Study

    def _judge(self) -> None:
        last = {name: float(self.last[name]) for name in METRICS if name in self.last}
        self.study.report(self.steps_done, lambda: players_of(self.learner.network, self.seed), last)

    def _save(self) -> None:
        """Nothing is kept: a run is short, and begins anew where it was interrupted."""

    def _log(self, row: dict[str, Any]) -> None:
        self.last = dict(row)


def train(study: Study) -> None:
    """Run expert iteration in a folder that is removed afterwards."""
    task = study.task
    settings = task.settings(device="cpu", **values_of("expert", task.name, study.changes))
    settings = settings_for_search(task.game, settings)
    study.settings = settings.as_dict()
    study.extra = {"search": settings.expert_search, "search_before_values": settings.expert_playouts}
    study.explain(METRICS)
    with tempfile.TemporaryDirectory() as folder, Reporter(console) as reporter:
        budget = Budget(study.decisions, None, time.monotonic)
        run = ReportedRun(task.game, Path(folder), settings, study.seed, budget, reporter)
        run.study = study
        study.report(0, lambda: players_of(run.learner.network, study.seed), {})
        run.begin()
        run.train()
