"""Dino Dig once more: slow, plain Python on snapshots, written from the rules alone, to compare the
compiled game with."""

import copy
from itertools import product
from typing import Any

Snapshot = dict[str, Any]
Square = tuple[int, int]

RANKS = "23456789TJQKA"
SUITS = "HDSC"
DECK = [rank + suit for suit in SUITS for rank in RANKS] + ["X1", "X2"]
VALUE = {rank: value for value, rank in enumerate(RANKS, 2)}
WAYS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
SIZES = {True: ["22222", "34343", "34343", "22222"], False: ["22222", "33433", "33433", "22222"]}
AREA = list(product(range(1, 8), repeat=2))
ACTIONS = (
    [f"lay {r},{c}" for r, c in AREA]
    + [f"base {r},{c}" for r, c in AREA]
    + [f"suit {suit}" for suit in SUITS]
    + [f"P{k} move {way}" for k in (1, 2, 3) for way in (*WAYS, "home", "out")]
    + [f"P{k} dig" for k in (1, 2, 3)]
    + [f"P{k} unload" for k in (1, 2, 3)]
    + [f"face-up {way}" for way in (*WAYS, "out")]
    + ["face-down", "home", "stow", "pass P1", "pass P2", "pass P3", "end turn"]
)


def square(text: str) -> Square:
    """Row and column."""
    row, column = text.split(",")
    return int(row), int(column)


def name(place: Square) -> str:
    """The other way round."""
    return f"{place[0]},{place[1]}"


def around(place: Square) -> list[Square]:
    """The four places beside one, wherever they are."""
    return [(place[0] + dr, place[1] + dc) for dr, dc in WAYS.values()]


def deal(deck: list[str], options: dict[str, Any]) -> Snapshot:
    """DD-1 and DD-5, for a shuffled deck (the top last)."""
    n, deck = options["num_players"], list(deck)
    if options["new_horizons"]:
        sizes = {f"{r},{c}": 2 for r in (3, 4, 5) for c in (3, 4, 5)}
    else:
        rows = SIZES[options["jokers"]]
        sizes = {
            f"{r},{c}": int(size) for r, row in enumerate(rows, 1) for c, size in enumerate(row, 1)
        }
    site = {
        text: [{"card": deck.pop(), "up": False, "known": []} for _ in range(size)]
        for text, size in sizes.items()
    }
    snapshot: Snapshot = {
        "game": "dino_dig",
        "options": dict(options),
        "to_move": 0,
        "phase": "lay" if deck else "base",
        "turn": 0,
        "scores": [0] * n,
        "winners": [],
        "truncated": False,
        "player": 0,
        "site": site,
        "supply": deck,
        "bases": [None] * n,
        "suits": [None] * n,
        "pieces": [["home"] * 3 for _ in range(n)],
        "acted": [False] * 3,
        "backpacks": [[None] * 3 for _ in range(n)],
        "museums": [[] for _ in range(n)],
        "hand": None,
        "chain": [],
        "stowed": False,
        "runs": None,
    }
    return snapshot


def legal(snapshot: Snapshot) -> list[str]:
    """The legal actions, in the order of the list."""
    if snapshot["phase"] == "over":
        return []
    return [text for text in ACTIONS if _Game(snapshot).may(text)]


def play(snapshot: Snapshot, text: str) -> Snapshot:
    """The snapshot after a legal action."""
    after = copy.deepcopy(snapshot)
    _Game(after).do(text)
    return after


def skeleton(snapshot: Snapshot, p: int, known_to: int | None = None) -> tuple[int, int, list[str]]:
    """DD-24 to DD-29: length, high and cards of the best skeleton of a seat; of others' cards only
    those that a seat knows."""
    game = _Game(snapshot)
    theirs = {
        card["card"]
        for q in range(game.n)
        if q != p
        for card in [*snapshot["museums"][q], *filter(None, snapshot["backpacks"][q])]
        if known_to is None or known_to in card["known"]
    }
    return best_skeleton(
        [card["card"] for card in snapshot["museums"][p]], theirs, snapshot["suits"][p]
    )


