"""Previews of what an operator's decision about a match would change. Only reads.

They cover guesses, points, members and the round. The decisions themselves are in services.py.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import select, text

from app.core.db import db
from app.core.refusals import Refusal
from app.predictions import points
from app.predictions.counted_score import CountedScore
from app.predictions.decisions import refusals
from app.predictions.decisions import services as decisions
from app.predictions.matches import overruling
from app.predictions.matches.overruling import REDATE, VOID
from app.predictions.models import Match, MatchAct, Round, Team, Tournament
from app.predictions.points import PointRule, Terms
from app.predictions.settlement import services as settlement
from app.predictions.statuses import ENDED
from app.predictions.statuses import VOID as VOID_FATE

_SUM = """
    SELECT count(*) AS guesses, count(*) FILTER (WHERE e.points <> 0) AS members,
      coalesce(sum(e.points), 0) AS points
    FROM (
      SELECT {earned} AS points FROM guesses g WHERE g.match_id = :match_id
        AND (CAST(:players AS uuid[]) IS NULL OR g.player_id = ANY(CAST(:players AS uuid[])))
    ) e
"""
_EARNED = text(_SUM.format(earned=points.earned_sql("now")))
_EARNED_TURNED = text(_SUM.format(earned=points.earned_sql("now", "g.away", "g.home")))

_WAITING = text(
    """
    SELECT count(*) FILTER (WHERE terms IS NULL AND (fate IS NULL OR fate NOT IN ('void',
      'abandoned'))) AS waiting,
      count(terms) AS settled
    FROM matches WHERE round_id = :round_id AND id <> ALL(CAST(:without AS uuid[]))
    """
)

_PASSING = text(
    """
    SELECT g.player_id, is_before_kickoff(g.saved_at, b) AS is_in_time,
      EXISTS (SELECT FROM guesses o WHERE o.match_id = b.id
        AND o.player_id = g.player_id) AS has_own
    FROM guesses g CROSS JOIN matches b WHERE g.match_id = :match_id AND b.id = :into_id
    """
)


@dataclass(frozen=True)
class Preview:
    """The changes that a decision would make.

    `guesses` is the number of guesses of the match. `members` is the number of members whose points
    change, and `points` the sum of these changes in hundredths. `round` is the round's name.
    `lines` describe everything in sentences. `digest` identifies the state of the match that the
    preview shows.
    """

    guesses: int
    members: int
    points: int
    round: str
    lines: list[str]
    digest: str


@dataclass(frozen=True)
class _Earned:
    guesses: int
    members: int
    points: int


def of_void(match_id: UUID) -> Preview | Refusal:
    """Preview voiding the match."""
    match, acts = _match(match_id), _acts([match_id])
    if refusal := refusals.of_void(match):
        return refusal
    earned = _earned(match)
    lines = [
        f"{_name(match)} will not count, whatever its provider says, until an operator counts it "
        "again.",
        f"{_guesses(earned.guesses)} kept without points. Everyone who made one is notified.",
        _loss(earned),
        *_round_lines(match, [match.id]),
    ]
    return _preview([match], acts, earned, -earned.points, lines)


def of_unvoid(match_id: UUID) -> Preview | Refusal:
    """Preview ending the voiding of the match."""
    match, acts = _match(match_id), _acts([match_id])
    if not any(act.kind == VOID for act in acts):
        return Refusal(
            "not_decided",
            "match",
            "No operator has voided this match, so there is nothing to undo.",
        )
    provided = overruling.as_provided(match)
    earned = _earned(match, _terms_then(provided))
    if provided.fate == VOID_FATE:
        becomes = "Its provider lists it as cancelled too, so it stays void."
    elif provided.status == ENDED:
        becomes = (
            f"It counts with the result {match.home_score}–{match.away_score} within a minute. "
            f"{_gain(earned)}."
        )
    else:
        becomes = f"It counts again; {_kickoff(provided.kickoff)}."
    lines = [
        f"{_name(match)} follows its provider again.",
        becomes,
        f"{_guesses(earned.guesses)} counting as saved. Everyone who made one is notified.",
        *_round_lines(match, [], returns=provided.fate is None and provided.status != ENDED),
    ]
    return _preview([match], acts, earned, earned.points, lines)


def of_redate(match_id: UUID, kickoff: datetime, now: datetime) -> Preview | Refusal:
    """Preview a new kickoff."""
    match, acts = _match(match_id), _acts([match_id])
    if refusal := refusals.of_redate(match, kickoff, now):
        return refusal
    earned = _earned(match)
    late = db.session.scalar(
        text("SELECT count(*) FROM guesses WHERE match_id = :match_id AND saved_at >= :kickoff"),
        {"match_id": match_id, "kickoff": kickoff},
    )
    if kickoff > now:
        guesses = "They are kept and can be changed until then, even if others have seen them."
    else:
        guesses = "They are closed now."
    lines = [
        f"The kickoff of {_name(match)} moves from {_moment(match.kickoff)} to {_moment(kickoff)}, "
        "whatever its"
        " provider says, until an operator undoes this.",
        f"{_guesses(earned.guesses)} affected. {guesses} Everyone who made one is notified.",
    ]
    if late and kickoff <= now:
        lines.append(
            "Picks saved after the new kickoff that still count, because picks were open then: "
            f"{late}."
        )
    return _preview(match, acts, earned, 0, [*lines, *_round_lines(match, [])])


def of_release(match_id: UUID) -> Preview | Refusal:
    """Preview returning to the provider's kickoff."""
    match, acts = _match(match_id), _acts([match_id])
    if not any(act.kind == REDATE for act in acts):
        return Refusal("not_decided", "match", "No operator has moved the kickoff of this match.")
    earned, kickoff = _earned(match), overruling.provided(match).kickoff
    lines = [
        f"{_name(match)} begins when its provider says; {_kickoff(kickoff)}.",
        f"{_guesses(earned.guesses)} affected. Everyone who made one is notified.",
    ]
    return _preview(match, acts, earned, 0, [*lines, *_round_lines(match, [])])


