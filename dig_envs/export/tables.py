"""The texts that complete the C code of a game: its record as a struct, its options, its sizes; and
its description as JSON."""

import json
import re
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from dig_envs import __version__
from dig_envs.agents.search_settings import OTHERS, PLAYOUTS, usual_settings
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.tell import MAX_EVENTS, MAX_NUMBERS, listening_dtype
from dig_envs.engine.game import Game
from dig_envs.engine.search.tree import NOBODY_PLAYS, POLICY_PLAYS
from dig_envs.export.entries import remembering

C_TYPES = {
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
}
MOST_NODES = 1 << 17  # of a tree, whose memory a library asks for at once
FEW = 8  # values of an option that is tried out with all of them to find which do not go together


def description(game: Game) -> dict[str, Any]:
    """A description of a game for JSON; the README of this folder explains it."""
    return {
        "format": 1,
        "environment": game.env_name,
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "package_version": __version__,
        "cooperative": game.cooperative,
        "max_players": game.max_players,
        "max_length": game.max_actions,
        "layout_hash": game.layout_hash,
        "actions_hash": game.actions_hash,
        "phases": list(game.phases),
        "options": [option.to_json() for option in game.options],
        "actions": list(game.actions),
        "observation_size": game.observation_size,
        "observation": [
            {"name": name, "shape": list(entry.shape), "start": entry.slice.start,
             "stop": entry.slice.stop, "low": _number(entry.low), "high": _number(entry.high),
             "meaning": entry.meaning}
            for name, entry in game.layout.items()
        ],
        "state_size": game.state.itemsize,
        "state": _record(game.state),
    }  # fmt: skip


def words_description(game: Game) -> dict[str, Any]:
    """The facts that ``positions.js`` needs of the records that it shares with compiled code."""
    facts = game.facts_type
    return {
        "listening_size": listening_dtype(game.state).itemsize,
        "most_events": MAX_EVENTS,
        "numbers_of_event": 2 + MAX_NUMBERS,
        "facts_size": 0 if facts is None else facts.itemsize,
        "facts": [] if facts is None else _record(facts),
        "has_derived": game.rules.derive is not None,
        "is_simultaneous": game.is_simultaneous,
    }


def _record(dtype: np.dtype[Any]) -> list[dict[str, Any]]:
    """The fields of a record."""
    return [
        {"name": name, "type": str(kind.base), "shape": list(kind.shape), "offset": offset}
        for name, kind, offset in _fields(dtype)
        if not name.startswith("_gap_")
    ]


def _number(value: float) -> float | None:
    """JSON has no infinity."""
    return float(value) if np.isfinite(value) else None


def _fields(dtype: np.dtype[Any]) -> list[tuple[str, np.dtype[Any], int]]:
    return [(name, *dtype.fields[name][:2]) for name in dtype.names or ()]  # type: ignore[index]


def filled_in(game: Game, template: str, remembered: int = 0) -> str:
    """A template with a game's names, numbers and fields; ``remembered``: the most numbers that a
    policy remembers."""
    values = {
        "NAME": game.name,
        "TITLE": game.title,
        "ENVIRONMENT": game.env_name,
        "VERSION": __version__,
        "LAYOUT_HASH": game.layout_hash,
        "ACTIONS_HASH": game.actions_hash,
        "MAX_PLAYERS": game.max_players,
        "NUM_ACTIONS": len(game.actions),
        "OBSERVATION_SIZE": game.observation_size,
        "STATE_SIZE": game.state.itemsize,
        "MAX_LENGTH": game.max_actions,
        "PLAYER_MEMORY": _player_memory(game, remembered),
        "STATE_FIELDS": _struct(game),
        "OPTION_FIELDS": "\n".join(f"  int32_t {option.name};" for option in game.options),
        **_places(game),
    }
    for name, value in values.items():
        template = template.replace(f"@{name}@", str(value))
    return with_prefix(game, template)


def _places(game: Game) -> dict[str, int]:
    """Where things lie in the memory that the words share with compiled code: events with the state
    behind them, facts, a mask."""
    described = words_description(game)
    facts = _rounded(described["listening_size"])
    mask = _rounded(facts + described["facts_size"])
    return {
        "LISTENING_SIZE": described["listening_size"],
        "FACTS_PLACE": facts,
        "MASK_PLACE": mask,
        "WORDS_MEMORY": _rounded(mask + len(game.actions)),
    }


