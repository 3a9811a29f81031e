"""Tree search in compiled code: its memory, its simulations, and networks that guide it."""
