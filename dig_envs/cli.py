"""The command line: ``dig-envs list | watch | picture | play | serve | arena | ladder | benchmark | engine | train`` and so on."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

try:
    import typer
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table
except ImportError:  # pragma: no cover - a test runs this in a process of its own
    sys.exit('dig-envs needs Typer and Rich: pip install "dig_envs[play]"')

from dig_envs.agents.names import split_names
from dig_envs.arena.schedule import BLOCK
from dig_envs.bench import BATCH
from dig_envs.engine.errors import DigEnvsError
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game
from dig_envs.server.describing import description
from dig_envs.session import Human, Quit, Session, parse_options

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Digging games for reinforcement learning.")
console = Console()

OptionTexts = Annotated[list[str] | None, typer.Option("--option", "-o", help="an option of the game: name=value")]
Seed = Annotated[int | None, typer.Option(help="of the deal; default: a new one each time")]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Bad input ends with one line that says what was wrong, not with a traceback."""
    try:
        yield
    except (DigEnvsError, ValueError, ImportError, OSError) as error:
        console.print(f"error: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None


@app.command("list")
def list_command() -> None:
    """The environments."""
    table = Table("environment", "game", "players", "kind", show_edge=False)
    for name in list_environments():
        game = load_game(name)
        players = str(game.min_players) if game.min_players == game.max_players else f"{game.min_players}-{game.max_players}"
        table.add_row(name, game.title, players, "cooperative" if game.cooperative else "competitive")
    console.print(table)


@app.command()
def describe(
    env: Annotated[str, typer.Argument(help="such as cretaceous_creek_v0")],
    as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
    json_schema: Annotated[bool, typer.Option("--json-schema", help="the JSON Schema of its snapshots, for programs")] = False,
    ask: Annotated[str | None, typer.Option(help="what the game's companion app says, such as the inputs '2-3-A 3-3-A'")] = None,
) -> None:
    """Spaces, options, phases, the observation field by field, and the actions."""
    with plain_errors():
        game = load_game(env)
        if ask is not None:
            print_answer(game, ask, as_json)
            return
    if as_json or json_schema:
        print(json.dumps(game.json_schema if json_schema else description(env), indent=1, ensure_ascii=False))
        return
    console.print(f"[bold]{game.env_name}[/bold]: {game.title}", highlight=False)
    low, high = game.fields.bounds()
    console.print(f"observation: Box({low.min():g}, {high.max():g}, ({game.observation_size},), float32)", highlight=False)
    console.print(f"action: Discrete({len(game.actions)}), with a mask int8 ({len(game.actions)},)", highlight=False)
    console.print(f"phases: {', '.join(game.phases)}", highlight=False)
    options = Table("option", "values", "default", "meaning", title="options", title_justify="left", show_edge=False)
    for option in game.options:
        values = list(option.by_text())
        shown = option.description or ", ".join(values if len(values) <= 8 else [*values[:3], "…", values[-1]])
        options.add_row(option.name, shown, str(option.default), option.meaning)
    fields = Table("field", "shape", "slice", "meaning", title="observation", title_justify="left", show_edge=False)
    for name, entry in game.layout.items():
        fields.add_row(name, str(entry.shape), f"{entry.slice.start}:{entry.slice.stop}", entry.meaning)
    actions = Table("actions", "indices", title="actions", title_justify="left", show_edge=False)
    for first, last in game.action_groups:
        actions.add_row(some_of(game.actions[first : last + 1]), str(first) if first == last else f"{first}-{last}")
    for table in (options, fields, actions):
        console.print()
        console.print(table)


def print_answer(game: Game, question: str, as_json: bool) -> None:
    """What the game's companion app says."""
    if game.consult is None:
        raise ValueError(f"{game.env_name} has no companion app to ask")
    head, *rows = game.consult(question)
    if as_json:
        print(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=1))
        return
    answer = Table(*head, show_edge=False)
    for row in rows:
        answer.add_row(*row)
    console.print(answer)


def some_of(texts: tuple[str, ...]) -> str:
    """The texts of a group of actions, or the first and the last of many."""
    return ", ".join(texts if len(texts) <= 4 else [*texts[:2], "…", texts[-1]])


