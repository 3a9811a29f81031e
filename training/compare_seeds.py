"""How much the seed matters: runs with the same settings and different seeds, judged on the same deals.

    python -m training.train dino_dig --settings quick --seed 0 --name seed0 --run runs/seed0
    python -m training.train dino_dig --settings quick --seed 1 --name seed1 --run runs/seed1
    python -m training.train dino_dig --settings quick --seed 2 --name seed2 --run runs/seed2
    python -m training.compare_seeds policies/dino_dig/seed0 runs/seed0 runs/seed1 runs/seed2

The policies of the runs, and the one that is compared with them, play the same games against the scripted player, or another one
(``--against``), in a cooperative game as a team, on deals of which no run has seen one. What comes out is on the policy's card
under ``seeds``, and the learning curves become ``seeds.png`` beside it: each run, their mean, and its 95 % interval. ``--add``
keeps the runs that the card has already, so that long runs can be made and compared one after the other. ``--choose`` puts the best
of the runs in the policy's place; its card's own evaluation is of other deals, so that it says how strong the chosen one is.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dig_envs.agents.best import SCRIPTED
from dig_envs.agents.matches import NORMAL_95
from dig_envs.agents.onnx import CARD, WEIGHTS, read_card
from dig_envs.arena.plots import axes_for_file, save
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from . import metrics
from .card import FINISHED
from .command_options import console, plain_errors
from .curve import MILLION, draw_curve, value_of, what_is_measured
from .evaluate import SAMPLE, judge
from .export import write_card
from .intervals import over_seeds
from .seeds import seed_stream
from .settings import MAY_CHANGE, distinct

DEALS = seed_stream("final evaluation", 0, 1)  # a stream of its own: not that of any run's card
POINTS = 25  # of a learning curve
SIZE = (7.0, 3.5)  # of the picture, in inches
PICTURE = "seeds.png"
NEARLY = 0.1  # trainings whose numbers of decisions differ by no more than this share had the same budget

Rows = list[dict[str, Any]]
app = typer.Typer(add_completion=False)


def policy_of(run: Path) -> Path:
    """Return the folder of a finished run's policy; raises ValueError if the run has not ended."""
    found = sorted(run.glob(f"policy/*/*/{CARD}"))
    if not (run / FINISHED).exists() or len(found) != 1:
        raise ValueError(f"{run} is no finished run: train it to its end first")
    return found[0].parent


def made_by(run: Path) -> dict[str, Any]:
    """Return what runs have to have in common: ``environment``, ``method``, ``steps``, and the ``settings`` of what is learned."""
    noted = json.loads((run / "run.json").read_text(encoding="utf-8"))
    settings = {name: value for name, value in noted["settings"].items() if name not in MAY_CHANGE}
    return {**{key: noted.get(key) for key in ("environment", "method", "steps")}, "settings": settings}


def check_alike(first: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Raise ValueError unless two runs differ in nothing but their seeds, by what :func:`made_by` says of them.

    Settings that only one of them knows were added to the trainer between the runs, with a default that changes nothing.
    """
    for key in ("environment", "method", "steps"):
        if first[key] != other[key]:
            raise ValueError(f"the runs differ in {key}: {first[key]}, {other[key]}")
    if names := settings_apart(first["settings"], other["settings"]):
        raise ValueError(f"the runs differ in more than their seeds: {', '.join(names)}")


def settings_apart(some: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings that both have and that differ."""
    return [name for name in some if name in other and of_today(name, some[name]) != of_today(name, other[name])]


def of_today(name: str, value: Any) -> Any:
    """Return the value of a setting without a key that only older cards have: what kind of memory, of which there is one now."""
    return {key: one for key, one in value.items() if key != "kind"} if name == "memory" else value


def far_apart(steps: Sequence[int]) -> bool:
    """Return whether numbers of decisions differ by more than trainings with the same budget do."""
    return max(steps) - min(steps) > NEARLY * max(steps)


def differing(card: Mapping[str, Any], common: Mapping[str, Any], runs: Rows) -> list[str]:
    """Return in what a policy's own training differs from the runs besides its seed: settings, and ``steps`` if far apart.

    Args:
        card: of the policy. common: what :func:`made_by` says of the runs. runs: what the card is to say of them.
    """
    by_search = common["method"].startswith("expert")
    names = [name for name in settings_apart(common["settings"], card["settings"]) if by_search or not name.startswith("expert_")]
    return names + (["steps"] if far_apart([card["steps_of_the_run"], runs[0]["steps_of_the_run"]]) else [])


def check_seeds(seeds: Sequence[int]) -> None:
    """Raise ValueError unless there are two runs at least, each with another seed."""
    if len(seeds) < 2:
        raise ValueError("to compare seeds takes two runs at least")
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"two runs have the same seed: {', '.join(map(str, seeds))}")


