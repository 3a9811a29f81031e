"""All that rules code uses: the state record, random draws, lists, turns, declarations of actions,
fields and options."""
