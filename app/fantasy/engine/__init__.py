"""The engine for points over time: who owns whom, times what each footballer counts at a moment.

    team sheets ----> Ownership --.
                                  >--> Totals --> a reader's table, or rows of sheet_points
    a moment ----> Footballers ---'

- `ownership`: team sheets as arrays, and their totals with these footballers.
- `footballers`: what each footballer counts now, or counted when that was last noted.
- `sheet_points`: stores the totals of a gameweek that is settled.
- `mapped_sheets`: the ownership of a whole locked gameweek, in files.

The rule of captains and substitutes is in sheets/lineups.py, what a stat line is worth in
scoring/rules.py. Totals at any moment of the record are in scoring/timeline.py.
docs/decisions/0081-one-engine-for-points-over-time.md explains the choice.
"""
