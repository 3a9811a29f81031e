"""Settings for all tests."""

import os
import re
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

os.environ.setdefault("DIG_ENVS_QUIET", "1")  # tests of the notice about compiling ask for it
# The networks of tests are tiny: more threads of PyTorch would only wait for each other. Programs
# that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Ids of tests in words that ``-k`` can select, also for dictionaries and lists."""
    if isinstance(val, dict | list | tuple | str):
        return "_".join(re.findall(r"[\w.]+", str(val)))[:60] or "nothing"
    if isinstance(val, int) and abs(val) > 2**64:
        return f"{val.bit_length()}_bits"
    return None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the processes of a whole run begin, compile each game once: else several would do it
    at the same time."""
    config = session.config
    processes = 0 if hasattr(config, "workerinput") else config.getoption("numprocesses", 0) or 0
    if (
        processes > 1
        and config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and not config.option.keyword
    ):
        from tests.compiling import compile_missing

        compile_missing(processes)


TESTS = Path(__file__).parent
# Not quick, besides other options than the defaults: long series of whole games, trainings,
# programs and processes of their own.
NOT_QUICK = re.compile(
    r"training/|export/|examples/|test_(wheel|statistics)|batch/cuda/|documentation/test_tutorials"
    r"|adapters/test_(sb3|stateful|warmup|copies|jax|following|doors|seat)"
    r"|adapters/test_(parallel|vector|gymnasium)"
    r"|agents/test_(search|program|measured|advice)|arena/test_tournament"
    r"|pictures/test_(rendering|about)"
    r"|benchmark/test_(secrecy|measure|answers|sealed)|commands/test_(main|assistant)"
    r"|engine/test_(bounds|jit|leaks|linking|mutations|reach|seats|versions|sources|telling)"
    r"|engine/test_(completing|internals|knowledge|conformance)|language/test_llm"
    r"|rules/\w+/test_(optimum|random_games|reference|observation|determinize)"
    r"|server/test_(browser|engine|external|crowded|mcp|secrets|table|listeners)"
    r"|server/test_(playing|turns|proxy)"
)


# What takes longest, and what shares something costly, comes first where several processes share
# the tests: one of them has it, and none waits at the end while another is busy with it.
FIRST = re.compile(
    r"documentation/test_(site|tutorials)|test_wheel|export/|examples/|server/test_browser"
    r"|adapters/test_warmup"
)


@cache
def place(path: Path) -> str:
    """The name of a file of tests in this folder."""
    return path.relative_to(TESTS).as_posix()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what takes long and what answers quickly, and put what is costly first."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not FIRST.match(place(item.path)))
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if SLOW.search(item.nodeid):
            item.add_marker("slow")
        elif not item.get_closest_marker("slow"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        left_out = [item for item in cases if is_left_out(item, parameters(item))]
        for item in left_out[len(left_out) == len(cases) :]:  # one case of each test stays
            item.add_marker("slow")
    for item in items:
        if is_quick(item, parameters(item)):
            item.add_marker("quick")


# What is recorded as text for each case of options is always looked at.
EVERY_CASE = re.compile(r"playthroughs/")
PARTS = 8  # one of eight tests goes over a case other than the default
# Series of whole games, compared step by step, and what is the same code for all games: one of
# three by default, but for the games that differ most.
SERIES = re.compile(r"rules/\w+/test_(random_games|reference|observation)")
DOORS = re.compile(
    r"(adapters|agents|arena|batch|benchmark|commands|language|server|training)/"
    r"|engine/test_sources"
)
ALWAYS = {"go_dig", "the_big_dig"}
# What takes seconds, where a smaller test of the same is there: another game, another door, another
# page.
SLOW = re.compile(
    r"documentation/test_site|test_tutorials.*run\[(07|20|35)|test_wheel.*(trains_and|both_forms)"
    r"|test_browser.*(by_clicks\[(?!go_dig|fossil_memory)|on_a_phone\[the_big|reloads)"
    r"|test_browser.*(public_table|again|two_people|things_go|flips.*reduce|names.*1440|are_slow)"
    r"|test_words.*whole_game_on_the_page"
    r"|test_every_game.*in_(c|javascript)\[(?!go_dig)|test_views.*_too"
    r"|test_engine.*measurement_runs|test_mcp.*(whole_game_over|legacy)"
    r"|test_card.*several_runs|test_answers.*cross_play"
    r"|test_measure.*own_game_only|test_following.*sentences_alone|believed\[203"
    r"|test_players.*(in_python\[fossil_memory|remember_as_in_python\[(medium|hard))"
    r"|test_csharp.*\[the_big"
    r"|test_playing.*without_gaps\[(?!go_dig|the_big)|test_seat.*as_in_the_game\[(?!go|the|bone)"
    r"|test_reach.*reached\[(the_big|cretaceous|diggity)"
    r"|fossil_memory/test_optimum.*(best_answer|positions_are|in_real|distance|known\[answering)"
    r"|test_tournament.*(killed_while|worker_that_dies)|test_unchecked_records"
    r"|test_jax.*equal_to_batch_env\[bone|test_files.*interrupted|test_budget.*leg_that"
    r"|test_linking.*(long_compilation|damaged_files|same_time|again\[rules|one_by_one\[one)"
    r"|test_table_app.*survive"
    r"|test_warmup.*every_caller|test_selfplay.*interrupted"
    r"|test_simulated.*(oak|fossil_mem)|diggity/test_reference.*any_symbols"
    r"|test_networks.*threads_change_nothing\[(?!gru)"
    r"|test_main.*play_to_the_end\[(dig|dino|the_big|oak)|test_secrecy.*leaving_a_child"
    r"|test_files.*disk_is_full.*\[2|test_assistant.*same_advice\[fossil|test_jax.*looking\[bone"
    r"|test_careless.*the_big_dig_v0-(easy|medium)|test_native.*other_machines\[(?!aarch64_mac)"
    r"|examples/test_page.*nothing_else|test_every_game.*texts_go_in_as_here_in_c"
    r"|test_suite.*as_recorded\[2-cret"
    r"|test_yardstick.*near_the_best|test_rendering.*films|test_leaks.*dino"
    r"|test_page.*policy_is_offered_only|test_every_game.*keeps_to_its_memory_in_c"
)


def is_left_out(item: pytest.Item, case: dict[str, Any]) -> bool:
    """Whether a test is left to the slow ones: former versions, most of the cases other than the
    defaults, two thirds of the series and of the games at doors that are the same for all."""
    path = place(item.path)
    if EVERY_CASE.match(path):
        return False
    is_one_of_many = (case and SERIES.match(path)) or (DOORS.match(path) and is_other_game(case))
    parts = PARTS if has_other_options(case) else 3 if is_one_of_many else 1
    return is_former_version(case) or crc32(item.name.encode()) % parts > 0


def parameters(item: pytest.Item) -> dict[str, Any]:
    """What a test is called with."""
    return item.callspec.params if hasattr(item, "callspec") else {}


def is_quick(item: pytest.Item, case: dict[str, Any]) -> bool:
    """Whether a test is for the answer within two minutes: of each game with the default options
    alone."""
    if any(item.get_closest_marker(name) for name in ("slow", "ecosystem")):
        return False
    if NOT_QUICK.match(place(item.path)):
        return False
    return not has_other_options(case)


def has_other_options(case: dict[str, Any]) -> bool:
    """Whether a test is of a game with other options than the default ones."""
    return {"name", "options"} <= case.keys() and case["options"] != default_case(case["name"])


def is_former_version(case: dict[str, Any]) -> bool:
    """Whether a test is of an environment that has a newer version."""
    return any(isinstance(value, str) and value in former_versions() for value in case.values())


def is_other_game(case: dict[str, Any]) -> bool:
    """Whether a test is of a game, and of none of those that are always looked at."""
    names = (one for one in case.values() if isinstance(one, str))
    games = {games_by_name()[one] for one in names if one in games_by_name()}
    return bool(games) and not games & ALWAYS


@cache
def games_by_name() -> dict[str, str]:
    """The game of each environment, and of its own name."""
    from dig_envs.registry import list_environments, split_name

    names = {name: split_name(name)[0] for name in list_environments()}
    return names | {game: game for game in names.values()}


@cache
def former_versions() -> set[str]:
    """The environments that have a newer version."""
    from dig_envs.registry import list_environments, newest_version, split_name

    return {
        name
        for name in list_environments()
        if split_name(name)[1] < newest_version(split_name(name)[0])
    }


@cache
def default_case(name: str) -> dict[str, Any]:
    """The case with the default number of players, and defaults for all other options."""
    from dig_envs.registry import load_game

    return {"num_players": load_game(name).options[0].default}
