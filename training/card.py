"""The best network of a run as a policy with its card: how it was made, whether it passed its gate,
and how it plays."""

import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

import dig_envs
from dig_envs.agents.onnx import read_card
from dig_envs.agents.zoo import holds_policy, policy_folder
from dig_envs.arena.machine import machine_now
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from .cells import make_cells
from .curve import draw_curve, print_curve
from .evaluate import against, combinations, judge, print_table, variants
from .export import copy_policy, read_network, write_policy
from .network import Network
from .run import BEST, Run
from .seeds import seed_stream
from .settings import Settings

FINISHED = "finished"  # an empty file in the folder of a run that has made its policy
FIRST_GAMES = 25  # of the final evaluation, doubled as long as there is time
NOT_PASSED = "no snapshot passed the gate: these are the weights that self-play began with"
NO_BETTER = "not surely better than random play"

Rows = list[dict[str, Any]]


def command_line() -> str:
    """The command that this process was started with."""
    return shlex.join(["dig-envs", *sys.argv[1:]])


def export(run: Run, out: Path, command: str, games: int, earlier: list[dict[str, Any]]) -> None:
    """Save the best network of a run that has ended as a policy in ``out``, judged beside others
    and as their partner.

    Args:
        command: that trained it.
        games: in the final evaluation; fewer where the run's minutes are used up.
        earlier: what the policy that the run started from went through (:func:`history_of`).

    Raises:
        ValueError: another run has made a policy in ``out`` meanwhile. That of this one is in the
            folder of its run.
    """
    network, steps, gate = best_network(run)
    stages = [*earlier, *stages_of(run, steps, command)]
    seed = seed_stream("final evaluation", run.seed)
    facts = {
        **facts_of(run.game, out, stages, steps, run.settings.as_dict()),
        "rewards": run.rewards_of(steps)._asdict(),  # what the values are about
        "training_command": command,
        "seed": run.seed,
        "steps_of_the_run": run.steps_done,
        "gate": gate,
        "evaluation_seed": seed,
    }
    draft = kept_by(run.folder, out)  # it takes its place when it is complete
    policy = str(write_policy(draft, run.game, network, facts))
    run.reporter.say(
        "final evaluation"
        + (f", at most about {run.budget.seconds_left:.0f} seconds" if run.budget.minutes else "")
    )
    table = evaluate_in_time(run, policy, games, seed)
    if run.pool is None:
        gate |= beats_random(table, str(facts["name"]))
    write_policy(draft, run.game, network, {**facts, "gate": gate, "evaluation": table})
    draw_curve(run.folder, draft / "curve.png", f"{run.game.title}: {facts['name']}")
    (run.folder / FINISHED).touch()
    print_curve(run.folder, run.reporter.console)
    print_table(table)
    if is_of_another(out, earlier):
        raise ValueError(
            f"another run has made {out} meanwhile: the policy of this one is {draft}, from where "
            "you can copy it"
        )
    copy_policy(draft, out)
    run.reporter.say(f"saved: {out}, its learning curve: {out / 'curve.png'}")
    if not gate["passed"]:
        run.reporter.say(
            f"not passed: {gate['note']}; to train longer, give more --steps or --minutes, and "
            "another --name",
            "yellow",
        )
    run.reporter.say(in_words(run.game, table, str(facts["name"])))
    human = shlex.join(["dig-envs", "play", run.game.env_name, "--agents", f"human,{out}"])
    run.reporter.say(f"play with it: {human}, or dig_envs.load_agent({str(out)!r})")


def in_words(game: Game, table: Rows, name: str) -> str:
    """How strong a policy is, for somebody who sees such a table for the first time.

    Args:
        table: that is on its card. name: of the policy.
    """
    who = {"random": "random players", "heuristic": "scripted players", name: "players like yours"}
    words = []
    for row in table:
        n = f"{100 * row['won']['mean']:.0f}"
        if row["options"] != table[0]["options"]:
            continue
        if game.cooperative and row["agent"] in who:
            words.append(f"a team of {who[row['agent']]} wins {n}")
        elif row["agent"] == name and against(row)[0] in who:
            words.append(f"{n} against {who[against(row)[0]]}")
    if game.cooperative:
        return f"of 100 games {', '.join(words)}"
    seats = int(game.complete_options(table[0]["options"])["num_players"])
    return (
        f"of 100 games your player wins {', '.join(words)}; a player that is exactly as good as "
        f"its opponents wins {100 / seats:.0f}"
    )


def is_of_another(out: Path, earlier: Rows) -> bool:
    """Whether another run has put its policy in a folder. A run replaces the policy that it started
    from.

    Args:
        earlier: what the policy that the run started from went through.
    """
    if not holds_policy(out):
        return False
    return not earlier or read_card(out)["weights_sha256"] != earlier[-1].get("weights_sha256")


def kept_by(run: Path, out: Path) -> Path:
    """The place of the policy in a run's folder that the run makes for the folder ``out``."""
    return run / "policy" / name_of(out)


def name_of(out: Path) -> str:
    """The name of a folder's policy, such as *fossil_canyon/mine*."""
    place = out.resolve()
    return f"{place.parent.name}/{place.name}"


