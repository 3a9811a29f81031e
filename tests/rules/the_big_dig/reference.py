"""The Big Dig once more: slow, plain Python on snapshots, written from the rules alone, to compare
the compiled game with."""

import copy
import csv
import math
from functools import cache
from typing import Any

from dig_envs.games.the_big_dig.data import DECKS_FILE, FAUNA_FILE

Snapshot = dict[str, Any]

# of attributes 1 to 27
STATES_OF = (3, 3, 3, 3, 3, 3, 2, 3, 4, 3, 2, 2, 3, 4, 2, 2, 2, 2, 3, 3, 3, 3, 2, 2, 3, 3, 3)
STATES = tuple(f"{a}-{s}" for a, count in enumerate(STATES_OF, 1) for s in range(1, count + 1))
SPACES = tuple(f"{state}-{sign}" for state in STATES for sign in "AN")
REGIONS = {
    "skull": range(1, 7),
    "forelimb": range(7, 10),
    "hindlimb": range(10, 15),
    "diet": range(15, 19),
    "senses": range(19, 21),
    "movement": range(21, 28),
}
TOKENS = 12
GIVEN_UP = "no argument"


# ---------------------------------------------------------------- the box


@cache
def fauna() -> tuple[dict[int, int], ...]:
    """The living species: attribute -> state."""
    with FAUNA_FILE.open(newline="") as file:
        return tuple({a: int(row[str(a)]) for a in range(1, 28)} for row in csv.DictReader(file))


@cache
def decks() -> dict[str, list[str]]:
    """The cards of the four decks, unshuffled, and as `starter_discovery` the cards so marked."""
    found: dict[str, list[str]] = {"starter_discovery": []}
    with DECKS_FILE.open(newline="") as file:
        for row in csv.DictReader(file):
            text = f"request {row['card']}" if row["kind"] == "request" else row["card"]
            found.setdefault(row["deck"], []).extend([text] * int(row["count"]))
            if row["starter_discovery"] == "yes":
                found["starter_discovery"].append(text)
    return found


# ---------------------------------------------------------------- the board


@cache
def attribute(space: str) -> int:
    """The number of the attribute of a space or of a state."""
    return int(space.split("-")[0])


def state_of(space: str) -> str:
    """The state of a space, without the sign."""
    return "-".join(space.split("-")[:2])


def sign_of(space: str) -> str:
    """A or N."""
    return space.split("-")[2]


def spaces_on(number: int) -> list[str]:
    """The spaces of an attribute."""
    return [space for space in SPACES if attribute(space) == number]


def in_order(spaces: Any) -> list[str]:
    """Spaces in space order."""
    return sorted(spaces, key=SPACES.index)


def is_compatible(one: str, other: str) -> bool:
    """Whether two spaces are compatible (BD-2)."""
    if attribute(one) != attribute(other) or one == other:
        return True
    if sign_of(one) == sign_of(other):
        return sign_of(one) == "N"
    return state_of(one) != state_of(other)


def discovered_by(card: str) -> list[str]:
    """BD-8: the assertion of a state and the negations of the other ones, in space order."""
    return [s for s in spaces_on(attribute(card)) if (sign_of(s) == "A") == (state_of(s) == card)]


# ---------------------------------------------------------------- predictions


def matches(species: dict[int, int], space: str) -> bool:
    """Whether a species matches a space (BD-6)."""
    a, s, sign = space.split("-")
    return (species[int(a)] == int(s)) == (sign == "A")


def support_of(n: int, k: int) -> int:
    """The support of a prediction, of n species k with the state (BD-7)."""
    if n == 0:
        return 0
    m = max(k, n - k)
    low = (m + 1.9208 - 1.96 * math.sqrt(m * (n - m) / n + 0.9604)) / (n + 3.8416)
    return max(0, round(100 * (2 * low - 1)))


@cache
def predictions(inputs: tuple[str, ...]) -> dict[str, tuple[str, int]]:
    """BD-6: for each state of each attribute that is not an input the space and its support."""
    matching = [species for species in fauna() if all(matches(species, space) for space in inputs)]
    found = {}
    for state in STATES:
        if attribute(state) in {attribute(space) for space in inputs}:
            continue
        k = sum(matches(species, f"{state}-A") for species in matching)
        sign = "A" if 2 * k > len(matching) else "N"
        found[state] = (f"{state}-{sign}", support_of(len(matching), k))
    return found


