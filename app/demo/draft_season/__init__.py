"""A whole season of a draft league, from its founding to the champion, through the services.

`games` (what is played) and `choices` (what managers do) are pure and follow from the seed.
`preparation` stores what a season needs, `drafting` and `managers` act for the members, `run` lets
the season's time pass, and `results` has its tables as text. `pressbox season play-draft-league`
runs it.
"""
