"""The wheel is whole: installed alone in a fresh environment, it plays, trains and evaluates from
an empty folder."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import dig_envs
from dig_envs.agents.zoo import zoo_policies
from dig_envs.registry import load_game
from tests.games import SHIPPED
from tests.policies import shipped

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built as anybody would build it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def environment(folder):
    """Return the scripts of a new environment, and the beginning of a command that installs
    something in it."""
    venv.create(folder)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = ["--python", str(scripts / "python")]
    pip = [sys.executable, "-m", "pip", *python, "install", "--quiet", "--no-compile"]
    return scripts, pip


def install(wheel, folder):
    """Return the scripts of an environment that has the wheel, and what it depends on from this
    one; not this checkout."""
    scripts, pip = environment(folder)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    asked = [scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    (site / "dependencies.pth").write_text(
        sysconfig.get_path("purelib") + "\n"
    )  # its own .pth files, so this checkout, do not count
    return scripts


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The scripts of an environment that has the wheel."""
    return install(wheel, tmp_path_factory.mktemp("environment"))


def run(scripts, folder, *command):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    program, *arguments = command
    result = subprocess.run(
        [scripts / program, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_what_is_in_the_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.split("/")[0] for name in names}
    assert tops == {"dig_envs", next(top for top in tops if top.endswith(".dist-info"))}
    for part in ("training", "policies"):
        for path in (ROOT / part).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and "ratings" not in path.name:
                if (
                    part == "policies"
                    and f"{path.parent.parent.name}/{path.parent.name}" not in zoo_policies()
                ):
                    continue  # somebody's draft
                assert f"dig_envs/{path.relative_to(ROOT).as_posix()}" in names
    assert not any(name.startswith("dig_envs/documentation/") for name in names)
    assert {
        "dig_envs/py.typed",
        "dig_envs/engine/RULES.md",
        "dig_envs/games/oak_island/box.toml",
    } <= names
    for game in SHIPPED:
        folder = load_game(game).package.replace(".", "/")
        assert {f"{folder}/README.md", f"{folder}/RULES.md", f"{folder}/GUIDE.md"} <= names


def test_the_index_would_take_it(wheel):
    """Metadata and the README are as PyPI wants them, and the version is the package's."""
    pytest.importorskip("twine")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", str(wheel)], check=True)
    assert wheel.name.startswith(f"dig_envs-{dig_envs.__version__}-")


@pytest.mark.slow
def test_the_source_distribution_makes_the_same_wheel(wheel, tmp_path):
    pytest.importorskip("build")
    subprocess.run(
        [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path), str(ROOT)], check=True
    )
    source = next(tmp_path.glob("*.tar.gz"))
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", str(source)], check=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path),
        str(source),
    ]
    subprocess.run(command, check=True)
    again = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    assert sorted(again) == sorted(zipfile.ZipFile(wheel).namelist())


def test_it_works_from_an_empty_folder(installed, tmp_path):
    shipped("go_dig/policy")
    code = (
        "import dig_envs; print(dig_envs.__file__); print(dig_envs.__version__)\n"
        "env = dig_envs.make('go_dig_v0'); env.reset(seed=1); agent = "
        "dig_envs.load_agent('go_dig/policy')\n"
        "env.step(agent.act(env)); print(agent.name)"
    )
    where, version, name = run(installed, tmp_path, "python", "-c", code).splitlines()
    assert not Path(where).is_relative_to(ROOT)
    assert version == dig_envs.__version__
    assert name == "go_dig/policy"
    run(installed, tmp_path, "dig-envs", "list")
    assert list(tmp_path.iterdir()) == []


def test_it_trains_and_evaluates(installed, tmp_path):
    settings = (
        "num_envs=16",
        "rollout_steps=8",
        "layers=[8]",
        "warm_start_steps=128",
        "checkpoint_rollouts=1",
        "gate_games=16",
    )
    changes = [word for setting in settings for word in ("--set", setting)]
    run(
        installed,
        tmp_path,
        "dig-envs",
        "train",
        "go_dig",
        "--steps",
        "256",
        "--games",
        "20",
        "--device",
        "cpu",
        *changes,
    )
    card = json.loads((tmp_path / "policies" / "go_dig" / "mine" / "card.json").read_text())
    assert card["history"][-1]["command"].startswith("dig-envs train go_dig --steps 256 ")
    agents = ["--env", "go_dig_v0", "--agents", "go_dig/mine,random", "--games", "20"]
    table = run(installed, tmp_path, "dig-envs", "evaluate", *agents)
    assert "go_dig/mine" in table


# README's first program, then batches, search, a policy and the strongest player; in the end
# something that no library has
WITHOUT_A_COMPILER = """
import importlib.util
import sys
import numpy as np
env.reset(seed=7)
names = "search:sims=20", "fossil_canyon/best", "best+search:sims=20", "heuristic:careless=0.5"
for name in names:
    agent = dig_envs.load_agent(name, env="fossil_canyon_v0", seed=1)
    env.step(agent.act(env))
batch = dig_envs.BatchEnv("fossil_canyon_v0", 8)
batch.step(batch.sample_actions())
assert not {"numba", "llvmlite"} & {*sys.modules}
assert importlib.util.find_spec("numba") is None
try:
    dig_envs.make("go_dig_v0").reset(seed=1)
except ModuleNotFoundError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_wheel_with_machine_code_needs_no_compiler(wheel, tmp_path):
    """Two processes use it at the same time, and nothing is written or said."""
    pytest.importorskip("ziglang")
    from dig_envs.engine.compiler.native import machine_name
    from dig_envs.export.wheels import libraries, platform_wheel, recorded

    pure = tmp_path / wheel.name
    pure.write_bytes(wheel.read_bytes())
    files = libraries(recorded(["fossil_canyon_v0"]), machine_name())
    made = platform_wheel(pure, machine_name(), files)
    scripts, pip = environment(tmp_path / "environment")
    subprocess.run([*pip, "--no-deps", str(made)], check=True)
    subprocess.run([*pip, "numpy", "gymnasium", "pettingzoo", "onnxruntime"], check=True)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program = readme.partition("```python\n")[2].partition("```")[0] + WITHOUT_A_COMPILER
    home = tmp_path / "home"
    home.mkdir()
    left_out = ("PYTHONPATH", "NUMBA_BOUNDSCHECK", "DIG_ENVS_QUIET", "XDG_CACHE_HOME")
    variables = {key: value for key, value in os.environ.items() if key not in left_out}
    variables |= {"HOME": str(home), "DIG_ENVS_CACHE_DIR": str(home / "cache")}
    started = [
        subprocess.Popen(
            [scripts / "python", "-c", program],
            cwd=home,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in started:
        output, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
        scores, missing = output.splitlines()
        assert len(json.loads(scores)) == 3
        assert missing.endswith("pip install numba, which compiles it")
    assert list(home.rglob("*dig_envs*")) == list(home.glob("cache")) == []