# ---------------------------------------------------------------- the game


class Reference:
    """A game in a position; ``snapshot`` is all of it but the seats that still have to commit in
    the phase: ``owing``."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = copy.deepcopy(
            {key: value for key, value in snapshot.items() if key != "rng"}
        )
        mover = self.snapshot["to_move"]
        self.owing = [p for p in self.asked() if p >= mover] if mover >= 0 else []

    def __getitem__(self, key: str) -> Any:
        return self.snapshot[key]

    # ------------------------------------------------------------ the board

    def is_marked(self, space: str) -> bool:
        """Whether a space has a marker (BD-3)."""
        return space in self["discovered"] or space in self["conjectured"]

    def bank(self, p: int) -> int:
        """The tokens in a player's bank (BD-4)."""
        return TOKENS - sum(self["tokens"][p].values())

    def place(self, p: int, space: str) -> None:
        """A token of a seat from the bank."""
        self["tokens"][p][space] = self["tokens"][p].get(space, 0) + 1

    def take(self, p: int, space: str) -> None:
        """A token of a seat back to the bank."""
        self["tokens"][p][space] -= 1
        if not self["tokens"][p][space]:
            del self["tokens"][p][space]

    def mark(self, space: str) -> None:
        """BD-3, BD-17: a C marker if there is no marker."""
        if not self.is_marked(space):
            self.snapshot["conjectured"] = in_order([*self["conjectured"], space])

    # ------------------------------------------------------------ arguments

    @staticmethod
    def is_conjecture(argument: dict[str, Any]) -> bool:
        """Whether an argument is a conjecture; the others are nullifications."""
        return argument["target"] is None

    def aimed_at(self, nullification: dict[str, Any]) -> list[dict[str, Any]]:
        """BD-14: the conjectures that a nullification is aimed at."""
        return [
            argument
            for argument in self["arguments"]
            if self.is_conjecture(argument)
            and argument["inputs"] == [nullification["target"]]
            and state_of(argument["output"]) == nullification["output"]
        ]

    def is_targeted(self, conjecture: dict[str, Any]) -> bool:
        """Final scoring: a valid nullification is aimed at it."""
        return any(
            not self.is_conjecture(argument)
            and argument["valid"]
            and any(aim is conjecture for aim in self.aimed_at(argument))
            for argument in self["arguments"]
        )

    def exists(self, inputs: list[str], output: str, target: str | None) -> bool:
        """Whether an argument has been made before (BD-15)."""
        return any(
            (a["inputs"], a["output"], a["target"]) == (inputs, output, target)
            for a in self["arguments"]
        )

    def possible(self, inputs: list[str]) -> dict[str, list[dict[str, Any]]]:
        """BD-13 to BD-15: output state -> what may be argued, one conjecture or one nullification
        per possible target."""
        if not all(map(self.is_marked, inputs)):
            return {}
        found: dict[str, list[dict[str, Any]]] = {}
        discovered = {attribute(space) for space in self["discovered"]}  # BD-3
        for state, (space, support) in predictions(tuple(inputs)).items():
            if attribute(state) in discovered:
                continue
            if support > 0:
                if not self.exists(inputs, space, None):
                    found[state] = [
                        {"inputs": inputs, "output": space, "support": support, "target": None}
                    ]
                continue
            for target in inputs if len(inputs) == 2 else []:
                argument = {"inputs": inputs, "output": state, "support": 0, "target": target}
                standing = any(aim["valid"] for aim in self.aimed_at(argument))
                if standing and not self.exists(inputs, state, target):
                    found.setdefault(state, []).append(argument)
        return found

    def points(self, argument: dict[str, Any]) -> int:
        """The points for an argument (BD-18)."""
        points = 1 + sum(space in self["conjectured"] for space in argument["inputs"])
        return (
            2 * points
            if self["request"] and attribute(argument["output"]) in REGIONS[self["request"]]
            else points
        )

    def invalidate(self, arguments: list[dict[str, Any]]) -> None:
        """BD-25, for arguments that become invalid together."""
        for argument in arguments:
            argument["valid"] = False
        for argument in arguments:
            output = argument["output"]
            supported = any(a["valid"] and a["output"] == output for a in self["arguments"])
            if self.is_conjecture(argument) and not supported and output in self["conjectured"]:
                self["conjectured"].remove(output)

    # ------------------------------------------------------------ who is asked, and what is legal

    def asked(self) -> list[int]:
        """The seats that make a commitment in this phase."""
        phase, spent = self["phase"], self["spent"]
        if phase in ("argument", "research"):
            return [p for p in (0, 1) if spent[p][0] == "act"]
        if phase == "research_model":
            return [p for p in (0, 1) if spent[p][1] == "act"]
        if phase == "placement":
            return [
                p
                for p in (0, 1)
                if (self.bank(p) if self["evaluation"][p] == "add" else self["tokens"][p])
            ]
        return [] if phase == "over" else [0, 1]

    def legal(self, p: int) -> set[str]:
        """Return the legal actions of a seat that still has to make a commitment."""
        phase, pending = self["phase"], self["pending"][p]
        if phase in ("model", "research_model"):
            return self.legal_inputs(p)
        if phase == "argument":
            return self.legal_argument(p, pending)
        if phase == "placement":
            return self.legal_placement(p, pending)
        return {"add", "move", "remove"} if phase == "evaluation" else {"act", "pass"}

    def legal_inputs(self, p: int) -> set[str]:
        """The legal inputs of a model in the making (BD-5)."""
        if not self["pending"][p]:
            return {f"input {space}" for space in SPACES}
        (first,) = self["pending"][p]
        first = first.removeprefix("input ")
        models = [set(model) for model in self["models"][p]]
        seconds = {
            f"input {space}"
            for space in SPACES
            if attribute(space) != attribute(first) and {first, space} not in models
        }
        return seconds | ({"single"} if {first} not in models else set())

    def legal_argument(self, p: int, pending: list[str]) -> set[str]:
        """The legal next action of an argument in the making (BD-16)."""
        if not pending:
            able = [m for m, inputs in enumerate(self["models"][p], 1) if self.possible(inputs)]
            return {f"argue {m}" for m in able} | {GIVEN_UP}
        outputs = self.possible(self.argued(p, pending))
        return (
            {f"output {state}" for state in outputs}
            if len(pending) == 1
            else {"target 1", "target 2"}
        )

    def argued(self, p: int, pending: list[str]) -> list[str]:
        """The inputs of the model that a seat argues with."""
        inputs: list[str] = self["models"][p][int(pending[0].removeprefix("argue ")) - 1]
        return inputs

    def legal_placement(self, p: int, pending: list[str]) -> set[str]:
        """The legal next action of a placement (BD-22)."""
        free = [space for space in SPACES if space not in self["discovered"]]
        if self["evaluation"][p] == "add":
            return {f"put {space}" for space in free}
        if self["evaluation"][p] == "move" and pending and pending[-1].startswith("lift"):
            lifted = pending[-1].removeprefix("lift ")
            return {
                f"put {space}"
                for space in free
                if attribute(space) == attribute(lifted) and space != lifted
            }
        return {f"lift {space}" for space in self.liftable(p, pending)} | {"done"}

    def liftable(self, p: int, pending: list[str]) -> list[str]:
        """The spaces from which a token may be lifted: each that lay on the attribute of the first
        when the phase began, once."""
        lifted = [action.removeprefix("lift ") for action in pending if action.startswith("lift")]
        return [
            space
            for space, count in self["tokens"][p].items()
            if count > lifted.count(space)
            and (not lifted or attribute(space) == attribute(lifted[0]))
        ]

    # ------------------------------------------------------------ playing

    @property
    def mover(self) -> int:
        """The seat to move, -1 when the game is over."""
        return int(self["to_move"])

    def play(self, action: str, seat: int | None = None) -> None:
        """Play a legal action of the mover, or of another seat that still has to make a
        commitment."""
        p = self.mover if seat is None else seat
        assert p in self.owing
        assert action in self.legal(p), action
        self["pending"][p].append(action)
        if self.is_complete(p):
            if self["phase"] in ("model", "research_model"):
                self.create_model(p)
            self.owing.remove(p)
        if not self.owing:
            self.resolve()
            self.ask()
        self.snapshot["to_move"] = min(self.owing, default=-1)

    def is_complete(self, p: int) -> bool:
        """Whether the choices of a seat are a complete commitment."""
        phase, pending = self["phase"], self["pending"][p]
        if phase in ("model", "research_model"):
            return len(pending) == 2
        if phase == "argument":
            if pending[0] == GIVEN_UP or len(pending) == 3:
                return True
            return len(pending) == 2 and len(self.choices(p)) == 1
        if phase == "placement" and self["evaluation"][p] != "add":
            waiting = self["evaluation"][p] == "move" and pending[-1].startswith("lift")
            return not waiting and (pending[-1] == "done" or not self.liftable(p, pending))
        return True

    def choices(self, p: int) -> list[dict[str, Any]]:
        """Return what a seat may argue with the model and the output that it has chosen."""
        pending = self["pending"][p]
        return self.possible(self.argued(p, pending))[pending[1].removeprefix("output ")]

    def create_model(self, p: int) -> None:
        """BD-10: at once, but nobody else sees it."""
        inputs = {action.removeprefix("input ") for action in self["pending"][p]} - {"single"}
        self["models"][p].append(in_order(inputs))
        self["pending"][p].clear()

    def ask(self) -> None:
        """Pass over phases in which nobody is asked."""
        self.owing = self.asked()
        while not self.owing and self["phase"] != "over":
            self.resolve()
            self.owing = self.asked()

    def resolve(self) -> None:
        """All have committed: reveal, carry out, go to the next phase."""
        phase = self["phase"]
        pending = [list(actions) for actions in self["pending"]]
        if phase == "argument":
            self.carry_out_arguments(pending)
        self.snapshot["pending"] = [[], []]
        after = {
            "model": "argumentation",
            "argumentation": "argument",
            "argument": "research",
            "research": "research_model",
            "research_model": "evaluation",
            "evaluation": "placement",
        }
        if phase in ("argumentation", "research"):
            for p in (0, 1):  # BD-19: who is not asked acts
                self["spent"][p].append(pending[p][0] if pending[p] else "act")
        elif phase == "research_model":
            self.explore()
        elif phase == "evaluation":
            self.snapshot["evaluation"] = [actions[0] for actions in pending]
        elif phase == "placement":
            self.carry_out_placement(pending)
            self.end_turn()
            return
        if phase in after:
            self.snapshot["phase"] = after[phase]

    def carry_out_arguments(self, pending: list[list[str]]) -> None:
        """BD-17, BD-18: everything is looked at on the board before."""
        chosen = []
        for p in (0, 1):
            if not pending[p] or pending[p] == [GIVEN_UP]:
                continue
            options = self.choices(p)
            argument = options[
                int(pending[p][2].removeprefix("target ")) - 1 if len(pending[p]) == 3 else 0
            ]
            chosen.append((p, argument, self.points(argument)))
        for p, argument, points in chosen:
            self["arguments"].append(
                {"by": p, "turn": self["turn"], **copy.deepcopy(argument), "valid": True}
            )
            self["scores"][p] += points
            if not self.is_conjecture(argument):
                continue
            if self.bank(p):
                self.place(p, argument["output"])
            self.mark(argument["output"])
            for space in list(self["tokens"][p]):
                while not is_compatible(space, argument["output"]) and space in self["tokens"][p]:
                    self.take(p, space)

    def explore(self) -> None:
        """Spend the last decision cards, and draw for the seats that act (BD-20)."""
        for p in (0, 1):
            last = "pass" if "pass" not in self["spent"][p] else "act"
            self["spent"][p].append(last)
        for p in (0, 1):
            if self["spent"][p][2] == "act":
                self.draw()

    def carry_out_placement(self, pending: list[list[str]]) -> None:
        """Carry out the placements of both (BD-22)."""
        for p in (0, 1):
            for action in pending[p]:
                verb, _, space = action.partition(" ")
                if verb == "put":
                    self.place(p, space)
                elif verb == "lift":
                    self.take(p, space)

    def end_turn(self) -> None:
        """Begin the next turn, or score (BD-23, BD-9)."""
        self.snapshot["spent"] = [[], []]
        self.snapshot["evaluation"] = [None, None]
        if self["turn"] == self["options"]["turns"]:
            self.score()
            return
        self.snapshot["turn"] += 1
        self.draw()
        self.snapshot["phase"] = "model"

    def draw(self) -> None:
        """Draw a card of the excavation deck (BD-9)."""
        if not self["deck"]:
            return
        card = self["deck"].pop()
        self["drawn"].append(card)
        if card.startswith("request"):
            self.snapshot["request"] = card.removeprefix("request ")
        elif card != "rock":
            self.discover(card)

    def discover(self, card: str) -> None:
        """Carry out a discovery (BD-24)."""
        number, found = attribute(card), discovered_by(card)
        self.snapshot["conjectured"] = [
            space for space in self["conjectured"] if attribute(space) != number
        ]
        self.snapshot["discovered"] = in_order([*self["discovered"], *found])
        for p, tokens in enumerate(self["tokens"]):
            change = 0
            for space in [space for space in tokens if attribute(space) == number]:
                worth = -5 if space not in found else 5 if sign_of(space) == "A" else 2
                change += worth * tokens.pop(space)
            self["scores"][p] = max(0, self["scores"][p] + change)
        wrong = [space for space in spaces_on(number) if space not in found]
        self.invalidate(
            [
                argument
                for argument in self["arguments"]
                if argument["valid"]
                and (
                    any(space in wrong for space in argument["inputs"])
                    or (self.is_conjecture(argument) and argument["output"] in wrong)
                )
            ]
        )

    # ------------------------------------------------------------ the end

    def score(self) -> None:
        """The final scoring (BD-26 to BD-34)."""
        arguments, scores, tokens = self["arguments"], self["scores"], self["tokens"]
        final = [
            dict.fromkeys(("nullifications", "wild", "confident", "valuable"), 0) for _ in (0, 1)
        ]
        self.settle_arguments()
        for argument in arguments:
            if argument["valid"] and not self.is_conjecture(argument):
                final[argument["by"]]["nullifications"] += 5
        for p in (0, 1):
            scores[p] += final[p]["nullifications"]
            loose = sum(count for space, count in tokens[p].items() if not self.is_marked(space))
            final[p]["wild"] = -min(loose, scores[p])
        self.choose_best_guesses()
        for p in (0, 1):
            for marker in self["conjectured"]:
                for space, count in tokens[p].items():
                    if attribute(space) == attribute(marker) and is_compatible(space, marker):
                        final[p]["confident"] += count
        for argument in self.counting():
            if self.is_marked(argument["output"]):
                final[argument["by"]]["valuable"] += 5
        for p in (0, 1):
            scores[p] += final[p]["wild"] + final[p]["confident"] + final[p]["valuable"]
        self.snapshot.update(
            final=final, phase="over", winners=[p for p in (0, 1) if scores[p] == max(scores)]
        )

    def settle_arguments(self) -> None:
        """Find the arguments that are invalid in the end (BD-26, BD-27)."""
        hit = []
        for argument in self["arguments"]:
            if argument["valid"] and not self.is_conjecture(argument):
                if all(space in self["discovered"] for space in argument["inputs"]):
                    hit += [aim for aim in self.aimed_at(argument) if aim["valid"]]
        self.invalidate(hit)
        while True:
            baseless = [
                a
                for a in self["arguments"]
                if a["valid"] and not all(map(self.is_marked, a["inputs"]))
            ]
            if not baseless:
                return
            self.invalidate(baseless)

    def counting(self) -> list[dict[str, Any]]:
        """The valid conjectures that are not targeted."""
        return [
            a
            for a in self["arguments"]
            if a["valid"] and self.is_conjecture(a) and not self.is_targeted(a)
        ]

    def choose_best_guesses(self) -> None:
        """Keep the C markers with the greatest support on each attribute (BD-30, BD-31)."""
        stay = []
        for number in range(1, 28):
            markers = [space for space in self["conjectured"] if attribute(space) == number]
            strength = {}
            for space in markers:
                support = sum(a["support"] for a in self.counting() if a["output"] == space)
                strength[space] = support * sum(tokens.get(space, 0) for tokens in self["tokens"])
            stay += [space for space in markers if strength[space] == max(strength.values())]
        self.snapshot["conjectured"] = in_order(stay)

    # ------------------------------------------------------------ what a seat may know

    def view(self, seat: int) -> Snapshot:
        """The section "View" of the rules."""
        other = 1 - seat
        shown = [argument["inputs"] for argument in self["arguments"] if argument["by"] == other]
        view = {
            **self.snapshot,
            "deck": len(self["deck"]),
            "models": list(self["models"]),
            "pending": list(self["pending"]),
        }
        view["models"][other] = [
            model if model in shown else None for model in self["models"][other]
        ]
        view["pending"][other] = None
        return view