@app.command()
def watch(
    env: Annotated[str, typer.Argument(help="such as cretaceous_creek_v0")],
    agents: Annotated[str, typer.Option(help="one name per seat, or one for all")] = "heuristic",
    option: OptionTexts = None,
    seed: Seed = None,
    draw: Annotated[str, typer.Option(help="the position: 'turn' (at every turn), 'end' or 'never'")] = "turn",
    save: Annotated[Path | None, typer.Option(help="write the last position there")] = None,
    delay: Annotated[
        float | None, typer.Option(min=0, help="seconds to wait after what a seat does; of a film: per picture")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="film the game: out.gif, out.mp4, or a folder for SVG files")] = None,
) -> None:
    """A game told step by step; the seed that is printed tells the same game again."""
    with plain_errors():
        if draw not in ("turn", "end", "never"):
            raise ValueError(f"--draw {draw!r} is not one of turn, end, never")
        session = Session(env, agents, parse_options(env, option or []), seed)
        if any(isinstance(player, Human) for player in session.players):
            raise ValueError("people play with: dig-envs play")
        console.print(f"seed {session.seed}", markup=False, highlight=False)
        if picture is None:
            session.tell(console, draw, delay or 0.0)
        else:
            from dig_envs.pictures.film import DELAY, Film

            with Film(picture, DELAY if delay is None else delay) as film:
                session.tell(console, draw, 0.0, film)
            console.print(f"{film.count} pictures in {picture}", markup=False, highlight=False, soft_wrap=True)
        if save is not None:
            session.save(save)


@app.command("picture")
def picture_command(
    position: Annotated[Path, typer.Argument(help="a saved position (`save` in play, `--save` of watch)")],
    out: Annotated[Path | None, typer.Option("--out", help=".svg or .png; default: SVG on standard output")] = None,
    view: Annotated[str, typer.Option(help="what is shown: 'public', 'all', or an agent's, such as 'player_0'")] = "public",
    theme: Annotated[str, typer.Option(help="'light' or 'dark'")] = "light",
) -> None:
    """A picture of a saved position."""
    with plain_errors():
        from dig_envs.pictures.saved import save_picture, sheet_of_file

        sheet = sheet_of_file(position, view, theme)
        if out is None:
            print(sheet.svg())
        else:
            save_picture(sheet, out)


@app.command()
def play(
    env: Annotated[str, typer.Argument(help="such as cretaceous_creek_v0")],
    agents: Annotated[str, typer.Option(help="one name per seat, 'human' for a person; one name serves all seats")] = "human",
    option: OptionTexts = None,
    seed: Seed = None,
    load: Annotated[Path | None, typer.Option(help="begin with a saved position")] = None,
) -> None:
    """Play in the terminal: choose actions by number or by their text; ``help`` lists the commands."""
    with plain_errors():
        session = Session(env, agents, parse_options(env, option or []), seed, load)
        try:
            session.play(console)
        except (Quit, EOFError, KeyboardInterrupt):
            rest = session.save_rest()
            console.print(
                f"\nThe position is kept: dig-envs play {env} --agents {agents} --load {rest}", markup=False, soft_wrap=True
            )


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="where to listen; 0.0.0.0 for other machines, then give --name, too")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    name: Annotated[list[str] | None, typer.Option(help="a name by which others reach this machine; repeat for several")] = None,
    games: Annotated[Path | None, typer.Option(help="the file in which games are kept; default: in your data folder")] = None,
    memory: Annotated[bool, typer.Option("--memory", help="keep games in memory only")] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="processes in which agents think")] = 2,
    think_ms: Annotated[int, typer.Option(min=1, max=60_000, help="the longest search that may be asked for, milliseconds")] = 5000,
    tables: Annotated[int, typer.Option(min=1, help="how many games are kept")] = 2000,
) -> None:
    """A table in the browser, for people and agents."""
    with plain_errors():
        try:
            from dig_envs.server.app import serve as serve_tables
            from dig_envs.server.app import usual_file
            from dig_envs.server.bounds import Bounds
            from dig_envs.server.guard import is_loopback
        except ModuleNotFoundError as error:
            raise ImportError(f'{error.name} is not there: pip install "dig_envs[serve]"') from None
        if not is_loopback(host):
            console.print(
                "Other machines can reach this server. What is sent is not encrypted: put a proxy with TLS before it.",
                soft_wrap=True,
            )
        path = None if memory else games or usual_file()
        bounds = Bounds(workers=workers, think_ms=think_ms, think_seconds=think_ms / 1000 + 15, tables=tables)
        serve_tables(host, port, path, tuple(name or ()), bounds)


