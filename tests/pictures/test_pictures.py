"""The pictures of all games: valid, complete, nothing hidden in them, and the same as before."""

import re
from dataclasses import replace
from itertools import combinations, cycle
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.core.words import LONGEST_NAME, Names, named
from dig_envs.pictures import picture, touched
from dig_envs.pictures.drawing import LAYOUTS, sheet_of
from dig_envs.pictures.fonts import width_of
from dig_envs.pictures.parts import HEADER
from dig_envs.pictures.pixels import pixels
from dig_envs.pictures.themes import THEMES
from dig_envs.registry import load_game
from tests.games import (
    every_case,
    every_game,
    every_player_count,
    mostly_heuristic,
    needs_compiling,
    play,
    random_choice,
)
from tests.pictures.record import cases, file_of, reference

pytestmark = needs_compiling

SVG = "{http://www.w3.org/2000/svg}"


def positions(
    name: str,
    options: dict[str, Any],
    chooser: Any = mostly_heuristic,
    most: int = 150,
    every: int = 12,
) -> Any:
    """An environment in positions of a game, one after the other: its start and end among them."""
    env = RawAEC(name, **options)
    env.reset(seed=5)
    yield env
    for count, _ in enumerate(play(env, np.random.default_rng(3), chooser, most), 1):
        if count % every == 0:
            yield env
    yield env


