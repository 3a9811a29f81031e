"""The assistant for a real table in a real browser: an opening and actions that are tapped, and the
views of the true game."""

import json

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.seat import opening_of
from dig_envs.engine.event_log import EventLog
from dig_envs.registry import load_game
from tests.games import mostly_heuristic, play
from tests.server.browsing import TOO_WIDE, Server, browsing, new_page

KEPT = "JSON.parse(localStorage.getItem('dig-envs:assistant'))"
READY = "#main #choices"
NAME = "go_dig_v0"


def views_of(page):
    return page.evaluate(KEPT)["views"]


def wait_for_views(page, number):
    page.wait_for_function(f"number => {KEPT}?.views.length === number", arg=number)
    page.wait_for_selector("body[data-busy=no] #choices")


def enter_opening(page, name, view, seat):
    """Fill in what a seat sees first: cards by taps, all else as it is written."""
    page.select_option("#game", name)
    page.click("#more summary")
    page.select_option("#option-num_players", str(len(view["scores"])))
    page.select_option("#seat", str(seat))
    page.wait_for_load_state("networkidle")
    for key in opening_of(name, seat)[0]:
        parts = [(key, view[key])]
        if isinstance(view[key], list) and page.locator(f'[data-cards="{key}"]').count() == 0:
            whose = ["yours" if p == seat else f"Player {p + 1}" for p in range(len(view[key]))]
            parts = [(f"{key}, {who}", one) for who, one in zip(whose, view[key], strict=True)]
        for label, value in parts:
            cards = page.locator(f'[data-cards="{label}"]')
            if cards.count():
                cards.locator("summary").click()
                for card in value:
                    cards.locator(f'[data-card="{card}"]').click()
            else:
                page.locator(f'[id="opening-{label}"]').fill(json.dumps(value))


def follow_by_taps(page, name, most, shot=lambda number: None):
    """Play a game elsewhere, and tap what the first seat sees of it; returns its views."""
    env, rng = RawAEC(name), np.random.default_rng(1)
    env.reset(seed=3)
    views = [json.loads(json.dumps(env.view("player_0")))]
    page.wait_for_selector("#opening *")
    enter_opening(page, name, views[0], 0)
    shot("opening")
    page.click("#start")
    wait_for_views(page, 1)
    log = EventLog(env.game, env.states)
    for number, action in enumerate(play(env, rng, mostly_heuristic, most), 1):
        first, mover = len(log), int(log.states["to_move"][0])
        log.play(mover, action)
        if mover == 0:
            page.wait_for_selector("#advice:not([hidden]) .chance")
        shot(f"{number}a")
        tap_action(page, action)
        tap_events(page, [str(event) for event in log.told(0, first)], number + 1)
        views.append(json.loads(json.dumps(env.game.to_view(env.game.to_snapshot(log.states[0]), 0))))
    return views


def tap_action(page, action):
    for _ in range(4):
        button = page.locator(f'#actions [data-action="{action}"]')
        if button.count():
            break
        page.click(f'#actions [data-actions~="{action}"]')
    button.click()


def tap_events(page, told, views):
    """Tap what was told, until the page has the next view."""
    while True:
        page.wait_for_selector("body[data-busy=no]")
        if len(views_of(page)) == views:
            break
        said = page.locator("#sofar li").count() - 1
        if said == len(told):
            page.click("#nomore")
        else:
            page.locator("#events [data-line]").get_by_text(told[said], exact=True).click()
    wait_for_views(page, views)
