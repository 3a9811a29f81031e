"""The command line ``dig-envs``: each function is a subcommand, which reads what was typed and
calls what does the work."""

import json
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from dig_envs.engine.core.installing import how_to_install

try:
    import rich  # noqa: F401
    import typer
except ImportError:  # pragma: no cover - a test runs this in a process of its own
    sys.exit(f"dig-envs needs Typer and Rich: {how_to_install('play')}")

from dig_envs.agents.mistakes import MOST_MISTAKES, mistakes_text
from dig_envs.agents.names import split_names
from dig_envs.agents.search_settings import MOST
from dig_envs.arena.schedule import BLOCK
from dig_envs.batch.batch_env import MOST_GAMES, num_cores
from dig_envs.benchmark.exploiting import PPO_DECISIONS, SEARCH_SIMS
from dig_envs.commands.default_command import with_default
from dig_envs.commands.describing import print_answer, print_description, print_environments
from dig_envs.commands.output import (
    check_files,
    console,
    plain_errors,
    progress_bar,
    say,
    write_json,
)
from dig_envs.commands.positions import picture_of
from dig_envs.commands.speed import BATCH, CUDA_BATCH
from dig_envs.commands.terminal import Dialogue, Human, Match, Narrator, Quit, wants_to_keep
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.options import parse_options
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game

app = typer.Typer(
    pretty_exceptions_show_locals=False,  # a key could be one of them
    add_completion=False,
    no_args_is_help=True,
    help="Digging games for reinforcement learning.",
)

MOST_DELAY = 3600  # seconds
MOST_REQUESTS = 200  # that are not all there yet, of `dig-envs mcp`
Env = Annotated[str, typer.Argument(help="such as cretaceous_creek_v0")]
Envs = Annotated[list[str] | None, typer.Argument(help="environments; default: all")]
OptionTexts = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="an option of the game: name=value")
]
Seed = Annotated[int | None, typer.Option(help="seed of the deal; default: a new one each time")]
FirstSeed = Annotated[
    int, typer.Option(help="seed of the first deal; the following deals use the next seeds")
]
Names = Annotated[str, typer.Option(help="names, separated by commas")]
Games = Annotated[
    int, typer.Option(help="minimum number for each pair (cooperative: for each agent)")
]
Results = Annotated[
    Path | None,
    typer.Option(help="append the games to this file; the same command resumes from it"),
]
ReportFile = Annotated[Path | None, typer.Option("--json", help="write the report to this file")]
Standings = Annotated[
    Path | None, typer.Option(help="draw the standings to this file (.png, .svg, .pdf)")
]
SuiteName = Annotated[str, typer.Option(help="small or full")]
Processes = Annotated[int | None, typer.Option(help="processes; default: one for each core")]
Block = Annotated[
    int, typer.Option(help="deals that a pair plays at a time; take fewer for slow agents")
]


def options_of(game: Game, texts: list[str] | None) -> dict[str, Any]:
    """The options of a game that were typed as ``name=value``; raises OptionError that says what
    would be right."""
    return {name: value for name, (value,) in parse_options(game.options, texts or []).items()}


def games_of(names: list[str] | None) -> list[Game]:
    """The games of environments; None: all."""
    return [load_game(name) for name in names or list_environments()]


def cores(workers: int | None) -> int:
    """A number of processes; None: one for each core."""
    return num_cores() if workers is None else workers


@app.command("list")
def list_command() -> None:
    """List the environments."""
    print_environments(games_of(None))


@app.command()
@plain_errors()
def describe(
    env: Env,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    json_schema: Annotated[
        bool, typer.Option("--json-schema", help="print the JSON Schema of its snapshots")
    ] = False,
    ask: Annotated[
        str | None,
        typer.Option(help="what the game's companion app says, such as the inputs '2-3-A 3-3-A'"),
    ] = None,
) -> None:
    """Show spaces, options, phases, the observation field by field, actions and events."""
    game = load_game(env)
    if ask is not None:
        print_answer(game, ask, as_json)
    elif as_json or json_schema:
        from dig_envs.server.protocol.describing import description

        print(
            json.dumps(
                game.json_schema if json_schema else description(game), indent=1, ensure_ascii=False
            )
        )
    else:
        print_description(game)


