"""Games that are exported play as they do here, bit by bit, in Node and in C."""

import json
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dig_envs.agents import program
from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import trained_for
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.game import Game
from dig_envs.export.build import export_game, template
from dig_envs.export.machines import MACHINES, ExportError, host, zig
from dig_envs.export.tables import description, refused_options, with_prefix
from dig_envs.export.weights import policy_weights
from dig_envs.registry import list_environments, load_game
from tests.export.node import HERE, NODE, POLICY, SMALL, needs_node, node
from tests.export.programs import SEARCHES, build, episodes_of, play_in_c
from tests.export.traces import Episode, play
from tests.names import NO_NAMES, REFUSED, TAKEN
from tests.policies import shipped

pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")


@pytest.fixture(scope="module")
def played():
    """Return some episodes and what comes out of them here."""
    game = load_game(SMALL)
    episodes = episodes_of(game, len(SEARCHES), 150, POLICY, SEARCHES)
    return episodes, [play(game, episode) for episode in episodes]


def play_in_node(folder: Path, game: Game, episodes: list[Episode], *others: Path) -> object:
    plan = folder / "plan.json"
    plan.write_text(json.dumps([episode.plan() for episode in episodes]))
    return node("replay.mjs", folder / f"{game.name}.js", plan, *others)


@needs_node
@pytest.mark.parametrize("text", [[], ["wasm.js"]])
def test_node_plays_as_here(package, played, text):
    """Masks, observations, states, scripted player, search, policy, new deals, scores and
    returns; with the fast code and with the small one."""
    episodes, expected = played
    assert sum(one["over"] for one in expected) > 0
    others = [package / name for name in ("go_dig-policy.weights", *text)]
    assert play_in_node(package, load_game(SMALL), episodes, *others) == expected


def test_a_byte_too_few_ends_a_program_in_c(library):
    """The pages around the memory of ``replay.c`` are watched."""
    game = load_game(SMALL)
    program = build(library, game, host(), "replay.c", "-DSHORT=1")
    with pytest.raises(subprocess.CalledProcessError) as died:
        play_in_c([str(program)], game, [Episode({}, 1, 1, 100)], library)
    assert died.value.returncode == -signal.SIGSEGV


@needs_node
def test_memory_of_webassembly_is_taken_and_given_back(package):
    found = node("memory.mjs", package / "go_dig.wasm")
    assert found["wrong"] == []
    assert found["first"] == found["last"]
    assert found["tooLarge"] == 0


def test_logarithms_of_webassembly_are_those_of_c(tmp_path):
    """The same value, or now and then the number next to it."""
    section = template("game.c").partition("- logarithms */")[2].partition("#endif")[0]
    source, program = tmp_path / "log.c", tmp_path / "log"
    source.write_text(
        "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
        f"{section.replace('double log(', 'double own_log(')}\n"
        'int main(void) { double x; while (scanf("%la", &x) == 1) printf("%a\\n", own_log(x)); }'
    )
    target = ("-target", MACHINES[host()].zig, "-O2", "-ffp-contract=off")
    zig("cc", *target, source, "-lm", "-o", program)
    rng = np.random.default_rng(1)
    tiny = np.exp(rng.uniform(-745, 709, 2000))
    given = np.concatenate([rng.random(2000), np.arange(1, 2000), tiny, [5e-324, np.inf]])
    done = subprocess.run(
        [str(program)],
        input="\n".join(float(x).hex() for x in [*given, 0.0, -1.0, math.nan]),
        capture_output=True,
        text=True,
        check=True,
    )
    *found, zero, negative, none = map(float.fromhex, done.stdout.split())
    assert (zero, math.isnan(negative), math.isnan(none)) == (-math.inf, True, True)
    expected = np.log(given)
    np.testing.assert_array_max_ulp(np.array(found), expected, 1)
    assert np.mean(np.array(found) != expected) < 0.01


