"""The command line ``dig-envs`` and what stands behind its commands."""
