"""``export_game``: writes a game as a package of WebAssembly or as a library in C."""

import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import dig_envs
from dig_envs.engine.compiler.cache import CacheKey, read, write
from dig_envs.engine.compiler.loading import GRAVE, MISTAKES, PLAYOUTS, cache_key
from dig_envs.engine.core.checks import check_choice
from dig_envs.engine.core.options import defaults_for_people
from dig_envs.engine.core.tell import listening_dtype
from dig_envs.engine.game import Game
from dig_envs.export.engine import ENGINE, ENGINE_FLAGS, ENGINE_KEY, engine_license, engine_source
from dig_envs.export.entries import remembering
from dig_envs.export.machines import (
    C_FLAGS,
    MACHINES,
    WASM,
    ExportError,
    Machine,
    check_processor,
    compile_c,
    full_name,
    host,
    object_code,
    zig,
)
from dig_envs.export.players import Weights, needed_by, players_table, weights_of
from dig_envs.export.tables import description, filled_in, tables, words_description, words_tables
from dig_envs.export.words import reasons_module, words_module
from dig_envs.language.guides import GUIDE, guide_page, guide_path
from dig_envs.language.translations import languages, translation
from dig_envs.pictures.fonts import FAMILIES, font_file

FORMS = ("wasm", "c")
# beside the game's modules
MAKERS = (
    "dig_envs.export.entries",
    "dig_envs.export.machines",
    "dig_envs.engine.compiler.portable",
    *(GRAVE, MISTAKES, PLAYOUTS),
)
WASM_FLAGS = (
    "-O2",  # for debugging, Zig would compile parts of its own
    "-s",
    "-Wl,--no-entry",
    "-Wl,--gc-sections",
    "-Wl,-z,stack-size=1048576",
)
SMALL_FLAGS = (*C_FLAGS, "-Os", "-fno-vectorize", "-fno-slp-vectorize", "-fno-inline-functions")
# files that others may import
WITHOUT_TYPES = ("thinker.js", "sw.js", "manifest.json", "*.wasm", "*.weights")
MOST_SAID = 2000  # characters of what a program says when it fails


@dataclass(frozen=True)
class Exported:
    """The files of an exported game: their folder, and the size of each file in bytes by its
    name."""

    folder: Path
    sizes: dict[str, int]


def template(name: str) -> str:
    """The text of one of the templates."""
    return (files("dig_envs.export") / "templates" / name).read_text(encoding="utf-8")


def _key(game: Game) -> CacheKey:
    """The cache key of an exported game's compiled code."""
    key = cache_key(game)
    own = {player.remember.__module__ for player in remembering(game).values()}
    return CacheKey(f"{game.name}-portable", (*key.modules, *MAKERS, *sorted(own)), key.facts)


def kept(key: CacheKey, name: str, make: Callable[[], bytes]) -> bytes:
    """The cached content of this name; made and kept if there is none."""
    if key.sources is None:
        return make()
    content = read(key.folder, name)
    if content is None:
        content = make()
        write(key.folder, name, content)
    return content


def portable_module(game: Game) -> str:
    """All the compiled code of a game, in LLVM's language; raises ExportError."""
    packed = kept(_key(game), "module.ll.zlib", lambda: zlib.compress(_translate(game)))
    return zlib.decompress(packed).decode()


def _translate(game: Game) -> bytes:
    """The module, made in a process of its own; raises ExportError."""
    what = f"{game.env_name} cannot be translated"
    return in_process(what, {}, "-m", "dig_envs.export.translating", game.package)


def in_process(failure: str, variables: Mapping[str, str], *words: str) -> bytes:
    """What a program of Python writes to the file that is its last argument; raises ExportError,
    which begins with the failure.

    ``variables``: of its environment. ``words``: for the interpreter.
    """
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result"
        # the same package, wherever it was started
        root = str(Path(dig_envs.__file__).parent.parent)
        path = os.pathsep.join([root, *filter(None, sys.path)])
        done = subprocess.run(
            [sys.executable, *words, str(result)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path, **variables},
        )
        if done.returncode:
            raise ExportError(f"{failure}:\n{done.stderr.strip()[-MOST_SAID:]}")
        return result.read_bytes()


