"""Variants: content that follows from a number, and sets of them (`engine/core/variants.py`)."""

from functools import partial

import numpy as np
import pytest

from dig_envs import load_agent
from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.matches import play_games
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.errors import OptionError, SnapshotError
from dig_envs.engine.core.variants import MOST_VARIANT, TEST, TRAIN
from dig_envs.games.cretaceous_creek import components as creek
from dig_envs.games.diggity import components as diggity
from dig_envs.games.oak_island import components as oak
from dig_envs.registry import list_environments, load_game
from tests.games import needs_compiling, play, random_choice

WITH_VARIANTS = [
    name
    for name in list_environments()
    if any(option.name == "variant" for option in load_game(name).options)
]
every_game = pytest.mark.parametrize("name", WITH_VARIANTS)


def content(name, states):
    """What a variant makes, a row for each game."""
    fields = {
        "oak_island": ["bag_red", "bag_blue", "bag_green", "bag_brown"],
        "the_big_dig": ["cards", "drawn"],
    }.get(load_game(name).name, ["copies"])
    rows = np.concatenate([states[field].reshape(len(states), -1) for field in fields], axis=1)
    return np.sort(rows, axis=1) if fields[0] == "cards" else rows


def dealt(name, number, seed=0, **options):
    return BatchEnv(name, number, seed, observation=None, **options).states.copy()


def dealt_one(name, **options):
    return load_game(name).deal(options, 0)


@every_game
def test_a_number_is_always_the_same_content(name):
    for variant in (1, 17, MOST_VARIANT):
        rows = content(name, dealt(name, 20, variant=variant))
        assert (rows == rows[0]).all()
    states = dealt(name, 2000, seed=5, **TRAIN)
    of_number = {}
    for number, row in zip(states["variant"].tolist(), content(name, states).tolist(), strict=True):
        assert of_number.setdefault(number, row) == row
    assert 1 <= min(of_number) <= max(of_number) <= 1000
    assert len(of_number) > 800  # 865 of 1000 are expected in 2000 draws
    assert len({tuple(row) for row in of_number.values()}) > 0.95 * len(of_number)


def test_no_variant_is_in_both_sets():
    numbers = [range(some["variant"], some["variant"] + some["variants"]) for some in (TRAIN, TEST)]
    assert not set(numbers[0]) & set(numbers[1])


@every_game
def test_after_the_last_variant_comes_the_first(name):
    drawn = dealt(name, 50, variant=MOST_VARIANT, variants=3)["variant"]
    assert {*drawn.tolist()} == {MOST_VARIANT, 1, 2}


@every_game
def test_a_game_that_was_drawn_is_that_of_its_number(name):
    game = load_game(name)
    for seed in range(5):
        drawn = game.deal(TRAIN, seed)
        options = game.options_of(drawn)
        assert options["variants"] == 1
        assert game.deal(options, seed).tobytes() == drawn.tobytes()
        assert game.from_snapshot(game.to_snapshot(drawn[0])).tobytes() != b""


@every_game
def test_games_of_a_batch_draw_anew(name):
    batch = BatchEnv(name, 64, seed=1, num_threads=1, **TRAIN)
    before, ended = batch.states["variant"].copy(), np.zeros(64, bool)
    while not ended.any():
        batch.step(batch.sample_actions())
        ended |= batch.terminated.astype(bool)
    after = batch.states["variant"]
    assert (after[~ended] == before[~ended]).all()
    assert ((after >= 1) & (after <= 1000)).all()


@every_game
def test_positions_go_into_environments_with_their_variant(name):
    env = RawAEC(name, **TRAIN)
    env.reset(seed=4)
    saved = env.snapshot()
    env.reset(seed=5)
    env.restore(saved)
    assert env.snapshot() == saved
    for options in ({}, TEST, {"variant": saved["options"]["variant"] + 1}):
        with pytest.raises(SnapshotError, match="variant"):
            RawAEC(name, **options).restore(saved)
    last = RawAEC(name, variant=MOST_VARIANT)
    last.reset(seed=4)
    with pytest.raises(SnapshotError, match="variant"):
        RawAEC(name, variant=0, variants=10).restore(last.snapshot())
    RawAEC(name, variant=MOST_VARIANT - 1, variants=3).restore(last.snapshot())
    alone = RawAEC(name, variant=saved["options"]["variant"])
    alone.restore(saved)
    assert alone.snapshot() == saved


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("oak_island_v0", "bag_red", 5), ("the_big_dig_v0", "deck", "starter")],
)
def test_what_a_variant_decides_cannot_be_chosen_as_well(name, option, value):
    usual = load_game(name).complete_options({})[option]
    for make in (RawAEC, dealt_one, partial(dealt, number=1)):
        for variants in ({"variant": 3}, {"variants": 10}):
            with pytest.raises(OptionError, match=f"'{option}': .* together with 'variant'"):
                make(name, **variants, **{option: value})
        make(name, variant=3, **{option: usual})
        make(name, **{option: value})


