"""Episodes with searches and a policy, and programs in C that play them with an exported game."""

import subprocess
from pathlib import Path

from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import trained_for
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.game import Game
from dig_envs.export.machines import MACHINES, zig
from dig_envs.export.tables import with_prefix
from tests.export.node import HERE
from tests.export.traces import Episode, read_stream, text_plan

SEARCHES = (
    "search:sims=1:seed=2",
    "search:sims=1:seed=2:guide=policy",
    "search:sims=40:seed=3",
    "search:sims=40:seed=4:guide=policy",
    "search:sims=40:seed=5:playout=random:trust=0",
    "search:sims=40:seed=6:playout=none:guide=policy",
    "search:sims=40:seed=7:root=gumbel:considered=5",
    "search:sims=60:seed=8:guide=policy:root=gumbel:considered=6",
)


def here(search: str, policy: str) -> str:
    """Return the name of the same search in this package, which guides some games' searches if
    nobody says otherwise."""
    return (
        search.replace("guide=policy", f"guide={policy}")
        if "guide=" in search
        else f"{search}:guide=none"
    )


def goes(game: Game, search: str, policy: str) -> bool:
    """Return whether the policy can guide such a search: one that was trained with shaped rewards
    judges no positions."""
    try:
        load_agent(here(search, policy), game.env_name)
    except ValueError:
        return False
    return True


def episodes_of(
    game: Game, count: int, most: int, policy: str = "", searches: tuple[str, ...] = ()
) -> list[Episode]:
    """Return episodes with different options and players."""
    agent = load_agent(policy, game.env_name) if policy else None
    episodes = []
    for k in range(count):
        few = [option for option in game.options if 1 < len(option.values) <= 8]
        options = {
            option.name: option.values[(k // (i + 1)) % len(option.values)]
            for i, option in enumerate(few)
        }
        if agent is not None and (cases := trained_for(agent.card, game)):
            options = cases[k % len(cases)]
        try:
            game.complete_options(options)
        except OptionError:
            options = {}
        own = [
            search
            for search in searches
            if (policy or "policy" not in search) and goes(game, search, policy)
        ]
        search = own[k % len(own)] if own else ""
        agents = {"policy": agent}
        if search:
            agents[search] = load_agent(here(search, policy), game.env_name)
        episodes.append(
            Episode(
                options,
                2**64 - 1 - k,
                k,
                most,
                search=search,
                policy="policy" if policy else "",
                agents=agents,
            )
        )
    return episodes


def build(folder: Path, game: Game, machine: str, source: str, *flags: str) -> Path:
    """Return a program in C of this folder, with the game's static library in it. Without -O2 Zig
    would compile parts of its own for programs to be debugged."""
    copy, program = folder / source, folder / Path(source).stem
    copy.write_text(with_prefix(game, (HERE / source).read_text()))
    library = next(folder.rglob(MACHINES[machine].static.format(game.name)))
    target = ("-target", MACHINES[machine].zig)
    zig("cc", *target, "-O2", *flags, "-I", folder, copy, library, "-lm", "-o", program)
    return program


def play_in_c(program: list[str], game: Game, episodes: list[Episode], folder: Path) -> object:
    with (folder / "stream").open("wb") as stream:
        subprocess.run(
            program,
            input=text_plan(game, episodes).encode(),
            stdout=stream,
            check=True,
            timeout=3000,
        )
    with (folder / "stream").open("rb") as stream:
        return read_stream(stream)
