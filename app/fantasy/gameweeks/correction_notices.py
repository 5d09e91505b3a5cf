"""Notifies members of what corrections of the record did to their gameweek, in the transaction that changes the points.

Each correction is notified once, whoever refreshes first: notified_corrections remembers. Words: notices/words.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Match
from app.fantasy.scoring.changes import Effects, effects, names_in
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.league_scores import Moved
from app.fantasy.standings.results import Reversed, pairs_of
from app.record.words import sentence

_NEW = text("""
    WITH fresh AS (
      SELECT DISTINCT c.game_id, c.revision AS event_number
      FROM corrections c JOIN games g ON g.id = c.game_id
      JOIN gameweeks w USING (competition, season, season_type, week)
      WHERE w.id = :gameweek AND NOT EXISTS (
        SELECT FROM notified_corrections t WHERE (t.game_id, t.event_number) = (c.game_id, c.revision))
    )
    INSERT INTO notified_corrections (game_id, event_number) SELECT * FROM fresh ON CONFLICT DO NOTHING
    RETURNING game_id, event_number
""")

_OWNERS = text("""
    SELECT l.id AS league_id, l.slug, l.name, l.rules, m.team_name, s.member_id, s.picks, p.multipliers, c.points
    FROM team_sheets s JOIN leagues l ON l.team_rules_id = s.team_rules_id
    JOIN league_members m ON (m.league_id, m.member_id) = (l.id, s.member_id)
    JOIN sheet_points p ON p.team_sheet_id = s.id AND p.rules = l.rules
    JOIN league_scores c ON (c.league_id, c.member_id, c.gameweek_id) = (l.id, s.member_id, s.gameweek_id)
    WHERE s.gameweek_id = :gameweek AND (s.picks && CAST(:players AS text[]) OR (l.id, s.member_id) IN (
      SELECT * FROM unnest(CAST(:leagues AS bigint[]), CAST(:members AS bigint[]))))
    ORDER BY l.id, s.member_id
""")


@dataclass(frozen=True)
class _Correction:
    """A correction with an effect: game and event number, its sentence, and its worth by rules and footballer."""

    game_id: str
    event_number: int
    why: str
    worth: Mapping[str, Mapping[str, int]]


def notify_corrections(gameweek: Gameweek, moved: Sequence[Moved], reversed: Reversed, now: datetime) -> int:
    """Notifies every member whose points or head-to-head result a new correction changed; returns how many notices.

    While the gameweek is open the difference is that of the correction alone; once it is settled, that of the result
    (`moved`), in which a substitute may have come on or gone. `reversed`: games with another outcome.
    """
    found = db.session.execute(_NEW, {"gameweek": gameweek.id}).all()
    if not found:
        return 0
    corrections = _corrections(found, gameweek.season_id)
    settled = {(one.league_id, one.member_id): one for one in moved} if gameweek.settled_at else {}
    known = sorted(set(settled) | reversed)
    owners = db.session.execute(
        _OWNERS,
        {
            "gameweek": gameweek.id,
            "players": sorted({player for one in corrections for worth in one.worth.values() for player in worth}),
            "leagues": [league for league, _ in known],
            "members": [member for _, member in known],
        },
    ).all()
    rows = []
    for owner in owners:
        key = (owner.league_id, owner.member_id)
        own = [one for one in corrections if _delta(one, owner)]
        delta = sum(_delta(one, owner) for one in own)
        if key in settled:
            delta = owner.points - (settled[key].before or 0)
        if not delta and key not in reversed:
            continue
        matches = _matches(gameweek.id, owner, settled) if key in reversed else None
        last = (own or corrections)[-1]
        words = notice_words.correction(
            owner.name,
            gameweek.name,
            notice_words.Moved(owner.points - delta, owner.points),
            [one.why for one in own or corrections],
            matches,
        )
        notice_key = f"correction:{owner.league_id}:{gameweek.id}:{last.game_id}:{last.event_number}"
        path = f"/leagues/{owner.slug}/teams/{owner.member_id}?week={gameweek.week}"
        rows.append(NewNotice.of(owner.member_id, "correction", notice_key, words, path))
    return notify(rows, now)


def _corrections(found: Sequence[tuple[str, int]], season_id: int) -> list[_Correction]:
    """In the order of the record, game by game."""
    rulebook = db.session.scalars(
        text("SELECT DISTINCT rules FROM leagues WHERE season_id = :season ORDER BY rules"), {"season": season_id}
    ).all()
    games = sorted({game for game, _ in found})
    by_rules: dict[str, Effects] = {name: effects(games, None, rules_named(name)) for name in rulebook}
    corrections = []
    for game_id, number in sorted(found):
        worth = {
            name: {player: points for (game, player, cause), points in one.worth.items() if (game, cause) == key}
            for name, one in by_rules.items()
            if (key := (game_id, number))
        }
        body = next(
            (
                body
                for one in by_rules.values()
                for (game, _, cause), body in one.bodies.items()
                if (game, cause) == (game_id, number)
            ),
            None,
        )
        if body is not None:
            corrections.append(_Correction(game_id, number, sentence(body, names_in([body])), worth))
    return corrections


def _delta(correction: _Correction, owner: Any) -> int:
    worth = correction.worth.get(owner.rules, {})
    return sum(
        worth.get(player, 0) * multiplier for player, multiplier in zip(owner.picks, owner.multipliers, strict=True)
    )


_SCORES = text("""
    SELECT s.member_id, s.team_name, s.points FROM league_scores s
    WHERE s.league_id = :league AND s.gameweek_id = :gameweek
""")


def _matches(gameweek_id: int, owner: Any, settled: Mapping[tuple[int, int], Moved]) -> tuple[Match, Match] | None:
    """The owner's head-to-head game before and after."""
    scores = {
        row.member_id: row for row in db.session.execute(_SCORES, {"league": owner.league_id, "gameweek": gameweek_id})
    }
    before = {member: one.points for member, one in scores.items()}
    before |= {member: one.before or 0 for (league, member), one in settled.items() if league == owner.league_id}
    for home, away in pairs_of(gameweek_id, [owner.league_id]).get(owner.league_id, []):
        if owner.member_id in (home, away):
            other = away if owner.member_id == home else home
            if other is None:
                playing = list(scores)
                old, new = (
                    sum(points[member] for member in playing) // len(playing)
                    for points in (before, {member: one.points for member, one in scores.items()})
                )
                name = "the average"
            else:
                old, new = before.get(other, 0), scores[other].points if other in scores else 0
                name = scores[other].team_name if other in scores else "a former member"
            return Match(name, before[owner.member_id], old), Match(name, owner.points, new)
    return None
