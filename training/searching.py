"""Games that are played by search, and what a network learns from them: the data of expert iteration.

Every decision of a seat that searches becomes a row: what the *seat* observed, what the search would do there, and what the seat
was paid from then on. Search and observation are functions of what the seat may know, so that positions that it cannot tell apart
have the same observation and, for the same seed of the search, the same target. Only the result knows what was hidden, and it is a
sample: its mean over the deals is what the seat may expect. Results are each seat's own, among any number of players.
The network that guides a search is asked about positions in which a seat waits for others, too. So one of the others' views is
a row as well, with its result and nothing to imitate.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Self
from zipfile import BadZipFile

import numpy as np
import torch
from torch.nn import functional

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import Memories
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.protocol import Agent
from dig_envs.agents.search import SearchAgent, SearchSettings, parse_settings
from dig_envs.engine.game import Array, Game

from .learner import Learner
from .ppo import as_numbers
from .settings import Settings

SEEDS = 2**63  # of searches
LEARNER = "the learner"  # as the name of a guide
DRAWN = "sims=1:root=gumbel:noise=1:playout=none"  # no search: actions drawn from the policy


@dataclass
class Rows:
    """The data that is learned from, n rows."""

    observations: Array  # float16 (n, observation_size)
    masks: Array  # uint8 (n, …), bits
    policies: Array  # float16 (n, num_actions), what the search would do; zero in rows that have only a value
    values: Array  # float32 (n,), what the seat was paid from there on, mixed with what the search expected
    results: Array  # float32 (n,), what it was paid alone

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return all rows, one after the other."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def last(self, count: int) -> "Rows":
        """Return the last rows."""
        return Rows(*(column[-count:] for column in vars(self).values()))

    def save(self, file: Path) -> None:
        """Write them to a file of their own."""
        with file.open("wb") as out:
            np.savez_compressed(out, **vars(self))

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read what :meth:`save` wrote; raises ValueError if it is damaged, FileNotFoundError if it is missing."""
        try:
            with np.load(file, allow_pickle=False) as arrays:
                return cls(*(arrays[field.name] for field in fields(cls)))
        except (KeyError, BadZipFile, EOFError) as error:
            raise ValueError(f"{file} is damaged: {error}") from None


@dataclass(frozen=True)
class SearchedGame:
    """A game that has ended: its rows, how many of them are decisions, the score of a seat that searched and whether it won."""

    rows: Rows
    decisions: int
    score: float
    won: bool


@dataclass
class Moment:
    """One row while its game goes on; ``expected``: what is to come by the search, None where there was none."""

    observation: Array
    mask: Array
    policy: Array
    seat: int
    score: float
    expected: float | None


def guided(search: str, game: Game) -> SearchSettings:
    """Return the settings of a search that the network guides; raises ValueError if they name another guide, or are wrong."""
    if "guide=" in f"{search}:".replace("playout=guide", "").replace("value=guide", ""):
        raise ValueError(f"the search {search!r} names a guide; the network that learns is to guide it")
    return parse_settings(f"{search}:guide={LEARNER}", game)


def play_searched(
    game: Game, settings: Settings, guide: Path, search: str, threads: int, count: int, seed: int
) -> list[SearchedGame]:
    """Play games by search, several side by side in threads; what is played depends on the seeds alone.

    Args:
        game: that is played.
        settings: of the run.
        guide: folder of the policy that guides the search.
        search: how it searches, as text.
        threads: games side by side.
        count: how many games.
        seed: of the first deal; the others follow.
    """
    templates = [game.template(game.complete_options(options)) for options in settings.games]
    agents: SimpleQueue[SearchAgent] = SimpleQueue()
    for _ in range(threads):
        agents.put(SearchAgent(game, guided(search, game), OnnxAgent(guide, env=game.env_name)))

    def play(k: int) -> SearchedGame:
        agent = agents.get()
        try:
            return OneSearchedGame(game, settings, agent, templates[k % len(templates)], seed + k).play()
        finally:
            agents.put(agent)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(play, range(count)))


