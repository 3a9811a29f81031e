"""The page in other languages: the tables fit together, nothing that games declare is missing, and
in German there are no English words."""

import json
import re
from collections import Counter
from itertools import product

import pytest

from dig_envs.engine.core.events import Event, Flag, Number, Seats, Thing, Things, Who
from dig_envs.language.guides import GUIDE, blocks, guide_page, guide_text, rules_in_short
from dig_envs.language.translations import WORDS, languages
from dig_envs.pictures.legend import signs_of
from dig_envs.registry import list_environments, load_game
from dig_envs.server.app import GAMES, PAGE
from dig_envs.text.lessons import lesson_of
from tests.server.browsing import (
    MY_TURN,
    TOO_WIDE,
    hurry,
    new_page,
    open_table,
    play_by_clicks,
    touch,
    version,
    wait_for_change,
)

TRANSLATED = ("go_dig_v0", "fossil_memory_v0")
CONDITION = re.compile(r"\*(?:If|Unless) `.*?:\*")
GAPS = re.compile(r"\{\w+\}")
BETWEEN = re.compile(r" · |; |\n|[.!?…] [A-Z]")  # texts are translated by themselves
MISSING = "import('/page/words.js').then((words) => [...words.missing])"
NAMED = """async ([name, text]) => {  // what has a name in it, before the name is known
  const { keepNames } = await import('/page/words.js');
  const line = document.body.appendChild(document.createElement('p'));
  line.textContent = text.replace('{}', name);
  await new Promise(requestAnimationFrame);
  keepNames([name]);
  line.remove();
  return line.textContent;
}"""
SAID = """[...document.querySelectorAll(
  "#status, .picture text, .picture [aria-label], #log li, #actions .lead, #actions .action")]
    .flatMap((one) => [one.textContent.trim(), one.ariaLabel])"""
ASK = "async (texts) => { const { t } = await import('/page/words.js'); return texts.map(t); }"


def tables(language):
    """The pairs of each table of a language."""
    paths = sorted([*PAGE.glob(f"{language}/{WORDS}"), *GAMES.glob(f"*/{language}/{WORDS}")])
    return [json.loads(path.read_text("utf-8"), object_pairs_hook=list) for path in paths]


def test_tables_fit_together():
    assert languages(PAGE) == ["de"]
    for language in languages(PAGE):
        pairs = [pair for table in tables(language) for pair in table]
        twice = [text for text, count in Counter(text for text, _ in pairs).items() if count > 1]
        assert twice == []
        for text, words in pairs:
            assert sorted(GAPS.findall(text)) == sorted(GAPS.findall(words)), text
            assert len(set(GAPS.findall(text))) == len(GAPS.findall(text)), text
            assert words.strip() == words != "", text
            assert not (GAPS.search(text) and BETWEEN.search(text)), f"{text!r} is several texts"


@pytest.mark.parametrize("name", TRANSLATED)
def test_guides_have_the_same_parts(name):
    """All but the last one, which explains the position as text."""
    game = load_game(name)

    def shape(page):
        return [re.match(r"#*|-", block)[0] for block in blocks(page)], CONDITION.findall(page)

    english = guide_page(game).partition("\n## The position as text\n")[0]
    assert shape(guide_page(game, f"de/{GUIDE}")) == shape(english)
    options = game.complete_options({})
    assert "## Dein Zug" in guide_text(game, options, "de")
    assert guide_text(game, options, "fr") == guide_text(game, options)


def values_of(part):
    """Some values of a part of an event."""
    if isinstance(part, Who):
        return [0, 1, 2]
    if isinstance(part, Seats):
        return [[0], [1], [0, 1], [1, 2], []]
    if isinstance(part, Things):
        return [list(part.names[:2])]
    if isinstance(part, Thing):
        return [part.names[0], part.names[3]]
    if isinstance(part, Number):
        return [1, 7]
    return [True, False] if isinstance(part, Flag) else [""]


def declared(game):
    """Texts that a game declares: events as several seats are told them, actions, options, the
    lesson, the legend."""
    for kind in game.events.kinds:
        for values, viewer, seat in product(
            product(*map(values_of, kind.parts)), (0, 1, None), (0, 1)
        ):
            if seat in values:
                continue
            named = dict(zip((part.name for part in kind.parts), values, strict=True))
            yield Event(kind, seat, named, viewer, viewer == seat).text()
        yield kind.scored
    for action, seats in product(range(len(game.actions)), (2, 4)):
        yield game.action_list.label(action, 0, seats, 0)
    for option in game.options:
        yield from (option.name.replace("_", " "), re.sub(r" \(\w\w-\d+\)", "", option.meaning))
        yield from (value for value in option.values if isinstance(value, str))
    yield from (*lesson_of(game).words, lesson_of(game).end, *game.family.values())
    yield rules_in_short(game)
    yield from (sign.words for sign in signs_of(game, game.complete_options({})))


