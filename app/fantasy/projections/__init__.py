"""What players are expected to score, and each side's chance of winning a matchup.

    games so far ----> Expectation --.
                                      >--> Projection --> ProjectedTeam --> chance of winning
    the record now --> share left ---'

- `rules`: from a player's games to what they are expected to score, before and during a game.
- `typical_lines`: what stands in for games before a season has any.
- `preseason`: what players are expected to score before a season, by earlier seasons and the draft;
  `preseason_store` computes and stores it (docs/rankings.md).
- `queries`: the projections of many players of a gameweek, in one query.
- `teams`: team sheets with their projected line-ups, as the engine would count them.
- `chances`: the chance of winning of two projected teams.
- `chance_line`: the same after each play of the week; `chance_line_queries` loads the plays.

docs/decisions/0083-projections-and-chances.md explains the method and where it is weak.
"""
