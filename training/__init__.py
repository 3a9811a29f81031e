"""Training, evaluating and exporting policies."""

import os

# Before NumPy is loaded: its threads would wait for each other where other programs use the cores, and slow this down tenfold.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
