"""The fantasy game. Each folder imports only what stands below it (.importlinter holds this).

pages, api_queries, season_setup   what people see, what the API asks, how a season is made ready
leagues                            what members and commissioners do with leagues
gameweeks                          what happens to everybody: at a deadline, after a play, when the
games are over
scoring                            points of players and of team sheets, and why
standings                          league tables: the order, ties, matchups, boards
sheets, notices                    team sheets and transfers; notices to members
market                             seasons, gameweeks, roster formats, players and their prices
amounts                            points and money as people read them
"""

TABLES = (
    "app.fantasy.market.models",
    "app.fantasy.sheets.models",
    "app.fantasy.notices.models",
    "app.fantasy.standings.models",
    "app.fantasy.scoring.models",
    "app.fantasy.gameweeks.models",
    "app.fantasy.gameweeks.refreshing",
    "app.fantasy.leagues.models",
)