def things_in(svg: str) -> dict[str, str]:
    """Name and title of each thing of a picture."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if "data-thing" in group.attrib:
            title = group.find(f"{SVG}title")
            assert title is not None
            assert title.text
            assert group.attrib["data-thing"] not in found, "a name is used twice"
            found[group.attrib["data-thing"]] = title.text
    return found


def deciders(env: RawAEC) -> list[int]:
    return [seat for seat in range(env.num_seats) if env.states["owes"][0][seat]]


@every_player_count
def test_is_valid_svg_of_one_size_with_a_title_for_each_thing(name, options):
    sizes = set()
    for env in positions(name, options, every=30):
        for seat in (None, 0, env.num_seats - 1):
            game, snapshot = env.game, env.snapshot()
            view = game.to_public(snapshot) if seat is None else game.to_view(snapshot, seat)
            svg = picture(game, view, seat, fonts=False)
            root = ElementTree.fromstring(svg)
            sizes.add((root.attrib["width"], root.attrib["height"]))
            assert "title" in things_in(svg)
    assert len(sizes) == 1
    assert sizes.pop()[0] == "960"


def check_touched(env: RawAEC) -> None:
    """Each legal action belongs to things that are in the picture of the deciding seat, and few
    belong to the same: after a click a person chooses among a handful of actions at most, not among
    all."""
    for seat in deciders(env):
        view, found = env.game.to_view(env.snapshot(), seat), {}
        wide, narrow = (
            sheet_of(env.game, view, seat, layout=layout).things.keys() for layout in LAYOUTS
        )
        there = wide & narrow
        for action in env.game.legal_actions(env.states, seat):
            things = touched(env.game, view, seat, action)
            assert things
            missing = [thing for thing in things if thing not in there]
            assert not missing, (
                f"{env.game.actions[action]} belongs to {missing}, not in the picture"
            )
            found.setdefault(things, []).append(env.game.actions[action])
        assert max(map(len, found.values()), default=0) <= 40, max(found.values(), key=len)


def check_touched_in(name: str, options: dict[str, Any], chooser: Any, most: int) -> None:
    """Where an action of some kind is legal for the first time, and in a few other positions."""
    known: set[str] = set()
    for count, env in enumerate(positions(name, options, chooser, most, every=1)):
        kinds = {
            env.game.actions[action].split()[0]
            for seat in deciders(env)
            for action in env.game.legal_actions(env.states, seat)
        }
        if count % 60 == 0 or not kinds <= known:
            known |= kinds
            check_touched(env)


@every_case
def test_each_legal_action_belongs_to_things_in_the_picture(name, options):
    check_touched_in(name, options, mostly_heuristic, most=200)


@every_player_count
def test_so_it_does_in_random_play(name, options):
    check_touched_in(name, options, random_choice, most=300)


@every_case
def test_what_a_seat_cannot_know_is_not_in_its_picture(name, options):
    """Pictures of deals that a seat cannot tell apart are the same, to the byte; so is the public
    one. The layouts take turns."""
    for count, env in enumerate(positions(name, options, every=50)):
        game, snapshot = env.game, env.snapshot()
        public = [
            picture(game, game.to_public(snapshot), None, fonts=False, layout=layout)
            for layout in LAYOUTS
        ]
        for turn, seat in enumerate(sorted({0, count % env.num_seats, env.num_seats - 1}), count):
            states = env.states.copy()
            game.kernels.determinize_one(states, seat, np.uint64(count))
            other = game.to_snapshot(states[0])
            layout, seen = LAYOUTS[turn % len(LAYOUTS)], public[turn % len(LAYOUTS)]
            told = [
                picture(game, game.to_view(each, seat), seat, fonts=False, layout=layout)
                for each in (snapshot, other)
            ]
            assert told[0] == told[1]
            found = picture(game, game.to_public(other), None, fonts=False, layout=layout)
            assert found == seen, "who looks on sees what is hidden"


def leaves(view: Any, path: str = "") -> dict[str, Any]:
    """Path -> value of everything in a view that is no list and no object."""
    if isinstance(view, dict):
        return {
            key: value
            for name, part in view.items()
            for key, value in leaves(part, f"{path}.{name}").items()
        }
    if isinstance(view, list):
        return {
            key: value
            for place, part in enumerate(view)
            for key, value in leaves(part, f"{path}.{place}").items()
        }
    return {path: view}


@every_player_count
def test_the_public_view_shows_nothing_that_some_seat_does_not_see(name, options):
    """Each value in it is in the view of every seat, but for whose turn it is while all choose at
    once."""
    for env in positions(name, options, every=30):
        snapshot = env.snapshot()
        public = leaves(env.game.to_public(snapshot))
        for seat in range(env.num_seats):
            own = leaves(env.game.to_view(snapshot, seat))
            for path, value in public.items():
                if value is None or path == ".to_move":
                    continue
                if isinstance(value, int) and path not in own:
                    continue  # the length of a list that the seat sees itself
                assert own.get(path) == value, path


@every_game
def test_a_complete_position_can_be_shown(name):
    """A complete position can be drawn, with the same headline as its public view."""
    for env in positions(name, {}, every=40):
        snapshot = env.game.to_snapshot(env.states[0])
        titles = [
            things_in(picture(env.game, view, None, fonts=False))["title"]
            for view in (snapshot, env.game.to_public(snapshot))
        ]
        assert titles[0] == titles[1]


@every_game
def test_the_end_says_who_won(name):
    *_, env = positions(name, {}, most=5000, every=5000)
    assert env.states["over"][0]
    svg = picture(env.game, env.game.to_public(env.snapshot()), None, fonts=False)
    assert re.search(r"over|won|lost", things_in(svg)["title"])


@every_game
@pytest.mark.parametrize("theme", THEMES)
def test_themes_use_their_own_colours_only(name, theme):
    env = next(iter(positions(name, {})))
    svg = sheet_of(env.game, env.game.to_public(env.snapshot()), None, theme).svg(fonts=False)
    colours = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]+)"', svg))
    assert colours <= set(THEMES[theme].values())


@every_game
@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_lies_outside_the_sheet(name, layout):
    """Shapes and words stay on the sheet, with the most players, in long games, too."""
    most = load_game(name).max_players
    for env in positions(name, {"num_players": most}, every=40):
        sheet = sheet_of(env.game, env.game.to_view(env.snapshot(), 0), 0, layout=layout)
        drawn = ElementTree.fromstring(sheet.svg(fonts=False))
        for text in drawn.iter(f"{SVG}text"):
            x, size, family = (
                float(text.attrib["x"]),
                float(text.attrib["font-size"]),
                text.attrib["font-family"],
            )
            end = x + width_of(text.text or "", size, family)
            assert -1 <= x <= end <= sheet.width + 1, text.text
            assert 0 < float(text.attrib["y"]) <= sheet.height, text.text
        for box in drawn.iter(f"{SVG}rect"):
            x, y, width, height = (float(box.attrib[key]) for key in ("x", "y", "width", "height"))
            assert -2 <= x <= x + width <= sheet.width + 2, box.attrib
            assert -2 <= y <= y + height <= sheet.height + 2, box.attrib


def words_of(sheet):
    """The texts of a picture, each with the box around it: left, top, right, bottom."""
    found = []
    for text in ElementTree.fromstring(sheet.svg(fonts=False)).iter(f"{SVG}text"):
        x, y, size = (float(text.attrib[key]) for key in ("x", "y", "font-size"))
        wide = width_of(text.text or "", size, text.attrib["font-family"])
        wide = float(text.attrib.get("textLength", wide))
        found.append((text.text or "", (x, y - 0.72 * size, x + wide, y + 0.2 * size)))
    return found


def covering(words):
    """The number of pairs of texts of which one lies over the other."""
    return sum(
        min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1
        for (_, a), (_, b) in combinations(words, 2)
    )


@every_game
@pytest.mark.parametrize("layout", LAYOUTS)
def test_long_names_cover_nothing(name, layout):
    """Names of wide letters, of the font or not, are set smaller or cut; all else stays where it
    is. In each position of one kind."""
    most = load_game(name).max_players
    kinds = cycle(["W", "🦖", "中"])
    for env, sign in zip(positions(name, {"num_players": most}, every=50), kinds, strict=False):
        names = Names(tuple(sign * (LONGEST_NAME - seat) for seat in range(most)))
        view = env.game.to_view(env.snapshot(), 0)
        before = covering(words_of(sheet_of(env.game, view, 0, layout=layout)))
        with named(names):
            sheet = sheet_of(env.game, view, 0, layout=layout)
        assert ("textLength" in sheet.svg(fonts=False)) == (sign != "W")
        words = words_of(sheet)
        assert covering(words) <= before
        assert any(sign * 2 in text for text, _ in words)
        assert all(left >= -1 and right <= sheet.width + 1 for _, (left, _, right, _) in words)


SCREEN = (1015, 780)  # pixels for a picture on the page of a table, in a window of 1440 by 900
NARROW = 365  # … width, in a window of 390
TALLEST = {"the_big_dig_v0"}  # its models and arguments are below what is in sight at once


@every_player_count
def test_letters_are_large_enough_on_the_page(name, options):
    """12 pixels in a window of 1440 by 900, and 11 on a phone: of all words, at the beginning, in
    the middle and at the end."""
    for env in positions(name, options, every=60):
        view = env.game.to_view(env.snapshot(), 0)
        for layout, room, least in (("wide", SCREEN[0], 12), ("column", NARROW, 11.5)):
            if layout == "column" and not hasattr(env.game.painter, "column"):
                continue  # the model, whose picture has one layout only
            sheet = sheet_of(env.game, view, 0, layout=layout)
            sizes = [
                float(size) for size in re.findall(r'font-size="([\d.]+)"', sheet.svg(fonts=False))
            ]
            assert min(sizes) * room / sheet.width >= least
            if layout == "wide" and name not in TALLEST:
                assert (sheet.height - HEADER) * room / sheet.width <= SCREEN[1] + 20, (
                    "it is seen at once"
                )


@every_game
def test_each_game_of_the_package_has_a_column(name):
    """360 pixels wide, with the same headline and the players' things; the model has its wide
    picture instead."""
    env = next(iter(positions(name, {})))
    view = env.game.to_view(env.snapshot(), 0)
    wide, narrow = (sheet_of(env.game, view, 0, layout=layout) for layout in LAYOUTS)
    assert (wide.width, narrow.width) == (960, 960 if name == "bone_bids_v0" else 360)
    for thing in ("title", *(f"seat:{p}" for p in range(env.num_seats))):
        assert narrow.things[thing] == wide.things[thing]
    with pytest.raises(OptionError):
        sheet_of(env.game, view, 0, layout="tall")
    with pytest.raises(ValueError, match="captions"):
        sheet_of(env.game, view, 0, caption=[], layout="column")


def test_big_dig_fits_a_column_of_a_paper():
    """3.3 inches wide its letters have 7.5 points, and until the fourth turn it is no higher than a
    page, as everybody sees it."""
    for env in positions("the_big_dig_v0", {}, every=2):
        snapshot = env.snapshot()
        if snapshot["turn"] <= 4:
            sheet = sheet_of(env.game, env.game.to_public(snapshot), None, layout="column")
            sizes = [
                float(size) for size in re.findall(r'font-size="([\d.]+)"', sheet.svg(fonts=False))
            ]
            assert min(sizes) * 3.3 * 72 / sheet.width >= 7.5
            assert sheet.height * 3.3 / sheet.width <= 9


@every_game
def test_pixels_have_the_size_of_the_sheet_and_something_on_them(name):
    env = next(iter(positions(name, {})))
    sheet = sheet_of(env.game, env.game.to_public(env.snapshot()), None)
    frame = pixels(sheet)
    assert frame.shape == (sheet.height, 960, 3)
    assert frame.dtype == np.uint8
    assert len(np.unique(frame[::2, ::2].reshape(-1, 3), axis=0)) > 8


def test_a_game_without_a_picture_shows_its_text():
    """On a sheet of one size; all actions belong to the header, and what a seat cannot know is not
    there."""
    *_, env = positions("bone_bids_v0", {}, most=5)
    game = replace(env.game)
    game.__dict__["painter"] = None
    view = game.to_view(env.snapshot(), 0)
    there = things_in(picture(game, view, 0, fonts=False))
    assert there["title"] == f"{game.title}. {game.draw(view).splitlines()[0]}"
    assert there["text"] == "The position: " + "; ".join(game.draw(view).splitlines())
    assert touched(game, view, 0, 0) == ("title",)
    assert pixels(sheet_of(game, view, 0)).shape == (640, 960, 3)
    *_, ended = positions("bone_bids_v0", {}, most=500)
    assert (
        "won"
        in things_in(picture(game, game.to_public(ended.snapshot()), None, fonts=False))["title"]
    )


@pytest.mark.parametrize("case", cases(), ids=lambda case: "-".join(map(str, case)))
def test_reference_pictures(case):
    """A change is on purpose: look at the pictures, then ``python -m tests.pictures.record
    GAME``."""
    assert file_of(*case).exists(), (
        f"there is no reference picture: python -m tests.pictures.record {case[0]}"
    )
    assert reference(*case) == file_of(*case).read_text()