@app.command()
@plain_errors()
def watch(
    env: Env,
    agents: Annotated[
        str, typer.Option(help="a name per seat; the last one plays all remaining seats")
    ] = "heuristic",
    option: OptionTexts = None,
    seed: Seed = None,
    draw: Annotated[
        str,
        typer.Option(help="when to draw the position: 'turn' (at every turn), 'end' or 'never'"),
    ] = "turn",
    save: Annotated[Path | None, typer.Option(help="write the last position to this file")] = None,
    delay: Annotated[
        float | None,
        typer.Option(
            min=0, max=MOST_DELAY, help="seconds to wait after each seat; of a film: per picture"
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="film the game: out.gif, out.mp4, or a folder for SVG files")
    ] = None,
) -> None:
    """Print a game step by step; with the printed seed you can repeat it."""
    if draw not in ("turn", "end", "never"):
        raise ValueError(f"--draw {shown_in_message(draw)} is not one of turn, end, never")
    check_files(save)
    if picture is not None:
        from dig_envs.pictures.film import check_film

        check_film(picture)
    game = load_game(env)
    match = Match(game, agents, options_of(game, option), seed)
    if any(isinstance(player, Human) for player in match.players):
        raise ValueError("only agents play here; to play yourself use dig-envs play")
    say(match.who_plays())
    say(f"seed {match.seed}")
    if picture is None:
        Narrator(match, console, draw, delay or 0.0).tell()
    else:
        from dig_envs.pictures.film import Film

        with Film(picture, delay) as film:
            Narrator(match, console, draw, film=film).tell()
        say(f"{film.count} pictures in {picture}")
    if save is not None:
        match.save(save)


@app.command("picture")
@plain_errors()
def picture_command(
    position: Annotated[
        Path, typer.Argument(help="a saved position (`save` in play, `--save` of watch)")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help=".svg or .png; default: SVG on standard output")
    ] = None,
    view: Annotated[
        str, typer.Option(help="what is shown: 'public', 'all', or an agent's, such as 'player_0'")
    ] = "public",
    theme: Annotated[str, typer.Option(help="'light' or 'dark'")] = "light",
    layout: Annotated[
        str, typer.Option(help="'wide' (960 pixels), or 'column' (360) for a column of a paper")
    ] = "wide",
) -> None:
    """Draw a picture of a saved position."""
    sheet = picture_of(position, view, theme, layout)
    if out is None:
        print(sheet.svg())
    else:
        from dig_envs.pictures.pixels import save_picture

        save_picture(sheet, out)


@app.command()
@plain_errors()
def play(
    env: Env,
    agents: Annotated[
        str | None,
        typer.Option(
            help="a name per seat, 'human' for a person; the last one plays all remaining seats; "
            "default: a person, and who plays with people in this game"
        ),
    ] = None,
    option: OptionTexts = None,
    seed: Seed = None,
    load: Annotated[Path | None, typer.Option(help="begin with a saved position")] = None,
) -> None:
    """Play in the terminal: choose actions by number or by their text; ``help`` lists the
    commands."""
    game = load_game(env)
    match = Match(game, agents, options_of(game, option), seed, load)
    say(match.who_plays())
    try:
        Dialogue(match, console).play()
    except (Quit, EOFError, KeyboardInterrupt) as stop:
        if isinstance(stop, EOFError):
            say("\ninput ended; the game is not finished")
        if wants_to_keep(console):
            said = "" if agents is None else f"--agents {agents} "
            say(f"The position is kept: dig-envs play {env} {said}--load {match.save_unnamed()}")


@app.command()
@plain_errors()
def advise(
    env: Env,
    seat: Annotated[
        int | None, typer.Option(min=1, help="which player you are, from 1; default: it asks")
    ] = None,
    agent: Annotated[str, typer.Option(help="who advises")] = "heuristic",
    option: OptionTexts = None,
    top: Annotated[int, typer.Option(min=1, max=20, help="how many actions it advises")] = 3,
    load: Annotated[
        Path | None, typer.Option(help="go on with a saved game, or begin with a saved view")
    ] = None,
    seed: Annotated[int, typer.Option(help="of the agent")] = 0,
) -> None:
    """Advise one player at a real table, who types what happens; reads also a log of events."""
    from dig_envs.agents.loading import load_agent
    from dig_envs.commands.assistant import Assistant
    from dig_envs.commands.beginning import begin, go_on

    game = load_game(env)
    advisor, piped = load_agent(agent, env, seed), not sys.stdin.isatty()
    own, line = None if seat is None else seat - 1, 0

    def ask(question: str) -> str:
        nonlocal line
        line += 1
        return console.input(question)

    try:
        given = options_of(game, option)
        place = go_on(load, game, own) if load else begin(game, own, given, ask, piped)
    except EOFError:
        raise SnapshotError("the input ended before the game had begun") from None
    except SnapshotError as error:
        raise (SnapshotError(f"line {line}: {error}") if line else error) from None
    assistant = Assistant(place, advisor, console, top, piped, line)
    with suppress(Quit, EOFError, KeyboardInterrupt):
        assistant.run()
    if assistant.wrong and piped:
        raise typer.Exit(1)


