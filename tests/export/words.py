"""The texts that an exported game must give for positions and events, computed by this package:
values of JSON for each moment."""

import re
from hashlib import sha256
from typing import Any

import numpy as np

from dig_envs.engine.core.words import Names, named
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Game
from dig_envs.pictures.drawing import about, sheet_of, touched
from dig_envs.text.sentences import headline

NAMES = Names(("Ann", "🦖中" * 20))


def play(
    game: Game,
    options: dict[str, Any],
    seed: int,
    most: int,
    every: int = 1,
    scripted: bool = False,
) -> dict[str, Any]:
    """Return the actions of an episode of random ones, and what is said at every so many moments
    and at the end."""
    from dig_envs.batch.batch_env import BatchEnv

    chance = np.random.default_rng(seed)
    states = BatchEnv(game, 1, seed, 1, **options).states[:1].copy()
    log, actions, moments = EventLog(game, states), [], []
    while True:
        over = bool(log.states["over"][0])
        if len(actions) % every == 0 or over or len(actions) == most:
            moments.append(_moment(game, log, len(actions)))
        if over or len(actions) == most:
            return {
                "options": options,
                "seed": str(seed),
                "every": every,
                "actions": actions,
                "moments": moments,
            }
        seat = int(log.states["to_move"][0])
        action = int(chance.choice(game.legal_actions(log.states, seat)))
        if scripted and len(actions) % 2:
            found = np.zeros(1, np.int64)
            game.kernels.heuristic_actions(log.states.copy(), 0, 1, np.array([seat]), found)
            action = int(found[0])
        log.play(seat, action)
        actions.append(action)


def _moment(game: Game, log: EventLog, place: int) -> dict[str, Any]:
    state, seats = log.states[0], int(log.states["num_players"][0])
    snapshot = game.to_snapshot(state)
    mover = int(state["to_move"])
    deciding = [p for p in range(seats) if state["owes"][p]] or None
    viewer = [*range(seats), None][place % (seats + 1)]
    view = game.to_public(snapshot) if viewer is None else game.to_view(snapshot, viewer)
    legal = game.legal_actions(log.states, mover) if mover >= 0 else []
    with named(NAMES):
        text = game.draw(view)
        picture = sheet_of(game, view, viewer, ("light", "dark")[place % 2]).svg(fonts=False)
        column = sheet_of(game, view, viewer, layout="column").svg(fonts=False)
    return {
        "snapshot": snapshot,
        "viewer": viewer,
        "view": view,
        "text": text,
        "picture": plain(picture),
        "headline": headline(game, view, viewer, NAMES, deciding),
        "labels": [game.label(view, a, mover, viewer, NAMES) for a in legal]
        if viewer == mover
        else [game.action_list.label(a, mover, seats, viewer, NAMES) for a in legal],
        "column": plain(column),
        "choices": [_choice(game, log.states, mover, snapshot, a) for a in legal],
        "told": [
            {**event.to_json(NAMES), "things": list(about(game, event))}
            for event in log.told(viewer)[-12:]
        ],
        # all but the seed, which is not told
        "restored": sha256(game.from_snapshot(snapshot).tobytes()[8:]).hexdigest(),
    }


def _choice(game: Game, states: Any, seat: int, snapshot: Any, action: int) -> dict[str, Any]:
    group, seats = game.action_list.group(action), int(states["num_players"][0])
    view = game.to_view(snapshot, seat)
    return {
        "action": action,
        "text": game.actions[action],
        "label": game.label(view, action, seat, seat, NAMES),
        "group": group.first,
        "steps": game.action_list.steps(action, seat, seats, NAMES),
        "cost": group.cost,
        "warning": game.warnings_of(states, seat)[action],
        "things": list(touched(game, view, seat, action)),
    }


def plain(picture: str) -> str:
    """Return a picture without what its element <svg> says beside its size, and with whole numbers
    written as such."""
    body = picture[picture.index("viewBox") :]
    size = re.search(r'width="(\d+)" height="(\d+)"', picture)
    assert size is not None
    return size[0] + re.sub(r"(?<=\d)\.0(?=\D)", "", body).replace("\n", "")
