"""Loads the projections of players and of teams of a gameweek. Reads only.

The figures of each position change only with earlier gameweeks and are cached; everything else of
any number of players is one query. Call `begin_snapshot` first if the page shows points as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, text

from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value
from app.fantasy.market.formats import format_named
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.projections.chances import average_side, win_chance
from app.fantasy.projections.preseason import WHOLE
from app.fantasy.projections.rules import (
    ENOUGH_GAMES,
    Expectation,
    Figures,
    GameNow,
    ProjectedWeek,
    Projection,
    by_family,
    expectation,
    expectation_since,
    family_of,
    history,
)
from app.fantasy.projections.teams import Outlook, ProjectedSheets, projected_teams
from app.fantasy.projections.typical_lines import typical_figures
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules, parts
from app.fantasy.standings import queries as standings
from app.fantasy.standings import results
from app.fantasy.standings.fixtures import Pair
from app.fantasy.standings.queries import LeagueRow
from app.record.rules.state import OVER
from app.record.rules.statistics import LEVEL_STATS
from app.record.rules.team_defence import POSITION as DST

# The average of a larger league is not projected: it would take all of its team sheets.
MOST_AVERAGED = 64

# The season of the same competition and kind before this one.
_LAST_SEASON = """
    SELECT last.id FROM seasons last JOIN seasons this ON this.id = :season
      AND (last.competition, last.season_type) = (this.competition, this.season_type)
      AND last.season < this.season
    ORDER BY last.season DESC LIMIT 1
"""

# Gameweeks with a stat line, by position: of this season before the gameweek, and of the last one.
_FIGURES = text(f"""
    SELECT t.season_id = :season AS is_this, t.position, count(*) AS games,
      sum(earned.points::bigint) AS points, sum(earned.points::double precision ^ 2) AS squares
    FROM footballer_totals t CROSS JOIN jsonb_each_text(t.gameweeks) AS earned (week, points)
    WHERE t.rules = :rules AND (t.season_id = ({_LAST_SEASON})
      OR t.season_id = :season AND earned.week::int < :week)
    GROUP BY 1, 2
""")  # noqa: S608 (made of our own words alone)

# A player's games of the gameweek are those of their club and those in which they have points.
_PLAYERS = text(f"""
    WITH club_games AS (
      SELECT g.id, g.week, g.home_id, g.away_id, coalesce(s.status, 'scheduled') AS status,
        CAST(s.state ->> 'period' AS int) AS period, CAST(s.state ->> 'clock' AS int) AS clock,
        g.planned_week IS NULL OR :counts_moved AS counts
      FROM games g LEFT JOIN game_states s ON s.game_id = g.id
      WHERE (g.competition, g.season, g.season_type) = (:competition, :year, :season_type)
        AND g.week <= :week AND NOT g.is_practice
    ), club_weeks AS (
      SELECT club, array_agg(DISTINCT week) AS weeks
      FROM club_games, unnest(ARRAY[home_id, away_id]) AS club
      WHERE week < :week AND status = ANY(:played) GROUP BY club
    ), earned AS (
      SELECT p.player_id, p.game_id, p.points FROM player_points p
      WHERE p.player_id = ANY(:players) AND p.rules = :rules
        AND p.game_id IN (SELECT id FROM club_games WHERE week = :week AND counts)
    )
    SELECT f.id, coalesce(m.position, f.position) AS position, f.position AS scored_as,
      coalesce(m.status, 'available') AS fitness, coalesce(w.weeks, '{{}}') AS club_weeks,
      coalesce(this.gameweeks, '{{}}') AS this_season, coalesce(last.gameweeks,
        '{{}}') AS last_season,
      p.per_game, p.share, p.deviation, g.id AS game, g.status, g.period, g.clock, e.points, l.stats
    FROM footballers f
    LEFT JOIN footballer_seasons m ON m.footballer_id = f.id AND m.season_id = :season
    LEFT JOIN club_weeks w ON w.club = f.club_id
    LEFT JOIN footballer_totals this ON (this.season_id, this.rules,
      this.footballer_id) = (:season, :rules, f.id)
    LEFT JOIN footballer_totals last ON (last.season_id, last.rules,
      last.footballer_id) = (({_LAST_SEASON}), :rules, f.id)
    LEFT JOIN preseason_projections p ON (p.season_id, p.rules,
      p.footballer_id) = (:season, :rules, f.id)
    LEFT JOIN club_games g ON g.week = :week AND g.counts AND (f.club_id IN (g.home_id, g.away_id)
      OR EXISTS (SELECT FROM earned x WHERE (x.player_id, x.game_id) = (f.id, g.id)))
    LEFT JOIN earned e ON (e.player_id, e.game_id) = (f.id, g.id)
    LEFT JOIN stat_lines l ON f.position = :dst AND (l.game_id, l.player_id) = (g.id, f.id)
    WHERE f.id = ANY(:players) ORDER BY f.id, g.id
