"""Films of episodes: an animated picture, a video, or a folder with a picture for each position."""

import math
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from dig_envs.engine.core.files import (
    CannotWrite,
    check_folder,
    check_writable,
    draft_of,
    write_file,
)
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Array
from dig_envs.pictures.pixels import pixels
from dig_envs.pictures.sheet import Sheet

DELAY = 0.5  # seconds that a picture stands, if nothing else is said, and there is little to read
WORD = 0.25  # seconds to read a word
ENDINGS = (".gif", ".mp4")
SHORTEST = 0.02  # seconds that a frame of an animated picture stands at least


def check_film(path: Path) -> Path:
    """The path, if a film can be written there: ``.gif``, ``.mp4``, or a folder, new or empty.

    Raises:
        ValueError: another ending, or a folder that has something in it. OSError: it cannot be
            written there.
    """
    if path.suffix and path.suffix not in ENDINGS:
        raise ValueError(
            f"{path}: a film ends with {' or '.join(ENDINGS)}, or is a folder (no ending)"
        )
    if not path.suffix and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ValueError(f"{path} is there already and not an empty folder")
    if path.suffix:
        check_writable(path)
    else:
        check_folder(path)
    return path


class Film:
    """Takes sheets one after the other; to be used in a ``with`` statement.

    If that ends with an error, what was there before stays as it was.

    Args:
        path: ``.gif``, ``.mp4``, or a folder for ``0000.svg``, ``0001.svg`` …
        delay: seconds that each picture stands; default: as long as it takes to read its words.
    """

    def __init__(self, path: Path, delay: float | None = None) -> None:
        self.path, self._reading = check_film(path), delay is None
        self.delay = DELAY if delay is None else max(delay, SHORTEST)
        self.count = 0
        self._writer: Any = None
        # with the ending by which the writer knows what to write
        self._draft = draft_of(self.path).with_suffix(self.path.suffix)
        self._made_folder = False

    def add(self, sheet: Sheet, words: int = 0) -> None:
        """One more picture, with so many words to read."""
        if not self.path.suffix:
            if not self.path.is_dir():
                self.path.mkdir()
                self._made_folder = True
            write_file(self.path / f"{self.count:04}.svg", sheet.svg())
        else:
            frame, writer = even(pixels(sheet)), self._frames()
            times = math.ceil(words * WORD / self.delay) if self._reading else 1
            for _ in range(max(1, times)):  # equal frames become a longer one
                writer.append_data(frame)
        self.count += 1

    def _frames(self) -> Any:
        """The writer of the frames; opened with the first of them."""
        if self._writer is None:
            try:
                import imageio
            except ImportError as error:
                raise ImportError(f"a film needs imageio: {how_to_install('pictures')}") from error
            if self.path.suffix == ".gif":
                self._writer = imageio.get_writer(self._draft, duration=1000 * self.delay, loop=0)
            else:
                self._writer = imageio.get_writer(
                    self._draft, fps=1 / self.delay, macro_block_size=2
                )
        return self._writer

    def __enter__(self) -> "Film":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        complete = False
        try:
            if self._writer is not None:
                self._writer.close()
                if kind is None:
                    write_file(self.path, self._draft.read_bytes())
            complete = kind is None
        except OSError as reason:
            if kind is None:  # else the first error is raised
                raise CannotWrite(self.path, reason) from None
        finally:
            with suppress(OSError):  # that would hide the first one
                self._remove(complete)

    def _remove(self, complete: bool) -> None:
        """Remove the draft, and the pictures and folder that were made for a film that was not
        completed."""
        if self.path.suffix:
            self._draft.unlink(missing_ok=True)
        elif not complete:
            for number in range(self.count):
                (self.path / f"{number:04}.svg").unlink(missing_ok=True)
            if self._made_folder:
                self.path.rmdir()


def even(frame: Array) -> Array:
    """A frame with an even height, as videos must have; the last line is repeated."""
    return np.concatenate([frame, frame[-1:]]) if frame.shape[0] % 2 else frame
