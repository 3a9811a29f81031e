"""Lists of agents' names as they are typed."""


def split_names(text: str) -> list[str]:
    """The names in a list with commas, without the blanks around them; raises ValueError if one is empty."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ValueError(f"an empty name among the agents {text!r}")
    return names
