"""Held-out seeds and the leaderboard: ``dig-envs benchmark commit`` and ``submit``."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dig_envs
from dig_envs.arena.json_form import to_text
from dig_envs.benchmark.held_out import make_seeds, read_seeds
from dig_envs.benchmark.leaderboard import (
    Submission,
    in_order,
    leaderboard_text,
    make_rows,
    read_json,
    row_of,
    tables,
)
from dig_envs.benchmark.report import Report
from dig_envs.benchmark.submission import changed_rules, play_again
from dig_envs.commands.output import say
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.core.files import write_file

# of a checkout; an installation has none
RESULTS = Path(dig_envs.__file__).parent / "documentation" / "results"
FOLDER = "leaderboard"


def commit_to(path: Path, name: str) -> None:
    """Print the commitment to the seeds of a file, which is made if it is not there."""
    if not path.exists():
        if not name:
            raise BenchmarkError(
                f"{path} is not there: give --name for a new secret, such as --name 2027-spring"
            )
        make_seeds(path, name)
        say(
            f"{path} has a new secret. Keep it, and tell nobody before the last measurement. The "
            "commitment:"
        )
    today = datetime.now(UTC).date().isoformat()
    print(json.dumps({**read_seeds(path).as_json(), "date": today}, indent=1))


def submit_report(
    path: Path,
    about: Mapping[str, str],
    again: str,
    play_as: str,
    board: Path | None,
    replace: bool,
    workers: int,
) -> None:
    """Check a report, print its row, and put it on the leaderboard in a folder, if there is one.

    Args:
        path: a file of reports, or a submission. about: ``name``, ``authors``, ``link`` and
            ``agent``, each may be "".
        again, play_as, workers: which tasks to play again, who plays them, in how many processes.
        board: folder of the submissions. replace: whether a submission of the same name may be
            replaced.
    """
    submission = _submission(read_json(path), **about)
    checked = submission.check()
    if again:
        differ = play_again(checked, again, workers, play_as)
        if differ:
            raise BenchmarkError(
                f"played again, the deals of {', '.join(differ)} have other results"
            )
        say(f"played again: {again} has the same results, deal by deal")
    if changed := changed_rules(checked):
        say(
            f"made with other source code of the rules: {', '.join(changed)}. To find out whether "
            "that matters, add --again '*'"
        )
    folder = board or (RESULTS / FOLDER if RESULTS.is_dir() else None)
    content = to_text(submission.as_json()).encode()
    row = row_of(submission, checked, submission.file_name, content)
    where: Any = "--board names a folder to put it in"
    if folder is not None:
        where = folder / submission.file_name
        if where.exists() and not replace and where.read_bytes() != content:
            raise BenchmarkError(
                f"{where} is there already: choose another --name, or replace it by --replace"
            )
        text = leaderboard_text(in_order([*make_rows(folder, instead_of=where.name), row]))
        folder.mkdir(parents=True, exist_ok=True)
        write_file(where, content)
        write_file(folder.parent / "leaderboard.json", text)
    say(tables([row]))
    say(f"nothing is wrong with the report: {where}")


def _submission(plain: Any, name: str, authors: str, link: str, agent: str) -> Submission:
    if isinstance(plain, dict) and plain.get("kind") == Submission.KIND:
        if name or authors or link or agent:
            raise BenchmarkError(
                "the file is a submission, which has name, authors and link already"
            )
        return Submission.from_json(plain)
    if not authors:
        raise BenchmarkError("a submission needs its authors: --authors 'A. Author, B. Author'")
    reports = [Report.from_json(one) for one in (plain if isinstance(plain, list) else [plain])]
    names = [str(one.agent.get("agent")) for one in reports]
    fitting = [one for one, own in zip(reports, names, strict=True) if not agent or own == agent]
    if len(fitting) != 1:
        raise BenchmarkError(
            f"there are {len(fitting)} reports to submit: choose one by --agent, of "
            f"{', '.join(names)}"
        )
    today = datetime.now(UTC).date().isoformat()
    return Submission(
        name or str(fitting[0].agent.get("agent")), authors, link, today, fitting[0].as_json()
    )
