"""Python in JavaScript: the same results, and an error with file and line where there is no
translation."""

import json
import subprocess

import pytest

from dig_envs.engine.core.checks import SHORT, shown_in_message
from dig_envs.export.build import template
from dig_envs.export.javascript import Module, TranslationError
from tests.export import samples
from tests.export.node import NODE, needs_node

SAMPLES = ("arithmetic", "texts", "lists", "mappings", "draws", "flow", "objects")
MATCHED = [
    ["go", "north"],
    ["walk", 3],
    ["give", "x"],
    ["give", "x", 1, 2],
    [],
    ["halt"],
    None,
    "go",
]

SHOWN = [
    None,
    True,
    -3,
    0.5,
    "it's",
    "a\tb\n\x1b[31m\u202e\u200b\u3164 \xa0é🦖\ud800\\",
    "🦖'" * 200,
    [*range(7)],
    [[[[[1]]]], [[[]]]],
    {"b": 1, "a": [{"c": {"d": {}}}], "e": 0, "d": 2, "f": 3},
    ["x" * 70] * 9,
]


def plain(value):
    """Return a value as JSON has it: tuples as lists."""
    return json.loads(json.dumps(value, default=lambda other: sorted(other)))


@needs_node
def test_results_are_the_same(tmp_path):
    module = Module({name: getattr(samples, name) for name in (*SAMPLES, "matching", "named")})
    (tmp_path / "python.js").write_text(template("python.js"))
    (tmp_path / "samples.js").write_text(module.text())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    calls = [f"samples.{name}()" for name in SAMPLES]
    calls += [f"samples.matching(py.from_json({json.dumps(words)}))" for words in MATCHED]
    calls += ['samples.named(py.from_json({"10": "ten", "b": [1, null]}))']
    script = 'import * as py from "./python.js";\nimport * as samples from "./samples.js";\n'
    script += (
        "const plain = (value) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? "
        "`${one}n` : py.to_json(one)));\n"
    )
    script += f"for (const value of [{', '.join(calls)}]) console.log(plain(value));\n"
    (tmp_path / "run.js").write_text(script)
    done = subprocess.run(
        [str(NODE), tmp_path / "run.js"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    expected = [getattr(samples, name)() for name in SAMPLES]
    expected += [samples.matching(words) for words in MATCHED] + [
        samples.named({"10": "ten", "b": [1, None]})
    ]
    for name, here, there in zip(calls, expected, found, strict=True):
        here = plain(
            [f"{one}n" if isinstance(one, int) and abs(one) >= 2**53 else one for one in here]
            if isinstance(here, list)
            else here
        )
        assert len(here) == len(there), name
        for place, (one, other) in enumerate(zip(here, there, strict=True)):
            assert one == other, f"{name}, place {place}"


@needs_node
def test_values_in_messages_are_shown_alike(tmp_path):
    module = Module({"shown": shown_in_message}, [(SHORT, "py.short")])
    (tmp_path / "python.js").write_text(template("python.js"))
    (tmp_path / "shown.js").write_text(module.text())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    values = json.dumps(SHOWN)
    big = f"{10**40}n, {10**80}n"
    (tmp_path / "run.js").write_text(
        'import * as py from "./python.js";\nimport { shown } from "./shown.js";\n'
        f"const values = [...py.from_json({values}), {big}];\n"
        "console.log(JSON.stringify(values.map((value) => shown(value))));\n"
    )
    done = subprocess.run([str(NODE), tmp_path / "run.js"], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    expected = [shown_in_message(value) for value in [*json.loads(values), 10**40, 10**80]]
    assert json.loads(done.stdout) == expected


@pytest.mark.parametrize(
    ("name", "what"), [("refused_loop", "For"), ("refused_name", "open"), ("refused_global", "fft")]
)
def test_what_has_no_translation_is_named_with_its_place(name, what):
    line = getattr(samples, name).__code__.co_firstlineno
    with pytest.raises(TranslationError, match=rf"samples\.py:{line + 1}: .*{what}"):
        Module({"it": getattr(samples, name)}).text()


def test_a_module_has_nothing_that_it_does_not_need():
    """A module in JavaScript contains only those members of classes and objects that are used by
    name."""
    text = Module({"flow": samples.flow}).text()
    assert "Shape" not in text
    assert "WORDS" not in text
    text = Module({"named": samples.SAY_TWICE}).text()
    assert "=> " in text
