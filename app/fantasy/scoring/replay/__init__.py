"""A league's gameweek at past moments: the table and a team sheet as of one, and all of them in a
row.
"""
