"""The story of a gameweek in a league, told by what the record and the results say.

- `values`: what a gameweek came to, as values.
- `rules`: the claims that follow from them, each with the play or team behind it.
- `power`: the power ranking.
- `queries`: loads the values of a league's gameweek.
"""
