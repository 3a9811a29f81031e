"""The programs of the page "Our environments in other libraries", each run as it stands there.

Left out unless asked for: ``python -m pytest -m ecosystem``, or ``python tests/adapters/environments.py``, which installs all of
them. A program whose libraries are not installed is skipped.
"""

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dig_envs

PAGE = Path(dig_envs.__file__).parent / "adapters" / "LIBRARIES.md"
LIBRARIES = {  # what the programs may import; a misspelt name must not look like a library that is not installed
    "agilerl", "benchmarl", "dig_envs", "distrax", "flax", "gymnasium", "jax", "jaxmarl", "mctx", "numpy", "openenv", "optax",
    "pettingzoo", "pufferlib", "ray", "sb3_contrib", "stable_baselines3", "supersuit", "tensordict", "textarena", "tianshou",
    "torch", "torchrl", "uvicorn", "verifiers",
}  # fmt: skip
SECONDS = 900


def programs():
    """The Python of each section, by its heading."""
    sections = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = {heading: re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) for heading, text in pairs(sections)}
    return {heading: found[0] for heading, found in blocks.items() if found}


def pairs(sections):
    return zip(sections[1::2], sections[2::2], strict=True)


def imported(program):
    """The packages that a program imports."""
    names = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names |= {
                module.partition(".")[0],
                *({module.rpartition(".")[2]} & LIBRARIES),
            }  # adapters are called as their libraries
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


EXPECTED = {
    "SB3 with masks": won_more_than_random_play,
    "SuperSuit to SB3": at_least(2048),
    "Tianshou": is_a_return,
    "CleanRL": improved,
    "PufferLib": at_least(8),
    "TorchRL": improved,
    "TorchRL in batches": improved,
    "BenchMARL": at_least(2000),
    "AgileRL": at_least(1),  # points; a game cannot have negative ones
    "RLlib": improved,
    "TextArena": are_zero_sum_returns,
    "verifiers": is_a_return,
    "OpenEnv": is_a_return,
    "JAX": at_least(256),
    "mctx": won_more_than_random_play,
    "JaxMARL": improved,
}


def test_the_page_has_all_programs_once():
    text = PAGE.read_text(encoding="utf-8")
    assert set(programs()) == set(EXPECTED)
    assert text.count("```python") == len(EXPECTED), "one program in each section"
    for program in programs().values():
        assert imported(program) <= LIBRARIES | set(sys.stdlib_module_names)


@pytest.mark.ecosystem
@pytest.mark.parametrize("section", EXPECTED)
def test_the_program(section, tmp_path):
    program = programs()[section]
    missing = sorted(name for name in imported(program) if importlib.util.find_spec(name) is None)
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    run = subprocess.run([sys.executable, file], cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    last = run.stdout.strip().splitlines()[-1]
    print(f"{section}: {last}")  # with `-rP`
    EXPECTED[section](last)