def rules_object(game: Game, machine: Machine, processor: str = "", small: bool = False) -> bytes:
    """The object file of a game's compiled code for a machine
    (:func:`~dig_envs.export.machines.object_code`)."""

    def make() -> bytes:
        return object_code(portable_module(game), machine, processor, small)

    name = f"{machine.llvm}-{full_name(machine, processor)}{'-small' * small}.o"
    return kept(_key(game), name, make)


def write_sources(
    game: Game, machine: Machine, folder: Path, weights: Sequence[Weights] = ()
) -> list[Path]:
    """Write what is compiled of C besides the rules, with the headers; returns the sources: what
    checks before rules are called, and, where JavaScript does not come with the machine, the words
    and players with what runs them. ``weights``: of the policies that are written beside it."""
    most = _remembered(weights)
    texts = {
        f"{game.name}.h": filled_in(game, template("game.h"), most),
        "tables.h": tables(game, machine is not WASM),
        "game.c": filled_in(game, template("game.c")),
    }
    if machine is not WASM:
        modules = {
            "host.js": filled_in(game, template("host.js"), most),
            "players.js": _players(game, weights, "c", f"{game.name}_load_policy with its weights"),
            **_modules(game),
        }
        texts |= {
            "words.h": words_tables(game, modules),
            "words.c": filled_in(game, template("words.c")),
        }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    sources = [folder / name for name in texts if name.endswith(".c")]
    return sources if machine is WASM else [*sources, engine_source(folder)]


def _remembered(weights: Sequence[Weights]) -> int:
    """The most numbers that one of these policies remembers."""
    return max((one.remembers for one in weights), default=0)


def _objects(
    game: Game, machine: Machine, folder: Path, processor: str = "", weights: Sequence[Weights] = ()
) -> list[Path]:
    """The object files of a game: the compiled rules, and those of the sources in C."""
    own, *more = write_sources(game, machine, folder, weights)
    objects = {f"{game.name}_rules.o": rules_object(game, machine, processor)}
    flags = SMALL_FLAGS if machine is WASM else C_FLAGS
    objects[f"{game.name}.o"] = compile_c(own, machine, folder, flags=flags)
    if more:
        words, engine = more
        objects[f"{game.name}_words.o"] = compile_c(words, machine, folder, engine.parent)
        objects[f"{ENGINE}.o"] = kept(
            ENGINE_KEY, f"{machine.zig}.o", lambda: compile_c(engine, machine, flags=ENGINE_FLAGS)
        )
    for name, content in objects.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in objects]


def _modules(game: Game) -> dict[str, str]:
    """The modules of JavaScript that say what happens in words, by their names."""
    return {
        "python.js": template("python.js"),
        "positions.js": _named(game, template("positions.js")).replace(
            "@RECORDS@", json.dumps(words_description(game))
        ),
        "words.js": words_module(game),
        "description.js": _named(game, template("description.js")).replace(
            "@DESCRIPTION@", json.dumps(description(game), ensure_ascii=False)
        ),
    }


def _players(game: Game, weights: Sequence[Weights], form: str, loading: str) -> str:
    """The module of players by name. ``form``: of the export, for messages; ``loading``: how a
    policy is loaded in it, from its name in ``which``."""
    table = json.dumps(players_table(game, weights))
    text = _named(game, template("players.js")).replace("@PLAYERS@", table)
    return text.replace("@FORM@", form).replace("@LOADING@", loading)


