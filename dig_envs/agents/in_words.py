"""A player that says its choices in words: any loss of strength is due to prompts and the reading of answers.

``python -m dig_envs.agents.in_words`` measures it for the scripted player: it plays games in which each decision goes through the
prompt (the choice must be on the list of legal actions) and through the reading of an answer in words, which must be the choice
again. So these games are those that the scripted player plays without words, action by action; their results are compared besides.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Results, play_games
from dig_envs.agents.protocol import Agent
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.events import Event
from dig_envs.engine.game import Array, Game
from dig_envs.language.answers import parse_answer
from dig_envs.language.prompts import PARTS, make_prompt, offered_actions
from dig_envs.registry import list_environments, load_game

# How it says a choice, one after the other: {0} its words, {1} its notation, {2} its index.
SENTENCES = (
    "<answer>{2}</answer>",
    "<answer>{0}</answer>",
    "{0}",
    "I have looked at the position. I will now {0}.",
    "Answer: {1}",
    "<think>There may be something better, or not.</think>\n\nI choose action {2}, because it is good.",
    "**{2}: {0}**",
    '<answer>"{1}".</answer>',
)


class InWords(OneGame):
    """An agent that says what another one chooses, in changing words, and plays what is understood.

    Attributes: ``decisions``: how many; ``outcomes``: outcome of the reading -> how often; ``changed``: how often another
    action was understood, or the list of the prompt did not have it; ``tokens``: part of the prompt -> sum over the decisions whose
    prompt was made in full; ``prompts``: how many these were.

    Args:
        agent: who chooses; one without a memory.
        game: which.
        whole: of every so many decisions the prompt is made in full; of the others only the list of actions.
    """

    may_forfeit = False
    takes_events = True

    def __init__(self, agent: Agent, game: Game, whole: int = 1) -> None:
        self.name = f"{agent.name} in words"
        self.agent, self.game, self.whole = agent, game, whole
        self.decisions = self.changed = self.prompts = self.longest = 0
        self.outcomes: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        events: Sequence[Sequence[Event]] | None = None,
    ) -> Array:
        """Return one action for each decision; needs ``states`` and ``seats``.

        Raises:
            ForfeitError: an answer was not understood.
        """
        records, deciders = check_positions(self.game, states, seats, self.name)
        chosen = self.agent.act_batch(observation, action_mask, records, deciders)
        actions = np.zeros(len(chosen), np.int64)
        for i, (seat, action) in enumerate(zip(deciders.tolist(), chosen.tolist(), strict=True)):
            actions[i] = self._say(records[i : i + 1], seat, action, () if events is None else events[i])
        return actions

    def _say(self, states: Array, seat: int, action: int, events: Sequence[Event]) -> int:
        parts = PARTS if self.decisions % self.whole == 0 else ("actions",)
        prompt = make_prompt(self.game, states, seat, events, parts)
        if len(parts) > 1:
            self.prompts += 1
            self.longest = max(self.longest, prompt.tokens())
            self.tokens.update({part: prompt.tokens(part) for part in PARTS})
        label = self.game.action_list.label(action, seat, int(states["num_players"][0]), seat)
        said = SENTENCES[self.decisions % len(SENTENCES)]
        if " " not in label:  # a single word in a sentence is no answer
            said = said.replace("I will now {0}", "I choose {0}")
        answer = parse_answer(self.game, states, seat, said.format(label, self.game.actions[action], action))
        self.decisions += 1
        self.outcomes[answer.outcome] += 1
        self.changed += answer.action != action or action not in offered_actions(prompt.actions)
        if answer.action is None:
            raise ForfeitError(f"{self.name} was not understood: {answer.message}")
        return answer.action


def measure(name: str, games: int, whole: int) -> tuple[InWords, bool]:
    """Play games of the scripted player in words against itself; returns it, and whether the results are those without words."""
    game = load_game(name)
    seats = int(game.complete_options({})["num_players"])
    speaking = InWords(load_agent("heuristic", name), game, whole)
    plain = load_agent("heuristic", name)
    results: list[Results] = [play_games(name, [agent] * seats, games, batch_size=50) for agent in (speaking, plain)]
    same = all(
        np.array_equal(getattr(results[0], field), getattr(results[1], field))
        for field in ("winners", "scores", "lengths", "truncated")
    )
    return speaking, same and not results[0].forfeits


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the games that are named; returns 1 if anything was not understood or changed the games, else 0."""
    parser = argparse.ArgumentParser(description="The scripted player in words: what is lost, and how long prompts are")
    parser.add_argument("environments", nargs="*", default=list_environments())
    parser.add_argument("--games", type=int, default=20, help="games of each environment (default: 20)")
    parser.add_argument(
        "--whole", type=int, default=1, help="make every Nth prompt in full, the others with their actions only (default: 1)"
    )
    chosen = parser.parse_args(arguments)
    wrong = 0
    for name in chosen.environments:
        start = time.perf_counter()
        speaking, same = measure(name, chosen.games, chosen.whole)
        means = {part: speaking.tokens[part] / max(speaking.prompts, 1) for part in PARTS}
        wrong += speaking.changed + (not same) + sum(count for outcome, count in speaking.outcomes.items() if outcome != "legal")
        row: dict[str, Any] = {
            "games": chosen.games,
            "decisions": speaking.decisions,
            **{outcome: speaking.outcomes[outcome] for outcome in ("legal", "ambiguous", "illegal", "unreadable")},
            "changed": speaking.changed,
            "same games": same,
            "complete prompts": speaking.prompts,
            **{f"{part} tokens": f"{mean:.0f}" for part, mean in means.items()},
            "longest prompt": speaking.longest,
            "seconds": f"{time.perf_counter() - start:.0f}",
        }
        print(f"{name}: {', '.join(f'{key} {value}' for key, value in row.items())}", flush=True)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
