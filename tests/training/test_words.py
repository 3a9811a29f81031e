"""The player that reads prompts and answers in words."""

import numpy as np
import pytest

from dig_envs.adapters.text_game import TextGame
from tests.games import SHIPPED, needs_compiling, positions
from training.words import WORD, WordPolicy, converse, decisions_of, read_actions


@needs_compiling
@pytest.mark.parametrize("name", SHIPPED)
def test_it_reads_all_legal_actions_of_a_prompt(name):
    """The words model reads all legal actions of a prompt, also where a grammar tells them; its words are those of the actions."""
    for env in positions(name, {}, games=2, every=7):
        prompt = str(env.prompt(env.agent_selection, ["actions"]))
        game, seat = env.game, env.seat_of(env.agent_selection)
        read = read_actions(prompt)
        assert sorted(read) == game.legal_actions(env.states, seat)
        if " to " not in prompt:
            for index, words in read.items():
                label = game.action_list.label(index, seat, env.num_seats, seat)
                assert words in (sorted(set(WORD.findall(label))), sorted(set(WORD.findall(game.actions[index]))))


def test_it_chooses_evenly_at_first_and_what_it_prefers_later():
    policy, prompt = WordPolicy(), {"role": "user", "content": "## Legal actions (2)\n4: Dig here\n7: Rest"}
    assert policy.probabilities(read_actions(prompt["content"])).tolist() == [0.5, 0.5]
    policy.weights["Rest"] = 50.0
    assert {policy.answer([prompt]) for _ in range(20)} == {"<answer>7</answer>"}
    assert policy.answer([prompt, {"role": "user", "content": "Your answer names no action."}]) == "<answer>7</answer>"
    with pytest.raises(ValueError, match="no list"):
        policy.answer([{"role": "user", "content": "Hello."}])


def test_a_step_follows_the_gradient():
    """Checked by differences: the mean over conversations of (return - mean) times the mean log probability of its answers."""
    policy, game = WordPolicy(seed=1), TextGame("go_dig_v0", {"max_turns": 6}, seats=[0], opponents=["random"])
    rng = np.random.default_rng(0)
    played = [converse(policy, game, seed)[0] for seed in range(3)]
    returns = [1.0, -1.0, 0.5]
    for word in {
        word for messages in played for actions, _ in decisions_of(messages) for words in actions.values() for word in words
    }:
        policy.weights[word] = float(rng.normal())

    def objective() -> float:
        values = []
        for messages, value in zip(played, returns, strict=True):
            logs = [
                np.log(policy.probabilities(actions)[list(actions).index(chosen)]) for actions, chosen in decisions_of(messages)
            ]
            values.append((value - np.mean(returns)) * np.mean(logs))
        return float(np.mean(values))

    before, small = dict(policy.weights), 1e-5
    slopes = {}
    for word in list(before)[:12]:
        policy.weights[word] = before[word] + small
        above = objective()
        policy.weights[word] = before[word] - small
        slopes[word] = (above - objective()) / (2 * small)
        policy.weights[word] = before[word]
    policy.learn(played, returns, rate=0.5)
    for word, slope in slopes.items():
        assert policy.weights[word] - before[word] == pytest.approx(0.5 * slope, abs=1e-8)
    assert any(abs(slope) > 1e-3 for slope in slopes.values())


def test_wrong_answers_of_a_conversation_teach_nothing():
    asked = {"role": "user", "content": "## Legal actions (1)\n4: Dig"}
    conversation = [{"role": "system", "content": "rules"}, asked, {"role": "assistant", "content": "Hm."}]
    assert list(decisions_of([*conversation, asked, {"role": "assistant", "content": "<answer>9</answer>"}])) == []
    assert list(decisions_of([*conversation, asked, {"role": "assistant", "content": "<answer>4</answer>"}])) == [({4: ["Dig"]}, 4)]
