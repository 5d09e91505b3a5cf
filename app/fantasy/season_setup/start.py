"""What a season needs before it can be played: its market with prices, and the league of everybody.

Lives here: making them, for importers, `season create` and `season roll`. Only whoever calls
commits. Not here: gameweeks and team rules (market/seasons.py), the rule of prices
(market/starting_prices.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from secrets import token_hex

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.market.choice import CLASSIC, TeamRulesChoice
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.market.seasons import ensure_team_rules
from app.fantasy.market.starting_prices import start_prices
from app.fantasy.standings.models import League


@dataclass(frozen=True)
class OnMarket:
    """`position` as team sheets have it; `status`, `news`: models.FootballerSeason."""

    footballer_id: str
    position: str
    status: str = "available"
    news: str = ""


def ensure_overall_league(season: Season, format: str = CLASSIC) -> League:
    """The season's league of everybody, made with the usual team rules of the format if it is not
    there.
    """
    found = db.session.scalars(
        select(League).where(League.season_id == season.id, League.is_overall)
    ).first()
    if found is not None:
        return found
    team_rules = ensure_team_rules(season.id, TeamRulesChoice.of(format, season.time_zone))
    league = League(
        season_id=season.id,
        team_rules_id=team_rules.id,
        slug="-".join(
            [season.competition, str(season.season), *_not_regular(season.season_type), "overall"]
        ).lower(),
        name=f"{season.name}: everybody",
        invite_code=token_hex(8).upper(),
        is_public=True,
        is_overall=True,
        rules=season.rules,
        commissioner_id=None,
    )
    db.session.add(league)
    db.session.flush()
    return league


def _not_regular(season_type: str) -> list[str]:
    return [] if season_type == "REG" else [season_type]


def put_on_market(
    season: Season, players: Iterable[OnMarket], prices: dict[str, int] | None = None
) -> int:
    """Puts the footballers on the season's market; who is there already keeps their price.

    Returns how many are new.

    `prices`: in tenths of a million, where a source says them; the others start by the rule, from
    last season's points.
    """
    wanted = {player.footballer_id: player for player in players}
    there = dict(
        db.session.execute(
            select(FootballerSeason.footballer_id, FootballerSeason.position).where(
                FootballerSeason.season_id == season.id
            )
        ).all()
    )
    positions = there | {player.footballer_id: player.position for player in wanted.values()}
    by_rule = start_prices(positions, points_before(season))
    said = prices or {}
    rows = [
        {
            "season_id": season.id,
            "footballer_id": player.footballer_id,
            "position": player.position,
            "price": said.get(player.footballer_id, by_rule[player.footballer_id]),
            "start_price": said.get(player.footballer_id, by_rule[player.footballer_id]),
            "status": player.status,
            "news": player.news,
        }
        for player in wanted.values()
    ]
    if rows:
        statement = insert(FootballerSeason)
        kept = {name: statement.excluded[name] for name in ("position", "status", "news")}
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["season_id", "footballer_id"], set_=kept
            ),
            rows,
        )
    return len(wanted.keys() - there.keys())


_POINTS_BEFORE = text("""
    SELECT p.player_id, sum(p.points) FROM player_points p JOIN games g ON g.id = p.game_id
    WHERE (g.competition, g.season, g.season_type) = (:competition, :season, 'REG')
      AND p.rules = :rules
    GROUP BY p.player_id
""")


def points_before(season: Season) -> dict[str, int]:
    """Thousandths by footballer under the season's own rules: of the season before, for a
    post-season of its season.
    """
    year = season.season if season.season_type == "POST" else season.season - 1
    values = {"competition": season.competition, "season": year, "rules": season.rules}
    return {player: int(points) for player, points in db.session.execute(_POINTS_BEFORE, values)}
