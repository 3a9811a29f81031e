"""Pictures of positions: SVG made from a view, pixels, a window, films of episodes
(``pip install -e ".[pictures]"``)."""

from dig_envs.pictures.drawing import about, joy, picture, touched
from dig_envs.pictures.sheet import Sheet

__all__ = ["Sheet", "about", "joy", "picture", "touched"]
