"""Small games as explicit trees, for OpenSpiel's algorithms that go through all of a game: CFR,
best responses, exploitability. The tree is a game of OpenSpiel in C++ (``efg_game``), thousands of
times faster than one in Python."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from dig_envs.agents.own import check_agent
from dig_envs.agents.protocol import Agent, traits
from dig_envs.engine.core.checks import check_array, check_integer
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.registry import load_game

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.openspiel_tree needs OpenSpiel: "
        f"{how_to_install('openspiel')} (or open_spiel)",
        name="pyspiel",
    ) from error

ROUNDING = 1e-4  # of the sum of probabilities


class GameTree:
    """All that can happen from some positions on, each of which is equally likely; one that comes
    twice is twice as likely.

    What is hidden in a position, and what comes by chance later, is known to nobody. An information
    state is what a seat has observed at its decisions and what it chose there, in order: a game
    with perfect recall, also where the observation itself forgets.

    Args:
        name: of an environment.
        positions: snapshots with the same options and player to move, as
            :meth:`~dig_envs.engine.game.Game.to_snapshot` gives them.
        most_nodes: of the tree.

    Attributes: ``game``: the tree as a game of OpenSpiel; ``efg``: as text, which Gambit reads,
    too. For each of its ``n`` information states: ``observations`` float32 (n, observation_size),
    ``masks`` int8 (n, num_actions) of legal actions, ``seats`` int64 (n,).

    Raises:
        SnapshotError: if a position is none of the game. ValueError: if there is none, they differ
            in options or player to move, nobody decides anything, or the tree has more nodes.
    """

    def __init__(
        self, name: str, positions: Sequence[Snapshot], most_nodes: int = 1_000_000
    ) -> None:
        self._rules: Game = load_game(name)
        roots = [self._rules.from_snapshot(position) for position in positions]
        if not roots:
            raise ValueError("positions must be one snapshot at least")
        first = positions[0]
        for key in ("options", "to_move"):
            if any(position[key] != first[key] for position in positions):
                raise ValueError(f"all positions must have the same {key}")
        self._players = int(first["options"]["num_players"])
        self._most_nodes = check_integer(most_nodes, "most_nodes", 1)
        # information states by seat, the one before it, the action there and what is seen
        self._numbers: dict[tuple[int, int, int, bytes], int] = {}
        self._per_seat = [0] * self._players
        self._states: list[Array] = []  # one of those that belong to each information state
        seen: list[Array] = []
        masks: list[Array] = []
        self.efg = "\n".join(self._lines(roots, seen, masks))
        if not seen:
            raise ValueError("the game is over in all positions: nobody decides anything")
        self.observations, self.masks = np.stack(seen), np.stack(masks)
        self.seats = np.array([seat for seat, *_ in self._numbers], np.int64)
        self.game = pyspiel.load_efg_game(self.efg)
        self._actions = self._actions_of_openspiel()

    def _lines(self, roots: list[Array], seen: list[Array], masks: list[Array]) -> list[str]:
        """The tree in Gambit's format; each node comes before all that follows from it."""
        rules = self._rules
        players = " ".join(f'"player {seat}"' for seat in range(self._players))
        times = Counter(root.tobytes() for root in roots)
        chance = " ".join(
            f'"{number}" {count / len(roots)!r}' for number, count in enumerate(times.values())
        )
        distinct = {root.tobytes(): root for root in roots}.values()
        lines = [f'EFG 2 R "{rules.title}" {{ {players} }}', f'c "" 1 "" {{ {chance} }} 0']
        own_number: list[int] = []  # per information state, among those of its seat
        nothing_yet = ((-1, -1),) * self._players  # per seat: its last information state and action
        to_do = [(root, nothing_yet) for root in reversed(distinct)]
        ends = 0
        while to_do:
            states, last = to_do.pop()
            if len(lines) > self._most_nodes:
                raise ValueError(
                    f"the tree has more than {self._most_nodes:,} nodes: take fewer positions, "
                    "nearer to the end of a game, or a smaller turn limit"
                )
            if states["over"][0]:
                ends += 1
                returns = rules.returns_of(states)[0, : self._players]
                lines.append(f't "" {ends} "" {{ {" ".join(map(repr, returns.tolist()))} }}')
                continue
            seat = int(states["to_move"][0])
            flat, mask = rules.look(states, seat)
            key = (seat, *last[seat], mask.tobytes() + flat.tobytes())
            if key not in self._numbers:
                self._numbers[key] = len(self._numbers)
                self._per_seat[seat] += 1
                own_number.append(self._per_seat[seat])
                self._states.append(states)
                seen.append(flat)
                masks.append(mask)
            number, legal = self._numbers[key], np.flatnonzero(mask).tolist()
            words = " ".join(f'"{rules.actions[action]}"' for action in legal)
            lines.append(f'p "" {seat + 1} {own_number[number]} "{number}" {{ {words} }} 0')
            for action in reversed(legal):
                child = states.view((np.void, states.itemsize)).copy().view(states.dtype)
                rules.kernels.apply_one(child, seat, action)
                to_do.append((child, (*last[:seat], (number, action), *last[seat + 1 :])))
        return [*lines, ""]

    def _actions_of_openspiel(self) -> dict[str, tuple[int, list[tuple[int, int]]]]:
        """For OpenSpiel's text of each information state its number and, as OpenSpiel and as the
        game number them, its actions."""
        place = {text: action for action, text in enumerate(self._rules.actions)}
        found: dict[str, tuple[int, list[tuple[int, int]]]] = {}
        to_do = [self.game.new_initial_state()]
        while to_do:
            state = to_do.pop()
            if not state.is_terminal():
                legal = state.legal_actions()
                if not state.is_chance_node():
                    text = state.information_state_string()
                    if text not in found:
                        number = int(text.rsplit("-", 1)[1])
                        found[text] = (
                            number,
                            [(theirs, place[state.action_to_string(theirs)]) for theirs in legal],
                        )
                to_do += [state.child(action) for action in legal]
        return found

    def policy(self, player: Agent | Array) -> Any:
        """A player of all seats as OpenSpiel's ``TabularPolicy`` of ``game``.

        Args:
            player: an agent without a memory, which takes with certainty what it chooses now; or
                the probabilities of all actions in each information state, (n, num_actions).

        Raises:
            ValueError: for an agent with a memory, and for probabilities that are none or those of
                illegal actions. IllegalActionError, PolicyMismatchError: from the agent.
        """
        if isinstance(player, np.ndarray):
            chances = self._check_chances(player)
        else:
            agent = check_agent(player, self._rules)
            if traits(agent).memory_size:
                raise ValueError(
                    f"{agent.name} has a memory, and information states are asked about one by "
                    "one: choose an agent without one"
                )
            states = np.concatenate(self._states)
            chosen = agent.act_batch(self.observations, self.masks, states, self.seats)
            chances = np.eye(self.masks.shape[1])[chosen]
        return pyspiel.TabularPolicy(
            {
                text: [(theirs, float(chances[number, ours])) for theirs, ours in actions]
                for text, (number, actions) in self._actions.items()
            }
        )

    def play(self, probabilities: Array, games: int, seed: int) -> tuple[Array, ...]:
        """Play games in which all seats have one policy, as data for a learner.

        Args:
            probabilities: of all actions in each information state, (n, num_actions). games: how
                many. seed: of the draws.

        Returns:
            For each of m decisions: its information state int64 (m,), the action int64 (m,), the
            reward float32 (m,), which is what the seat won at its last decision of a game and 0
            before, and whether it was the last one, bool (m,). Those of a seat in a game follow one
            another.
        """
        chances, draws = self._check_chances(probabilities), Random(seed)
        rows: list[tuple[int, int, float, bool]] = []
        for _ in range(check_integer(games, "games", 1)):
            state = self.game.new_initial_state()
            own: list[list[tuple[int, int]]] = [[] for _ in range(self._players)]
            while not state.is_terminal():
                if state.is_chance_node():
                    choices = state.chance_outcomes()
                    weights = [chance for _, chance in choices]
                else:
                    number, choices = self._actions[state.information_state_string()]
                    weights = [chances[number, ours] for _, ours in choices]
                theirs, ours = draws.choices(choices, weights)[0]
                if not state.is_chance_node():
                    own[state.current_player()].append((number, ours))
                state.apply_action(theirs)
            for decisions, won in zip(own, state.returns(), strict=True):
                last = len(decisions) - 1
                rows += [(*one, won * (k == last), k == last) for k, one in enumerate(decisions)]
        columns = zip(*rows, strict=True)
        kinds = (np.int64, np.int64, np.float32, np.bool_)
        return tuple(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))

    def _check_chances(self, chances: Array) -> Array:
        given = check_array(chances, "probabilities", "fiu", "numbers", self.masks.shape)
        legal: Array = np.where(self.masks == 1, given, 0.0)
        if not ((given >= 0).all() and np.allclose(legal.sum(1), 1.0, rtol=0, atol=ROUNDING)):
            raise ValueError(
                "the probabilities of the legal actions in each information state must be 0 or "
                "more, with the sum 1"
            )
        legal /= legal.sum(1, keepdims=True)
        return legal