@every_game
def test_every_variant_can_be_played_saved_and_completed(name):
    for seed in range(3):
        env = RawAEC(name, variant=1, variants=MOST_VARIANT)
        env.reset(seed=seed)
        game, rng = env.game, np.random.default_rng(seed)
        for count, _ in enumerate(play(env, rng, random_choice, 10_000)):
            if count % 90 == 0:
                saved = env.snapshot()
                again = game.from_snapshot(saved)
                assert game.to_snapshot(again[0]) == {k: saved[k] for k in saved if k != "seed"}
                for seat in range(env.num_seats):
                    view = game.to_view(saved, seat)
                    filled = game.complete(view, seat, seed=count)
                    assert game.to_view(game.to_snapshot(filled[0]), seat) == view
        assert game.from_snapshot(env.snapshot())["over"][0]


@every_game
def test_a_redeal_does_not_follow_from_the_number(name):
    """A seat's view shows the number: a re-deal deals what is hidden by the rules all the same."""
    game, same = load_game(name), 0
    states = dealt(name, 30, variant=3)
    for i in range(len(states)):
        state, other = states[i : i + 1].copy(), states[i : i + 1].copy()
        other["variant"] = 4
        for one in (state, other):
            game.kernels.determinize_one(one, 0, np.uint64(i))
        other["variant"] = 3
        assert state.tobytes() == other.tobytes()
        same += (content(name, state) == content(name, states[i : i + 1])).all()
    # both players know a bag, the fossils and the mine cards, and nobody a deck of The Big Dig
    assert same == (0 if name == "the_big_dig_v0" else len(states))


# ---------------------------------------------------------------- what is drawn, for thousands


def test_bags_are_between_half_and_one_and_a_half_times_the_box():
    rows = content("oak_island_v1", dealt("oak_island_v1", 5000, variant=1, variants=MOST_VARIANT))
    usual = np.array([oak.BAG_DEFAULTS[colour] for colour in ("red", "blue", "green", "brown")])
    assert (rows.min(axis=0) == usual - usual // 2).all()
    assert (rows.max(axis=0) == usual + usual // 2).all()


def test_fossils_have_every_part_and_as_many_cards():
    states = dealt("cretaceous_creek_v0", 5000, variant=1, variants=MOST_VARIANT)
    copies = states["copies"]
    assert (copies.sum(axis=1) == creek.NUM_FOSSILS).all()
    assert (copies >= 1).all()
    assert (copies <= creek.MOST_COPIES).all()
    there = np.stack([(states["grid"] == t).sum(axis=(1, 2)) for t in range(creek.NUM_TYPES)], 1)
    assert (there == copies).all()


def test_mines_have_as_many_cards_with_each_number_of_passages():
    copies = dealt("diggity_v0", 5000, variant=1, variants=MOST_VARIANT)["copies"]
    assert (copies <= diggity.MOST_COPIES).all()
    sides = np.array([bin(bits).count("1") for bits in diggity.PASSAGES])
    for symbol in range(diggity.NUM_SYMBOLS):
        for number in range(1, 5):
            those = (sides == number) & (symbol == diggity.SYMBOL)
            assert (copies[:, those].sum(axis=1) == diggity.COPIES[those].sum()).all()


def test_decks_are_wild_ones():
    game = load_game("the_big_dig_v0")
    for state in dealt("the_big_dig_v0", 300, variant=1, variants=MOST_VARIANT):
        game.from_snapshot(game.to_snapshot(state))  # refuses a deck that BD-8 does not allow


@pytest.mark.parametrize(
    ("name", "key", "names"),
    [("cretaceous_creek_v0", "fossils", creek.TYPES), ("diggity_v0", "cards", diggity.CODES)],
)
def test_content_that_does_not_add_up_is_refused(name, key, names):
    game = load_game(name)
    snapshot = game.to_snapshot(game.deal({"variant": 3}, 1)[0])
    there = snapshot[key]
    for wrong, words in (
        (there[:-1], "entries"),
        ([*there[:-1], "X"], "is not one of"),
        (sorted([*there[1:], there[-2]], key=names.index), f"{key}|grid|pile"),
        (there[::-1], "in order"),
    ):
        with pytest.raises(SnapshotError, match=words):
            game.from_snapshot({**snapshot, key: wrong})


@pytest.mark.slow
@needs_compiling
@every_game
def test_scripted_players_find_variants_as_long_and_as_even_as_the_box(name):
    player, seats = load_agent("heuristic", name), 2
    box, others = (
        play_games(name, [player] * seats, 600, 10**6, options) for options in ({}, TEST)
    )
    assert others.lengths.mean() == pytest.approx(box.lengths.mean(), rel=0.15)
    assert others.truncated.mean() < box.truncated.mean() + 0.01
    if load_game(name).cooperative:
        assert others.scores.mean() > 0.8 * box.scores.mean()
    else:
        assert others.won.mean(axis=0)[:seats] == pytest.approx([0.5, 0.5], abs=0.1)