@app.command()
@plain_errors()
def review(
    file: Annotated[Path, typer.Argument(help="a game that `dig-envs advise` has saved")],
    most: Annotated[int, typer.Option(min=1, max=MOST_MISTAKES, help="how many it tells")] = 3,
) -> None:
    """Tell your largest mistakes in a saved game."""
    from dig_envs.commands.beginning import load_seat

    say(mistakes_text(load_seat(file).mistakes(most), "Your"))


Proxies = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "IP address of a proxy, whose X-Forwarded-For names the client; repeat for several. "
            "Without it this header is not believed"
        )
    ),
]


@app.command()
@plain_errors()
def serve(
    host: Annotated[
        str, typer.Option(help="where to listen; 0.0.0.0 for other machines")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(help="a name by which others reach this machine; repeat for several"),
    ] = None,
    games: Annotated[
        Path | None,
        typer.Option(help="the file in which games are kept; default: in your data folder"),
    ] = None,
    memory: Annotated[bool, typer.Option("--memory", help="keep games in memory only")] = False,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="processes in which agents compute")
    ] = 2,
    think_ms: Annotated[
        int, typer.Option(min=1, max=60_000, help="longest allowed search, in milliseconds")
    ] = 5000,
    tables: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="how many games are kept")
    ] = 2000,
    connections: Annotated[
        int, typer.Option(min=2, help="connections to tables; one address may have half of them")
    ] = 500,
    proxy: Proxies = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "another site whose pages may use this server, such as https://my-site.example; "
                "repeat for several"
            )
        ),
    ] = None,
    programs: Annotated[
        int, typer.Option(min=2, help="programs at /rpc; one address may have half of them")
    ] = 50,
    program_seconds: Annotated[
        float,
        typer.Option(min=1, max=3600, help="computing time per minute for programs at one address"),
    ] = 60.0,
    patience: Annotated[
        float,
        typer.Option(
            min=0.1,
            max=600,
            help=(
                "seconds until the content of a request, or the first message of a player, is there"
            ),
        ),
    ] = 10.0,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "a language model that visitors may choose as a player, llm:MODEL; repeat for "
                "several"
            )
        ),
    ] = None,
) -> None:
    """Serve a web page on which people and agents play."""
    from dig_envs.agents.llm import check_public_name

    try:
        from dig_envs.server import app as server
        from dig_envs.server.bounds import Bounds
        from dig_envs.server.guard import is_loopback
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not there: {how_to_install('serve')}") from None
    if not is_loopback(host):
        say(
            "Other machines can reach this server. What is sent is not encrypted: put a proxy "
            "with TLS before it."
        )
    path = None if memory else games or server.usual_file()
    if path is not None and path.is_dir():
        raise ValueError(
            f"{path} is a folder: --games names the file in which games are kept, such as "
            f"{path / 'games.sqlite'}"
        )
    models = tuple(check_public_name(each) for each in model or ())
    bounds = Bounds(
        workers=workers,
        think_ms=think_ms,
        think_seconds=(60 if models else 0) + think_ms / 1000 + 15,  # a model's server takes longer
        tables=tables,
        connections=connections,
        programs=programs,
        uploads=programs,
        program_seconds=program_seconds,
        greeting_seconds=patience,
        models=models,
    )
    server.serve(
        host, port, path, tuple(name or ()), bounds, tuple(proxy or ()), tuple(origin or ())
    )