def check_as_long(steps: Sequence[int]) -> None:
    """Raise ValueError if a run made far fewer decisions than another one, such as one whose minutes were over."""
    if far_apart(steps):
        raise ValueError(f"the runs differ in how many decisions they made: {', '.join(f'{one:,}' for one in steps)}")


def judge_policy(game: Game, policy: Path, games: int, against: str) -> dict[str, Any]:
    """Return how a policy plays its likeliest actions against another player (cooperative: as a team), on the deals of all.

    Returns:
        ``win_rate`` and ``score`` as a mean over the options of its settings, with the rows of each under ``evaluation``.
    """
    rows: Rows = []
    for options in distinct(read_card(policy)["settings"]["games"]):
        line_up = [str(policy)] if game.cooperative else [str(policy), against]
        rows += judge(game, line_up, games, DEALS, options)[:1]
    rates = {key: round(float(np.mean([row[key]["mean"] for row in rows])), 5) for key in ("win_rate", "score")}
    return {**rates, "evaluation": rows}


def curve_of(run: Path) -> tuple[str, list[list[float]]]:
    """Return what a run's learning curve measures, in words, and points of it: decisions and value."""
    rows = [row for row in metrics.read(run) if "greedy_win_rate" in row]
    if not rows:
        raise ValueError(f"{run} has no learning curve")
    curve = [(int(row["steps"]), value_of(row)) for row in rows]
    steps = points_between(curve[0][0], curve[-1][0])
    return what_is_measured(rows), [[int(step), round(at(curve, step), 5)] for step in steps]


def points_between(begin: float, end: float) -> list[float]:
    """Return the numbers of decisions at which a learning curve is told: ``POINTS``, or one if it has one only."""
    return [float(steps) for steps in np.linspace(begin, end, POINTS if end > begin else 1)]


def at(curve: Sequence[Sequence[float]], steps: float) -> float:
    """Return the value of a curve after so many decisions, on the straight line between two points of it."""
    known, values = np.array(curve).T
    return float(np.interp(steps, known, values))


def mean_curve(curves: Sequence[Sequence[Sequence[float]]]) -> Rows:
    """Return points with ``steps`` and ``mean``, ``low``, ``high`` over the runs, as far as all of them reach.

    Raises:
        ValueError: there is no number of decisions to which all of them reach.
    """
    begin, end = max(curve[0][0] for curve in curves), min(curve[-1][0] for curve in curves)
    if begin > end:
        raise ValueError(f"the learning curve of one run ends after {end} decisions, that of another one begins after {begin}")
    points = []
    for steps in points_between(begin, end):
        values = [at(curve, steps) for curve in curves]
        points.append({"steps": int(steps), **over_seeds([{"mean": value} for value in values], 0.0, 1.0)})
    return points


def draw(game: Game, seeds: Mapping[str, Any], file: Path) -> None:
    """Draw the learning curves of the runs, their mean and its interval, from what the card says of the seeds."""
    axes = axes_for_file(SIZE)
    for run in seeds["runs"]:
        steps, values = np.array(run["curve"]).T
        axes.plot(
            steps / MILLION, values, marker="." if len(steps) == 1 else "", linewidth=1, alpha=0.6, label=f"seed {run['seed']}"
        )
    steps, mean, low, high = (np.array([point[key] for point in seeds["curve"]]) for key in ("steps", "mean", "low", "high"))
    if len(steps) == 1:
        axes.errorbar(steps / MILLION, mean, [mean - low, high - mean], fmt="ko", capsize=4, label="mean, 95 %")
    else:
        axes.plot(steps / MILLION, mean, "k", label="mean")
        axes.fill_between(steps / MILLION, low, high, color="0.85", label="95 %")
    axes.set_title(f"{game.title}: {len(seeds['runs'])} seeds")
    axes.set_xlabel("decisions of the learner, millions")
    axes.set_ylabel(seeds["curve_of"])
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(loc="best", fontsize="small", ncols=2)
    save(axes, file)