def facts_of(
    game: Game, out: Path, stages: Rows, steps: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The facts on the card of every policy that is trained here, whatever trained it.

    Args:
        game: that it plays.
        out: folder of the policy.
        stages: what made its weights, in this order: each has ``stage``, ``steps``, ``seed``,
            ``command``.
        steps: decisions of the learner in the run that it comes from.
        settings: of this run; ``games`` are the options that it was trained with.
    """
    return {
        "name": name_of(out),
        "algorithm": "; then ".join(stage["stage"] for stage in stages)
        or "nothing: the first, random weights",
        "history": stages,
        "steps": steps,
        # what win_weight is times of; older cards lack it: +1 for each winner, -1 for the others
        "pays": "return",
        "num_players": numbers_of_players(game, settings["games"]),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine_now(),
        "versions": {"dig_envs": dig_envs.__version__, "torch": torch.__version__},
        "settings": dict(settings),
    }


def best_network(run: Run) -> tuple[Network, int, dict[str, Any]]:
    """The network to export, its step, and the result of the gate for its card."""
    folder, gate = run.folder / BEST, {}
    if run.pool is not None:
        assert run.pool.best is not None
        folder, promotions = run.pool.path(run.pool.best), run.pool.promotions
        gate = {
            "passed": promotions > 0,
            "promotions": promotions,
            "last_passed": run.progress["best"],
        }
        gate |= {} if promotions else {"note": NOT_PASSED}
    return (
        read_network(folder, run.game, make_cells(run.game, run.settings)),
        int(read_card(folder)["steps"]),
        gate,
    )


def beats_random(table: Rows, name: str) -> dict[str, Any]:
    """Whether the score in a cooperative game is surely better than random play's, in place of a
    gate."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for row in table:
        scores.setdefault(str(row["options"]), {})[row["agent"]] = row["score"]
    passed = all(one[name]["low"] > one["random"]["high"] for one in scores.values())
    return {"passed": passed, "against": "random"} | ({} if passed else {"note": NO_BETTER})


# ---------------------------------------------------------------- what made the weights


def stages_of(run: Run, steps: int, command: str) -> Rows:
    """The stages of the run up to the exported network's step, one for each kind of learning."""
    imitated = min(int(run.progress["imitated"]), steps)
    stages = [
        {"stage": f"imitation of {run.settings.warm_start!r}", "steps": imitated},
        {"stage": f"masked PPO{opponents_of(run)}", "steps": steps - imitated},
    ]
    return [{**stage, "seed": run.seed, "command": command} for stage in stages if stage["steps"]]


def opponents_of(run: Run) -> str:
    """The opponents of a run after imitation, in words; empty in a cooperative game."""
    if run.pool is None:
        return ""
    names = run.settings.opponents
    return (
        " by self-play against a pool"
        if {"best", "snapshots"} & names.keys()
        else f" against {' and '.join(names)}"
    )


def history_of(settings: Settings, env_name: str) -> Rows:
    """The stages of the policy that the settings start from, by its card; without a list the card
    itself is one stage."""
    if not settings.start_from:
        return []
    card = read_card(policy_folder(settings.start_from, load_game(env_name)))
    keys = {"steps": "steps", "seed": "seed", "command": "training_command"}
    itself = {
        "stage": card.get("algorithm", "unknown"),
        **{ours: card.get(theirs) for ours, theirs in keys.items()},
    }
    stages: Rows = [dict(stage) for stage in card.get("history", [itself])]
    if stages:
        stages[-1] |= {"policy": card.get("name"), "weights_sha256": card["weights_sha256"]}
    return stages


def numbers_of_players(game: Game, games: Sequence[Mapping[str, Any]]) -> list[int]:
    """The numbers of players in games with such options, ascending."""
    return sorted({int(game.complete_options(options)["num_players"]) for options in games})


# ---------------------------------------------------------------- how it plays


def evaluate_in_time(run: Run, policy: str, games: int, seed: int) -> Rows:
    """The table on the card, for all games of the settings.

    With a budget of minutes it is of as many games as there is time for, doubled from try to try.
    """
    count = games if run.budget.minutes is None else min(FIRST_GAMES, games)
    cases = combinations(run.game, [], run.settings.evaluation_sweep)
    cases = [{**options, **case} for options in run.settings.distinct_games for case in cases]
    while True:
        began = time.monotonic()
        table = [row for case in cases for row in judge_policy(run.game, policy, count, seed, case)]
        if count == games or run.budget.seconds_left < 2 * (time.monotonic() - began):
            return table
        count = min(2 * count, games)


def judge_policy(
    game: Game, policy: str, games: int, seed: int, options: Mapping[str, Any]
) -> Rows:
    """The rows of a table about the policy's strength with the game's options.

    Competitive: the policy against random players, with its likeliest actions and with sampled
    ones, and against scripted ones. Cooperative: random, the scripted player, the policy in both
    ways, and the policy beside the scripted player.
    """
    both = variants([policy] if game.cooperative else [policy, "random"], game.env_name, None)
    line_ups = [["random"], ["heuristic"], *both] if game.cooperative else both
    if int(game.complete_options(options)["num_players"]) > 1:
        line_ups.append([policy, "heuristic"])
    return [row for names in line_ups for row in judge(game, names, games, seed, options)]
