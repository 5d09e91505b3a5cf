"""Settles matches: adds what guesses earn to the members' points exactly once (PRODUCT C7, C8).

A match's `terms` decide what its guesses have earned so far. Settling adds the difference between
the points for these terms and for the current result. So it is correct even if a match is settled
twice, after a crash, or after a corrected result. The key `matchId#finishedAt`, the terms and the
points change in one transaction. The leaderboard in Redis is in projections/.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import exists, select, text, update

from app.core.db import db
from app.predictions import keys, notices, points, survivors
from app.predictions.counted_score import CountedScore, Score, shootout_winner
from app.predictions.models import Match, Round, RoundSlam, Settlement, SettlementAudit, Tournament
from app.predictions.points import GuessKind, PointRule, Terms
from app.predictions.statuses import ABANDONED, ENDED, VOID

_DELTAS = f"""
    SELECT g.player_id, {points.earned_sql("after")} - {points.earned_sql("before")} AS delta
    FROM guesses g WHERE g.match_id = :match_id
"""  # noqa: S608 (made of our own words alone)
_MOVE = text(
    f"""
    WITH moved AS (
      UPDATE tournament_points p SET points = p.points + d.delta
      FROM ({_DELTAS}) d
      WHERE p.tournament_id = :tournament_id AND p.player_id = d.player_id AND d.delta <> 0
      RETURNING d.delta
    )
    SELECT count(*), coalesce(sum(delta), 0) FROM moved
    """  # noqa: S608
)
# A survivor's points depend on all rounds: survivors.py counts them.
_COUNT_PICKS = text(
    f"SELECT count(*), coalesce(sum(delta), 0) FROM ({_DELTAS}) d WHERE delta <> 0"  # noqa: S608
)

_CREDIT = text(
    f"""
    WITH moved AS (
      UPDATE tournament_points p SET points = p.points + d.delta
      FROM (
        SELECT g.player_id, {points.earned_sql("after")} AS delta FROM guesses g
        WHERE g.match_id = :match_id AND g.player_id = ANY(CAST(:players AS uuid[]))
      ) d
      WHERE p.tournament_id = :tournament_id AND p.player_id = d.player_id AND d.delta <> 0
      RETURNING d.delta
    )
    SELECT count(*), coalesce(sum(delta), 0) FROM moved
    """  # noqa: S608
)

_CLOSEST = text(
    """
    SELECT abs((home - away) - :margin) AS off, count(*) FROM guesses
    WHERE match_id = :match_id AND sign(home - away) = :outcome
    GROUP BY off ORDER BY off LIMIT 1
    """
)

_SLAMS = text(
    f"""
    WITH counted AS (
      SELECT id, {points.outcome_sql("terms")} AS outcome FROM matches
      WHERE round_id = :round_id AND terms IS NOT NULL
    ), wanted AS (
      SELECT g.player_id FROM guesses g JOIN counted c ON c.id = g.match_id
      WHERE :is_complete AND sign(g.home - g.away) = c.outcome
      GROUP BY g.player_id HAVING count(*) = (SELECT count(*) FROM counted)
    ), changed AS (
      SELECT player_id, w.player_id IS NOT NULL AS has_it,
        CASE WHEN w.player_id IS NULL THEN 0 ELSE :points END - coalesce(s.points, 0) AS delta
      FROM wanted w FULL JOIN (SELECT player_id, points FROM round_slams
        WHERE round_id = :round_id) s USING (player_id)
    ), gone AS (
      DELETE FROM round_slams s USING changed c
      WHERE s.round_id = :round_id AND s.player_id = c.player_id AND NOT c.has_it
    ), given AS (
      INSERT INTO round_slams (round_id, player_id, points)
      SELECT :round_id, player_id, :points FROM changed WHERE has_it AND delta <> 0
      ON CONFLICT (round_id, player_id) DO UPDATE SET points = excluded.points
    )
    UPDATE tournament_points p SET points = p.points + c.delta FROM changed c
    WHERE p.tournament_id = :tournament_id AND p.player_id = c.player_id AND c.delta <> 0
    """  # noqa: S608 (made of our own words alone)
)


@dataclass(frozen=True)
class Settled:
    """The number of matches that a call settled or took back, and of changed points.

    `players` counts a member once per match. `version` is the tournament's new one, or None if no
    settlement was waiting.
    """

    matches: int
    players: int
    version: int | None = None


def settle(tournament_id: UUID, finished_at: datetime, now: datetime) -> Settled:
    """Settle every waiting match of the tournament that ended at exactly this moment. Commits.

    One settlement of a tournament runs at a time.
    """
    tournament = db.session.scalars(
        select(Tournament)
        .where(Tournament.id == tournament_id)
        # With `key_share`, a new member's first guess, which refers to the row, need not wait.
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one()
    waiting = db.session.execute(
        select(Settlement, Match)
        .join(Match, Match.id == Settlement.match_id)
        .where(
            Settlement.tournament_id == tournament_id,
            Settlement.finished_at == finished_at,
            Settlement.state.in_(("pending", "dead")),
        )
        .order_by(Match.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).all()
    rule = msgspec.convert(tournament.rule, PointRule)
    declared = CountedScore(tournament.counted_score)
    players = sum(_settle(settlement, match, rule, declared, now) for settlement, match in waiting)
    db.session.flush()
    if waiting:
        for round_id in sorted(
            {match.round_id for _, match in waiting} | _no_longer_complete(tournament_id)
        ):
            _give_slams(tournament_id, round_id, rule)
        if rule.guess == GuessKind.SURVIVOR:
            survivors.recount(tournament_id, rule)
        tournament.version += 1
    version = tournament.version if waiting else None
    db.session.commit()
    return Settled(len(waiting), players, version)


def _settle(
    settlement: Settlement, match: Match, rule: PointRule, declared: CountedScore, now: datetime
) -> int:
    """Settle one match under this key, and return how many members' points changed."""
    is_current = match.status == ENDED and match.finished_at == settlement.finished_at
    settlement.state = "applied" if is_current else "withdrawn"
    settlement.applied_at = now
    if match.status == ENDED and not is_current:
        return 0  # it ended at another moment, whose own key settles it
    if is_current:
        others = (
            Settlement.match_id == match.id,
            Settlement.key != settlement.key,
            Settlement.state == "applied",
        )
        db.session.execute(update(Settlement).where(*others).values(state="withdrawn"))
    before = None if match.terms is None else msgspec.convert(match.terms, Terms)
    after = terms_of(match, rule, declared)
    if before == after:
        match.settled_at = None if after is None else match.finished_at
        return 0
    moved, total = db.session.execute(
        _COUNT_PICKS if rule.guess == GuessKind.SURVIVOR else _MOVE,
        {"match_id": match.id, "tournament_id": match.tournament_id}
        | points.parameters("after", after)
        | points.parameters("before", before),
    ).one()
    notices.notify_corrected(match.id, before, after, now)
    match.terms, match.settled_at = _plain(after), None if after is None else match.finished_at
    db.session.add(
        SettlementAudit(
            match_id=match.id,
            at=now,
            key=settlement.key,
            before=_plain(before),
            after=_plain(after),
            players=moved,
            points=total,
        )
    )
    return int(moved)


