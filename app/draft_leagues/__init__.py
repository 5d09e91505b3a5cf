"""Draft leagues: exclusive rosters, a draft, waivers, trades, a season of matchups and play-offs.

What moves a footballer between teams is a transaction in one log per league
(app/fantasy/rosters); weekly line-ups are team sheets whose market is the roster. The map of the
package and its terms are in docs/decisions/0088-draft-leagues.md.
"""

TABLES = (
    "app.draft_leagues.models",
    "app.draft_leagues.drafts.models",
    "app.draft_leagues.keepers.models",
    "app.draft_leagues.rankings.models",
    "app.draft_leagues.waivers.models",
    "app.draft_leagues.trades.models",
)
