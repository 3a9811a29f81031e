"""Agents' names as they are typed."""

from dig_envs.engine.core.checks import shown_in_message

LEVELS = ("easy", "medium", "hard")  # of strength, for people, from the weakest on
ANY_GAME = ("random", "heuristic", *LEVELS, "search", "best")  # the players that every game has
PLUS_SEARCH = "+search"  # after the name of a policy: a search that it guides
MOST_THREADS = 256  # that a name may ask for


def split_names(text: str) -> list[str]:
    """The names in a list with commas, stripped; raises ValueError if one is empty."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ValueError(
            f"an empty name among the agents {shown_in_message(text)}; write names with commas "
            "between them"
        )
    return names


def searches(name: str) -> bool:
    """Whether an agent searches, by its name."""
    kind = name.partition(":")[0]
    return kind.rpartition("/")[2] == "search" or kind.endswith(PLUS_SEARCH)


def one_per_seat(names: list[str], num_seats: int) -> list[str]:
    """One name for each seat; the last name takes all remaining seats. Raises ValueError if there
    are more names than seats."""
    if len(names) > num_seats:
        raise ValueError(
            f"{len(names)} agents for {num_seats} seats: {', '.join(names)}; name at most one for "
            "each seat"
        )
    return names + names[-1:] * (num_seats - len(names))
