"""A library in C reads positions and what one seat sees as Python does, and says the same of them;
with a compiler that watches memory, whatever it is given."""

import json
import shutil
import subprocess
from itertools import islice

import numpy as np
import pytest

from dig_envs import SnapshotError
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.engine.core.words import Names
from dig_envs.engine.event_log import EventLog
from dig_envs.export.build import rules_object, write_sources
from dig_envs.export.engine import engine_source
from dig_envs.export.machines import MACHINES, host
from dig_envs.export.players import weights_of
from dig_envs.export.tables import with_prefix
from dig_envs.registry import list_environments, load_game
from tests.engine.mutations import moves, mutations
from tests.export.node import HERE, SMALL
from tests.export.programs import build
from tests.export.test_players import asked_in_c, names_of
from tests.export.test_views import check_changed_views, check_true_views, plain
from tests.games import option_cases, positions

pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-O1")
COMPILER = shutil.which("gcc") or shutil.which("clang")
WATCHED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-g")


def answers(folder, lines):
    """Return what the program of a folder says of each line."""
    said = subprocess.run(
        [str(folder / "views")], input="".join(lines), capture_output=True, text=True, timeout=3000
    )
    assert said.returncode == 0, said.stderr[-3000:]
    return [json.loads(line) for line in said.stdout.splitlines()]


def said_in_c(folder, game, asked):
    """Return what is said of each view, given with the seat that sees it."""
    found = answers(folder, [f"{seat}\t{json.dumps(view)}\n" for view, seat in asked])
    for (_, seat), one in zip(asked, found, strict=True):
        if "refused" not in one:
            check_events(game, seat, one)
            choices = one.pop("choices")
            one["legal"] = [choice["action"] for choice in choices]
            one["labels"] = [choice["label"] for choice in choices]
            one |= {"chosen": one.get("chosen"), "differs": []}  # C draws positions only
    return found


def check_events(game, seat, said):
    """What happens after the chosen action, as the seat is told it, is what happens here."""
    events, after = said.pop("events", None), said.pop("after", None)
    if events is None:
        return
    log = EventLog(game, game.from_snapshot(said["snapshot"]))
    log.play(seat, said["chosen"])
    here = [event.to_json(Names(())) for event in log.told(seat)]
    for event in (*events, *here):
        event.pop("things", None)  # C has those of pictures
    assert events == here
    assert after == json.loads(json.dumps(game.to_snapshot(log.states[0])))


