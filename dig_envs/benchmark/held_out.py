"""Deals that nobody can train on or look up: seeds from a secret that a maintainer keeps, to which
the repository is committed.

A file holds the secret, and ``commitments.json`` its hash. Whoever has the file can measure on its
deals (``dig-envs benchmark AGENT --seeds FILE``); everybody else can see, once the secret is told,
that the deals were fixed on the day of the commitment and for all agents. The report names the
commitment and not the seeds.

The file is JSON: ``kind``, ``format``, ``name`` and ``secret``, 64 hexadecimal digits. The first
deal of a task has the seed ``3 · 2⁶² + (h mod (2⁶² - 2²⁴))``, where h is the BLAKE2b hash of eight
bytes (little-endian) of ``dig_envs held-out SECRET SEED``, with SEED the first seed of the public
task; so one secret serves all suites and versions. There are too many of these seeds to find the
one that gives a deal by trying. The commitment is the SHA-256 of ``dig_envs held-out NAME SECRET``.
"""

import json
import os
import secrets
import sys
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from dig_envs.benchmark.suite import DEALS_APART, SEEDS, Task
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import BenchmarkError

KIND, FORMAT = "dig_envs held-out seeds", 1
COMMITMENTS = Path(__file__).parent / "commitments.json"
LONGEST_NAME = 60
DIGITS = 64  # of a secret
STANDARD_INPUT = Path("-")


@dataclass(frozen=True)
class HeldOut:
    """Seeds that follow from a secret. ``name``: by which they are known."""

    name: str
    secret: str

    @property
    def sha256(self) -> str:
        """The hash to which the repository is committed."""
        return sha256(f"dig_envs held-out {self.name} {self.secret}".encode()).hexdigest()

    def seed(self, task: Task) -> int:
        """The seed of the first deal of a task."""
        digest = blake2b(
            f"dig_envs held-out {self.secret} {task.seed}".encode(), digest_size=8
        ).digest()
        return SEEDS + int.from_bytes(digest, "little") % (2**62 - DEALS_APART)

    def task(self, task: Task) -> Task:
        """The same task with deals from these seeds."""
        return replace(task, seed=self.seed(task), held_out=self.as_json())

    def as_json(self) -> dict[str, str]:
        """The part of the seeds that a report shows: their name and the hash of the commitment."""
        return {"name": self.name, "sha256": self.sha256}


def read_commitments(path: Path = COMMITMENTS) -> dict[str, str]:
    """The commitments of the repository: the hash of each secret by its name."""
    entries = json.loads(path.read_text(encoding="utf-8"))["commitments"]
    return {entry["name"]: entry["sha256"] for entry in entries}


def read_seeds(path: Path) -> HeldOut:
    """The seeds of a file; raises BenchmarkError if it has another form, OSError if it cannot be
    read.

    Args:
        path: of the file; ``-`` for the standard input, so that neither a path nor a readable file
            tells a player the seeds.
    """
    try:
        plain = json.loads(
            sys.stdin.read() if path == STANDARD_INPUT else path.read_text(encoding="utf-8")
        )
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict) or plain.get("kind") != KIND or plain.get("format") != FORMAT:
        raise BenchmarkError(f"{path} is not a file of held-out seeds of format {FORMAT}")
    name, secret = plain.get("name"), plain.get("secret")
    if (
        not isinstance(secret, str)
        or len(secret) != DIGITS
        or not set(secret) <= set("0123456789abcdef")
    ):
        raise BenchmarkError(f"{path}: the secret must be {DIGITS} hexadecimal digits")
    return HeldOut(_checked_name(name), secret)


def committed_seeds(path: Path) -> HeldOut:
    """The seeds of a file; raises as :func:`read_seeds`, and BenchmarkError unless the repository
    is committed to them."""
    seeds, known = read_seeds(path), read_commitments()
    if seeds.name not in known:
        raise BenchmarkError(
            f"{path}: there is no commitment {seeds.name!r}; there are "
            f"{', '.join(known) or 'none yet'}"
        )
    if known[seeds.name] != seeds.sha256:
        raise BenchmarkError(
            f"{path} has not the secret of the commitment {seeds.name!r}: its hash is "
            f"{seeds.sha256}"
        )
    return seeds


def make_seeds(path: Path, name: str) -> HeldOut:
    """Write a file with a new secret, for this user alone; raises FileExistsError if it is there,
    BenchmarkError for a bad name."""
    seeds = HeldOut(_checked_name(name), secrets.token_hex(DIGITS // 2))
    plain = {"kind": KIND, "format": FORMAT, **asdict(seeds)}
    with os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(json.dumps(plain, indent=1) + "\n")
    return seeds


def _checked_name(name: Any) -> str:
    if (
        not isinstance(name, str)
        or not 0 < len(name) <= LONGEST_NAME
        or not name.isascii()
        or not name.replace("-", "").isalnum()
    ):
        form = f"letters, digits and hyphens, at most {LONGEST_NAME}"
        raise BenchmarkError(
            f"seeds have a name of {form}, such as '2027-spring', not {shown_in_message(name)}"
        )
    return name
