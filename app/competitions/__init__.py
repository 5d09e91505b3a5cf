"""Competitions of integrators: windows on a mode's scores with joins, limited attempts, cohorts,
tiers and rewards.
"""

TABLES = ("app.competitions.models",)