def of_merge(match_id: UUID, into_id: UUID) -> Preview | Refusal:
    """Preview merging the match into another one."""
    match, into = _match(match_id), db.session.get(Match, into_id, populate_existing=True)
    if refusal := refusals.of_merge(match, into):
        return refusal
    assert into is not None  # refusals.of_merge refuses None
    rows = db.session.execute(_PASSING, {"match_id": match_id, "into_id": into_id}).all()
    passing = [row.player_id for row in rows if row.is_in_time and not row.has_own]
    own_guesses = sum(row.has_own for row in rows)
    late = sum(not row.is_in_time and not row.has_own for row in rows)
    lost, won = _earned(match), _would_earn(match, into, passing)
    lines = [
        f"{_name(match)}, listed as {match.external_id}, is the same match as {into.external_id};"
        f" {_kickoff(into.kickoff)}.",
        f"Picks that move to it: {len(passing)}. Everyone who made one is notified.",
    ]
    if own_guesses:
        lines.append(
            "Picks that don't move because the member has a pick on the other match too: "
            f"{own_guesses}."
        )
    if late:
        lines.append(f"Picks that don't move because they were saved after its kickoff: {late}.")
    if lost.points:
        lines.append(_loss(lost))
    if into.terms is not None:
        lines.append(f"{_gain(won)} for its result.")
    lines.append(
        f"{match.external_id} disappears from all pages, even if its provider lists it again. "
        "This cannot be undone."
    )
    lines += _round_lines(match, [match.id])
    moved = _Earned(len(rows), lost.members + won.members, won.points - lost.points)
    acts = _acts([match_id, into_id])
    return _preview([match, into], acts, moved, moved.points, lines)


def _preview(
    matches: list[Match],
    acts: Collection[MatchAct],
    earned: _Earned,
    moved: int,
    lines: list[str],
) -> Preview:
    """Build the preview. `matches` are the match, and the one that it is merged into, if any."""
    match = matches[0]
    return Preview(
        guesses=earned.guesses,
        members=earned.members if moved else 0,
        points=moved,
        round=_round(match).name,
        lines=lines,
        digest=decisions.digest_of(matches, acts),
    )


