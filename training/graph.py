"""The ONNX graph of a network, built from its weights, so that no tracing of PyTorch code is
involved.

(observation float32 (n, observation_size), action_mask float32 (n, num_actions)) -> (logits,
illegal actions at -1e8; value (n,)). A network that remembers takes ``memory`` float32 (n,
memory_size), too, and gives ``next_memory``. :mod:`dig_envs.agents.program` reads these graphs,
and knows only the operations that they have. Large tensors are float16 in the file.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from dig_envs.agents.onnx import MEMORY, NEXT_MEMORY

from .cells import Cells, CellsNetwork, Places
from .network import ILLEGAL, Array, Network
from .relations import DIRECTIONS, NEAR, Kind, Relations, RelationsNetwork
from .remembering import CELL_FEATURES, GridNetwork, RecurrentNetwork
from .window import Window

OPSET, IR_VERSION = 17, 8  # what onnxruntime 1.18 and later read
LEAST_ROUNDED = 1024  # numbers in a tensor that is stored as float16


class Graph:
    """Nodes and tensors, one by one; each method returns the name of what its last node gives.

    Args:
        weights: of the network, by their names; names of other tensors have no dot.
    """

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self.tensors: dict[str, Array] = dict(weights)
        self.nodes: list[onnx.NodeProto] = []

    def add(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node with one output, called ``name`` if there is one."""
        name = name or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def split(self, tensor: str, count: int) -> list[str]:
        """Add a node that splits the columns into equal parts; return the names of these."""
        names = [f"part{k}_{len(self.nodes)}" for k in range(count)]
        self.nodes.append(helper.make_node("Split", [tensor], names, axis=1))
        return names

    def integers(self, *values: int) -> str:
        """The name of a constant with one dimension."""
        name = "integers_" + "_".join(map(str, values)).replace("-", "minus")
        self.tensors[name] = np.array(values, np.int64)
        return name

    def number(self, value: int) -> str:
        """The name of a constant without dimensions."""
        self.tensors[f"number_{value}"] = np.array(value, np.int64)
        return f"number_{value}"

    def linear(self, tensor: str, layer: str, name: str = "") -> str:
        """Add a layer of the network."""
        bias = [f"{layer}.bias"] if f"{layer}.bias" in self.tensors else []
        return self.add("Gemm", tensor, f"{layer}.weight", *bias, name=name, transB=1)

    def relu(self, tensor: str, layer: str) -> str:
        """Add a layer of the network and set what is negative to zero."""
        return self.add("Relu", self.linear(tensor, layer))

    def reshape(self, tensor: str, *shape: int, name: str = "") -> str:
        """Add a node that reshapes a tensor; -1 stands for what is left, 0 for the same as
        before."""
        return self.add("Reshape", tensor, self.integers(*shape), name=name)

    def concat(self, *tensors: str, axis: int = 1) -> str:
        """Add a node that puts tensors behind each other."""
        return self.add("Concat", *tensors, axis=axis)

    def columns(self, place: slice) -> str:
        """Add a node that takes a field out of the observation."""
        return self.add(
            "Slice",
            "observation",
            self.integers(place.start),
            self.integers(place.stop),
            self.integers(1),
        )

    def at_each(self, places: Places, cells: int) -> str:
        """Add :func:`training.cells.at_each`."""
        return self.concat(
            *(self.reshape(self.columns(place), 0, cells, depth) for place, depth in places), axis=2
        )

    def model(self, network: Network) -> bytes:
        """The graph as a file; raises an error of onnx if it is not valid."""
        inputs: dict[str, list[Any]] = {
            "observation": ["n", network.inputs],
            "action_mask": ["n", network.num_actions],
        }
        outputs: dict[str, list[Any]] = {"logits": ["n", network.num_actions], "value": ["n"]}
        if network.memory_size:
            inputs[MEMORY] = outputs[NEXT_MEMORY] = ["n", network.memory_size]
        ends = [
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                for name, shape in one.items()
            ]
            for one in (inputs, outputs)
        ]
        tensors = [
            numpy_helper.from_array(np.asarray(value), name) for name, value in self.tensors.items()
        ]
        graph = helper.make_graph(self.nodes, "policy", ends[0], ends[1], tensors)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="dig_envs"
        )
        model.ir_version = IR_VERSION
        round_weights(model)
        onnx.checker.check_model(model)
        return bytes(model.SerializeToString())


