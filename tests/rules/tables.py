"""Reads the tables of a game's RULES.md, to which the tests compare the box."""

from dig_envs.engine.game import Game
from tests.worked_examples import rules_text


def table(game: Game, heading: str) -> list[dict[str, str]]:
    """Return the rows of the first table whose first column has this heading, each as its cells by
    the headings."""
    lines = rules_text(game).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    headings = cells(lines[first])
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(headings, cells(line), strict=True)))
    return rows


def cells(line: str) -> list[str]:
    """Return the cells of a line of a table, without the marks of code."""
    return [cell.strip(" `") for cell in line.strip("|").split("|")]


def number(cell: str) -> float:
    """Return a number as it is printed; 0 for a dash."""
    return 0 if cell == "–" else float(cell.replace(",", ""))
