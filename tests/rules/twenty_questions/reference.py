"""Twenty Questions once more, in plain Python from the text of the rules, to be compared with the
compiled rules step by step."""

import copy
from typing import Any

from tests.rules.twenty_questions.printed import GENERA, QUESTIONS, RESEARCH, VALUE

ASKS = list(QUESTIONS)
GUESSES = [f"guess {genus}" for genus in GENERA]


class Reference:
    """A position as a snapshot without `rng`."""

    def __init__(self, snapshot: dict[str, Any]) -> None:
        self.now = copy.deepcopy({key: value for key, value in snapshot.items() if key != "rng"})

    def legal(self) -> list[str]:
        """TQ-4, TQ-5, TQ-7: in the order of the action list."""
        if self.now["phase"] == "over":
            return []
        been = [text for text, _ in self.now["asked"]]
        passes = ["pass"] if been or self.now["options"]["passing"] == "free" else []
        return [text for text in ASKS + GUESSES if text not in been] + passes

    def play(self, text: str) -> None:
        """Carry out a question, guess or pass (TQ-3 to TQ-10)."""
        now, seat = self.now, self.now["to_move"]
        if text == "pass":
            now["discards"].append(now["card"])
            now["asked"] = []
            if now["deck"]:
                now["card"] = now["deck"].pop()
            else:
                self.finish()
            return
        now["left"][seat] -= 1
        if text == f"guess {now['card']}":
            now["taken"][seat].append(now["card"])
            now["scores"][seat] += 1
            self.next_turn()
            return
        now["asked"].append([text, now["card"] in QUESTIONS.get(text, [])])
        if now["left"][seat] == 0:
            now["discards"].append(now["card"])
            self.next_turn()

    def next_turn(self) -> None:
        """Begin the next turn, or end the game (TQ-9 to TQ-11)."""
        now, seat = self.now, self.now["to_move"]
        n = len(now["left"])
        now["asked"] = []
        others = [p for p in [*range(seat + 1, n), *range(seat)] if now["left"][p]]
        if not now["deck"] or not any(now["left"]):
            self.finish()
        else:
            now["to_move"] = others[0] if others else seat
            now["answerer"] = seat if others else [*range(n)][seat - 1]
            now["card"] = now["deck"].pop()
            now["turn"] += 1

    def finish(self) -> None:
        """End the game and find the winners (TQ-12)."""
        now = self.now
        now.update(phase="over", to_move=-1, answerer=-1, card=None, asked=[])

        def standing(cards: list[str]) -> tuple[float, ...]:
            return len(cards), *(
                max([worth[genus] for genus in cards], default=0) for worth in (RESEARCH, VALUE)
            )

        standings = [standing(cards) for cards in now["taken"]]
        now["winners"] = [p for p, mine in enumerate(standings) if mine == max(standings)]
