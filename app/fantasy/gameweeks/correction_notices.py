"""Notifies members of what corrections, and cancelled or postponed games, did to their gameweek.

Each correction is notified once (notified_corrections), whichever refresh comes first. A member
gets one notice of it per league, and reads those of a gameweek as one (notices/services.py). The
words are in notices/words.py, gameweeks under way in live_corrections.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine.ownership import rise_of
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Corrected, Match
from app.fantasy.scoring import season_totals
from app.fantasy.scoring.changes import effects, names_in
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.fixtures import Pair, average_points
from app.fantasy.standings.league_scores import Moved
from app.fantasy.standings.results import Reversed, pairs_of
from app.record.correction_words import NOTHING, bodies_of, corrected_by, told
from app.record.events import body_from

# An event of a whole game changes its status, or corrects an event that does.
_WAITING = text("""
    WITH games_of AS (
      SELECT g.id FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
        WHERE w.id = :gameweek
    ), corrected AS (
      SELECT c.game_id, c.revision AS event_number, bool_or(e.type = 'game_status') AS of_game
      FROM corrections c JOIN events e USING (game_id, event_number)
      WHERE c.game_id IN (SELECT id FROM games_of) GROUP BY c.game_id, c.revision
      UNION SELECT game_id, event_number, true FROM events
      WHERE game_id IN (SELECT id FROM games_of) AND type = 'game_status' AND revision = 0
    )
    SELECT e.game_id, e.event_number, e.body, c.of_game
    FROM corrected c JOIN events e USING (game_id, event_number)
    WHERE e.revision = 0 AND NOT EXISTS (SELECT FROM notified_corrections t
      WHERE (t.game_id, t.event_number) = (c.game_id, c.event_number))
    ORDER BY e.game_id, e.event_number
""")
_MARK = text(
    "INSERT INTO notified_corrections (game_id, event_number) VALUES (:game, :number) ON CONFLICT "
    "DO NOTHING"
)
_RULES = text("SELECT DISTINCT rules FROM leagues WHERE season_id = :season ORDER BY rules")
_OWNERS = text("""
    SELECT l.id AS league_id, l.slug, l.name, l.rules, s.member_id, s.picks, p.multipliers, c.points
    FROM team_sheets s JOIN leagues l ON l.team_rules_id = s.team_rules_id
    JOIN league_members m ON (m.league_id, m.member_id) = (l.id, s.member_id)
    JOIN sheet_points p ON p.team_sheet_id = s.id AND p.rules = l.rules
    JOIN league_scores c ON (c.league_id, c.member_id, c.gameweek_id) = (l.id, s.member_id,
      s.gameweek_id)
    WHERE s.gameweek_id = :gameweek AND (s.picks && CAST(:players AS text[]) OR (l.id,
      s.member_id) IN (
      SELECT * FROM unnest(CAST(:leagues AS bigint[]), CAST(:members AS bigint[]))))
    ORDER BY l.id, s.member_id
""")
_SCORES = text("""
    SELECT s.member_id, s.team_name, s.points FROM league_scores s
    WHERE s.league_id = :league AND s.gameweek_id = :gameweek
