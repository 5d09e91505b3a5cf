"""Makes a season's market with prices, and its overall league. Only the caller commits.

Gameweeks and team rules are in market/seasons.py, the rule of prices in market/starting_prices.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from secrets import token_hex

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.market.choice import CLASSIC, TeamRulesChoice
from app.fantasy.market.fitness import refresh_statuses
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.market.seasons import ensure_team_rules
from app.fantasy.market.starting_prices import start_prices
from app.fantasy.projections.preseason import Preseason
from app.fantasy.projections.preseason_store import load_preseason, refresh_season
from app.fantasy.standings.models import League

GAMES = 17  # of a club in a season; prices compare footballers, so any number would do

ALIKE = 0.8  # a position is priced alike if more than this share of it has the same points


@dataclass(frozen=True)
class OnMarket:
    """A footballer for the market; see models.FootballerSeason."""

    footballer_id: str
    position: str
    status: str = "available"
    news: str = ""


def ensure_overall_league(season: Season, team_format: str = CLASSIC) -> League:
    """Return the season's overall league, made with the usual team rules of the format if new."""
    overall = db.session.scalars(
        select(League).where(League.season_id == season.id, League.is_overall)
    ).first()
    if overall is not None:
        return overall
    team_rules = ensure_team_rules(season.id, TeamRulesChoice.of(team_format, season.time_zone))
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
    """Put the footballers on the season's market; those who are on it keep their prices.

    A moderator's note about one of them stays until the list says something new.

    Args:
        season: The season.
        players: The footballers.
        prices: Prices of a source in tenths of a million, by id. All others follow from the
            points projected for the season or, without projections, from last season's points.

    Returns:
        How many are new.
    """
    by_id = {player.footballer_id: player for player in players}
    before = dict(
        db.session.execute(
            select(FootballerSeason.footballer_id, FootballerSeason.position).where(
                FootballerSeason.season_id == season.id
            )
        ).all()
    )
    positions = before | {player.footballer_id: player.position for player in by_id.values()}
    all_prices = start_prices(positions, points_before(season)) | (prices or {})
    rows = [
        {
            "season_id": season.id,
            "footballer_id": player.footballer_id,
            "position": player.position,
            "price": all_prices[player.footballer_id],
            "start_price": all_prices[player.footballer_id],
            "status": player.status,
            "news": player.news,
            "roster_status": player.status,
            "roster_news": player.news,
        }
        for player in by_id.values()
    ]
    if rows:
        statement = insert(FootballerSeason)
        updated = {
            name: statement.excluded[name] for name in ("position", "roster_status", "roster_news")
        }
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["season_id", "footballer_id"], set_=updated
            ),
            rows,
        )
        refresh_statuses(season.id, by_id)
    new = by_id.keys() - before.keys()
    if positions != before:
        refresh_season(season)
        set_projected_prices(season, new - (prices or {}).keys())
    return len(new)


_POINTS_BEFORE = text("""
    SELECT p.player_id, sum(p.points) FROM player_points p JOIN games g ON g.id = p.game_id
    WHERE (g.competition, g.season, g.season_type) = (:competition, :season, 'REG')
      AND p.rules = :rules
    GROUP BY p.player_id
""")


def points_before(season: Season) -> dict[str, int]:
    """Points in thousandths by footballer, under the season's rules, of the season before.

    For a post-season it is the season that it ends.
    """
    year = season.season if season.season_type == "POST" else season.season - 1
    values = {"competition": season.competition, "season": year, "rules": season.rules}
    return {player: int(points) for player, points in db.session.execute(_POINTS_BEFORE, values)}


def market_ids(season_id: int) -> set[str]:
    """The ids of everybody on the season's market."""
    return set(
        db.session.scalars(
            select(FootballerSeason.footballer_id).where(FootballerSeason.season_id == season_id)
        )
    )


def set_projected_prices(season: Season, footballers: Collection[str]) -> None:
    """Set the start prices of these footballers by the points projected for the season.

    Without projections they stay. Positions in which nearly all are expected to do alike
    get the usual price. Only the caller commits.
    """
    projections = load_preseason(season.id, season.rules)
    if not projections:
        return
    market = db.session.scalars(
        select(FootballerSeason)
        .where(FootballerSeason.season_id == season.id)
        .execution_options(populate_existing=True)
    ).all()
    positions = {footballer.footballer_id: footballer.position for footballer in market}
    prices = start_prices(positions, _telling(positions, projections))
    for footballer in market:
        if footballer.footballer_id in footballers:
            footballer.price = footballer.start_price = prices[footballer.footballer_id]
    db.session.flush()


def _telling(positions: Mapping[str, str], projections: Mapping[str, Preseason]) -> dict[str, int]:
    """Projected points by footballer, without positions in which nearly all are expected alike.

    Nobody knows kickers and defenders apart if the files have only the offence.
    """
    points = {player: projection.points(GAMES) for player, projection in projections.items()}
    by_position: dict[str, Counter[int]] = {}
    for player, amount in points.items():
        by_position.setdefault(positions[player], Counter())[amount] += 1
    alike = {
        position
        for position, amounts in by_position.items()
        if max(amounts.values()) > ALIKE * amounts.total()
    }
    return {player: amount for player, amount in points.items() if positions[player] not in alike}
