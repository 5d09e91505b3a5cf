"""The recap of a gameweek: what it came to, and the play behind each sentence."""
