"""Finds misspelt fields in a game's compiled code before Numba is asked, whose own message does not
name the author's line.

By convention a parameter ``state`` is a record of the game's state, ``obs`` one of its observation
and ``facts`` one of its facts.
"""

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from dig_envs.engine.core.declared import DeclaredGame
from dig_envs.engine.core.errors import RulesError

WORDS = {"state": "the state", "obs": "the observation", "facts": "the facts"}


def check_fields(game: DeclaredGame) -> None:
    """Raise RulesError for the first field that the game's code uses and its records do not have:
    file, line, the nearest name."""
    records = {"state": game.state, "facts": game.facts_type}
    names = {
        parameter: tuple(dtype.names or ())
        for parameter, dtype in records.items()
        if dtype is not None
    }
    sources = _sources(game.package)
    if sources:
        names["obs"] = import_module(f"{game.package}.observation").FIELDS.names  # of all versions
    for path in sources:
        for line, parameter, field in unknown_fields(path.read_text(encoding="utf-8"), names):
            near = get_close_matches(field, names[parameter], 1, 0.0)
            hint = f"; the nearest name is {near[0]!r}" if near else ""
            raise RulesError(
                f"{path}:{line}: {WORDS[parameter]} of {game.name} has no field {field!r}{hint}"
            )


def _sources(package: str) -> list[Path]:
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return sorted(path for folder in folders or () for path in Path(folder).rglob("*.py"))


def unknown_fields(
    source: str, names: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[int, str, str]]:
    """Line, parameter and field of each use of a field that is not there, in functions decorated
    with ``@compiled`` or ``@kernel``.

    Args:
        source: of a module.
        names: parameter -> the fields of its record.
    """
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef) and any(
            _is_compiled(decorator) for decorator in function.decorator_list
        ):
            parameters = {argument.arg for argument in function.args.args} & set(names)
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id in parameters
                ):
                    if node.attr not in names[node.value.id]:
                        yield node.lineno, node.value.id, node.attr


def _is_compiled(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in ("compiled", "kernel")
