"""Translations of what people read: in a folder of a language, such as ``de``, beside what is
translated, ``words.json`` has English texts and what stands in their place, and ``GUIDE.md`` is the
guide of a game."""

import json
from collections.abc import Iterable
from pathlib import Path

ENGLISH = "en"
WORDS = "words.json"


def languages(folder: Path) -> list[str]:
    """The languages besides English in which a folder has words."""
    return sorted(path.parent.name for path in folder.glob(f"??/{WORDS}"))


def translation(language: str, folders: Iterable[Path]) -> dict[str, str]:
    """The words of some folders in a language: English -> translated; of those that have any."""
    found: dict[str, str] = {}
    for folder in folders:
        path = folder / language / WORDS
        if path.is_file():
            found |= json.loads(path.read_bytes())
    return found
