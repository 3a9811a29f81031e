"""A window that shows pictures, in a process of its own: it stays responsive however long the
program thinks between two frames.

This file is also the program of that process, which gets frames through its standard input.
"""

import os
import struct
import subprocess
import sys
import threading
import weakref
from collections import deque
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, BinaryIO, NoReturn

HEAD = struct.Struct("<II")  # width and height, before the pixels of a frame
FRAMES_PER_SECOND = 30  # how often the window looks for events
GRACE = 5.0  # seconds in which the process must end when it is told to
# the last frame that has come and was not shown yet: width, height, pixels
Newest = deque[tuple[int, int, bytes] | None]


class Window:
    """A window with a title. Who looks on may close it, and from then on nothing is shown."""

    def __init__(self, title: str) -> None:
        if find_spec("pygame") is None:
            # here, since the process below runs this file alone
            from dig_envs.engine.core.installing import how_to_install

            raise ImportError(f"a window needs pygame: {how_to_install('pictures')}")
        # -P: without this folder in the path, so that none of its modules hides another one
        self._process: Any = subprocess.Popen(
            [sys.executable, "-P", __file__, title], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.closed = False
        # an environment that nobody closes leaves no window behind
        self._finalizer = weakref.finalize(self, end, self._process)

    def show(self, pixels: Any) -> None:
        """Show a frame, uint8 (height, width, 3); nothing if the window was closed.

        Raises:
            RuntimeError: no window can be opened here, with the reason.
        """
        if self.closed:
            return
        height, width = pixels.shape[:2]
        try:
            self._process.stdin.write(HEAD.pack(width, height) + pixels.tobytes())
            self._process.stdin.flush()
        except (BrokenPipeError, OSError):
            self._has_ended()

    def _has_ended(self) -> None:
        self.closed = True
        code = self._process.wait(GRACE)
        reason = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        self._finalizer()
        if code != 0:
            raise RuntimeError(
                f"no window can be opened: {reason[-1] if reason else f'exit status {code}'}"
            )

    def close(self) -> None:
        """Close the window."""
        if self.closed:
            return
        self.closed = True
        self._finalizer()


def end(process: Any) -> None:
    """Tell a window's process to end, and see to it."""
    with suppress(OSError):  # it may have gone already
        process.stdin.close()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stderr.close()


# -------------------------------------------------------------- the program of the window's process


def read_frames(stream: BinaryIO, newest: Newest) -> None:
    """Keep the newest frame of a stream, and None at its end."""
    while len(head := stream.read(HEAD.size)) == HEAD.size:
        width, height = HEAD.unpack(head)
        newest.append((width, height, stream.read(width * height * 3)))
    newest.append(None)


def main() -> None:
    """Show what comes until the input ends or the window is closed."""
    import pygame

    newest: Newest = deque(maxlen=1)
    threading.Thread(target=read_frames, args=(sys.stdin.buffer, newest), daemon=True).start()
    try:
        pygame.display.init()
    except pygame.error as error:
        leave(1, str(error))
    pygame.display.set_caption(sys.argv[1])
    screen, picture, clock = None, None, pygame.time.Clock()
    while True:
        frames = [newest.pop()] if newest else []
        if None in frames:
            break
        for width, height, data in filter(None, frames):
            picture = pygame.image.frombuffer(data, (width, height), "RGB")
            if screen is None:
                screen = pygame.display.set_mode((width, height), pygame.RESIZABLE)
        events = [event.type for event in pygame.event.get()] if screen is not None else []
        if pygame.QUIT in events:
            break
        if screen is not None and picture is not None and (frames or events):
            screen.blit(pygame.transform.smoothscale(picture, screen.get_size()), (0, 0))
            pygame.display.flip()
        clock.tick(FRAMES_PER_SECOND)
    pygame.quit()
    leave(0)


def leave(status: int, reason: str = "") -> NoReturn:
    """End the process at once, although the other thread waits for input."""
    if reason:
        print(reason, file=sys.stderr, flush=True)
    os._exit(status)


if __name__ == "__main__":
    main()
