"""Play many games between named agents and say how they did, with 95 % intervals:

    dig-envs evaluate --env cretaceous_creek_v0 --agents heuristic --games 2000 \\
        --sweep level=beginner,intermediate

Several ``--agents`` options give several line-ups; in each, the names stand for the seats, and the
last one plays all that are left: ``--agents random`` fills all seats,
``--agents fossil_canyon/policy,heuristic`` plays against scripted players only.

A trained policy gives probabilities. Playing always the likeliest action, it may look worse than
random play until it has learned a little; so line-ups with policies are played twice, with the
likeliest actions and with sampled ones (``--greedy``, ``--sample``: once).

With ``--curve RUN --out curve.png`` it draws the learning curve of a training run.
"""

import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from dig_envs.agents.loading import parse_spec
from dig_envs.agents.matches import Interval, mean_interval, play_games
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.sealed import load_player
from dig_envs.arena.show import check_picture, print_tables
from dig_envs.commands.output import check_files, plain_errors, write_json
from dig_envs.engine.core.options import parse_options
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from .console import console
from .curve import draw_curve
from .seeds import seed_stream

app = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
SAMPLE = ":sample"  # after a policy's name: it draws its actions


def as_json(interval: Interval) -> dict[str, float]:
    """A mean with its 95 % interval as JSON."""
    return {
        "mean": round(interval.mean, 5),
        "low": round(interval.low, 5),
        "high": round(interval.high, 5),
    }


