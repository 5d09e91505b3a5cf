"""How to play, by the rules of a league."""
