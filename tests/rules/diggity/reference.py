"""Diggity once more: slow, plain Python on snapshots, written from the rules alone, to compare the
compiled game with.

Nothing is kept between actions but the snapshot: passages, connections and open places are found
anew from where the cards lie.
"""

import copy
from itertools import combinations
from typing import Any, NamedTuple

Snapshot = dict[str, Any]

SHAPES = {"NESW": 2, "NES": 3, "ESW": 3, "NS": 1, "EW": 1, "NE": 2, "NW": 2, "N": 1, "E": 1}
BOX = [
    f"{symbol}-{shape}"
    for symbol in "CTSL"
    for shape, count in SHAPES.items()
    for _ in range(count)
]
ORDER = list(dict.fromkeys(BOX))
GOLD = [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6]
HAND = {2: 5, 3: 4, 4: 3}
TOOLS = ["shovel", "pulley", "cart", "shed"]
PARTS = {"miner": "CT", "shovel": "LT", "pulley": "CL", "cart": "CCS", "shed": "LST"}  # sorted
SIDES = "NESW"
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}


class Laid(NamedTuple):
    """A card on the table."""

    card: str
    x: int
    y: int
    r: int

    @property
    def symbol(self) -> str:
        return self.card[0]

    def half(self) -> tuple[int, int]:
        """Half the extent in x and y (DG-5)."""
        return (5, 7) if self.r % 2 == 0 else (7, 5)

    def exits(self) -> dict[str, tuple[int, int]]:
        """DG-6: by the side of the table that a passage points to."""
        found = {}
        for passage in self.card.partition("-")[2]:
            side = SIDES[(SIDES.index(passage) + self.r) % 4]
            (dx, dy), (hx, hy) = STEP[side], self.half()
            found[side] = (self.x + dx * hx, self.y + dy * hy)
        return found

    def overlaps(self, other: "Laid") -> bool:
        """Whether two cards overlap (DG-8)."""
        (hx, hy), (ox, oy) = self.half(), other.half()
        return abs(self.x - other.x) < hx + ox and abs(self.y - other.y) < hy + oy

    def is_connected(self, other: "Laid") -> bool:
        """Whether a passage of one card meets one of the other (DG-7)."""
        others = other.exits()
        return any(others.get(OPPOSITE[side]) == exit for side, exit in self.exits().items())


def laid(entry: dict[str, Any]) -> Laid:
    """An entry of `mine`."""
    return Laid(entry["card"], entry["x"], entry["y"], entry["r"])


def attach(card: str, passage: str, side: str, exit: tuple[int, int]) -> Laid:
    """DG-12: the card, attached by a passage of its own to one that points to a side and ends
    there."""
    r = (SIDES.index(side) + 2 - SIDES.index(passage)) % 4
    hx, hy = Laid(card, 0, 0, r).half()
    dx, dy = STEP[side]
    return Laid(card, exit[0] + dx * hx, exit[1] + dy * hy, r)


def state_of(mine: list[Laid], i: int, side: str) -> str:
    """DG-7, DG-8: connected, open or blocked; of a passage that there is."""
    exit = mine[i].exits()[side]
    if any(other.exits().get(OPPOSITE[side]) == exit for other in mine):
        return "connected"
    return "open" if fitting(mine, i, side) else "blocked"


def fitting(mine: list[Laid], i: int, side: str) -> list[str]:
    """DG-8: which kinds of cards could be attached, upright or lying."""
    (x, y), (dx, dy) = mine[i].exits()[side], STEP[side]
    found = []
    for r, kind in ((0, "upright"), (1, "lying")):
        hx, hy = Laid("", 0, 0, r).half()
        card = Laid("", x + dx * hx, y + dy * hy, r)
        if not any(card.overlaps(other) for other in mine):
            found.append(kind)
    return found


def open_passages(mine: list[Laid]) -> list[tuple[int, str]]:
    """DG-12: place of the card in the mine and side, in the order of their numbers."""
    return [
        (i, side)
        for i, card in enumerate(mine)
        for side in SIDES
        if side in card.exits() and state_of(mine, i, side) == "open"
    ]


def places(mine: list[Laid], card: str) -> dict[str, Laid]:
    """DG-9, DG-12: all legal plays of a card, by action."""
    found = {}
    for e, (i, side) in enumerate(open_passages(mine)):
        for passage in card.partition("-")[2]:
            result = attach(card, passage, side, mine[i].exits()[side])
            if not any(result.overlaps(other) for other in mine):
                found[f"place {e} {passage}"] = result
    return found


