"""The version of this package, which other files read here."""

__version__ = "0.1.0"