@app.command()
def arena(
    env: Annotated[str, typer.Argument(help="such as fossil_canyon_v0")],
    agents: Annotated[str, typer.Option(help="names with commas between")] = "",
    agent: Annotated[list[str] | None, typer.Option(help="one more name, taken as it is; repeat for several")] = None,
    games: Annotated[int, typer.Option(help="of each pair at least (cooperative: of each agent)")] = 200,
    seed: Annotated[int, typer.Option(help="of the first deal; the others follow")] = 0,
    option: OptionTexts = None,
    results: Annotated[Path | None, typer.Option(help="append the games there; the same command goes on with them")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="write the report there")] = None,
    picture: Annotated[Path | None, typer.Option(help="draw the standings there (.png, .svg, .pdf)")] = None,
    anchor: Annotated[str | None, typer.Option(help="whose Elo is 0: an agent, or 'mean'; default: random if it is there")] = None,
    workers: Annotated[int | None, typer.Option(help="processes; default: one for each core")] = None,
    ray: Annotated[str | None, typer.Option(metavar="ADDRESS", help="play on a Ray cluster: auto, HOST:PORT or ray://…")] = None,
    block: Annotated[int, typer.Option(help="deals that a pair plays at a time; fewer for slow agents")] = BLOCK,
    tables: Annotated[bool, typer.Option("--tables", help="as many different agents at a table as there are seats")] = False,
    allow_unfamiliar: Annotated[
        bool, typer.Option("--allow-unfamiliar", help="policies may play other options than trained")
    ] = False,
) -> None:
    """Agents against each other on the same deals, in all seats; Elo with 95 % intervals (cooperative: scores, compared)."""
    with plain_errors():
        if ray is not None and workers is not None:
            raise ValueError("either --workers or --ray: a cluster plays on all of its cores")
        names = [*(split_names(agents) if agents else []), *(agent or [])]
        options = parse_options(env, option or [])
        asked = {"anchor": anchor, "cluster": ray, "tables": tables, "allow_unfamiliar": allow_unfamiliar}
        hold_arena(env, names, games, seed, options, workers, block, results, json_file, picture, asked)


def hold_arena(
    env: str,
    names: list[str],
    games: int,
    seed: int,
    options: dict[str, Any],
    workers: int | None,
    block: int,
    results: Path | None,
    json_file: Path | None,
    picture: Path | None,
    asked: dict[str, Any],
) -> Any:
    """Hold an arena with a bar that says how far it is, print its report and write what is asked for; returns the report."""
    from dig_envs.arena import run
    from dig_envs.arena.show import check_picture, check_writable, draw, print_report
    from dig_envs.batch import num_cores

    if json_file is not None:
        check_writable(json_file)
    if picture is not None:
        check_picture(picture)
    try:
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("games")
            report = run(
                env,
                names,
                games,
                seed,
                options,
                workers=num_cores() if workers is None else workers,
                block=block,
                results=results,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
                **asked,
            )
    except KeyboardInterrupt:
        kept = f"the games are kept in {results}: the same command goes on with them" if results else "no game was kept"
        console.print(f"\nstopped; {kept}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(130) from None
    print_report(report, console)
    if json_file is not None:
        json_file.write_text(json.dumps(report.as_json(), indent=1, ensure_ascii=False) + "\n")
    if picture is not None:
        draw(report, picture)
    return report


@app.command()
def ladder(
    env: Annotated[str, typer.Argument(help="such as fossil_canyon_v0")],
    players: Annotated[int | None, typer.Option(help="number of players; default: the game's")] = None,
    search: Annotated[str, typer.Option(help="settings of the search, such as 200ms or sims=100")] = "200ms",
    games: Annotated[int, typer.Option(help="of each pair at least (cooperative: of each agent)")] = 40,
    seed: Annotated[int, typer.Option(help="of the first deal; the others follow")] = 0,
    option: OptionTexts = None,
    results: Annotated[Path | None, typer.Option(help="append the games there; the same command goes on with them")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="write the report there")] = None,
    workers: Annotated[int | None, typer.Option(help="processes; default: one for each core")] = None,
    block: Annotated[int, typer.Option(help="deals that a pair plays at a time")] = 2,
) -> None:
    """Random, scripted player, strongest policy, search, and search guided by the policy: an arena of these."""
    from dig_envs.arena.ladder import rungs, steps

    with plain_errors():
        options = parse_options(env, option or []) | ({} if players is None else {"num_players": players})
        names = rungs(load_game(env), options, search)
        asked = {"allow_unfamiliar": True}  # the strongest policy may be one that was trained for other options
        report = hold_arena(env, names, games, seed, options, workers, block, results, json_file, None, asked)
        for line in steps(report, names):
            console.print(line, markup=False, highlight=False, soft_wrap=True)


