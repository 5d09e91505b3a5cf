"""Queries for the pages of tournaments, which return frozen rows.

Other members' guesses are read only by `guesses_of_match`, which returns none before the kickoff.
Leaderboards are in board.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from sqlalchemy import select, text

from app.accounts.sanctions import SEEN_PLAYER
from app.core import clock
from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value
from app.predictions import points
from app.predictions.counted_score import CountedScore, Duration, Parts, Score
from app.predictions.models import Guess, Match, Round, RoundSlam, SettlementAudit
from app.predictions.points import Terms
from app.predictions.statuses import is_locked

# after this long past its kickoff, a match no longer makes its round the current one
STALE = timedelta(days=1)
CODE_LETTERS = 4


@dataclass(frozen=True)
class TournamentCard:
    """A tournament in the list.

    `points` (hundredths) and `rank` are the viewer's; None without a guess or pool. `missing`
    counts the picks that the viewer can still make in the round of `next_kickoff`.
    """

    id: UUID
    name: str
    image: str | None
    is_active: bool
    matches: int
    ended: int
    live: int
    next_kickoff: datetime | None
    points: int | None
    rank: int | None
    missing: int


@dataclass(frozen=True)
class RoundRow:
    """A round. `multiplier` applies to its points, in hundredths; `position` orders rounds."""

    id: int
    slug: str
    name: str
    multiplier: int
    position: int


@dataclass(frozen=True)
class TeamName:
    """A team with its picture. `external_id` is the provider's id."""

    id: UUID
    name: str
    image: str | None
    external_id: str

    @property
    def code(self) -> str:
        """The letters on its crest: the provider's id if it is short, as those of clubs are.

        >>> [TeamName(UUID(int=0), "Arsenal", None, name).code for name in ("HRB", "kc", "57")]
        ['HRB', 'KC', 'ARS']
        """
        if self.external_id.isalpha() and len(self.external_id) <= CODE_LETTERS:
            return self.external_id.upper()
        return self.name.strip()[:3].upper()


@dataclass(frozen=True)
class MatchRow:
    """A match as a page shows it.

    `terms` decide what its guesses have earned; None while it is not settled. `home_score` and
    `away_score` are the score that counts, which is chosen from its `parts` as `declared` by the
    tournament.
    """

    id: UUID
    round_id: int
    kickoff: datetime | None
    status: str
    fate: str | None
    provider_status: str
    home: TeamName
    away: TeamName
    home_score: int | None
    away_score: int | None
    terms: Terms | None
    declared: CountedScore
    parts: Parts

    @property
    def is_away_first(self) -> bool:
        """Whether its sport names the visitors first, as American football does everywhere."""
        return self.declared == CountedScore.OVERTIME

    @property
    def title(self) -> str:
        """Who plays whom.

        American football: "Summit at Harbor"; other sports: "Harbor against Summit".
        """
        if self.is_away_first:
            return f"{self.away.name} at {self.home.name}"
        return f"{self.home.name} vs {self.away.name}"

    @property
    def usual_margins(self) -> tuple[int, ...]:
        """The margins that are offered for a guess in one tap; the commonest of the NFL in 2019."""
        return (3, 7, 10, 14) if self.is_away_first else (1, 2, 3)

    @property
    def usual_loser(self) -> int:
        """The loser's score of such a guess: the NFL's median of 2019, or none in other sports."""
        return 17 if self.is_away_first else 0

    def is_locked(self, now: datetime) -> bool:
        """Whether guesses are closed, by the same rule as in the database.

        A match that has been settled stays locked even if its provider changes it later.
        """
        return self.terms is not None or is_locked(self.status, self.fate, self.kickoff, now)


@dataclass(frozen=True)
class Correction:
    """A change, after the first result, of the terms that decide what a match's guesses earn."""

    match_id: UUID
    at: datetime
    before: Terms | None
    after: Terms | None


@dataclass(frozen=True)
class OwnGuess:
    """A guess. Where only the winner is guessed, it is 1:0, 0:0 or 0:1."""

    home: int
    away: int
    confidence: int | None = None

    @property
    def pair(self) -> tuple[int, int]:
        """The two scores, home first."""
        return self.home, self.away


@dataclass(frozen=True)
class OtherGuess:
    """A member's guess. `points` are hundredths."""

    player_id: UUID
    display_name: str
    guess: OwnGuess
    points: int