def credit(match: Match, players: Collection[UUID], now: datetime) -> None:
    """Award points to guesses that were added to a settled match, by its terms. Does not commit.

    The next settlement decides whether one of them is now the closest.
    """
    if match.terms is None or match.settled_at is None or not players:
        return
    terms = msgspec.convert(match.terms, Terms)
    if terms.rule.guess == GuessKind.SURVIVOR:
        return  # the match is settled once more, and everybody's rounds are counted then
    values = {"match_id": match.id, "tournament_id": match.tournament_id, "players": list(players)}
    moved, total = db.session.execute(_CREDIT, values | points.parameters("after", terms)).one()
    db.session.add(
        SettlementAudit(
            match_id=match.id,
            at=now,
            key=keys.settlement_key(match.id, match.settled_at),
            before=None,
            after=match.terms,
            players=moved,
            points=total,
        )
    )


def _plain(terms: Terms | None) -> dict[str, Any] | None:
    return None if terms is None else msgspec.to_builtins(terms)


def terms_of(match: Match, rule: PointRule, declared: CountedScore) -> Terms | None:
    """Return the terms by which the guesses of the match earn now; None if it has no result."""
    if match.status != ENDED or match.home_score is None or match.away_score is None:
        return None
    multiplier = db.session.scalars(
        select(Round.multiplier).where(Round.id == match.round_id)
    ).one()
    score = Score(match.home_score, match.away_score)
    terms = Terms(
        *score, rule, multiplier, shootout=shootout_winner(declared, score, match.shootout)
    )
    if not rule.closest:
        return terms
    values = {"match_id": match.id, "margin": score.home - score.away, "outcome": terms.outcome}
    nearest = db.session.execute(_CLOSEST, values).one_or_none()
    if nearest is None:
        return terms
    return msgspec.structs.replace(
        terms, closest_distance=nearest[0], closest_share=points.share_of_closest(rule, nearest[1])
    )


def _give_slams(tournament_id: UUID, round_id: int, rule: PointRule) -> None:
    """Award or take back the points for a perfectly guessed round."""
    db.session.execute(
        _SLAMS,
        {
            "tournament_id": tournament_id,
            "round_id": round_id,
            "points": rule.grand_slam,
            "is_complete": rule.grand_slam > 0 and _is_complete(round_id),
        },
    )


def _is_complete(round_id: int) -> bool:
    """Whether every match of the round is settled, void or abandoned, and at least one settled."""
    matches = db.session.execute(
        select(Match.terms, Match.fate).where(Match.round_id == round_id)
    ).all()
    return any(terms is not None for terms, _ in matches) and all(
        terms is not None or fate in (VOID, ABANDONED) for terms, fate in matches
    )


def _no_longer_complete(tournament_id: UUID) -> set[int]:
    """Return rounds whose slams must be taken back, such as after their only settled match left."""
    has_slams = exists().where(RoundSlam.round_id == Round.id)
    with_slams = db.session.scalars(
        select(Round.id).where(Round.tournament_id == tournament_id, has_slams)
    ).all()
    return {round_id for round_id in with_slams if not _is_complete(round_id)}


def is_applied(match_id: UUID, finished_at: datetime) -> bool:
    """Whether the key `matchId#finishedAt` has been settled."""
    key = keys.settlement_key(match_id, finished_at)
    return db.session.scalar(select(Settlement.state).where(Settlement.key == key)) == "applied"