def export_game(
    game: Game,
    to: str,
    folder: Path,
    targets: Sequence[str] = (),
    processor: str = "",
    policies: Sequence[str] = (),
) -> Exported:
    """Write a game so that other programs can play it without Python.

    Example::

        from dig_envs.registry import load_game

        game, folder = load_game("oak_island_v0"), Path("oak_island")
        written = export_game(game, "wasm", folder, policies=["oak_island/policy"])
        written.sizes  # the size of each file in bytes, by its name

    Args:
        game: the game (:func:`dig_envs.registry.load_game`).
        to: ``"wasm"``: WebAssembly with JavaScript and a page for a browser; ``"c"``: a static and
            a shared library with a header.
        folder: for the files; it is made if it does not exist.
        targets: for ``"c"``, the machines to write libraries for, names in
            :data:`~dig_envs.export.machines.MACHINES`, each into a folder of its name; default:
            this machine, directly into ``folder``.
        processor: for ``"c"``, the oldest processor on which it has to run
            (:func:`~dig_envs.export.machines.object_code`).
        policies: names or folders of policies for this game, whose weights are written, too;
            ``best``: those that the player of this name needs.

    Returns:
        The folder, and the size of each file in bytes by its name.

    Raises:
        ExportError: a target or a processor does not fit, a policy cannot be exported, or the
            compiler is missing (``pip install -e ".[export]"``).
        ValueError: another form than these two, an unknown target, or no such policy.
    """
    check_choice("to", to, FORMS)
    if game.usual is not None:
        raise ExportError(f"raw observations are not exported: write {game.plain_name}")
    for name in targets:
        check_choice("target", name, tuple(MACHINES))
    if to == "wasm" and (targets or processor):
        raise ExportError(
            "WebAssembly is the same for all machines: --target and --processor go with --to c"
        )
    for name in (targets or [host()]) if to == "c" else ():
        check_processor(MACHINES[name], processor)
    names = dict.fromkeys(need for name in policies for need in needed_by(game, name))
    weights = [weights_of(game, name) for name in names]
    folder.mkdir(parents=True, exist_ok=True)
    written = (
        export_wasm(game, folder, weights)
        if to == "wasm"
        else export_c(game, folder, targets, processor, weights)
    )
    for one in weights:
        (folder / one.file).write_bytes(one.content)
        written.append(one.file)
    if to == "wasm":
        written.append(_write_keeper(game, folder, written))
    return Exported(folder, {name: (folder / name).stat().st_size for name in written})


def export_wasm(game: Game, folder: Path, weights: Sequence[Weights] = ()) -> list[str]:
    """Write ``<name>.wasm`` with modules of JavaScript, types, a ``package.json`` and a page;
    returns the files' names. ``weights``: of the policies that are written beside it."""
    wasm = folder / f"{game.name}.wasm"
    with tempfile.TemporaryDirectory() as drafts:
        rules, own = _objects(game, WASM, Path(drafts))
        _link_wasm([rules, own], wasm)
        wasm.chmod(0o644)
        rules.write_bytes(rules_object(game, WASM, small=True))
        _link_wasm([rules, own], Path(drafts) / "small.wasm")
        small = (Path(drafts) / "small.wasm").read_bytes()
    written = {
        f"{game.name}.js": _named(game, template("entry.js")),
        "game.js": _named(game, template("game.js")).replace(
            "@LISTENING_SIZE@", str(listening_dtype(game.state).itemsize)
        ),
        "players.js": _players(game, weights, "wasm", "await game.loadPolicy(${which})"),
        "thinker.js": _named(game, template("thinker.js")),
        f"{game.name}.d.ts": _named(game, template("game.d.ts")),
        "description.d.ts": _named(game, template("description.d.ts")),
        **_modules(game),
        "advice.js": _named(game, template("advice.js")),
        "advice.d.ts": _named(game, template("advice.d.ts")),
        "reasons.js": reasons_module(game),
        "guide.js": f"export default {json.dumps(guide_page(game), ensure_ascii=False)};\n",
        "guide.d.ts": template("guide.d.ts"),
        "wasm.js": _as_text(small),
        "wasm.d.ts": template("wasm.d.ts"),
        "README.md": _named(game, template("package.txt")),
        "package.json": json.dumps(_package(game), indent=2) + "\n",
    }
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [wasm.name, *written, *_write_page(game, folder)]


