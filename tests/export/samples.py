"""Functions whose translation must give the same results, and things that have none."""

import copy
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np

WORDS = {"one": 1, "two": 2, (1, 2): 3}
ORDERED = {"b": 1, "2": 2, "1": 3, "__proto__": 4}  # an object of JavaScript has another order
BIG = 1 << 60
TABLE = np.arange(12).reshape(3, 4)
NAMES = np.array(["a", "b"])


class Point(NamedTuple):
    x: int
    y: int = 7


@dataclass(frozen=True)
class Shape:
    name: str
    sides: int = field(default=3, kw_only=True)

    @property
    def words(self) -> str:
        return f"{self.name} with {self.sides} sides"

    def larger(self, by: int, times: int = 1) -> int:
        return self.sides + by * times

    @cached_property
    def twice(self) -> int:
        return 2 * self.sides

    def say(self, *others: str, mark: str = ".") -> str:
        return " ".join([self.words, *others]) + mark


class Square(Shape):
    def say(self, *others: str, mark: str = "!") -> str:
        return super().say(*others, mark=mark).upper()


LOG: list[str] = []


@contextmanager
def within(name: str) -> Iterator[str]:
    LOG.append(f"into {name}")
    try:
        yield name * 2
    finally:
        LOG.append(f"out of {name}")


def maker(before: str) -> Any:
    return lambda text, n=2: before + text * n


SAY_TWICE, SAY_THRICE = maker("a"), maker("b")
LARGER = Shape("kite", sides=4).larger


def arithmetic() -> list[Any]:
    found: list[Any] = [
        7 // 2,
        -7 // 2,
        -7 % 3,
        7 % -3,
        2**10,
        1 << 40,
        (1 << 40) >> 38,
        BIG | 1,
        BIG & (BIG >> 1),
        ~5,
        5 ^ 3,
        6 / 4,
    ]
    found += [
        True + 1,
        sum([True, False, True]),
        abs(-3),
        divmod(-7, 2),
        BIG - 1 + 2,
        3 * True,
        int("12"),
        int(3.9),
        int(-3.9),
    ]
    found += [
        round(2.5),
        round(0.25, 1),
        round(79.55, 1),
        round(-1.5),
        min(3, 1, 2),
        max([4, 9, 2], key=lambda n: -n),
        max([], default=5),
    ]
    return found


def texts() -> list[Any]:
    a, b = "dig", 3.14159
    found = [
        f"{a:>6}|{a:<5}|{a:^7}|{b:.2f}|{7:03}|{12345:,}|{a!r}|{True}|{None}|{b:g}|{-3:+d}|{7:>3}"
    ]
    found += [
        ["a", "b", "", "c"],
        ["x", "y"],
        "a-b-c".partition("-"),
        "a-b-c".rpartition("-"),
        "abc"[::-1],
        "abcdef"[1:-2],
        "x" * 3,
    ]
    found += [
        "{} and {:>4} {0}".replace("{0}", "").format("one", 2),
        "dig".capitalize(),
        "a.b".removeprefix("a."),
        "Abc".lower(),
        ", ".join(["a", "b"]),
    ]
    found += [
        "dig" in "digger",
        "abc" < "abd",
        "a\nb".splitlines(),
        str([1, "a", (2,), {"k": None}]),
        "aXbX".count("X"),
        "é…".upper(),
        "abc".index("c"),
    ]
    return found


def lists() -> list[Any]:
    some = [5, 3, 8, 1]
    first, *rest = some
    *before, last = some
    some[1:3] = [9]
    some += [2, 2]
    del some[0]
    found = [
        first,
        rest,
        before,
        last,
        some,
        sorted([5, 3, 8], reverse=True),
        sorted(["bb", "a"], key=len),
        some[-1],
        some[:-1],
        [0] * 3,
    ]
    found += [
        list(range(10, 0, -3)),
        [*range(3), *"ab"],
        list(zip("ab", [1, 2], strict=True)),
        list(enumerate("ab", 1)),
        [1, 2] == [1, 2],
        (1,) == (1,),
    ]
    found += [
        list(map(str, [1, 2])),
        [x * y for x in range(4) if x % 2 for y in range(x)],
        next((x for x in [1, 2] if x > 1), None),
        any([]),
        all([]),
    ]
    found += [
        [(k, list(g)) for k, g in groupby("aabbb")],
        list(pairwise([1, 2, 3])),
        (1, 2) < (1, 3),
        [1] < [1, 0],
        max([(1, "b"), (1, "c")]),
    ]
    return found


