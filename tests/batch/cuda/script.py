"""A script of calls on a batch, and what comes of it: the same for a batch on a CPU and for one on
a (simulated) GPU.

``python -m tests.batch.cuda.script IN OUT`` plays it on Numba's simulated CUDA device, from the
batch in the file IN; it is to be started with NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1, as
the simulator runs Python code.
"""

import pickle
import sys
from typing import Any

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.errors import IllegalActionError
from dig_envs.registry import load_game

OUTPUTS = (
    *(
        "observation",
        "action_mask",
        "mover",
        "reward",
        "terminated",
        "truncated",
        "turn_limit",
        "states",
    ),
    *("final_states", "final_returns", "final_lengths"),
)
STEPS = 12
PAUSING = 4  # the step in which game 0 does not play on


def on_host(array: Any) -> Any:
    """An array of NumPy, wherever it was."""
    return array.copy_to_host() if hasattr(array, "copy_to_host") else np.array(array)


def outputs(batch: Any) -> dict[str, Any]:
    return {name: on_host(getattr(batch, name)) for name in (*OUTPUTS, "won", "scores")}


def play(batch: Any) -> dict[str, Any]:
    """Random actions for some steps, a refused one, a deal of all games: name -> array of
    everything seen."""
    seen: dict[str, Any] = {}
    games = np.ones(batch.batch_size, np.bool_)
    for step in range(STEPS):
        actions = batch.sample_actions()
        games[0] = step != PAUSING
        returned = batch.step(actions, None if step < PAUSING else games)
        record(seen, f"step_{step}", {"actions": on_host(actions), **outputs(batch)})
        shown = (batch.observation, batch.reward, batch.terminated, batch.truncated)
        assert all(one is other for one, other in zip(returned, shown, strict=True))
    refuse(batch, seen)
    for bad in (
        np.zeros(len(games) + 1, np.int64),
        np.zeros(len(games)),
        np.zeros((len(games), 1), np.int64),
        0,
    ):
        with pytest.raises((TypeError, ValueError), match="actions must"):
            batch.step(bad)
    with pytest.raises(TypeError, match="games must be bool"):
        batch.step(batch.sample_actions(), np.zeros(len(games), np.int64))
    record(seen, "refused", outputs(batch))
    batch.reset(seed=77)
    record(seen, "dealt", outputs(batch))
    batch.step(batch.sample_actions())
    record(seen, "dealt_step", outputs(batch))
    batch.reset()
    record(seen, "dealt_again", outputs(batch))
    return seen


def refuse(batch: Any, seen: dict[str, Any]) -> None:
    """Actions that are none, and one that is illegal in one of the games."""
    mask = on_host(batch.action_mask)
    closed = np.argwhere(mask == 0)[-1]
    for game, wrong in ((1, -1), (len(mask) - 1, mask.shape[1]), closed):
        bad = on_host(batch.sample_actions())
        bad[game] = wrong
        with pytest.raises(IllegalActionError) as refused:
            batch.step(bad)
        record(seen, f"refused_{wrong}", {"error": np.array(str(refused.value)), **outputs(batch)})


def record(seen: dict[str, Any], when: str, what: dict[str, Any]) -> None:
    """Remember arrays under the names of a moment, records as bytes, which files can hold whatever
    they are."""
    for name, array in what.items():
        seen[f"{when}_{name}"] = (
            array.view(np.ndarray).view(np.uint8) if array.dtype.names else array
        )


def play_unchecked(batch: Any, seen: dict[str, Any]) -> None:
    """A step on a device that waits for nothing, with an illegal action in game 1; on a CPU one in
    which that game does not play. Then one with actions drawn in place."""
    actions = on_host(batch.sample_actions())
    if isinstance(batch, BatchEnv):
        batch.step(actions, np.arange(batch.batch_size) != 1)
        record(seen, "unchecked", outputs(batch))
        batch.step(batch.sample_actions())
    else:
        actions[1] = len(batch.game.actions)
        batch.step(actions, check=False)
        record(seen, "unchecked", outputs(batch))
        with pytest.raises(IllegalActionError, match="in game 1 of the batch"):
            batch.check()
        batch.check()  # it has been told
        with pytest.raises(ValueError, match="into must be the batch's own array"):
            batch.sample_actions(into=batch.mover)
        batch.step(batch.sample_actions(into=batch.actions), check=False)
        batch.check()
    record(seen, "drawn_in_place", outputs(batch))


def play_as_learner(name: str, states: Any, device: str, steps: int) -> dict[str, Any]:
    """Games of a learner from these positions on, against all kinds of opponents: name -> array of
    everything seen."""
    from dig_envs.adapters.learner_batch import LearnerBatch
    from dig_envs.adapters.learner_tensors import LearnerTensors
    from tests.adapters.test_learner_tensors import Player

    counts = [int(count) for count in states["num_players"]]
    opponents = ["heuristic", Player(load_game(name)), "random"]
    made = LearnerBatch(name, len(counts), None, opponents, 3, "score", 1, num_players=counts)
    made.batch.set_states(None, states, check=False)
    games, seen = LearnerTensors(made, device), {}
    games.reset()
    for step in range(steps):
        actions = games.action_mask.argmax(1)
        if step == PAUSING:
            actions[0] = -1
        found = vars(games.step(actions, check=step < PAUSING)).items()
        seen |= {f"step_{step}_{what}": tensor.numpy().copy() for what, tensor in found}
        for what in ("observation", "action_mask", "learner_seats", "players"):
            seen[f"step_{step}_{what}"] = getattr(games, what).numpy().copy()
        record(seen, f"step_{step}", {"states": on_host(games.batch.states)})
    with pytest.raises(IllegalActionError, match="in game 0 of the batch"):
        games.check()
    games.reset(seed=5)
    record(seen, "dealt", {"states": on_host(games.batch.states)})
    return seen


def main(given: str, results: str) -> None:
    """Play the script on a simulated device, and go back to the CPU in the end."""
    with open(given, "rb") as file:  # written by the test a moment ago
        start, steps = pickle.load(file)
    batch = start.to("cuda")
    assert batch.to("cuda") is batch
    seen = play(batch)
    for name, tensor in batch.tensors().items():  # the very arrays
        assert np.shares_memory(tensor.numpy(), getattr(batch, name)._ary)
    with pytest.raises(TypeError, match=r'take to\("cpu"\)'):
        pickle.dumps(batch)
    seen["left_alone"] = start.states.view(np.ndarray).view(np.uint8)
    play_unchecked(batch, seen)
    back = batch.to("cpu")
    record(seen, "back", outputs(back))
    back.step(back.sample_actions())
    record(seen, "back_step", outputs(back))
    learning = play_as_learner(start.game.env_name, start.states, "cuda", steps)
    np.savez(results, **seen, **{f"learner_{name}": array for name, array in learning.items()})


def compare_blocks(size: int) -> None:
    """One step of a batch of more than a block of threads, without observations, beside the same on
    the CPU."""
    batch = BatchEnv("oak_island_v0", size, observation=None, num_threads=1)
    actions = batch.sample_actions()
    other = batch.to("cuda")
    batch.step(actions)
    other.step(actions.astype(np.int32))
    seen, expected = outputs(other), outputs(batch)
    assert all(np.array_equal(seen[name], expected[name]) for name in OUTPUTS)
    assert np.array_equal(on_host(other.sample_actions()), batch.sample_actions())
    other.step(np.full(size, -1), check=False)
    other.reset()
    other.check()  # what was illegal before is forgotten


if __name__ == "__main__":
    main(*sys.argv[1:])
