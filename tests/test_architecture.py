"""Which folder may import which: one table, and no circles.

Every import statement counts, wherever it stands: inside functions and for type checkers, too. What
is found by a name that is put together at run time (a game by its folder, its players and its
picture) does not: that is how a game is loaded without being known.
"""

import ast
from functools import cache
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).parent.parent
TOPS = ("dig_envs", "training")

# Folder -> the folders that its modules may import, besides its own. A single module is allowed by
# its own name; such an entry is an exception and has its reason beside it. ``games.*`` is the
# folder of any one game.
TABLE = {
    # The engine, from the bottom up. The folder `compiler` has both what `@compiled` needs and the
    # loops that are compiled.
    "engine.core": "engine.compiler.jit",  # the decorators of compiled functions
    "engine.compiler": "engine.core",
    "engine.search": "engine.core engine.compiler",
    "engine.snapshots": "engine.core engine.compiler version",
    "engine": "engine.core engine.snapshots",
    "registry": "engine engine.core",
    "version": "",
    # Words and pictures of positions.
    "text": "engine engine.core engine.snapshots",
    "language": "text engine engine.core",  # prompts and answers
    "pictures": "text engine engine.core",
    # Games: rules and how they look. They know nothing of each other but the deck that several
    # share.
    "games": "pictures",
    "games.*": (
        "games text pictures engine.core engine.snapshots engine.compiler.jit "
        "engine.compiler.notice"
    ),
    "games.*.players": "agents engine",  # a game's own players are agents
    # Ways to play.
    "batch": "text registry engine engine.core engine.snapshots engine.compiler",
    "agents": (
        "batch language registry engine engine.core engine.search engine.snapshots "
        "engine.compiler.notice"
    ),
    "adapters": (
        "agents batch language text pictures registry engine engine.core engine.search "
        "engine.snapshots engine.compiler.jit engine.compiler.learner_data"
    ),
    # the package itself: its public names
    "dig_envs": "adapters agents batch registry version engine.core",
    # Comparing players.
    "arena": "dig_envs agents batch text registry engine engine.core engine.compiler",
    "benchmark": "dig_envs arena adapters agents text registry engine engine.core",
    # Programs.
    "export": (
        "dig_envs agents batch language pictures text registry engine engine.core "
        "engine.search engine.snapshots engine.compiler"
        " adapters.warmup"  # what native libraries have
    ),
    "documentation": "dig_envs export benchmark arena agents text registry engine engine.core",
    "server.protocol": (
        "dig_envs agents language pictures text registry engine engine.core engine.snapshots"
        " adapters.seat"  # how a seat's own game begins
    ),
    "server.table": (
        "server.protocol agents pictures text registry engine engine.core engine.snapshots"
        # limits, threads and processes, which the tables share with what serves them
        " server.bounds server.course server.thinking server.workers"
    ),
    "server.mcp": (
        "server.protocol server.bounds server.guard server.listening server.places server.turns "
        "dig_envs agents language registry engine engine.core"
    ),
    "server": (
        "server.protocol server.table adapters agents language pictures text registry engine "
        "engine.core"
    ),
    "commands": (
        "dig_envs export server server.mcp server.protocol benchmark arena adapters agents batch "
        "language pictures text registry engine engine.core engine.snapshots engine.compiler"
    ),
    "training": (
        "training.settings dig_envs commands.output arena adapters agents batch text registry "
        "engine engine.core"
    ),
    "training.settings": "training.ppo engine.core",  # the hyperparameters of PPO stand in its file
}


@cache
def modules() -> dict[str, Path]:
    """Return every module's name, without ``dig_envs.`` in front, and its file."""
    files = [path for top in TOPS for path in sorted((ROOT / top).rglob("*.py"))]
    return {
        short(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        ): path
        for path in files
    }


def short(name: str) -> str:
    """Return a module's name as the table has it."""
    return name.removeprefix("dig_envs.")


