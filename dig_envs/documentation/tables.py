"""Tables in Markdown: rows of data, and columns by name. Rows that do not fit today's games are
marked."""

import json
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.registry import load_game
from dig_envs.text.markdown import markdown_table, part, with_part

ROOT = Path(__file__).parent.parent.parent
MARK = "†"
STALE = f"{MARK} measured with an earlier version of the game"

Row = Any  # what the code of a game has, or a dictionary from JSON
Column = str | Callable[[Row], str]  # as for `cell`


def table(columns: Mapping[str, Column], rows: Iterable[Row], grouped: int = 0) -> str:
    """A table in Markdown; in the first ``grouped`` columns, cells that repeat the one above are
    empty."""
    lines: list[list[str]] = []
    notes, above = [], [""] * grouped
    for row in rows:
        cells = [cell(row, column) for column in columns.values()]
        first, above = above, cells[:grouped]
        cells[:grouped] = ["" if first == above else text for text in above]
        if isinstance(row, dict) and row.get("stale"):
            cells[grouped] += f" {MARK}"
            notes = [STALE]
        lines.append(cells)
    return "\n\n".join([markdown_table([head.strip() for head in columns], lines), *notes])


def cell(row: Row, column: Column) -> str:
    """The text of a cell: from a function, or from ``key``, ``key:code``, or for intervals
    ``key:%`` or ``key:2`` (decimals)."""
    if callable(column):
        return column(row)
    key, _, form = column.partition(":")
    value = row.get(key) if isinstance(row, dict) else getattr(row, key)
    if value is None or form in ("", "code"):
        return "–" if value is None else f"`{value}`" if form else str(value)
    interval = Interval(**value) if isinstance(value, dict) else Interval(*value)
    return interval.percent() if form == "%" else interval.rounded(int(form))


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def rows_of(pattern: str, inner: str = "") -> list[Row]:
    """Reports, or the rows of a list in them with the report's own values."""
    found: list[Row] = []
    for path in sorted(ROOT.glob(pattern)):
        content = read(path)
        for report in [content] if isinstance(content, dict) else content:
            above = {"path": path, "file": path.name, **_merged(report)}
            found += [above | _merged(row) for row in above[inner]] if inner else [above]
    if not found:
        raise FileNotFoundError(f"there is no {pattern}")
    return [row | {"stale": is_stale(row)} for row in found]


def _merged(row: Row) -> Row:
    parts = [
        row[key] for key in ("report", "settings", "definition") if isinstance(row.get(key), dict)
    ]
    return dict(ChainMap(row, *parts))


def is_stale(row: Row) -> bool:
    """Whether a measurement does not fit the game of today; warns if so.

    An option that it does not name has its default: it joined the game later.
    """
    wrong = ""
    try:
        game = load_game(row["environment"])
        game.complete_options(row["options"])
        hashes = row.get("observation_layout"), row.get("action_list")
        if hashes not in ((None, None), (game.layout_hash, game.actions_hash)):
            wrong = f"{game.env_name} has another observation or other actions now"
    except (ValueError, TypeError) as error:
        wrong = str(error)
    if wrong:
        warn(f"{row['path'].relative_to(ROOT)} is stale: {wrong}")
    return bool(wrong)


@cache
def warn(line: str) -> None:
    """Print a line on standard error, once."""
    print(line, file=sys.stderr)


def attempt(name: str, make: str | Callable[[], str], otherwise: str) -> str:
    """The text made from measurements; if they cannot be read, the other text, with a line on
    stderr."""
    try:
        return make if isinstance(make, str) else make()
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        warn(f"{name} stays as it is: {error or type(error).__name__}")
        return otherwise


def with_tables(text: str, tables: Mapping[str, str | Callable[[], str]]) -> str:
    """A page with its tables, between ``<!-- name -->`` and ``<!-- end of name -->``."""
    for name in re.findall(r"<!-- (.+?) -->.*?<!-- end of \1 -->", text, re.DOTALL):
        if name in tables:
            made = attempt(f"the table {name!r}", tables[name], part(text, name).strip())
            text = with_part(text, name, f"\n\n{made}\n\n")
    return text
