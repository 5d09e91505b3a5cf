"""Computes and stores what players are expected to score before a season (preseason.py).

There are rows only for seasons about whose players files said something: weekly statistics of
earlier seasons, or careers in a roster. Where the record of an earlier season has a week of a
player, it counts instead of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import delete, exists, select, text

from app.core.db import db
from app.core.db.bulk_insert import insert_rows
from app.fantasy.market.history_models import PreseasonProjection
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.projections.preseason import (
    SEASONS,
    Career,
    EarlierSeason,
    Preseason,
    Prospect,
    preseason,
)
from app.fantasy.scoring.rulebook import active_rules, rules_named
from app.fantasy.scoring.season_totals import FORM_GAMEWEEKS

# Whether files said anything about the players of this season.
_IS_KNOWN = text("""
    SELECT EXISTS (SELECT FROM player_weeks WHERE competition = :competition AND season < :year)
      OR EXISTS (SELECT FROM footballer_seasons m JOIN footballer_careers c USING (footballer_id)
        WHERE m.season_id = :season)
""")

# How many games a club played in the latest seasons before this one, by files and by the record.
_CLUB_GAMES = text("""
    SELECT season, max(weeks) AS games FROM (
      SELECT season, count(DISTINCT week) AS weeks FROM player_weeks
      WHERE competition = :competition AND season < :year GROUP BY season, club_id
      UNION ALL
      SELECT CAST(s.season AS smallint), max((SELECT count(*) FROM jsonb_object_keys(t.gameweeks)))
      FROM seasons s JOIN footballer_totals t ON t.season_id = s.id AND t.rules = :rules
      WHERE s.competition = :competition AND s.season_type = 'REG' AND s.season < :year
        AND NOT s.is_simulated
      GROUP BY s.season
    ) clubs GROUP BY season ORDER BY season DESC LIMIT :seasons
""")

_PROSPECTS = text("""
    SELECT m.footballer_id AS id, m.position, c.footballer_id IS NOT NULL AS has_career, c.born_on,
      c.first_season, c.draft_number
    FROM footballer_seasons m LEFT JOIN footballer_careers c USING (footballer_id)
    WHERE m.season_id = :season ORDER BY m.footballer_id
""")

# Points of everybody by earlier season, also of those who are not on the market: the means of the
# positions come from all. And their form at the end of each season.
_EARLIER = text("""
    WITH filed AS (
      SELECT w.footballer_id, w.season, w.week, w.position,
        (SELECT coalesce(sum(CAST(s.value AS bigint) * CAST(CAST(:worth AS jsonb) ->> s.key
            AS bigint)), 0) FROM jsonb_each_text(w.stats) s) AS points
      FROM player_weeks w
      WHERE w.competition = :competition AND w.season = ANY(:years)
    ), recorded AS (
      SELECT t.footballer_id, CAST(s.season AS int) AS season, CAST(e.key AS int) AS week,
        t.position, CAST(e.value AS bigint) AS points
      FROM seasons s JOIN footballer_totals t ON t.season_id = s.id AND t.rules = :rules
      CROSS JOIN jsonb_each_text(t.gameweeks) e
      WHERE s.competition = :competition AND s.season_type = 'REG' AND s.season = ANY(:years)
        AND NOT s.is_simulated
    ), weekly AS (
      SELECT footballer_id, season, coalesce(r.position, f.position) AS position,
        coalesce(r.points, f.points) AS points,
        row_number() OVER (PARTITION BY footballer_id, season ORDER BY week DESC) AS back
      FROM filed f FULL JOIN recorded r USING (footballer_id, season, week)
    )
    SELECT footballer_id, season, max(position) AS position, count(*) AS games,
      sum(points) AS points,
      sum(CAST(points AS double precision) ^ 2) AS squares,
      trunc(avg(points) FILTER (WHERE back <= :form)) AS form
    FROM weekly GROUP BY footballer_id, season
