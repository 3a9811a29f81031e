"""``python -m dig_envs.documentation``: renew the tables in the games' READMEs."""

from dig_envs.documentation.readmes import main

main()
