"""Games for language models: the guide of a game, the prompt of a decision, and what an answer in
words means.

The README of this folder says what a prompt consists of. The environments have it as
``env.unwrapped.prompt(agent)`` and ``env.unwrapped.parse(agent, text)``; whoever has positions
instead of environments calls

- :func:`dig_envs.language.prompts.make_prompt` → :class:`~dig_envs.language.prompts.Prompt`,
- :func:`dig_envs.language.answers.parse_answer` → :class:`~dig_envs.language.answers.Answer`,
- :func:`dig_envs.language.guides.guide_text` for the guide alone.
"""
