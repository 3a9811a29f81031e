"""The command ``python -m training.baselines``: one run, the queue of all runs, or the table of their results."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import torch

from .common import Study, load_task, write_result
from .queue import run_queue
from .summary import write_summary

ALGORITHMS = {  # the module of each
    "ppo": "ppo",
    "ppo_long": "ppo",
    "recurrent": "ppo",
    "sb3": "sb3",
    "dqn": "dqn",
    "nfsp": "nfsp",
    "nfsp_openspiel": "with_openspiel",
    "psro": "psro",
    "expert": "expert",
    "mappo": "with_benchmarl",
    "qmix": "with_benchmarl",
    "ismcts": "fixed",
    "ismcts_plain": "fixed",
    "random": "fixed",
    "scripted": "fixed",
}
EPILOG = "QUEUE and TABLE: python -m training.baselines queue FOLDER; python -m training.baselines table FOLDER --out FILE"


def load_algorithm(name: str) -> Callable[[Study], None]:
    """Return the function ``train`` of an algorithm; ValueError for an unknown one, or one whose library is missing."""
    if name not in ALGORITHMS:
        raise ValueError(f"no algorithm {name!r}; there are {', '.join(ALGORITHMS)}")
    try:
        train: Callable[[Study], None] = import_module(f"{__package__}.{ALGORITHMS[name]}").train
    except ImportError as error:
        how = "pip install -e '.[baselines]'; BenchMARL in an environment of its own, see dig_envs/adapters/LIBRARIES.md"
        raise ValueError(f"{name} needs {error.name}: {how} ({error})") from None
    return train


def run_algorithm(study: Study) -> dict[str, object]:
    """Run an algorithm to its end, and return the result."""
    load_algorithm(study.algorithm)(study)
    return study.result()


def parse_change(text: str) -> tuple[str, object]:
    """Return name and value of a changed hyper-parameter, ``name=value``, the value as in JSON or else a text."""
    name, sign, value = text.partition("=")
    if not sign:
        raise ValueError(f"a change is written name=value, not {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main(words: Sequence[str] | None = None) -> None:
    """Do what the command line says; exits with 2 and a line that says what is wrong."""
    words = list(sys.argv[1:] if words is None else words)
    if words[:1] == ["queue"]:
        return run_queue(words[1:])
    if words[:1] == ["table"]:
        return write_summary(words[1:])
    parser = argparse.ArgumentParser("python -m training.baselines", description=__doc__, epilog=EPILOG)
    parser.add_argument("algorithm", help=", ".join(ALGORITHMS))
    parser.add_argument("game", help="such as go_dig; the games are those of settings/tasks.toml")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers in training")
    parser.add_argument("--decisions", type=int, default=300_000, help="decisions of the learner, rounded up to complete updates")
    parser.add_argument("--out", type=Path, required=True, help="folder for the result, a JSON file")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a hyper-parameter (repeatable)")
    parser.add_argument("--curve-games", type=int, default=Study.curve_games, help="games of each point of the learning curve")
    parser.add_argument("--final-games", type=int, default=Study.final_games, help="games of each line of the final evaluation")
    values = parser.parse_args(words)
    try:
        if min(values.decisions, values.curve_games, values.final_games) < 1 or values.seed < 0:
            raise ValueError("decisions and games must be at least 1, the seed at least 0")
        study = Study(values.algorithm, load_task(values.game), values.seed, values.decisions, dict(map(parse_change, values.set)))
        study.curve_games, study.final_games = values.curve_games, values.final_games
        train = load_algorithm(values.algorithm)
        torch.set_num_threads(1)
        train(study)
        print(write_result(values.out, study.result()))
    except ValueError as error:
        parser.exit(2, f"error: {error}\n")


if __name__ == "__main__":
    main()
