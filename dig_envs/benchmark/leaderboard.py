"""The leaderboard: a row for each report that was submitted and checked.

A submission is a JSON file: ``kind``, ``format``, ``name``, ``authors``, ``link``, ``date`` and the
``report``. The folder of submissions and ``leaderboard.json``, which is made from it, are part of
the repository (``dig_envs/documentation/results``).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.arena.json_form import JsonReport, to_text
from dig_envs.benchmark.report import AGGREGATES, Report
from dig_envs.benchmark.submission import check_report, player_kind
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.text.markdown import markdown_table, markdown_words

KIND, FORMAT = "dig_envs leaderboard", 1
HEADINGS = ("interquartile mean", "mean", "median", "gap")
FORMS = {  # of the entries of a submission: what they match, in words
    "name": (r"(?=.*\w).{1,60}", "a line of at most 60 characters"),
    "authors": (r".{1,200}", "a line of at most 200 characters"),
    "link": (r"|https?://[^\s<>|()\[\]]{1,300}", "an address that begins with https://, or empty"),
    "date": (r"\d{4}-\d{2}-\d{2}", "YYYY-MM-DD"),
}


@dataclass(frozen=True)
class Submission(JsonReport):
    """A report that somebody submits.

    ``name``: of the player on the leaderboard. ``authors``: who made it. ``link``: to code or
    paper, or "". ``date``: YYYY-MM-DD.
    """

    KIND, FORMAT, NAME, ERROR = "dig_envs submission", 1, "a submission", BenchmarkError

    name: str
    authors: str
    link: str
    date: str
    report: dict[str, Any]

    def check(self) -> Report:
        """The report; raises BenchmarkError if anything about the submission or its report is
        wrong."""
        for key, (form, words) in FORMS.items():
            value = getattr(self, key)
            if not re.fullmatch(form, value) or not value.isprintable():
                raise BenchmarkError(f"{key} must be {words}, not {shown_in_message(value)}")
        report = Report.from_json(self.report)
        check_report(report)
        return report

    @property
    def file_name(self) -> str:
        """The name of the file of a checked submission: that of the player and of the suite."""
        suite = self.report["suite"]
        held_out = [suite["held_out"]["name"]] if suite.get("held_out") else []
        words = [self.name, suite["name"], str(suite["version"]), *held_out]
        return "-".join(re.sub(r"[^\w.+=]+", "_", word) for word in words) + ".json"


def read_json(path: Path) -> Any:
    """The content of a JSON file; raises BenchmarkError if it is not JSON, OSError if it cannot be
    read."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"{path} cannot be read as JSON: {error}") from None


def read_submission(path: Path) -> Submission:
    """The submission in a file; raises BenchmarkError if it has another form, OSError if it cannot
    be read."""
    return Submission.from_json(read_json(path))


def make_rows(folder: Path, instead_of: str = "") -> list[dict[str, Any]]:
    """The rows of the leaderboard, from the files of a folder, all of which are checked.

    Args:
        folder: of the submissions. instead_of: the name of a file that does not count.

    Raises:
        BenchmarkError: a file is no submission, or something is wrong with its report; the message
            names the file.
    """
    rows = []
    for path in sorted(folder.glob("*.json")):
        if path.name != instead_of:
            try:
                submission = read_submission(path)
                rows.append(row_of(submission, submission.check(), path.name, path.read_bytes()))
            except BenchmarkError as error:
                raise BenchmarkError(f"{path.name}: {error}") from None
    return in_order(rows)


def in_order(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows in order: the larger suite first, then the best interquartile mean."""
    return sorted(
        rows,
        key=lambda row: (row["suite"], row["held_out"] or "", -row["aggregates"]["iqm"]["mean"]),
    )


def row_of(
    submission: Submission, report: Report, file_name: str, content: bytes
) -> dict[str, Any]:
    """The row of a submission: names, suite and seeds, kind of player, aggregates, and the hash of
    its file."""
    return {
        "name": submission.name,
        "authors": submission.authors,
        "link": submission.link,
        "date": submission.date,
        "suite": report.suite["name"],
        "version": report.suite["version"],
        "held_out": (report.suite.get("held_out") or {}).get("name"),
        "agent": report.agent["agent"],
        "player": player_kind(report),
        "choice": report.agent.get("choice"),
        "aggregates": report.as_json()["aggregates"],
        "dig_envs": report.versions["dig_envs"],
        "report": file_name,
        "sha256": sha256(content).hexdigest(),
    }


def leaderboard_text(rows: Sequence[dict[str, Any]]) -> str:
    """The text of ``leaderboard.json``."""
    return to_text({"kind": KIND, "format": FORMAT, "rows": list(rows)})


def tables(rows: Sequence[dict[str, Any]]) -> str:
    """The leaderboard as Markdown: a table for each version, suite and list of seeds."""
    parts: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        deals = f"held-out deals `{row['held_out']}`" if row["held_out"] else "public deals"
        these = parts.setdefault(
            f"**Version {row['version']}, suite `{row['suite']}`, {deals}**", []
        )
        these.append((str(len(these) + 1), *_cells(row)))
    head = ("", "player", *HEADINGS, "shown", "by", "date")
    return "\n\n".join(
        f"{title}\n\n{markdown_table(head, these)}" for title, these in parts.items()
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    aggregates = [Interval(**row["aggregates"][key]).rounded(1) for key in AGGREGATES]
    name = (
        f"[{markdown_words(row['name'])}]({row['link']})"
        if row["link"]
        else markdown_words(row["name"])
    )
    shown = row["player"] + (f", {row['choice']}" if row["choice"] else "")
    return name, *aggregates, shown, markdown_words(row["authors"]), row["date"]
