"""Notices about deadlines: reminders before one, and what happened to team sheets after it.

The words are in notices/words.py. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.formats import format_named
from app.fantasy.market.statuses import UNFIT
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import (
    TeamDeadline,
    Words,
    deadline_near,
    deadline_passed,
    lineup_begun,
    lineup_near,
    no_team_sheet,
)
from app.record.words import Sentence, marked, named


@dataclass(frozen=True)
class Stage:
    """A time at which members are reminded: between `first` and `last` before a deadline."""

    name: str
    first: timedelta
    last: timedelta


# Stages do not overlap, so that a deadline is always in one stage at most.
STAGES = (
    Stage("day", timedelta(hours=24), timedelta(hours=1)),
    Stage("hour", timedelta(hours=1), timedelta(0)),
)


def notify_near(now: datetime) -> int:
    """Remind members of each deadline, once a day before it and once an hour before it.

    This goes to members of leagues without a saved team sheet, and to those with a starter who is
    not fit, has left, or has no game. Only the next deadline counts, because its team is carried
    over to the one after it. A deadline that moves is notified again, with its new time
    (deadline_reminders). With lock 'game' the deadline is the first kickoff. Simulated seasons have
    no reminders, because they have a clock of their own.

    Returns:
        How many notices are new.
    """
    rows: list[NewNotice] = []
    for stage in STAGES:
        due = {
            "stage": stage.name,
            "now": now,
            "from": now + stage.last,
            "until": now + stage.first,
        }
        for deadline in db.session.execute(_DUE, due).all():
            rows += _reminders(deadline, stage)
    return notify(rows, now)


def _reminders(due: Any, stage: Stage) -> list[NewNotice]:
    """The reminders of one deadline. `due`: a row of _DUE."""
    team_format = format_named(due.format)
    if team_format.is_best_ball:
        return []
    values = {
        "gameweek": due.gameweek_id,
        "team_rules": due.team_rules_id,
        "starters": len(team_format.starters),
        "unfit": list(UNFIT),
    }
    leagues = _leagues_of_teams(due.gameweek_id)
    states: dict[int, str] = dict(db.session.execute(_MISSING, values).all())
    troubles: dict[int, list[list[str]]] = dict(db.session.execute(_TROUBLED, values).all())
    notices = []
    for member in (*states, *troubles):
        names = leagues.get((member, due.team_rules_id), ())
        deadline = TeamDeadline(names, due.name, due.at, due.time_zone)
        state = states.get(member, "saved")
        problems = [
            Sentence.of(f"{marked(named(footballer, name))} ({why})")
            for footballer, name, why in troubles.get(member, ())
        ]
        words = (
            lineup_near(deadline, is_stored=state == "saved", problems=problems)
            if team_format.is_draft
            else deadline_near(deadline, state=state, problems=problems)
        )
        key = f"{due.gameweek_id}:{due.team_rules_id}:{stage.name}:{int(due.at.timestamp())}"
        path = f"/team/{due.team_rules_id}"
        notices.append(NewNotice.of(member, "deadline", f"deadline-near:{key}", words, path))
    return notices


def notify_locked(gameweek_id: int, now: datetime) -> int:
    """Notify owners whether their sheet was carried over, and league members without a sheet.

    Members of a draft league hear nothing before its draft, nor in best ball.
    """
    leagues = _leagues_of_teams(gameweek_id)
    return notify(
        [
            NewNotice.of(
                row.member_id,
                "deadline",
                f"deadline:{gameweek_id}:{row.team_rules_id}",
                _locked_words(row, leagues.get((row.member_id, row.team_rules_id), ())),
                f"/team/{row.team_rules_id}",
            )
            for row in db.session.execute(_LOCKED, {"gameweek_id": gameweek_id})
            if not format_named(row.format).is_best_ball
        ],
        now,
    )


def _locked_words(row: Any, leagues: Sequence[str]) -> Words:
    """What a row of _LOCKED says to its member."""
    if row.is_carried is None:
        return no_team_sheet(leagues, row.name)
    if format_named(row.format).is_draft:
        return lineup_begun(leagues, row.name, is_carried=row.is_carried)
    return deadline_passed(leagues, row.name, is_carried=row.is_carried)


def _leagues_of_teams(gameweek_id: int) -> dict[tuple[int, int], list[str]]:
    """The names of the leagues that each team plays in, by member and team rules."""
    rows = db.session.execute(_LEAGUES, {"gameweek_id": gameweek_id})
    return {(row.member_id, row.team_rules_id): row.names for row in rows}


# A league of one's own first: the overall league is everybody's.
_LEAGUES = text("""
    SELECT m.member_id, l.team_rules_id, array_agg(l.name ORDER BY l.is_overall, l.id) AS names
    FROM gameweeks w JOIN leagues l ON l.season_id = w.season_id
    JOIN league_members m ON m.league_id = l.id
    WHERE w.id = :gameweek_id GROUP BY m.member_id, l.team_rules_id
