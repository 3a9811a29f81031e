"""Records from outside, filled with anything: each is taken or refused with a word, soon, and
compiled code sees none of them."""

import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

from dig_envs import BatchEnv, SnapshotError
from dig_envs.engine.compiler.compiled import CompiledGame
from dig_envs.registry import list_environments, load_game
from tests.games import needs_compiling

# for each record, which takes a millisecond; a loop without an end would take any time
SECONDS = 20

# Every field of a position, filled with each of some values and with what links each entry to
# itself or the next.
FILLING = f"""
import faulthandler
import numpy as np
from dig_envs import BatchEnv, SnapshotError
from tests.games import list_environments

for name in list_environments():
    batch = BatchEnv(name, 1, seed=0)
    for _ in range(40):
        batch.step(batch.sample_actions())
    batch.set_states([0], batch.states)  # compiles what is not compiled yet
    good = batch.states.copy()
    for field in good.dtype.names:
        kind = good.dtype[field].base
        if kind == np.uint64:
            continue  # seeds, which may be any number
        most = np.iinfo(kind).max
        places = np.arange(good[field].size).reshape(good[field].shape)
        for fill in (2, most, (places + 1) % most):
            print(name, field, fill, flush=True)
            record = good.copy()
            record[field] = fill
            faulthandler.dump_traceback_later({SECONDS}, exit=True)
            try:
                batch.set_states([0], record)
            except SnapshotError:
                assert batch.states.tobytes() == good.tobytes()
            faulthandler.cancel_dump_traceback_later()
            batch.set_states([0], good, check=False)
"""


@needs_compiling
def test_every_field_filled_with_anything_is_taken_or_refused_in_time():
    done = subprocess.run([sys.executable, "-c", FILLING], capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout.splitlines()[-1:], done.stderr)


def test_cards_in_a_circle_are_refused_with_a_word():
    """Dino Dig: the cards of a stack lie on each other by their numbers (DD-2)."""
    batch = BatchEnv("dino_dig_v0", 1, seed=0)
    record = batch.states.copy()
    top = int(record["top"].max())
    record["below"][0, top] = top
    with pytest.raises(
        SnapshotError, match=r"the record for game 0 is not a position of dino_dig: .* in a circle"
    ):
        batch.set_states([0], record)


@pytest.mark.parametrize(
    "name", [name for name in list_environments() if load_game(name).is_simultaneous]
)
def test_compiled_code_sees_no_record_from_outside(name, monkeypatch):
    """The rules, which check no bounds, are asked who has committed; they see what was read, not
    the record itself."""
    batch = BatchEnv(name, 1, seed=0)
    lengths = [field for field in batch.states.dtype.names if field.endswith("_len")]
    asked = []
    facts = CompiledGame.facts
    monkeypatch.setattr(
        CompiledGame, "facts", lambda game, state: asked.append(state.copy()) or facts(game, state)
    )
    batch.set_states([0], batch.states.copy())
    assert asked
    for field in lengths:
        asked.clear()
        record = batch.states.copy()
        record[field] = 99
        with suppress(SnapshotError):
            batch.set_states([0], record)
        assert not any(np.any(state[field] == 99) for state in asked), field