@app.command()
@plain_errors()
def arena(
    env: Env,
    agents: Names = "",
    agent: Annotated[
        list[str] | None,
        typer.Option(help="one more name, which may contain commas; repeat for several"),
    ] = None,
    games: Games = 200,
    seed: FirstSeed = 0,
    option: OptionTexts = None,
    results: Results = None,
    json_file: ReportFile = None,
    picture: Standings = None,
    anchor: Annotated[
        str | None,
        typer.Option(help="whose Elo is 0: an agent, or 'mean'; default: random if it takes part"),
    ] = None,
    workers: Processes = None,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="play on a Ray cluster: auto, HOST:PORT or ray://…"),
    ] = None,
    block: Block = BLOCK,
    tables: Annotated[
        bool,
        typer.Option("--tables", help="a different agent in every seat, for all groups of agents"),
    ] = False,
    allow_unfamiliar: Annotated[
        bool,
        typer.Option(
            "--allow-unfamiliar",
            help="let policies play with options that they were not trained for",
        ),
    ] = False,
) -> None:
    """Let agents play each other on the same deals, in all seats; Elo with 95 % intervals
    (cooperative game: mean scores)."""
    from dig_envs.commands.contests import hold_arena

    if ray is not None and workers is not None:
        raise ValueError("either --workers or --ray: a cluster plays on all of its cores")
    names = [*(split_names(agents) if agents else []), *(agent or [])]
    deals: dict[str, Any] = {
        "games": games,
        "seed": seed,
        "options": options_of(load_game(env), option),
        "tables": tables,
    }
    how: dict[str, Any] = {
        "workers": cores(workers),
        "cluster": ray,
        "block": block,
        "results": results,
    }
    hold_arena(
        env,
        names,
        json_file,
        picture,
        **deals,
        **how,
        anchor=anchor,
        allow_unfamiliar=allow_unfamiliar,
    )


@app.command()
@plain_errors()
def ladder(
    env: Env,
    players: Annotated[
        int | None, typer.Option(help="number of players; default: the game's")
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(help="settings of the search, such as sims=100; default: 200ms, or the sweep"),
    ] = None,
    sweep: Annotated[
        str | None, typer.Option(help="a search for each value of a setting, such as sims=2,8,32")
    ] = None,
    agent: Annotated[
        list[str] | None, typer.Option(help="one more agent to rate; repeat for several")
    ] = None,
    games: Games = 40,
    seed: FirstSeed = 0,
    option: OptionTexts = None,
    results: Results = None,
    json_file: ReportFile = None,
    picture: Standings = None,
    workers: Processes = None,
    block: Block = 2,
) -> None:
    """Rate random, scripted player, strongest policy, search, and search guided by the policy in an
    arena."""
    from dig_envs.arena.ladder import BUDGET, rungs, swept
    from dig_envs.commands.contests import hold_arena

    game = load_game(env)
    options = options_of(game, option) | ({} if players is None else {"num_players": players})
    searches = [search or BUDGET] if sweep is None else swept(search or "", sweep)
    names = [*rungs(game, options, searches), *(agent or [])]
    deals: dict[str, Any] = {"games": games, "seed": seed, "options": options}
    how: dict[str, Any] = {"workers": cores(workers), "block": block, "results": results}
    # the strongest policy may be one that was trained for other options
    hold_arena(env, names, json_file, picture, **deals, **how, allow_unfamiliar=True)


benchmark_app = typer.Typer(
    cls=with_default("measure"),
    no_args_is_help=True,
    help=(
        "Measure agents by a fixed suite. `dig-envs benchmark AGENT …` is short for `dig-envs "
        "benchmark measure AGENT …`."
    ),
)
app.add_typer(benchmark_app, name="benchmark")


@benchmark_app.command("measure")
@plain_errors()
def benchmark(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="names of agents, without a game for all games; or python:MODULE:FUNCTION"
        ),
    ],
    suite: SuiteName = "small",
    tasks: Annotated[
        str, typer.Option(help="only these tasks, such as 'fossil_canyon-*,go_dig-2'")
    ] = "*",
    results: Annotated[
        Path | None,
        typer.Option(help="keep the games in this folder; the same command resumes from it"),
    ] = None,
    json_file: ReportFile = None,
    markdown: Annotated[Path | None, typer.Option(help="write the table to this file")] = None,
    workers: Processes = None,
    block: Block = BLOCK,
    seeds: Annotated[
        Path | None,
        typer.Option(
            help=(
                "play on the held-out deals of this file (-: standard input), after checking its "
                "commitment"
            )
        ),
    ] = None,
) -> None:
    """Measure agents by a fixed suite of tasks: a random player has 0, the reference 100; 95 %
    intervals."""
    from dig_envs.commands.contests import measure_agents

    asked = {
        "suite": suite,
        "tasks": tasks,
        "results": results,
        "workers": cores(workers),
        "block": block,
    }
    measure_agents(agents, json_file, markdown, seeds, **asked)


