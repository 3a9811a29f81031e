"""Translations of what people read: in a folder of a language, such as ``de``, beside what is
translated, ``words.json`` has English texts and what stands in their place, and ``GUIDE.md`` is the
guide of a game."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ENGLISH = "en"
WORDS = "words.json"


def languages(folder: Path) -> list[str]:
    """The languages besides English in which a folder has words."""
    return sorted(path.parent.name for path in folder.glob(f"??/{WORDS}"))


def translation(language: str, page: Path, games: Iterable[Path]) -> dict[str, Any]:
    """What a page needs for a language: ``words``, English -> translated, those of the page and of
    the games that have any; the names of these ``games``."""
    paths = [game / language / WORDS for game in games]
    found = [path for path in paths if path.is_file()]
    words: dict[str, str] = {}
    for path in (page / language / WORDS, *found):
        words |= json.loads(path.read_bytes())
    return {"games": [path.parent.parent.name for path in found], "words": words}
