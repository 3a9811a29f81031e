"""Every game as a game of OpenSpiel: importing this module registers them with ``pyspiel``, as
``dig_go_dig`` and so on.

* **Parameters** are the game's options, a list as text (``events=3_12_3``), and ``seed_bytes``.
* **Chance** comes first and is explicit: ``seed_bytes`` chance nodes of 256 outcomes each draw the
  seed of the deal, the most significant byte first. With 8, the default, a game is that of any
  other environment with this seed, and all of them can come; with 1 there are 256 deals, for
  algorithms that go through all. What comes later by chance, such as a die, is the work of the
  generator in the state: decided by the deal and as hidden as the cards. To OpenSpiel the game
  after the deal is deterministic.
* **Simultaneous decisions** are made one after the other in the order of the seats, as in the AEC
  environment, and no information state shows what others have chosen. The dynamics are sequential.
* **Information states** are views: as text the view in JSON, as a tensor the observation, piece by
  piece its fields. A view holds what the seat knows of the position (with the option ``recall`` of
  Fossil Memory, less), not the moves that led to it. So two histories may share one information
  state, and there is no perfect recall in the sense in which proofs ask for it.
* **Returns** come at the end, from -1 to 1: zero-sum in a competitive game that has a
  winner, identical in a cooperative one.
* ``state.resample_from_infostate(player, sampler)`` deals anew what the player cannot know, later
  chance included. The history of such a state is still that of the state it came from, first the
  true deal. A search without such samples, as MCTS, sees what is hidden and what is to come.
* OpenSpiel's **bots** are those in Python (``open_spiel.python.algorithms``). In C++ its search
  over information sets cannot call ``resample_from_infostate``, and its MCTS ends the process on
  any game written in Python (2.0.2; in 1.5 it plays).

States are copied as memory and serialized as snapshots.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.agents.own import check_agent, check_is_agent
from dig_envs.agents.protocol import Agent, traits
from dig_envs.engine.core.checks import check_action, check_integer
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.options import parse_option
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.engine.snapshots.positions import save_position
from dig_envs.registry import list_environments, load_game

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.openspiel needs OpenSpiel: "
        f"{how_to_install('openspiel')} (or open_spiel)",
        name="pyspiel",
    ) from error

MOST_SEED_BYTES = 8
BYTES = 256  # outcomes of each chance node: a byte of the seed


class Position:
    """The state of a game that has been dealt. Its copies are copies of memory; pickled it is a
    snapshot as JSON."""

    def __init__(self, game: Game, states: Array) -> None:
        self.game = game
        self.states = states  # record array of length 1

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        return Position(self.game, self.states.copy())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.game.env_name, json.dumps(save_position(self.game, self.states)))

    def mask(self, seat: int) -> Array:
        """The legal actions of a seat, int8 (num_actions,)."""
        return self.game.mask_of(self.states, seat)


def _restored(name: str, snapshot: str) -> Position:
    game = load_game(name)
    return Position(game, game.from_snapshot(json.loads(snapshot)))


class DigGame(pyspiel.Game):
    """A game with its parameters; made by ``pyspiel.load_game``.

    Attributes: ``game`` (:class:`~dig_envs.engine.game.Game`), ``options`` (all of them, with
    values), ``seed_bytes``.
    """

    game: Game  # set in a subclass for each game
    game_type: Any

    def __init__(self, parameters: dict[str, Any]) -> None:
        given, game = dict(parameters), self.game
        self.seed_bytes = check_integer(given.pop("seed_bytes"), "seed_bytes", 1, MOST_SEED_BYTES)
        self.options = game.complete_options(
            {name: _value(game, name, value) for name, value in given.items()}
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.actions),
            max_chance_outcomes=BYTES,
            num_players=self.options["num_players"],
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if game.zero_sum else None,
            max_game_length=game.max_actions,
        )
        super().__init__(self.game_type, info, _parameters(self.seed_bytes, self.options))

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (str(self),)

    def new_initial_state(self) -> "DigState":
        """The state in which nothing has been dealt."""
        return DigState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Chance comes first only."""
        return self.seed_bytes

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "DigObserver":
        """An observer of all public information and the player's own; raises ValueError for other
        kinds."""
        own = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or (
            iig_obs_type and not (iig_obs_type.public_info and iig_obs_type.private_info == own)
        ):
            raise ValueError(
                "observers show what is public and the player's own information, and take no "
                "parameters"
            )
        return DigObserver(self.game)

    def deal(self, seed: int) -> Position:
        """The game that any environment deals from a seed."""
        return Position(self.game, self.game.deal(self.options, seed))