def _link_wasm(objects: Sequence[Path], result: Path) -> None:
    """Without C's library, which takes Zig long to compile; with it for rules that need it, such as
    those with powers."""
    words: list[str | Path] = [*WASM_FLAGS, *objects, "-o", result]
    try:
        zig("cc", "-target", "wasm32-freestanding", *words)
    except ExportError:
        zig("cc", "-target", WASM.zig, "-mexec-model=reactor", *words)


# A sign for each byte, "`" where it takes two bytes: found by trying which exchanges make the text
# of The Big Dig smaller with brotli, which expects other signs after a letter than after a digit.
SIGNS = (
    "AK]1[(9boZIJ %MN0<z'kn^wcdfgh764;|=#{```el*+,-./C`2&``@!B`:`>`i?"
    "s}8`DEFGH``````OPYRQTUVWX````````````_```3j`)````q``t```````p`5r"
    "m``u``v`L```````````x``````````````````y````````````````````````"
    "S```````````````````````````````````````````````~``````````````a"
)


def _as_text(content: bytes) -> str:
    """The module that has a file's content as a text."""
    more = map(chr, range(161, 500))
    sign_of = [next(more) if sign == "`" else sign for sign in SIGNS]
    text = "".join(sign_of[byte] for byte in content)
    module = template("wasm.js").replace("@SIGNS@", json.dumps(SIGNS))
    return module.replace("@TEXT@", json.dumps(text, ensure_ascii=False))


def _write_page(game: Game, folder: Path) -> list[str]:
    """Write ``index.html``, on which one plays in a browser; what the page of the server has, too,
    is copied from there."""
    page = folder / "page"
    page.mkdir(exist_ok=True)
    common = Path(str(files("dig_envs.server") / "page"))
    spoken = languages(common)
    for_people = {
        "options": defaults_for_people(game.options),
        "score_decides": game.score_decides,
        "partner": game.partner,
        "guides": {language: guide_page(game, f"{language}/{GUIDE}") for language in spoken},
    }
    settings = json.dumps(for_people, ensure_ascii=False)
    icon = {"src": "page/icon.svg", "sizes": "any", "type": "image/svg+xml"}
    manifest = {
        "name": game.title,
        "description": game.sentence,
        "start_url": "./",
        "display": "standalone",
        "background_color": "#8a5a2b",
        "theme_color": "#8a5a2b",
        "icons": [icon],
    }
    texts = {
        "index.html": _named(game, template("index.html")).replace("@SENTENCE@", game.sentence),
        "manifest.json": json.dumps(manifest, indent=2) + "\n",
        "page/play.js": _named(game, template("play.js")),
        "page/worker.js": _named(game, template("worker.js")),
        "page/settings.js": f"// For people.\nexport default {settings};\n",
    }
    for language in spoken:
        words = translation(language, common, [guide_path(game).parent])
        texts[f"page/{language}.json"] = json.dumps(words, ensure_ascii=False)
    contents = dict[str, bytes]()
    left = ["style.css", "icon.svg", *_imported(texts["page/play.js"])]
    while left:
        name = left.pop()
        if f"page/{name}" in texts | contents or not (common / name).is_file():
            continue
        contents[f"page/{name}"] = content = (common / name).read_bytes()
        left += _imported(content.decode("utf-8"))
    fonts = [font_file(family) for family in FAMILIES]
    fonts.append(fonts[0].parent / "LICENSE")  # which goes with each copy of them
    contents |= {f"page/{font.name}": font.read_bytes() for font in fonts}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [*texts, *contents]


def _imported(script: str) -> list[str]:
    """The modules of its own folder that a script imports."""
    return re.findall(r"""^(?:import|export)\b[^"']*["']\./([^"']+)""", script, re.MULTILINE)


def _write_keeper(game: Game, folder: Path, written: Sequence[str]) -> str:
    """Write the script that keeps all files of the page in the browser; returns its name."""
    others = ("wasm.js", "package.json", ".md", ".d.ts")  # which the page does not load
    names = sorted(name for name in written if not name.endswith(others))
    digest = sha256()
    for name in names:
        digest.update((folder / name).read_bytes())
    text = _named(game, template("sw.js")).replace("@FILES@", json.dumps(["./", *names]))
    text = text.replace("@VERSION@", digest.hexdigest()[:16])
    (folder / "sw.js").write_text(text, encoding="utf-8")
    return "sw.js"


