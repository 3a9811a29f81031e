"""Make the font files: ``python -m tests.pictures.make_fonts FOLDER``, which has DejaVuSans.ttf and
its bold and mono."""

import json
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from dig_envs.pictures.fonts import BOLD, FAMILIES, FOLDER, MONO, REGULAR, font_file

SOURCES = {REGULAR: "DejaVuSans.ttf", BOLD: "DejaVuSans-Bold.ttf", MONO: "DejaVuSansMono.ttf"}
SIGNS = (
    "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x100)]))
    + "–—‘’“”‹›…·×÷−≤≥→←↑↓↗↘↙↖●○■□▲△▶▷▼▽◀◁◆◇★☆✓✗♠♥♦♣♡♢⚒"
)


def make(source: Path, family: str) -> dict[str, float]:
    """Write the cut-down file of one font; the advance of each of its signs."""
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, name_IDs=["*"])
    font = subset.load_font(source / SOURCES[family], options)
    cutter = subset.Subsetter(options)
    cutter.populate(text=SIGNS)
    cutter.subset(font)
    # so that a text is as wide as its signs, in every program
    for table in ("kern", "GPOS", "GSUB", "GDEF"):
        if table in font:
            del font[table]
    for name_id in (1, 4, 6, 16):
        font["name"].setName(family, name_id, 3, 1, 0x409)
        font["name"].removeNames(nameID=name_id, platformID=1)
    font.save(font_file(family))
    units, places = font["head"].unitsPerEm, font["hmtx"]
    return {
        chr(code): round(places[glyph][0] / units, 4)
        for code, glyph in sorted(font.getBestCmap().items())
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    widths = {family: make(folder, family) for family in SOURCES}
    (FOLDER / "widths.json").write_text(json.dumps(widths, ensure_ascii=False, indent=0) + "\n")
    for family in FAMILIES:
        file = font_file(family)
        print(f"{family}: {len(TTFont(file).getBestCmap())} signs, {file.stat().st_size} bytes")
