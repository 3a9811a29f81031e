"""A cache for the specialisations of a Numba dispatcher, in place of Numba's own cache on disk.

Numba's cache looks only at the file of the function itself, so that a change in another file goes
unnoticed.
"""

import pickle
import warnings
from hashlib import sha256
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from dig_envs.engine.compiler.cache import CacheKey, CacheWarning, read, write


class Specialisations:
    """The specialisations of a function on disk, with the methods that Numba's dispatcher calls.

    Whatever goes wrong with a file, the function is compiled again.

    Args:
        key: whose folder is used.
        function: the plain Python function. Nothing of a closure is kept: its variables are in no
            file.
    """

    form = "numba"  # ending of the files' names: what :meth:`reduce` makes

    def __init__(self, key: CacheKey, function: Any) -> None:
        self.key = key
        self.function = function

    @property
    def cache_path(self) -> str | None:
        """The folder; None where nothing is kept."""
        return (
            self.key.folder
            if self.function.__closure__ is None and self.key.sources is not None
            else None
        )

    def flush(self) -> None:
        """Do nothing: files are written at once."""

    def reduce(self, result: Any) -> Any:
        """Something to pickle, from a compile result."""
        return result._reduce()

    def rebuild(self, context: Any, reduced: Any) -> Any:
        """A compile result from what :meth:`reduce` gave; None if it cannot be used here."""
        return CompileResult._rebuild(context, *reduced)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compile result for a signature; None if there is none."""
        context.refresh()
        folder = self.cache_path
        body = (
            read(folder, self._name(signature, context.codegen())) if folder is not None else None
        )
        if body is None:
            return None
        try:
            return self.rebuild(context, pickle.loads(body))
        except Exception:
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compile result; a warning says so if it cannot be kept because it refers to memory
        of this process."""
        folder = self.cache_path
        if folder is None:
            return
        if result.library.has_dynamic_globals:
            warnings.warn(
                f"dig_envs: {self.function.__qualname__} of {self.key.name} is compiled again in "
                "each process: something below it uses an array of the module that is not "
                "contiguous, or has more than a million bytes",
                CacheWarning,
                stacklevel=2,
            )
        else:
            write(folder, self._name(signature, result.codegen), dumps(self.reduce(result)))

    def _name(self, signature: Any, codegen: Any) -> str:
        """The file's name: it tells types and processors apart."""
        types, _ = normalize_signature(signature)
        function = self.function
        key = (function.__module__, [str(kind) for kind in types], codegen.magic_tuple())
        return f"{function.__qualname__}-{sha256(repr(key).encode()).hexdigest()[:16]}.{self.form}"
