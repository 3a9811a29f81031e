"""``dig-envs engine``: the protocol over standard input and output, one message a line."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO

from dig_envs.server.protocol.dispatcher import Dispatcher

Serve = Callable[[BinaryIO, BinaryIO, Dispatcher], None]
REST = 1 << 16  # bytes of a line that is too long, thrown away at a time


def serve_lines(source: BinaryIO, sink: BinaryIO, dispatcher: Dispatcher) -> None:
    """Answer the messages of a stream, one a line, until it ends. Empty lines are skipped; nothing
    that comes in stops it."""
    for line in lines_of(source, dispatcher.limits.message_bytes):
        said = dispatcher.answer(line)
        if said is not None:
            sink.write(said.encode() + b"\n")
            sink.flush()


def lines_of(source: BinaryIO, longest: int) -> Iterator[bytes]:
    """The lines of a stream that are not empty; of a longer one as much as shows that it is too
    long, however long it is."""
    while line := source.readline(longest + 2):
        cut = line
        while not cut.endswith(b"\n") and (cut := source.readline(REST)):
            pass
        if line := line.strip():
            yield line


def run(dispatcher: Dispatcher, serve: Serve = serve_lines) -> None:
    """Serve standard input and output. Whatever else is printed, by whatever library, goes to
    standard error."""
    sys.stdout.flush()
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    with suppress(BrokenPipeError, KeyboardInterrupt):  # whoever asked is gone
        serve(source, sink, dispatcher)