""")  # noqa: S608 (made of our own words alone)


def projected_points(
    season_id: int,
    gameweek: GameweekRow,
    players: Collection[str],
    rules: ScoringRules,
    *,
    counts_moved: bool = True,
) -> dict[str, Projection]:
    """What these players are expected to have at the end of a gameweek, by id.

    Of a gameweek that is over it is what they have; of a later one what they are expected to score
    by the games before it. Players whom nobody knows are left out.

    Args:
        season_id: The season of the market.
        gameweek: A gameweek of this season.
        players: Their ids.
        rules: The scoring rules; points are stored only for those of a league and the presets.
        counts_moved: Whether games count that were moved here from another gameweek.
    """
    weeks = _load(season_id, gameweek, players, rules, counts_moved)
    return {player: week.projection() for player, week in weeks.items()}


def projected_sheets(
    league: LeagueRow, gameweek: GameweekRow, members: Collection[int]
) -> ProjectedSheets:
    """The projected teams of these members of a league, whether they have a team sheet or not.

    The caller decides who may see a line-up.
    """
    sheets = standings.sheets_of(league.team_rules_id, gameweek.id, members)
    adjusted = standings.adjusted(league.id, gameweek.id)
    costs = {sheet.member_id: sheet.transfer_cost for sheet in sheets}
    picks = {pick for sheet in sheets for pick in sheet.picks if pick}
    weeks = _load(league.season_id, gameweek, picks, rules_named(league.rules), league.counts_moved)
    projections = {player: week.projection() for player, week in weeks.items()}
    positions = {player: week.position for player, week in weeks.items()}
    bases = {member: adjusted.get(member, 0) - costs.get(member, 0) for member in members}
    teams = projected_teams(format_named(league.format), sheets, projections, positions, bases)
    by_member = {team.member_id: team for team in teams}
    return ProjectedSheets(by_member, projections, positions, bases, weeks)


def matchup_outlooks(
    league: LeagueRow, gameweek: GameweekRow, pairs: Sequence[Pair]
) -> list[Outlook | None]:
    """The projected points and the chance of winning of these matchups of a gameweek, in order.

    The opponent None is the average of everybody who plays in the league's gameweek; in a league of
    more than MOST_AVERAGED teams such a matchup has no outlook. The caller decides who may see what
    follows from secret line-ups.
    """
    members = {member for pair in pairs for member in pair if member is not None}
    averaged: set[int] = set()
    if any(away is None for _, away in pairs):
        drawn = results.pairs_of(gameweek.id, [league.id]).get(league.id, [])
        averaged = {member for pair in drawn for member in pair if member is not None}
        if len(averaged) <= MOST_AVERAGED:
            members |= averaged
    sheets = projected_sheets(league, gameweek, members)
    average = None
    if averaged and averaged <= members:
        average = average_side([sheets.side(member) for member in sorted(averaged)])
    outlooks: list[Outlook | None] = []
    for home, away in pairs:
        second = average if away is None else sheets.side(away)
        if second is None:
            outlooks.append(None)
            continue
        first = sheets.side(home)
        chance = win_chance(first, second, sheets.variances)
        outlooks.append(Outlook(first.points, second.points, chance, sheets))
    return outlooks


def _load(
    season_id: int,
    gameweek: GameweekRow,
    players: Collection[str],
    rules: ScoringRules,
    counts_moved: bool,
) -> dict[str, ProjectedWeek]:
    """The gameweek of each player, by id."""
    figures = _figures(season_id, gameweek, rules)
    values = {
        "season": season_id,
        "competition": gameweek.competition,
        "year": gameweek.season,
        "season_type": gameweek.season_type,
        "week": gameweek.week,
        "rules": rules.name,
        "counts_moved": counts_moved,
        "players": sorted(players),
        "played": [status for status in OVER if status != "cancelled"],
        "dst": DST,
    }
    rows: dict[str, list[Row[Any]]] = {}
    for row in db.session.execute(_PLAYERS, values):
        rows.setdefault(row.id, []).append(row)
    return {
        player: _player_week(games, gameweek.week, figures, rules) for player, games in rows.items()
    }


def _player_week(
    rows: list[Row[Any]], week: int, figures: Mapping[str, Figures], rules: ScoringRules
) -> ProjectedWeek:
    """The gameweek of a player. `rows`: one for each game, or one without a game."""
    player = rows[0]
    by_week = {int(number): points for number, points in player.this_season.items()}
    games_so_far = history(by_week, player.club_weeks, before=week)
    if player.per_game is None:
        last_season = sorted(
            ((int(number), points) for number, points in player.last_season.items()), reverse=True
        )
        family = family_of(player.position)
        expected = expectation(
            games_so_far,
            figures.get(family) or typical_figures(player.position, rules),
            [points for _, points in last_season],
        )
    else:
        # as in `history`, who may not play is expected to score less
        preseason = Expectation(player.per_game * player.share / WHOLE, float(player.deviation**2))
        expected = expectation_since(games_so_far, preseason)
    games = {
        row.game: GameNow(
            row.status,
            row.period,
            row.clock,
            row.points or 0,
            _open_points(row.stats or {}, rules, player.scored_as),
        )
        for row in rows
        if row.game is not None
    }
    has_played = any(row.points is not None for row in rows)
    return ProjectedWeek(player.position, expected, games, player.fitness, has_played)


def _open_points(stats: Mapping[str, int], rules: ScoringRules, position: str) -> int:
    """What a defence has for the levels that it is on, which it may leave."""
    on_levels = {stat: amount for stat, amount in stats.items() if stat in LEVEL_STATS}
    return sum(parts(on_levels, rules, position).values()) if on_levels else 0


def _figures(season_id: int, gameweek: GameweekRow, rules: ScoringRules) -> dict[str, Figures]:
    """The figures of each family of positions that has played ENOUGH_GAMES, by the family.

    They are of this season's gameweeks before this one, or else of last season.
    """
    values = {"season": season_id, "week": gameweek.week, "rules": rules.name}

    def read() -> CachedValue[dict[str, Figures]]:
        rows = db.session.execute(_FIGURES, values).all()
        families: dict[str, Figures] = {}
        for is_this in (False, True):
            families |= {
                family: figures
                for family, figures in by_family(
                    (row.position, Figures(row.games, float(row.points), row.squares))
                    for row in rows
                    if row.is_this == is_this
                ).items()
                if figures.games >= ENOUGH_GAMES
            }
        return CachedValue(families, ("gameweeks", "footballers"))

    key = f"position-figures:{season_id}:{gameweek.week}:{rules.name}"
    return cached_value(key, dict[str, Figures], read)
