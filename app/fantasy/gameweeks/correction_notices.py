"""Notifies members of what corrections, and cancelled or postponed games, did to their gameweek.

Each correction is notified once (notified_corrections), whichever refresh comes first. A member
gets one notice of it per league, and reads those of a gameweek as one (notices/services.py). The
words are in notices/words.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from app.fantasy.scoring.changes import Effects, effects, names_in
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.league_scores import Moved
from app.fantasy.standings.matchups import average_points
from app.fantasy.standings.results import Reversed, pairs_of
from app.record.correction_words import NOTHING, bodies_of, corrected_by, told
from app.record.events import body_from

_FRESH = """
    WITH games_of AS (
      SELECT g.id FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
        WHERE w.id = :gameweek
    ), corrected AS (
      SELECT c.game_id, c.revision AS event_number FROM corrections c WHERE c.game_id IN (SELECT id
        FROM games_of)
      UNION SELECT e.game_id, e.event_number FROM events e
      WHERE e.game_id IN (SELECT id FROM games_of) AND e.type = 'game_status' AND e.revision = 0
    ), fresh AS (
      SELECT * FROM corrected c WHERE NOT EXISTS (
        SELECT FROM notified_corrections t
        WHERE (t.game_id, t.event_number) = (c.game_id, c.event_number))
    )
"""
_TAKE = text(f"""{_FRESH}
    INSERT INTO notified_corrections (game_id, event_number) SELECT * FROM fresh
      ON CONFLICT DO NOTHING
    RETURNING game_id, event_number
""")  # noqa: S608 (made of our own words alone)
_MARK = text(
    "INSERT INTO notified_corrections (game_id, event_number) VALUES (:game, :number) ON CONFLICT "
    "DO NOTHING"
)
_LOOK = text(f"{_FRESH} SELECT game_id, event_number FROM fresh")  # noqa: S608 (as above)
_OWNERS = text("""
    SELECT l.id AS league_id, l.slug, l.name, l.rules, m.team_name, s.member_id, s.picks,
      p.multipliers, c.points
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


