"""Thousands of games stepped per call: on all cores of a CPU, or on a GPU."""
