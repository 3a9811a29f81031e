"""The strongest player of a game, by what was measured: ``<game>/best``, and the same with search, ``<game>/best+search``.

What was measured are the reports of arenas beside the policies (``policies/<game>/ratings*.json``). For a number of players without
a report the evaluations on the policies' cards say whether one of them beats the scripted player. Where none does, the scripted
player is the best.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents import zoo
from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import PLUS_SEARCH
from dig_envs.agents.onnx import read_card, weights_hashes
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.engine.core.errors import ArenaError, OptionError
from dig_envs.engine.game import Array, Game

REPORTS = "ratings*.json"
KIND, FORMAT = "dig_envs arena", 1  # of a report
SCRIPTED = "heuristic"

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """A report of an arena, as far as it matters here. (The arena's code reads all of it; players must not depend on that.)

    Attributes:
        environment, options: that were played, with all options.
        games: how many of each pair.
        agents: by name, as the report describes them.
        ranking: their names, best first.
    """

    environment: str
    options: Options
    games: int
    agents: Mapping[str, Mapping[str, Any]]
    ranking: tuple[str, ...]


def read_reports(game: Game) -> list[Measured]:
    """Return the reports that lie beside the policies of a game; raises ArenaError, naming the file, if one is damaged."""
    found: dict[str, Path] = {}
    for folder in zoo.ZOOS:
        for path in sorted((folder / game.name).glob(REPORTS)):
            found.setdefault(path.name, path)
    return [report for report in map(_read_report, found.values()) if report.environment == game.env_name]


def _read_report(path: Path) -> Measured:
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        if plain["kind"] != KIND or plain["format"] != FORMAT:
            raise ValueError(f"this is no report of an arena of format {FORMAT}")
        settings = plain["settings"]
        return Measured(
            environment=str(settings["environment"]),
            options=dict(settings["options"]),
            games=int(plain["deals"]) * int(plain["games_per_deal"]),
            agents={str(agent["agent"]): dict(agent) for agent in settings["agents"]},
            ranking=tuple(str(entry["agent"]) for entry in plain["standings"]),
        )
    except (KeyError, TypeError) as error:
        raise ArenaError(f"{path}: the report is damaged: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{path}: {error}") from None


def strongest(game: Game, options: Options, policies_only: bool = False) -> str:
    """Return the name of the strongest player: a policy of the zoo, a player that the game has of its own, or ``heuristic``.

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
    policies = zoo.zoo_policies()
    if name in policies:
        return measured.get("weights_sha256") in weights_hashes(read_card(policies[name]))
    return not policies_only and name in (SCRIPTED, *(f"{game.name}/{player}" for player in game.players))


def _by_cards(game: Game, options: Options) -> str | None:
    """Return the policy that does best against scripted players by the cards' evaluations, if it does better than its share."""
    found: dict[str, float] = {}
    for name, folder in zoo.zoo_policies().items():
        if game.cooperative or name.partition("/")[0] != game.name:
            continue
        for row in read_card(folder).get("evaluation", []):
            alone = row["agent"] == name and sorted(row["line_up"]) == sorted([name] + [SCRIPTED] * (len(row["line_up"]) - 1))
            if alone and _same_options(game, row["options"], options):
                found[name] = row["win_rate"]["mean"]
    best = max(found, key=lambda name: found[name], default=None)
    return best if best is not None and found[best] > 1 / options["num_players"] else None


def _same_options(game: Game, given: Options, complete: Options) -> bool:
    try:
        return game.complete_options(given) == complete
    except OptionError:
        return False


class BestAgent(OneGame):
    """Plays as the strongest player for a game's options does (:func:`strongest`), whatever the options of each game are.

    Args:
        game: that it plays.
        load: makes a player of its name, an environment's name and a seed, as ``load_agent`` does.
        seed: of a search.
        search: settings of a search (:class:`~dig_envs.agents.search.SearchSettings`, as text) that the strongest player guides, if
            it is a policy without a memory; the search is alone where it is none. None: no search.
    """

    def __init__(
        self, game: Game, load: Callable[[str, str, int | None], Agent], seed: int | None = None, search: str | None = None
    ) -> None:
        self.game = game
        self.name = f"{game.name}/best" if search is None else ":".join(filter(None, [f"{game.name}/best{PLUS_SEARCH}", search]))
        self._load, self._seed, self._search = load, seed, search
        self._agents: dict[str, Agent] = {}  # by name
        self._chosen: dict[str, Agent] = {}  # by options
        if search is not None:
            self._agent(SCRIPTED)  # bad settings are to be told now
        reports = [] if search is not None else read_reports(game)
        self.memory_size = max((memory_size(self.for_options(report.options)) for report in reports), default=0)

    def for_options(self, options: Options) -> Agent:
        """Return the player of games with these options; the same object for the same player."""
        key = repr(options)
        if key not in self._chosen:
            agent = self._agent(strongest(self.game, self.game.complete_options(options)))
            self._chosen[key] = for_options(agent, options)  # a search has other guides for other numbers of players
        return self._chosen[key]

    def _agent(self, name: str) -> Agent:
        """Return the strongest player of this name, or the search that goes with it."""
        if name not in self._agents:
            spec = name
            if self._search is not None:
                guides = name in zoo.zoo_policies() and not memory_size(self._load(name, self.game.env_name, None))
                spec = ":".join(filter(None, [f"{name}{PLUS_SEARCH}" if guides else "search", self._search]))
            self._agents[name] = self._load(spec, self.game.env_name, self._seed)
        return self._agents[name]

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        memory: Array | None = None,
    ) -> Array:
        """Return one action for each decision; needs ``states`` and ``seats``."""
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
    """Return the numbers of the positions, those with the same options together."""
    if not len(records):
        return []
    columns = [np.asarray(records[option.name]).reshape(len(records), -1) for option in game.options]
    values = np.concatenate(columns, axis=1)
    if (values == values[:1]).all():
        return [np.arange(len(records))]
    _, group = np.unique(values, axis=0, return_inverse=True)
    return [np.flatnonzero(group.ravel() == number) for number in range(group.max() + 1)]
