"""Words: positions and actions in words, what texts and pictures say alike, tables in Markdown."""