""")


def load_preseason(season_id: int, rules: str) -> dict[str, Preseason]:
    """What everybody is expected to score before the season, by id, as it is stored.

    Empty if no file said anything about the players, or for rules that nobody uses.
    """
    rows = db.session.execute(
        select(
            PreseasonProjection.footballer_id,
            PreseasonProjection.per_game,
            PreseasonProjection.share,
            PreseasonProjection.deviation,
        ).where(PreseasonProjection.season_id == season_id, PreseasonProjection.rules == rules)
    )
    return {footballer_id: Preseason(*figures) for footballer_id, *figures in rows}


def store_preseason(season: Season, rules_name: str) -> dict[str, Preseason]:
    """Compute the projections of the season's market under some rules and store them.

    There are none if no file said anything about the players. Only the caller commits.
    """
    rules = rules_named(rules_name)
    projections: dict[str, Preseason] = {}
    forms: dict[str, int] = {}
    if _is_known(season):
        club_games = _club_games(season, rules_name)
        values = {
            "season": season.id,
            "competition": season.competition,
            "years": sorted(club_games),
            "rules": rules.name,
            "worth": msgspec.json.encode(dict(rules.milli_points)).decode(),
            "form": FORM_GAMEWEEKS,
        }
        seasons: dict[str, list[EarlierSeason]] = {}
        positions: dict[str, str] = {}
        for row in db.session.execute(_EARLIER, values):
            seasons.setdefault(row.footballer_id, []).append(
                EarlierSeason(row.season, row.games, int(row.points), row.squares)
            )
            positions[row.footballer_id] = row.position
            if row.season == season.season - 1:
                forms[row.footballer_id] = int(row.form)
        market = [
            Prospect(row.id, row.position, _career(row), seasons.pop(row.id, []))
            for row in db.session.execute(_PROSPECTS, {"season": season.id})
        ]
        # what is left belongs to nobody on the market
        others = [
            Prospect(player, positions[player], None, games) for player, games in seasons.items()
        ]
        expected = preseason([*market, *others], season.season, club_games, rules)
        projections = {prospect.id: expected[prospect.id] for prospect in market}
    db.session.execute(
        delete(PreseasonProjection).where(
            PreseasonProjection.season_id == season.id,
            PreseasonProjection.rules == rules.name,
            PreseasonProjection.footballer_id.not_in(projections),
        )
    )
    rows = [
        {
            "season_id": season.id,
            "rules": rules.name,
            "footballer_id": footballer_id,
            "per_game": projection.per_game,
            "share": projection.share,
            "deviation": projection.deviation,
            "form": forms.get(footballer_id),
        }
        for footballer_id, projection in projections.items()
    ]
    insert_rows(PreseasonProjection, rows, key=("season_id", "rules", "footballer_id"))
    return projections


def ensure_preseason(season_id: int, rules: str) -> dict[str, Preseason]:
    """The stored projections, computed first if there are none. Only the caller commits."""
    stored = load_preseason(season_id, rules)
    return stored or store_preseason(db.session.get_one(Season, season_id), rules)


def refresh_season(season: Season) -> None:
    """Compute the projections of the season under all rules in use. Only the caller commits."""
    if _is_known(season):
        for rules in active_rules():
            store_preseason(season, rules.name)


def refresh_competition(competition: str) -> None:
    """Compute the projections of all regular seasons of a competition that have a market.

    Only the caller commits.
    """
    seasons = db.session.scalars(
        select(Season)
        .where(
            Season.competition == competition,
            Season.season_type == "REG",
            ~Season.is_simulated,
            exists().where(FootballerSeason.season_id == Season.id),
        )
        .order_by(Season.season)
    ).all()
    for season in seasons:
        refresh_season(season)


def _is_known(season: Season) -> bool:
    """Whether files said anything about the players of this season; never of a post-season."""
    if season.season_type != "REG":
        return False
    values = {"season": season.id, "competition": season.competition, "year": season.season}
    return bool(db.session.scalar(_IS_KNOWN, values))


def _club_games(season: Season, rules: str) -> Mapping[int, int]:
    """How many games a club played, by earlier season at hand."""
    values = {
        "competition": season.competition,
        "year": season.season,
        "seasons": SEASONS,
        "rules": rules,
    }
    return {row.season: row.games for row in db.session.execute(_CLUB_GAMES, values)}


def _career(row: Any) -> Career | None:
    if not row.has_career:
        return None
    return Career(row.born_on, row.first_season, row.draft_number)
