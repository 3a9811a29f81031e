"""Exported games as packages of npm: what is in them, what may be imported, and bundles."""

import json
import re
import shlex
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.export.build import export_game
from dig_envs.registry import list_environments, load_game
from tests.export.node import HERE, NODE, needs_node, node
from tests.export.serving import serving
from tests.server.browsing import PATIENCE, browsing

pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")
NPM = shutil.which("npm")
needs_npm = pytest.mark.skipif(NPM is None, reason="npm is not installed")
NAME = "dig-envs-go-dig"
PARTS = {"go_dig.js", "game.js", "players.js", "positions.js", "python.js", "words.js"}
OF_ADVICE = {"advice.js", "reasons.js"}  # which no other module loads

# ---------------------------------------------------------------- without a network


def packed(package: Path) -> set[str]:
    """Return the files that npm packs."""
    words = [str(NPM), "pack", "--dry-run", "--json", "--offline"]
    done = subprocess.run(words, cwd=package, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return {file["path"] for file in json.loads(done.stdout)[0]["files"]}


LOADED = (  # how one file names another
    r"""from "(\.[^"]+)";""",
    r"""new URL\("([^"]+)", import\.meta\.url\)""",
    r"""url\("?([^")]+)"?\)""",
    r"""(?:href|src)="([^"]+)\"""",
)


def loaded(package: Path, first: str) -> set[str]:
    """Return the files that a file may load, by what they say themselves."""
    found, left = set(), [first]
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        path = package / name
        if path.suffix not in (".js", ".css", ".html"):
            continue
        text = path.read_text(encoding="utf-8")
        for other in (other for form in LOADED for other in re.findall(form, text)):
            if not other.startswith(("#", "data:")) and other != "./":
                place = (path.parent / other).resolve()
                left.append(place.relative_to(package.resolve()).as_posix())
    return found


@needs_npm
def test_npm_packs_all_that_is_loaded(package):
    """The module with its WebAssembly, the page with fonts and worker, types and weights."""
    files = packed(package)
    module, page = loaded(package, "go_dig.js"), loaded(package, "index.html")
    assert module == PARTS | {"description.js", "go_dig.wasm", "thinker.js"}
    assert page > module | OF_ADVICE | {"page/worker.js", "page/DigSans.ttf", "page/settings.js"}
    others = {
        "page/LICENSE",
        "advice.d.ts",
        "sw.js",
        "go_dig.d.ts",
        "description.d.ts",
        "guide.js",
        "guide.d.ts",
        "wasm.js",
        "wasm.d.ts",
        "README.md",
        "go_dig-policy.weights",
        "package.json",
    }
    assert files >= page | others


@needs_node
@needs_npm
def test_all_but_the_parts_of_the_module_can_be_imported(package):
    """By the name of the package, as who installed it does."""
    public = {f for f in packed(package) if not f.endswith((".d.ts", ".html", ".md"))}
    public -= PARTS | {"reasons.js"}
    script = "console.log(JSON.stringify(process.argv.slice(1).map((x) => import.meta.resolve(x))))"
    words = [str(NODE), "--input-type=module", "-e", script]
    names = [NAME, *(f"{NAME}/{file}" for file in sorted(public))]
    done = subprocess.run([*words, *names], cwd=package, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    places = [Path(place.removeprefix("file://")) for place in json.loads(done.stdout)]
    assert places == [(package / file).resolve() for file in ("go_dig.js", *sorted(public))]


def test_bundlers_find_the_file_and_no_module_of_node(package):
    """They read the text: an address in one piece, and no import that a browser does not have."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in package.rglob("*.js")}
    assert 'new URL("./go_dig.wasm", import.meta.url)' in texts["go_dig.js"]
    for name, text in texts.items():
        said = re.findall(
            r"""^import\b[^"']*["']([^"']+)|\bimport\(\s*["'`]([^"'`]+)""", text, re.MULTILINE
        )
        imports = [at_once or later for at_once, later in said]
        assert all(one.startswith(("./", "../")) for one in imports), (name, imports)
        assert imports or name not in ("go_dig.js", "thinker.js", "play.js", "worker.js")


@needs_node
def test_the_program_of_the_readme_runs(package):
    """It imports the package by its name, which a package may do itself; the text is another
    WebAssembly with the same functions, which compresses better."""
    program = re.search(r"```js\n(.*?)```", (package / "README.md").read_text(), re.DOTALL)
    text = """import wasm from 'dig-envs-go-dig/wasm.js';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
const fast = readFileSync('go_dig.wasm');
const all = (code) => WebAssembly.Module.exports(new WebAssembly.Module(code));
const names = (code) => all(code).map((e) => e.name).join();
const packed = (code) => brotliCompressSync(code).length;
console.log(packed(wasm) < packed(fast), names(wasm) === names(fast));"""
    said = []
    for script in (program.group(1), text):
        words = [str(NODE), "--input-type=module", "-e", script]
        done = subprocess.run(words, cwd=package, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.strip().splitlines())
    assert len(said[0]) > 10
    assert "won" in said[0][-1]
    assert said[1] == ["true true"]


@needs_node
def test_the_types_name_what_there_is(package):
    """All that the module exports, and all public members of its classes."""
    text = re.sub(r"/\*.*?\*/", "", (package / "go_dig.d.ts").read_text(), flags=re.DOTALL)
    classes = re.findall(r"^export class (\w+)[^{]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    typed: dict[str, list[str] | None] = {
        name: sorted({*re.findall(r"^  (?:readonly )?(\w+)(?=[:(?])", body, re.MULTILINE)})
        for name, body in classes
    }
    for name in re.findall(r"^export (?:const|function) (\w+)", text, re.MULTILINE):
        typed[name] = None
    found = node("members.mjs", package / "go_dig.js")
    assert isinstance(found, dict)
    assert typed == found
    assert {name for name, members in found.items() if members} == {name for name, _ in classes}


# ---------------------------------------------------------------- with bundlers


@pytest.fixture(scope="module")
def program(package, tmp_path_factory):
    """Return the folder of a program in which the package and bundlers are installed."""
    if NPM is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("program")
    done = subprocess.run(
        [NPM, "pack", "--pack-destination", folder], cwd=package, capture_output=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (folder / "package.json").write_text('{"name": "program", "private": true, "type": "module"}')
    archive = next(folder.glob("*.tgz"))
    words = [NPM, "install", "--no-audit", "--no-fund", f"./{archive.name}", "esbuild", "vite"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        pytest.skip(f"npm cannot fetch the bundlers: {done.stderr[-500:]}")
    shutil.copy(HERE / "bundled.js", folder)
    return folder


def bundle(folder: Path, places: str, *words: str) -> None:
    """Bundle the program; ``places`` says in JavaScript where the files of the package are."""
    (folder / "places.js").write_text(places)
    tool = folder / "node_modules" / ".bin" / words[0]
    done = subprocess.run(
        [tool, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=300
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "warning" not in said.lower(), said


def in_node(script: Path) -> str:
    done = subprocess.run([str(NODE), script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def in_a_browser(folder: Path) -> str:
    with serving(folder) as address, browsing() as browser:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_function("globalThis.said", timeout=PATIENCE)
        return page.evaluate("globalThis.said")


@pytest.fixture(scope="module")
def expected(program):
    """Return what the program says in Node without a bundler."""
    weights = f"new URL(import.meta.resolve('{NAME}/go_dig-policy.weights'))"
    (program / "places.js").write_text(f"export const places = {{ policy: {weights} }};")
    said = in_node(program / "bundled.js")
    assert re.fullmatch(r"Go Dig \d+ (1 -1|-1 1|1 1|-1 -1) \d+ true", said)
    return said


BY_IMPORT = f"""import game from "{NAME}/go_dig.wasm";
import policy from "{NAME}/go_dig-policy.weights";
export const places = {{ game, policy }};
"""
PAGE = '<!doctype html><title>one</title><script type="{}" src="{}"></script>'


def esbuild(program: Path, out: str, loader: str, *words: str) -> Path:
    loaders = [f"--loader:.{kind}={loader}" for kind in ("wasm", "weights")]
    bundle(program, BY_IMPORT, "esbuild", "bundled.js", "--bundle", "--minify", *loaders, *words,
           f"--outdir={out}")  # fmt: skip
    return program / out


@pytest.mark.ecosystem
@needs_node
def test_a_module_of_esbuild_plays(program, expected):
    """For browsers; Node runs the same file."""
    folder = esbuild(program, "module", "file", "--format=esm")
    assert in_node(folder / "bundled.js") == expected
    (folder / "index.html").write_text(PAGE.format("module", "bundled.js"))
    assert in_a_browser(folder) == expected


@pytest.mark.ecosystem
@needs_node
def test_one_file_of_esbuild_plays(program, expected):
    """With the WebAssembly as a text in it, by the command of the documents."""
    (program / "one").mkdir()
    places = f"""import game from "{NAME}/wasm.js";
import policy from "./node_modules/{NAME}/go_dig-policy.weights";
export const places = {{ game, policy }};
"""
    words = ["--bundle", "--minify", "--format=esm", "--charset=utf8", "--loader:.weights=file"]
    bundle(program, places, "esbuild", "bundled.js", *words, "--outfile=one/one.js")
    assert in_node(program / "one" / "one.js") == expected
    (program / "one" / "index.html").write_text(
        '<!doctype html><meta charset="utf-8">' + PAGE.format("module", "one.js")
    )
    assert in_a_browser(program / "one") == expected


@pytest.mark.slow
@pytest.mark.ecosystem
@needs_node
@pytest.mark.parametrize("name", list_environments())
def test_one_file_is_small(name, program, tmp_path):
    """By the command of the documents, as servers send it: compressed with brotli."""
    readme = (files("dig_envs.export") / "README.md").read_text(encoding="utf-8")
    command = re.search(r"npx (esbuild program\.js .*?)```", readme, re.DOTALL).group(1)
    tool, *words = shlex.split(command.replace("\\\n", " "))
    game, package = load_game(name), tmp_path / "package"
    export_game(game, "wasm", package)
    (tmp_path / "program.js").write_text(
        f'import {{ load }} from "{package}/{game.name}.js";\n'
        f'import wasm from "{package}/wasm.js";\n'
        "const game = await load(wasm);\nconsole.log(game.deal({}, 7n).toMove);\n"
    )
    done = subprocess.run(
        [program / "node_modules" / ".bin" / tool, *words], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert in_node(tmp_path / "one.js").isdigit()
    script = "console.log(zlib.brotliCompressSync(fs.readFileSync('one.js')).length)"
    done = subprocess.run([str(NODE), "-e", script], cwd=tmp_path, capture_output=True, text=True)
    assert 1000 < int(done.stdout) <= 100_000


@pytest.mark.ecosystem
@needs_node
def test_a_script_of_esbuild_plays(program, expected):
    """One that is no module has no address of its own."""
    silent = "--log-override:empty-import-meta=silent"
    folder = esbuild(program, "script", "binary", "--format=iife", silent)
    (folder / "index.html").write_text(PAGE.format("text/javascript", "bundled.js"))
    assert in_a_browser(folder) == expected


@pytest.mark.ecosystem
@needs_node
def test_what_vite_builds_plays(program, expected):
    """It finds the WebAssembly by itself, and puts it beside the bundle."""
    places = f"""import policy from "{NAME}/go_dig-policy.weights?url";
export const places = {{ policy }};
"""
    (program / "index.html").write_text(PAGE.format("module", "/bundled.js"))
    bundle(program, places, "vite", "build", "--outDir", "site", "--logLevel", "warn")
    assets = program / "site" / "assets"
    assert list(assets.glob("go_dig-*.wasm"))
    assert list(assets.glob("thinker-*.js"))
    assert in_a_browser(program / "site") == expected
