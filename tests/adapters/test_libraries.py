"""The programs of the pages about other libraries, each run as it stands there.

Left out unless asked for: ``python -m pytest -m ecosystem``, or
``python tests/adapters/environments.py``, which installs all of them. A program whose libraries are
not installed is skipped.
"""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dig_envs
from dig_envs.documentation.libraries import LIBRARIES, imports
from dig_envs.engine.core.installing import how_to_install

ROOT = Path(dig_envs.__file__).parent.parent
PAGES = sorted(ROOT.glob("dig_envs/documentation/pages/libraries/*.md"))
# a misspelt name is no library that is not installed
KNOWN = imports() | {"dig_envs", "training", "numpy", "gymnasium", "pettingzoo"}
every_library = pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
every_adapter = pytest.mark.parametrize(
    "library",
    [library for library in LIBRARIES if library.module],
    ids=lambda library: library.module,
)
SECONDS = 900


def programs():
    """The Python of each page or section, by its heading."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    _, *sections = re.split(r"^##? ([A-Za-z].+)\n\n(?=[A-Z`])", text, flags=re.MULTILINE)
    blocks = {
        heading: re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for heading, text in zip(sections[::2], sections[1::2], strict=True)
    }
    assert all(len(found) <= 1 for found in blocks.values()), "one program in each section"
    return {heading: found[0] for heading, found in blocks.items() if found}


def imported(program):
    """The packages that a program imports."""
    names = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            # adapters are called as their libraries
            names |= {module.partition(".")[0], *({module.rpartition(".")[2]} & KNOWN)}
    return names


def numbers(line):
    return [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line)]


# What the last line that a program prints has to say.
def won_more_than_random_play(line):
    assert 0.5 < numbers(line)[0] <= 1, line


def improved(line):
    first, last = numbers(line)
    assert last > first, line


def at_least(least):
    def check(line):
        assert numbers(line)[-1] >= least, line

    return check


def is_a_return(line):
    assert -1 <= numbers(line)[-1] <= 1, line


def are_zero_sum_returns(line):
    returns = numbers(line)[1:]
    assert len(returns) > 1, line
    assert sum(returns) == 0 < max(returns) <= 1, line


def are_returns(line):
    assert numbers(line) in ([1, -1], [-1, 1], [0, 0]), line


EXPECTED = {
    "Stable-Baselines3": won_more_than_random_play,
    "SuperSuit": at_least(2048),
    "OpenSpiel": are_returns,
    "Exact answers": at_least(0.2),
    "Tianshou": is_a_return,
    "PufferLib": at_least(8),
    "TorchRL": at_least(40),
    "TorchRL in batches": improved,
    "BenchMARL": at_least(2000),
    "AgileRL": at_least(1),  # points; a game cannot have negative ones
    "RLlib": improved,
    "TextArena": are_zero_sum_returns,
    "verifiers": is_a_return,
    "OpenEnv": is_a_return,
    "JAX": at_least(256),
    "mctx": won_more_than_random_play,
    "JaxMARL": at_least(256),
}


def test_the_page_has_all_programs_once():
    assert set(programs()) == set(EXPECTED), (
        "EXPECTED, above, says what the last line of each section's program must be"
    )
    for section, program in programs().items():
        unknown = imported(program) - KNOWN - set(sys.stdlib_module_names)
        assert not unknown, (
            f"{section}: add {unknown} to `imports` in dig_envs/documentation/libraries.py, if it "
            "is no misprint"
        )


# -------------------------------------------------- what belongs to a row of the table of libraries


@every_library
def test_the_table_has_the_versions_that_were_tried(library):
    lines = PAGES[0].read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith(f"| [{library.name}")]
    tried = [one for some in library.tried.values() for one in some if not one.startswith("--")]
    assert rows, f"{PAGES[0].name}: a row for {library.name} with a link to its page"
    for row in rows:
        assert all(one.replace("==", " ") in row for one in tried), f"{row}: add {tried}"


@every_adapter
def test_an_adapter_can_be_installed_and_is_checked(library):
    """What a row of the table cannot make by itself is there, too."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = settings["project"]["optional-dependencies"]
    assert library.extra in extras, (
        f"pyproject.toml: [project.optional-dependencies] needs {library.extra!r}"
    )
    names = [
        re.split(r"[^\w-]", one)[0]
        for some in library.tried.values()
        for one in some
        if not one.startswith("--")
    ]
    given = " ".join(extras[library.extra])
    if library.module == library.extra:
        assert names[0] in given, f"pyproject.toml: the extra {library.extra!r} needs {names[0]!r}"
    source = ROOT / "dig_envs" / "adapters" / f"{library.module}.py"
    assert source.is_file(), f"write the adapter: {source.relative_to(ROOT)}"
    without_types = {
        one.removesuffix(".*")
        for override in settings["tool"]["mypy"]["overrides"]
        if override.get("ignore_missing_imports") or override.get("follow_imports")
        for one in override["module"]
    }
    typed = {"torch", "httpx", "pydantic", "uvicorn"}  # which the package for development has
    untyped = (
        (imported(source.read_text(encoding="utf-8")) & set(library.imports))
        - without_types
        - typed
    )
    assert not untyped, (
        f"pyproject.toml: [[tool.mypy.overrides]] with ignore_missing_imports needs {untyped}"
    )


