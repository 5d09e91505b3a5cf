"""Notifies members of what corrections of the record did to their gameweek, and games that are
cancelled or put off.

Each correction is notified once, whoever refreshes first: notified_corrections remembers. A member
gets one notice of it, whatever the number of their leagues. Words: notices/words.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Corrected, Match
from app.fantasy.scoring import season_totals
from app.fantasy.scoring.changes import Effects, effects, names_in
from app.fantasy.scoring.engine.ownership import rise_of
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.league_scores import Moved
from app.fantasy.standings.matchups import average_points
from app.fantasy.standings.results import Reversed, pairs_of
from app.record.correction_words import corrected_by, told
from app.record.events import body_from

_FRESH = """
    WITH games_of AS (
      SELECT g.id FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
        WHERE w.id = :gameweek
    ), said AS (
      SELECT c.game_id, c.revision AS event_number FROM corrections c WHERE c.game_id IN (SELECT id
        FROM games_of)
      UNION SELECT e.game_id, e.event_number FROM events e
      WHERE e.game_id IN (SELECT id FROM games_of) AND e.type = 'game_status' AND e.revision = 0
    ), fresh AS (
      SELECT * FROM said WHERE NOT EXISTS (
        SELECT FROM notified_corrections t WHERE (t.game_id, t.event_number) = (said.game_id,
          said.event_number))
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


# Of these events, those that say what becomes of a game, or correct one that does.
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
    """A correction with an effect: game and event number, its sentence, and its worth by rules and
    footballer.

    `of_game`: it says what becomes of the whole game (cancelled, say), and no footballer's part of
    it is known.
    """

    game_id: str
    event_number: int
    why: str
    worth: Mapping[str, Mapping[str, int]]
    of_game: bool = False


def waiting(gameweek: Gameweek) -> list[Correction]:
    """What notify_corrections would notify, game by game, in the order of the record.

    Nothing is marked as notified.
    """
    found = [
        (game, number) for game, number in db.session.execute(_LOOK, {"gameweek": gameweek.id})
    ]
    return _corrections(found, gameweek.season_id) if found else []


def footballers(corrections: Sequence[Correction]) -> list[str]:
    """Whose points these corrections change, by id."""
    games = sorted({one.game_id for one in corrections if one.of_game})
    players = {player for one in corrections for worth in one.worth.values() for player in worth}
    return sorted(players.union(season_totals.footballers_in(games) if games else ()))


def mark_notified(correction: Correction) -> None:
    """Its members have been notified. The caller commits."""
    db.session.execute(_MARK, {"game": correction.game_id, "number": correction.event_number})


def notify_corrections(
    gameweek: Gameweek, moved: Sequence[Moved], reversed: Reversed, now: datetime
) -> int:
    """Notifies every member whose points or head-to-head result a new correction changed, once for
    all their leagues; returns how many notices.

    While the gameweek is open the difference is that of the correction alone; once it is settled,
    or when a whole game was cancelled or put off, that of the result (`moved`), in which a
    substitute may have come on or gone.
    `reversed`: games with another outcome.
    """
    found = db.session.execute(_TAKE, {"gameweek": gameweek.id}).all()
    if not found:
        return 0
    corrections = _corrections(found, gameweek.season_id)
    if not corrections:
        return 0
    by_result = gameweek.settled_at is not None or any(one.of_game for one in corrections)
    settled = {(one.league_id, one.member_id): one for one in moved} if by_result else {}
    known = sorted(set(settled) | reversed)
    owners = db.session.execute(
        _OWNERS,
        {
            "gameweek": gameweek.id,
            "players": sorted(
                {player for one in corrections for worth in one.worth.values() for player in worth}
            ),
            "leagues": [league for league, _ in known],
            "members": [member for _, member in known],
        },
    ).all()
    found_of: dict[int, list[tuple[Any, Correction, Corrected]]] = defaultdict(list)
    for owner in owners:
        key = (owner.league_id, owner.member_id)
        own = [one for one in corrections if delta_of(one, owner)]
        delta = sum(delta_of(one, owner) for one in own)
        if key in settled:
            delta = owner.points - (settled[key].before or 0)
        if not delta and key not in reversed:
            continue
        matches = _matches(gameweek.id, owner, settled) if key in reversed else None
        caused = own or corrections
        found_of[owner.member_id].append(
            (owner, caused[-1], part_of(owner, delta, caused, matches))
        )
    return notify([notice_of(gameweek, member, parts) for member, parts in found_of.items()], now)


def part_of(
    owner: Any, delta: int, caused: Sequence[Correction], matches: tuple[Match, Match] | None = None
) -> Corrected:
    """What these corrections did to the owner in one league, thousandths."""
    moved = notice_words.Moved(owner.points - delta, owner.points)
    return Corrected(owner.name, moved, [one.why for one in caused], matches)


def notice_of(
    gameweek: Gameweek, member_id: int, parts: Sequence[tuple[Any, Correction, Corrected]]
) -> NewNotice:
    """Leads to the member's team in the first of the leagues, and is named by the last of the
    corrections.
    """
    last = max((one for _, one, _ in parts), key=lambda one: (one.game_id, one.event_number))
    words = notice_words.correction(gameweek.name, [part for *_, part in parts])
    path = f"/leagues/{parts[0][0].slug}/teams/{member_id}?week={gameweek.week}"
    return NewNotice.of(
        member_id,
        "correction",
        f"correction:{gameweek.id}:{last.game_id}:{last.event_number}",
        words,
        path,
    )


def _corrections(found: Sequence[tuple[str, int]], season_id: int) -> list[Correction]:
    """In the order of the record, game by game."""
    rulebook = db.session.scalars(
        text("SELECT DISTINCT rules FROM leagues WHERE season_id = :season ORDER BY rules"),
        {"season": season_id},
    ).all()
    games = sorted({game for game, _ in found})
    by_rules: dict[str, Effects] = {
        name: effects(games, None, rules_named(name)) for name in rulebook
    }
    corrections = []
    numbers = {"games": [game for game, _ in found], "numbers": [number for _, number in found]}
    of_games = {
        (game, number): body_from(body)
        for game, number, body in db.session.execute(_OF_GAMES, numbers)
    }
    corrected = corrected_by(found)
    for game_id, number in sorted(found):
        key = (game_id, number)
        worth = {
            name: {
                player: points
                for (game, player, cause), points in one.worth.items()
                if (game, cause) == key
            }
            for name, one in by_rules.items()
        }
        body = next(
            (
                body
                for one in by_rules.values()
                for (game, _, cause), body in one.bodies.items()
                if (game, cause) == key
            ),
            of_games.get((game_id, number)),
        )
        if body is not None:
            taken = corrected.get(key, [])
            why = told(body, names_in([body, *taken]), taken)
            corrections.append(Correction(game_id, number, why, worth, key in of_games))
    return corrections


def delta_of(correction: Correction, owner: Any) -> int:
    """What it is worth to the owner of these picks, thousandths."""
    return rise_of(owner.picks, owner.multipliers, correction.worth.get(owner.rules, {}))


_SCORES = text("""
    SELECT s.member_id, s.team_name, s.points FROM league_scores s
    WHERE s.league_id = :league AND s.gameweek_id = :gameweek
""")


def _matches(
    gameweek_id: int, owner: Any, settled: Mapping[tuple[int, int], Moved]
) -> tuple[Match, Match] | None:
    """The owner's head-to-head game before and after."""
    scores = {
        row.member_id: row
        for row in db.session.execute(_SCORES, {"league": owner.league_id, "gameweek": gameweek_id})
    }
    before = {member: one.points for member, one in scores.items()}
    before |= {
        member: one.before or 0
        for (league, member), one in settled.items()
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
                new = average_points({member: one.points for member, one in scores.items()}, games)
                name = "the average"
            else:
                old, new = before.get(other, 0), scores[other].points if other in scores else 0
                name = scores[other].team_name if other in scores else "a former member"
            return Match(name, before[owner.member_id], old), Match(name, owner.points, new)
    return None
