"""A player that reads prompts and answers in words, trained from nothing by policy gradients: the smallest loop of its kind.

    python -m training.words --env fossil_canyon_v0 --games 400

It is no language model: it takes the legal actions and their words from the text of a prompt, and chooses among them with
probabilities proportional to the exponential of the sum of its weights for those words. But it is trained as language models are,
from the texts of conversations and the returns of games alone, and it can be put behind the chat API in their place
(:class:`dig_envs.agents.llm_stand_in.StandIn` takes ``policy.answer``).
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.adapters.text_game import TextGame
from dig_envs.registry import load_game

Message = Mapping[str, str]  # "role" and "content"
Array = np.ndarray[Any, Any]

LIST = "## Legal actions"
LINE = re.compile(r"(\d+): (.+)")  # 7: Ask Player 2 for a Triceratops
SEVERAL = re.compile(r"(.*?): (\d+ = .+)")  # Ask Player 2 for a …: 0 = Tyrannosaurus; 2 = Triceratops
ENTRY = re.compile(r"(\d+) = (.*?)(?: to (\d+) = (.*?))?(?:; (?=\d+ = )|$)")  # also: 243 = 1-1-A to 248 = 1-3-N
WORD = re.compile(r"\w+")
ANSWER = re.compile(r"<answer>(\d+)</answer>")


def read_actions(prompt: str) -> dict[int, list[str]]:
    """Return the legal actions of a prompt: index -> the words that name it, each once."""
    return {index: sorted(set(WORD.findall(text))) for index, text in _listed(prompt.partition(LIST)[2])}


def _listed(text: str) -> Iterator[tuple[int, str]]:
    for line in text.splitlines():
        if found := LINE.fullmatch(line):
            yield int(found[1]), found[2]
        elif found := SEVERAL.fullmatch(line):
            for first, word, last, last_word in ENTRY.findall(found[2]):
                ends = {int(first): word, int(last or first): last_word or word}
                for index in range(int(first), int(last or first) + 1):
                    yield index, found[1].replace("…", ends.get(index, ""))  # of a run only the ends are in words


class WordPolicy:
    """Chooses among the actions of a prompt by their words.

    Args:
        seed: of what it draws.

    Attributes: ``weights``: of each word, 0 in the beginning, when it chooses evenly.
    """

    def __init__(self, seed: int = 0) -> None:
        self.weights: dict[str, float] = defaultdict(float)
        self._rng = np.random.default_rng(seed)

    def probabilities(self, actions: Mapping[int, Sequence[str]]) -> Array:
        """Return how likely each action is, float64 (actions,), in their order."""
        scores = np.array([sum(self.weights[word] for word in words) for words in actions.values()])
        likely: Array = np.exp(scores - scores.max())
        likely /= likely.sum()
        return likely

    def answer(self, messages: Sequence[Message]) -> str:
        """Return an answer to a chat: an action of the last list in it, drawn by its probability.

        Raises:
            ValueError: there is no list of actions.
        """
        actions = next(filter(None, (read_actions(message["content"]) for message in reversed(messages))), None)
        if actions is None:
            raise ValueError("there is no list of legal actions in these messages")
        index = self._rng.choice(list(actions), p=self.probabilities(actions))
        return f"<answer>{index}</answer>"

    def learn(self, conversations: Sequence[Sequence[Message]], returns: Sequence[float], rate: float) -> None:
        """Make the answers of conversations with high returns likelier, those of others less likely (REINFORCE).

        The gradient of the mean over the conversations of (return - mean return) * mean log probability of its answers.

        Args:
            conversations: that this policy has held, with the weights as they are. returns: of each. rate: length of the step.
        """
        mean, step = float(np.mean(returns)), rate / len(conversations)
        change: dict[str, float] = defaultdict(float)
        for messages, value in zip(conversations, returns, strict=True):
            decisions = list(decisions_of(messages))
            for actions, chosen in decisions:
                share = step * (value - mean) / len(decisions)
                for index, likely in zip(actions, self.probabilities(actions), strict=True):
                    for word in actions[index]:
                        change[word] += share * ((index == chosen) - float(likely))
        for word, by in change.items():
            self.weights[word] += by


def decisions_of(messages: Sequence[Message]) -> Iterator[tuple[dict[int, list[str]], int]]:
    """Yield the actions and the choice of each decision in a conversation."""
    for asked, answered in zip(messages, messages[1:], strict=False):
        found = ANSWER.search(answered["content"])
        actions = read_actions(asked["content"])
        if answered["role"] == "assistant" and found and int(found[1]) in actions:
            yield actions, int(found[1])


def converse(policy: WordPolicy, game: TextGame, seed: int) -> tuple[list[Message], float]:
    """Play a game in which the policy has one seat; returns the conversation and the return of that seat."""
    game.reset(seed)
    (own,) = game.seats
    messages: list[Message] = [{"role": "system", "content": game.system}]
    while game.seat is not None:
        messages.append({"role": "user", "content": game.message(own)})
        messages.append({"role": "assistant", "content": policy.answer(messages[-1:])})
        game.answer(messages[-1]["content"])
    return messages, game.returns[own]


def train(
    policy: WordPolicy, env: str, opponents: Sequence[str], games: int, batch: int = 20, rate: float = 20.0, seed: int = 0
) -> Iterator[float]:
    """Train a policy, and yield the mean return of each batch of games, played before the policy learns from them.

    Args:
        env: the environment; the policy has its seats in turn. opponents: agents of the others. games: in all. batch: games between
            two changes of the weights. rate: length of a step. seed: of the first deal.
    """
    seats = [TextGame(env, seats=[seat], opponents=opponents) for seat in range(load_game(env).complete_options({})["num_players"])]
    for first in range(seed, seed + games, batch):
        played = [converse(policy, seats[number % len(seats)], number) for number in range(first, first + batch)]
        returns = [value for _, value in played]
        policy.learn([messages for messages, _ in played], returns, rate)
        yield float(np.mean(returns))
    for game in seats:
        game.close()


def main() -> None:
    """Train against random play, and print the mean return from batch to batch."""
    parser = argparse.ArgumentParser(description="Train a player that reads and answers in words")
    parser.add_argument("--env", default="fossil_canyon_v0")
    parser.add_argument("--opponents", default="random", help="one agent for all other seats")
    parser.add_argument("--games", type=int, default=400)
    given = parser.parse_args()
    policy = WordPolicy()
    for number, mean in enumerate(train(policy, given.env, [given.opponents], given.games), 1):
        print(f"batch {number}: mean return {mean:+.2f}", flush=True)
    known = sorted(policy.weights.items(), key=lambda entry: entry[1])
    for what, entries in (("least", known[:8]), ("most", known[-8:][::-1])):
        print(f"{what} wanted:", ", ".join(f"{word} {weight:+.2f}" for word, weight in entries))


if __name__ == "__main__":
    main()
