"""The model of a game: small, but with everything that a game can need. ``copy`` begins a new one
with it."""