class Shares(msgspec.Struct, frozen=True, array_like=True):
    """The number of members who guessed each outcome."""

    home: int
    draw: int
    away: int

    @property
    def count(self) -> int:
        """How many members guessed."""
        return self.home + self.draw + self.away

    def percent(self, part: int) -> int:
        """Return the part in percent of all guesses, rounded."""
        return round(100 * part / self.count) if self.count else 0


# Dense rank without reading all members: steps from each distinct value to the next higher one.
RANK_SQL = f"""
  WITH RECURSIVE higher AS (
    (SELECT p.points FROM tournament_points p
     WHERE p.tournament_id = {{tournament_id}} AND p.points > {{points}}
       AND {SEEN_PLAYER.format("p.player_id")}
     ORDER BY p.points LIMIT 1)
    UNION ALL
    SELECT (SELECT p.points FROM tournament_points p
            WHERE p.tournament_id = {{tournament_id}} AND p.points > h.points
              AND {SEEN_PLAYER.format("p.player_id")}
            ORDER BY p.points LIMIT 1)
    FROM higher h WHERE h.points IS NOT NULL
  ) SELECT count(points) + 1 FROM higher
"""  # noqa: S608 (made of our own words alone)

_TOURNAMENTS = text(
    f"""
    SELECT t.id, t.name, t.image, t.is_active, m.matches, m.ended, m.live, m.next_kickoff, o.points,
      CASE WHEN o.points IS NOT NULL
        THEN ({RANK_SQL.format(tournament_id="t.id", points="o.points")}) END AS rank,
      k.missing
    FROM tournaments t
    LEFT JOIN players me ON me.member_id = :member_id
    CROSS JOIN LATERAL (
      SELECT count(*) AS matches, count(*) FILTER (WHERE status = 'ended') AS ended,
        count(*) FILTER (WHERE status = 'open' AND kickoff <= :now AND kickoff > :stale) AS live,
        min(kickoff) FILTER (WHERE status = 'open' AND kickoff > :now) AS next_kickoff
      FROM matches m WHERE m.tournament_id = t.id AND m.merged_into_id IS NULL
    ) m
    LEFT JOIN tournament_points o ON o.tournament_id = t.id AND o.player_id = me.id
    CROSS JOIN LATERAL (
      SELECT CASE
        WHEN coalesce(t.rule->>'guess', '') <> 'survivor'
          THEN count(*) FILTER (WHERE g.match_id IS NULL AND x.status = 'open'
            AND x.kickoff > :now AND x.terms IS NULL
            AND coalesce(x.fate, '') NOT IN ('void', 'abandoned'))
        WHEN o.out_round_id IS NULL AND NOT bool_or(g.match_id IS NOT NULL) THEN 1
        ELSE 0 END AS missing
      FROM matches x LEFT JOIN guesses g ON g.match_id = x.id AND g.player_id = me.id
      WHERE x.merged_into_id IS NULL AND x.round_id = (
        SELECT n.round_id FROM matches n
        WHERE n.tournament_id = t.id AND n.merged_into_id IS NULL AND n.status = 'open'
          AND n.kickoff > :now
        ORDER BY n.kickoff, n.id LIMIT 1)
    ) k
    WHERE NOT :running OR t.is_active
    ORDER BY t.is_active DESC, :running AND o.points IS NULL, t.created_at DESC, t.id LIMIT :limit
    """  # noqa: S608
)

_MATCHES = """
    SELECT m.id, m.round_id, m.kickoff, m.status, m.fate, m.provider_status, h.id, h.name, h.image,
      a.id, a.name,
      a.image, m.home_score, m.away_score, m.terms, t.counted_score, m.duration, m.regulation_home,
        m.regulation_away,
      m.extra_time_home, m.extra_time_away, m.shootout_home, m.shootout_away,
      h.external_id AS home_code, a.external_id AS away_code
    FROM matches m JOIN tournaments t ON t.id = m.tournament_id
    JOIN teams h ON h.id = m.home_id JOIN teams a ON a.id = m.away_id
"""
_OF_ROUND = text(
    _MATCHES
    + (
        "WHERE m.round_id = :round_id AND m.merged_into_id IS NULL ORDER BY m.kickoff NULLS LAST, "
        "m.external_id"
    )
)
_OF_TOURNAMENT = text(
    _MATCHES
    + (
        "WHERE m.tournament_id = :tournament_id AND m.merged_into_id IS NULL ORDER BY m.kickoff "
        "NULLS LAST, m.external_id"
    )
)
_ONE = text(_MATCHES + "WHERE m.tournament_id = :tournament_id AND m.id = :match_id")

