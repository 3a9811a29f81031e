"""The arena: agents play each other on the same deals and are rated (see the README of this
folder)."""

from dig_envs.arena.report import Comparison, Report, Standing
from dig_envs.arena.schedule import BLOCK
from dig_envs.arena.tournament import run

__all__ = ["BLOCK", "Comparison", "Report", "Standing", "run"]
