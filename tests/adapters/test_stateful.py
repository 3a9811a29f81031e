"""Anything that one may do with an environment, in any order, for every registered game."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dig_envs import IllegalActionError, SnapshotError
from dig_envs.adapters.aec import RawAEC
from tests.engine.test_conformance import check_who_decides
from tests.games import mostly_heuristic, option_cases, slow_but

EXAMPLES, STEPS = 16, 30
SEEDS = st.integers(0, 2**64 - 1)


class Play(RuleBasedStateMachine):
    """One environment in any position that can be reached by playing, saving, restoring, copying
    and re-dealing."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.cases = option_cases(name)
        self.saved = []

    @initialize(case=st.integers(0), seed=SEEDS)
    def make(self, case, seed):
        self.env = RawAEC(self.name, "score", **self.cases[case % len(self.cases)])
        self.env.reset(seed=seed)

    def over(self):
        return bool(self.env.states["over"][0])

    def memory(self):
        """Everything that must stay as it is when nothing happens."""
        env = self.env
        seen = [
            (agent, *(a.tobytes() for a in env.observe(agent).values()))
            for agent in env.possible_agents
        ]
        return (
            env.states.tobytes(),
            env.agent_selection,
            env.rewards.copy(),
            env.terminations.copy(),
            env.agents[:],
            seen,
        )

    # ------------------------------------------------------------ playing

    @precondition(lambda self: not self.over())
    @rule(choices=st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
    def play(self, choices):
        for choice in choices:
            if self.over():
                return
            legal = np.flatnonzero(self.env.observe(self.env.agent_selection)["action_mask"])
            before = np.array(self.env.snapshot()["scores"])
            self.env.step(int(legal[choice % len(legal)]))
            assert (
                np.array(self.env.snapshot()["scores"]) - before == list(self.env.rewards.values())
            ).all()

    @precondition(lambda self: not self.over())
    @rule(seed=SEEDS, most=st.integers(1, 40))
    def play_well(self, seed, most):
        rng = np.random.default_rng(seed)
        for _ in range(most):
            if self.over():
                return
            self.env.step(mostly_heuristic(self.env, rng))

    @precondition(lambda self: not self.over())
    @rule(choice=st.integers(-3, 10**6))
    def try_something_illegal(self, choice):
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        action = choice if choice < 0 else choice % (len(mask) + 2)
        if 0 <= action < len(mask) and mask[action]:
            return
        before = self.memory()
        with pytest.raises(IllegalActionError):
            self.env.step(action)
        assert self.memory() == before

    @precondition(lambda self: self.over())
    @rule()
    def play_dead_steps(self):
        for _ in range(len(self.env.agents)):
            self.env.step(None)
        assert self.env.agents == []
        self.env.reset()

    @rule(seed=st.none() | SEEDS)
    def deal_anew(self, seed):
        self.env.reset(seed=seed)

    # ------------------------------------------------------------ saving and copying

    @rule()
    def save(self):
        before = self.memory()
        self.saved.append(json.dumps(self.env.snapshot()))
        assert self.memory() == before

    @precondition(lambda self: self.saved)
    @rule(which=st.integers(0))
    def restore(self, which):
        text = self.saved[which % len(self.saved)]
        self.env.restore(json.loads(text))
        assert self.env.snapshot() == json.loads(text)

    @rule(
        key=st.integers(0),
        value=st.sampled_from([None, -7, "nonsense", [], {}, [[]], 10**9, True, 0.5]),
    )
    def restore_something_broken(self, key, value):
        broken = self.env.snapshot()
        name = sorted(broken)[key % len(broken)]
        if broken[name] == value and type(broken[name]) is type(value):
            return
        broken[name] = value
        before = self.memory()
        told = ""
        try:
            self.env.restore(broken)
        except SnapshotError as error:
            told = str(error)
        if told:
            assert told.startswith("snapshot key")
            assert self.memory() == before
        else:  # some keys may take that value; then it is what the snapshot shows
            assert self.env.snapshot()[name] == value or name == "rng"

    @rule(how=st.sampled_from(["deepcopy", "pickle"]))
    def go_on_with_a_copy(self, how):
        before = self.memory()
        twin = (
            copy.deepcopy(self.env) if how == "deepcopy" else pickle.loads(pickle.dumps(self.env))
        )
        self.env, original = twin, self.env
        assert self.memory() == before
        if not self.over():
            legal = np.flatnonzero(original.observe(original.agent_selection)["action_mask"])
            original.step(int(legal[0]))
            assert self.memory() == before, "the copy does not follow the original"

    # ------------------------------------------------------------ what a seat knows

    @rule(seat=st.integers(0), seed=SEEDS)
    def go_on_with_another_deal(self, seat, seed):
        agent = self.env.possible_agents[seat % self.env.num_seats]
        view, seen = self.env.view(agent), self.env.observe(agent)
        self.env.determinize(agent, seed)
        assert self.env.view(agent) == view
        for key, value in self.env.observe(agent).items():
            assert np.array_equal(value, seen[key])

    @rule()
    def look(self):
        before = self.memory()
        snapshot = self.env.snapshot()
        for agent in self.env.possible_agents:
            view = self.env.view(agent)
            assert view.keys() == snapshot.keys() - {"rng", "seed"}
            json.dumps(view)
        self.env.game.draw(snapshot)
        assert self.memory() == before

    # ------------------------------------------------------------ what always holds

    @invariant()
    def the_position_is_a_possible_one(self):
        game, snapshot = self.env.game, self.env.game.to_snapshot(self.env.states[0])
        assert game.to_snapshot(game.from_snapshot(snapshot)[0]) == snapshot, (
            "validation accepts it, and it comes back the same"
        )

    @invariant()
    def who_owes_may_act(self):
        check_who_decides(self.env)
        for agent in self.env.possible_agents:
            assert self.env.observation_space(agent).contains(self.env.observe(agent))


@slow_but("go_dig_v0", "the_big_dig_v0", "fossil_memory_v0", "bone_bids_v0")
def test_anything_in_any_order(name):
    limits = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(lambda: Play(name), settings=limits)