_CURRENT = text(
    """
    SELECT r.slug FROM rounds r JOIN matches m ON m.round_id = r.id
    WHERE r.tournament_id = :tournament_id AND m.status = 'open' AND m.kickoff > :stale
    ORDER BY r.position, m.kickoff LIMIT 1
    """
)

# The version of a round's fragment, the only query of an unchanged poll. `open` counts matches
# whose guesses are open by the clock.
_STATE = text(
    """
    SELECT t.version, count(m.id) AS matches,
      count(m.id) FILTER (
        WHERE m.terms IS NULL AND m.status <> 'ended'
        AND m.fate IS DISTINCT FROM 'void' AND m.fate IS DISTINCT FROM 'abandoned'
        AND (m.kickoff IS NULL OR m.kickoff > :now OR m.fate = 'postponed')
      ) AS open,
      count(m.id) FILTER (
        WHERE m.fate IN ('void', 'abandoned') OR (m.status = 'ended'
          AND m.settled_at = m.finished_at)
      ) AS done
    FROM tournaments t JOIN rounds r ON r.tournament_id = t.id
      LEFT JOIN matches m ON m.round_id = r.id AND m.merged_into_id IS NULL
    WHERE t.id = :tournament_id AND r.slug = :slug GROUP BY t.id, r.id
    """
)

_OTHERS = text(
    f"""
    SELECT g.player_id, p.display_name, g.home, g.away, g.confidence,
      CASE WHEN gone.position < r.position THEN 0 ELSE {points.earned_sql("now")} END AS points
    FROM guesses g JOIN players p ON p.id = g.player_id
    JOIN matches m ON m.id = g.match_id JOIN rounds r ON r.id = m.round_id
    LEFT JOIN tournament_points o ON o.tournament_id = m.tournament_id AND o.player_id = g.player_id
    LEFT JOIN rounds gone ON gone.id = o.out_round_id
    WHERE g.match_id = :match_id AND {SEEN_PLAYER.format("g.player_id")}
    ORDER BY points DESC, p.display_name COLLATE "C", g.player_id LIMIT :limit OFFSET :offset
    """  # noqa: S608
)

_SHARES = text(
    """
    SELECT match_id, count(*) FILTER (WHERE home > away) AS home,
      count(*) FILTER (WHERE home = away) AS draw, count(*) FILTER (WHERE home < away) AS away
    FROM guesses WHERE match_id = ANY(CAST(:match_ids AS uuid[])) GROUP BY match_id
    """
)


@dataclass(frozen=True)
class RoundState:
    """The state that a poll of a round needs. `done` is the number of matches with final points."""

    version: int
    matches: int
    open: int
    done: int


def tournaments(
    member_id: int, now: datetime, limit: int = 100, *, running: bool = False
) -> list[TournamentCard]:
    """Load tournaments as the member sees them: active ones first, then the newest.

    With `running`, only active ones, and those first of which they are a member.
    """
    values = {
        "member_id": member_id,
        "now": now,
        "stale": now - STALE,
        "limit": limit,
        "running": running,
    }
    return [TournamentCard(*row) for row in db.session.execute(_TOURNAMENTS, values)]


class RoundsNow(NamedTuple):
    """The rounds of a tournament in their order, and the slug of the current one."""

    rounds: list[RoundRow]
    current: str | None


def rounds_now(tournament_id: UUID, now: datetime) -> RoundsNow:
    """Load the rounds and the current one, to the minute. Cached."""

    def load() -> CachedValue[RoundsNow]:
        now_rounds = RoundsNow(rounds(tournament_id), current_slug(tournament_id, now))
        return CachedValue(now_rounds, ("tournaments",), clock.next_minute(now))

    return cached_value(f"rounds:{tournament_id}", RoundsNow, load)


def rounds(tournament_id: UUID) -> list[RoundRow]:
    """Load the tournament's rounds in their order."""
    rows = db.session.execute(
        select(Round.id, Round.slug, Round.name, Round.multiplier, Round.position)
        .where(Round.tournament_id == tournament_id)
        .order_by(Round.position, Round.id)
    )
    return [RoundRow(*row) for row in rows]


def current_slug(tournament_id: UUID, now: datetime) -> str | None:
    """Return the slug of the first round with an open match that is not stale, or None."""
    slug: str | None = db.session.scalar(
        _CURRENT, {"tournament_id": tournament_id, "stale": now - STALE}
    )
    return slug


def round_state(tournament_id: UUID, slug: str, now: datetime) -> RoundState | None:
    """Load the state that a poll of the round needs; None if there is no such round."""
    row = db.session.execute(
        _STATE, {"tournament_id": tournament_id, "slug": slug, "now": now}
    ).one_or_none()
    return None if row is None else RoundState(*row)