# Those of these events that change the status of a game, or correct an event that does.
_OF_GAMES = text("""
    SELECT e.game_id, e.event_number, e.body
    FROM unnest(CAST(:games AS text[]), CAST(:numbers AS int[])) AS t (game_id, event_number)
    JOIN events e USING (game_id, event_number)
    WHERE e.revision = 0 AND (e.type = 'game_status' OR EXISTS (
      SELECT FROM corrections c JOIN events o USING (game_id, event_number)
      WHERE (c.game_id, c.revision) = (e.game_id, e.event_number) AND o.type = 'game_status'))
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
    numbers = [
        (game, number) for game, number in db.session.execute(_LOOK, {"gameweek": gameweek.id})
    ]
    return _corrections(numbers, gameweek.season_id) if numbers else []


def footballers(corrections: Sequence[Correction]) -> list[str]:
    """Ids of the footballers whose points these corrections change, in order."""
    games = sorted({correction.game_id for correction in corrections if correction.of_game})
    players = _players(corrections)
    return sorted(players.union(season_totals.footballers_in(games) if games else ()))


def _players(corrections: Sequence[Correction]) -> set[str]:
    """The footballers to whom these corrections are worth something."""
    return {
        player
        for correction in corrections
        for worth in correction.worth.values()
        for player in worth
    }


def mark_notified(correction: Correction) -> None:
    """Mark the correction as notified. Only the caller commits."""
    db.session.execute(_MARK, {"game": correction.game_id, "number": correction.event_number})


def notify_corrections(
    gameweek: Gameweek, moved: Sequence[Moved], reversals: Reversed, now: datetime
) -> int:
    """Notify every member whose points or head-to-head result new corrections changed.

    The notice has the difference of the result (`moved`), which may include substitutions.

    Args:
        gameweek: A settled one.
        moved: The scores that changed.
        reversals: The (league, member) whose head-to-head game has another outcome.
        now: The time of the notices.

    Returns:
        How many notices are new: one per member and league.
    """
    numbers = db.session.execute(_TAKE, {"gameweek": gameweek.id}).all()
    corrections = _corrections(numbers, gameweek.season_id) if numbers else []
    if not corrections:
        return 0
    results = {(score.league_id, score.member_id): score for score in moved}
    affected = sorted(set(results) | reversals)
    owners = db.session.execute(
        _OWNERS,
        {
            "gameweek": gameweek.id,
            "players": sorted(_players(corrections)),
            "leagues": [league for league, _ in affected],
            "members": [member for _, member in affected],
        },
    ).all()
    new_notices = []
    for owner in owners:
        key = (owner.league_id, owner.member_id)
        causes = [correction for correction in corrections if delta_of(correction, owner)]
        delta = sum(delta_of(correction, owner) for correction in causes)
        if key in results:
            delta = owner.points - (results[key].before or 0)
        if not delta and key not in reversals:
            continue
        matches = _matches(gameweek.id, owner, results) if key in reversals else None
        new_notices.append(notice_of(gameweek, owner, delta, causes or corrections, matches))
    return notify(new_notices, now)


def notice_of(
    gameweek: Gameweek,
    owner: Any,
    delta: int,
    causes: Sequence[Correction],
    matches: tuple[Match, Match] | None = None,
) -> NewNotice:
    """The notice for the owner of a team. Its key has the last correction.

    `delta`: what the corrections did, in thousandths.
    """
    change = notice_words.Moved(owner.points - delta, owner.points)
    why = [correction.why for correction in causes]
    last = causes[-1]
    return NewNotice.of(
        owner.member_id,
        "correction",
        f"correction:{gameweek.id}:{owner.league_id}:{last.game_id}:{last.event_number}",
        notice_words.correction(gameweek.name, Corrected(owner.name, change, why, matches)),
        f"/leagues/{owner.slug}/teams/{owner.member_id}?week={gameweek.week}",
    )


def _corrections(numbers: Sequence[tuple[str, int]], season_id: int) -> list[Correction]:
    """The corrections with these games and event numbers, game by game, in the record's order."""
    rulebook = db.session.scalars(
        text("SELECT DISTINCT rules FROM leagues WHERE season_id = :season ORDER BY rules"),
        {"season": season_id},
    ).all()
    games = sorted({game for game, _ in numbers})
    by_rules: dict[str, Effects] = {
        name: effects(games, None, rules_named(name)) for name in rulebook
    }
    corrections = []
    values = {"games": [game for game, _ in numbers], "numbers": [number for _, number in numbers]}
    of_games = {
        (game, number): body_from(body)
        for game, number, body in db.session.execute(_OF_GAMES, values)
    }
    corrected = corrected_by(numbers)
    for game_id, number in sorted(numbers):
        key = (game_id, number)
        worth = {
            name: {
                player: points
                for (game, player, cause), points in rules_effects.worth.items()
                if (game, cause) == key
            }
            for name, rules_effects in by_rules.items()
        }
        body = next(
            (
                body
                for rules_effects in by_rules.values()
                for (game, _, cause), body in rules_effects.bodies.items()
                if (game, cause) == key
            ),
            of_games.get((game_id, number)),
        )
        if body is not None:
            about = corrected.get(key, NOTHING)
            why = told(body, names_in([body, *bodies_of({key: about})]), about)
            corrections.append(Correction(game_id, number, why, worth, key in of_games))
    return corrections


def delta_of(correction: Correction, owner: Any) -> int:
    """What the correction is worth to the owner of these picks, in thousandths."""
    return rise_of(owner.picks, owner.multipliers, correction.worth.get(owner.rules, {}))


_SCORES = text("""
    SELECT s.member_id, s.team_name, s.points FROM league_scores s
    WHERE s.league_id = :league AND s.gameweek_id = :gameweek
""")


def _matches(
    gameweek_id: int, owner: Any, results: Mapping[tuple[int, int], Moved]
) -> tuple[Match, Match] | None:
    """The owner's head-to-head game before and after. `results`: the scores that changed."""
    scores = {
        row.member_id: row
        for row in db.session.execute(_SCORES, {"league": owner.league_id, "gameweek": gameweek_id})
    }
    after = {member: score.points for member, score in scores.items()}
    before = after | {
        member: score.before or 0
        for (league, member), score in results.items()
        if league == owner.league_id
    }
    games = pairs_of(gameweek_id, [owner.league_id]).get(owner.league_id, [])
    for home, away in games:
        if owner.member_id in (home, away):
            other = away if owner.member_id == home else home
            old: int | Fraction
            new: int | Fraction
            if other is None:
                old = average_points(before, games)
                new = average_points(after, games)
                name = "the average"
            else:
                old, new = before.get(other, 0), after.get(other, 0)
                name = scores[other].team_name if other in scores else "a former member"
            return Match(name, before[owner.member_id], old), Match(name, owner.points, new)
    return None
