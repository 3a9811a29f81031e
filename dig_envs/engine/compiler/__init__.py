"""Compilation by Numba: decorators, linking, the cache on disk, and the loops compiled for each
game."""