@app.command()
def exploit(
    env: Annotated[str, typer.Argument(help="such as go_dig_v0")],
    agents: Annotated[str, typer.Option(help="names with commas between them")] = "heuristic",
    decisions: Annotated[int, typer.Option(help="that a seat has to go where the small game begins")] = 1,
    games: Annotated[int, typer.Option(help="small games")] = 100,
    worlds: Annotated[int, typer.Option(help="deals of what the seat cannot know")] = 500,
    seed: Annotated[int, typer.Option(help="of the first deal; the others follow")] = 0,
    option: OptionTexts = None,
    points: Annotated[bool, typer.Option("--points", help="count the lead in points, not the return")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="write what was found there")] = None,
) -> None:
    """Bounds of what a best response to an agent gains in the last decisions of games (dig_envs/arena/README.md)."""
    from dig_envs.arena import best_response
    from dig_envs.arena.show import check_writable

    with plain_errors():
        if json_file is not None:
            check_writable(json_file)
        options = parse_options(env, option or [])
        found = []
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            for name in split_names(agents):
                task = bar.add_task(name)

                def show(done: int, total: int, task: Any = task) -> None:
                    bar.update(task, completed=done, total=total)

                found.append(best_response.exploit(env, name, games, decisions, worlds, seed, options, points, show))
        unit = found[0].unit
        table = Table("agent", f"gained, at least ({unit})", "at most", "small games", "too large", "positions", show_edge=False)
        for one in found:
            table.add_row(one.agent, str(one.lower), str(one.upper), str(one.games), str(one.too_large), f"{one.positions:,.0f}")
        console.print(table, highlight=False)
        if json_file is not None:
            json_file.write_text(json.dumps([one.as_json() for one in found], indent=1, ensure_ascii=False) + "\n")


@app.command()
def benchmark(
    agents: Annotated[
        list[str], typer.Argument(help="names as elsewhere, without a game for all games; or python:MODULE:FUNCTION")
    ],
    suite: Annotated[str, typer.Option(help="small or full")] = "small",
    tasks: Annotated[str, typer.Option(help="only these tasks, such as 'fossil_canyon-*'")] = "*",
    results: Annotated[Path | None, typer.Option(help="keep the games in this folder; the same command goes on with them")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="write the reports there")] = None,
    markdown: Annotated[Path | None, typer.Option(help="write the table there")] = None,
    workers: Annotated[int | None, typer.Option(help="processes; default: one for each core")] = None,
    block: Annotated[int, typer.Option(help="deals that are played at a time; fewer for slow agents")] = BLOCK,
) -> None:
    """Measure agents by a fixed suite of tasks: a random player has 0, the reference 100; 95 % intervals."""
    from dig_envs.arena.show import check_writable
    from dig_envs.batch import num_cores
    from dig_envs.benchmark import measure
    from dig_envs.benchmark.show import as_markdown, print_reports

    with plain_errors():
        for path in filter(None, (json_file, markdown)):
            check_writable(path)
        reports = []
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("")
            for agent in agents:
                reports.append(
                    measure(
                        agent,
                        suite,
                        tasks=tasks,
                        workers=num_cores() if workers is None else workers,
                        results=results,
                        block=block,
                        progress=lambda name, done, total, agent=agent: bar.update(  # type: ignore[misc]
                            task, description=f"{agent}: {name}", completed=done, total=total
                        ),
                    )
                )
        print_reports(reports, console)
        if json_file is not None:
            json_file.write_text(json.dumps([report.as_json() for report in reports], indent=1, ensure_ascii=False) + "\n")
        if markdown is not None:
            markdown.write_text(as_markdown(reports) + "\n")


