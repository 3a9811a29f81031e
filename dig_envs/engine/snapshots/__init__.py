"""Positions as JSON: codecs, snapshots and views, with every check of what comes from outside."""