@benchmark_app.command("exploit")
@plain_errors()
def benchmark_exploit(
    agent: Annotated[
        str,
        typer.Argument(
            help=(
                "name of the agent; a search is made against scripted players and policies only, "
                "none against python:"
            )
        ),
    ],
    suite: SuiteName = "small",
    tasks: Annotated[
        str, typer.Option(help="only these tasks: a pattern, or several, separated by commas")
    ] = "*",
    decisions: Annotated[
        int, typer.Option(help="decisions that PPO learns from; 0: only search")
    ] = PPO_DECISIONS,
    sims: Annotated[int, typer.Option(help="simulations of the search; 0: only PPO")] = SEARCH_SIMS,
    games: Annotated[
        int | None, typer.Option(help="games with each exploiter; default: those of the suite")
    ] = None,
    folder: Annotated[Path, typer.Option(help="folder for training runs")] = Path("exploit"),
    json_file: ReportFile = None,
    workers: Processes = None,
) -> None:
    """Bound an agent's exploitability from below: by a search that knows its choices, and by PPO
    trained against it."""
    from dig_envs.commands.contests import exploit_agent

    budget = {"decisions": decisions, "sims": sims, "games": games}
    exploit_agent(
        agent, json_file, suite=suite, tasks=tasks, folder=folder, workers=cores(workers), **budget
    )


@benchmark_app.command("cooperation")
@plain_errors()
def benchmark_cooperation(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="two or more agents that were not trained together, such as seeds of one training"
        ),
    ],
    suite: SuiteName = "small",
    task: Annotated[str, typer.Option(help="a cooperative task")] = "cretaceous_creek-2",
    results: Annotated[
        Path | None,
        typer.Option(help="keep the games in this folder; the same command resumes from it"),
    ] = None,
    json_file: ReportFile = None,
    workers: Processes = None,
) -> None:
    """Play the cross-play matrix: each agent with itself, with each other, and with the scripted
    player."""
    from dig_envs.commands.contests import pair_up

    pair_up(agents, json_file, suite=suite, task=task, results=results, workers=cores(workers))


@benchmark_app.command("commit")
@plain_errors()
def commit(
    seeds: Annotated[
        Path, typer.Option(help="the file of the secret; created if it does not exist")
    ],
    name: Annotated[str, typer.Option(help="name of a new secret, such as 2027-spring")] = "",
) -> None:
    """Print the commitment to held-out seeds: the hash of a secret, for
    dig_envs/benchmark/commitments.json."""
    from dig_envs.commands.submitting import commit_to

    commit_to(seeds, name)


@benchmark_app.command("submit")
@plain_errors()
def submit(
    report: Annotated[
        Path,
        typer.Argument(
            help="a file that `dig-envs benchmark … --json` has written, or a submission"
        ),
    ],
    name: Annotated[
        str, typer.Option(help="name of the player on the leaderboard; default: the agent's")
    ] = "",
    authors: Annotated[str, typer.Option(help="who made it; a report needs that")] = "",
    link: Annotated[str, typer.Option(help="link to its code or paper: https://…")] = "",
    agent: Annotated[str, typer.Option(help="which agent's report, if the file has several")] = "",
    again: Annotated[
        str,
        typer.Option(help="play these tasks again and compare deal by deal, such as 'go_dig-*'"),
    ] = "",
    play_as: Annotated[
        str,
        typer.Option(
            help=(
                "who plays them again; needed for players that do not come with this package. It "
                "runs their code"
            )
        ),
    ] = "",
    board: Annotated[
        Path | None, typer.Option(help="folder of the leaderboard; default: that of the checkout")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="replace the submission of the same name")
    ] = False,
    workers: Processes = None,
) -> None:
    """Check a report against the suite, and put it on the leaderboard.

    The guide says how: dig_envs/documentation/pages/guides/60_submit.md.
    """
    from dig_envs.commands.submitting import submit_report

    about = {"name": name, "authors": authors, "link": link, "agent": agent}
    submit_report(report, about, again, play_as, board, replace, cores(workers))