def imported(path: Path) -> set[str]:
    """Return the modules of this project that a file imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {short(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
            origin = ".".join([*above, *filter(None, [node.module])])
            # a module of the package, or else a name that the package itself has
            for alias in node.names:
                module = short(f"{origin}.{alias.name}")
                found.add(module if module in modules() else short(origin))
    return found & modules().keys()


@cache
def imports() -> dict[str, set[str]]:
    """Return for every module those that it imports."""
    return {name: imported(path) - {name} for name, path in modules().items()}


def game_of(module: str) -> str:
    """Return the name of the game in whose folder a module is; empty for any other module."""
    parts = module.split(".")
    return (
        parts[1]
        if parts[0] == "games"
        and len(parts) > 1
        and (ROOT / "dig_envs" / Path(*parts[:2])).is_dir()
        else ""
    )


def row_of(module: str) -> str:
    """Return the key of the table that a module belongs to: the longest that fits."""
    parts = module.split(".")
    if game_of(module):
        parts = ["games", "*", *parts[2:3]]
    while parts and ".".join(parts) not in TABLE:
        parts.pop()
    return ".".join(parts) or "dig_envs"


def is_allowed(module: str, other: str) -> bool:
    """Return whether the table allows a module to import another one."""
    own = game_of if game_of(module) else row_of
    return own(module) == own(other) or not {other, row_of(other)}.isdisjoint(
        TABLE[row_of(module)].split()
    )


def edges() -> list[tuple[str, str]]:
    """Return every import as (module, what it imports)."""
    return [(module, other) for module, others in imports().items() for other in sorted(others)]


@pytest.mark.parametrize(
    "game", sorted({game_of(module) for module in modules()}), ids=lambda game: game or "no game"
)
def test_imports_keep_to_the_table(game):
    """Those of a game's modules, and those of all that belong to none."""
    wrong = [
        f"{module} -> {other}"
        for module, other in edges()
        if game_of(module) == game and not is_allowed(module, other)
    ]
    assert wrong == []


def test_every_folder_is_in_the_table():
    folders = {path.parent.relative_to(ROOT) for path in modules().values()}
    # a part of its parent
    names = {short(".".join(folder.parts)) for folder in folders} - {"pictures.fonts"}
    assert {row_of(name) if game_of(name) else name for name in names} <= TABLE.keys()


def test_the_table_allows_nothing_that_is_not_needed():
    used = {(row_of(module), name) for module, other in edges() for name in (row_of(other), other)}
    unused = [
        f"{row} -> {name}"
        for row, allowed in TABLE.items()
        for name in allowed.split()
        if (row, name) not in used
    ]
    assert unused == []


def test_folders_build_on_each_other_in_one_direction():
    """But for single modules that the table names."""
    graph = networkx.DiGraph(
        (row, name) for row, allowed in TABLE.items() for name in allowed.split() if name in TABLE
    )
    assert [
        circle for circle in networkx.strongly_connected_components(graph) if len(circle) > 1
    ] == []


def test_no_modules_import_each_other_in_a_circle():
    graph = networkx.DiGraph(edges())
    assert [
        sorted(circle)
        for circle in networkx.strongly_connected_components(graph)
        if len(circle) > 1
    ] == []


@pytest.mark.parametrize(
    ("module", "other"),
    [
        ("games.go_dig.rules", "games.diggity.rules"),
        ("games.go_dig.rules", "agents.search"),
        ("games.go_dig.rules", "games.oak_island.heuristic"),
        ("engine.core.random", "engine.compiler.kernels"),
        ("engine.snapshots.snapshot", "engine.game"),
        ("agents.search", "adapters.aec"),
        ("dig_envs", "arena.play"),
    ],
)
def test_what_the_table_refuses(module, other):
    assert {module, other} <= modules().keys()
    assert not is_allowed(module, other)


# ---------------------------------------------------------------- scratch memory


def taken_out(path: Path) -> list[str]:
    """Return the lines on which a function takes a record out of the scratch memory that it has
    made itself."""
    lines = []
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
        made = {
            target.id
            for node in assigned
            if is_scratch(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(function):
            if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Store):
                continue
            if is_scratch(node.value) or name_of(node.value) in made:
                lines.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return lines


def is_scratch(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) == "scratch_records"


def name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def test_who_makes_scratch_memory_hands_it_on():
    """A record does not keep the array alive that it lies in: its memory could be somebody else's
    while it is in use."""
    assert [
        line for path in sorted((ROOT / "dig_envs").rglob("*.py")) for line in taken_out(path)
    ] == []


@pytest.mark.parametrize(
    "wrong",
    [
        "plan = scratch_records(1, P)[0]",
        "plans = scratch_records(1, P)\n    return worth(plans[0])",
    ],
)
def test_scratch_memory_that_is_not_handed_on_is_found(wrong, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "file.py").write_text(f"def play(state):\n    {wrong}\n    return plan.x\n")
    assert len(taken_out(tmp_path / "file.py")) == 1
    (tmp_path / "file.py").write_text(
        "def play(state):\n    return play_by(state, scratch_records(1, P))\n"
    )
    assert taken_out(tmp_path / "file.py") == []
