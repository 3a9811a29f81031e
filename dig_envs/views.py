"""What a view has in place of what it hides."""

from collections.abc import Sized
from typing import Any


def size_of(hidden: Any) -> int:
    """How many there are: of a list, or in a view of its length."""
    return len(hidden) if isinstance(hidden, Sized) else int(hidden)
