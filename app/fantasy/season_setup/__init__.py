"""Makes a season ready: rosters, schedules and soccer from files, the market, and rolling over from
the last season.

rosters.py, schedule.py and soccer.py parse (a file in, frozen values out, or an error that names
file, line, column and remedy); importing.py and soccer_importing.py store what was read, whole or
not at all. Not here: play-by-play (record/play_by_play), commands (cli/games.py).
"""
