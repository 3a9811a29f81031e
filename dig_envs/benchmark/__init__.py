"""A fixed suite of tasks by which agents are compared (see the README of this folder)."""

from dig_envs.benchmark.measuring import measure
from dig_envs.benchmark.report import Report
from dig_envs.benchmark.suite import SUITES, Member, Split, Suite, Task

__all__ = ["SUITES", "Member", "Report", "Split", "Suite", "Task", "measure"]
