"""A draft league's season: schedule, table with tie-breaks, play-offs.

All of it is a pure function of the settings and of the points of each gameweek, so a correction of
the record needs no repair: whatever it changes is computed anew (`services.update`).
"""
