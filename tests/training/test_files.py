"""Folders of runs and policies: what is in the way is said in one line before the training, and
what was left is swept."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from dig_envs.engine.core.files import replaced
from tests.training.tiny import LEG, command, done, said, train
from training import metrics
from training.checkpoints import list_checkpoints
from training.files import LOCK, check_can_write, locked, remove_drafts, remove_drafts_of


def dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


# ---------------------------------------------------------------- found before the training


def refused(tmp_path, out, message, run=None):
    run = run or tmp_path / "run"
    result = train(run, out, "--steps", "10")
    assert result.exit_code == 2, result.output
    assert message in said(result)
    assert "Traceback" not in result.output
    assert not (run / "run.json").exists()


def test_out_cannot_be_made(tmp_path):
    (tmp_path / "letter").write_text("dear")
    refused(tmp_path, tmp_path / "letter", "holds no policy")
    refused(tmp_path, tmp_path / "letter" / "zoo" / "x", "is a file")
    refused(tmp_path, "/proc/nothing/x", "cannot be written to")
    refused(tmp_path, tmp_path / "zoo" / "x", "cannot be made", tmp_path / "letter")
    assert not (tmp_path / "zoo").exists()
    assert (tmp_path / "letter").read_text() == "dear"


def test_no_room_on_the_disk(tmp_path):
    check_can_write(tmp_path / "new", 1)
    assert not (tmp_path / "new").exists()
    with pytest.raises(
        ValueError, match=r"about 1000000000000 MB are needed, and the disk has \d+ MB left"
    ):
        check_can_write(tmp_path, 10**18)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of the size of files")
@pytest.mark.parametrize(
    "kilobytes",
    [pytest.param(0, marks=pytest.mark.slow), 2, pytest.param(40, marks=pytest.mark.slow)],
)
def test_the_disk_is_full_in_the_middle(tmp_path, kilobytes):
    """A full disk (here a limit of the size of files, of logs, of the policy, of checkpoints) is
    told in one line that says how to go on; nothing is left half written, and the run goes on."""
    run, out = tmp_path / "run", tmp_path / "zoo" / "x"
    size = kilobytes * 1000

    def limited():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    failed = subprocess.run(
        command(run, out, "--steps", str(3 * LEG)),
        preexec_fn=limited,
        # Python would keep bytecode that is cut at the limit, and fail to load it ever after
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert failed.returncode == 2, failed.stderr
    assert "cannot be written: the disk is full, or a quota or limit is reached" in failed.stdout
    assert "Traceback" not in failed.stdout + failed.stderr
    assert not (tmp_path / "zoo").exists()
    assert not [path for path in run.rglob("*") if path.name.startswith(".")]
    assert train(run, out, "--steps", str(3 * LEG)).exit_code == 0


def test_errors_of_other_threads_are_told_while_tensorboard_writes(tmp_path, monkeypatch):
    """By the hook of whoever set one, which is there again afterwards."""
    told = []
    monkeypatch.setattr(threading, "excepthook", lambda failure: told.append(failure.exc_value))
    hook, error = threading.excepthook, OSError("of another thread")

    def fail():
        raise error

    with metrics.open_tensorboard(tmp_path, 0) as writer:
        metrics.to_tensorboard(writer, {"steps": 1, "phase": "ppo", "kl": 0.5})
        other = threading.Thread(target=fail)
        other.start()
        other.join()
    assert told == [error]
    assert threading.excepthook is hook


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_anew(tmp_path):
    """Nothing that it had measured is taken for a part of the new one."""
    run = tmp_path / "run"
    run.mkdir()
    (run / metrics.FILE).write_text('{"steps": 99999, "phase": "ppo"}\n{"steps": 256, "pha')
    done(train(run, tmp_path / "zoo" / "x", "--steps", str(LEG)))
    steps = [row["steps"] for row in metrics.read(run)]
    assert steps
    assert max(steps) == LEG


# ---------------------------------------------------------------- one at a time


def test_a_second_training_is_refused(tmp_path):
    """A second training in the same folder is refused, and the message names the process of the
    first one."""
    run = tmp_path / "run"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            (
                "from training.files import *\n"
                f"with locked(Path({str(run)!r})): print('locked', flush=True); input()"
            ),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "locked\n"
    result = train(run, tmp_path / "zoo" / "x", "--steps", str(LEG))
    assert result.exit_code == 2
    assert f"another training (process {holder.pid}) is at work in" in said(result)
    assert not (run / "run.json").exists()
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert (run / LOCK).read_text() == f"{holder.pid}\n"
    with locked(run):
        assert (run / LOCK).read_text() == f"{os.getpid()}\n"


@pytest.mark.parametrize("kind", ["to nothing", "to itself", "to a file"])
def test_a_link_that_leads_to_no_folder_is_said_before_the_training(tmp_path, kind):
    link, file = tmp_path / "link", tmp_path / "file"
    file.write_text("mine")
    link.symlink_to(
        {"to nothing": tmp_path / "nothing", "to itself": link, "to a file": file}[kind]
    )
    with pytest.raises(ValueError, match="a link that leads to no folder"):
        check_can_write(link, 1)
    assert file.read_text() == "mine"


def test_what_a_link_led_to_stays_when_a_policy_takes_its_place(tmp_path):
    there, link = tmp_path / "there", tmp_path / "link"
    there.mkdir()
    (there / "mine").write_text("mine")
    link.symlink_to(there, target_is_directory=True)
    with replaced(link) as draft:
        (draft / "card.json").write_text("{}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "there"]
    assert [path.name for path in link.iterdir()] == ["card.json"]
    assert (there / "mine").read_text() == "mine"


# ---------------------------------------------------------------- swept, interrupted


def test_drafts_are_removed_at_the_next_start(tmp_path):
    """The next start removes the drafts of the run and, beside the policy, only the drafts of this
    policy by processes that have ended.
    """
    run, zoo = tmp_path / "run", tmp_path / "zoo"
    for folder in (
        run / ".checkpoint-000000000999.123.tmp",
        run / "pool" / ".snapshot-1.5.tmp",
        run / ".best.7.old",
    ):
        folder.mkdir(parents=True)
        (folder / "learner.pt").write_text("half")
    (run / ".metrics.jsonl.5.tmp").write_text("half")
    (run / "kept.tmp").write_text("mine")
    remove_drafts(run)
    assert sorted(path.name for path in run.rglob("*")) == ["kept.tmp", "pool"]
    dead, living = dead_process(), os.getppid()
    for name in (
        f".x.{dead}.tmp",
        f".x.{dead}.old",
        f".x.{living}.tmp",
        f".other.{dead}.tmp",
        ".x.tmp",
        "x",
    ):
        (zoo / name).mkdir(parents=True)
    remove_drafts_of(zoo / "x")
    assert sorted(path.name for path in zoo.iterdir()) == sorted(
        [f".x.{living}.tmp", f".other.{dead}.tmp", ".x.tmp", "x"]
    )


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(how, tmp_path):
    """Ctrl-C, or what ``timeout`` and clusters send, says from where the same command goes on, and
    it does."""
    run, out = tmp_path / "run", tmp_path / "zoo" / "x"
    process = subprocess.Popen(
        command(run, out, "--steps", str(10_000 * LEG)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # tests may run where it is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.time() + 120
    while len(list_checkpoints(run)) < 1 and time.time() < deadline:
        time.sleep(0.01)
    (run / ".checkpoint-000000000999.123.tmp").mkdir()
    process.send_signal(how)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert f"interrupted; the same command goes on from {list_checkpoints(run)[-1]}" in " ".join(
        output.split()
    )
    assert "Traceback" not in output + errors
    result = train(run, out, "--steps", "1")
    assert result.exit_code == 2
    assert "asked for 1" in said(result)