def best_skeleton(
    museum: list[str], theirs: set[str], suit: str | None
) -> tuple[int, int, list[str]]:
    """The same from cards; without a suit by DD-28."""
    best: tuple[int, int, list[str]] = (0, 0, [])
    for own in [suit] if suit else list(SUITS):
        for low in range(2, 15):
            jokers = [card for card in ("X1", "X2") if card in museum]
            run: list[str] = []
            for value in range(low, 15):
                card = _card_for(museum, theirs, own, value, suit is None)
                if card is None and jokers and _joker_may(theirs, own, value, suit is None):
                    card = jokers.pop(0)
                if card is None:
                    break
                run.append(card)
                if (len(run), value) > best[:2]:
                    best = (len(run), value, list(run))
    return best


def _code(value: int, suit: str) -> str | None:
    return RANKS[value - 2] + suit if 2 <= value <= 14 else None


def _card_for(museum: list[str], theirs: set[str], own: str, value: int, free: bool) -> str | None:
    if _code(value, own) in museum:
        return _code(value, own)
    for suit in SUITS:
        if not free and suit != own and _code(value, suit) in museum:
            if _code(value - 1, suit) not in theirs and _code(value + 1, suit) not in theirs:
                return _code(value, suit)
    return None


def _joker_may(theirs: set[str], own: str, value: int, free: bool) -> bool:
    if free:
        return _code(value, own) not in theirs
    return any(
        all(_code(v, suit) not in theirs for v in (value - 1, value, value + 1)) for suit in SUITS
    )


