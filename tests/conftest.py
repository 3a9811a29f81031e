"""Settings for all tests."""

import os
import re
from typing import Any

os.environ.setdefault("DIG_ENVS_QUIET", "1")  # tests of the notice about compiling ask for it


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Ids of tests in words that ``-k`` can select, also for dictionaries and lists."""
    if isinstance(val, dict | list | tuple | str):
        return "_".join(re.findall(r"[\w.]+", str(val)))[:60] or "nothing"
    return None
