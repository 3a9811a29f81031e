"""Reads ONNX files without onnxruntime: whether all data of a model is inside
(:func:`check_self_contained`), and what it computes.

A tensor of an ONNX model may say that its numbers are in another file, which onnxruntime then
reads, wherever it is. The hash on a policy's card does not cover such a file, so that a policy must
have none. onnxruntime has no setting that refuses them. So the file is walked through here, as
Protocol Buffers (https://protobuf.dev/programming-guides/encoding) and ``onnx.proto``
(https://github.com/onnx/onnx/blob/main/onnx/onnx.proto) describe it; nothing is loaded or executed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

VARINT, FIXED_64, BYTES, FIXED_32 = 0, 1, 2, 5  # how a field is written
LONGEST_VARINT = 10
MOST_LEVELS = 100  # of messages in messages; Protocol Buffers' own limit

# The messages in which there can be tensors: the numbers of their fields, and which message each
# field holds.
MESSAGES: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse tensor"},
    "node": {5: "attribute"},
    "attribute": {
        5: "tensor",
        6: "graph",
        10: "tensor",
        11: "graph",
        22: "sparse tensor",
        23: "sparse tensor",
    },
    "sparse tensor": {1: "tensor", 2: "tensor"},
    "function": {7: "node", 11: "attribute"},
    "tensor": {},
}
EXTERNAL_DATA, DATA_LOCATION = 13, 14  # fields of a tensor
ORT_FORMAT = b"ORTM"  # the mark of onnxruntime's own format, at byte 4
# What is read of a model: the numbers of the fields.
GRAPH, NODE_OF_GRAPH, TENSOR_OF_GRAPH = 7, 1, 5
INPUT, OUTPUT, KIND, ATTRIBUTE = 1, 2, 4, 5  # of a node
NAME, FLOAT_VALUE, WHOLE_VALUE, WHOLE_VALUES = 1, 2, 3, 8  # of an attribute
SHAPE, TYPE, NAME_OF_TENSOR, RAW = 1, 2, 8, 9  # of a tensor
FLOAT32, INT64, FLOAT16 = 1, 7, 10  # types of tensors
TYPES: Mapping[int, np.dtype[Any]] = {
    FLOAT32: np.dtype("<f4"),
    INT64: np.dtype("<i8"),
    FLOAT16: np.dtype("<f2"),
}

Array = np.ndarray[Any, Any]
Attribute = float | int | tuple[int, ...] | None


def check_self_contained(model: bytes) -> None:
    """Raise ValueError, which says why, unless these bytes are an ONNX model that has all of its
    data inside."""
    if model[4:8] == ORT_FORMAT:
        raise ValueError("it is in onnxruntime's own format, not in ONNX")
    _check_message("model", memoryview(model), 0)


def _check_message(kind: str, message: memoryview, level: int) -> None:
    if level > MOST_LEVELS:
        raise ValueError("it is not an ONNX model: too many messages in each other")
    inner = MESSAGES[kind]
    for field, content in _fields(message):
        if kind == "tensor" and (
            field == EXTERNAL_DATA or (field == DATA_LOCATION and content != 0)
        ):
            raise ValueError("it has data in other files, which is not allowed")
        if field in inner and isinstance(content, memoryview):
            _check_message(inner[field], content, level + 1)


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the number and the content of each field of a message."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        field, written = tag >> 3, tag & 7
        if tag >= 2**32 or field == 0:
            raise ValueError("it is not an ONNX model: a field has a wrong number")
        if written == VARINT:
            number, place = _varint(message, place)
            yield field, number
            continue
        if written == BYTES:
            size, place = _varint(message, place)
        elif written in (FIXED_64, FIXED_32):
            size = 8 if written == FIXED_64 else 4
        else:
            raise ValueError(f"it is not an ONNX model: a field is written in way {written}")
        if size > len(message) - place:
            raise ValueError("it is not an ONNX model: it ends in the middle of a field")
        yield field, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """An integer of variable length at a place, and the place behind it."""
    number = 0
    for k, byte in enumerate(message[place : place + LONGEST_VARINT]):
        number |= (byte & 0x7F) << (7 * k)
        if byte < 0x80:
            return number, place + k + 1
    raise ValueError("it is not an ONNX model: a number does not end")


# ---------------------------------------------------------------- what a graph computes


@dataclass(frozen=True)
class Node:
    """One operation: its kind (such as ``Gemm``), the names of what goes in and comes out, and its
    attributes.

    An attribute that is neither a number nor a list of integers is None.
    """

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute]


def read_graph(model: bytes) -> tuple[list[Node], dict[str, Array]]:
    """The operations of a model in their order, and its constants by name. Only raw data of float32
    and int64 is read, and float16 that a Cast makes float32, under the name of the Cast's output.
    Others are left out.

    Only tensors of float32 and int64 that are written as raw data are read, and those of float16
    that a Cast makes float32, under the name of what it gives. Others are left out.

    Raises:
        ValueError: it is not an ONNX model.
    """
    nodes: list[Node] = []
    tensors: dict[str, Array] = {}
    for graph in _messages(memoryview(model), GRAPH):
        nodes += [_read_node(content) for content in _messages(graph, NODE_OF_GRAPH)]
        for content in _messages(graph, TENSOR_OF_GRAPH):
            tensors |= _read_tensor(content)
    halves = {name: array for name, array in tensors.items() if array.dtype == np.float16}
    constants = {name: array for name, array in tensors.items() if name not in halves}
    others: list[Node] = []
    for node in nodes:
        half = halves.get(node.inputs[0]) if _makes_float32(node) else None
        if half is None:
            others.append(node)
        else:
            constants[node.outputs[0]] = half.astype(np.float32)
    return others, constants


def _makes_float32(node: Node) -> bool:
    one_each = len(node.inputs) == len(node.outputs) == 1
    return node.kind == "Cast" and one_each and node.attributes == {"to": FLOAT32}


def _messages(message: memoryview, field: int) -> list[memoryview]:
    """The contents of all fields with this number that are written as bytes."""
    return [
        content
        for number, content in _fields(message)
        if number == field and isinstance(content, memoryview)
    ]


def _read_node(message: memoryview) -> Node:
    kinds, inputs, outputs = (
        tuple(str(content, "utf-8") for content in _messages(message, field))
        for field in (KIND, INPUT, OUTPUT)
    )
    attributes: dict[str, Attribute] = {}
    for content in _messages(message, ATTRIBUTE):
        attributes |= _read_attribute(content)
    return Node(kinds[-1] if kinds else "", inputs, outputs, attributes)


def _read_attribute(message: memoryview) -> dict[str, Attribute]:
    name, value = "", None
    values: tuple[int, ...] = ()
    for field, content in _fields(message):
        if field == NAME and isinstance(content, memoryview):
            name = str(content, "utf-8")
        elif field == FLOAT_VALUE and isinstance(content, memoryview):
            value = float(np.frombuffer(content, "<f4")[0])
        elif field == WHOLE_VALUE and isinstance(content, int):
            value = _signed(content)
        elif field == WHOLE_VALUES:
            values += tuple(
                map(_signed, [content] if isinstance(content, int) else _varints(content))
            )
    return {name: values or value}


def _signed(number: int) -> int:
    """A signed integer from its 64 bits."""
    return number - (1 << 64) if number >= 1 << 63 else number


def _read_tensor(message: memoryview) -> dict[str, Array]:
    name, kind = "", 0
    shape: list[int] = []
    raw: memoryview | None = None
    for field, content in _fields(message):
        if field == SHAPE:
            shape += [content] if isinstance(content, int) else _varints(content)
        elif field == TYPE and isinstance(content, int):
            kind = content
        elif field == NAME_OF_TENSOR and isinstance(content, memoryview):
            name = str(content, "utf-8")
        elif field == RAW and isinstance(content, memoryview):
            raw = content
    if raw is None or kind not in TYPES or len(raw) != TYPES[kind].itemsize * prod(shape):
        return {}
    return {name: np.frombuffer(raw, TYPES[kind]).reshape(shape)}


def _varints(message: memoryview) -> list[int]:
    """All integers of variable length in a message."""
    numbers, place = [], 0
    while place < len(message):
        number, place = _varint(message, place)
        numbers.append(number)
    return numbers
