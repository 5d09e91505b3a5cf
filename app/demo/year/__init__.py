"""A whole simulated season: games, gamers and leagues, through the same services as a real one.

`calendar` (what is played when), `cast` (leagues and who is in them), `messages` (the games) and
`choices` (what gamers do) are pure and follow from the seed. `run` and `office` play the season
into the database, `tables` reads its tables. `pressbox season simulate` runs it.
"""
