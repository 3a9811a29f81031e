"""Axes to draw on, of matplotlib (``pip install -e ".[plots]"``)."""

from io import BytesIO
from pathlib import Path
from typing import Any

from dig_envs.engine.core.files import write_file
from dig_envs.engine.core.installing import how_to_install


def new_axes(size: tuple[float, float]) -> Any:
    """The axes of a new figure, which a notebook shows under its cell.

    Raises:
        ImportError: matplotlib is not installed.
    """
    check_matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def axes_for_file(size: tuple[float, float], rows: int = 1) -> Any:
    """Axes for a picture in a file, without pyplot, which would choose a window system for the
    whole process."""
    check_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained").subplots(rows, sharex=True)


def save(axes: Any, file: Path) -> None:
    """Write the figure of some axes to a file, whose name says what kind of picture it is."""
    picture = BytesIO()
    axes.figure.savefig(picture, dpi=120, format=file.suffix.removeprefix(".") or "png")
    write_file(file, picture.getvalue())


def kinds_of_pictures() -> list[str]:
    """The file endings that can be written, such as ``png``."""
    check_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    return sorted(FigureCanvasBase.get_supported_filetypes())


def check_matplotlib() -> None:
    """Raise ImportError, which says what to install, if matplotlib is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            f"a picture needs matplotlib: {how_to_install('plots')} (or matplotlib)"
        ) from None
