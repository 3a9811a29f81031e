"""The learning curve of a run, as a picture and in the terminal."""

from pathlib import Path
from typing import Any

from rich.bar import Bar
from rich.console import Console
from rich.table import Table

from dig_envs.arena.plots import axes_for_file, save

from . import metrics

Rows = list[dict[str, Any]]
MILLION = 1e6
LINES = 16  # of the curve in a terminal, at most
BAR_WIDTH = 40
SIZE = (7.0, 5.0)  # of the picture, in inches


def draw_curve(run: Path, file: Path, title: str) -> None:
    """Draw the learning curve of a run into a file."""
    axes = axes_for_file(SIZE, rows=2)
    draw_rows(metrics.read(run), axes, title)
    save(axes[0], file)


def draw_rows(rows: Rows, axes: Any, title: str) -> None:
    """Draw the share of the victory over the learner's decisions, and below it the mean score or,
    with a gate, the strengths."""
    warm = max((row["steps"] / MILLION for row in rows if row["phase"] == "imitation"), default=0.0)
    above, below = axes
    _draw_played(above, rows, "won", "won")
    if any("strength" in row for row in rows):
        _draw_strengths(below, [row for row in rows if "strength" in row])
    else:
        _draw_played(below, rows, "score", "mean score")
    for axes in (above, below):
        if warm:
            axes.axvspan(0, warm, color="0.92", label="imitation" if axes is above else None)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    above.legend(loc="lower right", fontsize="small")
    above.set_title(title)
    below.set_xlabel("decisions of the learner, millions")


def print_curve(run: Path, console: Console) -> None:
    """Print how strong the network was after each leg (some of them where they are many), with a
    bar for each."""
    rows = metrics.read(run)
    what = what_is_measured(rows)
    table = Table(
        "decisions",
        what,
        "",
        title="learning curve",
        title_justify="left",
        box=None,
        header_style="bold",
    )
    table.columns[0].justify = "right"
    for row in evaluations(rows):
        value = value_of(row)
        table.add_row(f"{row['steps']:,}", f"{value:.3f}", Bar(1.0, 0.0, value, width=BAR_WIDTH))
    console.print(table)


def evaluations(rows: Rows) -> Rows:
    """The rows of evaluations, at most ``LINES`` of them."""
    rows = [row for row in rows if "greedy_won" in row]
    return (
        [rows[round(k * (len(rows) - 1) / (LINES - 1))] for k in range(LINES)]
        if len(rows) > LINES
        else rows
    )


def what_is_measured(rows: Rows) -> str:
    """The meaning of :func:`value_of`, in words."""
    first = next((row for row in rows if "greedy_won" in row), {})
    return f"strength against {_first_group(first)}" if "strength" in first else "won"


def value_of(row: dict[str, Any]) -> float:
    """The strength against the first opponent of the pool, or else the share of the victory in an
    evaluation, 0 to 1."""
    return float(row["strength"][_first_group(row)] if "strength" in row else row["greedy_won"])


def _first_group(row: dict[str, Any]) -> str:
    return str(next(iter(row["strength"])))


def _draw_played(axes: Any, rows: Rows, key: str, label: str) -> None:
    """Draw a metric of the evaluation games, and of those played while training (while imitating,
    in part by the teacher)."""
    evaluations = [row for row in rows if f"greedy_{key}" in row]
    played = [row for row in rows if row["phase"] in ("imitation", "ppo") and key in row]
    for some, name, style in (
        (evaluations, f"greedy_{key}", {"color": "C0", "marker": ".", "label": "likeliest action"}),
        (
            played,
            key,
            {"color": "C1", "alpha": 0.5, "linewidth": 1, "label": "while training (random)"},
        ),
    ):
        axes.plot([row["steps"] / MILLION for row in some], [row[name] for row in some], **style)
    axes.set_ylabel(label)


def _draw_strengths(axes: Any, rows: Rows) -> None:
    """Draw the strength against each group of the pool, a triangle where the gate was passed, a
    line for an equal player."""
    for k, group in enumerate(dict.fromkeys(group for row in rows for group in row["strength"])):
        measured = [row for row in rows if group in row["strength"]]
        axes.plot(
            [row["steps"] / MILLION for row in measured],
            [row["strength"][group] for row in measured],
            f"C{k}.-",
            label=group,
        )
    passed = [row["steps"] / MILLION for row in rows if row.get("promoted")]
    axes.plot(
        passed, [0.03] * len(passed), "k^", markersize=4, linestyle="", label="passed the gate"
    )
    axes.axhline(0.5, color="0.5", linewidth=1)
    axes.set_ylabel("strength")
    axes.set_ylim(0, 1)
    axes.legend(loc="lower right", fontsize="small", ncols=2)
