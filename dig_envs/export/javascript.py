"""Translates Python into JavaScript: functions, classes and constants with all that they reach, as
one module.

It is for what says in words or draws what compiled code has decided: plain functions over the
values of JSON. Functions are translated from their source; what they find in their modules (tables,
names, templates) is written down as it is when they are translated. Of classes and objects only
what has a name that occurs in the translated functions becomes a part of it.
``templates/python.js`` has the values and built-in functions of Python that the result needs. What
is not known there, or here, is refused by :class:`TranslationError`, with file and line.
"""

import ast
import builtins
import collections
import copy
import dataclasses
import functools
import inspect
import itertools
import json
import math
import operator
import random
import re
import secrets
import string
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence, Sized
from contextvars import ContextVar
from pathlib import Path
from types import (
    BuiltinMethodType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any, cast
from xml.sax.saxutils import escape

import numpy as np

from dig_envs.export.machines import ExportError

_RESERVED = """
    arguments await break case catch class const continue debugger default delete do else enum eval
    export extends false finally for function if implements import in instanceof interface let new
    null package private protected public py return static super switch this throw true try typeof
    undefined var void while with yield
"""
_BUILTINS = """
    abs all any ascii bool bytes dict divmod enumerate filter float frozenset getattr hasattr int
    iter len list map max min next object pow print range repr reversed round set sorted str sum
    tuple type zip
"""
RESERVED, BUILTINS = frozenset(_RESERVED.split()), frozenset(_BUILTINS.split())
# What has a counterpart in python.js.
KNOWN: dict[Any, str] = {
    collections.Counter: "py.Counter", collections.defaultdict: "py.defaultdict",
    dataclasses.replace: "py.replace", functools.reduce: "py.reduce", itertools.chain: "py.chain",
    itertools.groupby: "py.groupby", itertools.pairwise: "py.pairwise",
    itertools.product: "py.product",
    operator.and_: "py.band", operator.or_: "py.bor", math.ceil: "py.ceil", math.floor: "py.floor",
    math.sqrt: "Math.sqrt", math.hypot: "Math.hypot", math.cos: "Math.cos", math.sin: "Math.sin",
    math.isfinite: "Number.isFinite", escape: "py.escape",
    re.sub: "py.re_sub", re.findall: "py.re_findall", re.split: "py.re_split",
    secrets.randbits: "py.randbits", random.Random: "py.Random", copy.deepcopy: "py.deepcopy",
    np.uint64: "py.b.int", string.Formatter: "py.Formatter", cast: "py.cast",
    object.__setattr__: "py.set_attribute", Mapping: "py.Mapping", MutableMapping: "py.Mapping",
    Sequence: "py.Sequence", Sized: "py.Sized",
    np.flatnonzero: "py.flatnonzero", unicodedata.normalize: "py.normalize",
    unicodedata.category: "py.category",
    np.zeros_like: "py.zeros_like", np.ndarray: "py.NdArray", np.integer: "py.Nothing",
    np.generic: "py.Nothing", Exception: "py.Exception", ValueError: "py.ValueError",
    TypeError: "py.TypeError", KeyError: "py.KeyError", IndexError: "py.IndexError",
    LookupError: "py.LookupError", RuntimeError: "py.RuntimeError",
    OverflowError: "py.OverflowError", AssertionError: "py.AssertionError",
    ImportError: "py.ImportError", str: "py.b.str", int: "py.b.int", float: "py.b.float",
    bool: "py.b.bool", list: "py.b.list", tuple: "py.b.tuple", dict: "py.b.dict", set: "py.b.set",
    frozenset: "py.b.frozenset", range: "py.b.range", object: "py.Obj", type(None): "py.None",
}  # fmt: skip
BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "shl", ast.RShift: "shr", ast.BitAnd: "band",
    ast.BitOr: "bor", ast.BitXor: "bxor",
    ast.MatMult: "matmul",
}  # fmt: skip
ORDER = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
Function = ast.FunctionDef | ast.Lambda
# a name of this module, or a text, in which there is none
NAME = re.compile(r'"(?:[^"\\]|\\.)*"|\b\w+\$\d*')


class TranslationError(ExportError):
    """Something that there is no translation for; the message names it, with file and line."""


@functools.cache
def _functions_of(path: str) -> dict[int, list[Function]]:
    """The functions of a source file by the lines on which they can begin."""
    found: dict[int, list[Function]] = {}
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"), path)):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            lines = {node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))}
            for line in lines:
                found.setdefault(line, []).append(node)
    return found


def _node_of(function: FunctionType) -> Function:
    code = function.__code__
    path = code.co_filename
    if not path.endswith(".py"):
        raise TranslationError(f"{function.__qualname__} has no source")
    found = [
        node
        for node in _functions_of(path).get(code.co_firstlineno, [])
        if (
            isinstance(node, ast.Lambda)
            if code.co_name == "<lambda>"
            else getattr(node, "name", "") == code.co_name
        )
    ]
    # of several lambdas in a line the one in which all its instructions come from
    if len(found) > 1:
        spans = [
            place for place in code.co_positions() if None not in place and place[2] != place[3]
        ]

        def has_all(node: Function) -> bool:
            first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            return all(first <= (a, c) and (b, d) <= last for a, b, c, d in spans)

        found = sorted((node for node in found if has_all(node)), key=lambda node: node.col_offset)[
            -1:
        ]
    if not found:
        raise TranslationError(
            f"{path}:{code.co_firstlineno}: the source of {function.__qualname__} cannot be found"
        )
    return found[0]


