"""What gameweeks under way count in their leagues: team sheets times what their players count.

Points of a gameweek are stored when it is settled (gameweeks/settlement.py). Until then whoever
shows them reads them here. They rest on what footballers counted at the last refresh, which is
what the version of the league's tables stands for. Reads only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import text

from app.core.db import db
from app.core.db.repeatable_read import is_snapshot
from app.core.page_cache.values import CachedValue, cached_value
from app.fantasy.engine import footballers
from app.fantasy.engine.ownership import Ownership
from app.fantasy.market.formats import format_named

_Noted = Mapping[footballers.Noted, footballers.ById]


@dataclass(frozen=True)
class LiveScore:
    """A member's gameweek under way in a league.

    Attributes:
        team_name: That of the member's team.
        points: The sheet's, less the cost of transfers, with adjustments, in thousandths.
        held: How much of them rests on plays under review.
        transfers: How many were made for the gameweek.
        sheet_points: The sheet's alone; None without a sheet.
        picks: The sheet's, by place; empty without a sheet.
        multipliers: How often each of them counts.
    """

    league_id: int
    gameweek_id: int
    member_id: int
    team_name: str
    points: int
    held: int
    transfers: int
    sheet_points: int | None
    picks: Sequence[str]
    multipliers: Sequence[int]


# Former members with a score are the league's history: corrections reach their gameweeks and those
# of their opponents.
_SHEETS = text("""
    WITH weeks AS (
      SELECT l.id AS league_id, l.team_rules_id, l.rules, r.format,
        r.postponed_games = 'played' AS counts_moved, w.id AS gameweek_id
      FROM leagues l JOIN team_rules r ON r.id = l.team_rules_id
      JOIN gameweeks w ON w.season_id = l.season_id AND w.week >= l.first_week
      JOIN live_gameweeks d ON d.gameweek_id = w.id
      WHERE l.id = ANY(:leagues) AND (CAST(:gameweek AS bigint) IS NULL OR w.id = :gameweek)
    )
    SELECT w.league_id, w.gameweek_id, w.rules, w.format, w.counts_moved, who.member_id,
      who.team_name, s.picks, s.captain, s.vice_captain, coalesce(s.transfer_cost, 0) AS cost,
      coalesce(s.transfers, 0) AS transfers, coalesce(a.points, 0)::bigint AS adjusted
    FROM weeks w CROSS JOIN LATERAL (
      SELECT m.member_id, m.team_name FROM league_members m WHERE m.league_id = w.league_id
        AND (CAST(:members AS bigint[]) IS NULL OR m.member_id = ANY(CAST(:members AS bigint[])))
      UNION ALL
      SELECT f.member_id, f.team_name FROM league_scores f
      WHERE (f.league_id, f.gameweek_id) = (w.league_id, w.gameweek_id)
        AND (CAST(:members AS bigint[]) IS NULL OR f.member_id = ANY(CAST(:members AS bigint[])))
        AND NOT EXISTS (SELECT FROM league_members m
          WHERE (m.league_id, m.member_id) = (f.league_id, f.member_id))
    ) who
    LEFT JOIN team_sheets s ON (s.member_id, s.team_rules_id, s.gameweek_id)
      = (who.member_id, w.team_rules_id, w.gameweek_id)
    LEFT JOIN LATERAL (SELECT sum(points) AS points FROM score_adjustments a
      WHERE (a.league_id, a.member_id, a.gameweek_id)
        = (w.league_id, who.member_id, w.gameweek_id)) a ON true
    WHERE s.id IS NOT NULL OR a.points IS NOT NULL
    ORDER BY w.league_id, w.gameweek_id, who.member_id
