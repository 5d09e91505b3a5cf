"""Whether a player is fit to play, and whether they are still on the market. Pure."""

STATUSES = ("available", "doubtful", "injured", "suspended", "left")
AVAILABLE = "available"
LEFT = "left"
UNFIT = ("injured", "suspended", LEFT)  # sure not to play; `doubtful` may
