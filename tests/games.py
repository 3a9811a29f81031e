"""The games, player counts and options that the tests of every game run over, from the games
themselves."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.registration import add_game
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.game import Game
from dig_envs.registry import environments_of, list_environments, load_game, newest_version


def is_older(game: Game) -> bool:
    """Whether there is a newer version of the environment, which the pages describe."""
    return game.version < newest_version(game.name)


SHIPPED = list_environments()
# of each game the environment that its pages describe
NEWEST = [name for name in SHIPPED if not is_older(load_game(name))]
add_game("tests.model.bone_bids")  # the model game is tested as all others are

FEW_VALUES = 6  # of an option with more values, the first and the last are tested


def some_values(values: Any) -> list[Any]:
    """All values of an option, or two of them where there are many."""
    return list(values) if len(values) <= FEW_VALUES else [values[0], values[-1]]


def is_allowed(name: str, options: dict[str, Any]) -> bool:
    """Some values of options go only together."""
    game = load_game(name)
    try:
        game.complete_options(options)
    except ValueError:
        return False
    return True


def option_cases(name: str) -> list[dict[str, Any]]:
    """Every player count with the defaults, then every value of every other option with the default
    player count.

    A value that is not allowed alone comes with the first value of another option that allows it.
    """
    cases: list[dict[str, Any]] = []
    for option in load_game(name).options:
        for value in some_values(option.values):
            if option.name == "num_players" or value != option.default:
                cases.append(
                    next(
                        case
                        for case in with_others(name, {option.name: value})
                        if is_allowed(name, case)
                    )
                )
    return cases


def with_others(name: str, case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A case, then the case with each value of each other option."""
    yield case
    for option in load_game(name).options:
        for value in option.values:
            yield {option.name: value, **case}


def case_id(name: str, options: dict[str, Any]) -> str:
    """A case as a word, for test ids that ``-k`` can select and for file names:
    ``fossil_canyon_v0-events_3_12_3``."""
    words = [f"{key}_{value}" for key, value in options.items()]
    return "-".join([name, *("_".join(re.findall(r"\w+", word)) for word in words)])


def all_cases() -> list[Any]:
    """Cases for ``pytest.mark.parametrize(("name", "options"), …)``."""
    return [
        pytest.param(name, options, id=case_id(name, options))
        for name in list_environments()
        for options in option_cases(name)
    ]


def player_cases() -> list[Any]:
    """Every game with every player count."""
    return [case for case in all_cases() if set(case.values[1]) == {"num_players"}]


needs_compiling = pytest.mark.skipif(
    JIT_DISABLED, reason="as plain Python this is too slow, or nothing to be seen"
)
every_case = pytest.mark.parametrize(("name", "options"), all_cases())
every_player_count = pytest.mark.parametrize(("name", "options"), player_cases())
every_game = pytest.mark.parametrize("name", list_environments())


def slow_but(*names: str) -> Any:
    """Every game, by default only these."""
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, marks=[] if name in names else [pytest.mark.slow])
            for name in list_environments()
        ],
    )


Chooser = Callable[[RawAEC, np.random.Generator], int]


def random_choice(env: RawAEC, rng: np.random.Generator) -> int:
    """A random legal action of the mover."""
    return int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


def mostly_heuristic(env: RawAEC, rng: np.random.Generator) -> int:
    """The scripted player with some random moves, which gets further into a game than random play
    (but is slow uncompiled)."""
    if JIT_DISABLED or rng.random() < 0.1:
        return random_choice(env, rng)
    seat = np.array([env.seat_of(env.agent_selection)])
    actions = np.zeros(1, np.int64)
    env.game.kernels.heuristic_actions(env.states, 0, 1, seat, actions)
    return int(actions[0])


def is_over(env: RawAEC) -> bool:
    """Whether the episode has ended."""
    return bool(env.states["over"][0])


def play(
    env: RawAEC, rng: np.random.Generator, choose: Chooser = random_choice, most: int | None = None
) -> Iterator[int]:
    """Play on, yielding each action before it is played, until the game is over or after ``most``
    actions."""
    count = 0
    while not is_over(env) and (most is None or count < most):
        action = choose(env, rng)
        yield action
        env.step(action)
        count += 1


def play_out(
    env: RawAEC, rng: np.random.Generator, choose: Chooser = random_choice, most: int | None = None
) -> list[int]:
    """Play on and return the actions."""
    return list(play(env, rng, choose, most))


def expected_infos(snapshot: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what the infos of all agents say of a finished game."""
    scores, winners, limit = snapshot["scores"], snapshot["winners"], snapshot["truncated"]
    together = load_game(environments_of(snapshot["game"])[-1]).cooperative
    share = 1.0 if together else 1 / max(len(winners), 1)
    return {
        f"player_{p}": {"won": share * (p in winners), "scores": scores, "turn_limit": limit}
        for p in range(len(scores))
    }


def last_seat_asked(name: str, options: dict[str, Any]) -> int:
    """The last seat that has something to decide: with a limit of one turn it need not be the last
    of all."""
    env = RawAEC(name, **options)
    env.reset(seed=0)
    return max(env.seat_of(env.agent_selection) for _ in play(env, np.random.default_rng(0)))


def play_to_an_illegal_action(env: RawAEC) -> int:
    """Play on at random until there is an illegal action, which is returned: in some games
    everything is legal at first."""
    rng = np.random.default_rng(0)
    while (mask := env.observe(env.agent_selection)["action_mask"]).all():
        env.step(random_choice(env, rng))
    return int(np.flatnonzero(mask == 0)[0])


def positions(
    name: str, options: dict[str, Any], games: int, every: int, seed: int = 0
) -> Iterator[RawAEC]:
    """Positions in the middle of games, alternately of random and of mostly scripted play."""
    env = RawAEC(name, **options)
    for k in range(games):
        rng = np.random.default_rng(seed + k)
        env.reset(seed=seed + k)
        for count, _ in enumerate(play(env, rng, random_choice if k % 2 else mostly_heuristic)):
            if count % every == 0:
                yield env


def some_positions(name: str, options: dict[str, Any], number: int) -> Iterator[RawAEC]:
    """About so many positions, evenly over a game of random and one of mostly scripted play."""
    total = sum(1 for _ in positions(name, options, games=2, every=1))
    return positions(name, options, games=2, every=-(-total // number))
