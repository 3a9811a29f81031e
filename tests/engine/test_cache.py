"""Machine code on disk: a damaged file, a full disk or a forbidden folder costs time, nothing
else."""

import errno
import os
import warnings
from pathlib import Path

import pytest

from dig_envs.engine.compiler import cache, notice
from dig_envs.engine.compiler.cache import CacheKey, CacheWarning

FOLDER = "test-0123456789abcdef"


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """A root of its own for each test, and no other."""
    monkeypatch.setenv("DIG_ENVS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "users"))
    forget()
    yield tmp_path / "cache"
    forget()


def forget():
    """Be as a new process."""
    for function in (cache.writable_folder, cache.cache_roots, cache._tell_instead):
        function.cache_clear()
    cache._warned.clear()


def test_what_is_kept_is_found_again(root):
    assert cache.read(FOLDER, "a") is None
    cache.write(FOLDER, "a", b"first")
    cache.write(FOLDER, "b", b"")
    cache.write(FOLDER, "a", b"second")
    assert (cache.read(FOLDER, "a"), cache.read(FOLDER, "b"), cache.read("other", "a")) == (
        b"second",
        b"",
        None,
    )
    assert {path.name for path in (root / FOLDER).iterdir()} == {"a", "b"}


def test_a_damaged_file_counts_as_absent_and_is_replaced(root):
    cache.write(FOLDER, "a", b"the body of the file")
    path = root / FOLDER / "a"
    good = path.read_bytes()
    for damaged in (
        b"",
        good[:-1],  # cut
        good[: len(cache.MARK) + 5],  # cut in its head
        bytes(len(good)),
        b"\x80\x04." + good,  # of another kind
        good[:-1] + b"?",
        good + b"x",
    ):
        path.write_bytes(damaged)
        assert cache.read(FOLDER, "a") is None, damaged
        cache.write(FOLDER, "a", b"new")
        assert cache.read(FOLDER, "a") == b"new"


def test_a_file_of_another_name_or_folder_counts_as_absent(root):
    for folder in (FOLDER, "other-0123456789abcdef"):
        for name in "ab":
            cache.write(folder, name, f"{folder} {name}".encode())
    mine = root / FOLDER / "a"
    for place in (root / FOLDER / "b", root / "other-0123456789abcdef" / "a"):
        mine.write_bytes(place.read_bytes())
        assert cache.read(FOLDER, "a") is None
        mine.unlink()
        mine.symlink_to(place)
        assert cache.read(FOLDER, "a") is None
        mine.unlink()
    assert cache.read(FOLDER, "b") == f"{FOLDER} b".encode()


def test_a_folder_in_the_place_of_a_file_counts_as_absent(root):
    (root / FOLDER / "a").mkdir(parents=True)
    assert cache.read(FOLDER, "a") is None
    with pytest.warns(CacheWarning):
        cache.write(FOLDER, "a", b"new")
    assert [path.name for path in (root / FOLDER).iterdir()] == ["a"]


def test_a_full_disk_is_said_once_and_leaves_nothing_behind(root, monkeypatch):
    def full(self, data):
        Path.open(self, "wb").close()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(CacheWarning, match="No space left on device.*DIG_ENVS_CACHE_DIR"):
        cache.write(FOLDER, "a", b"body")
    assert_no_more_is_said()
    assert cache.read(FOLDER, "a") is None
    assert list((root / FOLDER).iterdir()) == []


def assert_no_more_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.write(FOLDER, "b", b"body")
        cache.write("other", "b", b"body")


def a_file(root):
    root.write_text("not a folder")
    return root


def below_a_file(root):
    return a_file(root) / "cache"


def where_nobody_can_write(root):
    return Path("/proc/dig_envs")


def of_everybody(root):
    root.mkdir(0o777)
    root.chmod(0o777)
    return root


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="this system has no such folder")
@pytest.mark.parametrize("unusable", [a_file, below_a_file, where_nobody_can_write, of_everybody])
def test_the_next_root_serves_where_the_first_cannot_be_used(
    unusable, root, tmp_path, monkeypatch, capfd
):
    """One line says what is wrong, and what is done instead."""
    given, users = unusable(root), tmp_path / "users" / "dig_envs"
    monkeypatch.setenv("DIG_ENVS_CACHE_DIR", str(given))
    monkeypatch.setenv("DIG_ENVS_QUIET", "0")
    for folder in (FOLDER, "other-0123456789abcdef"):
        cache.write(folder, "a", b"body")
        assert (users / folder / "a").is_file()
        assert cache.read(folder, "a") == b"body"
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert f"DIG_ENVS_CACHE_DIR={given} cannot be used (" in said
    assert f"compiled code is kept in {users} instead" in said


def test_without_any_root_nothing_is_kept_and_that_is_said_once(root, tmp_path):
    key = CacheKey("test", ("dig_envs.engine.core.random",))
    assert key.kept_in.parent == root
    forget()
    root.rename(tmp_path / "away")
    root.write_text("not a folder")
    (tmp_path / "users").write_text("not a folder either")
    with pytest.warns(CacheWarning, match="compiled again in each process .*cache.*; .*users"):
        cache.write(FOLDER, "a", b"body")
    assert_no_more_is_said()
    assert cache.read(FOLDER, "a") is None
    assert key.kept_in is None


