"""JSON-RPC 2.0, and what is no JSON-RPC."""

import json

import pytest

from dig_envs.server.limits import Limits
from dig_envs.server.service import METHODS, Service
from tests.games import SHIPPED
from tests.server.asking import Client, Refused


@pytest.fixture
def client() -> Client:
    return Client()


def code(said) -> int:
    assert set(said) == {"jsonrpc", "id", "error"}
    return said["error"]["code"]


HELLO = {"jsonrpc": "2.0", "id": 1, "method": "hello"}


@pytest.mark.parametrize("ident", [1, "a", None, 1.5, 0, "", 2**70])
def test_the_id_comes_back(client, ident):
    assert client.send(json.dumps({**HELLO, "id": ident}))["id"] == ident


def test_notifications_are_not_answered(client):
    silent = {"jsonrpc": "2.0", "method": "new", "params": {"environment": "go_dig_v0", "seed": 1}}
    assert client.send(json.dumps(silent)) is None
    assert client.send(json.dumps({**silent, "method": "nonsense"})) is None
    assert client.send(json.dumps([silent, silent])) is None
    assert client.call("view", game="game-1", seat=0)["view"]["game"] == "go_dig"  # it was carried out all the same


def test_a_list_of_messages(client):
    said = client.send(json.dumps([HELLO, {"jsonrpc": "2.0", "method": "hello"}, {**HELLO, "id": "b", "method": "x"}, 7]))
    assert [entry["id"] for entry in said] == [1, "b", None]
    assert "result" in said[0]
    assert code(said[1]) == -32601
    assert code(said[2]) == -32600
    assert code(client.send("[]")) == -32600
    assert code(client.send(json.dumps([HELLO] * 101))) == -32600


def test_parameters_in_order(client):
    said = client.send(json.dumps({**HELLO, "method": "new", "params": ["go_dig_v0", {"num_players": 3}, 4]}))
    assert len(said["result"]["scores"]) == 3
    assert code(client.send(json.dumps({**HELLO, "params": [1]}))) == -32602


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        "{",
        '{"jsonrpc": "2.0", "id": 1, "method": "hello"',
        "NaN",
        '{"jsonrpc": "2.0", "id": NaN, "method": "hello"}',
        '{"jsonrpc": "2.0", "id": 1e999, "method": "hello"}',
        "[" * 200_000,
        '{"a":' * 100_000,
        "[" * 40 + "]" * 40,
        '{"jsonrpc": "2.0", "id": 1, "method": "hello"} {}',
        b"\xff\xfe\x00",
        b'"\xed\xa0\x80"',
        '"\\ud800"',
        "\ud800",
        "9" * 5000,
        "\x00",
    ],
)
def test_what_is_no_json(client, text):
    said = client.send(text)
    assert said["id"] is None
    assert code(said) == -32700
    assert len(said["error"]["message"]) < 200


@pytest.mark.parametrize(
    "message",
    [
        1,
        "hello",
        None,
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "hello"},
        {"id": 1, "method": "hello"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": "x"},
        {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": None},
        {"jsonrpc": "2.0", "id": {}, "method": "hello"},
        {"jsonrpc": "2.0", "id": True, "method": "hello"},
        {"jsonrpc": "2.0", "id": 1, "method": "hello", "extra": 1},
    ],
)
def test_what_is_no_request(client, message):
    assert code(client.send(json.dumps(message))) == -32600


@pytest.mark.parametrize("name", ["", "x", "__init__", "games", "limits", "answer", "rpc.discover", "Hello", "x" * 100_000])
def test_unknown_methods(client, name):
    said = client.send(json.dumps({**HELLO, "method": name}))
    assert code(said) == -32601
    assert len(said["error"]["message"]) < 300


def test_too_large(client):
    said = Client(Limits(message_bytes=100)).send(json.dumps(HELLO) + " " * 100)
    assert code(said) == -32600
    assert "at most 100 bytes" in said["error"]["message"]
    assert "result" in client.send(json.dumps(HELLO) + " " * 100)


WRONG = [None, True, -1, 2**70, 1.5, "", "x", "../x", [], [[]], {}, {"a": {"b": [1]}}, "\x00", "é" * 1000]


@pytest.mark.parametrize("name", METHODS)
def test_wrong_parameters_never_break_anything(client, name, caplog):
    """Whatever is given for whichever parameter, the answer is a result or an error that says what was wrong."""
    good = {
        "environment": "go_dig_v0",
        "options": {},
        "seed": 1,
        "game": client.call("new", environment="go_dig_v0", seed=1)["game"],
        "snapshot": client.call("save", game="game-1"),
        "action": 2,
        "seat": 0,
        "actions": 1,
        "observation": False,
        "agent": "random",
        "budget": {"sims": 5},
        "theme": "light",
        "fonts": False,
    }
    params = METHODS[name].params.__struct_fields__
    for wrong in WRONG:
        with pytest.raises(Refused) as refused:
            client.call(name, no_such_parameter=wrong)
        assert refused.value.code == -32602
        for param in params:
            error = client.refusal(name, **{**{key: good[key] for key in params}, param: wrong})
            assert error is None or (error.code != -32603 and len(str(error)) < 1500), (param, wrong, str(error))
    assert not caplog.records


def test_a_mistake_of_the_server_is_told_without_details(client, monkeypatch, caplog):
    def broken(_: Service) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr("dig_envs.server.dispatcher.METHODS", {"hello": type("M", (), {"call": lambda _, s, p: broken(s)})()})
    said = client.send(json.dumps(HELLO))
    assert code(said) == -32603
    assert "secret" not in json.dumps(said)
    assert "secret words" in caplog.text


@pytest.mark.parametrize("name", SHIPPED)
def test_tampered_snapshots(client, name):
    """Each entry replaced by what it cannot be: refused by name, and nothing is held."""
    snapshot = client.call("save", game=client.call("new", environment=name, seed=3)["game"])
    for method, params in (("load", {}), ("choose", {"agent": "random"}), ("score", {}), ("picture", {"fonts": False})):
        for key in snapshot:
            for wrong in ([], {}, "x", -7, 1.5, [[[]]], {"x": []}):
                if snapshot[key] == wrong:
                    continue
                error = client.refusal(method, environment=name, snapshot={**snapshot, key: wrong}, **params)
                assert error is not None, (method, key, wrong)
                assert error.kind == "SnapshotError", (method, key, wrong, str(error))
    assert client.call("new", environment=name)["game"] == "game-2"
