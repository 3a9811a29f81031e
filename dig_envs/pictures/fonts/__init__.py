"""The font of the pictures: DejaVu Sans cut down to the signs that are used, so that a picture is
the same on every machine.

``python -m tests.pictures.make_fonts FOLDER`` makes the files from those of DejaVu Sans (needs
fontTools).
"""

import json
from base64 import b64encode
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
REGULAR, BOLD, MONO = FAMILIES = "DigSans", "DigSansBold", "DigSansMono"


@cache
def advances(family: str) -> dict[str, float]:
    """The width of each character, as a share of the font's size."""
    widths: dict[str, float] = json.loads((FOLDER / "widths.json").read_text())[family]
    return widths


def width_of(text: str, size: float, family: str = REGULAR) -> float:
    """The width of a text in pixels; of signs that the font lacks an estimate, since they come from
    another one: from Chinese radicals on they are as wide as high."""
    widths = advances(family)
    return size * sum(widths.get(sign, 1.0 if sign >= "\u2e80" else 0.6) for sign in text)


def font_file(family: str) -> Path:
    """The file of a font."""
    return FOLDER / f"{family}.ttf"  # rasterisers know a font by the name of its file


@cache
def css(families: tuple[str, ...]) -> str:
    """A style sheet that carries the fonts themselves, for pictures that go to other machines."""
    return "".join(
        (
            f"@font-face{{font-family:'{family}';src:url(data:font/ttf;base64,"
            f"{b64encode(font_file(family).read_bytes()).decode()})}}"
        )
        for family in families
    )