@pytest.fixture
def german(browser):
    errors = []
    context = browser.new_context(locale="de-DE")
    yield new_page(context, errors)
    context.close()
    assert errors == []


def missing(page):
    """The texts that were to be shown and have no translation, but the options of other games."""
    others = {
        text
        for name in list_environments()
        if name not in TRANSLATED
        for option in load_game(name).options
        for text in (
            option.name.replace("_", " "),
            re.sub(r" \(\w\w-\d+(, \w\w-\d+)*\)", "", option.meaning),
            *map(str, option.values),
        )
    }
    parts = {part for text in others for part in text.split("; ")}
    return set(page.evaluate(MISSING)) - others - parts


def test_the_page_in_german_and_back(server, german):
    """As the browser wants it: the start page, what games declare, the first moves of a lesson, the
    rules; then English by the menu, which stays."""
    page = german
    page.goto(server.url)
    page.wait_for_selector("#newhere")
    assert page.get_attribute("html", "lang") == "de"
    texts = sorted({text for name in TRANSLATED for text in declared(load_game(name))} - {""})
    assert len(texts) > 200
    said = page.evaluate(ASK, texts)
    assert [text for text in said if re.search(r"\b(fragt|gibt|nach|von|mit) du\b", text)] == []
    page.select_option("#level", "best")
    page.click('#newhere [data-learn="fossil_memory_v0"]')
    page.wait_for_selector("#coach:not([hidden])")
    hurry(page)
    assert page.inner_text("#coached").startswith("24 Karten liegen verdeckt.")
    before = version(page)
    touch(page, page.locator(".open.coach-mark").get_attribute("data-thing"))
    wait_for_change(page, before)
    page.wait_for_selector("#log :text('Du deckst Triceratops Teil 3 auf.')")
    page.click("#rules")
    page.wait_for_selector("#guide h3")
    assert "Dein Zug" in page.inner_text("#guide")
    assert "eine verdeckte Karte" in page.inner_html("#guide .legend").replace("\n", " ")
    page.keyboard.press("Escape")
    assert missing(page) == set()
    assert page.evaluate(NAMED, ["Play", "{} has the turn."]) == "Play ist am Zug."
    assert page.evaluate(NAMED, ["Dr. Bone", "{} has the turn."]) == "Dr. Bone ist am Zug."
    page.select_option("#language", "en")
    page.wait_for_selector("html[lang=en]")
    assert "turn up another card" in page.inner_text("#status").lower()
    assert "You turn up Triceratops part 3." in page.inner_text("#log")
    page.reload()
    page.wait_for_selector(MY_TURN)
    assert page.get_attribute("html", "lang") == "en"
    assert page.inner_text("#rules") == "Rules"


def test_a_game_without_a_table_stays_english_on_a_german_page(server, german):
    """Picture, prompts, actions, log and legend, of which the page has some of the words."""
    page = german
    open_table(page, server.url, "oak_island_v1", seed=4)
    page.wait_for_selector(MY_TURN)
    assert page.inner_text("#rules") == "Regeln"
    german = page.evaluate(SAID)
    assert "free" in german
    page.click("#rules")
    page.wait_for_selector("#guide .legend")
    legend = page.inner_html("#guide .legend")
    page.keyboard.press("Escape")
    page.wait_for_selector("#status [lang=en]")
    page.select_option("#language", "en")
    page.click("#rules:text('Rules')")
    page.wait_for_selector("#guide .legend")
    assert (page.evaluate(SAID), page.inner_html("#guide .legend")) == (german, legend)


@pytest.mark.slow
@pytest.mark.parametrize("wide", [1440, 390])
@pytest.mark.parametrize("name", TRANSLATED)
def test_a_game_in_german(server, german, name, wide):
    """Nothing is missing on the page, in the picture and in what can be asked for, to the end and
    in the replay, and nothing is too wide."""
    page = german
    page.set_viewport_size({"width": wide, "height": 860})
    for others in (1, 2):
        players = ["human"] + ["heuristic"] * others
        options = {"num_players": len(players), "max_turns": 200 if others == 1 else 9}
        open_table(page, server.url, name, seed=4, players=players, options=options)
        hurry(page)
        play_by_clicks(page)
        assert not page.evaluate(TOO_WIDE)
        page.evaluate("document.getElementById('before').click()")
        page.wait_for_selector("#replayed:not(:empty)", state="attached")
        page.evaluate("document.getElementById('mistaken').click()")
        page.wait_for_selector("#mistakes h3", state="attached")
    page.goto(server.url)
    page.wait_for_selector("#results")
    assert missing(page) == set()
