"""Settles windows: results, promotions and relegations, rewards.

A window is settled again if its scores were corrected. A settlement is one transaction, including
the events of its rewards in the feed, so a second run finds nothing to do. The ledger is never
rewritten: a settlement adds the difference between what is due and the ledger's sums. Only the
first settlement places players in the next window; a later one changes rewards, results and the
tier in which a player next joins, and takes nobody out of a cohort that plays.

Lock order: the mode, as for everything that changes boards, then the windows by number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from uuid import UUID

import structlog
from sqlalchemy import and_, func, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import aliased

from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode, ScoreGame
from app.competitions import declaration as declared
from app.competitions.declaration import Declaration
from app.competitions.joining import last_seats
from app.competitions.models import (
    DRAFT,
    ENDED,
    LIVE,
    Competition,
    CompetitionEntry,
    CompetitionReward,
    CompetitionWindow,
)
from app.competitions.rules import Entrant, Result, carried_on, settle_cohort
from app.competitions.tables import CHUNK, Seated, policy, seated
from app.core.batch_failures import Failures
from app.core.db import db, transaction
from app.scores.feed import changes as feed
from app.scores.feed.changes import REWARD_GRANTED, REWARD_WITHDRAWN, Told

log = structlog.get_logger(__name__)

Settled = Sequence[tuple[Seated, Result]]
MOST_OF_A_RUN = 100  # windows; the next run settles the others

_RESULTS = text("""
    UPDATE competition_entries e
    SET rank = r.rank, score = r.score, outcome = r.outcome, next_tier = r.next_tier
    FROM unnest(CAST(:ids AS bigint[]), CAST(:ranks AS int[]), CAST(:scores AS bigint[]),
      CAST(:outcomes AS text[]),
      CAST(:tiers AS int[])) AS r (id, rank, score, outcome, next_tier)
    WHERE e.id = r.id
""")


def due(now: datetime) -> list[tuple[UUID, int]]:
    """Windows to settle now, the oldest first, MOST_OF_A_RUN at most.

    A window is due some time after its end, once the window before it is settled, and again after a
    correction within the correction period.
    """
    before = aliased(CompetitionWindow)
    waits = (
        select(before.number)
        .where(
            before.competition_id == CompetitionWindow.competition_id,
            before.number < CompetitionWindow.number,
            before.settled_at.is_(None),
        )
        .exists()
    )
    first = and_(
        CompetitionWindow.settled_at.is_(None), CompetitionWindow.settles_at <= now, ~waits
    )
    again = and_(
        CompetitionWindow.settled_at.is_not(None),
        CompetitionWindow.stale_since.is_not(None),
        CompetitionWindow.final_at > now,
    )
    query = (
        select(CompetitionWindow.competition_id, CompetitionWindow.number)
        .join(Competition, Competition.id == CompetitionWindow.competition_id)
        .join(Mode, Mode.id == Competition.mode_id)
        .where(or_(first, again), Mode.deleting_at.is_(None))
    )
    ordered = query.order_by(
        CompetitionWindow.settles_at, CompetitionWindow.competition_id, CompetitionWindow.number
    ).limit(MOST_OF_A_RUN)
    windows = [(competition, number) for competition, number in db.session.execute(ordered)]
    db.session.rollback()
    return windows


def settle_due(now: datetime) -> list[tuple[UUID, int]]:
    """Settle the windows that are due, each in its own transaction; returns those settled.

    An error in one integrator's window is raised after all others are settled.
    """
    done: list[tuple[UUID, int]] = []
    tried: set[tuple[UUID, int]] = set()
    # PostgreSQL is down or overloaded, for all windows
    failures = Failures("window_not_settled", OperationalError)
    while windows := [window for window in due(now) if window not in tried]:
        for window in windows:
            tried.add(window)
            with failures.apart(window):
                if settle(*window, now):
                    done.append(window)
    failures.raise_first()
    return done


def settle(competition_id: UUID, number: int, now: datetime) -> bool:
    """Settle the window if it is due now; False if somebody else has done so. Commits."""
    with transaction():
        mode_id = db.session.scalar(
            select(Competition.mode_id).where(Competition.id == competition_id)
        )
        mode = (
            None
            if mode_id is None
            else catalogue.lock_modes([mode_id], exclusive=True).get(mode_id)
        )
        if mode is None or mode.deleting_at is not None:
            return False  # the mode is being deleted with its competitions
        competition = db.session.get_one(Competition, competition_id, populate_existing=True)
        windows = _locked_windows(competition_id, number)
        window = windows.get(number)
        if competition.state == DRAFT or window is None or not _is_due(window, now):
            return False
        declaration = declared.read(competition.declaration)
        is_first = window.settled_at is None
        window.settlements += 1
        results = _results(competition, declaration, window)
        _write_results(results)
        lines = _ledger_lines(window, results, now)
        _tell(competition, mode, lines)
        if is_first:
            window.settled_at = now
            _carry(declaration, windows.get(number + 1), results, now)
            _end_after_last(competition, now)
        window.stale_since = None
    log.info(
        "window_settled",
        competition=str(competition_id),
        window=number,
        lines=len(lines),
        first=is_first,
    )
    return True


def _locked_windows(competition_id: UUID, number: int) -> dict[int, CompetitionWindow]:
    """This window and the next one, locked."""
    query = select(CompetitionWindow).where(
        CompetitionWindow.competition_id == competition_id,
        CompetitionWindow.number.in_((number, number + 1)),
    )
    locked = query.order_by(CompetitionWindow.number).with_for_update(key_share=True)
    return {
        window.number: window
        for window in db.session.scalars(locked.execution_options(populate_existing=True))
    }


def _is_due(window: CompetitionWindow, now: datetime) -> bool:
    if window.settled_at is None:
        earlier = select(CompetitionWindow.number).where(
            CompetitionWindow.competition_id == window.competition_id,
            CompetitionWindow.number < window.number,
            CompetitionWindow.settled_at.is_(None),
        )
        return window.settles_at <= now and db.session.scalar(earlier.limit(1)) is None
    return window.stale_since is not None and now < window.final_at


def _results(
    competition: Competition, declaration: Declaration, window: CompetitionWindow
) -> Settled:
    _, ties = policy(competition)
    results: list[tuple[Seated, Result]] = []
    for (tier, _), group in groupby(
        seated(competition, window), key=lambda seat: (seat.tier, seat.cohort)
    ):
        cohort = list(group)
        entrants = [Entrant(seat.player_id, seat.score, seat.key) for seat in cohort]
        results += zip(cohort, settle_cohort(declaration, ties, tier, entrants), strict=True)
    return results


def _write_results(results: Settled) -> None:
    for start in range(0, len(results), CHUNK):
        part = results[start : start + CHUNK]
        values = {
            "ids": [seat.entry_id for seat, _ in part],
            "ranks": [result.rank for _, result in part],
            "scores": [result.score for _, result in part],
            "outcomes": [result.outcome for _, result in part],
            "tiers": [result.next_tier for _, result in part],
        }
        db.session.execute(_RESULTS, values)


def held_rewards(competition_id: UUID, number: int) -> dict[UUID, dict[str, int]]:
    """The ledger's sums in a window by player and reward, without sums of 0."""
    total = func.sum(CompetitionReward.amount)
    query = (
        select(CompetitionReward.player_id, CompetitionReward.reward, total)
        .where(
            CompetitionReward.competition_id == competition_id,
            CompetitionReward.window_number == number,
        )
        .group_by(CompetitionReward.player_id, CompetitionReward.reward)
        .having(total != 0)
    )
    rewards: dict[UUID, dict[str, int]] = defaultdict(dict)
    for player, reward, amount in db.session.execute(query):
        rewards[player][reward] = int(amount)
    return rewards


