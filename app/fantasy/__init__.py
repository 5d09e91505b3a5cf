"""The fantasy game. Each folder imports only those below it, as .importlinter checks.

pages, api_queries, season_setup   pages, reads for the API, preparing a season
leagues                            what members and commissioners do with leagues
gameweeks                          work for all leagues: at deadlines, after plays, at settlement
scoring                            points of players and of team sheets, and why
standings                          league tables: the order, ties, matchups, boards
engine                             totals of team sheets from what their players count
sheets, notices                    team sheets and transfers; notices to members
rosters                            exclusive rosters of draft leagues, and the log of transactions
market                             seasons, gameweeks, roster formats, players and their prices
amounts                            points and money as people read them
"""

TABLES = (
    "app.fantasy.market.models",
    "app.fantasy.market.history_models",
    "app.fantasy.rosters.models",
    "app.fantasy.sheets.models",
    "app.fantasy.notices.models",
    "app.fantasy.standings.models",
    "app.fantasy.scoring.models",
    "app.fantasy.gameweeks.models",
    "app.fantasy.leagues.models",
    "app.fantasy.recaps.models",
)