class _Game:
    """Asks and changes a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.s = snapshot
        self.options, self.site = snapshot["options"], snapshot["site"]
        self.n = len(snapshot["scores"])
        self.p = snapshot["player"]

    # ------------------------------------------------------------ what may be done

    def may(self, text: str) -> bool:
        """Whether the action is legal."""
        words, phase = text.split(), self.s["phase"]
        if words[0] == "lay":
            return phase == "lay" and (
                words[1] in self.site or any(name(b) in self.site for b in around(square(words[1])))
            )
        if words[0] == "base":
            return phase == "base" and words[1] in self.possible_bases()
        if words[0] == "suit":
            return phase == "contract" and words[1] in self.possible_suits()
        if text == "end turn":
            return phase == "act"
        if len(words) > 1 and words[0] in ("P1", "P2", "P3"):
            return (
                phase == "act"
                and not self.s["acted"][int(words[0][1]) - 1]
                and self.piece_may(int(words[0][1]) - 1, words[1:])
            )
        return phase == "card" and self.card_may(words)

    def possible_bases(self) -> list[str]:
        """The base squares that can be chosen (DD-3 to DD-5)."""
        if self.options["deregulation"] or self.options["new_horizons"]:
            found = [text for text in self.site if self.has_room(square(text))]
        else:
            found = ["1,3", "4,3"] if self.n == 2 else ["1,1", "1,5", "4,1", "4,5"]
        return sorted(text for text in found if text not in self.s["bases"])

    def has_room(self, place: Square) -> bool:
        """Whether there is room for a base beside a square (DD-4)."""
        empty = [beside for beside in around(place) if name(beside) not in self.site]
        return any(
            sum(name(other) in self.site for other in around(beside)) == 1 for beside in empty
        )

    def possible_suits(self) -> list[str]:
        """The suits that can be chosen (DD-6, DD-7)."""
        if self.options["contract"] == "freelance":
            return list(SUITS)
        return [
            suit for suit in (SUITS[:2] if self.n == 2 else SUITS) if suit not in self.s["suits"]
        ]

    def can_enter(self, text: str) -> bool:
        """Whether a square can be entered (DD-10)."""
        there = [
            q
            for q in range(self.n)
            for place in self.s["pieces"][q]
            if q != self.p and place == text
        ]
        return text in self.site and len(there) < 2

    def piece_may(self, k: int, words: list[str]) -> bool:
        """Whether a piece may act so (DD-10 to DD-12)."""
        at, base = self.s["pieces"][self.p][k], self.s["bases"][self.p]
        if words == ["dig"]:
            return at != "home" and bool(self.site[at])
        if words == ["unload"]:
            return self.s["backpacks"][self.p][k] is not None
        if words[1] == "home":
            return bool(at == base)
        if words[1] == "out":
            return at == "home" and self.can_enter(base)
        return at != "home" and self.can_enter(self.beside(at, words[1]))

    def beside(self, text: str, way: str) -> str:
        """The place in a direction."""
        (row, column), (dr, dc) = square(text), WAYS[way]
        return name((row + dr, column + dc))

    def card_may(self, words: list[str]) -> bool:
        """Whether the handler may do so with the card in hand (DD-13 to DD-18)."""
        pieces, base = self.s["pieces"][self.p], self.s["bases"][self.p]
        at = pieces[self.s["chain"][-1] - 1]
        if words[0] == "face-up":
            return (
                at == "home"
                if words[1] == "out"
                else at != "home" and self.beside(at, words[1]) in self.site
            )
        if words[0] == "home":
            return at in ("home", base)
        if words[0] == "face-down":
            return bool(at != "home")
        if words[0] == "stow":
            return not self.s["stowed"]
        j = int(words[1][1])
        return j not in self.s["chain"] and self.next_to(at, pieces[j - 1])

    def next_to(self, a: str, b: str) -> bool:
        """DD-18: the same space or an adjacent one."""
        if a == b:
            return True
        if "home" in (a, b):
            return self.s["bases"][self.p] in (a, b)
        return square(b) in around(square(a))

    # ------------------------------------------------------------ what is done

    def do(self, text: str) -> None:
        """Carry out a legal action."""
        words = text.split()
        if words[0] == "lay":
            self.lay(words[1])
        elif words[0] == "base":
            self.s["bases"][self.p] = words[1]
            self.next_base()
        elif words[0] == "suit":
            self.s["suits"][self.p] = words[1]
            self.next_suit()
        elif text == "end turn":
            self.end_turn()
        elif self.s["phase"] == "act":
            self.act(int(words[0][1]) - 1, words[1:])
        else:
            self.treat(words)

    def ask(self, p: int, phase: str) -> None:
        """The seat decides next."""
        self.s.update(player=p, to_move=p, phase=phase)

    def lay(self, text: str) -> None:
        """Lay the top card of the supply (DD-5)."""
        self.site.setdefault(text, []).append(
            {"card": self.s["supply"].pop(), "up": False, "known": []}
        )
        if self.s["supply"]:
            self.ask((self.p + 1) % self.n, "lay")
        else:
            self.ask(self.p, "base")

    def next_base(self) -> None:
        """Ask the next player who has a choice for a base (DD-3, DD-5, DD-8)."""
        step = -1 if self.options["new_horizons"] else 1
        p = (self.p + step) % self.n
        while self.s["bases"][p] is None:
            found = self.possible_bases()
            if len(found) > 1:
                return self.ask(p, "base")
            self.s["bases"][p] = found[0]
            p = (p + step) % self.n
        if self.options["contract"] == "free_for_all":
            return self.begin_turn(0)
        return self.ask(0, "contract")

    def next_suit(self) -> None:
        """Ask the next player who has a choice for a suit; then the first turn begins (DD-6 to
        DD-8)."""
        for p in range(self.p + 1, self.n):
            found = self.possible_suits()
            if len(found) > 1:
                return self.ask(p, "contract")
            self.s["suits"][p] = found[0]
        return self.begin_turn(0)

    def begin_turn(self, p: int) -> None:
        """Begin a turn: no piece has acted (DD-9)."""
        self.s["turn"] += 1
        self.s["acted"] = [False] * 3
        self.ask(p, "act")

    def end_turn(self) -> None:
        """End a turn: the next one begins, or the limit ends the game (DD-9, DD-31)."""
        if self.s["turn"] == self.options["max_turns"]:
            self.s["truncated"] = True
            self.end()
        else:
            self.begin_turn((self.p + 1) % self.n)

    def act(self, k: int, words: list[str]) -> None:
        """Let a piece move, dig or unload (DD-9 to DD-12)."""
        pieces, packs = self.s["pieces"][self.p], self.s["backpacks"][self.p]
        self.s["acted"][k] = True
        if words[0] == "move":
            target = {"home": "home", "out": self.s["bases"][self.p]}
            pieces[k] = target[words[1]] if words[1] in target else self.beside(pieces[k], words[1])
            return self.check_end()
        if words[0] == "dig":
            card = self.site[pieces[k]].pop()
            del card["up"]
        else:
            card, packs[k] = packs[k], None
        self.take(card)
        self.s.update(chain=[k + 1], stowed=words[0] == "unload", phase="card")
        return None

    def take(self, card: dict[str, Any]) -> None:
        """Take a card into the hand, which the player sees (DD-11, DD-20)."""
        card["known"] = sorted({*card["known"], self.p})
        self.s["hand"] = card

    def treat(self, words: list[str]) -> None:
        """Do something with the card in hand (DD-14 to DD-19)."""
        k = self.s["chain"][-1] - 1
        at, packs, card = self.s["pieces"][self.p][k], self.s["backpacks"][self.p], self.s["hand"]
        if words[0] == "pass":
            self.s["chain"].append(int(words[1][1]))
            self.s["stowed"] = False
            return
        if words[0] == "stow":
            old, packs[k] = packs[k], card
            if old is not None:
                self.take(old)
                self.s["stowed"] = True
                return
        elif words[0] == "home":
            self.s["museums"][self.p].append(card)
        elif words[0] == "face-down":
            self.site[at].append({"card": card["card"], "up": False, "known": card["known"]})
        else:
            target = self.s["bases"][self.p] if words[1] == "out" else self.beside(at, words[1])
            self.site[target].append({"card": card["card"], "up": True, "known": [*range(self.n)]})
        self.s.update(hand=None, chain=[], stowed=False)
        self.check_end()

    def check_end(self) -> None:
        """End the game or the turn, if it is over (DD-9, DD-21)."""
        if self.s["pieces"][self.p] == ["home"] * 3 and len(self.s["museums"][self.p]) >= 5:
            self.end()
        elif all(self.s["acted"]):
            self.end_turn()
        else:
            self.s["phase"] = "act"

    # ------------------------------------------------------------ the end

    def end(self) -> None:
        """End the game: gifts, turning up, skeletons, winners (DD-22 to DD-30)."""
        while self.give_one():
            pass
        for some in [*self.s["museums"], *self.s["backpacks"]]:
            for card in filter(None, some):
                card["known"] = [*range(self.n)]
        found = [skeleton(self.s, p) for p in range(self.n)]
        best = max(run[:2] for run in found)
        self.s.update(
            scores=[run[0] for run in found],
            winners=[p for p in range(self.n) if found[p][:2] == best],
            runs=[{"cards": run[2], "high": run[1]} for run in found],
            acted=[False] * 3,
            phase="over",
            to_move=-1,
        )

    def give_one(self) -> bool:
        """DD-22: the first card in a backpack that goes to another's museum; whether there is
        one."""
        for a in range(self.n):
            for k, card in enumerate(self.s["backpacks"][a]):
                if card is None or card["card"][0] == "X":
                    continue
                takers = [(a + i) % self.n for i in range(1, self.n)]
                lengths = {
                    b: self.sequence(b, card["card"])
                    for b in takers
                    if self.s["suits"][b] in (None, card["card"][1])
                }
                good = [b for b in takers if lengths.get(b, 0) > 1]
                if good:
                    taker = max(good, key=lambda b: lengths[b])  # the first of equals
                    self.s["museums"][taker].append(card)
                    self.s["backpacks"][a][k] = None
                    return True
        return False

    def sequence(self, b: int, code: str) -> int:
        """The length of the unbroken sequence that a card makes with a museum's cards of its
        suit."""
        values = {
            VALUE[card["card"][0]]
            for card in self.s["museums"][b]
            if card["card"][1] == code[1] and card["card"][0] != "X"
        }
        low = high = VALUE[code[0]]
        while high + 1 in values:
            high += 1
        while low - 1 in values:
            low -= 1
        return high - low + 1
