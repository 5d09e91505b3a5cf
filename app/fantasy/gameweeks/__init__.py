"""The course of a gameweek: its deadline, the refresh after each play, and its settlement."""
