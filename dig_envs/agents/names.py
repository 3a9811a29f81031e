"""Lists of agents' names as they are typed."""

import re

SETTING = re.compile(r"\s*\w+=\S*\s*")


def split_names(text: str) -> list[str]:
    """The names in a list with commas; a piece such as ``c=1.5`` belongs to the name before it, if that has a colon.

    ``"random,search:sims=200,c=1.5,heuristic"`` -> ``["random", "search:sims=200,c=1.5", "heuristic"]``.

    Raises:
        ValueError: an empty name.
    """
    names: list[str] = []
    for piece in text.split(","):
        if names and ":" in names[-1] and SETTING.fullmatch(piece):
            names[-1] += f",{piece.strip()}"
        else:
            names.append(piece.strip())
    if not all(names):
        raise ValueError(f"an empty name among the agents {text!r}")
    return names
