"""How much the seed matters: runs with the same settings and different seeds, judged on the same deals.

    python -m training.train dino_dig --settings quick --seed 0 --name seed0 --run runs/seed0
    python -m training.train dino_dig --settings quick --seed 1 --name seed1 --run runs/seed1
    python -m training.train dino_dig --settings quick --seed 2 --name seed2 --run runs/seed2
    python -m training.compare_seeds policies/dino_dig/seed0 runs/seed0 runs/seed1 runs/seed2

The policies of the runs, and the one that is compared with them, play the same games against the scripted player (cooperative: as
a team), on deals of which no run has seen one. What comes out is on the policy's card under ``seeds``, and the learning curves
become ``seeds.png`` beside it: each run, their mean, and its 95 % interval. ``--choose`` puts the best of the runs in the
policy's place; its card's own evaluation is of other deals, so that it says how strong the chosen one is.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dig_envs.agents.onnx import read_card
from dig_envs.arena.plots import axes_for_file, save
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from . import metrics
from .card import FINISHED
from .command_options import console, plain_errors
from .curve import MILLION, draw_curve, value_of, what_is_measured
from .evaluate import SAMPLE, judge
from .files import write_atomically
from .intervals import over_seeds
from .seeds import seed_stream
from .settings import MAY_CHANGE, distinct

DEALS = seed_stream("final evaluation", 0, 1)  # a stream of its own: not that of any run's card
POINTS = 25  # of the learning curve
SIZE = (7.0, 3.5)  # of the picture, in inches
PICTURE = "seeds.png"

Rows = list[dict[str, Any]]
app = typer.Typer(add_completion=False)


def policy_of(run: Path) -> Path:
    """Return the folder of a finished run's policy; raises ValueError if the run has not ended."""
    found = sorted(run.glob("policy/*/*/card.json"))
    if not (run / FINISHED).exists() or len(found) != 1:
        raise ValueError(f"{run} is no finished run: train it to its end first")
    return found[0].parent


def check_alike(runs: Sequence[Path]) -> None:
    """Raise ValueError unless the runs differ in nothing but their seeds."""
    if len(runs) < 2:
        raise ValueError("to compare seeds takes two runs at least")
    noted = [json.loads((run / "run.json").read_text(encoding="utf-8")) for run in runs]
    seeds = [one["seed"] for one in noted]
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"two runs have the same seed: {', '.join(map(str, seeds))}")
    for key in ("environment", "method", "steps"):
        if len({one.get(key) for one in noted}) > 1:
            raise ValueError(f"the runs differ in {key}: {', '.join(str(one.get(key)) for one in noted)}")
    for first, other in pairwise(noted):
        differing = [
            name for name in first["settings"] if name not in MAY_CHANGE and first["settings"][name] != other["settings"].get(name)
        ]
        if differing:
            raise ValueError(f"the runs differ in more than their seeds: {', '.join(differing)}")


def judge_policies(game: Game, policies: Sequence[Path], games: int) -> list[dict[str, Any]]:
    """Return how each policy plays its likeliest actions against the scripted player (cooperative: as a team), on the same deals.

    Returns:
        For each policy ``win_rate`` and ``score`` as a mean over the options of its settings, with the rows of each under
        ``evaluation``.
    """
    found = []
    for policy in policies:
        rows: Rows = []
        for options in distinct(read_card(policy)["settings"]["games"]):
            line_up = [str(policy)] if game.cooperative else [str(policy), "heuristic"]
            rows += judge(game, line_up, games, DEALS, options)[:1]
        rates = {key: float(np.mean([row[key]["mean"] for row in rows])) for key in ("win_rate", "score")}
        found.append({**{key: round(value, 5) for key, value in rates.items()}, "evaluation": rows})
    return found


def curves_of(runs: Sequence[Path]) -> tuple[str, list[list[tuple[int, float]]]]:
    """Return what the learning curves measure, in words, and the curve of each run: decisions and value."""
    curves, what = [], ""
    for run in runs:
        rows = [row for row in metrics.read(run) if "greedy_win_rate" in row]
        if not rows:
            raise ValueError(f"{run} has no learning curve")
        what = what_is_measured(rows)
        curves.append([(int(row["steps"]), value_of(row)) for row in rows])
    return what, curves


def mean_curve(curves: Sequence[Sequence[tuple[int, float]]]) -> Rows:
    """Return ``POINTS`` points with ``steps`` and ``mean``, ``low``, ``high`` over the runs, as far as all of them reach."""
    begin, end = max(curve[0][0] for curve in curves), min(curve[-1][0] for curve in curves)
    points = []
    for steps in np.linspace(begin, end, POINTS):
        values = [_at(curve, float(steps)) for curve in curves]
        points.append({"steps": int(steps), **over_seeds([{"mean": value} for value in values], 0.0, 1.0)})
    return points


def _at(curve: Sequence[tuple[int, float]], steps: float) -> float:
    """Return the value of a curve after so many decisions, on the straight line between two points of it."""
    known, values = np.array(curve).T
    return float(np.interp(steps, known, values))


