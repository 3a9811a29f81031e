"""Puts the steps of a program together (:class:`~dig_envs.engine.search.program.Program`), from
what a network computes."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from dig_envs.agents.onnx_file import Array
from dig_envs.engine.search.program import (
    ADD,
    GATHER,
    LAYER,
    PRODUCT,
    Program,
    memory_read,
    numbers_written,
    program_of,
)

MOST_NUMBERS = 1 << 22  # in memory
# Places that are not final: those of the inputs begin at 0, of constants and of what is
# computed at these.
CONSTANTS, COMPUTED = 1 << 30, 1 << 40


@dataclass(eq=False)
class Step:
    """A step of a program, before its places are final
    (:func:`~dig_envs.engine.search.program.run`).

    ``matrix`` (inputs, outputs) is that of a layer, ``places`` are those that GATHER copies; the
    rest are columns of the program.
    """

    kind: int
    width: int
    rows: int = 1
    inputs: int = 0
    left: int = 0
    right: int = 0
    start: int = 0
    stride: int = 0
    out: int = 0
    relu: bool = False
    matrix: Array = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    places: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    def columns(self) -> tuple[int, ...]:
        """The columns of the program, with places that are not final yet."""
        place = (self.left, self.right, self.start, self.stride, self.out)
        return (self.kind, self.rows, self.inputs, self.width, *place, int(self.relu))

    @property
    def written(self) -> int:
        """How many numbers it writes."""
        return numbers_written(self.columns())

    def reads(self) -> list[tuple[int, int]]:
        """The ranges of places that are read: (first, beyond the last)."""
        copied = [(place, place + 1) for place in np.unique(self.places).tolist()]
        return copied + memory_read(self.columns())


class Steps:
    """The steps of a program in their order. All methods speak of places that are not final."""

    def __init__(self, inputs: int) -> None:
        self._size = inputs
        self._constants = np.zeros(0, np.float32)
        self._steps: dict[int, Step] = {}  # by the first place that they write
        self._end = COMPUTED
        # constants and copies that are in memory already
        self._known: dict[tuple[str, bytes], int] = {}

    def constant(self, numbers: Array) -> int:
        """The place where the numbers of a constant begin."""
        if numbers.dtype != np.float32:
            raise ValueError("numbers of another type")
        key = ("constant", numbers.tobytes())
        if key not in self._known:
            self._known[key] = CONSTANTS + len(self._constants)
            self._constants = np.concatenate([self._constants, numbers.ravel()])
        return self._known[key]

    def add(self, step: Step) -> int:
        """Add a step; return the first place of what it writes."""
        step.out = self._end
        self._end += step.written
        if self._end - COMPUTED > MOST_NUMBERS:
            raise ValueError(f"more than {MOST_NUMBERS} numbers in memory")
        if step.written:
            self._steps[step.out] = step
        return step.out

    def contiguous(self, places: Array) -> int:
        """The place where these numbers begin, one behind the other; they are copied unless they
        lie so already."""
        flat = places.ravel()
        if (flat < 0).any():
            raise ValueError("a place outside of memory")
        if (np.diff(flat) == 1).all():
            return int(flat[0]) if len(flat) else 0
        key = ("copy", flat.tobytes())
        if key not in self._known:
            self._known[key] = self.add(Step(GATHER, len(flat), places=flat))
        return self._known[key]

    def program(self, logits: Array, value: int, remembered: Array) -> Program:
        """The program whose logits, value and memory afterwards are in these places."""
        heads = np.append(logits, value)
        after = self.contiguous(remembered)
        reads = self._reads() + self._times(after + np.arange(len(remembered)))
        self._fuse(reads + self._times(heads))
        return self._assemble(heads, self._take_heads_out(reads), (len(remembered), after))

    # ------------------------------------------------------------ what is done at once

    def _times(self, places: Array) -> Array:
        """The number of times that each computed number is among these places."""
        return np.bincount(places[places >= COMPUTED] - COMPUTED, minlength=self._end - COMPUTED)

    def _reads(self) -> Array:
        count = np.zeros(self._end - COMPUTED, np.int64)
        for step in self._steps.values():
            _add_at_ranges(count, step.reads())
        return count

    def _fuse(self, reads: Array) -> None:
        """Let matrix products do the additions and ReLUs that follow them."""
        steps, self._steps = self._steps, {}
        for step in steps.values():
            self._steps[step.out] = step
            if step.kind != ADD:
                continue
            operands = [(step.left, step.width), (step.start, step.stride)]
            for (place, stride), (other, other_stride) in (operands, operands[::-1]):
                maker = self._steps.get(place)
                if (
                    maker is None
                    or (stride != step.width and step.rows > 1)
                    or maker.written != step.written
                ):
                    continue
                if (reads[place - COMPUTED :][: step.written] == 1).all() and self._absorb(
                    maker, step, other, other_stride
                ):
                    break

    def _absorb(self, maker: Step, step: Step, place: int, stride: int) -> bool:
        """Let ``maker``, whose result is one operand of an addition, add the other; return whether
        it can.

        Args:
            maker: the step that makes one operand.
            step: the addition.
            place: START of the other operand.
            stride: STRIDE of the other operand.
        """
        start = self._start_of_both(maker, step, place, stride)
        if start is None:
            return False
        del self._steps[maker.out], self._steps[step.out]
        maker.start, maker.stride = start
        maker.out, maker.relu = step.out, step.relu
        self._steps[maker.out] = maker
        return True

    def _start_of_both(
        self, maker: Step, step: Step, place: int, stride: int
    ) -> tuple[int, int] | None:
        """START and STRIDE of a step that does the work of both (:meth:`_absorb`); None if there is
        no such step."""
        if maker.relu or maker.kind not in (ADD, LAYER, PRODUCT):
            return None
        begun, added = (
            self._numbers(maker.start, maker.stride, maker),
            self._numbers(place, stride, step),
        )
        if added is not None and not added.any():
            return maker.start, maker.stride
        is_row = stride == 0 and step.rows > 1
        if maker.kind == ADD or begun is None or (is_row and maker.width != step.width):
            return None
        if not begun.any():
            return place, 0 if is_row or maker.rows == 1 else maker.width
        if added is None:
            return None
        total = begun + added.reshape(begun.shape)
        if (total == total[0]).all():
            return self.constant(total[0]), 0
        return self.constant(total), maker.width

    def _numbers(self, place: int, stride: int, step: Step) -> Array | None:
        """The constant that a step adds, (rows, width); None if it is not a constant."""
        if not CONSTANTS <= place < COMPUTED:
            return None
        rows = place - CONSTANTS + stride * np.arange(step.rows)
        numbers: Array = self._constants[rows[:, None] + np.arange(step.width)]
        return numbers

    def _take_heads_out(self, reads: Array) -> dict[int, Step]:
        """Take out the layers of which only logits or values are read; return by places the layers
        that give them."""
        found: dict[int, Step] = {}
        for step in list(self._steps.values()):
            block = range(step.out, step.out + step.written)
            is_constant = CONSTANTS <= step.start < COMPUTED and (
                step.stride == 0 or step.rows == 1
            )
            if (
                step.kind == LAYER
                and not step.relu
                and is_constant
                and not reads[step.out - COMPUTED :][: len(block)].any()
            ):
                del self._steps[step.out]
                found |= dict.fromkeys(block, step)
        return found

    # ------------------------------------------------------------ the arrays

    def _assemble(
        self, places: Array, layers: dict[int, Step], remembered: tuple[int, int]
    ) -> Program:
        weights, table = Joined([self._constants]), Joined([])
        heads = self._heads(places, layers, weights)
        for_value, count_after = self._needed(heads[-1:]), (*remembered, 0)
        needed = self._needed([*heads, count_after])
        steps = for_value + [step for step in needed if step not in for_value]
        rows = [self._row(step, weights, table) for step in steps]
        heads = [(count, self._final(place), factors) for count, place, factors in heads]
        most = max((step.inputs for step in steps), default=0)
        sizes = [self._size, len(self._constants), self._final(self._end), len(for_value), most]
        sizes += [remembered[0], self._final(remembered[1])]
        return program_of(
            weights.whole(np.float32), np.array(rows), table.whole(np.int32), np.array(heads), sizes
        )

    def _heads(
        self, places: Array, layers: dict[int, Step], weights: "Joined"
    ) -> list[tuple[int, int, int]]:
        """The heads for these places; their factors are added to the weights."""
        as_it_is = weights.add(np.array([1, 0], np.float32))
        factors_of: dict[int, int] = {}
        heads = []
        for place in places.tolist():
            if place not in layers:
                heads.append((1, place, as_it_is))
                continue
            layer = layers[place]
            if layer.out not in factors_of:
                bias = self._constants[layer.start - CONSTANTS :][: layer.width]
                factors_of[layer.out] = weights.add(np.column_stack([layer.matrix.T, bias]))
            row, output = divmod(place - layer.out, layer.width)
            heads.append(
                (
                    layer.inputs,
                    layer.left + row * layer.inputs,
                    factors_of[layer.out] + output * (layer.inputs + 1),
                )
            )
        return heads

    def _needed(self, heads: Iterable[tuple[int, int, int]]) -> list[Step]:
        """The steps that these heads need, in their order."""
        needed = np.zeros(self._end - COMPUTED, np.int64)
        _add_at_ranges(needed, [(place, place + count) for count, place, _ in heads])
        found = []
        for step in reversed(self._steps.values()):
            if needed[step.out - COMPUTED :][: step.written].any():
                _add_at_ranges(needed, step.reads())
                found.append(step)
        return found[::-1]

    def _row(self, step: Step, weights: "Joined", table: "Joined") -> tuple[int, ...]:
        """The columns of a step with final places; its matrix or its places are added to the
        tables."""
        right = self._final(step.right)
        if step.kind == LAYER:
            right = weights.add(step.matrix)
        elif step.kind == GATHER:
            right = table.add(np.array([self._final(place) for place in step.places.tolist()]))
        left, start, out = self._final(step.left), self._final(step.start), self._final(step.out)
        return replace(step, left=left, right=right, start=start, out=out).columns()

    def _final(self, place: int) -> int:
        """The final place: constants are behind the inputs, and what is computed behind
        these."""
        if place < CONSTANTS:
            return place
        return (
            place - CONSTANTS + self._size
            if place < COMPUTED
            else place - COMPUTED + self._size + len(self._constants)
        )


class Joined:
    """Arrays that become one, one behind the other."""

    def __init__(self, parts: list[Array]) -> None:
        self._parts, self._end = parts, sum(part.size for part in parts)

    def add(self, part: Array) -> int:
        """Add an array; return where it begins."""
        self._parts.append(part)
        self._end += part.size
        return self._end - part.size

    def whole(self, dtype: type) -> Array:
        """All parts in one array (n,)."""
        return np.concatenate(
            [np.zeros(0, dtype), *(np.asarray(part, dtype).ravel() for part in self._parts)]
        )


def _add_at_ranges(count: Array, ranges: Iterable[tuple[int, int]]) -> None:
    """Count computed numbers in ranges of places."""
    for first, end in ranges:
        if first >= COMPUTED:
            count[first - COMPUTED : end - COMPUTED] += 1