def _player_memory(game: Game, remembered: int) -> int:
    """Bytes of the text, with its end, that is what a player remembers: numbers in base 64."""
    most = max([remembered, *(player.memory_size for player in remembering(game).values())])
    return int(4 * -(-4 * most // 3) + 1)


def _rounded(size: int) -> int:
    return -(-size // 8) * 8


def words_tables(game: Game, modules: Mapping[str, str]) -> str:
    """The header ``words.h``, which only ``words.c`` includes: the modules, of which the first is
    run."""
    lines = [f"#define GAME_{name} {value}" for name, value in _places(game).items()]
    lines += ["typedef struct {", "  const char *name, *source;", "  unsigned long size;"]
    lines += ["} game_module;"]
    texts = []
    for k, text in enumerate(modules.values()):
        texts += [f"static const char module_{k}[] =", *_literals(text.encode()), ";"]
    rows = [f'  {{"{name}", module_{k}, sizeof module_{k}}},' for k, name in enumerate(modules)]
    lines += ["static const game_module game_modules[] = {", *rows, "  {0, 0, 0},", "};", ""]
    declared = with_prefix(game, "\n".join(lines))
    return "\n".join([*texts, declared])


def _literals(content: bytes) -> list[str]:
    """Literals in C that are some bytes one after the other."""
    signs = [
        chr(byte) if 32 <= byte < 127 and byte not in b'"?\\' else f"\\{byte:03o}"
        for byte in content
    ]
    return [f'  "{"".join(signs[k : k + 500])}"' for k in range(0, len(signs), 500)]


def with_prefix(game: Game, text: str) -> str:
    """A text with the game's name for ``game`` where that is the beginning of a name."""
    text = re.sub(r"\bgame_", f"{game.name}_", re.sub(r"\bGAME_", f"{game.name.upper()}_", text))
    return text.replace('"game.h"', f'"{game.name}.h"')


def _struct(game: Game) -> str:
    lines = []
    for name, kind, _ in _fields(game.state):
        lines.append(
            f"  {C_TYPES[str(kind.base)]} {name}{''.join(f'[{size}]' for size in kind.shape)};"
        )
    return "\n".join(lines)


def tables(game: Game, with_description: bool) -> str:
    """The header ``tables.h``, which only the library's own source includes."""
    lines = [
        "#include <stddef.h>",
        "#include <stdint.h>",
        "#define GAME_INNER(name) game_inner_##name",
    ]
    lines += [f"#define GAME_NUM_OPTIONS {len(game.options)}"]
    lines += [
        f'_Static_assert(offsetof(game_state, {name}) == {offset}, "");'
        for name, _, offset in _fields(game.state)
    ]
    lines += ['_Static_assert(sizeof(game_state) == GAME_STATE_SIZE, "");']
    lines += [
        "typedef struct {",
        "  const char *name;",
        "  size_t offset;",
        "  int32_t least, most, step, usual;",
        "  const char *const *words; /* instead of numbers; the first is stored as `least` */",
        "  int any_order; /* of the parts of a word */",
        "} game_option;",
    ]
    rows = []
    for option in game.options:
        words, numbers = _values(option)
        if words:
            lines.append(
                f"static const char *const {option.name}_words[] = "
                f"{{{', '.join(map(_quoted, words))}, 0}};"
            )
        usual = option.encode(option.default)
        row = (
            f'{{"{option.name}", offsetof(game_options, {option.name}), {numbers.start}, '
            f"{numbers[-1]}, {numbers.step}, {usual}, "
        )
        named = f"{option.name}_words" if words else "0"
        rows.append(f"  {row}{named}, {int(option.any_order)}}},")
    lines += ["static const game_option game_option_table[] = {", *rows, "};"]
    lines += ["static void game_put_options(game_state *state, const game_options *options) {"]
    lines.append(f"  state->version = {game.version};")
    lines += [
        f"  state->{option.name} = {option.encode(option.default)};"
        for option in game.fixed_options
    ]
    for option in game.options:
        kind = C_TYPES[str(game.state.fields[option.name][0])]  # type: ignore[index]
        lines.append(f"  state->{option.name} = ({kind})options->{option.name};")
    lines += ["}", "static game_options game_options_of(const game_state *state) {"]
    lines.append("  return (game_options){")
    lines += [f"    .{option.name} = (int32_t)state->{option.name}," for option in game.options]
    lines += ["  };", "}"]
    lines += ["static int game_refused(const game_options *options) {", "  (void)options;"]
    for combination in refused_options(game):
        lines.append(
            "  if "
            "("
            f"{' && '.join(f'options->{name} == {value}' for name, value in combination.items())}) "
            "return 1;"
        )
    lines += ["  return 0;", "}", *_settled(game), *_search_tables(game)]
    if with_description:
        names = ", ".join(map(_quoted, game.actions))
        lines.append(f"static const char *const game_actions[] = {{{names}}};")
    text = json.dumps(description(game), ensure_ascii=True) if with_description else ""
    said = [f"  {_quoted(text[k : k + 2000])}" for k in range(0, max(1, len(text)), 2000)]
    return "\n".join(
        [with_prefix(game, "\n".join([*lines, "static const char game_json[] ="])), *said, ";", ""]
    )


def _settled(game: Game) -> list[str]:
    """Whether an option was given that the variant decides otherwise, as ``Game.options_to_deal``
    says it."""
    decided = [
        f"(given->{option.name} != {option.encode(option.default)} && "
        f"(given->variants != 1 || given->{option.name} != dealt->{option.name}))"
        for option in game.options
        if option.settled and option.name not in ("variant", "variants")
    ]
    if not decided:
        return ["#define GAME_VARIANT_DECIDES 0"]
    return [
        "#define GAME_VARIANT_DECIDES 1",
        "static int game_decided(const game_options *given, const game_options *dealt) {",
        f"  return {' || '.join(decided)};",
        "}",
    ]


def _search_tables(game: Game) -> list[str]:
    """The settings of a search where nothing else is given, without and with a guide, and the
    players in it by their words."""
    lines = ["typedef struct {", "  const char *word;", "  int32_t number;", "} dig_word;"]
    for name, words in (("playouts", PLAYOUTS), ("others", OTHERS)):
        rows = ", ".join(f'{{"{word}", {number}}}' for word, number in words.items())
        lines.append(f"static const dig_word dig_{name}[] = {{{rows}, {{0, 0}}}};")
    lines += [
        f"#define GAME_NOBODY_PLAYS {NOBODY_PLAYS}",
        f"#define GAME_POLICY_PLAYS {POLICY_PLAYS}",
    ]
    lines += [
        f"#define GAME_MOST_NODES {MOST_NODES}",
        "static const game_search_settings game_searches[] = {",
    ]
    for guide in ("", "policy"):
        usual = usual_settings(game, {"guide": guide})
        players = (PLAYOUTS[usual.playout], OTHERS[usual.others])
        root = (int(usual.root == "gumbel"), usual.considered)
        valued = int(usual.value == "guide")
        numbers = (usual.sims, *players, usual.depth, int(bool(guide)), valued, *root, 1, 0)
        lines.append(
            f"  {{{', '.join(map(str, numbers))}, {usual.c!r}, {usual.trust!r}, "
            f"{float(usual.lead)!r}, 0}},"
        )
    return [*lines, "};"]


def _values(option: Option) -> tuple[list[str], range]:
    """The texts of an option's values, none where they are numbers, and the numbers that stand for
    the values."""
    values: Any = option.values
    if isinstance(values, range):
        return [], values
    stored = [option.encode(value) for value in values]
    order = sorted(range(len(stored)), key=lambda k: stored[k])
    ascending = [stored[k] for k in order]
    numbers = range(ascending[0], ascending[-1] + 1)
    if list(numbers) != ascending:
        raise ValueError(f"the values of option {option.name} are not next to each other")
    if all(type(value) is int for value in values):
        return [], numbers
    texts = list(option.by_text())
    return [texts[k] for k in order], numbers


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True).replace("??", '?""?')


def refused_options(game: Game) -> list[dict[str, int]]:
    """The combinations of options that the game refuses, as they are stored: found by trying those
    with few values."""
    check = game.check_options
    if check is None:
        return []
    few = [option for option in game.options if len(option.values) <= FEW]
    usual = {option.name: option.default for option in game.options}

    def is_refused(values: dict[str, Any]) -> bool:
        try:
            check({**usual, **values})
        except OptionError:
            return True
        return False

    all_values = [
        dict(zip([o.name for o in few], v, strict=True)) for v in product(*(o.values for o in few))
    ]
    refused = [values for values in all_values if is_refused(values)]
    matters = [
        option
        for option in few
        if any(
            not is_refused({**values, option.name: other})
            for values in refused
            for other in option.values
        )
    ]
    found = [
        {option.name: option.encode(values[option.name]) for option in matters}
        for values in refused
    ]
    return [dict(pairs) for pairs in dict.fromkeys(tuple(one.items()) for one in found)]