class DigState(pyspiel.State):
    """A state of a game; ``position`` is None until the last byte of the seed is drawn."""

    def __init__(self, game: DigGame) -> None:
        super().__init__(game)
        self.seed = b""  # as far as it is drawn
        self.position: Position | None = None

    def dealt(self) -> Position:
        """The position; raises ValueError before the deal."""
        if self.position is None:
            raise ValueError(
                "the game has not been dealt: apply the outcomes of the chance nodes first"
            )
        return self.position

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's numbers for chance and the end."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = int(self.position.states["to_move"][0])
        return seat if seat >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position is not None and bool(self.position.states["over"][0])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The next byte of the seed."""
        return [(byte, 1 / BYTES) for byte in range(BYTES)]

    def returns(self) -> list[float]:
        """The returns of the finished game, zeros before."""
        returns = [0.0] * self.num_players()
        if self.is_terminal():
            returns = self.dealt().game.returns_of(self.dealt().states)[0, : len(returns)].tolist()
        return returns

    def resample_from_infostate(self, player: int, sampler: Any) -> "DigState":
        """A state in which all that the player cannot know is dealt anew; ``sampler()`` gives
        numbers from 0 to 1."""
        state: DigState = self.clone()
        position = state.dealt()
        position.game.kernels.determinize_one(
            position.states, player, np.uint64(int(sampler() * 2**53))
        )
        return state

    def snapshot(self) -> Snapshot:
        """The complete position (``game.from_snapshot`` and the environments' ``restore`` take it);
        ValueError before the deal."""
        return save_position(self.dealt().game, self.dealt().states)

    def view(self, player: int) -> Snapshot:
        """The view of a player, in the form of a snapshot; raises ValueError before the deal."""
        game = self.dealt().game
        return game.to_view(game.to_snapshot(self.dealt().states[0]), player)

    def __str__(self) -> str:
        if self.position is None:
            return f"seed: {self.seed.hex()}"
        return self.position.game.draw(self.position.game.to_snapshot(self.position.states[0]))

    # ------------------------------------------------------------ called by OpenSpiel

    def _legal_actions(self, player: int) -> list[int]:
        actions: list[int] = np.flatnonzero(self.dealt().mask(player)).tolist()
        return actions

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game().game
        return f"byte {action}" if player == pyspiel.PlayerId.CHANCE else game.actions[action]

    def _apply_action(self, action: int) -> None:
        if self.position is None:
            self.seed += bytes([action])
            if len(self.seed) == self.get_game().seed_bytes:
                self.position = self.get_game().deal(int.from_bytes(self.seed))
            return
        seat = self.current_player()
        check_action(action, self.position.mask(seat), self.position.game.actions, f"player {seat}")
        self.position.game.kernels.apply_one(self.position.states, seat, action)


class DigObserver:
    """The observation of a state by a player: ``tensor`` float32 (observation_size,), ``dict`` its
    fields by name, and text.

    Before the deal the tensor is zero.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._records, self._flat = game.new_observations(1)
        self.tensor = self._flat[0]
        self.dict = game.named(self.tensor)

    def set_from(self, state: DigState, player: int) -> None:
        """Write the observation of a player."""
        if state.position is None:
            self.tensor[:] = 0
        else:
            self.game.kernels.observations_of(
                state.position.states, 0, 1, np.array([player]), self._records, self._flat
            )

    def string_from(self, state: DigState, player: int) -> str:
        """The view of a player as JSON, after its number."""
        return f"{player} {json.dumps(state.view(player) if state.position else None)}"


class AgentBot(pyspiel.Bot):
    """A player of this package as a bot of OpenSpiel, for games registered here.

    Args:
        agent: from :func:`dig_envs.load_agent`, for the same game.

    Raises:
        ValueError: if it remembers, since a bot is asked about states, not about games from their
            beginning.
    """

    def __init__(self, agent: Agent) -> None:
        pyspiel.Bot.__init__(self)
        check_is_agent(agent)
        if traits(agent).memory_size:
            raise ValueError(
                f"{agent.name} has a memory, and bots are asked about single states: choose an "
                "agent without one"
            )
        self.agent = agent

    def restart_at(self, state: DigState) -> None:
        """Nothing is kept from one state to the next."""

    def step(self, state: DigState) -> int:
        """The action for the player to move."""
        position, seat = state.dealt(), state.current_player()
        records, flat = position.game.new_observations(1)
        seats = np.array([seat])
        position.game.kernels.observations_of(position.states, 0, 1, seats, records, flat)
        agent = check_agent(self.agent, position.game)
        return int(agent.act_batch(flat, position.mask(seat)[None], position.states, seats)[0])


def _parameters(seed_bytes: int, options: Mapping[str, Any]) -> dict[str, int | bool | str]:
    """Parameters of OpenSpiel, which knows no lists and takes all that consists of digits and
    hyphens for a number."""
    texts = {
        name: "_".join(map(str, value))
        for name, value in options.items()
        if isinstance(value, list | tuple)
    }
    return {"seed_bytes": seed_bytes, **options, **texts}


def _value(game: Game, name: str, parameter: Any) -> Any:
    """The value of an option from a parameter; raises OptionError."""
    if not isinstance(parameter, str):
        return parameter
    is_list = any(option.name == name and parameter not in option.values for option in game.options)
    return parse_option(
        game.options, f"{name}={parameter.replace('_', '-') if is_list else parameter}"
    )[1][0]


def _load(text: str) -> Any:
    """A game again from its text, in a process where this module may not be imported yet."""
    return pyspiel.load_game(text)


def short_name(game: Game) -> str:
    """The name of a game in OpenSpiel: ``dig_go_dig``, from version 1 on ``dig_go_dig_v1``."""
    return f"dig_{game.env_name if game.version else game.name}"


def register(name: str) -> str:
    """Make a game known to ``pyspiel`` and return its name there (:func:`short_name`).

    Args:
        name: of an environment or a game; that of a package of your own, too, after
            :func:`dig_envs.add_game`.
    """
    game, kinds = load_game(name), pyspiel.GameType
    competes = kinds.Utility.ZERO_SUM if game.zero_sum else kinds.Utility.GENERAL_SUM
    game_type = kinds(
        short_name=short_name(game),
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.IDENTICAL if game.cooperative else competes,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=game.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(
            MOST_SEED_BYTES, {option.name: option.default for option in game.options}
        ),
    )
    # A class, as OpenSpiel's own games have: OpenSpiel lets go of it after Python has ended, which
    # a function would not survive.
    pyspiel.register_game(
        game_type, type("DigGame", (DigGame,), {"game": game, "game_type": game_type})
    )
    return str(game_type.short_name)


for _name in list_environments():
    register(_name)