def matches_of_round(round_id: int) -> list[MatchRow]:
    """Load the round's matches by kickoff; those without one come last. Cached."""

    def load() -> CachedValue[list[MatchRow]]:
        rows = db.session.execute(_OF_ROUND, {"round_id": round_id})
        return CachedValue([_match(row) for row in rows], ("tournaments",))

    return cached_value(f"matches:{round_id}", list[MatchRow], load)


def matches_of(tournament_id: UUID) -> list[MatchRow]:
    """Load the tournament's matches by kickoff; those without one come last."""
    return [
        _match(row) for row in db.session.execute(_OF_TOURNAMENT, {"tournament_id": tournament_id})
    ]


def match(tournament_id: UUID, match_id: UUID) -> MatchRow | None:
    """The match, if there is one."""
    row = db.session.execute(
        _ONE, {"tournament_id": tournament_id, "match_id": match_id}
    ).one_or_none()
    return None if row is None else _match(row)


def _match(row: Any) -> MatchRow:
    terms = None if row[14] is None else msgspec.convert(row[14], Terms)
    home = TeamName(row[6], row[7], row[8], row.home_code)
    away = TeamName(row[9], row[10], row[11], row.away_code)
    declared, duration = (
        CountedScore(row.counted_score),
        Duration(row.duration or Duration.REGULATION),
    )
    parts = Parts(None, duration, _score(row[17:19]), _score(row[19:21]), _score(row[21:23]))
    return MatchRow(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        home,
        away,
        row[12],
        row[13],
        terms,
        declared,
        parts,
    )


def _score(sides: Sequence[int | None]) -> Score | None:
    home, away = sides
    return None if home is None or away is None else Score(home, away)


def guesses_in(match_ids: Collection[UUID], player_id: UUID | None) -> dict[UUID, OwnGuess]:
    """Load one player's guesses of these matches."""
    rows = db.session.execute(
        select(Guess.match_id, Guess.home, Guess.away, Guess.confidence).where(
            Guess.player_id == player_id, Guess.match_id.in_(match_ids)
        )
    )
    return {match_id: OwnGuess(home, away, confidence) for match_id, home, away, confidence in rows}


def slams_of(tournament_id: UUID, player_id: UUID | None) -> dict[int, int]:
    """Load the player's points for rounds with every outcome right, by round."""
    rows = db.session.execute(
        select(RoundSlam.round_id, RoundSlam.points)
        .join(Round, Round.id == RoundSlam.round_id)
        .where(Round.tournament_id == tournament_id, RoundSlam.player_id == player_id)
    )
    return dict(rows.all())


def corrections_of(tournament_id: UUID) -> list[Correction]:
    """Load the changes after first results, newest first."""
    rows = db.session.execute(
        select(
            SettlementAudit.match_id,
            SettlementAudit.at,
            SettlementAudit.before,
            SettlementAudit.after,
        )
        .join(Match, Match.id == SettlementAudit.match_id)
        .where(Match.tournament_id == tournament_id, SettlementAudit.before.is_not(None))
        .order_by(SettlementAudit.id.desc())
        .limit(200)
    )
    return [
        Correction(
            row.match_id,
            row.at,
            msgspec.convert(row.before, Terms),
            None if row.after is None else msgspec.convert(row.after, Terms),
        )
        for row in rows
    ]


def shares_of(match_ids: Collection[UUID]) -> dict[UUID, Shares]:
    """Count who is expected to win these matches, by match; without those that nobody guessed."""
    rows = db.session.execute(_SHARES, {"match_ids": list(match_ids)})
    return {row.match_id: Shares(row.home, row.draw, row.away) for row in rows}


def guesses_of_match(
    match: MatchRow, terms: Terms | None, now: datetime, limit: int, offset: int
) -> tuple[Shares, list[OtherGuess]] | None:
    """Load everybody's guesses, best first by `terms`.

    Returns None while guesses are open, because members must not see each other's guesses then.
    """
    if not match.is_locked(now):
        return None
    shares = shares_of([match.id]).get(match.id, Shares(0, 0, 0))
    values = {"match_id": match.id, "limit": limit, "offset": offset} | points.parameters(
        "now", terms
    )
    return shares, [
        OtherGuess(
            row.player_id,
            row.display_name,
            OwnGuess(row.home, row.away, row.confidence),
            row.points,
        )
        for row in db.session.execute(_OTHERS, values)
    ]
