"""Write ``defaults.toml``: ``python -m training.settings``."""

from . import DEFAULTS, defaults_as_toml

if __name__ == "__main__":
    DEFAULTS.write_text(defaults_as_toml())
