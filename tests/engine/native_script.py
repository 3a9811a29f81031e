"""Calls of every kind, and hashes of what comes of them: the same with machine code from libraries
as with code that is compiled here.

``python -m tests.engine.native_script FOLDER NAME … --actions 100000`` plays the script in two
processes, with the libraries in FOLDER and without, and prints how they agree.
"""

import argparse
import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

import dig_envs
from dig_envs.agents.zoo import zoo_policies
from dig_envs.engine.compiler import native
from dig_envs.registry import load_game
from tests.batch.cuda import script

BATCH = 64
SEARCHES = 4  # by each agent that searches


def seen(name, actions):
    """Hash of everything that is seen in about so many actions, by what is done."""
    return {
        "batch": hash_of(script.play(dig_envs.BatchEnv(name, 16, seed=5))),
        "batches": play_batches(name, actions),
        "games": play_games(name, max(200, actions // 20)),
        **{agent: ask(name, agent) for agent in agents_of(name)},
    }


def hash_of(arrays):
    found = sha256()
    for key, array in arrays.items():
        found.update(key.encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def play_batches(name, actions):
    batch, found = dig_envs.BatchEnv(name, BATCH, seed=11), sha256()
    for step in range(max(1, actions // BATCH)):
        batch.step(batch.heuristic_actions() if step % 10 == 5 else batch.sample_actions())
        found.update(hash_of(script.outputs(batch)).encode())
    found.update(batch.full_state().tobytes())
    batch.reset()
    found.update(hash_of(script.outputs(batch)).encode())
    return found.hexdigest()


def play_games(name, actions):
    """Turns of one game after another with events, snapshots and re-deals."""
    env, found = dig_envs.make(name), sha256()
    rng, table = np.random.default_rng(3), env.unwrapped
    env.reset(seed=1)
    for step in range(actions):
        if not env.agents or any(env.terminations.values()):
            env.reset()
        observation, reward, *_ = env.last()
        mask = observation["action_mask"]
        found.update(observation["observation"].tobytes() + mask.tobytes())
        found.update(np.float64(reward).tobytes())
        if step % 7 == 3:
            table.determinize(env.agent_selection, step)
            mask = env.last()[0]["action_mask"]
        if step % 11 == 4:
            table.restore(json.loads(json.dumps(table.snapshot())))
        if step % 5 == 1:
            told = [event.to_json() for event in table.events(env.agent_selection)]
            found.update(json.dumps(told).encode())
            facts = table.game.facts(table.states[0])
            found.update(b"" if facts is None else facts.tobytes())
            seat = int(table.states["to_move"][0])
            found.update(repr(table.game.warnings_of(table.states, seat)).encode())
        env.step(int(rng.choice(np.flatnonzero(mask))))
    return found.hexdigest()


def agents_of(name):
    """Names of players: scripted, in each style, careless, searching, guided, trained."""
    game = load_game(name)
    trained = [policy for policy in zoo_policies() if policy.startswith(f"{game.name}/")]
    return [
        "heuristic",
        "heuristic:careless=0.5",
        *(f"heuristic:style={style}" for style in game.styles),
        "search:sims=40",
        *(f"search:sims=20:others={style}" for style in list(game.styles)[:1]),
        f"{game.name}/best",
        "best+search:sims=20",
        *(policy for policy in trained[:2] if policy.count("/") == 1),
        *(f"{policy}+search:sims=20" for policy in trained[:1]),
    ]


def ask(name, agent):
    """What an agent answers in some positions, with what it found in a search."""
    found = []
    try:
        player = dig_envs.load_agent(agent, env=name, seed=4)
    except ValueError:
        if "/" not in agent:
            raise
        return f"trained for another environment than {name}"
    env = dig_envs.make(name)
    env.reset(seed=2)
    searches = hasattr(player, "search")
    for _ in range(SEARCHES if searches else 10 * SEARCHES):
        if any(env.terminations.values()):
            break
        if searches:
            states = env.unwrapped.states
            result = player.search(states, int(states["to_move"][0]), 9)
            found += [result.visits.tobytes(), result.values.tobytes(), result.policy.tobytes()]
        action = player.act(env)
        found.append(str(action).encode())
        env.step(action)
    return sha256(b"|".join(found)).hexdigest()


def play(folder, names, actions):
    """Play the script in a process of its own: hashes of each game, the libraries that were used,
    and whether there was a compiler. Without a folder everything is compiled."""
    words = [
        sys.executable,
        "-m",
        "tests.engine.native_script",
        "--here",
        folder,
        *names,
        "--actions",
        str(actions),
    ]
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "0"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--here", action="store_true")
    given = parser.parse_args()
    if given.here:
        native.FOLDER = Path(given.folder)
        hashes = {name: seen(name, given.actions) for name in given.names}
        compiled = sorted({"numba", "llvmlite"} & sys.modules.keys())
        json.dump({"hashes": hashes, "compiler": compiled}, sys.stdout)
        return
    with_libraries = play(given.folder, given.names, given.actions)
    without = play("", given.names, given.actions)
    for name, hashes in without["hashes"].items():
        for what, expected in hashes.items():
            agrees = with_libraries["hashes"][name][what] == expected
            print(f"{name} {what}: {'equal' if agrees else 'DIFFERENT'} {expected[:60]}")
    print(f"compiler with libraries: {with_libraries['compiler']}, without: {without['compiler']}")


if __name__ == "__main__":
    main()