def _ledger_lines(
    window: CompetitionWindow, results: Settled, now: datetime
) -> list[CompetitionReward]:
    """Write the differences between due and granted rewards, by table and reward name."""
    granted = held_rewards(window.competition_id, window.number)
    lines = []
    for seat, result in results:
        has: Mapping[str, int] = granted.get(seat.player_id, {})
        for reward in sorted({*has, *result.grants}):
            amount = result.grants.get(reward, 0) - has.get(reward, 0)
            if amount:
                lines.append(
                    CompetitionReward(
                        competition_id=window.competition_id,
                        window_number=window.number,
                        settlement=window.settlements,
                        player_id=seat.player_id,
                        reward=reward,
                        amount=amount,
                        tier=seat.tier,
                        rank=result.rank,
                        written_at=now,
                    )
                )
    db.session.add_all(lines)
    db.session.flush()
    return lines


def _tell(competition: Competition, mode: Mode, lines: Sequence[CompetitionReward]) -> None:
    game: ScoreGame = catalogue.game_of(mode)
    if game.integrator_id is None or not lines:
        return
    changes = [
        Told(
            REWARD_GRANTED if line.amount > 0 else REWARD_WITHDRAWN,
            line.player_id,
            game.slug,
            mode.slug,
            f"competition:{competition.slug}:{line.window_number}",
            {
                "competition": competition.slug,
                "window": line.window_number,
                "settlement": line.settlement,
                "reward": line.reward,
                "amount": abs(line.amount),
                "tier": line.tier,
                "rank": line.rank,
            },
        )
        for line in lines
    ]
    feed.tell(game.integrator_id, changes)


def _carry(
    declaration: Declaration, following: CompetitionWindow | None, results: Settled, now: datetime
) -> None:
    """Place the players with a score in the next window."""
    if following is None:
        return
    results_by_seat = ((seat.tier, seat.cohort, result) for seat, result in results)
    taken = last_seats(following.competition_id, following.number)
    rows = [
        {
            "competition_id": following.competition_id,
            "window_number": following.number,
            "player_id": seat.player_id,
            "tier": seat.tier,
            "seat": seat.number,
            "cohort": seat.cohort,
            "joined_at": now,
            "counts_from": following.starts_at,
            "carried": True,
        }
        for seat in carried_on(declaration.cohort_size, results_by_seat, taken)
    ]
    for start in range(0, len(rows), CHUNK):
        db.session.execute(insert(CompetitionEntry), rows[start : start + CHUNK])


def _end_after_last(competition: Competition, now: datetime) -> None:
    db.session.flush()
    left = select(CompetitionWindow.number).where(
        CompetitionWindow.competition_id == competition.id, CompetitionWindow.settled_at.is_(None)
    )
    if competition.state == LIVE and db.session.scalar(left.limit(1)) is None:
        competition.state, competition.ended_at = ENDED, now
