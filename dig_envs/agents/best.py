"""The strongest player of a game, by what was measured: ``<game>/best``, and the same with search, ``<game>/best+search``.

What was measured are the reports of arenas beside the policies (``policies/<game>/ratings*.json``). For a number of players without
a report the evaluations on the policies' cards say whether one of them beats the scripted player. Where none does, the scripted
player is the best.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.agents.loading import PLUS_SEARCH, ZOOS, load_agent, players_of, zoo_policies
from dig_envs.agents.memory import memory_size
from dig_envs.agents.onnx import read_card
from dig_envs.agents.protocol import Agent
from dig_envs.engine.errors import ArenaError, OptionError
from dig_envs.engine.game import Array, Game

REPORTS = "ratings*.json"
KIND, FORMAT = "dig_envs arena", 1  # of a report
SCRIPTED = "heuristic"

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """What counts of a report of an arena: the environment, all options, how many games there were of each pair, the agents as they
    were described, by name, and their names, best first. (The arena reads whole reports; who plays must not depend on its code.)
    """

    environment: str
    options: Options
    games: int
    agents: Mapping[str, Mapping[str, Any]]
    ranking: tuple[str, ...]

    @classmethod
    def of(cls, plain: Any) -> "Measured":
        """From JSON; raises ValueError if it is no such report."""
        try:
            if plain["kind"] != KIND or plain["format"] != FORMAT:
                raise ValueError(f"this is no report of an arena of format {FORMAT}")
            settings = plain["settings"]
            agents = {str(agent["agent"]): dict(agent) for agent in settings["agents"]}
            ranking = tuple(str(entry["agent"]) for entry in plain["standings"])
            games = int(plain["deals"]) * int(plain["games_per_deal"])
            return cls(str(settings["environment"]), dict(settings["options"]), games, agents, ranking)
        except (KeyError, TypeError) as error:
            raise ValueError(f"the report is damaged: {error}") from None


def read_reports(game: Game) -> list[Measured]:
    """The arenas that were kept beside the policies of a game; raises ArenaError, naming the file, if one is damaged."""
    found: dict[str, Measured] = {}
    for zoo in ZOOS:
        for path in sorted((zoo / game.name).glob(REPORTS)):
            if path.name not in found:
                found[path.name] = _read(path)
    return [report for report in found.values() if report.environment == game.env_name]


def _read(path: Path) -> Measured:
    try:
        return Measured.of(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{path}: {error}") from None


def strongest(game: Game, options: Options, policies_only: bool = False) -> str:
    """The name of the strongest player for all options of a game: a policy of the zoo, a player that the game has of its own, or
    ``heuristic``.

    Of the reports for so many players those count whose other options differ least, and among these the one with the most games. A
    policy whose weights are not those that were measured does not count.

    Args:
        game: that is played.
        options: all of them, as :meth:`Game.complete_options` gives them.
        policies_only: the strongest policy, also where it is weaker than others; ``heuristic`` still, if there is none.
    """
    reports = [report for report in read_reports(game) if report.options.get("num_players") == options["num_players"]]
    reports.sort(key=lambda report: (_distance(report.options, options), -report.games))
    for report in reports:
        for name in report.ranking:
            if _is_candidate(game, report.agents.get(name, {}), policies_only):
                return name
    return _by_cards(game, options) or SCRIPTED


def _distance(measured: Options, asked: Options) -> int:
    """In how many options two games differ."""
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in asked.items()}
    return sum(measured.get(key) != value for key, value in plain.items())


def _is_candidate(game: Game, measured: Mapping[str, Any], policies_only: bool) -> bool:
    """Whether an agent of a report is there as it was measured, and no search."""
    name = measured.get("agent", "")
    own, _, kind = name.rpartition("/")
    if name in zoo_policies():
        return bool(read_card(zoo_policies()[name])["weights_sha256"] == measured.get("weights_sha256"))
    return not policies_only and (name == SCRIPTED or (own == game.name and kind in players_of(own)))


def _by_cards(game: Game, options: Options) -> str | None:
    """The policy that does best against scripted players by the evaluations on the cards, if one does better than its share."""
    seats = options["num_players"]
    found: dict[str, float] = {}
    for name, folder in zoo_policies().items():
        if game.cooperative or name.partition("/")[0] != game.name:
            continue
        for row in read_card(folder).get("evaluation", []):
            alone = row["agent"] == name and sorted(row["line_up"]) == sorted([name] + [SCRIPTED] * (len(row["line_up"]) - 1))
            if alone and _complete(game, row["options"]) == options:
                found[name] = row["win_rate"]["mean"]
    best = max(found, key=lambda name: found[name], default=None)
    return best if best is not None and found[best] > 1 / seats else None


def _complete(game: Game, options: Options) -> Options | None:
    try:
        return game.complete_options(options)
    except OptionError:
        return None


class BestAgent(OneGame):
    """Plays what the strongest player for a game's options would (:func:`strongest`); a game is looked at for its options.

    Args:
        game: that it plays.
        seed: of a search.
        search: settings of a search (:class:`~dig_envs.agents.search.SearchSettings`, as text) that the strongest player guides, if
            it is a policy without a memory; the search is alone where it is none. None: no search.
    """

    def __init__(self, game: Game, seed: int | None = None, search: str | None = None) -> None:
        self.game = game
        self.name = f"{game.name}/best" if search is None else ":".join(filter(None, [f"{game.name}/best+search", search]))
        self._seed, self._search = seed, search
        self._agents: dict[str, Agent] = {}
        self._chosen: dict[str, Agent] = {}
        if search is not None:
            self._load(SCRIPTED)  # bad settings are to be told now
        reports = [] if search is not None else read_reports(game)
        self.memory_size = max((memory_size(self.for_options(report.options)) for report in reports), default=0)

    def for_options(self, options: Options) -> Agent:
        """The player that plays games with these options; the same object for the same player."""
        key = repr(options)
        if key not in self._chosen:
            self._chosen[key] = self._load(strongest(self.game, self.game.complete_options(options)))
        return self._chosen[key]

    def _load(self, name: str) -> Agent:
        if name not in self._agents:
            self._agents[name] = load_agent(self._spec(name), self.game.env_name, self._seed)
        return self._agents[name]

    def _spec(self, name: str) -> str:
        if self._search is None:
            return name
        guided = name in zoo_policies() and not memory_size(load_agent(name, self.game.env_name))
        return ":".join(filter(None, [f"{name}{PLUS_SEARCH}" if guided else "search", self._search]))

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        memory: Array | None = None,
    ) -> Array:
        """One action for each decision; needs ``states`` and ``seats``."""
        records, deciders = check_positions(self.game, states, seats, self.name)
        actions = np.zeros(len(records), np.int64)
        for rows in same_options(self.game, records):
            agent = self.for_options(self.game.options_of(records, int(rows[0])))
            decisions = (observation[rows], action_mask[rows], records[rows], deciders[rows])
            size = memory_size(agent)
            if not size:
                actions[rows] = agent.act_batch(*decisions)
                continue
            if memory is None:
                raise ValueError(f"{self.name} remembers: pass memory, float32 {(len(records), self.memory_size)}")
            kept = np.ascontiguousarray(memory[rows, :size])
            actions[rows] = agent.act_batch(*decisions, kept)  # type: ignore[call-arg]
            memory[rows, :size] = kept
        return actions


def same_options(game: Game, records: Array) -> list[Array]:
    """The numbers of the positions, those with the same options together."""
    if not len(records):
        return []
    columns = [np.asarray(records[option.name]).reshape(len(records), -1) for option in game.options]
    values = np.concatenate(columns, axis=1)
    if (values == values[:1]).all():
        return [np.arange(len(records))]
    _, group = np.unique(values, axis=0, return_inverse=True)
    return [np.flatnonzero(group.ravel() == number) for number in range(group.max() + 1)]
