"""The silhouettes of the genera, own drawings: an animal that looks to the left, cut into as many
parts as its skeleton has."""

from collections.abc import Container, Sequence
from functools import cache

from dig_envs.pictures.sheet import Sheet

# The outline of each genus in a box of 100 by 100: corners x,y from the snout along the back to the
# tail, and back below.
OUTLINES = {
    "TYR": (
        "0,22 5,12 17,10 24,18 30,30 45,32 62,34 80,40 100,36 100,41 82,50 66,56 64,66 68,78 "
        "64,90 66,96 55,96 58,78 50,66 44,60 40,70 43,82 40,96 30,96 36,90 37,80 33,66 35,58 "
        "30,54 24,60 22,56 27,50 22,40 16,34 2,32"
    ),
    "BRA": (
        "2,8 5,2 12,2 15,8 20,30 28,44 42,46 58,50 74,60 100,78 98,82 74,72 70,76 71,96 63,96 "
        "62,78 48,76 38,74 37,96 29,96 28,72 22,60 13,36 9,14 3,12"
    ),
    "TRI": (
        "0,62 4,54 3,40 8,52 10,50 2,22 14,44 18,24 30,26 32,42 46,36 64,38 78,50 100,66 98,70 "
        "80,64 76,70 77,94 67,94 66,74 46,74 43,94 33,94 34,72 24,70 14,70 4,70"
    ),
    "ALL": (
        "0,26 6,20 12,14 15,20 20,20 28,34 44,38 60,38 80,32 100,22 100,26 82,42 66,52 62,62 "
        "66,76 60,94 52,94 56,76 49,62 42,58 36,72 38,94 30,94 33,72 34,56 28,54 24,68 20,66 "
        "24,50 20,42 14,34 2,34"
    ),
    "ANK": (
        "0,58 6,48 16,46 20,36 24,46 30,32 34,44 42,28 46,42 54,28 58,44 66,34 70,48 84,54 90,46 "
        "100,48 100,62 90,64 84,60 72,64 72,86 64,86 62,70 38,70 36,86 28,86 27,68 14,66 4,66"
    ),
    "QUE": (
        "0,40 22,34 28,26 34,34 40,44 46,30 56,10 74,2 100,16 82,20 70,34 62,48 62,60 72,84 66,86 "
        "56,64 52,62 46,88 40,86 46,62 40,56 30,48 24,42"
    ),
    "PAR": (
        "0,30 4,22 12,18 24,8 36,6 26,16 20,26 26,40 40,38 58,40 78,50 100,56 100,62 78,62 66,66 "
        "64,76 68,84 66,96 56,96 58,84 52,70 40,64 34,70 30,90 24,90 27,68 24,58 18,44 12,34 2,36"
    ),
    "DEI": (
        "0,26 8,18 18,18 24,30 32,38 46,36 58,34 100,16 100,20 64,44 58,54 64,66 56,80 60,94 "
        "50,94 50,80 55,68 46,56 40,66 40,80 30,86 28,76 35,74 36,58 30,52 22,62 10,66 20,56 "
        "26,46 20,36 12,30 2,32"
    ),
    "STE": (
        "0,70 6,62 16,58 20,42 27,50 31,26 39,38 45,14 53,32 60,18 65,38 72,32 75,50 88,58 92,44 "
        "95,60 100,52 98,68 86,68 74,66 70,74 70,94 61,94 60,76 40,74 36,78 35,94 27,94 27,74 "
        "16,70 6,76"
    ),
    "PAC": (
        "0,30 5,22 8,10 18,6 25,14 25,26 32,38 48,38 62,42 82,48 100,46 100,52 82,58 66,60 62,68 "
        "64,80 62,94 52,94 55,80 50,68 42,64 38,78 38,94 29,94 32,78 33,60 28,62 24,72 20,70 "
        "25,54 20,40 12,36 2,36"
    ),
    "COE": (
        "0,20 8,14 14,16 20,28 28,40 42,42 56,42 78,36 100,40 100,43 78,44 60,52 56,58 60,70 "
        "56,94 49,94 53,70 47,56 42,54 38,70 38,94 31,94 34,70 35,52 30,52 26,62 22,60 26,48 "
        "20,40 14,26 10,22 2,24"
    ),
    "DIL": (
        "0,28 5,22 6,6 11,16 15,4 19,18 22,28 30,40 46,40 62,42 82,42 100,34 100,38 84,50 66,54 "
        "60,62 65,76 60,94 52,94 56,76 49,62 42,58 38,74 39,94 31,94 33,74 34,56 28,54 25,66 "
        "21,64 24,50 19,42 13,34 2,34"
    ),
    "MOS": (
        "0,44 14,36 24,36 40,32 58,36 76,46 88,40 100,22 97,44 100,70 88,56 76,58 66,58 72,74 "
        "64,74 56,60 38,62 40,80 30,76 26,58 16,54 2,50 12,46"
    ),
}
GAP = 1.5  # of a hundred: what is left open between two parts

Point = tuple[float, float]


def silhouette(
    sheet: Sheet,
    genus: str,
    x: float,
    y: float,
    width: float,
    height: float,
    parts: int,
    strong: Container[int],
) -> None:
    """A genus of so many parts, from snout to tail, of which some (numbers from 1) are strong and
    the others faint."""
    drawn: dict[bool, list[str]] = {False: [], True: []}
    for part in range(1, parts + 1):
        corners = (
            f"{x + across * width / 100:.1f} {y + down * height / 100:.1f}"
            for across, down in _part(genus, part, parts)
        )
        drawn[part in strong].append("M" + "L".join(corners) + "Z")
    for is_strong, shapes in drawn.items():  # a path each: pictures have many of them
        if shapes:
            sheet.path("".join(shapes), "ink" if is_strong else "grey")


@cache
def _part(genus: str, part: int, parts: int) -> tuple[Point, ...]:
    """The corners of a part: the outline between two upright lines."""
    outline = [
        (float(x), float(y)) for x, y in (corner.split(",") for corner in OUTLINES[genus].split())
    ]
    left, right = (
        100 * (part - 1) / parts + GAP / 2 * (part > 1),
        100 * part / parts - GAP / 2 * (part < parts),
    )
    return tuple(_cut(_cut(outline, left, 1), right, -1))


def _cut(outline: Sequence[Point], line: float, side: int) -> list[Point]:
    """The piece of a shape to the right (side 1) or left (-1) of an upright line."""
    found: list[Point] = []
    for (x, y), (next_x, next_y) in zip(outline, [*outline[1:], *outline[:1]], strict=True):
        if side * (x - line) >= 0:
            found.append((x, y))
        if (x - line) * (next_x - line) < 0:
            found.append((line, y + (next_y - y) * (line - x) / (next_x - x)))
    return found
