"""One engine for points over time: who owns whom, times what each footballer is worth at a moment.

    team sheets ----> Ownership --.
                                  >--> Totals --> a reader's table, or rows of sheet_points
    a moment ----> Footballers ---'

- `ownership`: team sheets as arrays, and their totals with given footballers.
- `footballers`: what each footballer counts now, or counted when that was last noted.
- `timeline`: a league's gameweek, and its totals at any moment of the record.
- `sheet_points`: writes the totals of chosen sheets through to PostgreSQL.
- `mapped_sheets`: the ownership of a whole locked gameweek, kept in files.

The rule of captains and substitutes is in sheets/lineups.py, what a stat line is worth in
scoring/rules.py. docs/decisions/0081-one-engine-for-points-over-time.md explains the choice.
"""
