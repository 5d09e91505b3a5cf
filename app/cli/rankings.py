"""`pressbox rankings`: the ranking of a season's market under some scoring rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from app.cli.shared import application, print_table

if TYPE_CHECKING:
    from app.draft_leagues.rankings.queries import ListedFootballer

COLUMNS = ["rank", "player", "club", "position", "tier", "points", "per game", "games", "bye"]


@click.command()
@click.option("--season", type=click.IntRange(1869, 2200), required=True)
@click.option(
    "--scoring",
    default="half-ppr",
    show_default=True,
    help="standard, half-ppr, ppr, yahoo, espn, half-ppr-idp, or a league's own rules by name.",
)
@click.option("--competition", default="nfl", show_default=True)
@click.option("--teams", type=click.IntRange(2, 32), default=10, show_default=True)
@click.option("--csv", "as_csv", is_flag=True, help="Print a file that other sites can read.")
def rankings(season: int, scoring: str, competition: str, teams: int, as_csv: bool) -> None:
    """Print the market of a season, ranked for a draft league with the usual line-up.

    That is one quarterback, two running backs, two receivers, a tight end, a flex, a kicker and a
    team defence. docs/rankings.md says how players are ranked.
    """
    from app.core import clock
    from app.draft_leagues.rankings.files import ranking_csv
    from app.draft_leagues.rankings.page import exported
    from app.draft_leagues.rankings.services import ranked_market

    with application():
        ranked = ranked_market(competition, season, scoring.replace("-", "_"), teams, clock.now())
    if as_csv:
        sys.stdout.write(ranking_csv([exported(footballer) for footballer in ranked]))
    else:
        print_table(COLUMNS, [_row(footballer) for footballer in ranked], as_csv=False)


def _row(footballer: ListedFootballer) -> list[str]:
    ranked = footballer.ranked
    return [
        str(ranked.rank),
        footballer.name,
        footballer.club_id,
        f"{footballer.position}{ranked.position_rank}",
        str(ranked.tier),
        f"{ranked.points / 1000:.1f}",
        f"{ranked.per_game / 1000:.1f}",
        f"{ranked.share / 10:.0f}%",
        str(ranked.bye_week or ""),
    ]
