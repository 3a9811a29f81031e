"""Exported games, made once for all tests."""

from tests.export.conftest import exported

__all__ = ["exported"]
