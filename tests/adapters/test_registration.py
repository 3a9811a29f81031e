"""Every environment is found by PettingZoo's and Gymnasium's registries, and being there costs
nothing."""

import re
import subprocess
import sys
from importlib import import_module

import gymnasium
import numpy as np
import pettingzoo
import pytest

from dig_envs import OptionError
from dig_envs.adapters.registration import register_environments
from dig_envs.engine.core.installing import how_to_install
from dig_envs.registry import list_environments, load_game
from tests.games import SHIPPED, every_player_count

HAS_REGISTRY = hasattr(pettingzoo, "make")  # since 1.26


def registered_name(name):
    game = load_game(name)
    return f"dig/{game.name}-v{game.version}"


def test_registering_imports_nothing_heavy():
    """In a fresh process: the identifiers are there, the compiler and the games are not yet."""
    code = (
        "import sys, dig_envs, gymnasium, pettingzoo\n"
        "heavy = {'numba', 'pygame', 'torch', 'stable_baselines3', 'onnxruntime', 'rich', "
        "'typer', 'matplotlib'}\n"
        "games = sorted(m for m in sys.modules if m.startswith('dig_envs.games.') and "
        "m.count('.') > 2)\n"
        "print(sorted(heavy & set(sys.modules)), games)\n"
        "print(sorted(n for n in gymnasium.registry if n.startswith('dig/')))\n"
        "print(sorted(n for n in getattr(pettingzoo, 'aec_registry', []) if n.startswith('dig/')))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    names = str(sorted(registered_name(name) for name in SHIPPED))
    assert result.stdout.splitlines() == ["[] []", names, names if HAS_REGISTRY else "[]"]


@pytest.mark.skipif(not HAS_REGISTRY, reason="this PettingZoo has no registry")
@every_player_count
def test_pettingzoo(name, options):
    env = pettingzoo.make("aec", registered_name(name), reward="score", **options)
    env.reset(seed=1)
    assert str(env) == name
    assert env.unwrapped.reward_kind == "score"
    assert len(env.agents) == options["num_players"]
    parallel = pettingzoo.make("parallel", registered_name(name), **options)
    assert len(parallel.reset(seed=1)[0]) == options["num_players"]


@every_player_count
def test_gymnasium(name, options):
    env = gymnasium.make(
        f"dig_envs:{registered_name(name)}", opponents="heuristic", reward="score", **options
    )
    assert env.unwrapped.game.env_name == name
    assert env.unwrapped.aec.num_seats == options["num_players"]
    assert env.unwrapped.aec.reward_kind == "score"
    assert env.spec.id == registered_name(name)
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool)), (
        "no wrapper hides it"
    )
    assert env.observation_space.contains(env.step(int(info["action_mask"].argmax()))[0])


def test_bad_options_are_refused():
    name = list_environments()[0]
    with pytest.raises(OptionError, match="no option 'nonsense'"):
        gymnasium.make(registered_name(name), nonsense=1)
    if HAS_REGISTRY:
        with pytest.raises(OptionError, match="no option 'nonsense'"):
            pettingzoo.make("aec", registered_name(name), nonsense=1)


def test_registering_again_changes_nothing(recwarn):
    before = dict(gymnasium.registry)
    register_environments(list_environments())
    assert dict(gymnasium.registry) == before
    assert not recwarn.list


def test_without_openspiel_its_adapter_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "dig_envs.adapters.openspiel", raising=False)
    with pytest.raises(ModuleNotFoundError, match=re.escape(how_to_install("openspiel"))):
        import_module("dig_envs.adapters.openspiel")
