"""Whether a player is fit to play, and whether they are still on the market. Pure."""

STATUSES = ("available", "doubtful", "injured", "suspended", "left")
LEFT = "left"
