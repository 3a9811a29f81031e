"""Rendering of positions: as text, a picture, pixels, or in a window."""

import time
from collections.abc import Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gymnasium import logger

from dig_envs.engine.core.checks import check_choice
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.registry import load_game
from dig_envs.text.html import html_picture, html_text

if TYPE_CHECKING:
    from dig_envs.pictures.sheet import Sheet
    from dig_envs.pictures.window import Window

RENDER_MODES = {  # and the modules that each needs
    "ansi": (),
    "human": ("drawsvg", "thorvg_python", "pygame"),
    "rgb_array": ("drawsvg", "thorvg_python"),
    "svg": ("drawsvg",),
}
RENDER_FPS = 2  # steps a second in a window, and frames of a video
# what is rendered: what everybody may know, or the complete position; else what an agent may know
PUBLIC, ALL = "public", "all"


def shown(
    game: Game, snapshot: Snapshot, what: str, agents: Sequence[str]
) -> tuple[Mapping[str, Any], int | None]:
    """The snapshot or view to render, and the seat whose view it is. ``what`` is ``"public"``,
    ``"all"``, or one of the agents; raises OptionError for other values.

    ``what``: ``"public"``, ``"all"``, or one of the agents, seat by seat; raises OptionError for
    anything else.
    """
    check_choice("view", what, (PUBLIC, ALL, *agents))
    if what == ALL:
        return snapshot, None
    if what == PUBLIC:
        return game.to_public(snapshot), None
    seat = agents.index(what)
    return game.to_view(snapshot, seat), seat


class ShownPosition(dict[str, Any]):
    """A snapshot or a view, a dict like any other, which a notebook shows as a picture.

    ``seat``: whose view it is; None for a snapshot, of which everything is shown.
    """

    seat: int | None = None

    def __init__(self, position: Mapping[str, Any], seat: int | None = None) -> None:
        super().__init__(position)
        self.seat = seat

    def _repr_html_(self) -> str:
        return picture_or_text(load_game(self["environment"]), self, self.seat)

    def __reduce__(self) -> tuple[Any, ...]:
        return ShownPosition, (dict(self), self.seat)


def available_modes() -> list[str]:
    """The render modes whose packages are installed; ``"ansi"`` alone without the extra
    ``pictures``."""
    return [
        mode
        for mode, modules in RENDER_MODES.items()
        if all(find_spec(module) is not None for module in modules)
    ]


def can_draw() -> bool:
    """Whether pictures can be drawn as SVG."""
    return "svg" in available_modes()


def picture_or_text(game: Game, position: Mapping[str, Any], seat: int | None) -> str:
    """A position as HTML for a notebook: a picture, or text without the extra ``pictures``."""
    text = game.draw(position)
    if not can_draw():
        return html_text(text)
    from dig_envs.pictures import picture

    return html_picture(picture(game, position, seat), text)


class Rendering:
    """Mixin: ``render`` in all its modes.

    Attributes: ``render_mode``; ``render_view``: ``"public"``, ``"all"``, or an agent whose view is
    rendered.
    """

    game: Game
    options: dict[str, Any]
    _states: Array
    num_seats: int
    possible_agents: list[str]
    render_mode: str | None
    render_view: str
    _window: "Window | None" = None
    _shown_at: float = 0.0

    def _init_rendering(self, render_mode: str | None, render_view: str) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(
                f"render_mode {render_mode!r} is not one of None, "
                f"{', '.join(map(repr, RENDER_MODES))}"
            )
        self.render_mode = render_mode
        self.render_view = check_choice(
            "render_view", render_view, (PUBLIC, ALL, *self.possible_agents)
        )

    def snapshot(self) -> Snapshot:
        """The complete position."""
        raise NotImplementedError

    def _shown(self) -> tuple[Mapping[str, Any], int | None]:
        return shown(self.game, self.snapshot(), self.render_view, self.possible_agents)

    def render(self) -> str | Array | None:
        """Render the position as ``render_mode`` says; how much of it, ``render_view`` says.

        Returns:
            ``"ansi"``: text. ``"svg"``: a picture as SVG text. ``"rgb_array"``: its pixels, uint8
                (height, 960, 3), of one size throughout an episode. ``"human"``: None; the picture
                is shown in a window, at most twice a second, which happens by itself at each reset
                and step. Without a mode: None, with a warning.

        Raises:
            ResetNeeded: there is no game yet. ImportError: the extra ``pictures`` is not installed.
        """
        if self.render_mode is None:
            logger.warn(
                'You call render() without a render mode: say e.g. render_mode="rgb_array" when '
                "you make the environment."
            )
            return None
        view, _ = self._shown()
        if self.render_mode == "ansi":
            return self.game.draw(view)
        if self.render_mode == "svg":
            return self._sheet().svg()
        from dig_envs.pictures.pixels import pixels

        frame = pixels(self._sheet())
        if self.render_mode == "rgb_array":
            return frame
        self._show(frame)
        return None

    def _sheet(self) -> "Sheet":
        from dig_envs.pictures.drawing import sheet_of

        return sheet_of(self.game, *self._shown())

    def _show(self, frame: Array) -> None:
        """Show a frame in the window; wait if the last one was just shown."""
        from dig_envs.pictures.window import Window

        if self._window is None:
            self._window = Window(self.game.title)
        if not self._window.closed:
            time.sleep(max(self._shown_at + 1 / RENDER_FPS - time.monotonic(), 0))
        self._window.show(frame)
        self._shown_at = time.monotonic()

    def _render_step(self) -> None:
        """Show the position after a reset or a step, if there is a window."""
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _repr_html_(self) -> str:
        """The game, who is to move, and the position as ``render_view`` says, as HTML for
        notebooks."""
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        head = (
            f"<b>{escape(self.game.title)}</b> "
            f"<code>{escape(self.game.env_name)}</code><br><small>{escape(options)}</small>"
        )
        if not getattr(self, "dealt", False):
            return f"<div>{head}<br>no game yet: call <code>reset()</code></div>"
        over = bool(self._states["over"][0])
        to_move = [
            agent
            for seat, agent in enumerate(self.possible_agents)
            if self.game.mask_of(self._states, seat).any()
        ]
        stand = "the game is over" if over else f"to move: {', '.join(to_move)}"
        return f"<div>{head}<br>{stand}<br>{picture_or_text(self.game, *self._shown())}</div>"