@app.command()
def engine(
    sims: Annotated[int, typer.Option(min=1, help="simulations that a search may be asked for")] = 10_000,
    ms: Annotated[int, typer.Option(min=1, help="milliseconds that a search may be asked for")] = 10_000,
) -> None:
    """Games and players for other programs: JSON-RPC 2.0 over standard input and output (dig_envs/server/PROTOCOL.md)."""
    with plain_errors():
        try:
            from dig_envs.server.dispatcher import Dispatcher
        except ModuleNotFoundError as error:
            raise ImportError(f'{error.name} is not there: pip install "dig_envs[engine]"') from None
        from dig_envs.server.engine import run
        from dig_envs.server.limits import Limits

        run(Dispatcher(Limits(sims=sims, ms=ms)))


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
    """Play many games between agents: `dig-envs evaluate --env go_dig_v0 --agents heuristic,random`; `--help` says more."""
    run_of_training("evaluate", context.args)


def run_of_training(module: str, arguments: list[str]) -> None:
    """A command of the package ``training``, which needs more than the others do, with its arguments."""
    with plain_errors():
        package = next((name for name in TRAINING if find_spec(name) is not None), None)
        if package is None:
            raise ImportError("there is no training in this installation")
        try:
            command = typer.main.get_command(import_module(f"{package}.{module}").app)
        except ModuleNotFoundError as error:
            raise ImportError(f'{error.name} is not there: pip install "dig_envs[train]"') from None
    command.main(arguments, prog_name=f"dig-envs {module}")


@app.command()
def bench(
    env: Annotated[list[str] | None, typer.Argument(help="default: all")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="for each measurement")] = 1.0,
    repeats: Annotated[int, typer.Option(min=1, help="of each measurement")] = 5,
    option: OptionTexts = None,
    start: Annotated[bool, typer.Option(help="also compile and start-up times")] = True,
    search: Annotated[bool, typer.Option(help="instead: simulations per second of the search agent")] = False,
    batch_size: Annotated[
        int, typer.Option(min=1, help="games of the batch on one core; twice as many for each of all cores")
    ] = BATCH,
    json_file: Annotated[Path | None, typer.Option("--json", help="write the results there")] = None,
) -> None:
    """Steps per second of the environments, beside others, in one run."""
    from dig_envs.bench import bench as measure
    from dig_envs.bench import print_report

    with plain_errors():
        reports = []
        for name in env or list_environments():
            options = parse_options(name, option or [])
            reports.append(measure(name, seconds, repeats, options, start, search, batch_size))
            print_report(reports[-1], console)
        if json_file is not None:
            json_file.write_text(json.dumps(reports, indent=1) + "\n")


@app.command("compile")
def compile_command(
    env: Annotated[list[str] | None, typer.Argument(help="default: all")] = None,
) -> None:
    """Compile games, so that their first use is as fast as all others; what is compiled already is not done again."""
    from dig_envs.engine.cache import writable_folder
    from dig_envs.engine.jit import JIT_DISABLED
    from dig_envs.engine.loading import owner_of
    from dig_envs.warmup import warm_up_steps

    with plain_errors():
        if JIT_DISABLED:
            raise ValueError("NUMBA_DISABLE_JIT is set: nothing is compiled")
        games = [load_game(name) for name in env or list_environments()]
        steps = [(game, *step) for game in games for step in warm_up_steps(game.env_name)]
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("", total=len(steps))
            for game, what, run in steps:
                bar.update(task, description=f"{game.title}: {what}")
                run()
                bar.advance(task)
        for game in games:
            folder = writable_folder(owner_of(game).folder)
            console.print(f"{game.title}: {folder or 'not kept'}", highlight=False, soft_wrap=True)


def main() -> None:
    """The entry point of the command ``dig-envs``."""
    app()


if __name__ == "__main__":
    main()
