"""Whether agents choose from a view as in the true position, and what that takes.

    python -m tests.adapters.equality --decisions 2000 go_dig_v0

It plays games of each environment, with each case of options (``tests.games.option_cases``), and
asks all agents at decisions with more than one legal action, searches at one in four: with the
environment, and with the view as JSON alone. It prints a table, and what differed.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dig_envs import Seat, load_agent
from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import LEVELS, searches
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.agents.zoo import policies_of
from dig_envs.registry import list_environments, load_game
from dig_envs.text.markdown import markdown_table
from tests.games import option_cases, positions

SEARCHED = 4  # of so many decisions one is searched
GAMES = 12  # of each case of options, at most
SHOWN = 10  # decisions that differed


@dataclass
class Compared:
    """The decisions of one kind of agents: how many, how many equal, and the seconds of each
    call."""

    decisions: int = 0
    equal: int = 0
    position: list[float] = field(default_factory=list)
    view: list[float] = field(default_factory=list)


Differences = list[tuple[str, dict[str, Any], dict[str, Any], int, int]]


def names_of(name: str, sims: int) -> dict[str, str]:
    """All agents that play a game by themselves, and the kind of each."""
    game = load_game(name)
    policies = policies_of(game)
    return {
        "random": "random",
        **dict.fromkeys(["heuristic", *(f"heuristic:style={s}" for s in game.styles)], "scripted"),
        **dict.fromkeys([*LEVELS, "heuristic:careless=0.3", "best", *game.players], "named"),
        **dict.fromkeys(policies, "policy"),
        **{f"{policy}:sample": "policy, sampled" for policy in policies},
        f"search:sims={sims}:guide=none": "search",
        f"best+search:sims={sims}": "best+search",
    }


Twins = tuple[str, Agent, Agent]


def load_twice(environment: str, names: Iterable[str]) -> list[Twins]:
    """Agents by name, each twice with the same seed."""
    return [(name, *(load_agent(name, environment, seed=1) for _ in range(2))) for name in names]


def who_play(agents: Sequence[Twins], env: RawAEC) -> Iterator[Twins]:
    """Those that play a game with these options."""
    seat = Seat(env.view(env.agent_selection))
    for name, first, second in agents:
        with suppress(ValueError):  # a policy that was trained for other numbers of players, ...
            seat.act(first)
            seat.act(second)
            yield name, first, second


def compare(
    name: str, options: dict[str, Any], decisions: int, agents: Sequence[Twins], seed: int = 0
) -> Iterator[tuple[str, dict[str, Any], int, int, float, float]]:
    """Agent, view, action in the position and from the view, and the seconds of both, for each
    agent and so many decisions, evenly over whole games; agents with a memory are asked at all."""
    env = RawAEC(name, **options)
    env.reset(seed=seed)
    players = list(who_play(agents, env))
    count = games = 0
    while count < decisions and games < GAMES:
        games += 1
        count = sum(has_choice(env) for env in positions(name, options, games, 1, seed))
    chosen = {*np.linspace(0, count - 1, min(decisions, count)).astype(int).tolist()}
    place, seats = -1, dict[tuple[int, str], Seat]()
    for env in positions(name, options, games, 1, seed):
        place += has_choice(env)
        asked = has_choice(env) and place in chosen
        view = json.loads(json.dumps(env.view(env.agent_selection)))
        key = int(env.states["seed"][0]), env.agent_selection
        began = time.process_time()
        if key in seats:
            seats[key].saw(view)
        else:
            seats[key] = Seat(view)
        completed = time.process_time() - began
        for agent, first, second in players:
            skipped = place % SEARCHED and searches(agent)
            if (asked and not skipped) or memory_size(for_options(first, env.options)):
                began = time.process_time()
                action = first.act(env)
                between = time.process_time()
                other = seats[key].act(second)
                if asked:
                    after = completed + time.process_time() - between
                    yield agent, view, action, other, between - began, after


def has_choice(env: RawAEC) -> bool:
    """Whether more than one action is legal."""
    return int(env.observe(env.agent_selection)["action_mask"].sum()) > 1


def measure(name: str, decisions: int, sims: int) -> tuple[dict[str, Compared], Differences]:
    """Compare all agents of an environment; by their kinds, and what differed."""
    kinds = names_of(name, sims)
    cases = option_cases(name)[::-1]  # short games first: the others make up for them
    compared: dict[str, Compared] = defaultdict(Compared)
    differences: Differences = []
    agents, left = load_twice(name, kinds), decisions
    for number, options in enumerate(cases):
        before = compared["random"].decisions
        for agent, view, action, other, first, second in compare(
            name, options, -(-left // (len(cases) - number)), agents, 100 * number
        ):
            one = compared[kinds[agent]]
            one.decisions += 1
            one.equal += action == other
            one.position.append(first)
            one.view.append(second)
            if action != other:
                differences.append((agent, options, view, action, other))
        left -= compared["random"].decisions - before
    return compared, differences


def main() -> None:
    """Compare the named environments, or all, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("environments", nargs="*", default=list_environments())
    parser.add_argument("--decisions", type=int, default=2000, help="of each environment")
    parser.add_argument("--sims", type=int, default=100, help="of a search")
    given = parser.parse_args()
    rows = []
    for name in given.environments:
        compared, differences = measure(name, given.decisions, given.sims)
        rows += [
            (
                name,
                kind,
                str(one.decisions),
                str(one.equal),
                f"{1000 * np.median(one.position):.2f}",
                f"{1000 * np.median(one.view):.2f}",
            )
            for kind, one in compared.items()
        ]
        for agent, options, view, action, other in differences[:SHOWN]:
            print(name, agent, options, action, other, json.dumps(view), flush=True)
    heads = ("environment", "agents", "choices", "equal", "position, ms", "view, ms")
    print(markdown_table(heads, rows))


if __name__ == "__main__":
    main()