def rank(judged: Mapping[str, Any]) -> tuple[float, float]:
    """Return what the best policy has most of: games won, then score."""
    return judged["win_rate"], judged["score"]


def difference(some: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, float]:
    """Return how much more often one policy won than another, with a 95 % interval, from their evaluations on the same deals.

    The interval is as wide as for games on different deals. Lucky deals are lucky for both, so that it is rather too wide.
    """
    shares = [row["win_rate"]["mean"] for judged in (some, other) for row in judged["evaluation"]]
    games = [row["games"] for judged in (some, other) for row in judged["evaluation"]]
    variance = sum(p * (1 - p) / n for p, n in zip(shares, games, strict=True)) / len(some["evaluation"]) ** 2
    mean, half = some["win_rate"] - other["win_rate"], NORMAL_95 * sqrt(variance)
    return {"mean": round(mean, 5), "low": round(mean - half, 5), "high": round(mean + half, 5)}


def facts_of(game: Game, run: Path, games: int, against: str) -> dict[str, Any]:
    """Return what the card says of a run: its seed and command, how its policy did, and its learning curve."""
    policy = policy_of(run)
    card = read_card(policy)
    said = {key: card[key] for key in ("seed", "steps", "steps_of_the_run", "training_command", "weights_sha256")}
    return {**said, **judge_policy(game, policy, games, against), "curve": curve_of(run)[1]}


def kept_runs(policy: Path, common: Mapping[str, Any], games: int, against: str) -> Rows:
    """Return the runs that the card of a policy has already; raises ValueError if they were made or judged in another way."""
    seeds = read_card(policy).get("seeds")
    if seeds is None:
        return []
    if "made_by" not in seeds:
        raise ValueError(f"{policy / CARD} does not say how its runs were made: compare all of them anew, without --add")
    check_alike(seeds["made_by"], common)
    if (seeds["deals_from"], seeds["games"]) != (DEALS, games):
        raise ValueError(f"the runs on {policy / CARD} played {seeds['games']} games: these need --games {seeds['games']}, too")
    if (played := seeds.get("against", SCRIPTED)) != against:
        raise ValueError(f"the runs on {policy / CARD} played against {played}: these need --against {played}, too")
    return list(seeds["runs"])


def compare(policy: Path, runs: Sequence[Path], games: int, add: bool = False, against: str = SCRIPTED) -> dict[str, Any]:
    """Return what the card says of the seeds.

    Args:
        policy: the one that is compared with the runs' policies. runs: folders of finished runs. games: of each policy.
        add: whether the runs that the card has already stay beside these; one that is named again is not judged again.
        against: who has the other seats, as :func:`dig_envs.load_agent` names it.

    Raises:
        ValueError: a run has not ended, or the runs differ in more than their seeds; or another opponent in a cooperative game.
    """
    cards = [read_card(policy_of(run)) for run in runs]
    common = made_by(runs[0])
    for run in runs[1:]:
        check_alike(common, made_by(run))
    game = load_game(common["environment"])
    if game.cooperative and against != SCRIPTED:
        raise ValueError(f"in {game.env_name} a policy plays all seats, as a team, and nobody plays against it")
    kept = kept_runs(policy, common, games, against) if add else []
    known = [one["weights_sha256"] for one in kept]
    new = [(run, card) for run, card in zip(runs, cards, strict=True) if card["weights_sha256"] not in known]
    told = [*kept, *(card for _, card in new)]
    check_seeds([one["seed"] for one in told])
    check_as_long([one["steps_of_the_run"] for one in told])
    facts = kept + [facts_of(game, run, games, against) for run, _ in new]
    return seeds_of(facts, judge_policy(game, policy, games, against), read_card(policy), common) | {
        "deals_from": DEALS,
        "games": games,
        "against": against,
        "curve_of": curve_of(runs[0])[0],
    }


