"""Brings in rosters, schedules and soccer from files: who is on the market, what is played when, and what came of it.

Lives here: parsers (pure: a file in, frozen values out, or an error that names file, line, column and remedy) and the
services that store what they read, whole or not at all. Not here: play-by-play (record/pbp), commands (cli/games.py).
"""
