"""Pixels of a picture, through ThorVG (self-contained, and fast enough for films), and pictures in
files."""

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.engine.core.files import write_file
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Array
from dig_envs.pictures.fonts import FAMILIES, font_file
from dig_envs.pictures.sheet import Sheet


@cache
def _engine() -> Any:
    """The rasteriser with the fonts loaded; one for the process."""
    try:
        import thorvg_python
    except ImportError as error:
        raise ImportError(f"pixels need ThorVG: {how_to_install('pictures')}") from error
    engine = thorvg_python.Engine(threads=0)
    loader = thorvg_python.Text(engine)
    for family in FAMILIES:
        if loader.font_load(str(font_file(family))) != thorvg_python.Result.SUCCESS:
            raise OSError(f"the font {font_file(family)} cannot be read")
    return engine


def pixels(sheet: Sheet) -> Array:
    """A painted sheet as pixels, uint8 (height, width, 3)."""
    import thorvg_python

    engine = _engine()
    wide, high = sheet.width, round(sheet.height)
    canvas = thorvg_python.SwCanvas(engine)
    canvas.set_target(wide, high)
    image = thorvg_python.Picture(engine)
    result = image.load_data(without_entities(sheet.svg(fonts=False)).encode(), "svg", None, True)
    if result != thorvg_python.Result.SUCCESS:
        raise ValueError(f"the picture cannot be drawn: {result}")
    image.set_size(wide, high)
    canvas.add(image)
    canvas.update()
    canvas.draw(True)
    canvas.sync()
    buffer: Any = canvas.buffer_arr
    return np.frombuffer(buffer, np.uint8).reshape(high, wide, 4)[..., :3].copy()


def without_entities(svg: str) -> str:
    """An SVG with other signs in place of those that are written as entities, which ThorVG shows as
    they are written."""
    for entity, sign in (("&lt;", "‹"), ("&gt;", "›"), ("&amp;", "+")):
        svg = svg.replace(entity, sign)
    return svg


def save_picture(sheet: Sheet, path: Path) -> None:
    """Write a picture as ``.svg`` or ``.png``; raises ValueError for another ending."""
    if path.suffix == ".svg":
        write_file(path, sheet.svg())
    elif path.suffix == ".png":
        from PIL import Image

        picture = BytesIO()
        Image.fromarray(pixels(sheet)).save(picture, "PNG")
        write_file(path, picture.getvalue())
    else:
        raise ValueError(f"{path}: a picture ends with .svg or .png")
