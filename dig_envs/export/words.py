"""Positions, events and pictures of a game in JavaScript: what Python says and draws, translated
(``javascript.py``)."""

from types import SimpleNamespace
from typing import Any

import drawsvg

from dig_envs.agents import advice, reasons
from dig_envs.agents.best import ranking
from dig_envs.agents.careless import scripted_settings
from dig_envs.agents.zoo import policy_cards
from dig_envs.engine.core.checks import SHORT, shown_in_message
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.grave import warning_of
from dig_envs.engine.core.options import complete_options
from dig_envs.engine.core.tell import new_listening
from dig_envs.engine.core.words import NO_NAMES, Names, named
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.completing import complete, read_view
from dig_envs.export.javascript import Module
from dig_envs.language.guides import applied, said
from dig_envs.pictures.drawing import about, sheet_of, touched
from dig_envs.pictures.fonts import FAMILIES, advances, css
from dig_envs.text.sentences import headline, line_for_people

# What templates/words.js does itself, since it has to do with memory of compiled code, or with
# files, or has in description.js.
OWN = """
    CompiledGame.kernels CompiledGame.facts CompiledGame.legal_actions DeclaredGame.template
    DeclaredGame.is_simultaneous Game.painter Game.fill json_schema SnapshotGame.view_schema
    Game.fill_told Game.derived Option.to_json
"""
# What templates/positions.js uses of the objects of this module.
USED = """
    to_snapshot from_snapshot to_view to_public draw options option encode complete_options actions
    action_list label group first steps cost warning svg told text to_json height headline paint
    touched column ABOUT version fixed_options default names
"""
# The declarations of a game, without compiled code.
DECLARED = """
    package version title cooperative phases options fixed_options check_options snapshot_table
    check_position adjust_view draw events headlines log_words reason action_list styles usual
"""
HELPERS = """
const widths = new Map();
function widths_of(family) {
  if (!widths.has(family)) {
    const [signs, numbers] = py.get(advances, family);
    widths.set(family, py.dict(Array.from(signs, (sign, k) => [sign, numbers[k] / 10000])));
  }
  return widths.get(family);
}
function no_fonts() {
  return "";
}
"""


def words_module(game: Game) -> str:
    """The module ``words.js`` of a game; raises TranslationError for code that cannot be
    translated."""
    painter: Any = game.painter
    parts = ("height", "headline", "paint", "touched", "column", "ABOUT")
    exports: dict[str, Any] = {
        "game": _declared(game),
        "painter": None
        if painter is None
        else SimpleNamespace(
            **{name: getattr(painter, name) for name in parts if hasattr(painter, name)}
        ),
        "complete_options": complete_options,
        "shown_in_message": shown_in_message,
        "complete": complete,
        "fill": game.fill,
        "view_schema": _form(game.view_schema),
        "SnapshotError": SnapshotError,
        "Names": Names,
        "EventLog": EventLog,
        "advances": {
            family: [
                "".join(advances(family)),
                [round(10_000 * w) for w in advances(family).values()],
            ]
            for family in FAMILIES
        },
        "named": named,
        "headline": headline,
        "line_for_people": line_for_people,
        "sheet_of": sheet_of,
        "touched": touched,
        "about": about,
        "read_view": read_view,
        "applied": applied,
        "said": said,
        "scripted_settings": scripted_settings,
        "warning_of": warning_of,
        "ranking": ranking(game, policy_cards(game)),
    }
    known = [
        (SHORT, "py.short"),
        (advances, "widths_of"),
        (css, "no_fonts"),
        (new_listening, "py.Nothing"),
    ]
    known += [(drawsvg.Drawing, "py.Drawing"), (drawsvg.Group, "py.Group"), (drawsvg.Raw, "py.Raw")]
    module = Module(exports, known, OWN.split())
    module.used |= {*USED.split()}
    return module.text() + HELPERS


def _form(schema: Any) -> Any:
    """The requirements of a JSON Schema, without its descriptions for people."""
    if isinstance(schema, list):
        return [_form(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _form(one) for name, one in value.items()}
        if key in ("properties", "$defs")
        else _form(value)
        for key, value in schema.items()
        if key not in ("$schema", "title", "description")
    }


def _declared(game: Game) -> Game:
    """The game's declarations, without compiled code."""
    found: Game = object.__new__(Game)
    vars(found).update({name: getattr(game, name) for name in DECLARED.split()})
    return found


def reasons_module(game: Game) -> str:
    """The module ``reasons.js`` of a game: why an action is advised, and how much is tried for
    that. It is apart from ``words.js``, so that only those load it who ask for advice."""
    numbers = (
        "CANDIDATES FIRST_DEALS FIRST_ACTIONS DEALS ACTIONS DEALS_OF_REASONS LONGEST_TURN "
        "MOST_BETWEEN MOST_ENTRIES PARTS"
    )
    exports: dict[str, Any] = {
        "grounds": reasons.grounds(game),
        "reasons_of": reasons.reasons_of,
        "in_order": advice.in_order,
        "worth_words": advice.worth_words,
        "useful": reasons.useful,
        "STYLES": [list(style.weights) for style in game.styles.values()],
        **{name: getattr(advice, name) for name in numbers.split()},
    }
    known = [(SHORT, "py.short"), (NO_NAMES, "new words.Names(py.tuple([]))")]
    module = Module(exports, known)
    module.used |= {*vars(exports["grounds"])}
    return 'import * as words from "./words.js";\n' + module.text()
