"""Moderating over the API: an integrator's server decides about scores, players and boards of its
own games.
"""