""")


@dataclass(frozen=True)
class Correction:
    """A correction with an effect.

    Attributes:
        game_id: The game.
        event_number: The number of the correcting event.
        why: The correction in a sentence.
        worth: Thousandths by scoring rules and footballer.
        of_game: It changes the status of the whole game (cancelled, say), so that what it is worth
            to each footballer is not known.
    """

    game_id: str
    event_number: int
    why: str
    worth: Mapping[str, Mapping[str, int]]
    of_game: bool = False


def waiting(gameweek: Gameweek) -> list[Correction]:
    """The corrections to notify, game by game, in the order of the record.

    None of them is marked as notified.
    """
    return _corrections(gameweek, _waiting_events(gameweek))


def _waiting_events(gameweek: Gameweek) -> Sequence[Any]:
    return db.session.execute(_WAITING, {"gameweek": gameweek.id}).all()


def _corrections(gameweek: Gameweek, rows: Sequence[Any]) -> list[Correction]:
    """Those of these events that are worth something to anybody, or change a whole game."""
    if not rows:
        return []
    games = sorted({row.game_id for row in rows})
    worth: dict[tuple[str, int], dict[str, dict[str, int]]] = defaultdict(dict)
    for name in db.session.scalars(_RULES, {"season": gameweek.season_id}).all():
        for (game, player, number), points in effects(games, None, rules_named(name)).worth.items():
            worth[game, number].setdefault(name, {})[player] = points
    keys = {(row.game_id, row.event_number): row for row in rows}
    about_by_key = corrected_by(keys)
    corrections = []
    for key, row in keys.items():
        if row.of_game or key in worth:
            body, about = body_from(row.body), about_by_key.get(key, NOTHING)
            why = told(body, names_in([body, *bodies_of({key: about})]), about)
            corrections.append(Correction(*key, why, worth[key], row.of_game))
    return corrections


def footballers(corrections: Sequence[Correction]) -> list[str]:
    """Ids of the footballers whose points these corrections change, in order."""
    games = sorted({correction.game_id for correction in corrections if correction.of_game})
    players = set(season_totals.footballers_in(games) if games else ())
    for correction in corrections:
        players.update(*correction.worth.values())
    return sorted(players)


def mark_notified(corrections: Iterable[Any]) -> None:
    """Mark these corrections as notified. Only the caller commits."""
    marks = [{"game": row.game_id, "number": row.event_number} for row in corrections]
    if marks:
        db.session.execute(_MARK, marks)


def notify_corrections(
    gameweek: Gameweek, moved: Sequence[Moved], reversals: Reversed, now: datetime
) -> None:
    """Notify every member whose points or head-to-head result new corrections changed.

    Args:
        gameweek: A settled one.
        moved: The scores that changed.
        reversals: The (league, member) whose head-to-head game has another outcome.
        now: The time of the notices.
    """
    events = _waiting_events(gameweek)
    mark_notified(events)  # those without an effect too, or each refresh would look at them again
    corrections = _corrections(gameweek, events)
    if not corrections:
        return
    before = {(score.league_id, score.member_id): score.before or 0 for score in moved}
    affected = sorted(reversals.union(before))
    values = {
        "gameweek": gameweek.id,
        "players": footballers(corrections),
        "leagues": [league for league, _ in affected],
        "members": [member for _, member in affected],
    }
    new_notices = []
    for owner in db.session.execute(_OWNERS, values).all():
        key = (owner.league_id, owner.member_id)
        points_before = before.get(key)
        if points_before is None:  # the league has been added up since the correction
            points_before = owner.points - sum(_worth(cause, owner) for cause in corrections)
        if key in reversals or points_before != owner.points:
            matches = _matches(gameweek.id, owner, before) if key in reversals else None
            new_notices.append(notice_of(gameweek, owner, points_before, corrections, matches))
    notify(new_notices, now)


def notice_of(
    gameweek: Gameweek,
    owner: Any,
    points_before: int,
    corrections: Sequence[Correction],
    matches: tuple[Match, Match] | None = None,
) -> NewNotice:
    """The notice for the owner of a team. Its key has the last correction that changed it.

    Args:
        gameweek: The gameweek.
        owner: A member in a league, with picks and multipliers, and the points now.
        points_before: Those without the corrections, in thousandths.
        corrections: If none of them is worth anything to the team, all are named.
        matches: The head-to-head game before and after, if it has another outcome.
    """
    causes = [cause for cause in corrections if _worth(cause, owner)] or corrections
    change = notice_words.Moved(points_before, owner.points)
    why = [correction.why for correction in causes]
    last = causes[-1]
    return NewNotice.of(
        owner.member_id,
        "correction",
        f"correction:{gameweek.id}:{owner.league_id}:{last.game_id}:{last.event_number}",
        notice_words.correction(gameweek.name, Corrected(owner.name, change, why, matches)),
        f"/leagues/{owner.slug}/teams/{owner.member_id}?week={gameweek.week}",
    )


def _worth(correction: Correction, owner: Any) -> int:
    """What the correction is worth to the owner of these picks, in thousandths."""
    return rise_of(owner.picks, owner.multipliers, correction.worth.get(owner.rules, {}))


def _matches(
    gameweek_id: int, owner: Any, points_before: Mapping[tuple[int, int], int]
) -> tuple[Match, Match]:
    """The owner's head-to-head game before and after. `points_before`: of scores that changed."""
    league_id, member_id = owner.league_id, owner.member_id
    scores = db.session.execute(_SCORES, {"league": league_id, "gameweek": gameweek_id}).all()
    names = {score.member_id: score.team_name for score in scores}
    after = {score.member_id: score.points for score in scores}
    before = {
        member: points_before.get((league_id, member), points) for member, points in after.items()
    }
    games = pairs_of(gameweek_id, [league_id])[league_id]
    home, away = next(game for game in games if member_id in game)
    other = away if member_id == home else home
    name = "the average" if other is None else names.get(other, "a former member")
    return (
        Match(name, before[member_id], _points_of(other, before, games)),
        Match(name, owner.points, _points_of(other, after, games)),
    )


def _points_of(
    member_id: int | None, points: Mapping[int, int], games: Sequence[Pair]
) -> int | Fraction:
    return average_points(points, games) if member_id is None else points.get(member_id, 0)
