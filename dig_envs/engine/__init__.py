"""What all games share: the state header, random draws, list helpers, the Game object, batch stepping."""
