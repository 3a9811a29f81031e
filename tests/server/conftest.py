"""What tests of the page share."""

import pytest

from tests.server.browsing import Server, browsing


@pytest.fixture(scope="module")
def browser():
    with browsing() as one:
        yield one


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    one = Server(tmp_path_factory.mktemp("games") / "games.sqlite")
    yield one
    one.close()
