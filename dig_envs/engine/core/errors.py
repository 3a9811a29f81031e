"""The errors of the public surface. Each names what was wrong and what would be right."""


class DigEnvsError(Exception):
    """Base class of the package's own errors."""


class OptionError(DigEnvsError, ValueError, TypeError):
    """An unknown option, or a value that the option does not allow.

    It is a TypeError, too, since that is what Python raises for an unknown argument: libraries that
    try one, such as ``frameskip`` or a render mode, catch that and go on without.
    """


class IllegalActionError(DigEnvsError, ValueError):
    """An action that is not legal now; the state is as it was before."""


class SnapshotError(DigEnvsError, ValueError):
    """A malformed or impossible snapshot; the message names the key."""


class EventError(DigEnvsError, ValueError):
    """Events that do not follow from what a seat has seen, or of which some are missing; the
    message names the first, and what could have come instead.

    ``number``: of the event that cannot have come, from 1; None: more must follow, or it must be
    said which action they are told of.
    """

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.number = number


class PolicyMismatchError(DigEnvsError, ValueError):
    """A policy made for another environment, version, observation layout or action list."""


class ArenaError(DigEnvsError, ValueError):
    """An arena that cannot be run: its agents, or a file with results of other settings; the
    message says what differs."""


class ForfeitError(DigEnvsError, RuntimeError):
    """A player gave up its game: it crashed, kept silent, or chose an illegal action; the message
    says which.

    Whoever runs games counts such a game as lost for it and goes on with the others. Everybody may
    read the message, so it says nothing that the player knew or tried.

    Args:
        message: what happened. detail: what only the owner of the player may know of it.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail

    @property
    def in_full(self) -> str:
        """The message and the detail, for the owner."""
        return f"{self}: {self.detail}" if self.detail else str(self)


class PlayerError(DigEnvsError, ValueError):
    """A user's own code that cannot play: it is not there, crashed, kept silent, or chose what is
    not legal; the message says what it did."""


class BenchmarkError(DigEnvsError, ValueError):
    """A measurement that cannot be made, or could not be compared with others; the message says
    why."""


class RulesError(DigEnvsError):
    """Something in the code of a game that cannot be right; the message names file and line."""
