"""The page without a server: it offers the players that there are with the options, and plays."""

import json

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from tests.export.serving import serving
from tests.server.browsing import PATIENCE, browsing

pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")
ASKED = "document.body.dataset.asked === 'yes' && document.body.dataset.busy === 'no'"
VERSION = "Number(document.body.dataset.version)"
MISSING = "import('./page/words.js').then((words) => [...words.missing])"
OFFERED = "[...document.querySelectorAll('#player option')].map((one) => one.value)"


def wait_for(page, said):
    page.wait_for_function(f"() => {said}", timeout=PATIENCE)


def test_a_policy_is_offered_only_for_what_it_was_trained_for(exported):
    """People play Fossil Memory without help, for which the policy was not trained; a player that
    remembers plays with them, and goes back with them. All of it is there in German."""
    errors = []
    with serving(exported("fossil_memory_v0")) as address, browsing() as browser:
        page = browser.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        wait_for(page, f"({OFFERED}).length > 0")
        assert page.input_value("#recall") == json.dumps("none")
        offered = page.evaluate(OFFERED)
        assert {"random", "easy", "hard", "best", "heuristic:style=greedy"} <= {*offered}
        assert "fossil_memory/ppo" not in offered
        assert page.input_value("#player") == "best"
        page.click("details summary")
        page.select_option("#recall", json.dumps("perfect"))
        wait_for(page, f"({OFFERED}).includes('fossil_memory/ppo')")
        page.select_option("#recall", json.dumps("none"))
        wait_for(page, f"!({OFFERED}).includes('fossil_memory/ppo')")
        page.select_option("#player", "medium")
        page.click("#start")
        wait_for(page, ASKED)
        assert "medium opponent" in page.inner_text("#players")
        for _ in range(3):
            version = page.evaluate("document.body.dataset.version")
            while not page.locator("#actions [data-action]").count():
                page.locator("#actions [data-actions]").first.click()
            page.locator("#actions [data-action]").first.click()
            wait_for(page, f"{VERSION} > {version} && {ASKED}")
        before = page.locator("#log li").count()
        page.click("#back")
        wait_for(page, f"document.querySelectorAll('#log li').length < {before} && {ASKED}")
        page = browser.new_page(locale="de-DE")
        page.goto(address)
        wait_for(page, f"({OFFERED}).length > 0")
        page.click("#start")
        wait_for(page, ASKED)
        page.click("#rules")
        page.wait_for_selector("#guide h3", timeout=PATIENCE)
        assert "Dein Zug" in page.inner_text("#guide")
        assert page.evaluate(MISSING) == ["remembering player"]  # of the tests only
    assert not errors