""")


def live_scores(
    leagues: Collection[int],
    *,
    gameweek_id: int | None = None,
    members: Collection[int] | None = None,
) -> list[LiveScore]:
    """The scores of gameweeks under way, by league, gameweek and member. Two statements.

    Args:
        leagues: The leagues' ids.
        gameweek_id: Of this gameweek alone.
        members: Of these members alone. Name them in a league that may be large.
    """
    return _scores(*_load(leagues, gameweek_id, members))


def scores_around(
    leagues: Collection[int],
    worth: Mapping[str, Mapping[str, int]],
    first_played: Mapping[str, bool],
    *,
    gameweek_id: int,
    members: Collection[int],
) -> list[tuple[int, LiveScore]]:
    """As `live_scores`, each after the points that it had before a correction.

    Args:
        leagues: The leagues' ids.
        worth: That of the correction, in thousandths by scoring rules and footballer.
        first_played: The footballers who have played by the correction alone, with whether their
            games are over.
        gameweek_id: The gameweek.
        members: Of these members alone.
    """
    rows, noted = _load(leagues, gameweek_id, members)
    earlier = {
        key: _before(by_id, worth.get(key[2], {}), first_played) for key, by_id in noted.items()
    }
    before, after = _scores(rows, earlier), _scores(rows, noted)
    return [(old.points, new) for old, new in zip(before, after, strict=True)]


def _before(
    noted: footballers.ById, worth: Mapping[str, int], first_played: Mapping[str, bool]
) -> footballers.ById:
    """What was noted, without what a correction is worth. Who had points then had played."""
    before = dict(noted)
    for player, points in worth.items():
        if (now := noted.get(player)) is None:
            continue
        before[player] = now._replace(
            points=now.points - points,
            has_played=player not in first_played and (now.has_played or points != now.points),
            is_over=first_played.get(player, now.is_over),
        )
    return before


def _load(
    leagues: Collection[int], gameweek_id: int | None, members: Collection[int] | None
) -> tuple[Sequence[Any], _Noted]:
    values = {
        "leagues": list(leagues),
        "gameweek": gameweek_id,
        "members": None if members is None else list(members),
    }
    rows = db.session.execute(_SHEETS, values).all() if leagues else []
    sheets = [row for row in rows if row.picks is not None]
    ids = {pick for sheet in sheets for pick in sheet.picks if pick}
    return rows, footballers.noted({_terms(sheet)[:3] for sheet in sheets}, ids)


def _terms(row: Any) -> tuple[int, bool, str, str]:
    return row.gameweek_id, row.counts_moved, row.rules, row.format


def _scores(rows: Sequence[Any], noted: _Noted) -> list[LiveScore]:
    by_terms: dict[tuple[int, bool, str, str], list[Any]] = defaultdict(list)
    for row in rows:
        if row.picks is not None:
            by_terms[_terms(row)].append(row)
    scores = [_score(row, None, 0, ()) for row in rows if row.picks is None]
    for terms, sheets in by_terms.items():
        ownership = Ownership.of(format_named(terms[3]), sheets)
        totals = ownership.totals(ownership.arrays(noted[terms[:3]]))
        columns = (totals.points, totals.held_points, totals.multipliers)
        arrays = (column.tolist() for column in columns)
        scores += [_score(*values) for values in zip(sheets, *arrays, strict=True)]
    return sorted(scores, key=lambda score: (score.league_id, score.gameweek_id, score.member_id))


def shared_live_scores(league_id: int) -> list[LiveScore]:
    """As `live_scores`, of a league that is not large, from the page cache.

    What a snapshot shows is not cached, because it may be older than the last commit.
    """
    tags = (f"league:{league_id}", f"table:{league_id}", "gameweeks", "sheets")
    return cached_value(
        f"live-scores:{league_id}",
        list[LiveScore],
        lambda: CachedValue(live_scores([league_id]), () if is_snapshot() else tags),
    )


def _score(row: Any, points: int | None, held_points: int, multipliers: Sequence[int]) -> LiveScore:
    return LiveScore(
        league_id=row.league_id,
        gameweek_id=row.gameweek_id,
        member_id=row.member_id,
        team_name=row.team_name,
        points=(points or 0) - row.cost + row.adjusted,
        held=held_points,
        transfers=row.transfers,
        sheet_points=points,
        picks=row.picks or (),
        multipliers=multipliers,
    )


# A table for statements: the scores of gameweeks under way that `live_values` puts into them.
LIVE_SHEETS = """(
      SELECT * FROM jsonb_to_recordset(CAST(:live AS jsonb) -> 'scores') AS live (league_id bigint,
        member_id bigint, gameweek_id bigint, team_name text, points int, held int, transfers int,
        sheet_points int, picks text[], multipliers int[])
    )"""

# A table for statements, with the columns of league_scores: what is stored, and instead of rows of
# the gameweeks under way those of LIVE_SHEETS.
SCORES = f"""(
      SELECT league_id, member_id, gameweek_id, team_name, points, held, transfers, match_points,
        total, rank
      FROM league_scores
      WHERE gameweek_id <> ALL(ARRAY(SELECT jsonb_array_elements_text(
        CAST(:live AS jsonb) -> 'gameweeks')::bigint))
      UNION ALL
      SELECT league_id, member_id, gameweek_id, team_name, points, held, transfers, NULL, NULL, NULL
      FROM {LIVE_SHEETS} live
    )"""  # noqa: S608 (made of our own words alone)


_STORED = text("""
    SELECT member_id, points, held FROM league_scores
    WHERE (league_id, gameweek_id) = (:league, :gameweek) ORDER BY member_id
""")


class WeekScore(NamedTuple):
    """Points and held points of a member's gameweek, in thousandths."""

    member_id: int
    points: int
    held: int


def scores_of(league_id: int, gameweek_id: int) -> list[WeekScore]:
    """The scores of the league's gameweek, settled or under way, by member."""
    if live := live_scores([league_id], gameweek_id=gameweek_id):
        return [WeekScore(score.member_id, score.points, score.held) for score in live]
    values = {"league": league_id, "gameweek": gameweek_id}
    return [WeekScore(*row) for row in db.session.execute(_STORED, values)]


def live_values(scores: Collection[LiveScore]) -> dict[str, str]:
    """The parameters of a statement that reads SCORES: `live`."""
    gameweeks = sorted({score.gameweek_id for score in scores})
    return {"live": msgspec.json.encode({"gameweeks": gameweeks, "scores": scores}).decode()}
