"""A season with a market that is large enough for draft leagues, and a record to rank it by.

Twelve clubs with invented footballers play 17 gameweeks, each with one bye. Last season's points
are in the database, so that rankings differ; nothing of this season has been played.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import insert

from app.core.db import db
from app.fantasy.market.models import FootballerSeason, FootballerTotals, Season
from app.fantasy.market.starting_prices import SPANS
from app.record.models import Club, Footballer, Game
from app.record.rules.team_defence import defence_id
from tests.snapshots import made_once
from tests.worlds.games import KICKOFF
from tests.worlds.seasons import make_weekly_season

CLUBS = (
    "Harbor",
    "Summit",
    "Mesa",
    "Delta",
    "Prairie",
    "Canyon",
    "Foundry",
    "Lakes",
    "Pines",
    "Cape",
    "Ridge",
    "Quarry",
)
PER_CLUB = {"QB": 3, "RB": 5, "WR": 6, "TE": 3, "K": 1, "DE": 3, "ILB": 3, "CB": 4}
FIRST_NAMES = ("Dante", "Cole", "José", "Mitch", "Ruben", "Tariq", "Silas", "Owen", "Keanu", "Abel")
LAST_NAMES = ("Farrow", "Lund", "Marsh", "Oakes", "Ross", "Tiquana", "Vance", "Yarrow", "Zell")
WEEKS = 17
# The points of a game of the best of each position in thousandths; each next one has a little less.
BEST = {"QB": 24_000, "RB": 18_000, "WR": 17_000, "TE": 13_000, "K": 9_000, "DST": 9_000}
SCORINGS = ("half_ppr_idp", "standard")


@made_once
def make_draft_season(
    first: datetime = KICKOFF,
    year: int = 2026,
    *,
    with_last_season: bool = True,
    is_simulated: bool = False,
) -> Season:
    """Make the season, its clubs, games and market; everything is committed.

    Footballers have ids like `HAR-WR2`, and of each position the first of a club is the best. In a
    simulated season line-ups may be written at any time.
    """
    season, _ = make_weekly_season(
        WEEKS, first, year, rules="half_ppr_idp", is_simulated=is_simulated
    )
    clubs = [(name[:3].upper(), name) for name in CLUBS]
    _insert(
        Club,
        ({"id": club, "name": name, "nickname": "", "colour": "#224466"} for club, name in clubs),
    )
    footballers = list(_footballers([club for club, _ in clubs]))
    _insert(Footballer, ({**footballer, "number": None} for footballer in footballers))
    _insert(
        FootballerSeason,
        (
            {
                "season_id": season.id,
                "footballer_id": footballer["id"],
                "position": footballer["position"],
                "price": SPANS[footballer["position"]].usual,
                "start_price": SPANS[footballer["position"]].usual,
            }
            for footballer in footballers
        ),
    )
    _insert(Game, _schedule(season, [club for club, _ in clubs], first))
    if with_last_season:
        _add_last_season(year - 1, footballers)
    db.session.commit()
    return season


def _insert(model: Any, rows: Iterable[dict[str, Any]]) -> None:
    db.session.execute(insert(model), list(rows))


def _footballers(clubs: list[str]) -> Iterable[dict[str, Any]]:
    number = 0
    for club in clubs:
        for position, count in PER_CLUB.items():
            for place in range(1, count + 1):
                first = FIRST_NAMES[number % len(FIRST_NAMES)]
                last = LAST_NAMES[number // len(FIRST_NAMES) % len(LAST_NAMES)]
                middle = chr(ord("A") + number // (len(FIRST_NAMES) * len(LAST_NAMES)))
                number += 1
                yield {
                    "id": f"{club}-{position}{place}",
                    "name": f"{first} {last}{middle.lower()}n",
                    "club_id": club,
                    "position": position,
                }
        yield {"id": defence_id(club), "name": club.title(), "club_id": club, "position": "DST"}


def _schedule(season: Season, clubs: list[str], first: datetime) -> Iterable[dict[str, Any]]:
    """Everybody plays each gameweek but one: in gameweeks 5 to 10 two clubs at a time are free."""
    for week in range(1, WEEKS + 1):
        pair = week - 5
        free = clubs[2 * pair : 2 * pair + 2] if 0 <= pair < len(clubs) // 2 else []
        playing = [club for club in clubs if club not in free]
        turned = [playing[0], *playing[1 + week % 3 :], *playing[1 : 1 + week % 3]]
        for home, away in zip(turned[::2], turned[1::2], strict=True):
            yield {
                "id": f"{season.season}_{week:02}_{away}_{home}",
                "competition": season.competition,
                "season": season.season,
                "season_type": season.season_type,
                "week": week,
                "kickoff": first + timedelta(weeks=week - 1),
                "home_id": home,
                "away_id": away,
            }


def _add_last_season(year: int, footballers: list[dict[str, Any]]) -> None:
    """Points of 17 gameweeks: the first of a club in each position plays most."""
    last, _ = make_weekly_season(WEEKS, KICKOFF.replace(year=year), year)
    ordered: dict[str, int] = {}
    rows = []
    for footballer in footballers:
        position = footballer["position"]
        place = ordered[position] = ordered.get(position, -1) + 1
        depth = int(footballer["id"][-1]) if footballer["id"][-1].isdigit() else 1
        best = BEST.get(position, 8_000)
        played = range(1, WEEKS + 1, depth)
        points = max(1_000, best // depth - 150 * place)
        for rules in SCORINGS:
            rows.append(
                {
                    "season_id": last.id,
                    "rules": rules,
                    "footballer_id": footballer["id"],
                    "position": position,
                    "total_points": points * len(played),
                    "gameweeks": {str(week): points for week in played},
                }
            )
    _insert(FootballerTotals, rows)
