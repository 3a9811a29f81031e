"""Programs about The Big Dig."""