@app.command()
@plain_errors()
def engine(
    sims: Annotated[
        int, typer.Option(min=1, max=MOST["sims"], help="most simulations of a search")
    ] = 10_000,
    ms: Annotated[
        int, typer.Option(min=1, max=MOST["ms"], help="most milliseconds of a search")
    ] = 10_000,
    workers: Annotated[
        int,
        typer.Option(
            min=0,
            max=64,
            help=(
                "agents that think at the same time while messages about other games are "
                "answered; 0: all messages are answered in order"
            ),
        ),
    ] = 0,
) -> None:
    """Offer games and agents to other programs: JSON-RPC 2.0 over standard input and output
    (dig_envs/server/PROTOCOL.md)."""
    try:
        from dig_envs.server.protocol.dispatcher import Dispatcher
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not there: {how_to_install('engine')}") from None
    from dig_envs.server.protocol.engine import run, serve_lines
    from dig_envs.server.protocol.limits import Limits
    from dig_envs.server.side_by_side import serve_side_by_side

    serve = partial(serve_side_by_side, workers=workers) if workers else serve_lines
    run(Dispatcher(Limits(sims=sims, ms=ms)), serve)


@app.command()
@plain_errors()
def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="serve over HTTP instead of standard input and output")
    ] = False,
    host: Annotated[
        str, typer.Option(help="with --http: where to listen; 0.0.0.0 for other machines")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="port, with --http; 0: a free one")
    ] = 8002,
    name: Annotated[
        list[str] | None,
        typer.Option(help="a name by which others reach this machine; repeat for several"),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="games in progress at a time")] = 20,
    sims: Annotated[int, typer.Option(min=1, help="most simulations of a search")] = 10_000,
    ms: Annotated[
        int, typer.Option(min=1, max=60_000, help="most milliseconds of a search")
    ] = 2000,
    think_seconds: Annotated[
        float,
        typer.Option(min=0.1, max=600, help="seconds that agents may compute within one call"),
    ] = 20.0,
    no_seeds: Annotated[
        bool,
        typer.Option("--no-seeds", help="refuse seeds from clients, since a seed reveals the deal"),
    ] = False,
    proxy: Proxies = None,
    client_seconds: Annotated[
        float,
        typer.Option(
            min=1, max=3600, help="with --http: computing time per minute for one address"
        ),
    ] = 60.0,
) -> None:
    """Offer games to language models: a server of the Model Context Protocol
    (dig_envs/server/mcp/README.md)."""
    try:
        from dig_envs.server.mcp.running import run_http, run_stdio
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not there: {how_to_install('mcp')}") from None
    from dig_envs.server.bounds import Bounds
    from dig_envs.server.guard import is_loopback
    from dig_envs.server.mcp.tables import Tables
    from dig_envs.server.protocol.limits import Limits

    minute_ms = round(1000 * client_seconds) if http else 0
    limits = Limits(games=games, sims=sims, ms=ms, minute_ms=minute_ms)
    tables = Tables(limits, think_seconds, seeds=not no_seeds, shared=http)
    if not http:
        run_stdio(tables)
        return
    if not is_loopback(host):
        say(
            "Other machines can reach this server. What is sent is not encrypted: put a proxy "
            "with TLS before it."
        )
    run_http(
        tables, host, port, tuple(name or ()), Bounds(uploads=MOST_REQUESTS), tuple(proxy or ())
    )


TRAINING = ("dig_envs.training", "training")  # in an installed wheel; in a checkout
PASSED_ON: dict[str, Any] = {
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
    "add_help_option": False,
}


@app.command(**PASSED_ON)
def train(context: typer.Context) -> None:
    """Train a policy: `dig-envs train go_dig --minutes 20`; `dig-envs train --help` says more."""
    run_of_training("train", context.args)


@app.command(**PASSED_ON)
def evaluate(context: typer.Context) -> None:
    """Play many games between agents: `dig-envs evaluate --env go_dig_v0 --agents
    heuristic,random`; `--help` says more."""
    run_of_training("evaluate", context.args)