def mappings() -> list[Any]:
    counts = Counter("abca")
    some = {"b": 3, **{"a": 2}}  # noqa: PIE800
    found = [
        some,
        list(some),
        some.get("x", 4),
        "a" in some,
        WORDS[(1, 2)],
        {k: v for k, v in some.items() if v > 2},
        counts["z"],
        counts.most_common(1),
    ]
    found += [
        dict(zip("ab", [1, 2], strict=True)),
        dict.fromkeys("ab", 0),
        some | {"c": 1},
        list(ORDERED.items()),
        list({"b": 1, "10": 2, "9": 3}),
        sorted({3, 1, 2} - {2}),
        sorted({1, 2} | {3}),
        {1, 2} == {2, 1},
    ]
    found += [some.pop("a"), len(some), sorted((Counter("aab") - Counter("ab")).elements())]
    found += [{1, 2} <= {1, 2, 3}, {1: "int"}[True]]
    return found


def matching(words: Sequence[Any]) -> str:
    match words:
        case ["go", place] | ["walk", place]:
            return f"to {place}"
        case ["give", what, *others] if others:
            return f"{what} to {len(others)}"
        case [] | None:
            return "nothing"
        case ["stop" | "halt"]:
            return "stopped"
        case _:
            return "else"


def draws() -> list[Any]:
    """Random numbers differ; what holds of all of them does not."""
    draw, same, some = random.Random(BIG), random.Random(BIG), list(range(20))
    several = [draw.randrange(3) for _ in range(200)]
    drawn = draw.sample(some, 7)
    mixed = some.copy()
    draw.shuffle(mixed)
    words = [draw.getrandbits(64) for _ in range(20)]
    found = [sorted(set(several)), len(set(drawn)), set(drawn) <= set(some), sorted(mixed) == some]
    found += [mixed == some, draw.choice("aa"), min(words) >= 0, max(words) >> 62 > 0]
    found += [max(words) < 1 << 64, [same.randrange(3) for _ in range(200)] == several]
    nested: dict[str, Any] = {"a": [[1], (2, [3])]}
    twin = copy.deepcopy(nested)
    twin["a"][0].append(4)
    twin["a"][1][1].append(5)
    return [*found, nested, twin, int(TABLE[1].argmax()), draw.randrange(64**12) < 64**12]


def flow() -> list[Any]:
    found = []
    for n in range(20):
        if n % 2:
            continue
        if n > 9:
            break
        found.append(n)
    while found and found[-1] > 4:
        found.pop()
    try:
        found.append({}["missing"])
    except KeyError as error:
        found.append(type(error) is KeyError)
    finally:
        found.append("done")
    low, high = 3, 8
    found += [
        low < 5 <= high < 9,
        not found,
        found and found[0],
        len("") or "other",
        None is None,
        (total := 5) + total,
    ]
    found += [_ + last for _, _, last in [(1, 2, 3), (4, 5, 6)]]
    for _, _ in [(1, 2)]:
        found.append(_)
    return found


@lru_cache
def slowly(n: int) -> int:
    return n if n < 2 else slowly(n - 1) + slowly(n - 2)


def objects() -> list[Any]:
    LOG.clear()
    with within("a") as name, within("b"):
        LOG.append(name)
    point, square = Point(1), Square("box", sides=4)
    x, y = point
    found = [
        x,
        y,
        point == (1, 7),
        point.y,
        square.words,
        square.say("or", "so"),
        Shape("cone").say(mark="?"),
        square.twice,
        slowly(30),
    ]
    found += [
        SAY_TWICE("x"),
        SAY_THRICE("y", n=3),
        square.larger(times=3, by=2),
        LARGER(times=5, by=1),
        [say("z", n=4) for say in (SAY_TWICE, SAY_THRICE)],
        [grow(times=2, by=7) for grow in (LARGER,)],
        list(LOG),
        isinstance(square, Shape),
        isinstance(3, int | str),
        isinstance(True, int),
        {Point(1, 2): "p"}[Point(1, 2)],
    ]
    found += [
        int(TABLE[1, 2]),
        [int(n) for n in TABLE[2]],
        int(TABLE.sum()),
        len(TABLE),
        TABLE[0].tolist(),
        inner(2)(3),
        REST(1),
        REST(1, 2, 3),
    ]
    return found


REST = lambda first, *others: [first, len(others)]  # noqa: E731


def inner(a: int) -> Any:
    def add(b: int, c: int = 10) -> int:
        return a + b + c

    return add


def named(values: Mapping[str, Any]) -> list[Any]:
    return [f"{key}={value}" for key, value in values.items()]


def refused_loop() -> None:
    for _ in range(3):
        pass
    else:
        pass


def refused_name() -> Any:
    return open("file")


def refused_global() -> Any:
    return np.fft.fft([1])
