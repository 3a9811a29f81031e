"""The strongest player of a game, by what was measured: ``<game>/best``, and the same with search,
``<game>/best+search``.

What was measured are the reports of arenas beside the policies (:mod:`dig_envs.agents.measured`).
For a number of players without a report the evaluations on the policies' cards say whether one of
them beats the scripted player. Where none does, the best is the player that the game has for
people, in most games the scripted player.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.agents.measured import read_reports
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import PLUS_SEARCH
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.agents.zoo import (
    first_that_plays,
    is_measured,
    is_shipped,
    policy_cards,
    tell,
    tell_instead,
    zoo_policies,
)
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.game import Array, Game

SCRIPTED, BEST, SHA = "heuristic", "best", "weights_sha256"

Options = Mapping[str, Any]
Cards = Mapping[str, dict[str, Any]]  # of policies by name


@dataclass(frozen=True)
class Ranking:
    """What was measured of the players of a game, as far as it says who is the strongest.

    Attributes:
        reports: of arenas: all options, how many games there were, and names, best first.
        evaluations: against scripted players, from the policies' cards: all options, the name, and
            the share of games won.
    """

    reports: tuple[tuple[Options, int, tuple[str, ...]], ...]
    evaluations: tuple[tuple[Options, str, float], ...]

    def names(self, options: Options) -> list[str]:
        """The players of games with these options, the strongest first. Among the reports for this
        number of players, those with the fewest other options that differ count. Among these, the
        one with the most games counts.
        """
        seats = options["num_players"]
        reports = [report for report in self.reports if report[0]["num_players"] == seats]
        reports = sorted(reports, key=lambda report: (_distance(report[0], options), -report[1]))
        shares = {name: share for case, name, share in self.evaluations if case == options}
        above = [name for name in shares if shares[name] > 1 / seats]
        return [
            *(name for report in reports for name in report[2]),
            *sorted(above, key=lambda name: -shares[name]),
        ]


def ranking(game: Game, cards: Cards, policies_only: bool = False) -> Ranking:
    """The measurements of a game's players; a policy counts only with the weights that were
    measured.

    Args:
        game: that is played. cards: of its policies.
        policies_only: leaves out the players without weights.
    """
    players = (
        () if policies_only else (SCRIPTED, *(f"{game.name}/{player}" for player in game.players))
    )
    return Ranking(
        tuple(
            (
                report.options,
                report.games,
                tuple(
                    name
                    for name in report.ranking
                    if name in players
                    or (
                        name in cards
                        and is_measured(cards[name], report.agents.get(name, {}).get(SHA))
                    )
                ),
            )
            for report in read_reports(game)
        ),
        tuple(_evaluations(game, cards)),
    )


def strongest(game: Game, options: Options, policies_only: bool = False) -> str:
    """The name of the strongest player: a policy of the zoo, a player of this game, or
    ``heuristic``.

    It is the first of :meth:`Ranking.names` that fits the environment; of one that is passed over a
    line on stderr says so.

    Args:
        game: that is played.
        options: all of them, as :meth:`Game.complete_options` gives them.
        policies_only: the strongest policy, also where it is weaker than others; ``heuristic``
            still, if there is none.
    """
    cards = policy_cards(game)
    measured = ranking(game, cards, policies_only)
    otherwise = SCRIPTED if policies_only else game.player_for_people
    if not measured.reports and not cards and is_shipped(game):
        tell_instead(
            "best",
            game,
            "a player that was measured",
            f"policies/{game.name} has no ratings and no policies of it",
            otherwise,
        )
    return first_that_plays("best", measured.names(options), cards, game, otherwise)


def adviser(game: Game, options: Options, players: Iterable[str]) -> str:
    """The name of who advises at a table: in a cooperative game the policy of another player, for
    the best action depends on who plays on, but no search, which takes its time; else the player
    for people.

    ``players``: at the other seats.
    """
    for name in players if game.cooperative else ():
        policy = name.partition(PLUS_SEARCH)[0]
        if policy.partition(":")[0] == BEST:
            return strongest(game, options)
        if policy.startswith(f"{game.name}/"):
            return policy
    return game.player_for_people


def _distance(measured: Options, asked: Options) -> int:
    """In how many options two games differ."""
    return sum(measured[key] != value for key, value in asked.items())


def _evaluations(game: Game, cards: Cards) -> Iterator[tuple[Options, str, float]]:
    """Yield what the cards say of games of one policy against scripted players."""
    for name, card in {} if game.cooperative else cards.items():
        try:
            for row in card.get("evaluation", []):
                alone = row["agent"] == name and sorted(row["line_up"]) == sorted(
                    [name] + [SCRIPTED] * (len(row["line_up"]) - 1)
                )
                with suppress(OptionError):
                    if alone:
                        options = game.complete_options(row["options"])
                        yield options, name, float(row.get("won", row.get("win_rate"))["mean"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            tell(
                f"the evaluation on the card of policy {name} is damaged ({error!r}); it is left "
                "out"
            )


class BestAgent(OneGame):
    """Plays as the strongest player for a game's options does (:func:`strongest`), whatever the
    options of each game are.

    Args:
        game: that it plays.
        load: makes a player of its name, an environment's name and a seed, as ``load_agent`` does.
        seed: of a search.
        search: settings of a search (:class:`~dig_envs.agents.search.SearchSettings`, as text) that
            the strongest player guides, if it is a policy without a memory; otherwise the
            search has no guide. None: no search.
    """

    def __init__(
        self,
        game: Game,
        load: Callable[[str, str, int | None], Agent],
        seed: int | None = None,
        search: str | None = None,
    ) -> None:
        self.game: Game = game
        self.name = (
            f"{game.name}/best"
            if search is None
            else ":".join(filter(None, [f"{game.name}/best{PLUS_SEARCH}", search]))
        )
        self._load, self._seed, self._search = load, seed, search
        self._agents: dict[str, Agent] = {}  # by name
        self._chosen: dict[str, Agent] = {}  # by options
        if search is not None:
            self._agent(SCRIPTED)  # bad settings are to be told now
        reports = [] if search is not None else read_reports(game)
        self.memory_size = max(
            (memory_size(self.for_options(report.options)) for report in reports), default=0
        )

    def for_options(self, options: Options) -> Agent:
        """The player of games with these options; the same object for the same player."""
        key = repr(options)
        if key not in self._chosen:
            agent = self._agent(strongest(self.game, self.game.complete_options(options)))
            # a search has other guides for other numbers of players
            self._chosen[key] = for_options(agent, options)
        return self._chosen[key]

    def _agent(self, name: str) -> Agent:
        """The strongest player of this name, or the search that it guides."""
        if name not in self._agents:
            spec = name
            if self._search is not None:
                guides = name in zoo_policies() and not memory_size(
                    self._load(name, self.game.env_name, None)
                )
                spec = ":".join(
                    filter(None, [f"{name}{PLUS_SEARCH}" if guides else "search", self._search])
                )
            self._agents[name] = self._load(spec, self.game.env_name, self._seed)
        return self._agents[name]

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision; needs ``states`` and ``seats``."""
        records, seats, memory = decisions.states, decisions.seats, decisions.memory
        actions = np.zeros(len(records), np.int64)
        for rows in same_options(self.game, records):
            agent = self.for_options(self.game.options_of(records, int(rows[0])))
            some = (
                decisions.observation[rows],
                decisions.action_mask[rows],
                records[rows],
                seats[rows],
            )
            size = memory_size(agent)
            if not size:
                actions[rows] = agent.act_batch(*some)
                continue
            kept = np.ascontiguousarray(memory[rows, :size])
            actions[rows] = agent.act_batch(*some, kept)  # type: ignore[call-arg]
            memory[rows, :size] = kept
        return actions


def same_options(game: Game, records: Array) -> list[Array]:
    """Indices of the positions in groups; all positions of a group have the same options."""
    if not len(records):
        return []
    columns = [
        np.asarray(records[option.name]).reshape(len(records), -1) for option in game.options
    ]
    values = np.concatenate(columns, axis=1)
    if (values == values[:1]).all():
        return [np.arange(len(records))]
    _, group = np.unique(values, axis=0, return_inverse=True)
    return [np.flatnonzero(group.ravel() == number) for number in range(group.max() + 1)]