class Module:
    """A module of JavaScript in the making.

    Args:
        known: objects that have a counterpart already: what stands for each.
        exports: name -> what the module exports under it.
        without: methods and attributes that are left out, whoever uses them: a name, or a class and
            a name with a point between.
    """

    def __init__(
        self, exports: Mapping[str, Any], known: Sequence[tuple[Any, str]] = (),
        without: Iterable[str] = ()
    ) -> None:  # fmt: skip
        self.exports, self.without = exports, frozenset(without)
        self.known: dict[int, str] = {id(value): said for value, said in (*KNOWN.items(), *known)}
        self._alive = known
        # as found the last time: names of attributes, of arguments that are given by name, and of
        # methods to which some are, and the classes of which the functions may make objects
        self.used: set[str] = set()
        self.keywords: set[str] = set()
        self.methods: set[str] = set()
        self.called: set[type] = set()

    def text(self) -> str:
        """The module's text. Its parts depend on which names occur in it, so it is made again until
        none is added."""
        while True:
            found: list[Sized] = [self.used, self.keywords, self.methods, self.called]
            before = [*map(len, found)]
            result = self._made()
            if [*map(len, found)] == before:
                return result

    def _made(self) -> str:
        self.names: dict[int, str] = {}
        self.taken: collections.Counter[str] = collections.Counter()
        self.functions: list[str] = []  # declarations, whose order does not matter
        self.constants: list[str] = []  # each after what it needs
        self.values: dict[str, str] = {}  # by their names, those that are only values
        self._kept: list[Any] = []  # objects whose identities are names
        self._busy: set[int] = set()
        said = [f"export const {name} = {self.ref(value)};" for name, value in self.exports.items()]
        return "\n".join(
            [
                'import * as py from "./python.js";',
                "",
                *self.functions,
                *self._nested(said),
                *said,
                "",
            ]
        )

    def _nested(self, exports: Sequence[str]) -> list[str]:
        """The constants; a value that only one other value needs is part of that value."""
        text = "\n".join([*self.functions, *self.constants, *exports])
        uses = collections.Counter(NAME.findall(text))
        single: dict[str, str] = {}
        parts: list[tuple[str, str]] = []
        for said in self.constants:
            name = said.split()[1]
            if name in self.values:
                said = NAME.sub(lambda found: single.pop(found[0], found[0]), self.values[name])
                if uses[name] == 2:  # where it is made, and there
                    single[name] = said
                said = f"const {name} = {said};"
            parts.append((name, said))
        kept = {name for name in self.values if uses[name] != 2} | single.keys()
        return [said for name, said in parts if name not in self.values or name in kept]

    # ------------------------------------------------------------ values

    def ref(self, value: Any) -> str:
        """The expression that stands for a value, which becomes part of the module."""
        if isinstance(value, type):
            self.called.add(value)
        return self._ref(value)

    def _ref(self, value: Any) -> str:
        if value is None:
            return "null"
        if isinstance(value, np.generic):
            value = value.item()
        if type(value) is bool:
            return "true" if value else "false"
        if type(value) is int:
            return str(value) if abs(value) < 2**53 else f"{value}n"
        if type(value) is float:
            return json.dumps(value) if math.isfinite(value) else f"({'-' * (value < 0)}Infinity)"
        if type(value) is str:
            return json.dumps(value, ensure_ascii=False)
        if id(value) in self.known:
            return self.known[id(value)]
        if id(value) in self.names:
            return self.names[id(value)]
        if id(value) in self._busy:
            raise TranslationError(f"{value!r:.60} contains itself")
        self._busy.add(id(value))
        self._kept.append(value)
        made = self._make(value)
        self._busy.discard(id(value))
        self.names[id(value)] = made
        return made

    def _name(self, wanted: str) -> str:
        wanted = re.sub(r"\W+", "_", wanted).strip("_") or "value"
        self.taken[wanted] += 1
        count = self.taken[wanted]
        return f"{wanted}${count}" if count > 1 or wanted in RESERVED else f"{wanted}$"

    def _value(self, wanted: str, said: str) -> str:
        """The name of a constant that may be written down where it is needed."""
        name = self._constant(wanted, said)
        self.values[name] = said
        return name

    def _constant(self, wanted: str, said: str) -> str:
        name = self._name(wanted)
        self.constants.append(f"const {name} = {said};")
        return name

    def _make(self, value: Any) -> str:
        kind = type(value)
        if kind is list:
            return self._value("list", f"[{self._several(value)}]")
        if kind is tuple:
            return self._value("tuple", f"py.tuple([{self._several(value)}])")
        if isinstance(value, dict | MappingProxyType) and not isinstance(
            value, collections.Counter
        ):
            rows = [(self.ref(key), self.ref(one)) for key, one in value.items()]
            return self._value("dict", _dict(rows))
        if kind in (set, frozenset):
            return self._value("set", f"py.set_of([{self._several(sorted(value, key=repr))}])")
        if kind is range:
            return self._value("range", f"py.b.range({value.start}, {value.stop}, {value.step})")
        if isinstance(value, np.ndarray):
            return self._value("array", f"py.array({json.dumps(value.tolist())})")
        if kind is re.Pattern:
            return self._constant(
                "pattern",
                f"py.pattern({json.dumps(value.pattern)}, {int(value.flags & re.IGNORECASE)})",
            )
        if kind is ContextVar:
            return self._constant("context", f"py.context_var({self.ref(value.get())})")
        if isinstance(value, MethodType):
            self.used.add(value.__func__.__name__)
            self.methods.add(value.__func__.__name__)
            name = json.dumps(value.__func__.__name__)
            return self._constant(
                "method", f"(...given) => py.method({self.ref(value.__self__)}, {name}, ...given)"
            )
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, FunctionType):
            if value.__code__.co_filename.endswith("contextlib.py"):
                return self._constant("context", f"py.context({self.ref(value.__wrapped__)})")  # type: ignore[attr-defined]
            return self._function(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._constant(
                type(value).__name__, f"py.make({self.ref(type(value))}, [{self._several(value)}])"
            )
        if hasattr(value, "cache_info"):
            name = self.names[id(value)] = self._name(value.__name__)  # it may call itself
            self.constants.append(f"const {name} = py.cached({self.ref(value.__wrapped__)});")
            return name
        if hasattr(value, "py_func"):
            return self.ref(value.py_func)
        if hasattr(value, "__dict__") and (
            type(value) is SimpleNamespace or not _is_foreign(type(value))
        ):
            names = (
                [field.name for field in dataclasses.fields(value)]
                if dataclasses.is_dataclass(value)
                else list(vars(value))
            )
            names = [
                name
                for name in names
                if name in self.used and name not in self.without and name in vars(value)
            ]
            own = {name: vars(value)[name] for name in names}
            if type(value) is SimpleNamespace:
                return self._value("names", self._object(own))
            said_kind, place = self._ref(type(value)), len(self.constants)
            made = self._constant(type(value).__name__, f"py.instance({said_kind})")
            self.names[id(value)] = made  # its parts may know it
            said = self._object(own)
            if made in NAME.findall("\n".join([said, *self.constants[place + 1 :]])):
                self.constants.append(f"Object.assign({made}, {said});")
            else:
                del self.constants[place]
                self.values[made] = said = f"py.instance({said_kind}, {said})"
                self.constants.append(f"const {made} = {said};")
            return made
        raise TranslationError(
            f"there is no translation for {value!r:.80} "
            f"({type(value).__module__}.{type(value).__name__})"
        )

    def by_name(self, parameters: Iterable[str]) -> bool:
        """Whether one of these parameters may be given by name."""
        return "**" in self.keywords or not self.keywords.isdisjoint(parameters)

    def _several(self, values: Iterable[Any]) -> str:
        return ", ".join(map(self.ref, values))

    def _object(self, values: Mapping[str, Any]) -> str:
        return "{" + ", ".join(f"{name}: {self.ref(value)}" for name, value in values.items()) + "}"

    # ------------------------------------------------------------ functions and classes

    def _function(self, function: FunctionType) -> str:
        name = self._name(
            function.__qualname__.rpartition(".")[2]
            if "lambda" not in function.__qualname__
            else "said"
        )
        self.names[id(function)] = name  # it may call itself
        writer = Writer(self, function)
        said = writer.function(name)
        if function.__closure__:
            cells = [self.ref(cell.cell_contents) for cell in function.__closure__]
            free = ", ".join(map(_safe, function.__code__.co_freevars))
            self.constants.append(
                f"const {name} = (({free}) => {{ {said} return {name}; }})({', '.join(cells)});"
            )
        else:
            self.functions.append(said)
        return name

    def _class(self, kind: type) -> str:
        if _is_foreign(kind):
            raise TranslationError(
                f"there is no translation for the class {kind.__module__}.{kind.__qualname__}"
            )
        is_row = issubclass(kind, tuple) and hasattr(kind, "_fields")
        bases = [base for base in kind.__bases__ if base.__module__ != "abc"]
        base = "py.Row" if is_row else self._ref(bases[0]) if bases else "py.Obj"
        name = self._name(kind.__name__)
        self.names[id(kind)] = name
        members = []
        if is_row:
            fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
            members += [f"static $p = {json.dumps(fields)};"]
            members += [
                f"get {field}() {{ return this[{place}]; }}" for place, field in enumerate(fields)
            ]
            usual = getattr(kind, "_field_defaults", {})
            members += [f"static $usual = {self._object(usual)};"] if usual else []
        elif dataclasses.is_dataclass(kind) and "__init__" in vars(kind):
            members.append(self._initialiser(kind))
        own = (
            {field.name for field in dataclasses.fields(kind)}
            if dataclasses.is_dataclass(kind)
            else set()
        )
        for field, value in vars(kind).items():
            if (is_row and field.startswith("_")) or field in own:
                continue
            if (
                field in self.used or field in ("__init__", "__post_init__", "__str__")
            ) and not self.without & {field, f"{kind.__name__}.{field}"}:
                members.append(self._member(kind, field, value))
        lines = "\n  ".join(filter(None, members))
        self.constants.append(f"class {name} extends {base} {{\n  {lines}\n}}")
        return name

    def _initialiser(self, kind: Any) -> str:
        """What `Obj` in python.js has to know to make an object of a dataclass."""
        fields = {field.name: field for field in dataclasses.fields(kind)}
        parameters = list(inspect.signature(kind.__init__).parameters)[1:]
        order = f"static $p = {json.dumps(parameters)};"
        if kind not in self.called:
            return order
        usual = []
        for name in parameters:
            field = fields[name]
            if field.default is not dataclasses.MISSING:
                usual.append(f"{name}: {self.ref(field.default)}")
            elif field.default_factory is not dataclasses.MISSING:
                usual.append(f"get {name}() {{ return {self.ref(field.default_factory)}(); }}")
        return f"{order}\n  static $usual = {{{', '.join(usual)}}};"

    def _member(self, kind: type, name: str, value: Any) -> str:
        if isinstance(value, property):
            return Writer(self, cast(FunctionType, value.fget), kind).method(name, "get ")
        if isinstance(value, functools.cached_property):
            return Writer(self, cast(FunctionType, value.func), kind).method(
                name, "get ", keep=True
            )
        if isinstance(value, staticmethod):
            return f"{name}(...given) {{ return {self.ref(value.__func__)}(...given); }}"
        if isinstance(value, classmethod):
            raise TranslationError(f"{kind.__qualname__}.{name} is a class method")
        if isinstance(value, FunctionType):
            if dataclasses.is_dataclass(kind) and name == "__init__":
                return ""
            if value.__code__.co_filename.endswith("contextlib.py"):
                inner = Writer(self, value.__wrapped__, kind).method(f"{name}$", "*")  # type: ignore[attr-defined]
                order = json.dumps(list(inspect.signature(value).parameters)[1:])
                return (
                    f"{inner}\n  {name}(...given) {{ return "
                    f"py.entered(this.{name}$(...py.placed({order}, given))); }}"
                )
            if getattr(value, "__isabstractmethod__", False):
                return ""
            return Writer(self, value, kind).method(name)
        if type(value).__name__ in ("member_descriptor", "_tuplegetter"):
            return ""
        return f"get {name}() {{ return {self.ref(value)}; }}"


def _is_foreign(kind: type) -> bool:
    """Whether a class is from the standard library, or from another package whose source is not
    translated."""
    root = kind.__module__.partition(".")[0]
    return root in sys.stdlib_module_names or root in ("numpy", "numba", "llvmlite", "drawsvg")


def _dict(rows: Sequence[tuple[str, str]]) -> str:
    """A dict with these keys and values; without a key all of the value, another dict."""
    # an object sorts its keys if they are whole numbers
    if all(re.fullmatch(r'"(?!__proto__)(?!\d+")[^"\\]*"', key) for key, _ in rows):
        return f"py.dict_of({{{', '.join(f'{key}: {value}' for key, value in rows)}}})"
    said = (f"[{key}, {value}]" if key else f"...py.items({value})" for key, value in rows)
    return f"py.dict([{', '.join(said)}])"


def _safe(name: str) -> str:
    return f"{name}$" if name in RESERVED else name


def _assigned(body: Iterable[ast.AST]) -> list[str]:
    """The names that statements assign, without those inside nested functions and
    comprehensions."""
    found: dict[str, None] = {}

    def look(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = None
            return
        if isinstance(node, ast.Lambda):
            return
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr) and isinstance(inner.target, ast.Name):
                    found[inner.target.id] = None
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        if isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] = None
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            found[node.name] = None
        for child in ast.iter_child_nodes(node):
            look(child)

    for statement in body:
        look(statement)
    return list(found)


