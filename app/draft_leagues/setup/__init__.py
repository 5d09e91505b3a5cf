"""Founding a draft league, changing its settings, and its way from the draft into the season."""
