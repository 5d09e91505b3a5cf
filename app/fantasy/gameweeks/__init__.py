"""What happens to everybody in a gameweek: at its deadline, after each play, and when its games are
over.
"""
