"""Files of a folder for a browser."""

import functools
import http.server
import threading
from contextlib import contextmanager


class Quiet(http.server.SimpleHTTPRequestHandler):
    """The server of ``python -m http.server``, which says nothing."""

    def log_message(self, *words):
        pass


@contextmanager
def serving(folder):
    """The address where the files of a folder are served."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
