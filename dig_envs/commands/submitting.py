"""Held-out seeds and the leaderboard: ``dig-envs benchmark commit`` and ``submit``."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dig_envs
from dig_envs.arena.json_form import to_text
from dig_envs.benchmark.held_out import make_seeds, new_commitment, read_seeds
from dig_envs.benchmark.leaderboard import Submission, leaderboard_text, make_rows, read_json, row_of, tables
from dig_envs.benchmark.submission import play_again
from dig_envs.commands.output import say
from dig_envs.engine.core.errors import BenchmarkError

RESULTS = Path(dig_envs.__file__).parent / "documentation" / "results"  # of a checkout; an installation has none
FOLDER = "leaderboard"


def commit_to(path: Path, name: str) -> None:
    """Print the commitment to the seeds of a file, which is made if it is not there."""
    if not path.exists():
        if not name:
            raise BenchmarkError(f"{path} is not there: give --name for a new secret, such as --name 2027-spring")
        make_seeds(path, name)
        say(f"{path} has a new secret. Keep it, and tell nobody before the last measurement. The commitment:")
    print(json.dumps(new_commitment(read_seeds(path)), indent=1))


def submit_report(path: Path, name: str, authors: str, link: str, agent: str, again: str, board: Path | None, workers: int) -> None:
    """Check a report, print its row, and put it on the leaderboard in a folder, if there is one."""
    plain = read_json(path)
    if isinstance(plain, dict) and plain.get("kind") == Submission.KIND:
        submission = Submission.from_json(plain)
    else:
        report = _chosen(plain, agent)
        said = str((report.get("agent") or {}).get("agent", "")) if isinstance(report.get("agent"), dict) else ""
        today = datetime.now(UTC).date().isoformat()
        submission = Submission(name or said, authors or "unknown", link, today, report)
    checked = submission.check()
    if again:
        differ = play_again(checked, again, workers)
        if differ:
            raise BenchmarkError(f"played again, the deals of {', '.join(differ)} have other results")
        say(f"played again: {again} has the same results, deal by deal")
    folder = board or (RESULTS / FOLDER if RESULTS.is_dir() else None)
    if folder is None:
        say("nothing is wrong with the report; --board names a folder to put it in")
        return
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / submission.file_name
    file.write_text(to_text(submission.as_json()), encoding="utf-8")
    (folder.parent / "leaderboard.json").write_text(leaderboard_text(make_rows(folder)), encoding="utf-8")
    print(tables([row_of(submission, checked, file)]))
    say(f"nothing is wrong with the report: {file}")


def _chosen(plain: Any, agent: str) -> dict[str, Any]:
    """Return one report of a file of reports."""
    reports = [one for one in (plain if isinstance(plain, list) else [plain]) if isinstance(one, dict)]
    names = [one["agent"].get("agent") if isinstance(one.get("agent"), dict) else None for one in reports]
    fitting = [one for one, name in zip(reports, names, strict=True) if not agent or name == agent]
    if len(fitting) != 1:
        raise BenchmarkError(f"there are {len(fitting)} reports to submit: choose one by --agent, of {', '.join(map(str, names))}")
    return fitting[0]
