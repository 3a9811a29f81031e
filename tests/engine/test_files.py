"""Files that are written completely or not at all, and their names."""

import errno
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dig_envs.commands.output import check_files, write_text
from dig_envs.engine.core.files import (
    CannotWrite,
    check_file_name,
    check_folder,
    check_writable,
    write_file,
)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def there() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*"))


@pytest.mark.parametrize("content", ["text ä\n", b"\x00\xff", ""])
def test_what_is_written_is_read(content):
    for _ in range(2):  # also in the place of another
        write_file(Path("file"), content)
        read = Path("file").read_bytes()
        assert read == (content.encode() if isinstance(content, str) else content)
    assert there() == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="there is no limit of the size of files")
def test_a_full_disk_leaves_the_old_file():
    import resource

    Path("file").write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"^file cannot be written: the disk is full"):
            write_file(Path("file"), "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert Path("file").read_text() == "old"
    assert there() == ["file"]


def test_an_interruption_leaves_the_old_file(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    Path("file").write_text("old")
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(Path("file"), "new")
    assert Path("file").read_text() == "old"
    assert there() == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_not_followed():
    """Neither that of the file nor one in the place of the draft."""
    Path("outside").write_text("mine")
    Path("file").symlink_to("outside")
    Path(f".file.{os.getpid()}.tmp").symlink_to("outside")
    write_file(Path("file"), "new")
    assert Path("outside").read_text() == "mine"
    assert Path("file").read_text() == "new"
    assert not Path("file").is_symlink()
    assert there() == ["file", "outside"]


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes in folders")
def test_what_is_no_regular_file_is_written_to():
    """A pipe, also through a link, stays one, and gets what is written."""
    os.mkfifo("pipe")
    Path("link").symlink_to("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    for write in (write_file, write_text):
        for name in ("pipe", "link"):
            check_writable(Path(name))
            check_files(Path(name))
            write(Path(name), "new")
            assert os.read(reader, 100) == b"new"
    os.close(reader)
    assert Path("pipe").is_fifo()
    assert Path("link").is_symlink()
    assert there() == ["link", "pipe"]


PRINT_AND_WRITE = """
from pathlib import Path
from dig_envs.commands.output import check_files, write_text
print("before", flush=True)
check_files(Path("/dev/stdout"))
write_text(Path("/dev/stdout"), "written\\n")
print("after")
"""


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="the system has no such name for it")
@pytest.mark.parametrize("to", ["a pipe", "a file", "a file without a name"])
def test_standard_output_is_written_to(to):
    command = [sys.executable, "-c", PRINT_AND_WRITE]
    if to == "a pipe":
        printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    else:
        with Path("file").open("w+b") as file:
            if to == "a file without a name":
                Path("file").unlink()
            subprocess.run(command, stdout=file, check=True)
            file.seek(0)
            printed = file.read()
    assert printed.split() == [b"before", b"written", b"after"]
    assert there() == (["file"] if to == "a file" else [])


@pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_permissions_of_an_old_file_stay(mode):
    Path("file").write_text("old")
    Path("file").chmod(mode)
    write_file(Path("file"), "new")
    assert Path("file").read_text() == "new"
    assert stat.S_IMODE(Path("file").stat().st_mode) == mode


@pytest.mark.parametrize("name", ["x" * 250, "ä" * 125])
def test_long_names(name):
    check_writable(Path(name))
    write_file(Path(name), "new")
    assert there() == [name]


def test_errors_pass_between_processes():
    for reason in (OSError(errno.ENOSPC, "no space"), OSError("odd"), PermissionError(13, "no")):
        error = CannotWrite(Path("file"), reason)
        copy = pickle.loads(pickle.dumps(error))
        assert str(copy) == str(error)
        assert str(error).startswith("file cannot be written: ")
        assert (copy.errno, copy.filename) == (reason.errno, "file")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere/file", "there is no folder nowhere"),
        ("folder", "it is a folder"),
        ("old/file", "there is no folder old"),
        ("x" * 300, "too long"),
        ("/proc/file", "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_told_before(path, words):
    Path("folder").mkdir()
    Path("old").write_text("mine")
    with pytest.raises(OSError, match=words):
        check_writable(Path(path))
    assert there() == ["folder", "old"]


@pytest.mark.parametrize("path", ["nowhere/folder", "old", "old/folder", "/proc/folder", "x" * 300])
def test_folders_that_cannot_be_made(path):
    Path("old").write_text("mine")
    with pytest.raises(OSError, match="cannot be written"):
        check_folder(Path(path))
    check_folder(Path("new"))
    check_folder(Path())
    assert there() == ["old"]


@pytest.mark.parametrize(
    "name",
    ["", "con", "NUL", "aux.json", "Com1.tar.gz", "lpt9 .x", "a:b", "a/b", "a\\b", "x.", "x ", "..",
     "a\nb", "\u202ex", "a\0b", 'a"b', "a?", "a*", "COM¹"],
)  # fmt: skip
def test_names_that_not_every_system_takes(name):
    with pytest.raises(ValueError, match="cannot be the name of a file on every system") as error:
        check_file_name(name, "the name")
    assert error.value.args[0].isprintable()


@pytest.mark.parametrize("name", ["mine", "con1", "null", "a.b-c_d+e=f", "Ä", ".hidden", "com10"])
def test_names_that_every_system_takes(name):
    assert check_file_name(name, "the name") == name


def test_on_windows_files_have_names_of_windows(monkeypatch):
    monkeypatch.setattr("dig_envs.engine.core.files.WINDOWS", True)
    check_writable(Path("report.json"))
    with pytest.raises(ValueError, match="the name 'NUL' cannot be"):
        check_writable(Path("NUL"))
