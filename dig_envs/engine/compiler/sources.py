"""Which files determine a game's compiled code, and their hash.

They are found by following the imports of the modules that are compiled, so that nothing has to be
listed and nothing can be forgotten: what a rules module imports, and what that imports, can end up
in machine code; a drawing cannot.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2]
# files that a module beside them may read when it is imported
DATA = (".csv", ".json", ".npy", ".npz", ".toml", ".txt")
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # the statements in a statement

Folders = Mapping[str, Path]


def source_hash(modules: Iterable[str], *facts: object, folders: Folders | None = None) -> str:
    """Hash (16 hex digits) of the files of :func:`source_files` and of further facts, which are
    told apart by their ``repr``.

    Raises:
        LookupError: if a module has no file.
    """
    modules = list(modules)
    files = source_files(modules, folders)
    if not files.keys() >= set(modules):
        raise LookupError(f"no file of {', '.join(sorted(set(modules) - files.keys()))}")
    return hash_of(files, *facts)


def hash_of(files: Mapping[str, Path], *facts: object) -> str:
    """The hash of files that :func:`source_files` has found, and of further facts."""
    digest = sha256(repr(facts).encode())
    for name, path in files.items():
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def located(names: Iterable[str]) -> dict[str, Path] | None:
    """The files of this package that :func:`source_files` has found before under these names,
    without a look at what they import; None if one is missing, or new data lie beside them."""
    folders, names = {"dig_envs": PACKAGE}, list(names)
    modules = {name: _file_of(name, folders) for name in names if "/" not in name}
    files = {name: path for name, path in modules.items() if path is not None}
    files |= _data_beside(files)
    return dict(sorted(files.items())) if sorted(files) == sorted(names) else None


def source_files(modules: Iterable[str], folders: Folders | None = None) -> dict[str, Path]:
    """The files of modules, of all that these import, and the data beside them; by names that do
    not say where packages lie.

    Args:
        modules: full names, such as ``dig_envs.games.fossil_canyon.rules``.
        folders: package -> its folder. Imports of other packages are not followed. Default:
            ``dig_envs`` and the packages of the modules, where they were imported from.
    """
    left = list(modules)
    file_of = cache(partial(_file_of, folders=folders or _imported_packages(left)))
    found: dict[str, Path] = {}
    while left:
        name = left.pop()
        path = file_of(name)
        if path is not None and name not in found:
            found[name] = path
            left.extend(_imports_of(name, path, file_of))
    return dict(sorted((found | _data_beside(found)).items()))


def _data_beside(modules: Folders) -> dict[str, Path]:
    folders = {_package_of(name, path): path.parent for name, path in modules.items()}
    return {
        f"{package}/{beside.name}": beside
        for package, folder in folders.items()
        for beside in folder.iterdir()
        if beside.suffix in DATA
    }


def _imported_packages(modules: Iterable[str]) -> dict[str, Path]:
    folders = {"dig_envs": PACKAGE}
    for top in {name.partition(".")[0] for name in modules}:
        for path in getattr(sys.modules.get(top), "__path__", ()):
            folders.setdefault(top, Path(path))
    return folders


def _file_of(name: str, folders: Folders) -> Path | None:
    """A module's file; None for other names, and for packages that are not followed."""
    top, *rest = name.split(".")
    if top not in folders:
        return None
    place = folders[top].joinpath(*rest)
    paths = place / "__init__.py", place.with_name(f"{place.name}.py")
    return next(filter(Path.is_file, paths), None)


def _package_of(name: str, path: Path) -> str:
    """The package that a module is in, or is."""
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


def _imports_of(name: str, path: Path, file_of: Callable[[str], Path | None]) -> Iterator[str]:
    package = _package_of(name, path)
    for node in _import_statements(path.read_bytes()):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            origin = ".".join(filter(None, (above, node.module)))
            # a module in the package, or else a name that the package itself has
            for alias in node.names:
                module = f"{origin}.{alias.name}"
                yield module if file_of(module) else origin


@lru_cache(maxsize=1024)  # games share most of the modules
def _import_statements(source: bytes) -> tuple[ast.Import | ast.ImportFrom, ...]:
    statements = _statements_that_run(ast.parse(source))
    return tuple(node for node in statements if isinstance(node, ast.Import | ast.ImportFrom))


def _statements_that_run(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements but those that stand there for type checkers only."""
    left: list[Any] = [tree]
    while left:
        node = left.pop()
        yield node
        test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
        is_for_types = test in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        for block in ("orelse",) if is_for_types else BLOCKS:
            statements = getattr(node, block, ())
            left.extend(statements if isinstance(statements, list) else ())