@needs_node
def test_a_policy_says_in_node_what_it_says_here(package, tmp_path):
    """Logits of legal actions and values, up to what the order of sums changes."""
    batch = BatchEnv(SMALL, 64, 5, 1, num_players=2)
    for _ in range(12):
        batch.step(batch.sample_actions())
    (tmp_path / "states.txt").write_text("\n".join(state.tobytes().hex() for state in batch.states))
    logits, values = load_agent(POLICY, SMALL).evaluate(batch.observation, batch.action_mask)
    found = node(
        "outputs.mjs",
        package / "go_dig.js",
        package / "go_dig-policy.weights",
        tmp_path / "states.txt",
    )
    legal = batch.action_mask.astype(bool)
    there = np.array([one["logits"] for one in found])
    np.testing.assert_allclose(there[legal], logits[legal], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose([one["value"] for one in found], values, rtol=1e-5, atol=1e-5)
    assert np.ptp(values) > 0.01


@needs_node
@pytest.mark.parametrize("reward", ["win", "score"])
def test_batches_in_node_step_as_here(package, reward):
    """Each step, the episodes that end in it, and the deals that follow."""
    size, steps, seed = 7, 60, 2**64 - 3
    batch = BatchEnv(SMALL, size, seed, 1, reward=reward)
    digest, ended = sha256(), 0
    for _ in range(steps):
        actions = batch.sample_actions()
        batch.step(actions)
        seen = (actions, batch.action_mask, batch.observation, batch.mover)
        for array in (*seen, batch.reward, batch.terminated, batch.turn_limit):
            digest.update(np.ascontiguousarray(array))
        for i in np.flatnonzero(batch.terminated):
            digest.update(batch.final_returns[i].copy())
            digest.update(batch.final_lengths[i : i + 1].copy())
            ended += 1
    digest.update(batch.states[:1].tobytes())
    assert ended > 0
    found = node("batch.mjs", package / "go_dig.js", size, steps, seed, reward)
    assert found == {"ended": ended, "sha256": digest.hexdigest()}


@needs_node
def test_bad_input_is_refused_with_words_and_changes_nothing(package):
    names = json.dumps({"taken": TAKEN, "refused": REFUSED + NO_NAMES})
    answer = node("refusals.mjs", package / "go_dig.js", package / "go_dig-policy.weights", names)
    found = answer["found"]
    allowed = {name for name, error in found.items() if error is None}
    assert allowed == {"weights", "consistent weights", "legal action"}
    codes = {name: error["code"] for name, error in found.items() if error}
    assert (
        codes["illegal action"]
        == codes["illegal action, C"]
        == codes["action beyond the list"]
        == codes["negative action"]
        == -1
    )
    assert codes["no such seat"] == -2
    assert codes["seat that waits"] == -3
    assert codes["returns before the end"] == -4
    assert (codes["unknown option"], codes["bad value"]) == (-5, -6)
    assert (codes["unknown setting"], codes["bad setting"], codes["given twice"]) == (-8, -9, -9)
    assert codes["needs a policy"] == codes["needs a guide"] == -10
    assert codes["no weights"] == codes["empty weights"] == -12
    assert (codes["other version"], codes["other game"]) == (-13, -14)
    assert codes["short weights"] == codes["head alone"] == -15
    assert codes["damaged weights"] == codes["games beyond the file"] == -16
    unfamiliar = [code for name, code in codes.items() if name.endswith("was not trained for")]
    assert unfamiliar == [-17, -17]
    beyond = (
        "unknown step",
        "step beyond the weights",
        "step beyond the memory",
        "negative place",
        "head beyond the memory",
    )
    assert all(codes[name] == -16 for name in (*beyond, "head beyond the weights")), codes
    assert codes["damaged head"] < 0
    assert {code for name, code in codes.items() if name.startswith("position: ")} == {-20}
    for name in ("position: a view", "position: what everybody may know"):
        assert found[name]["words"] == "this is a view, not a complete position"
    assert "null is not one of" in found["null value"]["words"]
    assert "null is not one of" in found["position: null"]["words"]
    assert found["position: nothing"]["words"].endswith(", not null")
    assert answer["taken"] == [True] * len(TAKEN)
    assert answer["refused"] == [False] * len(REFUSED + NO_NAMES)
    assert (
        codes["view of no seat"],
        codes["view for a seat that is not in the game"],
        codes["name twice"],
        codes["theme"],
        codes["log: illegal"],
    ) == (-2, -2, -18, -18, -1)
    for name, error in found.items():
        if error is not None:
            assert error["words"], name
            assert error["unchanged"], name
    game = load_game(SMALL)
    states = np.frombuffer(bytes.fromhex(answer["state"]), game.state)
    assert game.to_snapshot(states[0]) == game.to_snapshot(
        BatchEnv(SMALL, 1, 7, num_players=2).states[0]
    )
    restored = game.from_snapshot(game.to_snapshot(states[0]))
    restored["seed"] = states["seed"]  # which a snapshot does not tell
    assert restored.tobytes() == states.tobytes()


@needs_node
def test_no_argument_is_taken_for_another(package):
    """Each argument of each function: 1.5, "0", null, 2**32 … are no seats, actions and so on."""
    found = node("arguments.mjs", package / "go_dig.js", package / "go_dig-policy.weights")
    assert found["wrong"] == []
    assert found["count"] > 1000


@needs_node
def test_the_package_says_what_is_in_it(package):
    game = load_game(SMALL)
    said = json.loads((package / "package.json").read_text())
    assert {Path(said[key]).name for key in ("main", "types")} == {"go_dig.js", "go_dig.d.ts"}
    assert all((package / said[key]).is_file() for key in ("main", "types"))
    text = (
        (package / "description.js")
        .read_text()
        .partition("export default ")[2]
        .rstrip()
        .removesuffix(";")
    )
    told = json.loads(text)
    assert told == json.loads(json.dumps(description(game)))
    assert told["actions"] == list(game.actions)
    assert [one["name"] for one in told["options"]] == [option.name for option in game.options]
    places = {one["name"]: slice(one["start"], one["stop"]) for one in told["observation"]}
    assert places == {name: entry.slice for name, entry in game.layout.items()}
    assert (package / "go_dig.wasm").stat().st_size < 200_000


def test_the_description_has_the_whole_record():
    """Every byte of a state is in a field that the description names, or in a gap."""
    for name in list_environments():
        game = load_game(name)
        sizes = [
            np.dtype(field["type"]).itemsize * int(np.prod(field["shape"], dtype=np.int64))
            for field in description(game)["state"]
        ]
        gaps = sum(
            kind.itemsize
            for field, (kind, *_) in game.state.fields.items()
            if field.startswith("_gap_")
        )
        assert sum(sizes) + gaps == game.state.itemsize


def test_options_that_do_not_go_together_are_found():
    game = load_game("the_big_dig_v0")
    deck, first = (
        next(option for option in game.options if option.name == name)
        for name in ("deck", "first_discovery")
    )
    expected = [
        {"deck": deck.encode(value), "first_discovery": first.encode("starter")}
        for value in deck.values
        if value != "starter"
    ]
    assert sorted(refused_options(game), key=str) == sorted(expected, key=str)
    assert refused_options(load_game(SMALL)) == []


def test_operations_that_are_not_known_are_refused(tmp_path, monkeypatch):
    """Such as those of another kind of cell."""
    game = load_game("fossil_memory_v0")
    assert policy_weights(game, shipped("fossil_memory/memory"))
    known = {name: do for name, do in program.OPERATIONS.items() if name != "Tanh"}
    monkeypatch.setattr(program, "OPERATIONS", known)
    with pytest.raises(ExportError, match="does not know its operation 'Tanh'"):
        policy_weights(game, "fossil_memory/memory")


def test_the_weights_say_which_games_they_are_for():
    """Fossil Memory's are for perfect recall, and people play without any."""
    game, name = load_game("fossil_memory_v0"), shipped("fossil_memory/policy")
    content = policy_weights(game, name)
    cases = trained_for(load_agent(name, game.env_name).card, game)
    rows = np.frombuffer(content[-8 * -(-len(cases) * len(game.options) // 2) :], "<i4")
    rows = rows[: len(cases) * len(game.options)].reshape(len(cases), -1).tolist()
    found = [
        {
            option.name: option.decode(stored)
            for option, stored in zip(game.options, row, strict=True)
        }
        for row in rows
    ]
    assert found == cases
    assert {case["num_players"] for case in found} == {2, 3, 4}
    assert {case["recall"] for case in found} == {"perfect"}


def test_unknown_forms_and_machines_are_refused(tmp_path):
    game = load_game(SMALL)
    with pytest.raises(OptionError, match="wasm"):
        export_game(game, "rust", tmp_path / "out")
    with pytest.raises(OptionError, match="x86_64-linux"):
        export_game(game, "c", tmp_path / "out", targets=["sparc"])
    with pytest.raises(ExportError, match="all machines"):
        export_game(game, "wasm", tmp_path / "out", processor="native")
    assert not (tmp_path / "out").exists()


def test_the_library_says_what_it_is_and_refuses_memory(library):
    """Its version, the names of the actions, errors of their own for memory that is too small or
    begins at a wrong place, and searches for some milliseconds."""
    game = load_game(SMALL)
    program = build(library, game, host(), "interface.c", "-std=c99", "-Wall", "-Wextra", "-Werror")
    found = json.loads(subprocess.run([str(program)], capture_output=True, check=True).stdout)
    assert found["interface"][0] == found["interface"][1]
    assert found["names"] == list(game.actions)
    assert found["no name"] == 0
    assert found["search memory"] == found["batch memory"] == [-21, -11]
    assert found["weights"] == -21
    legal = game.legal_actions(BatchEnv(SMALL, 1, 3).states, 0)
    assert set(found["by the clock"]) <= set(legal)
    assert found["refused"] == [-9, -9, -9]
    if sys.platform == "linux":  # the name by which programs look for it
        assert b"\0libgo_dig.so\0" in (library / "libgo_dig.so").read_bytes()


# ---------------------------------------------------------------- all games

ACTIONS = 100_000


def enough_episodes(game: Game) -> list[Episode]:
    """Return episodes with ACTIONS actions in all, in the first of which searches and the policy
    are asked, too."""
    first = episodes_of(game, len(SEARCHES), 300, f"{game.name}/policy", SEARCHES)
    length = max(
        20,
        np.mean(
            [play(game, Episode(e.options, e.seed, e.generator, 2000))["steps"] for e in first]
        ),
    )
    return first + episodes_of(game, int(1.3 * ACTIONS / length) + 1, 2000)  # lengths differ much


@pytest.mark.slow
@pytest.mark.parametrize("name", list_environments())
def test_all_games_play_as_here(name, tmp_path):
    game = load_game(name)
    weights = tmp_path / f"{game.name}-policy.weights"
    episodes = enough_episodes(game)
    for episode in episodes[8:]:
        episode.scripted_every = 16
    expected = [play(game, episode) for episode in episodes]
    assert sum(one["steps"] for one in expected) > 0.9 * ACTIONS
    if NODE is not None:
        written = export_game(game, "wasm", tmp_path, policies=[f"{game.name}/policy"])
        assert written.sizes[f"{game.name}.wasm"] < 200_000
        assert play_in_node(tmp_path, game, episodes, weights) == expected
    export_game(game, "c", tmp_path, policies=[f"{game.name}/policy"])
    program = build(tmp_path, game, host(), "replay.c", "-O2")
    assert play_in_c([str(program), str(weights)], game, episodes, tmp_path) == expected


def check_sources(folder: Path, game: Game) -> None:
    """The sources for a machine whose headers are not here are whole, and go with the rules."""
    rules, program = folder / f"{game.name}_rules.o", folder / "program"
    begins = {"aarch64-android": b"\x7fELF\x02", "aarch64-ios": b"\xcf\xfa\xed\xfe\x0c\0\0\1"}
    assert rules.read_bytes().startswith(begins[folder.name])
    if folder.name == "aarch64-android":  # an ELF file for Linux, too
        target = ("-target", "aarch64-linux-musl", "-static")
        shutil.copy(folder.parent / "example.c", folder)
        (engine,) = folder.rglob("engine.c")
        sources = [folder / name for name in ("example.c", "game.c", "words.c")]
        flags = ("-w", "-D_GNU_SOURCE", f"-I{folder}", f"-I{engine.parent}")
        zig("cc", *target, *flags, *sources, engine, rules, "-lm", "-o", program)
        if (qemu := shutil.which("qemu-aarch64")) is not None:
            subprocess.run([qemu, str(program)], check=True, timeout=600)


@pytest.mark.slow
def test_all_machines_are_linked_and_arm_plays_as_here(played, tmp_path):
    """The libraries for all machines; those for Arm64 are run by qemu, if it is there."""
    game = load_game(SMALL)
    written = export_game(game, "c", tmp_path, targets=list(MACHINES), policies=[POLICY])
    for name, machine in MACHINES.items():
        if not machine.zig:
            check_sources(tmp_path / name, game)
            continue
        for file in (machine.static.format(game.name), machine.shared.format(game.name)):
            assert written.sizes[f"{name}/{file}"] > 10_000
    qemu = shutil.which("qemu-aarch64")
    if qemu is None:
        pytest.skip("qemu-aarch64 is not installed")
    source, program = tmp_path / "replay.c", tmp_path / "replay"
    source.write_text(with_prefix(game, (HERE / "replay.c").read_text()))
    static = tmp_path / "aarch64-linux" / "libgo_dig.a"
    zig(
        "cc",
        "-target",
        "aarch64-linux-musl",
        "-static",
        "-O2",
        "-I",
        tmp_path,
        source,
        static,
        "-lm",
        "-o",
        program,
    )
    episodes, expected = played
    assert (
        play_in_c(
            [qemu, str(program), str(tmp_path / "go_dig-policy.weights")], game, episodes, tmp_path
        )
        == expected
    )


@pytest.mark.slow
def test_the_example_plays_with_the_shared_library(library):
    source, program = library / "example.c", library / "example"
    zig(
        "cc",
        source,
        "-I",
        library,
        "-L",
        library,
        "-lgo_dig",
        f"-Wl,-rpath,{library}",
        "-lm",
        "-o",
        program,
    )
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert "returns" in said


def run_example(program: Path) -> None:
    said = subprocess.run(
        [str(program)], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert "returns" in said


@pytest.mark.slow
def test_the_readme_says_how_to_use_cmake(library, tmp_path):
    """A project with the lines of the README is configured and built with the C compiler at
    hand."""
    cmake, compiler = shutil.which("cmake"), shutil.which("cc")
    if cmake is None or compiler is None:
        pytest.skip("CMake or a C compiler is not installed")
    said = (files("dig_envs.export") / "README.md").read_text(encoding="utf-8")
    lines = said.partition("```cmake\n")[2].partition("```")[0].replace("fossil_canyon", "go_dig")
    shutil.copytree(library, tmp_path / "canyon-c")
    shutil.copy(library / "example.c", tmp_path / "my_program.c")
    before = (
        "cmake_minimum_required(VERSION 3.13)\nproject(mine C)\n"
        "add_executable(my_program my_program.c)\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(before + lines)
    subprocess.run(
        [cmake, "-B", tmp_path / "build", tmp_path], check=True, capture_output=True, timeout=300
    )
    subprocess.run(
        [cmake, "--build", tmp_path / "build"], check=True, capture_output=True, timeout=300
    )
    run_example(tmp_path / "build" / "my_program")


@pytest.mark.slow
def test_pkg_config_knows_the_library(library, tmp_path):
    """A program builds with the flags of pkg-config and runs, wherever the folder of the library
    lies."""
    tool, compiler = shutil.which("pkg-config"), shutil.which("cc")
    if tool is None or compiler is None:
        pytest.skip("pkg-config or a C compiler is not installed")
    place = shutil.copytree(library, tmp_path / "moved here")
    flags = subprocess.run(
        [tool, "--cflags", "--libs", "go_dig"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PKG_CONFIG_PATH": str(place)},
    ).stdout
    program = tmp_path / "example"
    words = [compiler, str(place / "example.c"), *shlex.split(flags), "-lm", "-o", str(program)]
    subprocess.run(words, check=True, timeout=300)
    run_example(program)


@pytest.mark.slow
def test_the_library_for_windows_runs_under_wine(played, tmp_path):
    """It plays bit by bit as here, too; skipped where Wine is not installed."""
    wine = shutil.which("wine64") or shutil.which("wine")
    if wine is None:
        pytest.skip("Wine is not installed")
    game = load_game(SMALL)
    export_game(game, "c", tmp_path, targets=["x86_64-windows"], policies=[POLICY])
    program = build(tmp_path, game, "x86_64-windows", "replay.c", "-O2")
    episodes, expected = played
    weights = "Z:" + str(tmp_path / "go_dig-policy.weights").replace("/", "\\")
    assert play_in_c([wine, str(program), weights], game, episodes, tmp_path) == expected


def install_typescript(folder: Path) -> str | None:
    """Return the path of a TypeScript compiler that npm has fetched; None if npm is missing or
    fails."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    folder.mkdir()
    words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), "typescript"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    return (
        shutil.which("tsc", path=folder / "node_modules" / ".bin") if done.returncode == 0 else None
    )


@pytest.mark.ecosystem
@needs_node
def test_typescript_takes_the_types(package, tmp_path):
    """A program that uses all of it, and what the compiler must refuse."""
    compiler = shutil.which("tsc") or install_typescript(tmp_path / "typescript")
    if compiler is None:
        pytest.skip(
            "TypeScript is not installed, and npm cannot fetch it: npm install --global typescript"
        )
    place = shutil.copytree(package, tmp_path / "package")
    shutil.copy(HERE / "types.ts", place)
    words = [
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--lib",
        "es2022,dom",
        "types.ts",
    ]
    done = subprocess.run(
        [compiler, *words], cwd=place, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout


def test_unknown_processors_are_refused(tmp_path):
    """LLVM itself takes any name, and says so on stderr only."""
    with pytest.raises(ExportError, match=r"'x86-64-v9'.*x86-64-v3"):
        export_game(
            load_game(SMALL), "c", tmp_path / "out", targets=["x86_64-linux"], processor="x86-64-v9"
        )
    with pytest.raises(ExportError, match="native"):
        export_game(
            load_game(SMALL), "c", tmp_path / "out", targets=["aarch64-macos"], processor="native"
        )
    assert not (tmp_path / "out").exists()


def test_this_machine_is_known():
    assert host() in MACHINES
    assert sys.platform in ("linux", "darwin", "win32")


def test_the_command_says_what_is_wrong(tmp_path):
    result = CliRunner().invoke(
        app, ["export", SMALL, "--to", "rust", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 2
    assert "'wasm', 'c'" in result.output


@needs_node
def test_the_command_writes_a_package(package, tmp_path):
    """The command ``export`` writes the same WebAssembly module as the function; the fixture has
    filled the cache before."""
    result = CliRunner().invoke(
        app, ["export", SMALL, "--to", "wasm", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "go_dig.wasm").read_bytes() == (package / "go_dig.wasm").read_bytes()