class Writer:
    """Writes one function in JavaScript."""

    def __init__(self, module: Module, function: FunctionType, owner: type | None = None) -> None:
        self.module, self.python, self.owner = module, function, owner
        self.node = _node_of(function)
        self.scopes: list[set[str]] = [set(function.__code__.co_freevars)]
        self.temporaries = 0

    # ------------------------------------------------------------ functions

    def function(self, name: str) -> str:
        """The declaration of a function of a module."""
        words, order, first = self._parameters(self.node.args, self._defaults())
        star = "*" if self._yields(self.node) else ""
        body = self._body(self.node, first, set(order))
        free = (
            "" if first or not self.module.by_name(order) else f"\n{name}.$p = {json.dumps(order)};"
        )
        return f"function{star} {name}({', '.join(words)}) {{{body}}}{free}"

    def method(self, name: str, before: str = "", keep: bool = False) -> str:
        """A method of a class; ``keep``: of a property that is computed once."""
        node = cast(ast.FunctionDef, self.node)
        arguments = ast.arguments(
            posonlyargs=[], args=(node.args.posonlyargs + node.args.args)[1:],
            vararg=node.args.vararg, kwonlyargs=node.args.kwonlyargs,
            kw_defaults=node.args.kw_defaults, kwarg=node.args.kwarg, defaults=node.args.defaults,
        )  # fmt: skip
        own = (node.args.posonlyargs + node.args.args)[0].arg
        words, order, first = self._parameters(arguments, self._defaults())
        body = self._body(node, f"const {_safe(own)} = this; {first}", {own, *order})
        star = "*" if self._yields(node) and "*" not in before and not before else ""
        if keep:
            return f"get {name}() {{ return py.kept(this, {json.dumps(name)}, () => {{{body}}}); }}"
        order_said = f"\n  static $p_{name} = {json.dumps(order)};"
        by_name = name == "__init__" or name in self.module.methods
        if first or before or not by_name or not self.module.by_name(order):
            order_said = ""
        return f"{before}{star}{name}({', '.join(words)}) {{{body}}}{order_said}"

    def _defaults(self) -> dict[str, str]:
        found = {}
        for name, parameter in inspect.signature(self.python).parameters.items():
            if parameter.default is not inspect.Parameter.empty:
                found[name] = self.module.ref(parameter.default)
        return found

    def _parameters(
        self, arguments: ast.arguments, usual: Mapping[str, str]
    ) -> tuple[list[str], list[str], str]:
        """The parameters, their names in order, and the beginning of the body that sorts out
        arguments."""
        plain = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        named = [one.arg for one in arguments.kwonlyargs]
        if arguments.vararg is None and arguments.kwarg is None:
            order = plain + named
            words = [_safe(name) + (f" = {usual[name]}" if name in usual else "") for name in order]
            return words, order, ""
        rest = (
            f"const {_safe(arguments.vararg.arg)} = py.tuple($given.slice({len(plain)}));"
            if arguments.vararg
            else ""
        )
        lines = ["const $named = py.named($given);"]
        for place, name in enumerate(plain):
            lines.append(
                f"let {_safe(name)} = $given[{place}] ?? py.take($named, {json.dumps(name)}) ?? "
                f"{usual.get(name, 'null')};"
            )
        for name in named:
            lines.append(
                f"let {_safe(name)} = py.take($named, {json.dumps(name)}, "
                f"{usual.get(name, 'null')});"
            )
        more = f"const {_safe(arguments.kwarg.arg)} = py.rest($named);" if arguments.kwarg else ""
        order = [*plain, *named, *(one.arg for one in (arguments.vararg, arguments.kwarg) if one)]
        return ["...$given"], order, " ".join([*lines, rest, more])

    @staticmethod
    def _yields(node: Function) -> bool:
        return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))

    def _body(self, node: Function, first: str, parameters: set[str]) -> str:
        if isinstance(node, ast.Lambda):
            self.scopes.append(parameters)
            said = self.e(node.body)
            self.scopes.pop()
            return f" {first} return {said}; "
        names = [name for name in _assigned(node.body) if name not in parameters]
        self.scopes.append({*names, *parameters})
        declared = f"let {', '.join(map(_safe, names))};" if names else ""
        said = "\n".join(filter(None, map(self.s, node.body)))
        self.scopes.pop()
        # mypy lets nobody use what such a function returns
        is_none = isinstance(node.returns, ast.Constant) and node.returns.value is None
        end = "" if is_none or isinstance(node.body[-1], ast.Return) else "return null;"
        return f"\n{first} {declared}\n{said}\n{end}\n"

    # ------------------------------------------------------------ names

    def fail(self, node: Any, why: str = "") -> TranslationError:
        """The error about a node, with its place."""
        place = f"{self.python.__code__.co_filename}:{getattr(node, 'lineno', '?')}"
        return TranslationError(
            f"{place}: {why or type(node).__name__} has no translation into JavaScript"
        )

    def _is_local(self, name: str) -> bool:
        return any(name in scope for scope in self.scopes)

    def value_of(self, node: ast.AST) -> Any:
        """The value of a name, or of a module's name, now; Missing if it may change."""
        if isinstance(node, ast.Name) and not self._is_local(node.id):
            if node.id in self.python.__globals__:
                return self.python.__globals__[node.id]
            return getattr(builtins, node.id, Missing)
        if isinstance(node, ast.Attribute):
            found = self.value_of(node.value)
            if isinstance(found, ModuleType) or (isinstance(found, type) and _is_foreign(found)):
                return getattr(found, node.attr)
        return Missing

    def _name(self, node: ast.Name) -> str:
        if self._is_local(node.id):
            return _safe(node.id)
        value = self.value_of(node)
        if value is Missing:
            raise self.fail(node, f"the name {node.id}")
        return self._outer(node, value)

    def _outer(self, node: ast.AST, value: Any) -> str:
        name = getattr(value, "__name__", "")
        if getattr(builtins, str(name), Missing) is value and name in BUILTINS:
            return f"py.b.{name}"
        if isinstance(value, BuiltinMethodType) and value.__qualname__ == "dict.fromkeys":
            return "py.b.dict.fromkeys"
        try:
            return self.module.ref(value)
        except TranslationError as error:
            if ".py:" in str(error):
                raise
            raise self.fail(node, f"{ast.unparse(node)}: {error};") from None

    def temporary(self) -> str:
        """A new name in JavaScript."""
        self.temporaries += 1
        return f"$t{self.temporaries}"

    # ------------------------------------------------------------ expressions

    def e(self, node: ast.AST) -> str:
        """An expression in JavaScript."""
        method: Callable[[Any], str] | None = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self.fail(node)
        return method(node)

    def c(self, node: ast.AST) -> str:
        """A condition in JavaScript."""
        if isinstance(node, ast.Compare) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            return self.e(node)
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(map(self.c, node.values))})"
        said = self.e(node)
        return said if said.startswith("py.isinstance(") else f"py.t({said})"

    def _Name(self, node: ast.Name) -> str:
        return self._name(node)

    def _Constant(self, node: ast.Constant) -> str:
        if node.value is ...:
            return "py.ALL"
        return self.module.ref(node.value)

    def _JoinedStr(self, node: ast.JoinedStr) -> str:
        return f"({' + '.join(map(self.e, node.values))})" if node.values else '""'

    def _FormattedValue(self, node: ast.FormattedValue) -> str:
        value = self.e(node.value)
        if node.conversion == ord("r"):
            value = f"py.repr({value})"
        return (
            f"py.format({value}, {self.e(node.format_spec)})"
            if node.format_spec
            else f"py.str({value})"
        )

    def _elements(self, nodes: Iterable[ast.expr]) -> str:
        return ", ".join(
            f"...{self.e(one.value)}" if isinstance(one, ast.Starred) else self.e(one)
            for one in nodes
        )

    def _List(self, node: ast.List) -> str:
        return f"[{self._elements(node.elts)}]"

    def _Tuple(self, node: ast.Tuple) -> str:
        return f"py.tuple([{self._elements(node.elts)}])"

    def _Set(self, node: ast.Set) -> str:
        return f"py.set_of([{self._elements(node.elts)}])"

    def _Dict(self, node: ast.Dict) -> str:
        pairs = zip(node.keys, node.values, strict=True)
        return _dict([("" if key is None else self.e(key), self.e(value)) for key, value in pairs])

    def _Attribute(self, node: ast.Attribute) -> str:
        value = self.value_of(node)
        if value is not Missing:
            return self._outer(node, value)
        self.module.used.add(node.attr)
        return f"py.attr({self.e(node.value)}, {json.dumps(node.attr)})"

    def _Subscript(self, node: ast.Subscript) -> str:
        if isinstance(node.slice, ast.Slice):
            return f"py.slice({self.e(node.value)}, {self._slice(node.slice)})"
        return f"py.get({self.e(node.value)}, {self.e(node.slice)})"

    def _slice(self, node: ast.Slice) -> str:
        return ", ".join(
            "null" if part is None else self.e(part) for part in (node.lower, node.upper, node.step)
        )

    def _UnaryOp(self, node: ast.UnaryOp) -> str:
        match node.op:
            case ast.Not():
                return f"!{self.c(node.operand)}"
            case ast.USub():
                return f"(-{self.e(node.operand)})"
            case ast.UAdd():
                return f"(+{self.e(node.operand)})"
        return f"py.invert({self.e(node.operand)})"

    def _BinOp(self, node: ast.BinOp) -> str:
        if type(node.op) not in BINARY:
            raise self.fail(node)
        return f"py.{BINARY[type(node.op)]}({self.e(node.left)}, {self.e(node.right)})"

    def _BoolOp(self, node: ast.BoolOp) -> str:
        said = self.e(node.values[-1])
        word = "and" if isinstance(node.op, ast.And) else "or"
        for value in reversed(node.values[:-1]):
            said = f"py.{word}({self.e(value)}, () => {said})"
        return said

    def _Compare(self, node: ast.Compare) -> str:
        if len(node.ops) == 1:
            return self._compared(self.e(node.left), node.ops[0], self.e(node.comparators[0]), node)
        values = [node.left, *node.comparators]
        names = [self.temporary() for _ in values]
        tests = [
            self._compared(a, op, b, ast.Compare(values[k], [op], [values[k + 1]]))
            for k, (a, op, b) in enumerate(zip(names, node.ops, names[1:], strict=False))
        ]
        return f"(({', '.join(names)}) => {' && '.join(tests)})({', '.join(map(self.e, values))})"

    def _compared(self, left: str, op: ast.cmpop, right: str, node: ast.Compare) -> str:
        simple = any(
            isinstance(side, ast.Constant) and isinstance(side.value, str)
            for side in (node.left, node.comparators[0])
        )
        match op:
            case ast.Is():
                return f"({left} === {right})"
            case ast.IsNot():
                return f"({left} !== {right})"
            case ast.Eq():
                return f"({left} === {right})" if simple else f"py.eq({left}, {right})"
            case ast.NotEq():
                return f"({left} !== {right})" if simple else f"py.ne({left}, {right})"
            case ast.In():
                return f"py.has({right}, {left})"
            case ast.NotIn():
                return f"!py.has({right}, {left})"
        return f"py.{ORDER[type(op)]}({left}, {right})"

    def _IfExp(self, node: ast.IfExp) -> str:
        return f"({self.c(node.test)} ? {self.e(node.body)} : {self.e(node.orelse)})"

    def _NamedExpr(self, node: ast.NamedExpr) -> str:
        return f"({self.e(node.target)} = {self.e(node.value)})"

    def _Lambda(self, node: ast.Lambda) -> str:
        words, order, first = self._parameters(node.args, self._inner_defaults(node.args))
        self.scopes.append(set(order))
        said = self.e(node.body)
        self.scopes.pop()
        return (
            f"(({', '.join(words)}) => {{ {first} return {said}; }})"
            if first
            else f"(({', '.join(words)}) => {said})"
        )

    def _inner_defaults(self, arguments: ast.arguments) -> dict[str, str]:
        plain = [*arguments.posonlyargs, *arguments.args]
        pairs = list(
            zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
        )
        pairs += [
            (one, value)
            for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if value is not None
        ]
        return {one.arg: self.e(value) for one, value in pairs}

    def _comprehension(self, node: Any, add: Callable[[], str]) -> str:
        if len(node.generators) == 1:
            return self._mapped(node.generators[0], add)
        result = self.temporary()
        heads = []
        self.scopes.append(set())
        for part in node.generators:
            source = self.e(part.iter)
            self.scopes[-1] |= {
                inner.id for inner in ast.walk(part.target) if isinstance(inner, ast.Name)
            }
            tests = "".join(f"if (!{self.c(test)}) continue; " for test in part.ifs)
            heads.append(f"for (const {self._pattern(part.target)} of {source}) {{ {tests}")
        said = (
            f"(() => {{ const {result} = []; {''.join(heads)}{result}.push({add()}); "
            f"{'}' * len(heads)} return {result}; }})()"
        )
        self.scopes.pop()
        return said

    def _mapped(self, part: ast.comprehension, add: Callable[[], str]) -> str:
        """The result of a comprehension over one thing."""
        source = self.e(part.iter)
        self.scopes.append(
            {inner.id for inner in ast.walk(part.target) if isinstance(inner, ast.Name)}
        )
        each = self._pattern(part.target)
        words = [source, f"({each}) => ({add()})"]
        if part.ifs:
            words.append(f"({each}) => {' && '.join(map(self.c, part.ifs))}")
        self.scopes.pop()
        return f"py.listed({', '.join(words)})"

    def _ListComp(self, node: ast.ListComp) -> str:
        return self._comprehension(node, lambda: self.e(node.elt))

    def _GeneratorExp(self, node: ast.GeneratorExp) -> str:
        return self._comprehension(node, lambda: self.e(node.elt))

    def _SetComp(self, node: ast.SetComp) -> str:
        return f"py.set_of({self._comprehension(node, lambda: self.e(node.elt))})"

    def _DictComp(self, node: ast.DictComp) -> str:
        return (
            "py.dict("
            f"{self._comprehension(node, lambda: f'[{self.e(node.key)}, {self.e(node.value)}]')})"
        )

    def _Yield(self, node: ast.Yield) -> str:
        return f"(yield {self.e(node.value) if node.value else 'null'})"

    def _placed(self, node: ast.Call, function: Any) -> str | None:
        """The arguments of a call in the order of the function's parameters, where that is
        known now."""
        if (
            not isinstance(function, FunctionType)
            or id(function) in self.module.known
            or function.__code__.co_filename.endswith("contextlib.py")
            or any(isinstance(one, ast.Starred) for one in node.args)
        ):
            return None
        names = [
            name
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        ]
        if len(names) < len(inspect.signature(function).parameters) or any(
            k.arg not in names for k in node.keywords
        ):
            return None
        found = dict(zip(names, map(self.e, node.args), strict=False))
        found |= {str(k.arg): self.e(k.value) for k in node.keywords}
        last = max(map(names.index, found))
        return ", ".join(found.get(name, "undefined") for name in names[: last + 1])

    def _Call(self, node: ast.Call) -> str:
        known = self.value_of(node.func)
        if node.keywords and (placed := self._placed(node, known)) is not None:
            return f"{self._outer(node.func, known)}({placed})"
        given = self._elements(node.args)
        named = ""
        if node.keywords:
            rows = [
                f"...py.object({self.e(k.value)})"
                if k.arg is None
                else f"{k.arg}: {self.e(k.value)}"
                for k in node.keywords
            ]
            named = f"{{{', '.join(rows)}}}"
        function = node.func
        if isinstance(function, ast.Name) and not self._is_local(function.id):
            if function.id == "isinstance":
                return (
                    f"py.isinstance({self.e(node.args[0])}, "
                    f"[{', '.join(self._kinds(node.args[1]))}])"
                )
            if function.id == "super":
                raise self.fail(node, "super() but for a method")
        value = self.value_of(function)
        target = "" if value is Missing else self._outer(function, value)
        if not target.startswith("py."):  # which know their own
            self.module.keywords |= {k.arg or "**" for k in node.keywords}
        if target and isinstance(value, type) and not target.startswith("py.b."):
            return f"py.make({target}, [{given}]{', ' * bool(named)}{named})"
        if target:
            return f"py.call({target}, [{given}], {named})" if named else f"{target}({given})"
        if isinstance(function, ast.Attribute):
            inner = function.value
            if (
                isinstance(inner, ast.Call)
                and isinstance(inner.func, ast.Name)
                and inner.func.id == "super"
            ):
                self.module.used.add(function.attr)
                return (
                    f"super.{function.attr}({given}{', ' * bool(given and named)}"
                    f"{f'py.kw({named})' if named else ''})"
                )
            self.module.used.add(function.attr)
            if named:
                self.module.methods.add(function.attr)
            words = [self.e(inner), json.dumps(function.attr), given, named and f"py.kw({named})"]
            return f"py.method({', '.join(filter(None, words))})"
        target = self.e(function)
        return (
            f"py.call({target}, [{given}], {named})" if named else f"py.call({target}, [{given}])"
        )

    def _kinds(self, node: ast.AST) -> list[str]:
        if isinstance(node, ast.BinOp):
            return [*self._kinds(node.left), *self._kinds(node.right)]
        if isinstance(node, ast.Tuple):
            return [kind for one in node.elts for kind in self._kinds(one)]
        return [self.e(node)]

    # ------------------------------------------------------------ statements

    def s(self, node: ast.stmt) -> str:
        """A statement in JavaScript."""
        method: Callable[[Any], str] | None = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self.fail(node)
        return method(node)

    def _block(self, nodes: Sequence[ast.stmt]) -> str:
        return "{\n" + "\n".join(filter(None, map(self.s, nodes))) + "\n}"

    def _Expr(self, node: ast.Expr) -> str:
        return "" if isinstance(node.value, ast.Constant) else f"{self.e(node.value)};"

    def _Pass(self, node: ast.Pass) -> str:
        return ""

    def _Break(self, node: ast.Break) -> str:
        return "break;"

    def _Continue(self, node: ast.Continue) -> str:
        return "continue;"

    def _Return(self, node: ast.Return) -> str:
        return f"return {self.e(node.value) if node.value else 'null'};"

    def _Assign(self, node: ast.Assign) -> str:
        if len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                value = ast.List(value.elts, ast.Load())  # which is taken apart at once
            return self.assign(target, self.e(value))
        name = self.temporary()
        return f"const {name} = {self.e(node.value)}; " + " ".join(
            self.assign(target, name) for target in node.targets
        )

    def _AnnAssign(self, node: ast.AnnAssign) -> str:
        return self.assign(node.target, self.e(node.value)) if node.value else ""

    def _AugAssign(self, node: ast.AugAssign) -> str:
        word = BINARY[type(node.op)]
        word = "iadd" if word == "add" else word
        target, value = node.target, self.e(node.value)
        if isinstance(target, ast.Name):
            return f"{self.e(target)} = py.{word}({self.e(target)}, {value});"
        owner, key = self.temporary(), self.temporary()
        if isinstance(target, ast.Attribute):
            self.module.used.add(target.attr)
            return (
                f"{{ const {owner} = {self.e(target.value)}; {owner}.{target.attr} = "
                f"py.{word}({owner}.{target.attr}, {value}); }}"
            )
        return (
            f"{{ const {owner} = {self.e(target.value)}, {key} = {self.e(target.slice)}; "
            f"py.put({owner}, {key}, py.{word}(py.get({owner}, {key}), {value})); }}"
        )

    def assign(self, target: ast.expr, value: str) -> str:
        """A statement that gives a target a value."""
        if isinstance(target, ast.Name):
            return f"{self.e(target)} = {value};"
        if isinstance(target, ast.Attribute):
            self.module.used.add(target.attr)
            return f"{self.e(target.value)}.{target.attr} = {value};"
        if isinstance(target, ast.Subscript):
            if isinstance(target.slice, ast.Slice):
                return (
                    f"py.put_slice({self.e(target.value)}, {self._slice(target.slice)}, {value});"
                )
            return f"py.put({self.e(target.value)}, {self.e(target.slice)}, {value});"
        if isinstance(target, ast.Tuple | ast.List):
            stars = [
                place for place, one in enumerate(target.elts[:-1]) if isinstance(one, ast.Starred)
            ]
            if stars:
                plain = [one.value if isinstance(one, ast.Starred) else one for one in target.elts]
                after = len(plain) - 1 - stars[0]
                return self.assign(
                    ast.Tuple(plain, ast.Store()), f"py.starred({value}, {stars[0]}, {after})"
                )
            if all(
                isinstance(inner, ast.Name | ast.Tuple | ast.List | ast.Starred)
                for inner in target.elts
            ):
                return f"{self._pattern(target)} = {value};"
            names = [self.temporary() for _ in target.elts]
            parts = " ".join(
                self.assign(one, name) for one, name in zip(target.elts, names, strict=True)
            )
            return f"{{ const [{', '.join(names)}] = {value}; {parts} }}"
        raise self.fail(target)

    def _pattern(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return _safe(node.id)
        if isinstance(node, ast.Starred):
            return f"...{self._pattern(node.value)}"
        if isinstance(node, ast.Tuple | ast.List):
            if any(isinstance(one, ast.Starred) for one in node.elts[:-1]):
                raise self.fail(node, "a starred name before others")
            found = [self._pattern(one) for one in node.elts]
            for place, name in enumerate(found):
                if name in found[place + 1 :]:
                    found[place] = ""  # the last one of a name counts
            return f"[{', '.join(found)}]"
        raise self.fail(node)

    def _Delete(self, node: ast.Delete) -> str:
        found = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                continue  # an argument that is not used
            if not isinstance(target, ast.Subscript):
                raise self.fail(node)
            if isinstance(target.slice, ast.Slice):
                found.append(
                    f"py.put_slice({self.e(target.value)}, {self._slice(target.slice)}, []);"
                )
            else:
                found.append(f"py.remove({self.e(target.value)}, {self.e(target.slice)});")
        return " ".join(found)

    def _If(self, node: ast.If) -> str:
        said = f"if ({self.c(node.test)}) {self._block(node.body)}"
        return f"{said} else {self._block(node.orelse)}" if node.orelse else said

    def _While(self, node: ast.While) -> str:
        if node.orelse:
            raise self.fail(node)
        return f"while ({self.c(node.test)}) {self._block(node.body)}"

    def _For(self, node: ast.For) -> str:
        if node.orelse:
            raise self.fail(node)
        return f"for ({self._pattern(node.target)} of {self.e(node.iter)}) {self._block(node.body)}"

    def _With(self, node: ast.With) -> str:
        said = self._block(node.body)
        for item in reversed(node.items):
            name = self.temporary()
            enter = f"py.enter({name})"
            bound = self.assign(item.optional_vars, enter) if item.optional_vars else f"{enter};"
            said = (
                f"{{ const {name} = {self.e(item.context_expr)}; {bound} try {said} finally {{ "
                f"py.leave({name}); }} }}"
            )
        return said

    def _Raise(self, node: ast.Raise) -> str:
        return f"throw {self.e(node.exc)};" if node.exc else "throw $error;"

    def _Assert(self, node: ast.Assert) -> str:
        return f"if (!{self.c(node.test)}) throw py.make(py.AssertionError, []);"

    def _Try(self, node: ast.Try) -> str:
        said = f"try {self._block(node.body)}"
        if node.orelse:
            raise self.fail(node)
        if node.handlers:
            parts = []
            for handler in node.handlers:
                test = (
                    f"py.isinstance($error, [{', '.join(self._kinds(handler.type))}])"
                    if handler.type
                    else "true"
                )
                bound = f"{_safe(handler.name)} = $error;" if handler.name else ""
                parts.append(f"if ({test}) {{ {bound} {self._block(handler.body)} }}")
            said += f" catch ($error) {{ {' else '.join(parts)} else throw $error; }}"
        return said + (f" finally {self._block(node.finalbody)}" if node.finalbody else "")

    def _FunctionDef(self, node: ast.FunctionDef) -> str:
        if node.decorator_list or self._yields(node):
            raise self.fail(node, "a decorated function or generator in a function")
        words, order, first = self._parameters(node.args, self._inner_defaults(node.args))
        body = self._body(node, first, set(order))
        name = _safe(node.name)
        return f"{name} = ({', '.join(words)}) => {{{body}}};" + (
            "" if first or not self.module.by_name(order) else f" {name}.$p = {json.dumps(order)};"
        )

    def _ImportFrom(self, node: ast.ImportFrom) -> str:
        raise self.fail(node, "an import in a function")

    def _Match(self, node: ast.Match) -> str:
        subject, label = self.temporary(), self.temporary()
        parts = []
        for case in node.cases:
            body = "\n".join(filter(None, map(self.s, case.body)))
            guard = f"if ({self.c(case.guard)}) " if case.guard else ""
            for pattern in (
                case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
            ):
                tests, bound = self._test(pattern, subject)
                parts.append(
                    f"if ({' && '.join(tests) or 'true'}) {{ {' '.join(bound)} {guard}{{ {body}\n"
                    f"break {label}; }} }}"
                )
        return f"{label}: {{ const {subject} = {self.e(node.subject)};\n" + "\n".join(parts) + "\n}"

    def _test(self, pattern: ast.pattern, subject: str) -> tuple[list[str], list[str]]:
        """The conditions for a subject to fit a pattern, and the statements that bind the names in
        it."""
        match pattern:
            case ast.MatchValue(value):
                same = self._compared(
                    subject, ast.Eq(), self.e(value), ast.Compare(value, [], [value])
                )
                return [same], []
            case ast.MatchSingleton(value):
                return [f"({subject} === {self.module.ref(value)})"], []
            case ast.MatchAs(None, None):
                return [], []
            case ast.MatchAs(inner, name):
                tests, bound = self._test(inner, subject) if inner else ([], [])
                return tests, [*bound, f"{_safe(str(name))} = {subject};"]
            case ast.MatchOr(patterns):
                several = [self._test(one, subject) for one in patterns]
                if any(bound for _, bound in several):
                    raise self.fail(pattern, "a choice of patterns with names")
                return [
                    "(" + " || ".join(" && ".join(tests) or "true" for tests, _ in several) + ")"
                ], []
            case ast.MatchSequence(patterns):
                stars = [
                    place for place, one in enumerate(patterns) if isinstance(one, ast.MatchStar)
                ]
                count = len(patterns)
                tests = [
                    f"Array.isArray({subject})",
                    f"{subject}.length {'>=' if stars else '==='} {count - len(stars)}",
                ]
                names: list[str] = []
                for place, one in enumerate(patterns):
                    if isinstance(one, ast.MatchStar):
                        if one.name:
                            names.append(
                                f"{_safe(one.name)} = {subject}.slice({place}, {subject}.length - "
                                f"{count - 1 - place});"
                            )
                        continue
                    at = (
                        f"{subject}[{place}]"
                        if not stars or place < stars[0]
                        else f"{subject}.at({place - count})"
                    )
                    more, bound = self._test(one, at)
                    tests, names = [*tests, *more], [*names, *bound]
                return tests, names
        raise self.fail(pattern)


class Missing:
    """Stands for the value of a name that is not known before the code runs."""
