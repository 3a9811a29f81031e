"""Games for other programs and for people in a browser: the protocol (PROTOCOL.md),
``dig-envs engine`` and ``dig-envs serve``."""
