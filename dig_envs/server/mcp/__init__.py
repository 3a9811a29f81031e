"""Games for language models that call tools: a server of the Model Context Protocol
(``dig-envs mcp``)."""
