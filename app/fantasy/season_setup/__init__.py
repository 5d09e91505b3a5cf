"""Prepares a season: imports rosters, schedules and soccer, and rolls over from the last season.

rosters.py, schedule.py and soccer.py parse files into frozen values; their errors name file, line,
column and remedy. importing.py and soccer_importing.py store the values, as a whole or not at all.
Play-by-play is in record/play_by_play.
"""