def _match(match_id: UUID) -> Match:
    match: Match = db.session.get_one(Match, match_id, populate_existing=True)
    return match


def _acts(match_ids: list[UUID]) -> list[MatchAct]:
    standing = select(MatchAct).where(MatchAct.match_id.in_(match_ids), MatchAct.ended_at.is_(None))
    return list(db.session.scalars(standing))


def _earned(match: Match, terms: Terms | None = None) -> _Earned:
    """Return what the guesses of the match have earned, or would earn by these terms."""
    return _Earned(*db.session.execute(_EARNED, _parameters(match, terms or _terms(match))).one())


def _would_earn(match: Match, into: Match, players: Collection[UUID]) -> _Earned:
    """Return what these guesses of the match would earn by the terms of the other match."""
    query = _EARNED if match.home_id == into.home_id else _EARNED_TURNED
    return _Earned(
        *db.session.execute(
            query, _parameters(match, _terms(into)) | {"players": list(players)}
        ).one()
    )


def _terms(match: Match) -> Terms | None:
    return None if match.terms is None else msgspec.convert(match.terms, Terms)


def _terms_then(provided: Match) -> Terms | None:
    """Return the terms of a match according to its provider, without any decision."""
    tournament = db.session.get_one(Tournament, provided.tournament_id)
    rule = msgspec.convert(tournament.rule, PointRule)
    return settlement.terms_of(provided, rule, CountedScore(tournament.counted_score))


def _parameters(match: Match, terms: Terms | None) -> dict[str, Any]:
    return {"match_id": match.id, "players": None, **points.parameters("now", terms)}


def _round(match: Match) -> Round:
    round_: Round = db.session.get_one(Round, match.round_id)
    return round_


def _round_lines(match: Match, without: list[UUID], *, returns: bool = False) -> list[str]:
    """Say what the match's round waits for after the decision.

    `without` are matches that leave the round. `returns` says whether the void match returns to it.
    """
    left = db.session.execute(_WAITING, {"round_id": match.round_id, "without": without}).one()
    waiting = left.waiting + returns
    if waiting:
        return [
            f"{_round(match).name} will then wait for {waiting} "
            f"{'match' if waiting == 1 else 'matches'}."
        ]
    if not left.settled:
        return [f"No match in {_round(match).name} will count."]
    return [f"{_round(match).name} will be complete. Its perfect-round points are recalculated."]


def _loss(earned: _Earned) -> str:
    if not earned.points:
        return "It has earned no points."
    return (
        f"{_members(earned.members)} lose{'s' if earned.members == 1 else ''} "
        f"{_points_in_all(earned)}."
    )


def _gain(earned: _Earned) -> str:
    if not earned.points:
        return "No points change"
    return (
        f"{_members(earned.members)} gain{'s' if earned.members == 1 else ''} "
        f"{_points_in_all(earned)}"
    )


def _points_in_all(earned: _Earned) -> str:
    count = f"{points.number(earned.points):g} point{'' if earned.points == points.WHOLE else 's'}"
    return count if earned.members == 1 else f"{count} in all"


def _name(match: Match) -> str:
    names = dict(
        db.session.execute(
            select(Team.id, Team.name).where(Team.id.in_((match.home_id, match.away_id)))
        ).all()
    )
    return f"{names[match.home_id]} vs {names[match.away_id]} ({_round(match).name})"


def _guesses(count: int | None) -> str:
    return "1 pick" if count == 1 else f"{count or 0:,} picks"


def _members(count: int) -> str:
    return "1 member" if count == 1 else f"{count:,} members"


def _moment(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%a %-d %b %Y %H:%M} UTC" if moment else "no date"


def _kickoff(moment: datetime | None) -> str:
    return f"kickoff {_moment(moment)}" if moment else "no date yet"
