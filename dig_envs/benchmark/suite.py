"""The tasks: what is played, on which deals, against whom, and how it is counted.

A suite that has been released does not change: a change of a task is a new version, and the older ones stay. The tests keep a hash
of the definition and fingerprints of the games that it gives (:mod:`dig_envs.benchmark.anchors`). A game that joins later belongs
to no released suite.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b, sha256
from typing import Any

from dig_envs.agents.measured import read_players
from dig_envs.arena.schedule import Form, number_of_deals, seatings
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

VERSION = 2  # the newest
SEEDS = 3 << 62  # from here on no training deals: its seeds for final evaluations begin here, too (training/seeds.py)
REFERENCE_ELO = 1000  # of the scripted player that is a task's opponent
DEALS_APART = 2**24  # between the first deals of two tasks, at least
SPREAD = 2**38
SEARCH_SIMS, PPO_DECISIONS = 100, 200_000  # budgets of the exploiters of a player (dig_envs.benchmark.exploiting)


@dataclass(frozen=True)
class Member:
    """One player of a task's population.

    Attributes:
        agent: its name in definitions and reports.
        games: least number of games with it.
        settings: of a search: those that were its game's defaults when the version was released, and have changed since. What is
            loaded has them, so that it plays as it did; the definition does not, so that its hash is as it was.
    """

    agent: str
    games: int
    settings: str = ""


@dataclass(frozen=True)
class Task:
    """One game with its options, against one kind of opponent.

    Attributes:
        name: as results are listed, such as ``fossil_canyon-2``.
        environment: such as ``fossil_canyon_v0``.
        options: the options of the game that are not the default.
        opponent: plays all other seats; in a cooperative game nobody. It is also the reference, whose own result is 100, unless
            there is an ``optimum``.
        cooperative: whether the agent plays all seats as one team.
        games: least number of games; the agent has each seat once on every deal (a seeded start of the game).
        version: of the suite.
        population: from version 2 on, players against whom a rating is found (cooperative: partners).
        metric: ``score`` or ``victories``; empty: ``score`` in a cooperative game, else ``victories``.
        optimum: a value of the metric that was computed and counts as 100; 0: none.
        only_split: whether it is only played for the splits of the suite, and counts in no aggregate.
        against: if not empty, the player of all other seats, while ``opponent`` remains the reference.
    """

    name: str
    environment: str
    options: Mapping[str, Any] = field(default_factory=dict)
    opponent: str = "heuristic"
    cooperative: bool = False
    games: int = 1000
    version: int = 1
    population: tuple[Member, ...] = ()
    metric: str = ""
    optimum: float = 0.0
    only_split: bool = False
    against: str = ""

    @property
    def game(self) -> Game:
        """The game that is played."""
        return load_game(self.environment)

    @property
    def all_options(self) -> dict[str, Any]:
        """All options of the game, those that are the default, too."""
        return self.game.complete_options(self.options)

    @property
    def form(self) -> Form:
        """The way in which agents are put into the seats."""
        return Form.TEAMS if self.cooperative else Form.ALONE

    @property
    def num_seats(self) -> int:
        """The number of seats of the game."""
        return int(self.options["num_players"])

    @property
    def others(self) -> str:
        """The player in all other seats of a competitive game."""
        return self.against or self.opponent

    @property
    def counted(self) -> str:
        """The measure that counts: the agent's ``score``, or its share of the ``victories``."""
        return self.metric or ("score" if self.cooperative else "victories")

    @property
    def form_with_members(self) -> Form:
        """The way in which the agent and a member of the population are put into the seats."""
        return Form.ALONE if self.cooperative else Form.PAIRS

    def player(self, member: Member) -> str:
        """Return what :func:`dig_envs.load_agent` takes for a member of the population: a policy may have another name now."""
        players = read_players(self.game)
        name = member.agent if players is None else players.former.get(member.agent, member.agent)
        return ":".join(filter(None, (name, member.settings)))

    def deals_with(self, member: Member) -> int:
        """Return the number of deals that are played with a member of the population."""
        return number_of_deals(member.games, self.num_seats, self.form_with_members)

    def plays_already(self, member: Member) -> bool:
        """Return whether the games with a member are those of the task itself: it is the opponent of two players."""
        return member.agent == self.others and self.num_seats == 2 and not self.cooperative

    def games_with(self, member: Member) -> tuple[int, int]:
        """Return the number of deals that are played with a member of the population, and that of the games on each of them."""
        if self.plays_already(member):
            return self.deals, self.num_seats
        return self.deals_with(member), len(seatings(self.num_seats, self.form_with_members))

    @property
    def deals(self) -> int:
        """The number of deals that are played."""
        return self.games if self.cooperative else -(-self.games // self.num_seats)

    @property
    def seed(self) -> int:
        """The seed of deal 0; deal d has the seed ``seed + d``."""
        digest = blake2b(f"dig_envs benchmark {self.version} {self.name}".encode(), digest_size=8).digest()
        return SEEDS + int.from_bytes(digest, "little") % SPREAD * DEALS_APART

    def as_json(self) -> dict[str, Any]:
        """Return the definition as plain values."""
        found = {
            "task": self.name,
            "environment": self.environment,
            "options": dict(self.options),
            "opponent": None if self.cooperative else self.others,
            "reference": self.opponent,
            "metric": self.counted,
            "seed": self.seed,
            "deals": self.deals,
        }
        if self.version == 1:
            return found
        members = [{"agent": member.agent, "deals": self.deals_with(member)} for member in self.population]
        return {**found, "population": members, "optimum": self.optimum or None, "only_split": self.only_split}


@dataclass(frozen=True)
class Split:
    """A test of generalisation: a policy may be trained on the games of ``train``, never on those of ``test``.

    Attributes:
        name: as results are listed.
        varies: what differs between the two, in words.
        train, test: names of tasks.
    """

    name: str
    varies: str
    train: tuple[str, ...]
    test: tuple[str, ...]


@dataclass(frozen=True)
class Suite:
    """A named list of tasks.

    Attributes:
        name: ``small`` or ``full``.
        tasks: all of them.
        version: of the benchmark.
        splits: from version 2 on, splits of tasks into training and test.
        memory: from version 2 on, the names of the tasks that need a memory.
    """

    name: str
    tasks: tuple[Task, ...]
    version: int = 1
    splits: tuple[Split, ...] = ()
    memory: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash of the definition: version, all tasks and all splits."""
        plain: dict[str, Any] = {"version": self.version, "tasks": [task.as_json() for task in self.tasks]}
        if self.version > 1:
            plain |= {"splits": [asdict(split) for split in self.splits], "memory": self.memory}
        return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def seats(count: int, **options: Any) -> dict[str, Any]:
    """Return options with the number of players."""
    return {"num_players": count, **options}


# ---------------------------------------------------------------- version 1

FULL_1 = (
    Task("cretaceous_creek-2", "cretaceous_creek_v0", seats(2, level="intermediate"), cooperative=True),
    Task("cretaceous_creek-2-beginner", "cretaceous_creek_v0", seats(2, level="beginner"), cooperative=True),
    Task("cretaceous_creek-4", "cretaceous_creek_v0", seats(4, level="intermediate"), cooperative=True),
    Task("fossil_canyon-2", "fossil_canyon_v0", seats(2)),
    Task("fossil_canyon-4", "fossil_canyon_v0", seats(4)),
    Task("fossil_canyon-6", "fossil_canyon_v0", seats(6)),
    Task("the_big_dig-2", "the_big_dig_v0", seats(2)),
    Task("the_big_dig-2-wild", "the_big_dig_v0", seats(2, deck="wild")),
    Task("go_dig-2", "go_dig_v0", seats(2)),
    Task("go_dig-4", "go_dig_v0", seats(4)),
    Task("fossil_memory-2", "fossil_memory_v0", seats(2)),
    Task("fossil_memory-2-recent", "fossil_memory_v0", seats(2, recall="recent"), opponent="fossil_memory/remembering"),
    Task("fossil_memory-4", "fossil_memory_v0", seats(4)),
    Task("twenty_questions-2", "twenty_questions_v0", seats(2)),
    Task("twenty_questions-4", "twenty_questions_v0", seats(4)),
    Task("oak_island-2", "oak_island_v0", seats(2)),
    Task("oak_island-4", "oak_island_v0", seats(4)),
    Task("dino_dig-2", "dino_dig_v0", seats(2)),
    Task("dino_dig-4", "dino_dig_v0", seats(4)),
    Task("diggity-2", "diggity_v0", seats(2)),
    Task("diggity-4", "diggity_v0", seats(4)),
)
SMALL_GAMES = 100
SUITES_1 = {
    "full": Suite("full", FULL_1),
    "small": Suite("small", tuple(replace(task, games=SMALL_GAMES) for task in FULL_1 if task.name.endswith("-2"))),
}


# ---------------------------------------------------------------- version 2

OPTIMUM = {
    10: 2.224693,
    20: 4.678209,
    30: 7.130352,
}  # cards for so many questions: best_cards in tests/rules/twenty_questions/yardstick.py
MANY, FEW = 200, 100  # games with a member of the population; FEW with one that searches
SPLIT_GAMES = 400
SMALL_MEMBER_GAMES = 20


def task(name: str, population: tuple[Member, ...] = (), cooperative: bool = False, **options: Any) -> Task:
    """Return a task of version 2; its name begins with that of the game and the number of players."""
    game, _, rest = name.partition("-")
    return Task(
        name,
        f"{game}_v0",
        seats(int(rest.partition("-")[0]), **options),
        cooperative=cooperative,
        games=1000 if population else SPLIT_GAMES,
        version=2,
        population=population,
        only_split=not population,
    )


def players(*names: str, styles: tuple[str, ...] = (), searching: str = "", settings: str = "") -> tuple[Member, ...]:
    """Return a population: random, the scripted player and some of its styles, others by name, and two searches, if ``searching``.

    ``searching`` is the name of a search without its simulations, ``settings`` are those of :class:`Member`. A population may not
    depend on what is installed: one of the two says ``guide=none`` where the game's search has a guide by default.
    """
    styled = [f"heuristic:style={style}" for style in styles]
    found = [Member(name, MANY) for name in ("random", "heuristic", *styled, *names)]
    if searching:
        found += [Member(f"{searching}:sims={sims}", FEW, settings) for sims in (20, 100)]
    return tuple(found)


def creek(name: str, level: str, *partners: str) -> Task:
    """Return a task of Cretaceous Creek, with partners besides the scripted player."""
    return task(name, tuple(Member(partner, MANY) for partner in partners), cooperative=True, level=level)


def digging(name: str, population: tuple[Member, ...] = ()) -> Task:
    """Return a task of Go Dig, in which the others are random players: against these the strong differ most from each other."""
    return replace(task(name, population), against="random")


def asking(name: str, population: tuple[Member, ...] = (), questions: int = 20) -> Task:
    """Return a task of Twenty Questions, in which the computed optimum of the cards taken counts as 100."""
    options: dict[str, Any] = {} if questions == 20 else {"questions": questions}
    return replace(task(name, population, **options), metric="score", optimum=OPTIMUM[questions])


def remembering(name: str, recall: str) -> Task:
    """Return a task of Fossil Memory in which a player has to remember; the reference is the scripted player that does."""
    members = players("fossil_memory/remembering", *(["fossil_memory/memory"] if recall == "recent" else []))
    return replace(task(name, members, recall=recall), opponent="fossil_memory/remembering")


FULL_2 = (
    creek("cretaceous_creek-2", "intermediate", "heuristic", "cretaceous_creek/ppo"),
    creek("cretaceous_creek-2-beginner", "beginner", "heuristic"),
    creek("cretaceous_creek-4", "intermediate", "heuristic"),
    task("fossil_canyon-2", players("fossil_canyon/ppo", styles=("greedy", "blocking"), searching="search")),
    task("fossil_canyon-4", players("fossil_canyon/ppo", styles=("greedy", "blocking"))),
    task("the_big_dig-2", players("the_big_dig/ppo", styles=("greedy", "attacking"))),
    task("the_big_dig-2-wild", players("the_big_dig/ppo", styles=("greedy", "attacking")), deck="wild"),
    digging("go_dig-2", players("go_dig/ppo", styles=("greedy", "careful"), searching="search")),
    digging("go_dig-4", players(styles=("greedy", "careful"))),
    task("fossil_memory-2", players("fossil_memory/ppo", styles=("greedy", "careful"), searching="search")),
    remembering("fossil_memory-2-recent", "recent"),
    remembering("fossil_memory-2-none", "none"),
    task("fossil_memory-4", players(styles=("greedy", "careful"))),
    asking("twenty_questions-2", players("twenty_questions/ppo", styles=("bold", "careful"))),
    asking("twenty_questions-4", players(styles=("bold", "careful"))),
    task("oak_island-2", players("oak_island/ppo", styles=("greedy", "careful"), searching="search:guide=none")),
    task("oak_island-4", players(styles=("greedy", "careful"))),
    task("dino_dig-2", players("dino_dig/ppo", styles=("hasty", "blocking"), searching="search", settings="guide=none:trust=0.5")),
    task("dino_dig-4", players(styles=("hasty", "blocking"))),
    task("diggity-2", players("diggity/ppo", styles=("greedy", "blocking"))),
    task("diggity-4", players(styles=("greedy", "blocking"))),
    # For the splits only.
    task("cretaceous_creek-2-advanced", cooperative=True, level="advanced"),
    task("cretaceous_creek-2-expert", cooperative=True, level="expert"),
    task("cretaceous_creek-3", cooperative=True, level="intermediate"),
    task("fossil_canyon-3"),
    task("fossil_canyon-6"),
    task("the_big_dig-2-starter", deck="starter"),
    task("the_big_dig-2-second", deck="second"),
    task("the_big_dig-2-third", deck="third"),
    task("the_big_dig-2-fourth", deck="fourth"),
    digging("go_dig-3"),
    task("fossil_memory-2-genera-a", genera=["BRA", "TRI", "ALL", "ANK", "DEI", "STE", "PAC", "COE"]),
    task("fossil_memory-2-genera-b", genera=["ALL", "ANK", "QUE", "PAR", "PAC", "COE", "DIL", "MOS"]),
    asking("twenty_questions-2-10", questions=10),
    asking("twenty_questions-2-30", questions=30),
    task("oak_island-2-bag", bag_red=12, bag_brown=40),
    task("dino_dig-2-freelance", contract="freelance"),
    task("dino_dig-2-no-jokers", jokers=False),
    task("diggity-2-short", gold_cards=8, high_gold=False),
)

SPLITS_2 = (
    Split(
        "cretaceous_creek-level",
        "level",
        ("cretaceous_creek-2-beginner", "cretaceous_creek-2"),
        ("cretaceous_creek-2-advanced", "cretaceous_creek-2-expert"),
    ),
    Split("cretaceous_creek-players", "number of players", ("cretaceous_creek-2",), ("cretaceous_creek-3", "cretaceous_creek-4")),
    Split(
        "fossil_canyon-players", "number of players", ("fossil_canyon-2", "fossil_canyon-4"), ("fossil_canyon-3", "fossil_canyon-6")
    ),
    Split(
        "the_big_dig-deck",
        "deck",
        ("the_big_dig-2-starter", "the_big_dig-2-second", "the_big_dig-2-third"),
        ("the_big_dig-2-fourth", "the_big_dig-2-wild"),
    ),
    Split("go_dig-players", "number of players", ("go_dig-2", "go_dig-4"), ("go_dig-3",)),
    Split("fossil_memory-genera", "genera", ("fossil_memory-2-genera-a",), ("fossil_memory-2-genera-b",)),
    Split("twenty_questions-questions", "questions", ("twenty_questions-2",), ("twenty_questions-2-10", "twenty_questions-2-30")),
    Split("oak_island-bag", "cubes in the bag", ("oak_island-2",), ("oak_island-2-bag",)),
    Split("dino_dig-contract", "rules", ("dino_dig-2",), ("dino_dig-2-freelance", "dino_dig-2-no-jokers")),
    Split("diggity-gold", "length and gold", ("diggity-2",), ("diggity-2-short",)),
)
MEMORY = ("fossil_memory-2-recent", "fossil_memory-2-none")
SMALL_2 = tuple(
    replace(task, games=SMALL_GAMES, population=tuple(replace(member, games=SMALL_MEMBER_GAMES) for member in task.population))
    for task in FULL_2
    if not task.only_split and (task.name.endswith("-2") or task.name in MEMORY)
)
SUITES_2 = {
    "full": Suite("full", FULL_2, 2, SPLITS_2, MEMORY),
    "small": Suite("small", SMALL_2, 2, (), MEMORY),
}

VERSIONS = {1: SUITES_1, 2: SUITES_2}
SUITES = VERSIONS[VERSION]
