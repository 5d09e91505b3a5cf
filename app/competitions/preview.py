"""What a declaration would have done in past windows: cohorts, promotions, rewards.

Read-only, and by the same rules as settlement (rules.py). Players with a score that counts are
taken as joined, in the order of their first scores, unless the first one came after the deadline.
Each player's first scores are taken as their attempts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import text

from app.accounts.sanctions import SEEN_PLAYER
from app.boards.models import Mode
from app.boards.rules import Aggregation, Ties
from app.competitions import declaration as declared
from app.competitions.declaration import Declaration, Span, band_name
from app.competitions.rules import (
    Entrant,
    Outcome,
    Result,
    Seat,
    carried_on,
    settle_cohort,
    take_seat,
)
from app.competitions.tables import CHUNK
from app.core.db import db
from app.core.refusals import Refusal
from app.scores.standings import folding

MOST_WINDOWS = 12
MOST_PLAYERS = 200_000  # of a window, in the API
MOVES = 100  # listed per window
_APPROXIMATE = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(days=7),
    "months": timedelta(days=30.44),
}

_TAKEN = f"""taken AS (
  SELECT a.player_id, a.event_id, a.score, a.subscore, a.achieved_at,
    row_number() OVER (PARTITION BY a.player_id ORDER BY a.achieved_at, a.event_id) AS number,
    min(a.achieved_at) OVER (PARTITION BY a.player_id) AS first_at
  FROM score_attempts a
  WHERE a.mode_id = :mode AND a.achieved_at >= :starts AND a.achieved_at < :ends
    AND a.fraud_state = 'clean' AND a.rolled_back_at IS NULL
      AND {SEEN_PLAYER.format("a.player_id")})"""  # noqa: S608
_COUNTED = """SELECT player_id, event_id, score, subscore, achieved_at FROM taken
WHERE (CAST(:attempts AS int) IS NULL OR number <= :attempts) AND first_at < :join_until"""


@dataclass(frozen=True)
class TierPreview:
    """A tier in a past window; tier 1 is the lowest.

    `absent`: players carried over from the window before who have no score.
    """

    tier: int
    title: str
    players: int
    cohorts: int
    promoted: int
    relegated: int
    absent: int


@dataclass(frozen=True)
class BandPreview:
    """A band in a past window: its number of players, and their total of each reward."""

    band: int
    name: str
    players: int
    amounts: dict[str, int]


@dataclass(frozen=True)
class MovePreview:
    """Where a player would have ended a past window, and whether they would have moved."""

    player_id: UUID
    tier: int
    cohort: int
    rank: int | None
    outcome: Outcome


@dataclass(frozen=True)
class WindowPreview:
    """A past window. `moves`: promotions and relegations by tier, cohort and rank.

    At most MOVES are listed; `moved` counts all.
    """

    starts: datetime
    ends: datetime
    players: int
    tiers: Sequence[TierPreview]
    bands: Sequence[BandPreview]
    moves: Sequence[MovePreview]
    moved: int


def preview(
    mode: Mode,
    declaration: Declaration,
    windows: int,
    now: datetime,
    *,
    most: int | None = MOST_PLAYERS,
) -> list[WindowPreview] | list[Refusal]:
    """The last windows of the schedule's length that are over, oldest first, or why there are none.

    Everybody starts in the lowest tier. `most`: the maximum number of players in a window; None: no
    limit.
    """
    refused = declared.faults(declaration, mode.time_zone)
    if refused:
        return refused
    try:
        return list(
            _windows(mode, declaration, past_spans(declaration, mode.time_zone, windows, now), most)
        )
    except _TooManyScoresError:
        reason = (
            f"windows: one of them has more than {most} players. Use `pressbox competitions "
            "preview`, which has no limit."
        )
        return [Refusal("too_many", "windows", reason)]
    finally:
        db.session.rollback()


class _TooManyScoresError(Exception):
    pass


def past_spans(declaration: Declaration, zone: str, windows: int, now: datetime) -> list[Span]:
    """The last `windows` spans of the schedule that are over, in order.

    The schedule is extended in both directions.
    """
    schedule = declaration.schedule
    step = schedule.length * _APPROXIMATE[schedule.unit]
    last = (now - schedule.starts_at.astimezone(UTC)) // step
    while declared.span(schedule, zone, last + 1).ends <= now:
        last += 1
    while declared.span(schedule, zone, last).ends > now:
        last -= 1
    return [declared.span(schedule, zone, number) for number in range(last - windows + 1, last + 1)]


def _windows(
    mode: Mode, declaration: Declaration, spans: Sequence[Span], most: int | None
) -> Iterator[WindowPreview]:
    tiers: dict[UUID, int] = {}
    before: list[tuple[int, int, Result]] = []
    for span in spans:
        players = _players(mode, declaration, span, most)
        seats: list[Seat] = carried_on(declaration.cohort_size, before, {})
        taken = {seat.tier: seat.number for seat in seats}
        known = {seat.player_id for seat in seats}
        newcomers = sorted(
            (first, player) for player, (_, first) in players.items() if player not in known
        )
        for _, player in newcomers:
            seats.append(take_seat(declaration.cohort_size, taken, player, tiers.get(player, 1)))
        before = _settle(mode, declaration, players, seats)
        tiers |= {result.player_id: result.next_tier for _, _, result in before}
        yield _summary(declaration, span, before)


def _players(
    mode: Mode, declaration: Declaration, span: Span, most: int | None
) -> dict[UUID, tuple[int, datetime]]:
    """Each player's ranking key (app/boards/order.py) and first moment, in the board's order."""
    placed = folding.placed(Aggregation(mode.aggregation), Ties(mode.ties), mode.ordering, _COUNTED)
    statement = f"""WITH {_TAKEN}, {placed}
        SELECT p.player_id, p.score, f.first_at FROM placed p
        JOIN (SELECT DISTINCT player_id, first_at FROM taken) f USING (player_id)
        ORDER BY p.score DESC, p.tie, p.player_id
        LIMIT :most"""  # noqa: S608
    minutes = declaration.join_minutes
    values = {
        "mode": mode.id,
        "starts": span.starts,
        "ends": span.ends,
        "attempts": declaration.attempts,
        "join_until": span.ends if minutes is None else span.starts + timedelta(minutes=minutes),
        "most": None if most is None else most + 1,
    }
    rows = db.session.execute(text(statement).execution_options(yield_per=CHUNK), values)
    players = {row.player_id: (int(row.score), row.first_at) for row in rows}
    if most is not None and len(players) > most:
        raise _TooManyScoresError
    return players


def _settle(
    mode: Mode,
    declaration: Declaration,
    players: dict[UUID, tuple[int, datetime]],
    seats: Sequence[Seat],
) -> list[tuple[int, int, Result]]:
    """Each player's result with their tier and cohort."""
    place = {seat.player_id: (seat.tier, seat.cohort) for seat in seats}
    cohorts: dict[tuple[int, int], list[Entrant]] = defaultdict(list)
    for player, (key, _) in players.items():
        cohorts[place[player]].append(Entrant(player, mode.ordering.score_of(key), key))
    for seat in seats:
        if seat.player_id not in players:
            cohorts[seat.tier, seat.cohort].append(Entrant(seat.player_id, None))
    settled = []
    for (tier, cohort), entrants in sorted(cohorts.items(), key=lambda pair: pair[0]):
        results = settle_cohort(declaration, Ties(mode.ties), tier, entrants)
        settled += [(tier, cohort, result) for result in results]
    return settled


def _summary(
    declaration: Declaration, span: Span, results: Sequence[tuple[int, int, Result]]
) -> WindowPreview:
    tiers = []
    for number, tier in enumerate(declaration.tiers, 1):
        mine = [(cohort, result) for of, cohort, result in results if of == number]
        outcomes = Counter(result.outcome for _, result in mine)
        absent = sum(result.rank is None for _, result in mine)
        cohorts = len({cohort for cohort, _ in mine})
        tiers.append(
            TierPreview(
                number,
                tier.title,
                len(mine),
                cohorts,
                outcomes["promoted"],
                outcomes["relegated"],
                absent,
            )
        )
    bands = []
    for index, band in enumerate(declaration.rewards):
        players = sum(result.band == index for _, _, result in results)
        amounts = {grant.reward: grant.amount * players for grant in band.grants}
        bands.append(BandPreview(index, band_name(band), players, amounts))
    moves = [
        MovePreview(result.player_id, tier, cohort, result.rank, result.outcome)
        for tier, cohort, result in results
        if result.outcome != "stays"
    ]
    return WindowPreview(
        span.starts, span.ends, len(results), tiers, bands, moves[:MOVES], len(moves)
    )