def run_of_training(module: str, arguments: list[str]) -> None:
    """Run a command of the package ``training``, which needs more than the others do, with its
    arguments."""
    with plain_errors():
        package = next((name for name in TRAINING if find_spec(name) is not None), None)
        if package is None:
            raise ImportError("there is no training in this installation")
        try:
            command = typer.main.get_command(import_module(f"{package}.{module}").app)
        except ModuleNotFoundError as error:
            raise ImportError(f"{error.name} is not there: {how_to_install('train')}") from None
    command.main(arguments, prog_name=f"dig-envs {module}")


@app.command()
@plain_errors()
def bench(
    env: Envs = None,
    seconds: Annotated[
        float, typer.Option(min=0.01, max=3600, help="seconds for each measurement")
    ] = 1.0,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="repeats of each measurement")] = 5,
    option: OptionTexts = None,
    start: Annotated[bool, typer.Option(help="also measure compile and start-up times")] = True,
    search: Annotated[
        bool, typer.Option(help="measure simulations per second of the search agent instead")
    ] = False,
    jax: Annotated[
        bool, typer.Option(help="measure random play inside JAX instead, compared with BatchEnv")
    ] = False,
    cuda: Annotated[
        bool,
        typer.Option(help="measure batches on a GPU instead, compared with all cores of the CPU"),
    ] = False,
    batch_size: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_GAMES,
            help=(
                f"games of a batch on one core, {BATCH} by default; with all cores, twice as many "
                f"per core; on a GPU {CUDA_BATCH}"
            ),
        ),
    ] = None,
    json_file: ReportFile = None,
) -> None:
    """Measure steps per second of the environments, compared with those of other libraries."""
    from dig_envs.commands.speed import measure_game, print_report

    reports = []
    for game in games_of(env):
        reports.append(
            measure_game(
                game,
                seconds,
                repeats,
                options_of(game, option),
                start,
                search,
                batch_size,
                jax,
                cuda,
            )
        )
        print_report(reports[-1], console)
    write_json(json_file, reports)


@app.command("export")
@plain_errors()
def export_command(
    env: Env,
    to: Annotated[
        str, typer.Option(help="wasm: a package for npm and a page to play on; c: libraries in C")
    ],
    out: Annotated[Path, typer.Option(help="the folder to write to")],
    target: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "with --to c: target machine, such as aarch64-linux; repeat for several; default: "
                "this machine"
            )
        ),
    ] = None,
    processor: Annotated[
        str,
        typer.Option(
            help=(
                "with --to c: oldest supported processor, by its name in LLVM; native: this "
                "processor"
            )
        ),
    ] = "",
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "also export the weights of this policy, such as fossil_canyon/policy, for players "
                "that are it or search with it; best: all that the player best needs; repeat for "
                "several"
            )
        ),
    ] = None,
) -> None:
    """Write a game as WebAssembly or as a library in C, which need no Python."""
    from dig_envs.export.build import export_game

    written = export_game(
        load_game(env), to, out, targets=target or (), processor=processor, policies=policy or ()
    )
    for name, size in written.sizes.items():
        say(f"{size:>9,}  {written.folder / name}")


@app.command("compile")
@plain_errors()
def compile_command(env: Envs = None) -> None:
    """Compile games in advance, so that their first use is fast; games that are already compiled
    are skipped."""
    from dig_envs.adapters.warmup import warm_up_steps
    from dig_envs.engine.compiler import native
    from dig_envs.engine.compiler.jit import JIT_DISABLED
    from dig_envs.engine.compiler.loading import cache_key

    if JIT_DISABLED:
        raise ValueError("NUMBA_DISABLE_JIT is set, so that nothing can be compiled: unset it")
    games = games_of(env)
    steps = [(game, *step) for game in games for step in warm_up_steps(game)]
    with progress_bar() as bar:
        task = bar.add_task("", total=len(steps))
        for game, step, run in steps:
            bar.update(task, description=f"{game.title}: {step}")
            run()
            bar.advance(task)
    for game in games:
        key = cache_key(game)
        say(f"{game.title}: {native.FOLDER if native.has(key) else key.kept_in or 'not kept'}")


def main() -> None:
    """The entry point of the command ``dig-envs``."""
    app()


if __name__ == "__main__":
    main()