""")


_DUE = text("""
    WITH fresh AS (
      INSERT INTO deadline_reminders (team_rules_id, gameweek_id, stage, locks_at, reminded_at)
      SELECT d.team_rules_id, w.id, :stage, least(d.locks_at, w.deadline), :now
      FROM sheet_deadlines d JOIN gameweeks w ON w.id = d.gameweek_id
      JOIN seasons s ON s.id = w.season_id AND NOT s.is_simulated
      WHERE least(d.locks_at, w.deadline) > :from AND least(d.locks_at, w.deadline) <= :until
        AND w.locked_at IS NULL
        AND NOT EXISTS (
          SELECT FROM gameweeks e JOIN sheet_deadlines b
            ON (b.gameweek_id, b.team_rules_id) = (e.id, d.team_rules_id)
          WHERE e.season_id = w.season_id AND e.week < w.week
            AND least(b.locks_at, e.deadline) > :now)
      ORDER BY w.id, d.team_rules_id
      ON CONFLICT DO NOTHING
      RETURNING team_rules_id, gameweek_id, locks_at
    )
    SELECT f.team_rules_id, f.gameweek_id, f.locks_at AS at, w.name, r.time_zone, r.format
    FROM fresh f JOIN gameweeks w ON w.id = f.gameweek_id JOIN team_rules r
      ON r.id = f.team_rules_id
    ORDER BY f.gameweek_id, f.team_rules_id
""")

_MISSING = text("""
    SELECT DISTINCT m.member_id, CASE WHEN EXISTS (
      SELECT FROM team_sheets e JOIN gameweeks v ON v.id = e.gameweek_id
      WHERE e.member_id = m.member_id AND e.team_rules_id = :team_rules
        AND v.week < (SELECT week FROM gameweeks WHERE id = :gameweek))
      THEN 'carried' ELSE 'none' END AS state
    FROM leagues l JOIN league_members m ON m.league_id = l.id
    WHERE l.team_rules_id = :team_rules AND NOT EXISTS (
      SELECT FROM team_sheets t WHERE t.member_id = m.member_id AND t.team_rules_id = :team_rules
      AND t.gameweek_id = :gameweek)
      AND (l.game <> 'draft' OR EXISTS (SELECT FROM roster_spots p WHERE p.league_id = l.id))
    ORDER BY m.member_id
""")

# A gameweek without any game has no schedule yet: then no starter is reported to have no game.
_TROUBLED = text("""
    WITH sheets AS (
      SELECT t.member_id, p.place, p.id
      FROM team_sheets t CROSS JOIN LATERAL unnest(t.picks[1:CAST(:starters AS int)]) WITH
        ORDINALITY AS p (id, place)
      WHERE t.team_rules_id = :team_rules AND t.gameweek_id = :gameweek AND p.id <> ''
    ), fixtures AS (
      SELECT g.home_id, g.away_id, coalesce(s.status, 'scheduled') AS status
      FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
      LEFT JOIN game_states s ON s.game_id = g.id WHERE w.id = :gameweek
    ), playing AS (
      SELECT home_id AS club_id FROM fixtures WHERE status NOT IN ('cancelled', 'postponed')
      UNION SELECT away_id FROM fixtures WHERE status NOT IN ('cancelled', 'postponed')
    ), troubled AS (
      SELECT f.id, f.name, CASE WHEN coalesce(m.status, 'left') = ANY(:unfit)
        THEN coalesce(m.status, 'left')
                           ELSE 'no game' END AS why
      FROM footballers f
      LEFT JOIN footballer_seasons m
        ON m.footballer_id = f.id AND m.season_id = (SELECT season_id FROM gameweeks
          WHERE id = :gameweek)
      WHERE f.id IN (SELECT id FROM sheets) AND (
        coalesce(m.status, 'left') = ANY(:unfit)
        OR EXISTS (SELECT FROM fixtures) AND f.club_id NOT IN (SELECT club_id FROM playing))
    )
    SELECT s.member_id, json_agg(json_build_array(t.id, t.name, t.why) ORDER BY s.place)
    FROM sheets s JOIN troubled t ON t.id = s.id GROUP BY s.member_id ORDER BY s.member_id
""")

_LOCKED = text("""
    SELECT t.member_id, t.team_rules_id, w.name, t.is_carried, r.format
    FROM team_sheets t JOIN gameweeks w ON w.id = t.gameweek_id
    JOIN team_rules r ON r.id = t.team_rules_id WHERE w.id = :gameweek_id
    UNION
    SELECT m.member_id, l.team_rules_id, w.name, NULL, r.format
    FROM gameweeks w JOIN leagues l ON l.season_id = w.season_id JOIN league_members m
      ON m.league_id = l.id
    JOIN team_rules r ON r.id = l.team_rules_id
    WHERE w.id = :gameweek_id AND l.game <> 'draft' AND NOT EXISTS (
      SELECT FROM team_sheets t
      WHERE t.member_id = m.member_id AND t.team_rules_id = l.team_rules_id
        AND t.gameweek_id = w.id)
""")