def test_a_folder_that_is_not_absolute_stays_where_it_is(tmp_path, monkeypatch):
    """It is made below the working folder of the beginning, also where parts of it are missing."""
    monkeypatch.setenv("DIG_ENVS_CACHE_DIR", "some/where")
    monkeypatch.chdir(tmp_path)
    cache.write(FOLDER, "a", b"body")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    cache.write("other-0123456789abcdef", "a", b"body")
    assert cache.read(FOLDER, "a") == b"body"
    assert {path.name for path in (tmp_path / "some" / "where").iterdir()} == {
        FOLDER,
        "other-0123456789abcdef",
    }


@pytest.mark.parametrize("kept", [True, False])
def test_the_notice_says_whether_code_is_kept(kept, root, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("DIG_ENVS_QUIET", "0")
    monkeypatch.setattr(notice, "PATIENCE", -1.0)
    if not kept:
        root.write_text("not a folder")
        (tmp_path / "users").write_text("not a folder either")
    key = CacheKey("test", ("dig_envs.engine.core.random",), is_game=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        with notice.Notice().compiling(key):
            pass
    said = capfd.readouterr().err
    assert ("once: the code is kept in the cache" in said) == kept
    assert ("in each process: the code is not kept" in said) != kept


def test_an_empty_variable_is_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("DIG_ENVS_CACHE_DIR", "")
    cache.cache_roots.cache_clear()
    assert cache.cache_roots() == [tmp_path / "users" / "dig_envs"]


def test_old_folders_of_the_same_name_are_removed_but_for_a_few(root):
    """A folder younger than a day stays: another process may be writing to it."""
    for number in range(cache.KEPT_CACHES + 3):
        for name in ("test", "test-two"):
            (root / f"{name}-{number}").mkdir(parents=True)
            os.utime(root / f"{name}-{number}", (number, number))
    (root / "test-young").mkdir()
    cache.writable_folder("test-now")
    kept = {f"test-{number}" for number in range(4, cache.KEPT_CACHES + 3)}
    others = {f"test-two-{number}" for number in range(cache.KEPT_CACHES + 3)}
    assert {path.name for path in root.iterdir()} == {*kept, *others, "test-young", "test-now"}
    for number in range(cache.KEPT_CACHES):
        (root / f"test-younger{number}").mkdir()
    forget()
    cache.writable_folder("test-now")
    assert not kept & {path.name for path in root.iterdir()}
    assert (root / "test-young").is_dir()


def test_versions_and_settings_have_their_own_folders(monkeypatch):
    folders = {CacheKey("test", ("dig_envs.engine.core.random",)).folder}
    for change in (
        lambda patch: patch.setattr(cache, "_versions", lambda: ["numba 0.0"]),
        lambda patch: patch.setattr(cache, "_versions", list),  # it is not installed
        lambda patch: patch.setenv(
            "NUMBA_BOUNDSCHECK", "0" if cache.numba_setting("BOUNDSCHECK") else "1"
        ),
    ):
        with monkeypatch.context() as patch:
            change(patch)
            folders.add(CacheKey("test", ("dig_envs.engine.core.random",)).folder)
    assert len(folders) == 4
    assert {line.partition(" ")[0] for line in cache._versions()} == {"numba", "llvmlite"}


posix = pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="this system knows no users in this way"
)


@posix
def test_folders_are_for_the_user_alone(root):
    old = os.umask(0)
    try:
        cache.write(FOLDER, "a", b"body")
    finally:
        os.umask(old)
    for folder in (root, root / FOLDER):
        assert folder.stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("place", ["root", "folder"])
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_not_used(root, place, mode):
    cache.write(FOLDER, "a", b"body")
    {"root": root, "folder": root / FOLDER}[place].chmod(mode)
    forget()
    assert cache.read(FOLDER, "a") is None, (
        "not the one that is there, which anybody may have written"
    )
    cache.write(FOLDER, "a", b"new")
    assert cache.read(FOLDER, "a") == b"new", "the next root serves"
    assert (root / FOLDER / "a").read_bytes().endswith(b"body")


@posix
def test_where_all_folders_are_open_to_others_nothing_is_kept_and_that_is_said(root, tmp_path):
    for folder in (root, tmp_path / "users" / "dig_envs"):
        folder.mkdir(parents=True)
        folder.chmod(0o777)
    with pytest.warns(CacheWarning, match="others can write to .* chmod -R go-w"):
        cache.write(FOLDER, "a", b"body")
    assert cache.read(FOLDER, "a") is None


@posix
def test_a_file_that_others_can_write_to_counts_as_absent(root):
    cache.write(FOLDER, "a", b"body")
    (root / FOLDER / "a").chmod(0o666)
    assert cache.read(FOLDER, "a") is None
    cache.write(FOLDER, "a", b"new")
    assert cache.read(FOLDER, "a") == b"new"


@posix
def test_a_folder_of_another_user_is_not_used(root, monkeypatch):
    cache.write(FOLDER, "a", b"body")
    forget()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    if root.stat().st_uid == 0:  # what is root's is trusted; a link does not make it so
        assert cache.read(FOLDER, "a") == b"body"
        os.chown(root / FOLDER, 54321, -1)
        forget()
    assert cache.read(FOLDER, "a") is None
