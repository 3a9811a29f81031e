"""Each option is where people and programs look for it: in the guide and in the observation (its
rules' table: test_numbers.py)."""

from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.core.options import Option
from dig_envs.language.guides import guide_page
from dig_envs.registry import load_game
from tests.games import every_game, is_allowed, is_older, play, some_values, with_others

MOST_ACTIONS = 40


@every_game
def test_the_guide_names_each_option(name):
    page = guide_page(load_game(name))
    lacking = [
        o.name
        for o in load_game(name).options
        if o.name != "num_players" and f"`{o.name}`" not in page
    ]
    assert not lacking, (
        f"GUIDE.md of {name} must say what these options do, each in backquotes: "
        f"{', '.join(lacking)}"
    )


def case_with(name: str, option: Option, value: Any) -> dict[str, Any]:
    """Options with a value of one of them, and of another where it is allowed together with that
    alone."""
    return next(case for case in with_others(name, {option.name: value}) if is_allowed(name, case))


def is_shown(name: str, option: Option, value: Any) -> bool:
    """Whether some observation differs with the value: of the deal, or of a position where the
    option alone is another one."""
    options = case_with(name, option, value)
    env = RawAEC(name, **options)
    usual = {key: given for key, given in options.items() if key != option.name}
    other = RawAEC(name, **usual) if is_allowed(name, usual) else RawAEC(name)
    for one in (env, other):
        one.reset(seed=1)
    if different(env, other):
        return True
    rng = np.random.default_rng(1)
    twin = RawAEC(name, **options)
    for _ in play(env, rng, most=MOST_ACTIONS):
        twin.restore(env.snapshot())
        twin.states[option.name] = option.encode(option.default)
        if different(env, twin):
            return True
    return False


def different(one: RawAEC, other: RawAEC) -> bool:
    seen = [env.observe("player_0")["observation"] for env in (one, other)]
    return bool((seen[0] != seen[1]).any())


@every_game
def test_the_observation_shows_each_option_or_its_declaration_says_that_it_does_not(name):
    """An option without ``since=`` is one of older versions, too, which need not show it."""
    game = load_game(name)
    for option in game.options:
        values = [value for value in some_values(option.values) if value != option.default]
        shown = any(is_shown(name, option, value) for value in values)
        if values and option.name != "num_players":
            assert shown or is_older(game) or not option.shown, (
                f"no observation of {name} shows the option {option.name!r}: give it a field in "
                "observation.py, with since= the next version of the environment and VERSION "
                "raised to it, or declare it with shown=False in state.py"
            )
            assert not (shown and not option.shown), (
                f"{name}: {option.name!r} is shown, and declared with shown=False"
            )


def test_what_is_not_shown_is_noticed(monkeypatch):
    """The test above can fail: an option that changes nothing that a seat sees is found."""
    game = load_game("fossil_canyon_v0")
    option = next(option for option in game.options if option.name == "stalemate_rounds")
    assert is_shown("fossil_canyon_v0", option, option.values[0])
    monkeypatch.setattr("tests.rules.test_options.different", lambda one, other: False)
    assert not is_shown("fossil_canyon_v0", option, option.values[0])
