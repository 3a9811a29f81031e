"""Tables for people in a browser: the lobby, who sits where, what is played, and its storage."""
