"""Go Dig once more: slow, plain Python on snapshots, written from the rules alone, to compare the
compiled game with."""

import copy
from typing import Any

from dig_envs.registry import load_game
from tests.rules.tables import table

Snapshot = dict[str, Any]

BOX = {  # genus: parts, skeletons, value
    row["genus"]: (int(row["parts"]), int(row["skeletons"]), int(row["value"]))
    for row in table(load_game("go_dig"), "genus")
}
GENERA = list(BOX)
ORDER = [f"{genus}{part}" for genus, (parts, _, _) in BOX.items() for part in range(1, parts + 1)]


def parts_of(genus: str) -> list[str]:
    """The types of a skeleton."""
    return [card for card in ORDER if card.startswith(genus)]


def of_genus(cards: list[str], genus: str) -> list[str]:
    """Those of the cards that are of the genus."""
    return [card for card in cards if card.startswith(genus)]


def in_order(cards: list[str]) -> list[str]:
    """The cards in type order."""
    return sorted(cards, key=ORDER.index)


def legal(snapshot: Snapshot) -> set[str]:
    """The legal requests (GD-4)."""
    seat, hands = snapshot["to_move"], snapshot["hands"]
    others = [k for k in range(1, len(hands)) if seat >= 0 and hands[(seat + k) % len(hands)]]
    return {f"ask +{k} {genus}" for k in others for genus in GENERA if of_genus(hands[seat], genus)}


def play(snapshot: Snapshot, text: str) -> Snapshot:
    """The snapshot after a legal action."""
    after = copy.deepcopy(snapshot)
    _Turn(after).ask(text)
    return after


def deal(cards: list[str], options: dict[str, int]) -> Snapshot:
    """GD-1 to GD-3 and GD-15, for shuffled cards (the top last), dealt to one seat after the
    other."""
    n = options["num_players"]
    pile = list(cards)
    hands = [in_order([pile.pop() for _ in range(7)]) for _ in range(n)]
    snapshot: Snapshot = {
        "game": "go_dig",
        "options": dict(options),
        "to_move": 0,
        "phase": "ask",
        "turn": 1,
        "scores": [0] * n,
        "winners": [],
        "truncated": False,
        "pile": pile,
        "hands": hands,
        "museums": [[] for _ in range(n)],
        "known": [[] for _ in range(n)],
        "asked": [[] for _ in range(n)],
        "maybe": [[99] * 13 for _ in range(n)],
    }
    setup = _Turn(snapshot)
    for p in range(n):
        setup.build(p)
    for p in range(n):
        if not hands[p]:
            hands[p].append(pile.pop())
    snapshot["maybe"] = [[len(hand)] * 13 for hand in hands]
    snapshot["asked"] = [[] for _ in range(n)]
    return snapshot


class _Turn:
    """Changes a snapshot by one action."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.hands, self.pile = snapshot["hands"], snapshot["pile"]
        self.known, self.asked, self.maybe = snapshot["known"], snapshot["asked"], snapshot["maybe"]

    def ask(self, text: str) -> None:
        """Carry out a request (GD-4 to GD-14)."""
        _, k, genus = text.split()
        a, n = self.snapshot["to_move"], len(self.hands)
        b = (a + int(k)) % n
        if not of_genus(self.known[a], genus):  # GD-16
            self.asked[a] = sorted({*self.asked[a], genus}, key=GENERA.index)
        cards = of_genus(self.hands[b], genus)
        if cards:
            self.hand_over(a, b, genus, cards)
            if not self.hands[b]:  # GD-10, before the asker builds
                self.draw_unseen(b)
            self.build(a)
            over = False
        else:
            self.maybe[b][GENERA.index(genus)] = 0  # GD-18
            over = self.dig(a, genus)
        if not over and not self.hands[a]:  # GD-9
            self.draw_unseen(a)
            over = True
        for p in range(n):
            self.finish_knowledge(p)
        if over:
            self.end_turn(a)

    def hand_over(self, a: int, b: int, genus: str, cards: list[str]) -> None:
        """Move cards from b to a, in sight of all (GD-5, GD-17)."""
        self.hands[b] = [card for card in self.hands[b] if card not in cards]
        self.hands[a] = in_order(self.hands[a] + cards)
        self.known[a] = in_order(self.known[a] + cards)
        self.known[b] = [card for card in self.known[b] if not card.startswith(genus)]
        self.asked[b] = [g for g in self.asked[b] if g != genus]
        self.maybe[b][GENERA.index(genus)] = 0

    def draw(self, p: int) -> str:
        """The top card into a hand."""
        card = self.pile.pop()
        self.hands[p] = in_order([*self.hands[p], card])
        return card

    def draw_unseen(self, p: int) -> None:
        """Draw a card unseen, if there is one (GD-9, GD-10, GD-19)."""
        if self.pile:
            self.draw(p)
            self.maybe[p] = [most + 1 for most in self.maybe[p]]

    def dig(self, a: int, genus: str) -> bool:
        """GD-7, GD-8; returns whether the turn is over."""
        if not self.pile:
            return True
        card = self.draw(a)
        if card.startswith(genus):
            self.known[a] = in_order([*self.known[a], card])
            self.build(a)
            return False
        built = next((g for g in GENERA if set(parts_of(g)) <= set(self.hands[a])), None)
        for i, g in enumerate(GENERA):
            if g == built or (built is None and g != genus):
                self.maybe[a][i] += 1
        self.build(a)
        return True

    def build(self, p: int) -> None:
        """Build all complete skeletons of a hand (GD-11, GD-20)."""
        for i, genus in enumerate(GENERA):
            while set(parts_of(genus)) <= set(self.hands[p]):
                unknown = 0
                for part in parts_of(genus):
                    self.hands[p].remove(part)
                    if part in self.known[p]:
                        self.known[p].remove(part)
                    else:
                        unknown += 1
                self.maybe[p][i] -= unknown
                if unknown and genus in self.asked[p]:
                    self.asked[p].remove(genus)
                self.snapshot["museums"][p].append(genus)
                self.snapshot["scores"][p] += BOX[genus][2]

    def finish_knowledge(self, p: int) -> None:
        """Cut `maybe` down to the cards not known (GD-21)."""
        most = len(self.hands[p]) - len(self.known[p])
        self.maybe[p] = [min(number, most) for number in self.maybe[p]]

    def end_turn(self, a: int) -> None:
        """Begin the next turn, or end the game (GD-9, GD-12 to GD-14)."""
        snapshot, n = self.snapshot, len(self.hands)
        complete = sum(len(museum) for museum in snapshot["museums"]) == sum(
            number for _, number, _ in BOX.values()
        )
        if complete or snapshot["turn"] == snapshot["options"]["max_turns"]:
            best = max(snapshot["scores"])
            snapshot["winners"] = [p for p in range(n) if snapshot["scores"][p] == best]
            snapshot["truncated"] = not complete
            snapshot["phase"], snapshot["to_move"] = "over", -1
            return
        following = [(a + k) % n for k in range(1, n + 1)]
        snapshot["to_move"] = next(p for p in following if self.hands[p])
        snapshot["turn"] += 1
