"""Notices to members about predictions: corrected results, missing guesses, decisions.

Each kind is written by one statement for all members, in the caller's transaction. Notices are read
in app/fantasy/notices.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import select, text

from app.core import clock
from app.core.bidi import with_period
from app.core.db import db
from app.predictions import points
from app.predictions.models import Team
from app.predictions.points import GuessKind, Terms

REMIND = timedelta(days=1)

# Points are hundredths in predictions and thousandths in notices.
_CORRECTED = text(
    f"""
    INSERT INTO notices (member_id, kind, key, title, body, path, delta, created_at)
    SELECT p.member_id, 'prediction', :key, :title,
      'You picked ' || CASE
        WHEN CAST(:names_winner AS boolean) THEN coalesce(CASE sign(d.home - d.away)
          WHEN 1 THEN CAST(:home AS text) WHEN -1 THEN CAST(:away AS text) END, 'a draw')
        WHEN CAST(:is_away_first AS boolean) THEN d.away || '–' || d.home
        ELSE d.home || '–' || d.away END
        || '. It earns ' || trim_scale(d.after / 100.0)
        || CASE d.after WHEN 100 THEN ' point' ELSE ' points' END || ', not '
        || trim_scale(d.before / 100.0) || '.',
      :path, (d.after - d.before) * 10, :now
    FROM (
      SELECT g.player_id, g.home, g.away, {points.earned_sql("after")} AS after,
        {points.earned_sql("before")} AS before
      FROM guesses g WHERE g.match_id = :match_id
    ) d JOIN players p ON p.id = d.player_id
    WHERE d.after <> d.before AND p.member_id IS NOT NULL
    ORDER BY p.member_id
    ON CONFLICT ON CONSTRAINT uq_notices_key DO NOTHING
    """  # noqa: S608
)

_NAMES = text(
    """
    SELECT h.name AS home, a.name AS away, r.slug, m.tournament_id,
      t.counted_score = 'overtime' AS is_away_first
    FROM matches m JOIN teams h ON h.id = m.home_id JOIN teams a ON a.id = m.away_id JOIN rounds r
      ON r.id = m.round_id JOIN tournaments t ON t.id = m.tournament_id
    WHERE m.id = :match_id
    """
)

_TOLD = text(
    """
    INSERT INTO notices (member_id, kind, key, title, body, path, delta, created_at)
    SELECT p.member_id, 'prediction', :key, :title, :body, :path, NULL, :now
    FROM guesses g JOIN players p ON p.id = g.player_id
    WHERE g.match_id = :match_id AND p.member_id IS NOT NULL
      AND (CAST(:players AS uuid[]) IS NULL OR g.player_id = ANY(CAST(:players AS uuid[])))
    ORDER BY p.member_id
    ON CONFLICT ON CONSTRAINT uq_notices_key DO NOTHING
    """
)

_MISSING = text(
    """
    WITH near AS (
      SELECT r.id, r.name, r.slug, r.tournament_id, t.name AS tournament, min(m.kickoff) AS first,
        coalesce(t.rule->>'guess', '') = 'survivor' AS is_survivor
      FROM rounds r JOIN matches m ON m.round_id = r.id JOIN tournaments t ON t.id = r.tournament_id
      WHERE t.is_active AND m.kickoff IS NOT NULL AND m.fate IS NULL
      GROUP BY r.id, t.id HAVING min(m.kickoff) > :now AND min(m.kickoff) <= :until
    ), missing AS (
      SELECT n.id, o.player_id, count(*) AS matches
      FROM near n JOIN tournament_points o USING (tournament_id)
      JOIN matches m ON m.round_id = n.id AND m.status = 'open'
      WHERE NOT EXISTS (SELECT FROM guesses g WHERE (g.match_id, g.player_id) = (m.id, o.player_id))
        AND NOT (n.is_survivor AND (o.out_round_id IS NOT NULL OR EXISTS (
          SELECT FROM guesses g JOIN matches x ON x.id = g.match_id
          WHERE x.round_id = n.id AND g.player_id = o.player_id)))
      GROUP BY n.id, o.player_id
    )
    INSERT INTO notices (member_id, kind, key, title, body, path, delta, created_at)
    SELECT p.member_id, 'prediction', 'prediction:missing:' || n.id,
      n.name || ': ' || CASE WHEN n.is_survivor THEN 'no team picked'
        WHEN x.matches = 1 THEN '1 pick missing'
        ELSE x.matches || ' picks missing'
      END || ' (' || n.tournament || ')',
      'Starts ' || to_char(n.first AT TIME ZONE 'UTC', 'FMDy FMDD Mon, HH24:MI')
        || ' UTC. Picks lock at each kickoff.',
      '/tournaments/' || n.tournament_id || '/rounds/' || n.slug, NULL, :now
    FROM missing x JOIN near n ON n.id = x.id JOIN players p ON p.id = x.player_id
    WHERE p.member_id IS NOT NULL ORDER BY p.member_id, n.id
    ON CONFLICT ON CONSTRAINT uq_notices_key DO NOTHING
    """
)


def notify_corrected(
    match_id: UUID, before: Terms | None, after: Terms | None, now: datetime
) -> int:
    """Notify every member whose points a corrected result changed. Does not commit.

    Nobody is notified of a first result (`before` is None). Returns how many were notified.
    """
    if before is None or before == after:
        return 0
    names = db.session.execute(_NAMES, {"match_id": match_id}).one()
    result = "no longer has a result"
    if after is not None:
        score = points.result_words(
            after, names.home, names.away, is_away_first=names.is_away_first
        )
        result = f"ended {score}"
    values = {
        "match_id": match_id,
        "key": f"prediction:corrected:{match_id}:{clock.to_us(now)}",
        "title": f"Corrected: {_teams(names)} {result}",
        "path": f"/tournaments/{names.tournament_id}/rounds/{names.slug}",
        "now": now,
        "names_winner": before.rule.guess != GuessKind.SCORES,
        "is_away_first": names.is_away_first,
        "home": names.home,
        "away": names.away,
    }
    inserted = db.session.execute(
        _CORRECTED, values | points.parameters("after", after) | points.parameters("before", before)
    )
    return int(inserted.rowcount)  # type: ignore[attr-defined]


def notify_replaced(match_id: UUID, home_id: UUID, away_id: UUID, now: datetime) -> int:
    """Notify everybody who guessed the match that other teams play instead. Does not commit.

    Returns how many were notified.
    """
    teams = dict(
        db.session.execute(select(Team.id, Team.name).where(Team.id.in_((home_id, away_id)))).all()
    )
    body = (
        f"{teams[home_id]} vs {teams[away_id]} replaces it. Your pick was for other teams and no "
        "longer counts. Make a new one before kickoff."
    )
    return notify_guessers(
        match_id, f"replaced:{match_id}:{clock.to_us(now)}", ("will not be played", body), now
    )


def notify_renamed(match_id: UUID, team_id: UUID, former: str, now: datetime) -> int:
    """Notify everybody who guessed the match of the new name of one of its teams.

    Does not commit. Returns how many were notified.
    """
    name = db.session.scalars(select(Team.name).where(Team.id == team_id)).one()
    new_name = with_period(f"{former} is now called {name}")
    body = f"{new_name} Your pick is kept, and you can change it until kickoff."
    key = f"renamed:{match_id}:{team_id}:{clock.to_us(now)}"
    return notify_guessers(match_id, key, ("has a renamed team", body), now)


def notify_guessers(
    match_id: UUID,
    key: str,
    words: tuple[str, str],
    now: datetime,
    players: Collection[UUID] | None = None,
) -> int:
    """Notify everybody who guessed the match, or some of them. Does not commit.

    Args:
        match_id: The match; the notice links to its round.
        key: Identifies the event; nobody is notified twice under one key.
        words: The part of the title that follows the match, and the body.
        now: The current time.
        players: Notify only these of the members who guessed it; None for all.

    Returns:
        How many were notified.
    """
    names = db.session.execute(_NAMES, {"match_id": match_id}).one()
    values = {
        "match_id": match_id,
        "key": f"prediction:{key}",
        "title": f"{_teams(names)} {words[0]}",
        "body": words[1],
        "path": f"/tournaments/{names.tournament_id}/rounds/{names.slug}",
        "players": None if players is None else list(players),
        "now": now,
    }
    return int(db.session.execute(_TOLD, values).rowcount)  # type: ignore[attr-defined]


def _teams(names: Any) -> str:
    """Who plays whom, in the order in which the sport names its teams."""
    if names.is_away_first:
        return f"{names.away} at {names.home}"
    return f"{names.home} vs {names.away}"


def remind_missing(now: datetime) -> int:
    """Remind members who lack guesses for a round that begins within a day. Commits.

    Each member is reminded once per round. Returns how many were reminded.
    """
    inserted = db.session.execute(_MISSING, {"now": now, "until": now + REMIND})
    db.session.commit()
    return int(inserted.rowcount)  # type: ignore[attr-defined]
