"""Settings for all tests."""

import os

os.environ.setdefault("DIG_ENVS_QUIET", "1")  # tests of the notice about compiling ask for it