@every_adapter
def test_without_its_library_an_adapter_says_what_to_install(library, monkeypatch):
    name = f"dig_envs.adapters.{library.module}"
    adapters = {f"dig_envs.adapters.{one.module}" for one in LIBRARIES}
    for module in [
        one for one in sys.modules if one in adapters or one.partition(".")[0] in library.imports
    ]:
        monkeypatch.delitem(sys.modules, module)
    for module in library.imports:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=re.escape(how_to_install(library.extra))):
        importlib.import_module(name)


@pytest.mark.ecosystem
@pytest.mark.parametrize("section", EXPECTED)
def test_the_program(section, tmp_path):
    program = programs()[section]
    missing = sorted(name for name in imported(program) if importlib.util.find_spec(name) is None)
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, file],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    last = run.stdout.strip().splitlines()[-1]
    print(f"{section}: {last}")  # with `-rP`
    EXPECTED[section](last)


# ---------------------------------------------------------------- what every adapter refuses

DEVELOPMENT = ("sb3", "jax", "jaxmarl")  # whose libraries the extra `dev` installs
MAKERS = {  # module -> how its environments are made
    "sb3": lambda adapter, name, options: adapter.DigVecEnv(name, 2, **options),
    "torchrl": lambda adapter, name, options: adapter.DigEnv(name, **options),
    "benchmarl": lambda adapter, name, options: adapter.DigTask(name, **options),
    "rllib": lambda adapter, name, options: adapter.DigMultiAgentEnv({"name": name, **options}),
    "openspiel": lambda adapter, name, options: adapter.pyspiel.load_game(
        adapter.register(name), options
    ),
    "textarena": lambda adapter, name, options: adapter.DigTextEnv(name, **options).reset(
        options.get("num_players", 2)
    ),
    "verifiers": None,  # its loader makes them: test_verifiers.py
    "openenv": lambda adapter, name, options: adapter.make_app(name, **options),
    "jax": lambda adapter, name, options: adapter.make(name, **options),
    "jaxmarl": lambda adapter, name, options: adapter.make(name, **options),
}


def test_every_adapter_is_tried():
    lacking = {library.module for library in LIBRARIES if library.module} - MAKERS.keys()
    assert not lacking, f"MAKERS, above, must say how an environment of {lacking} is made"


@pytest.mark.parametrize(
    "module",
    [
        pytest.param(module, marks=() if module in DEVELOPMENT else pytest.mark.ecosystem)
        for module, make in MAKERS.items()
        if make
    ],
)
@pytest.mark.parametrize(
    ("environment", "given", "told"),
    [
        ("go_dig_v0", {"num_players": 9}, "num_players"),
        ("go_dig_v0", {"wings": 2}, "wings"),
        ("nonsense_v0", {}, "nonsense"),
    ],
)
def test_what_is_wrong_is_refused_when_an_environment_is_made(module, environment, given, told):
    library = next(library for library in LIBRARIES if library.module == module)
    try:
        adapter = importlib.import_module(f"dig_envs.adapters.{module}")
    except ModuleNotFoundError as error:
        pytest.skip(f"{library.name} is not installed: {error.name}")
    with pytest.raises(Exception, match=told) as caught:
        MAKERS[module](adapter, environment, given)
    ours = isinstance(caught.value, ValueError | TypeError)
    assert ours or type(caught.value).__module__.partition(".")[0] in library.imports, (
        "an error of the package, or of the library"
    )