def check_changed_positions(folder, game, count):
    """The same changed positions are refused here and there, and the others give the same
    states."""
    rng, tried = np.random.default_rng(2), []
    for env in islice(positions(game.env_name, option_cases(game.env_name)[-1], 2, 25), 6):
        snapshot = json.loads(json.dumps(game.to_snapshot(env.states[0])))
        tried += [snapshot, *mutations(snapshot, game.json_schema, rng, count)]
        tried += moves(snapshot, game.json_schema, rng, count // 4)
    refused = words = 0
    found = answers(folder, [f"-\t{json.dumps(snapshot)}\n" for snapshot in tried])
    for snapshot, there in zip(tried, found, strict=True):
        try:
            states = game.from_snapshot(snapshot)
        except SnapshotError as error:
            assert there["code"] == -20, snapshot
            refused += 1
            words += plain(there["refused"]) == plain(str(error))
        else:  # all but the episode's seed, which a snapshot does not tell
            assert bytes.fromhex(there["state"])[8:] == states.tobytes()[8:], snapshot
    assert 0 < refused < len(tried)
    assert words > 0.9 * refused, "but for how values are shown, the words are the same"


def hostile(game):
    """Texts that are no positions, if they are JSON at all."""
    view = game.to_view(game.to_snapshot(next(positions(game.env_name, {}, 1, 1)).states[0]), 0)
    whole = json.dumps(view)
    yield from ("", "null", "[]", "{", "nan", '"', '"\\ud800"', "{}" * 9, "1e999", "\udcff\x01")
    yield from ("[" * 500_000, '{"a":' * 200_000, " " * (1 << 21), whole[:-1], whole + "}")
    yield whole.replace(":", ': {"__proto__": 1}, "x":', 1)


def check_hostile_texts(folder, game):
    lines = [f"{seat}\t{text}\n" for text in hostile(game) for seat in ("0", "-", "99", "-1")]
    encoded = "".join(lines).encode("utf-8", "surrogateescape")
    done = subprocess.run([str(folder / "views")], input=encoded, capture_output=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(lines)
    assert {one["code"] for one in found} <= {-20, -2}


def check_players(folder, game):
    """All players by name, and what is no name, with memories that are none."""
    names = [*names_of(game), " ", ":", "+search", "search:" * 99, "é" * 999]
    questions = [
        {"seat": int(env.states["to_move"][0]), "seed": k, "name": name, "memory": memory}
        | {"position": game.to_snapshot(env.states[0])}
        for env in islice(positions(game.env_name, {}, 1, 20), 3)
        for k, name in enumerate(names)
        for memory in ("", None, "x", "x" * 9999)
    ]
    found = asked_in_c(folder, game, questions)
    assert len(found) == len(questions)
    assert len({one.get("action") for one in found}) > 2


def watched(source, *flags):
    """Return what the compiler at hand makes of a source, with watch kept over all memory."""
    words = ("-O1", *WATCHED, *flags, "-c", source, "-o", source.with_suffix(".o"))
    subprocess.run([COMPILER, *map(str, words)], check=True)
    return source.with_suffix(".o")


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """Return what runs the words, compiled once for all games."""
    source = engine_source(tmp_path_factory.mktemp("engine"))
    return watched(source, "-std=gnu11", "-w", "-D_GNU_SOURCE")


def build_watched(folder, game, engine):
    """Build the programs so that memory is watched everywhere but in the rules."""
    weights = [weights_of(game, f"{game.name}/policy")]
    own, words, _ = write_sources(game, MACHINES[host()], folder, weights)
    (folder / weights[0].file).write_bytes(weights[0].content)
    rules = folder / "rules.o"
    rules.write_bytes(rules_object(game, MACHINES[host()]))
    objects = [watched(path, "-std=c11", "-I", engine.parent) for path in (own, words)]
    for source in (folder / "views.c", folder / "players.c"):
        source.write_text(with_prefix(game, (HERE / source.name).read_text()))
        linked = [watched(source, *FLAGS), *objects, engine, rules]
        linked += ["-lm", "-lpthread", "-o", source.with_suffix("")]
        subprocess.run([COMPILER, *WATCHED, *map(str, linked)], check=True)


def test_the_library_reads_as_here(library):
    """Views, what is no view, no position, and no text at all."""
    game = load_game(SMALL)
    build(library, game, host(), "views.c", *FLAGS)
    check_true_views(library, game, option_cases(SMALL)[:2], 31, said_in_c)
    check_changed_views(library, game, 10, said_in_c)
    check_changed_positions(library, game, 10)
    check_hostile_texts(library, game)


@pytest.mark.slow
@pytest.mark.parametrize("name", list_environments())
def test_every_game_reads_as_here(name, exported):
    """All options, and of the last ones 240 changed views and 420 changed positions: at most five
    minutes a game, of which those views take most that no deal agrees with."""
    game, folder = load_game(name), exported(name, "c")
    build(folder, game, host(), "views.c", *FLAGS)
    check_true_views(folder, game, option_cases(name), 31, said_in_c)
    check_changed_views(folder, game, 40, said_in_c)
    check_changed_positions(folder, game, 70)


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C compiler is installed")
@pytest.mark.parametrize("name", list_environments())
def test_every_game_keeps_to_its_memory(name, engine, tmp_path):
    """The same with the first options, 60 changed views and 60 changed positions, since a program
    that is watched takes ten times as long: at most five minutes a game."""
    game = load_game(name)
    build_watched(tmp_path, game, engine)
    check_true_views(tmp_path, game, option_cases(name)[:1], 61, said_in_c)
    check_changed_views(tmp_path, game, 10, said_in_c)
    check_changed_positions(tmp_path, game, 10)
    check_hostile_texts(tmp_path, game)
    check_players(tmp_path, game)