def draw(game: Game, what: str, curves: Sequence[Sequence[tuple[int, float]]], seeds: Sequence[int], file: Path) -> None:
    """Draw the learning curves of the runs, their mean and its interval."""
    axes = axes_for_file(SIZE)
    for seed, curve in zip(seeds, curves, strict=True):
        steps, values = np.array(curve).T
        axes.plot(steps / MILLION, values, linewidth=1, alpha=0.6, label=f"seed {seed}")
    points = mean_curve(curves)
    steps, mean, low, high = (np.array([point[key] for point in points]) for key in ("steps", "mean", "low", "high"))
    axes.plot(steps / MILLION, mean, "k", label="mean")
    axes.fill_between(steps / MILLION, low, high, color="0.85", label="95 %")
    axes.set_title(f"{game.title}: {len(seeds)} seeds")
    axes.set_xlabel("decisions of the learner, millions")
    axes.set_ylabel(what)
    axes.set_ylim(0, 1)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", fontsize="small", ncols=2)
    save(axes, file)


def rank(judged: Mapping[str, Any]) -> tuple[float, float]:
    """Return what the best policy has most of: games won, then score."""
    return judged["win_rate"], judged["score"]


def compare(policy: Path, runs: Sequence[Path], games: int) -> tuple[dict[str, Any], Path]:
    """Return what the card says of the seeds, and the folder of the run's policy that did best.

    Args:
        policy: the one that is compared with the runs' policies. runs: folders of finished runs. games: of each policy.

    Raises:
        ValueError: a run has not ended, or the runs differ in more than their seeds.
    """
    made = [policy_of(run) for run in runs]
    check_alike(runs)
    cards = [read_card(one) for one in made]
    game = load_game(cards[0]["environment"])
    what, curves = curves_of(runs)
    *judged, itself = judge_policies(game, [*made, policy], games)
    facts = [
        {**{key: card[key] for key in ("seed", "steps", "steps_of_the_run", "training_command", "weights_sha256")}, **one}
        for card, one in zip(cards, judged, strict=True)
    ]
    best = max(range(len(runs)), key=lambda k: rank(judged[k]))
    sha256 = read_card(policy)["weights_sha256"]
    seeds = {
        "deals_from": DEALS,
        "games": games,
        "runs": facts,
        "win_rate": over_seeds([{"mean": one["win_rate"]} for one in judged], 0.0, 1.0),
        "score": over_seeds([{"mean": one["score"]} for one in judged]),
        "this_policy": itself,
        "one_of_the_runs": sha256 in [card["weights_sha256"] for card in cards],
        "best": rank(itself) >= rank(judged[best]),
        "curve_of": what,
        "curve": mean_curve(curves),
    }
    return seeds, made[best]


def write_seeds(policy: Path, seeds: Mapping[str, Any]) -> None:
    """Write what came out on the card of a policy."""
    card = read_card(policy) | {"seeds": dict(seeds)}
    write_atomically(policy / "card.json", json.dumps(card, indent=1) + "\n")


def named(rows: Rows, old: str, new: str) -> Rows:
    """Return rows of an evaluation in which a policy has another name."""
    text = json.dumps(rows)
    for end in ('"', SAMPLE):
        text = text.replace(f'"{old}{end}', f'"{new}{end}')
    renamed: Rows = json.loads(text)
    return renamed


def put_in_place(best: Path, policy: Path, game: Game) -> None:
    """Put the policy of a run in the place of another one, under the name of that one."""
    card, name = read_card(best), read_card(policy)["name"]
    card |= {"name": name, "evaluation": named(card["evaluation"], card["name"], name)}
    shutil.copy2(best / "policy.onnx", policy / "policy.onnx")
    write_atomically(policy / "card.json", json.dumps(card, indent=1) + "\n")
    draw_curve(best.parents[2], policy / "curve.png", f"{game.title}: {name}")


def verdict(seeds: Mapping[str, Any]) -> str:
    """Return in words how the policy compares with the runs."""
    whose = "one of these runs" if seeds["one_of_the_runs"] else "another run"
    won = seeds["this_policy"]["win_rate"]
    return f"the policy, of {whose}, {'is' if seeds['best'] else 'is not'} the best: {won:.3f} of games won"


@app.command()
def main(
    policy: Annotated[Path, typer.Argument(help="folder of the policy, whose card tells what came out")],
    runs: Annotated[list[Path], typer.Argument(help="folders of finished runs that differ in their seeds alone")],
    games: Annotated[int, typer.Option(min=1, help="games of each policy for each set of options")] = 2000,
    choose: Annotated[bool, typer.Option(help="put the best run's policy in its place, if it is better")] = False,
) -> None:
    """Compare runs with different seeds with each other and with a policy, whose card then tells it."""
    with plain_errors():
        seeds, best = compare(policy, runs, games)
        game = load_game(read_card(policy)["environment"])
        if choose and not seeds["best"]:
            put_in_place(best, policy, game)
            chosen = max(seeds["runs"], key=rank)
            rows = named(chosen["evaluation"], read_card(best)["name"], read_card(policy)["name"])
            seeds |= {"this_policy": {"win_rate": chosen["win_rate"], "score": chosen["score"], "evaluation": rows}}
            seeds |= {"one_of_the_runs": True, "best": True}
        write_seeds(policy, seeds)
        what, curves = curves_of(runs)
        draw(game, what, curves, [one["seed"] for one in seeds["runs"]], policy / PICTURE)
    for one in seeds["runs"]:
        console.print(f"seed {one['seed']}: {one['win_rate']:.3f} of games won, score {one['score']:.2f}", highlight=False)
    console.print("mean {mean:.3f} \\[{low:.3f}, {high:.3f}]".format(**seeds["win_rate"]), highlight=False)
    console.print(verdict(seeds), highlight=False)


if __name__ == "__main__":
    app()