def export_c(
    game: Game,
    folder: Path,
    targets: Sequence[str] = (),
    processor: str = "",
    weights: Sequence[Weights] = (),
) -> list[str]:
    """Write a header and, for each machine, a static and a shared library; returns the files'
    names. ``weights``: of the policies that are written beside it.

    The libraries for other machines than the one at hand lie in folders of the machines' names.
    """
    own = host() if not targets else ""
    written = []
    for name in targets or [own]:
        place = folder / name if targets else folder
        place.mkdir(parents=True, exist_ok=True)
        written += [
            f"{name}/{file}" if targets else file
            for file in _libraries(game, MACHINES[name], place, processor, weights)
        ]
    texts = {
        f"{game.name}.h": filled_in(game, template("game.h"), _remembered(weights)),
        "example.c": filled_in(game, template("example.c")),
    }
    texts |= {f"{game.name}.pc": filled_in(game, template("game.pc"))} if own else {}
    texts["LICENSE-quickjs"] = engine_license()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [*texts, *written]


def _libraries(
    game: Game, machine: Machine, folder: Path, processor: str, weights: Sequence[Weights]
) -> list[str]:
    """Write the static and the shared library of a game for a machine, or the sources with the
    compiled rules; returns the files' names."""
    if not machine.zig:
        write_sources(game, machine, folder, weights)
        (folder / f"{game.name}_rules.o").write_bytes(rules_object(game, machine, processor))
        return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    static, shared = (
        folder / machine.static.format(game.name),
        folder / machine.shared.format(game.name),
    )
    with tempfile.TemporaryDirectory() as drafts:
        objects = _objects(game, machine, Path(drafts), processor, weights)
        static.unlink(missing_ok=True)
        zig("ar", "rcs", static, *objects)
        # without -O2, Zig compiles parts of its own for debugging, which takes long
        words = ["-target", machine.zig, "-O2", "-shared", "-s", *machine.libraries]
        words += [option.format(game.name) for option in machine.options]
        zig("cc", *words, *objects, "-o", shared)
    written = [static.name, shared.name]
    imports = folder / f"{game.name}_rules.lib"  # of a DLL, named after the first object file
    if imports.exists():
        written.append(imports.replace(folder / f"{game.name}.lib").name)
    (folder / f"{game.name}.pdb").unlink(missing_ok=True)
    return written


def _named(game: Game, text: str) -> str:
    return (
        text.replace("@NAME@", game.name)
        .replace("@TITLE@", game.title)
        .replace("@ENVIRONMENT@", game.env_name)
        .replace("@PACKAGE@", _package_name(game))
    )


def _package_name(game: Game) -> str:
    return f"dig-envs-{game.name.replace('_', '-')}"


def _package(game: Game) -> dict[str, object]:
    from dig_envs import __version__

    return {
        "name": _package_name(game),
        "version": __version__,
        "engines": {"node": ">=20"},
        "description": f"{game.title}: rules, observations and players, compiled from dig_envs",
        "license": "MIT",
        "type": "module",
        "main": f"{game.name}.js",
        "types": f"{game.name}.d.ts",
        "sideEffects": ["./page/*", "./sw.js"],
        "exports": {
            ".": {"types": f"./{game.name}.d.ts", "default": f"./{game.name}.js"},
            **{
                f"./{name}.js": {"types": f"./{name}.d.ts", "default": f"./{name}.js"}
                for name in ("advice", "description", "guide", "wasm")
            },
            **{f"./{name}": f"./{name}" for name in (*WITHOUT_TYPES, "page/*")},
            "./package.json": "./package.json",
        },
        "files": ["*.js", "*.d.ts", "*.wasm", "*.weights", "manifest.json", "index.html", "page"],
    }
