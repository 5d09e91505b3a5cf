"""Whether a player is fit to play, and whether they are still on the market. Pure.

`questionable`, `doubtful` and `out` are an injury report's words for the next game, `injured` those
of a roster for several weeks (injured reserve).
"""

STATUSES = ("available", "questionable", "doubtful", "out", "injured", "suspended", "left")
AVAILABLE = "available"
LEFT = "left"
# sure not to play; the questionable and the doubtful may
UNFIT = ("out", "injured", "suspended", LEFT)