def made_by(mine: list[Laid], new: Laid) -> list[str]:
    """DG-14, DG-16, by a card that is not among those of the mine yet."""
    others = [card for card in mine if card != new]
    made = []
    for thing, parts in PARTS.items():
        for some in combinations(others, len(parts) - 1):
            group = [new, *some]
            if sorted(card.symbol for card in group) == list(parts) and all(
                any(card.is_connected(other) for other in group if other != card) for card in group
            ):
                made.append(thing)
                break
    return [thing for thing in made if thing != "miner" or len(mine) >= 3]


def legal(game: Snapshot) -> list[str]:
    """The rules' section "Phases"."""
    mover, phase = game["to_move"], game["phase"]
    mine = [laid(entry) for entry in game["mine"]]
    if phase == "over":
        return []
    if phase == "play":
        hand = game["hands"][mover]
        return [f"card {h}" for h, card in enumerate(hand) if not mine or places(mine, card)] or [
            "pass"
        ]
    if phase == "place":
        return list(places(mine, game["chosen"]))
    if phase == "take":
        return [f"take {thing}" for thing in game["choices"]]
    if phase == "steal":
        return [f"steal +{(p - mover) % len(game['hands'])}" for p in game["steal"]["from"]]
    tool = TOOLS[game["auction"]["rank"]]
    return ["stop"] + ([f"play {tool}"] if tool in game["tools"][mover] else [])


def play(game: Snapshot, text: str, shuffled: list[str]) -> Snapshot:
    """The snapshot after a legal action. ``shuffled``: the new draw pile, if the action makes one
    (DG-28)."""
    turn = _Turn(copy.deepcopy(game), shuffled)
    turn.act(text)
    return turn.game


def deal(gold: list[int], cards: list[str], options: dict[str, Any]) -> Snapshot:
    """DG-1 to DG-4, for shuffled gold and mine cards."""
    n = options["num_players"]
    pile = list(cards)
    hands = [in_order([pile.pop() for _ in range(HAND[n])]) for _ in range(n)]
    return {
        "game": "diggity",
        "options": dict(options),
        "to_move": 0,
        "phase": "play",
        "turn": 1,
        "scores": [0] * n,
        "winners": [],
        "truncated": False,
        "player": 0,
        "passes": 0,
        "hands": hands,
        "chosen": None,
        "pile": pile,
        "discard": [],
        "mine": [],
        "piles": dict.fromkeys(TOOLS, n),
        "tools": [[] for _ in range(n)],
        "choices": [],
        "steal": None,
        "revealed": None,
        "gold": gold[: options["gold_cards"]],
        "gold_aside": gold[options["gold_cards"] :],
        "auction": None,
        "nuggets": [[] for _ in range(n)],
    }


def in_order(cards: list[str]) -> list[str]:
    """In table order."""
    return sorted(cards, key=ORDER.index)


