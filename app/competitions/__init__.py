"""Competitions of integrators: windows on a mode's scores, with attempts, cohorts and rewards."""

TABLES = ("app.competitions.models",)
