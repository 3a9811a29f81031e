"""Everything that a user holds can be copied, pickled and sent to another process, in the middle of
a game, and goes on there as here; what holds something that cannot be sent says so or begins
anew."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from importlib.util import find_spec

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import NormalizeReward

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.adapters.text_game import TextGame
from dig_envs.agents.external import Program
from dig_envs.engine.core.events import Event
from dig_envs.registry import load_game
from tests.games import needs_compiling

MEMORY = "fossil_memory_v0"
STEPS = 12
AGENTS = {  # of Fossil Memory
    "random": "random",
    "heuristic": "heuristic",
    "style": "heuristic:style=greedy",
    "careless": "heuristic:careless=0.3",
    "level": "easy",
    "remembering": "remembering",
    "policy": "fossil_memory/policy:sample",
    "policy that remembers": "fossil_memory/memory",
    "best": "best",
    "search": "search:sims=40:reuse=1",
    "guided search": "fossil_memory/policy+search:sims=20:reuse=1",
    "best with search": "best+search:sims=20",
}


def digest(*values):
    """A text that is the same for the same values, arrays among them, in every process."""
    return sha256(repr([plain(value) for value in values]).encode()).hexdigest()


def plain(value):
    if isinstance(value, np.ndarray):
        return (
            value.shape,
            str(value.dtype),
            value.tobytes() if value.dtype != object else [plain(one) for one in value],
        )
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value.to_json()) if isinstance(value, Event) else value


def sampled(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


# How each goes on: from the object alone, to a text.


def play_aec(env):
    rng, seen = np.random.default_rng(0), []
    for _ in range(STEPS):
        agent = env.agent_selection
        seen.append((agent, *env.last()[:2], env.unwrapped.events(agent)))
        env.step(int(sampled([env.last()[0]["action_mask"]], rng)[0]))
    return digest(seen, env.unwrapped.snapshot())


def play_parallel(env):
    rng, seen = np.random.default_rng(0), []
    for _ in range(STEPS):
        masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents_to_act()}
        seen.append(env.step({a: int(sampled([mask], rng)[0]) for a, mask in masks.items()}))
    return digest(seen, env.snapshot())


def play_gymnasium(env):
    rng, seen = np.random.default_rng(0), []
    for _ in range(STEPS):
        step = env.step(int(sampled([env.unwrapped.action_masks()], rng)[0]))
        seen.append(step)
        if step[2] or step[3]:
            seen.append(env.reset())
    return digest(seen)


def play_vector(env):
    rng, seen = np.random.default_rng(0), []
    for _ in range(STEPS):
        seen.append(env.step(sampled(env.unwrapped.action_masks(), rng)))
        over = seen[-1][2] | seen[-1][3]
        if env.metadata["autoreset_mode"] == AutoresetMode.DISABLED and over.any():
            seen.append(env.reset(options={"reset_mask": over}))
    return digest(seen, env.reset(seed=3))


def play_sb3(env):
    rng, seen = np.random.default_rng(0), []
    for _ in range(STEPS):
        observation, reward, done, infos = env.step(sampled(env.action_masks(), rng))
        seen.append((observation, reward, done, ["t" in info for info in infos]))
    return digest(seen)


def play_batch(batch):
    seen = []
    for _ in range(STEPS):
        seen.append([array.copy() for array in batch.step(batch.sample_actions())])
        seen.append(batch.events(0, 0) if batch.with_events else batch.states.copy())
    return digest(seen, batch.final_returns)


def play_learner_batch(games):
    rng, seen = np.random.default_rng(0), []
    for _ in range(STEPS):
        step = games.step(sampled(games.action_mask, rng))
        seen.append((step.reward, step.done, sorted(step.ended), games.observation.copy()))
    return digest(seen)


def play_with(pair):
    """An environment with the agent of all seats."""
    env, agent = pair
    actions = []
    while len(actions) < STEPS and env.agents and not env.unwrapped.states["over"][0]:
        actions.append(agent.act(env))
        env.step(actions[-1])
    return digest(actions, env.unwrapped.snapshot())


def play_in_words(game):
    seen = []
    for _ in range(STEPS):
        if game.over:
            break
        seen.append(game.message(game.seat))
        seen.append(str(game.answer("<answer>0</answer>").outcome))
    return digest(seen, game.returns, game.scores, game.made)


def play_jax(held):
    env, state = held
    seen = []
    for _ in range(3):
        state = env.step(state, np.asarray(state.legal_action_mask).argmax().astype(np.int32))
        seen.append((np.asarray(state.game), np.asarray(state.rewards)))
    return digest(seen)


def play_jaxmarl(held):
    env, state, key = held
    seen, state, rewards, *_ = env.step(key, state, dict.fromkeys(env.agents, 0))
    return digest([[np.asarray(some[agent]) for agent in env.agents] for some in (seen, rewards)])


def name_of(game):
    assert game is load_game(game.env_name)
    return game.env_name


def begun(env, steps=5):
    """An environment in the middle of a game."""
    env.reset(seed=4)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(sampled([mask], rng)[0]))
    return env


def with_agent(name):
    env, agent = dig_envs.make(MEMORY, max_turns=60), dig_envs.load_agent(name, MEMORY, seed=3)
    env.reset(seed=4)
    for _ in range(4):
        env.step(agent.act(env))
    return env, agent


def opponents():
    """Agents that nobody else has: one draws, one remembers."""
    return [dig_envs.load_agent("random", seed=1), dig_envs.load_agent("remembering", MEMORY)]


def everything():
    """Name -> what a user holds, in the middle of a game, and how it goes on."""
    found = {}
    for name in (MEMORY, "cretaceous_creek_v0", "the_big_dig_v0"):
        found[f"{name}: AEC"] = (begun(dig_envs.make(name, reward="score")), play_aec)
        found[f"{name}: game"] = (load_game(name), name_of)
    env = dig_envs.make_parallel("the_big_dig_v0", with_events=True)
    env.reset(seed=4)
    found["parallel"] = (env, play_parallel)
    single = gymnasium.make(
        "dig/fossil_memory-v0", opponents=opponents(), max_episode_steps=9, learner="random"
    )
    single.reset(seed=4)
    play_gymnasium(single)
    found["Gymnasium"] = (single, play_gymnasium)
    for mode in AutoresetMode:
        vector = gymnasium.make_vec(
            "dig/fossil_memory-v0", 5, autoreset_mode=mode, opponents=opponents(), max_turns=4
        )
        vector.reset(seed=4)
        play_vector(vector)
        found[f"vector, {mode}"] = (vector, play_vector)
    wrapped = NormalizeReward(gymnasium.make_vec("dig/go_dig-v0", 3, opponents="go_dig/policy"))
    wrapped.reset(seed=4)
    found["vector, wrapped"] = (wrapped, play_vector)
    if find_spec("stable_baselines3"):
        from dig_envs.adapters.sb3 import DigVecEnv

        stable = DigVecEnv(MEMORY, 4, opponents=opponents(), seed=4)
        stable.reset()
        found["Stable-Baselines3"] = (stable, play_sb3)
    if find_spec("jax"):
        import jax

        from dig_envs.adapters import jax as in_jax
        from dig_envs.adapters import jaxmarl

        env, key = in_jax.make("go_dig_v0", num_players=3), jax.random.PRNGKey(0)
        found["JAX"] = ((env, env.init(key)), play_jax)
        found["JaxMARL"] = (
            (multi := jaxmarl.make("go_dig_v0"), multi.reset(key)[1], key),
            play_jaxmarl,
        )
    for events in (False, True):
        batch = dig_envs.BatchEnv("go_dig_v0", 4, seed=4, with_events=events)
        batch.step(batch.sample_actions())
        found[f"batch, events {events}"] = (batch, play_batch)
    games = LearnerBatch(MEMORY, 4, opponents=opponents(), seed=4)
    games.reset()
    play_learner_batch(games)
    found["learner batch"] = (games, play_learner_batch)
    for kind, name in AGENTS.items():
        found[f"agent: {kind}"] = (with_agent(name), play_with)
    words = TextGame(MEMORY, {"max_turns": 60}, seats=[0], opponents="remembering")
    words.reset(seed=4)
    words.answer("<answer>0</answer>")
    found["text game"] = (words, play_in_words)
    position = begun(RawAEC("go_dig_v0", num_players=3))
    agent = position.agent_selection
    for name, value in {
        "snapshot": position.snapshot(),
        "view": position.view(agent),
        "state records": position.states.tolist(),
        "events": position.events(agent),
        "prompt": position.prompt(agent),
        "answer": position.parse(agent, "<answer>0</answer>"),
        "names": dig_envs.Names(["Ada", "Bo", "Cy"]),
    }.items():
        found[name] = (value, digest)
    return found


def all_go_on(data):
    """What comes of pickled objects, by name."""
    return {name: go_on(thing) for name, (thing, go_on) in pickle.loads(data).items()}


@needs_compiling
def test_everything_is_copied_and_sent():
    things = everything()
    copies = copy.deepcopy(things)
    # each alone: nothing relies on what else is in the pickle
    alone = {name: pickle.loads(cloudpickle.dumps(one)) for name, one in things.items()}
    data = pickle.dumps(alone)
    expected = {name: go_on(thing) for name, (thing, go_on) in things.items()}
    assert {name: go_on(thing) for name, (thing, go_on) in copies.items()} == expected
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as elsewhere:
        assert elsewhere.submit(all_go_on, data).result(300) == expected


def test_what_holds_a_connection_or_a_process_is_not_sent(monkeypatch):
    """Its agent is, and begins anew; no key is in a pickle."""
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", key := "sk-" + "secret" * 5)
    model = dig_envs.load_agent("llm:m", MEMORY, base_url="http://127.0.0.1:9/v1")
    program = dig_envs.load_agent("exec:cat", MEMORY)
    process = Program(["cat"])
    try:
        for ways in (copy.deepcopy, copy.copy, pickle.dumps, cloudpickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                ways(process)
        for agent in (model, program):
            for dumps in (pickle.dumps, cloudpickle.dumps):
                data = dumps(agent)
                assert key.encode() not in data
                assert pickle.loads(data).name == agent.name
    finally:
        process.end()
