"""The leaderboard: a row for each report that was submitted and checked.

A submission is a JSON file: ``kind``, ``format``, ``name``, ``authors``, ``link``, ``date`` and the ``report``. The folder of
submissions and ``leaderboard.json``, which is made from it, are part of the repository (``dig_envs/documentation/results``).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.arena.json_form import JsonReport, to_text
from dig_envs.benchmark.claims import player_kind
from dig_envs.benchmark.report import AGGREGATES, Report
from dig_envs.benchmark.submission import check_report
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.text.markdown import markdown_table

KIND, FORMAT = "dig_envs leaderboard", 1
LONGEST = {"name": 60, "authors": 200, "link": 300}  # characters
LARGEST_FILE = 1 << 26  # bytes


@dataclass(frozen=True)
class Submission(JsonReport):
    """A report that somebody submits.

    ``name``: of the player on the leaderboard. ``authors``: who made it. ``link``: to code or paper, or "". ``date``: YYYY-MM-DD.
    """

    KIND, FORMAT, NAME, ERROR = "dig_envs submission", 1, "a submission", BenchmarkError

    name: str
    authors: str
    link: str
    date: str
    report: dict[str, Any]

    def check(self) -> Report:
        """Return the report; raises BenchmarkError if anything about the submission or its report is wrong."""
        for key, most in LONGEST.items():
            value = getattr(self, key)
            if not isinstance(value, str) or len(value) > most or not value.isprintable() or (not value and key != "link"):
                raise BenchmarkError(f"{key} must be a line of at most {most} characters, not {shown_in_message(value)}")
        if not any(character.isalnum() for character in self.name):
            raise BenchmarkError(f"name must have letters or digits, not {shown_in_message(self.name)}")
        if self.link and not re.fullmatch(r"https?://[^\s<>|()\[\]]+", self.link):
            raise BenchmarkError(f"the link must be an address that begins with https://, not {shown_in_message(self.link)}")
        if not _is_day(self.date):
            raise BenchmarkError(f"the date must be YYYY-MM-DD, not {shown_in_message(self.date)}")
        report = Report.from_json(self.report)
        check_report(report)
        return report

    @property
    def file_name(self) -> str:
        """The name of its file: that of the player and of the suite."""
        suite = self.report["suite"]
        words = [self.name, str(suite["name"]), str(suite["version"]), *filter(None, [(suite.get("held_out") or {}).get("name")])]
        return "-".join(re.sub(r"[^\w.+=]+", "_", word) for word in words) + ".json"


def _is_day(text: Any) -> bool:
    try:
        return bool(date.fromisoformat(text).isoformat() == text)
    except (TypeError, ValueError):
        return False


def read_submission(path: Path) -> Submission:
    """Return the submission in a file; raises BenchmarkError if it is none, OSError if it cannot be read."""
    return Submission.from_json(read_json(path))


def read_json(path: Path) -> Any:
    """Return what a JSON file holds; raises BenchmarkError if it is no JSON or too large, OSError if it cannot be read."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    try:
        if len(content) > LARGEST_FILE:
            raise ValueError(f"it has more than {LARGEST_FILE} bytes")
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"{path} cannot be read as JSON: {error}") from None


def make_rows(folder: Path, instead_of: str = "") -> list[dict[str, Any]]:
    """Return the rows of the leaderboard, made from the files of a folder, all of which are checked.

    Args:
        folder: of the submissions. instead_of: the name of a file that does not count.

    Raises:
        BenchmarkError: a file is no submission, or something is wrong with its report; the message names the file.
    """
    rows = []
    for path in sorted(folder.glob("*.json")):
        if path.name == instead_of:
            continue
        try:
            submission = read_submission(path)
            report = submission.check()
        except BenchmarkError as error:
            raise BenchmarkError(f"{path.name}: {error}") from None
        rows.append(row_of(submission, report, path.name, path.read_bytes()))
    return in_order(rows)


def in_order(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows in order: the newest version of the suite first, then the larger suite, then the best interquartile mean."""
    return sorted(rows, key=lambda row: (-row["version"], row["suite"], row["held_out"] or "", -row["aggregates"]["iqm"]["mean"]))


def row_of(submission: Submission, report: Report, file_name: str, content: bytes) -> dict[str, Any]:
    """Return the row of a submission: who, which suite and seeds, which kind of player, aggregates, and the hash of its file."""
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
    """Return ``leaderboard.json`` as text."""
    return to_text({"kind": KIND, "format": FORMAT, "rows": list(rows)})


def tables(rows: Sequence[dict[str, Any]]) -> str:
    """Return the leaderboard as Markdown: a table for each version, suite and list of seeds."""
    parts = []
    for version, suite, held_out in dict.fromkeys((row["version"], row["suite"], row["held_out"]) for row in rows):
        these = [row for row in rows if (row["version"], row["suite"], row["held_out"]) == (version, suite, held_out)]
        deals = f"held-out deals `{held_out}`" if held_out else "public deals"
        table = markdown_table(
            ("", "player", *HEADINGS, "shown", "by", "date"), [_cells(k + 1, row) for k, row in enumerate(these)]
        )
        parts.append(f"**Version {version}, suite `{suite}`, {deals}**\n\n{table}")
    return "\n\n".join(parts)


HEADINGS = ("interquartile mean", "mean", "median", "gap")


def _cells(place: int, row: dict[str, Any]) -> tuple[str, ...]:
    aggregates = [Interval(**row["aggregates"][key]).rounded(1) for key in AGGREGATES]
    name = f"[{_plain(row['name'])}]({row['link']})" if row["link"] else _plain(row["name"])
    shown = row["player"] + (f", {row['choice']}" if row["choice"] else "")
    return str(place), name, *aggregates, shown, _plain(row["authors"]), row["date"]


def _plain(text: str) -> str:
    """Return a text from outside for a table in Markdown, without its meaning in Markdown or HTML."""
    return re.sub(r"([\\`*_{}\[\]<>#])", r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")