def round_weights(model: onnx.ModelProto) -> None:
    """Store the large float32 tensors of a graph as float16, each with a Cast to float32.

    All arithmetic stays float32. A tensor with numbers that float16 cannot hold, those beyond
    65504 and those that are not finite, stays float32.
    """
    graph, casts = model.graph, []
    for tensor in graph.initializer:
        name, array = tensor.name, numpy_helper.to_array(tensor)
        if array.dtype != np.float32 or array.size < LEAST_ROUNDED:
            continue
        with np.errstate(over="ignore"):
            rounded = array.astype(np.float16)
        if np.isfinite(rounded).all():
            tensor.CopyFrom(numpy_helper.from_array(rounded, f"{name}.float16"))
            casts.append(helper.make_node("Cast", [tensor.name], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    graph.ClearField("node")
    graph.node.extend(nodes)


def to_onnx(network: Network) -> bytes:
    """The graph of a network as a file."""
    graph = Graph(network.weights)
    if isinstance(network, GridNetwork):
        unmasked, features = add_grid(graph, network)
    elif isinstance(network, CellsNetwork):
        unmasked, features = add_cells(graph, network.cells, network.depth)
    elif isinstance(network, RelationsNetwork):
        unmasked, features = RelationsGraph(graph, network.relations).add(network.depth)
    else:
        features = (
            add_window(graph, network.window) if network.window is not None else "observation"
        )
        features = add_layers(graph, features, network.depth)
        if isinstance(network, RecurrentNetwork):
            features = graph.concat(features, add_gru(graph, features, MEMORY, NEXT_MEMORY))
        unmasked = graph.linear(features, "policy")
    graph.tensors |= {"half": np.array(0.5, np.float32), "illegal": np.array(ILLEGAL, np.float32)}
    graph.add("Squeeze", graph.linear(features, "value"), graph.integers(1), name="value")
    graph.add(
        "Where", graph.add("Greater", "action_mask", "half"), unmasked, "illegal", name="logits"
    )
    return graph.model(network)


def add_layers(graph: Graph, features: str, depth: int) -> str:
    """Add the hidden layers."""
    for k in range(depth):
        features = graph.relu(features, f"layer{k}")
    return features


def add_window(graph: Graph, window: Window) -> str:
    """Add :meth:`Window.extend`."""
    graph.tensors["lookup"] = window.lookup
    fields = [
        graph.reshape(graph.columns(place), 0, window.cells, depth)
        for place, depth in window.fields
    ]
    position = graph.columns(window.position)
    grid = graph.concat(*fields, axis=2)
    which = graph.reshape(
        graph.add("MatMul", position, "lookup"), 0, len(window.offsets), window.cells
    )
    return graph.concat("observation", graph.reshape(graph.add("MatMul", which, grid), 0, -1))


def add_gru(graph: Graph, seen: str, memory: str, name: str) -> str:
    """Add PyTorch's GRU cell, from what is seen and remembered, both (n, …), to what is remembered
    then."""
    graph.add("Gemm", seen, "memory.weight_ih", "memory.bias_ih", name="from_input", transB=1)
    graph.add("Gemm", memory, "memory.weight_hh", "memory.bias_hh", name="from_memory", transB=1)
    reset_in, update_in, new_in = graph.split("from_input", 3)
    reset_memory, update_memory, new_memory = graph.split("from_memory", 3)
    reset = graph.add("Sigmoid", graph.add("Add", reset_in, reset_memory))
    keep = graph.add("Sigmoid", graph.add("Add", update_in, update_memory))
    new = graph.add("Tanh", graph.add("Add", new_in, graph.add("Mul", reset, new_memory)))
    return graph.add("Add", new, graph.add("Mul", keep, graph.add("Sub", memory, new)), name=name)


def add_grid(graph: Graph, network: GridNetwork) -> tuple[str, str]:
    """Add a network that remembers at each cell; return its logits and the features that the value
    is read from."""
    grid = network.grid
    seen = graph.reshape(
        graph.at_each(grid.places, grid.cells), -1, sum(depth for _, depth in grid.places)
    )
    remembered = add_gru(graph, seen, graph.reshape(MEMORY, -1, grid.units), "remembered_then")
    graph.reshape(remembered, -1, network.memory_size, name=NEXT_MEMORY)
    cells = graph.relu(graph.concat(seen, remembered), "cell")
    total = graph.add(
        "ReduceSum",
        graph.reshape(cells, -1, grid.cells, CELL_FEATURES),
        graph.integers(1),
        keepdims=0,
    )
    features = add_layers(graph, graph.concat("observation", total), network.depth)
    each = graph.reshape(graph.linear(cells, "of_cell"), -1, grid.cells, CELL_FEATURES)
    both = graph.add(
        "Add", each, graph.add("Unsqueeze", graph.linear(features, "of_all"), graph.integers(1))
    )
    both = graph.add("Relu", graph.add("Add", both, "place.weight"))
    return graph.reshape(
        graph.linear(graph.reshape(both, -1, CELL_FEATURES), "policy"), -1, grid.cells
    ), features


def add_cells(graph: Graph, cells: Cells, depth: int) -> tuple[str, str]:
    """Add a network with cells; return its logits and the features that the value is read from."""
    graph.tensors |= {
        "kept": np.array(cells.kept, np.int64),
        "order": np.array(cells.order, np.int64),
    }
    parts, at_cells = [graph.add("Gather", "observation", "kept", axis=1)], []
    for k, group in enumerate(cells.groups):
        seen = graph.reshape(graph.at_each(group.fields, group.cells), -1, group.depth)
        at_cells.append(graph.relu(seen, f"cells{k}"))
        by_cell = graph.reshape(at_cells[k], -1, group.cells, group.units)
        parts += [
            graph.add(kind, by_cell, axes=[1], keepdims=0) for kind in ("ReduceMean", "ReduceMax")
        ]
    features = add_layers(graph, graph.concat(*parts), depth)
    logits = [graph.linear(features, "policy")]
    for k, group in enumerate(cells.groups):
        if group.per_cell:
            each = graph.reshape(
                graph.linear(at_cells[k], f"of_cells{k}"), -1, group.cells, group.units
            )
            of_all = graph.add("Unsqueeze", graph.linear(features, f"of_all{k}"), graph.integers(1))
            both = graph.reshape(graph.add("Relu", graph.add("Add", each, of_all)), -1, group.units)
            logits.append(graph.reshape(graph.linear(both, f"logits{k}"), -1, len(group.actions)))
    return graph.add("Gather", graph.concat(*logits), "order", axis=1), features


class RelationsGraph:
    """Adds a :class:`training.relations.RelationsNetwork`; its methods are called as there."""

    def __init__(self, graph: Graph, relations: Relations) -> None:
        self.graph, self.relations = graph, relations
        graph.tensors |= {
            "left": np.array(relations.left, np.int64),
            "order": np.array(relations.order, np.int64),
        }

    def add(self, depth: int) -> tuple[str, str]:
        """Add it; return its logits and the features that the value is read from."""
        graph, relations = self.graph, self.relations
        left = graph.add("Gather", "observation", "left", axis=1)
        things, rest, near = self._features(left)
        parts = [
            rest,
            *self._summaries(things),
            *([graph.reshape(near, 0, -1)] if near else []),
            left,
        ]
        features = add_layers(graph, graph.concat(*parts), depth)
        logits = [graph.linear(features, "policy")]
        if relations.grid:
            each = self._logits(NEAR, near, features)
            own = graph.concat(
                *(
                    self._directed(each, k, count)
                    for k, (_, count) in enumerate(relations.grid.actions)
                )
            )
            zeros = len(relations.rest) - len(relations.grid.order)
            logits = [
                graph.add("Add", logits[0], graph.add("Pad", own, graph.integers(0, zeros, 0, 0)))
            ]
        logits += [
            graph.reshape(self._logits(str(k), things[k], features), 0, -1)
            for k, kind in enumerate(relations.kinds)
            if kind.actions
        ]
        return graph.add("Gather", graph.concat(*logits), "order", axis=1), features

    def _features(self, left: str) -> tuple[list[str], str, str]:
        graph, relations, grid = self.graph, self.relations, self.relations.grid
        seen = [self._seen(kind) for kind in relations.kinds]
        links = [self._matrices(k) for k in range(len(relations.links))]
        sums = [
            graph.add("Add", self._at_each(one, f"seen{k}"), f"place{k}.weight")
            for k, one in enumerate(seen)
        ]
        self._tell(sums, seen, links, "link_seen")
        stand = ""
        if grid:
            stand = graph.reshape(graph.columns(grid.position), 0, grid.seats, grid.spaces)
            graph.tensors |= {"offsets": grid.offsets, "reach": grid.reach}
            for seat in range(grid.seats):
                sums[grid.kind] = graph.add(
                    "Add", sums[grid.kind], self._relative(self._seat(stand, seat), seat)
                )
        things = [graph.add("Relu", one) for one in sums]
        rest = graph.relu(left, "seen_rest")
        for r in range(relations.rounds):
            sums = [
                graph.add(
                    "Add",
                    self._at_each(one, f"of_own{r}_{k}"),
                    self._row(graph.linear(rest, f"link_rest{r}_{k}")),
                )
                for k, one in enumerate(things)
            ]
            self._tell(sums, things, links, f"link{r}_")
            things = [
                graph.add("Add", one, graph.add("Relu", more))
                for one, more in zip(things, sums, strict=True)
            ]
            if r < relations.rounds - 1:
                told = graph.concat(rest, *self._summaries(things))
                rest = graph.add("Add", rest, graph.relu(told, f"gather{r}"))
        if not grid:
            return things, rest, ""
        around = graph.add("MatMul", self._seat(stand, 0), "reach")
        return (
            things,
            rest,
            graph.add(
                "MatMul", graph.reshape(around, 0, len(DIRECTIONS), grid.spaces), things[grid.kind]
            ),
        )

    def _seen(self, kind: Kind) -> str:
        graph = self.graph
        rows = [
            graph.reshape(graph.columns(place), 0, kind.count, width) for place, width in kind.rows
        ]
        columns = [
            graph.reshape(graph.columns(place), 0, height, kind.count)
            for place, height in kind.columns
        ]
        return graph.concat(
            *rows, *(graph.add("Transpose", one, perm=[0, 2, 1]) for one in columns), axis=2
        )

    def _matrices(self, k: int) -> dict[str, str]:
        graph, link, kinds = self.graph, self.relations.links[k], self.relations.kinds
        if link.field is None:
            fixed = {"a": link.to_first, "b": link.to_second}
            graph.tensors |= {
                f"fixed{k}{way}": matrix for way, matrix in fixed.items() if matrix is not None
            }
            return {way: f"fixed{k}{way}" for way, _, _ in link.ways}
        matrix = graph.reshape(
            graph.columns(link.field), 0, kinds[link.first].count, kinds[link.second].count
        )
        return {"a": matrix, "b": graph.add("Transpose", matrix, perm=[0, 2, 1])}

    def _tell(
        self, sums: list[str], things: list[str], links: list[dict[str, str]], layers: str
    ) -> None:
        for k, link in enumerate(self.relations.links):
            for way, told, teller in link.ways:
                more = self.graph.add(
                    "MatMul", links[k][way], self._at_each(things[teller], f"{layers}{k}{way}")
                )
                sums[told] = self.graph.add("Add", sums[told], more)

    def _relative(self, stand: str, seat: int) -> str:
        assert self.relations.grid is not None
        spaces, units = self.relations.grid.spaces, self.relations.units
        of_spaces = self.graph.reshape(self._at_each("offsets", f"link_offset{seat}"), spaces, -1)
        return self.graph.reshape(self.graph.add("MatMul", stand, of_spaces), 0, spaces, units)

    def _seat(self, stand: str, seat: int) -> str:
        return self.graph.add("Gather", stand, self.graph.number(seat), axis=1)

    def _summaries(self, things: list[str]) -> list[str]:
        return [
            self.graph.add(kind, one, axes=[1], keepdims=0)
            for one in things
            for kind in ("ReduceMean", "ReduceMax")
        ]

    def _logits(self, name: str, things: str, features: str) -> str:
        of_all = self._row(self.graph.linear(features, f"of_all_{name}"))
        both = self.graph.add(
            "Relu", self.graph.add("Add", self._at_each(things, f"of_thing_{name}"), of_all)
        )
        return self._at_each(both, f"logits_{name}")

    def _directed(self, each: str, k: int, count: int) -> str:
        graph = self.graph
        column = graph.add("Gather", each, graph.number(k), axis=2)
        beyond = len(DIRECTIONS)
        return graph.add(
            "Slice",
            column,
            graph.integers(beyond - count),
            graph.integers(beyond),
            graph.integers(1),
        )

    def _row(self, features: str) -> str:
        """Add a node that makes (n, 1, units) of (n, units)."""
        return self.graph.add("Unsqueeze", features, self.graph.integers(1))

    def _at_each(self, things: str, layer: str) -> str:
        """Add a layer to the features of each thing, (n, count, …)."""
        graph = self.graph
        weights = graph.add("Transpose", f"{layer}.weight", perm=[1, 0])
        product = graph.add("MatMul", things, weights)
        return (
            graph.add("Add", product, f"{layer}.bias")
            if f"{layer}.bias" in graph.tensors
            else product
        )