def seeds_of(runs: Rows, itself: Mapping[str, Any], card: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the card says of runs and of the policy itself: results, how it compares with the best, the mean curve.

    Args:
        runs: what the card says of each. itself: how the policy did. card: its own. common: what :func:`made_by` says of the runs.
    """
    best = max(runs, key=rank)
    return {
        "runs": runs,
        "win_rate": over_seeds([{"mean": one["win_rate"]} for one in runs], 0.0, 1.0),
        "score": over_seeds([{"mean": one["score"]} for one in runs]),
        "this_policy": dict(itself),
        "one_of_the_runs": card["weights_sha256"] in [one["weights_sha256"] for one in runs],
        "differs_in": differing(card, common, runs),
        "best": rank(itself) >= rank(best),
        "ahead_of_best_run": difference(itself, best),
        "curve": mean_curve([one["curve"] for one in runs]),
        "made_by": dict(common),
    }


def write_seeds(policy: Path, seeds: Mapping[str, Any]) -> None:
    """Write what came out on the card of a policy."""
    write_card(policy, read_card(policy) | {"seeds": dict(seeds)})


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
    shutil.copy2(best / WEIGHTS, policy / WEIGHTS)
    write_card(policy, card)
    draw_curve(best.parents[2], policy / "curve.png", f"{game.title}: {name}")


def choose_best(policy: Path, runs: Sequence[Path], seeds: dict[str, Any], game: Game) -> dict[str, Any]:
    """Put the best run's policy in the place of this one; return what the card says of the seeds then.

    Raises:
        ValueError: the best run is one of those that the card had already, and not among these.
    """
    chosen = max(seeds["runs"], key=rank)
    found = [folder for folder in map(policy_of, runs) if read_card(folder)["weights_sha256"] == chosen["weights_sha256"]]
    if not found:
        raise ValueError(f"the best run, with seed {chosen['seed']}, is not among those named: name its folder, too")
    rows = named(chosen["evaluation"], read_card(found[0])["name"], read_card(policy)["name"])
    put_in_place(found[0], policy, game)
    itself = {"win_rate": chosen["win_rate"], "score": chosen["score"], "evaluation": rows}
    return seeds | seeds_of(seeds["runs"], itself, read_card(policy), seeds["made_by"])


def verdict(seeds: Mapping[str, Any]) -> str:
    """Return in words how the policy compares with the runs."""
    whose = "one of these runs" if seeds["one_of_the_runs"] else "another run"
    besides = f" that differs in {', '.join(seeds['differs_in'])}, too," if seeds["differs_in"] else ","
    return f"the policy, of {whose}{besides} {standing(seeds)}: {seeds['this_policy']['win_rate']:.3f} of games won"


def standing(seeds: Mapping[str, Any]) -> str:
    """Return in words whether the policy is the best."""
    if seeds["best"]:
        return "is the best"
    return "is weaker than the best" if seeds["ahead_of_best_run"]["high"] < 0 else "is not told apart from the best"


@app.command()
def main(
    policy: Annotated[Path, typer.Argument(help="folder of the policy, whose card tells what came out")],
    runs: Annotated[list[Path], typer.Argument(help="folders of finished runs that differ in their seeds alone")],
    games: Annotated[int, typer.Option(min=1, help="games of each policy for each set of options")] = 2000,
    add: Annotated[bool, typer.Option(help="keep the runs that the card has already beside these")] = False,
    against: Annotated[str, typer.Option(help="who has the other seats; not in a cooperative game")] = SCRIPTED,
    choose: Annotated[bool, typer.Option(help="put the best run's policy in its place, if it is better")] = False,
) -> None:
    """Compare runs with different seeds with each other and with a policy, whose card then tells it."""
    with plain_errors():
        seeds = compare(policy, runs, games, add, against)
        game = load_game(read_card(policy)["environment"])
        if choose and not seeds["best"]:
            seeds = choose_best(policy, runs, seeds, game)
        write_seeds(policy, seeds)
        draw(game, seeds, policy / PICTURE)
    for one in seeds["runs"]:
        console.print(f"seed {one['seed']}: {one['win_rate']:.3f} of games won, score {one['score']:.2f}", highlight=False)
    console.print("mean {mean:.3f} \\[{low:.3f}, {high:.3f}]".format(**seeds["win_rate"]), highlight=False)
    console.print(verdict(seeds), highlight=False)


if __name__ == "__main__":
    app()
