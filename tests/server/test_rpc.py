"""JSON-RPC 2.0, and what is no JSON-RPC."""

import json

import pytest

from dig_envs.server.protocol.limits import Limits
from dig_envs.server.protocol.service import METHODS, Service
from tests.games import SHIPPED
from tests.server.asking import Client

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "hello"}


@pytest.fixture
def client() -> Client:
    return Client()


def code(said) -> int:
    assert set(said) == {"jsonrpc", "id", "error"}
    return said["error"]["code"]


@pytest.mark.parametrize("ident", [1, "a", None, 1.5, 0, "", 2**70])
def test_the_id_comes_back(client, ident):
    assert client.send({**HELLO, "id": ident})["id"] == ident


def test_notifications_are_not_answered(client):
    silent = {"jsonrpc": "2.0", "method": "new", "params": {"environment": "go_dig_v0", "seed": 1}}
    for message in (silent, {**silent, "method": "nonsense"}, [silent, silent]):
        assert client.send(message) is None
    # it was carried out all the same
    assert client.call("view", game="game-1", seat=0)["view"]["game"] == "go_dig"


def test_a_list_of_messages(client):
    said = client.send(
        [HELLO, {"jsonrpc": "2.0", "method": "hello"}, {**HELLO, "id": "b", "method": "x"}, 7]
    )
    assert [entry["id"] for entry in said] == [1, "b", None]
    assert "result" in said[0]
    assert [code(entry) for entry in said[1:]] == [-32601, -32600]
    assert code(client.send([])) == code(client.send([HELLO] * 101)) == -32600


def test_parameters_in_order(client):
    said = client.send({**HELLO, "method": "new", "params": ["go_dig_v0", {"num_players": 3}, 4]})
    assert len(said["result"]["scores"]) == 3
    assert code(client.send({**HELLO, "params": [1]})) == -32602


@pytest.mark.parametrize(
    "text",
    ["", "garbage", "NaN", "\x00", "\ud800", '"\\ud800"', b"\xff\xfe\x00", b'"\xed\xa0\x80"',
     "9" * 5000, "[" * 200_000, '{"a":' * 100_000, "[" * 40 + "]" * 40,
     '{"jsonrpc": "2.0", "id": 1, "method": "hello"',
     '{"jsonrpc": "2.0", "id": 1, "method": "hello"} {}',
     '{"jsonrpc": "2.0", "id": NaN, "method": "hello"}',
     '{"jsonrpc": "2.0", "id": 1e999, "method": "hello"}'],
)  # fmt: skip
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
        {**HELLO, "jsonrpc": "1.0"},
        {"id": 1, "method": "hello"},
        {"jsonrpc": "2.0", "id": 1},
        {**HELLO, "method": 7},
        {**HELLO, "params": "x"},
        {**HELLO, "params": None},
        {**HELLO, "id": {}},
        {**HELLO, "id": True},
        {**HELLO, "extra": 1},
    ],
)
def test_what_is_no_request(client, message):
    assert code(client.send(json.dumps(message))) == -32600


@pytest.mark.parametrize(
    "name",
    ["", "x", "__init__", "sessions", "limits", "answer", "rpc.discover", "Hello", "x" * 100_000],
)
def test_unknown_methods(client, name):
    said = client.send({**HELLO, "method": name})
    assert code(said) == -32601
    assert len(said["error"]["message"]) < 300


def test_too_large(client):
    text = json.dumps(HELLO) + " " * 100
    said = Client(Limits(message_bytes=100)).send(text)
    assert code(said) == -32600
    assert "at most 100 bytes" in said["error"]["message"]
    assert "result" in client.send(text)


WRONG = [
    None,
    True,
    -1,
    2**70,
    1.5,
    "",
    "x",
    "../x",
    [],
    [[]],
    {},
    {"a": {"b": [1]}},
    "\x00",
    "é" * 1000,
]


@pytest.mark.parametrize("name", METHODS)
def test_wrong_parameters_never_break_anything(client, name, caplog):
    """Whatever is given for whichever parameter, the answer is a result or an error that says what
    was wrong."""
    good = {
        "environment": "go_dig_v0",
        "options": {},
        "seed": 1,
        "game": client.call("new", environment="go_dig_v0", seed=1)["game"],
        "snapshot": client.call("save", game="game-1"),
        "view": client.call("view", game="game-1", seat=0)["view"],
        "memory": "",
        "action": 2,
        "seat": 0,
        "actions": 1,
        "observation": False,
        "agent": "random",
        "budget": {"sims": 5},
        "theme": "light",
        "layout": "wide",
        "fonts": False,
        "names": ["", ""],
        "since": 0,
        "events": ["asked 1 2 TRI", "has_none 2 TRI"],
        "opening": None,
        "top": 3,
        "most": 3,
    }
    if name == "advise":
        good["game"] = None  # a position is given
    params = METHODS[name].params.__struct_fields__
    for wrong in WRONG:
        assert client.refusal(name, no_such_parameter=wrong).code == -32602
        for param in params:
            said = client.send(
                {
                    **HELLO,
                    "method": name,
                    "params": {**{key: good[key] for key in params}, param: wrong},
                }
            )
            assert "result" in said or (
                code(said) != -32603 and len(said["error"]["message"]) < 1500
            ), (param, wrong, said)
    assert not caplog.records


def test_a_mistake_of_the_server_is_told_without_details(client, monkeypatch, caplog):
    def broken(_: Service) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr(
        "dig_envs.server.protocol.dispatcher.METHODS",
        {"hello": type("M", (), {"call": lambda _, s, p: broken(s)})()},
    )
    said = client.send(HELLO)
    assert code(said) == -32603
    assert "secret" not in json.dumps(said)
    assert "secret words" in caplog.text


@pytest.mark.parametrize("name", SHIPPED)
def test_tampered_snapshots(client, name):
    """Each entry replaced by what it cannot be: refused by name, whatever the position is for, and
    no game is opened."""
    snapshot = client.call("save", game=client.call("new", environment=name, seed=3)["game"])
    methods = [
        ("load", {}),
        ("choose", {"agent": "random"}),
        ("score", {}),
        ("picture", {"fonts": False}),
    ]
    for number, key in enumerate(snapshot):
        method, params = methods[number % len(methods)]
        for wrong in ([], {}, "x", -7, 1.5, [[[]]], {"x": []}):
            if snapshot[key] != wrong:
                error = client.refusal(
                    method, environment=name, snapshot={**snapshot, key: wrong}, **params
                )
                assert error.kind == "SnapshotError", (method, key, wrong, error.message)
    assert client.call("new", environment=name)["game"] == "game-2"