def judge(
    game: Game, names: Sequence[str], games: int, seed: int, options: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Play games between agents by name, which change seats from game to game; the last one plays
    all seats that are left.

    Returns one row of a table for each agent; in a cooperative game, where all share one result,
    one for the team (``a + b``). ``choices`` says of each policy in the line-up whether it played
    its likeliest action or sampled; the names of those that sampled end in ``:sample``.
    """
    seats = int(game.complete_options(options)["num_players"])
    if len(names) > seats:
        raise ValueError(f"{len(names)} agents for {seats} seats: {', '.join(names)}")
    names = [*names, *[names[-1]] * (seats - len(names))]
    loaded = {name: load_player(name.strip(), game.env_name, seed) for name in names}
    players = [loaded[name] for name in names]
    results = play_games(game.env_name, players, games, seed, options, rotate=True)
    labels = {id(player): player.name for player in players}
    line_up, agents = [player.name for player in players], dict(enumerate(labels.values()))
    choices = {player.name: player.choice for player in players if isinstance(player, OnnxAgent)}
    if game.cooperative:
        agents = {0: " + ".join(line_up) if len(agents) > 1 else line_up[0]}
    rows = []
    for k, agent in agents.items():
        row = {
            "options": dict(options),
            "line_up": line_up,
            "team": game.cooperative,
            "agent": agent,
            "games": games,
        }
        row["choices"] = choices
        row |= {"won": as_json(results.won_by(k)), "score": as_json(results.score(k))}
        row["length"] = as_json(mean_interval(results.lengths))
        if results.num_forfeits(k):
            row["forfeits"] = results.num_forfeits(k)
        rows.append(row)
    return rows


def variants(names: Sequence[str], env: str, sample: bool | None) -> list[list[str]]:
    """Line-ups in which trained policies sample, take the likeliest action, or (``sample`` None)
    one with each.

    A policy whose name says ``:sample`` samples in all of them. Without other policies there is one
    line-up, as it was given.
    """
    greedy = [name.strip() for name in names]
    parsed = [parse_spec(name, env) for name in greedy]
    sampled = [
        f"{spec.text}{SAMPLE}"
        if spec.kind == "policy" and "sample" not in spec.settings.split(":")
        else spec.text
        for spec in parsed
    ]
    if sampled == greedy:
        return [greedy]
    return [greedy, sampled] if sample is None else [sampled if sample else greedy]


def combinations(game: Game, options: list[str], sweeps: list[str]) -> list[dict[str, Any]]:
    """The sets of options to play: the fixed ones with every combination of the swept ones; raises
    OptionError."""
    parsed = parse_options(game.options, options, sweeps)
    return [dict(zip(parsed, case, strict=True)) for case in product(*parsed.values())]


def against(row: Mapping[str, Any]) -> list[str]:
    """The other agents of a line-up in which each plays for itself."""
    return [name for name in row["line_up"] if name != row["agent"] and not row["team"]]


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print one line per options and agent (or team); options that are the same in all lines stand
    above."""
    same = {
        k: v
        for k, v in rows[0]["options"].items()
        if all(row["options"].get(k) == v for row in rows)
    }
    title = ", ".join(f"{k}={v}" for k, v in same.items()) or "default options"
    choosing = any(row["choices"] for row in rows)
    varying = any(row["options"] != same for row in rows)
    competing = any(map(against, rows))
    headings = [
        *(["options"] if varying else []),
        "agent",
        *(["against"] if competing else []),
        *(["chooses"] if choosing else []),
        "won",
        "score",
        "length",
    ]
    cells = [
        [
            *([", ".join(str(v) for k, v in row["options"].items() if k not in same)] * varying),
            row["agent"],
            *([", ".join(against(row))] * competing),
            *([row["choices"].get(row["agent"], "")] * choosing),
            "{mean:.3f} [{low:.3f}, {high:.3f}]".format(**row["won"]),
            "{mean:.2f} [{low:.2f}, {high:.2f}]".format(**row["score"]),
            f"{row['length']['mean']:.1f}",
        ]
        for row in rows
    ]
    title = f"{title}; {rows[0]['games']} games each, [95 % interval]"
    print_tables([(title, headings, cells)], [], console)
    for row in rows:
        if "forfeits" in row:
            console.print(
                f"{row['agent']} gave up {row['forfeits']} of {row['games']} games, which count "
                "as lost"
            )


@app.command()
def main(
    env: Annotated[
        str, typer.Option(help="the environment, such as cretaceous_creek_v0")
    ] = "cretaceous_creek_v0",
    agents: Annotated[
        list[str] | None,
        typer.Option(help="a line-up, such as heuristic,random; repeat for several"),
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, help="number of games for each line of the table")
    ] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(
            help=(
                "seed of the first game; the others follow. Default: one from which no training "
                "deals"
            )
        ),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="an option of the game: name=value")
    ] = None,
    sweep: Annotated[
        list[str] | None, typer.Option(help="an option with several values: name=value,value")
    ] = None,
    sample: Annotated[
        bool | None,
        typer.Option(
            "--sample/--greedy",
            help="policies sample, or take the likeliest action; default: the one, then the other",
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="write the results there")
    ] = None,
    curve: Annotated[
        Path | None, typer.Option(help="folder of a training run whose learning curve to draw")
    ] = None,
    out: Annotated[Path, typer.Option(help="the picture of the learning curve")] = Path(
        "curve.png"
    ),
) -> None:
    """Win rates and scores of agents with 95 % intervals (Wilson), or the learning curve of a
    training run."""
    with plain_errors():
        check_files(json_file)
        if curve is not None:
            check_picture(out)
            if not (curve / "metrics.jsonl").exists():
                raise ValueError(f"{curve} is not a training run: it has no metrics.jsonl")
            draw_curve(curve, out, curve.name)
            console.print(f"learning curve: {out}")
            if agents is None:
                return
        game = load_game(env)
        seed = seed_stream("final evaluation", 0) if seed is None else seed
        rows = []
        for options in combinations(game, option or [], sweep or []):
            for names in agents or ["random", "heuristic"]:
                for line_up in variants(names.split(","), game.env_name, sample):
                    rows += judge(game, line_up, games, seed, options)
        print_table(rows)
        write_json(json_file, {"environment": game.env_name, "seed": seed, "results": rows})


if __name__ == "__main__":
    sys.exit("the command is: dig-envs evaluate")