class _Turn:
    """Changes a snapshot by one action."""

    def __init__(self, game: Snapshot, shuffled: list[str]) -> None:
        self.game, self.shuffled = game, shuffled
        self.n, self.tools, self.piles = len(game["hands"]), game["tools"], game["piles"]

    def act(self, text: str) -> None:
        game, word = self.game, text.split()
        if word[0] == "card":
            card = game["hands"][game["player"]].pop(int(word[1]))
            if game["mine"]:
                game["chosen"], game["phase"] = card, "place"
            else:
                game["passes"] = 0
                game["mine"] = [Laid(card, 0, 0, 0)._asdict()]
                self.end_turn()
        elif word[0] == "place":
            self.place(text)
        elif word[0] == "take":
            game["choices"] = []
            self.take(word[1])
        elif word[0] == "steal":
            kind, victim = game["steal"]["kind"], (game["player"] + int(word[1])) % self.n
            game["steal"] = None
            self.move_tool(kind, victim)
            self.end_turn()
        elif text == "pass":
            self.pass_turn()
        else:
            self.bid(word)

    # ------------------------------------------------------------ cards

    def place(self, text: str) -> None:
        """Lay the chosen card and find what it makes (DG-12 to DG-17)."""
        game = self.game
        mine = [laid(entry) for entry in game["mine"]]
        new = places(mine, game["chosen"])[text]
        game["chosen"], game["passes"] = None, 0
        game["mine"].append(new._asdict())
        things = [
            thing for thing in made_by(mine, new) if thing == "miner" or self.can_be_chosen(thing)
        ]
        if len(things) > 1:
            game["choices"], game["phase"], game["to_move"] = things, "take", game["player"]
        elif things:
            self.take(things[0])
        else:
            self.end_turn()

    def owners(self, kind: str) -> list[int]:
        """Return the other players who have a tool."""
        return [p for p in range(self.n) if p != self.game["player"] and kind in self.tools[p]]

    def can_be_chosen(self, kind: str) -> bool:
        """Whether a tool that was made may be chosen: it can be gained, or tools are hidden (DG-17,
        DG-33)."""
        return bool(self.game["options"]["hidden_tools"] or self.piles[kind] or self.owners(kind))

    def take(self, thing: str) -> None:
        """Take what was chosen: gold is turned up, or the tool is gained or stolen (DG-17 to DG-19,
        DG-33)."""
        game = self.game
        if thing == "miner":
            game["auction"] = {"value": game["gold"].pop(), "rank": 0, "leader": game["player"]}
            game["phase"] = "auction"
            self.chance(game["player"], fresh=True)
            return
        if self.piles[thing]:
            self.piles[thing] -= 1
            self.give(thing, game["player"])
            self.end_turn()
            return
        if game["options"]["hidden_tools"]:
            game["revealed"] = {"kind": thing, "thief": game["player"]}
        owners = self.owners(thing)
        if len(owners) > 1:
            game["steal"], game["phase"], game["to_move"] = (
                {"kind": thing, "from": owners},
                "steal",
                game["player"],
            )
            return
        if owners:
            self.move_tool(thing, owners[0])
        self.end_turn()

    def give(self, kind: str, p: int) -> None:
        self.tools[p] = sorted([*self.tools[p], kind], key=TOOLS.index)

    def move_tool(self, kind: str, victim: int) -> None:
        """Steal a tool (DG-18)."""
        self.tools[victim].remove(kind)
        self.give(kind, self.game["player"])

    # ------------------------------------------------------------ gold

    def bid(self, word: list[str]) -> None:
        """Play a tool or stop (DG-20)."""
        game = self.game
        mover, auction = game["to_move"], game["auction"]
        if word[0] == "play":
            self.tools[mover].remove(word[1])
            self.piles[word[1]] += 1
            auction["rank"] += 1
            auction["leader"] = mover
            self.chance(mover, fresh=True)
        else:
            self.chance((mover + 1) % self.n, fresh=False)

    def chance(self, p: int, fresh: bool) -> None:
        """DG-20, DG-21, DG-32: the chance comes to a seat; the leader has it only when just made
        the leader (``fresh``)."""
        game = self.game
        auction = game["auction"]
        while auction["rank"] < 4 and (fresh or p != auction["leader"]):
            held = self.tools[p]
            if held if game["options"]["hidden_tools"] else TOOLS[auction["rank"]] in held:
                game["to_move"] = p
                return
            p, fresh = (p + 1) % self.n, False
        self.award(auction["leader"], auction["value"])

    def award(self, winner: int, value: int) -> None:
        """Give the gold card to the winner of the auction (DG-21, DG-23, DG-29)."""
        game = self.game
        game["auction"] = None
        game["nuggets"][winner].append(value)
        game["scores"][winner] += value
        if game["gold"]:
            self.end_turn(finished_for=winner)
        else:
            self.finish()

    # ------------------------------------------------------------ the end of a turn

    def pass_turn(self) -> None:
        """Pass; when all have passed the mine is closed (DG-11, DG-24)."""
        game = self.game
        game["passes"] += 1
        if game["passes"] == self.n:
            game["passes"] = 0
            self.close()
        self.next_turn((game["player"] + 1) % self.n)

    def close(self) -> None:
        """The cards of the mine are discarded."""
        self.game["discard"] = in_order(
            [*self.game["discard"], *(entry["card"] for entry in self.game["mine"])]
        )
        self.game["mine"] = []

    def end_turn(self, finished_for: int | None = None) -> None:
        """Fill up the hand, discard the mine if it is closed, renew the pile (DG-24 to DG-28)."""
        game = self.game
        hand = game["hands"][game["player"]]
        game["hands"][game["player"]] = in_order([*hand, game["pile"].pop()])
        if finished_for is not None or not open_passages([laid(entry) for entry in game["mine"]]):
            self.close()
        if not game["pile"]:
            if not game["discard"]:
                self.close()
            assert sorted(self.shuffled) == sorted(game["discard"]), (
                "the new pile is what was discarded"
            )
            game["pile"], game["discard"] = list(self.shuffled), []
        self.next_turn((game["player"] + 1) % self.n if finished_for is None else finished_for)

    def next_turn(self, seat: int) -> None:
        """Begin the next turn, if the limit allows it (DG-31, DG-33)."""
        game = self.game
        if game["turn"] == game["options"]["max_turns"]:
            game["truncated"] = True
            self.finish()
            return
        game["turn"] += 1
        game["player"] = game["to_move"] = seat
        game["phase"] = "play"
        if game["revealed"] and game["revealed"]["thief"] == seat:
            game["revealed"] = None

    def finish(self) -> None:
        """End the game: the most nuggets win (DG-29, DG-30)."""
        game = self.game
        game["phase"], game["to_move"] = "over", -1
        game["winners"] = [
            p for p, score in enumerate(game["scores"]) if score == max(game["scores"])
        ]