class OneSearchedGame:
    """One game of a search, from the deal to its end; the template has its options, the seed is of all that is drawn."""

    def __init__(self, game: Game, settings: Settings, agent: SearchAgent, template: Array, seed: int) -> None:
        self.game, self.settings, self.agent = game, settings, agent
        self.rng = np.random.default_rng(seed)
        self.states = template.copy()
        self.mask = np.zeros((1, len(game.actions)), np.int8)
        self.records, self.flat = game.new_observations(1)
        self.mover = int(game.kernels.deal_one(self.states, np.uint64(seed), template, self.mask, self.records, self.flat))
        self.seats = int(self.states["num_players"][0])
        self.others = self._draw_others()
        self._memories = Memories(list(self.others.values()), 1, self.seats)
        self.moments: list[Moment] = []

    def _draw_others(self) -> Mapping[int, Agent]:
        """Return the players of the seats that do not search, by seat; in a cooperative game and in most others there are none."""
        settings = self.settings
        if self.game.cooperative or self.rng.random() < settings.expert_self_play:
            return {}
        names = settings.fixed_opponents
        agents = [load_agent(name, self.game.env_name, int(self.rng.integers(SEEDS))) for name in names]
        which = WeightedOpponents(agents, list(names.values()), settings.mixed_seats).draw(self.seats, self.rng)
        mine = int(self.rng.integers(self.seats))
        return {seat: agents[which[seat]] for seat in range(self.seats) if seat != mine}

    def play(self) -> SearchedGame:
        """Play to the end and return what there is to learn."""
        while self.mover >= 0:
            if self.mover in self.others:
                decision = (self.flat, self.mask, self.states, np.array([self.mover], np.int64))
                number = list(self.others).index(self.mover)
                action = int(self._memories.act(number, np.zeros(1, np.int64), *decision)[0])
            else:
                action = self._search()
            look = (self.mask, self.records, self.flat)
            self.mover = int(self.game.kernels.advance(self.states, self.mover, action, *look)[0])
        return self._result()

    def _search(self) -> int:
        """Search a decision and note it, and beside it the view of another seat that searches; return the action."""
        if self.mask.sum() == 1:
            return int(self.mask.argmax())
        seat = self.mover
        found = self.agent.search(self.states, seat, int(self.rng.integers(SEEDS)))
        score = self._score(seat)
        expected = found.expected - self.settings.score_weight * score if self.agent.settings.valued else None
        self.moments.append(Moment(self.flat[0].copy(), self.mask[0].copy(), found.policy, seat, score, expected))
        waiting = [p for p in range(self.seats) if p != seat and p not in self.others]
        if waiting:
            self._note_view(int(self.rng.choice(waiting)))
        return found.action

    def _note_view(self, seat: int) -> None:
        mask, (records, flat) = np.zeros_like(self.mask), self.game.new_observations(1)
        self.game.kernels.look_one(self.states, seat, mask, records, flat)
        self.moments.append(Moment(flat[0], mask[0], np.zeros(len(self.game.actions)), seat, self._score(seat), None))

    def _score(self, seat: int) -> float:
        return float(self.states["scores"][0, seat])

    def _result(self) -> SearchedGame:
        settings, share, moments = self.settings, self.settings.expert_result_share, self.moments
        returns = self.game.returns_of(self.states)[0]
        results = [
            settings.win_weight * returns[one.seat] + settings.score_weight * (self._score(one.seat) - one.score) for one in moments
        ]
        mixed = [
            result if one.expected is None else share * result + (1.0 - share) * one.expected
            for one, result in zip(moments, results, strict=True)
        ]
        actions = len(self.game.actions)
        rows = Rows(
            np.array([one.observation for one in moments], np.float16).reshape(-1, self.game.observation_size),
            np.packbits(np.array([one.mask for one in moments], np.bool_).reshape(-1, actions), axis=1),
            np.array([one.policy for one in moments], np.float16).reshape(-1, actions),
            np.array(mixed, np.float32),
            np.array(results, np.float32),
        )
        seat = next(seat for seat in range(self.seats) if seat not in self.others)
        decisions = sum(one.policy.any() for one in moments)
        return SearchedGame(rows, int(decisions), self._score(seat), bool(self.states["winners"][0, seat]))


# ---------------------------------------------------------------- learning


def explained(learner: Learner, rows: Rows) -> float:
    """Return the share of the results' variance that the network's values explain; 1: all, 0: no more than their mean."""
    with torch.no_grad():
        parts = [_judged(learner, rows, some)[1] for some in torch.split(torch.arange(len(rows)), learner.settings.batch_size)]
    results = torch.from_numpy(rows.results)
    spread = results.var()
    return float(1 - (results - torch.cat(parts).cpu()).var() / spread) if spread > 0 else 0.0


def learn_from(learner: Learner, rows: Rows, updates: int) -> dict[str, float]:
    """Learn from minibatches of rows drawn at random: cross-entropy to what the search would do, squared error to the values.

    Returns the metrics.
    """
    size = learner.settings.batch_size
    drawn = torch.randint(len(rows), (updates * size,), generator=learner.generator, device=learner.device).cpu()
    searched = torch.from_numpy(rows.policies.any(axis=1)).float()
    measured: list[dict[str, float]] = []
    for some in torch.split(drawn, size) if updates else ():
        measured.append(learner.measure(some, partial(loss_of_rows, learner, rows, float(searched[some].mean()))))
        learner.improve()
    return {name: round(float(np.mean([metrics[name] for metrics in measured])), 5) for name in (measured[0] if measured else ())}


def loss_of_rows(learner: Learner, rows: Rows, share: float, some: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
    """Return the loss of a minibatch, or of a slice of it, and its metrics; ``share`` of the minibatch was searched."""
    logits, values, policies, wanted = _judged(learner, rows, some)
    searched = policies.sum(dim=1) > 0
    logs, wished = functional.log_softmax(logits[searched], dim=1), policies[searched]
    decisions = share * len(some) or 1.0  # by the minibatch's share, so that its slices add up to it
    policy_loss = -(wished * logs).sum() / decisions
    value_loss = functional.mse_loss(values, wanted)
    entropy = -(logs.exp() * logs).sum() / decisions
    agreement = (logs.argmax(dim=1) == wished.argmax(dim=1)).sum() / decisions
    metrics = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy, "agreement": agreement}
    loss = policy_loss + learner.settings.value_weight * value_loss
    return loss, as_numbers(metrics)


def _judged(learner: Learner, rows: Rows, some: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return logits, values, and what both should be, for some of the rows."""
    piece = some.numpy()
    masks = np.unpackbits(rows.masks[piece], axis=1, count=rows.policies.shape[1])
    columns = [rows.observations[piece].astype(np.float32), masks, rows.policies[piece].astype(np.float32), rows.values[piece]]
    seen, legal, policies, values = (torch.from_numpy(column).to(learner.device) for column in columns)
    logits, judged = learner.network(seen, legal)
    return logits, judged, policies, values
