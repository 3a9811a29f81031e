"""The players' guides: short, exact about options, and shown as far as the options go."""

import re
from itertools import product

import pytest

from dig_envs.engine.game import Game
from dig_envs.language.guides import applied, blocks, guide_page, guide_text
from dig_envs.registry import environments_of, load_game
from tests.games import every_game, option_cases, some_values

MOST_WORDS = 1200
CONDITION = re.compile(r"\*(If|Unless) `|\((if|unless) `")


@every_game
def test_a_guide_is_one_page(name: str) -> None:
    page = guide_page(load_game(name))
    assert 80 < len(page.split()) <= MOST_WORDS
    assert page.startswith(f"# {load_game(name).title}\n")
    assert all(ord(letter) < 0x2FFF and not re.match(r"\t", letter) for letter in page)


@every_game
def test_the_last_section_explains_the_position_as_text(name: str) -> None:
    """The page in the browser leaves it out (``guide.js``): nothing may come after it, and nothing
    of the text before it."""
    rules, _, text = guide_page(load_game(name)).partition("\n## The position as text\n")
    assert "You may get the position as text" in text
    assert "\n#" not in text
    assert "`<`" in text
    assert "`<`" not in rules


@every_game
def test_what_applies_under_every_option(name: str) -> None:
    """The guide under given options has no condition left, and each conditional sentence holds
    under some options and not under others.
    """
    game = load_game(name)
    texts = {guide_text(game, game.complete_options(case)) for case in [{}, *option_cases(name)]}
    for text in texts:
        assert not CONDITION.search(text)
        assert len(text) > 300
        assert not re.search(r"[Ii]f `|[Uu]nless `", text), (
            "a condition is written `*If `option` is `value`:* …`: dig_envs/language/README.md"
        )
    conditional = [block for block in blocks(guide_page(game)) if CONDITION.search(block)]
    all_texts = [text for one in environments_of(game.name) for text in every_text(load_game(one))]
    lines = {line for text in all_texts for line in text.splitlines()}
    later = {option.name for option in game.fixed_options}  # than this version
    for block in conditional:
        if later & set(re.findall(r"`(\w+)` is ", block)):
            continue
        said = re.sub(r"\*(If|Unless) `.+?:\* | \((if|unless) `.+\)$", "", block)
        assert said in lines, f"nobody is ever told: {block}"
        assert any(said not in text.splitlines() for text in all_texts), (
            f"everybody is told: {block}"
        )


def every_text(game: Game) -> list[str]:
    """The guide under all combinations of the options that its conditions name."""
    named = {
        name
        for block in blocks(guide_page(game))
        if CONDITION.search(block)
        for name in re.findall(r"`(\w+)` is ", block)
    }
    options = [option for option in game.options if option.name in named]
    values = [
        list(option.values) if option.name == "num_players" else some_values(option.values)
        for option in options
    ]
    cases = [
        dict(zip([option.name for option in options], case, strict=True))
        for case in product(*values)
    ]
    defaults = game.complete_options({})
    return [guide_text(game, {**defaults, **case}) for case in cases]


def test_lines_and_sections_that_do_not_apply_are_left_out() -> None:
    game = load_game("diggity")
    without, with_them = (
        guide_text(game, game.complete_options({"hidden_tools": value})) for value in (False, True)
    )
    assert "## Hidden tools" in with_them.splitlines()
    assert "## Hidden tools" not in without
    assert "You see how many tools the others have" not in without
    assert "## End" in without.splitlines()  # the section after it is there again
    assert "A player who does not have the next tool is skipped." in without
    assert "A player who does not have the next tool is skipped." not in with_them


@pytest.mark.parametrize(
    "page",
    [
        "*If `no_such_option` is `1`:* A.",
        "- *If `num_players` is 9:* A.",
        "## A (if `num_players` = 2)",
    ],
)
def test_wrong_conditions_are_refused(page: str) -> None:
    with pytest.raises(ValueError, match="the guide of go_dig"):
        applied(page, load_game("go_dig"), {"num_players": "2", "max_turns": "200"})


def test_paragraphs_and_items_are_one_line_each() -> None:
    assert blocks("# A\nB\nc\n\n- d\n  e\n- f\n\ng\n1. h\n   i") == [
        "# A",
        "B c",
        "- d e",
        "- f",
        "g",
        "1. h i",
    ]
