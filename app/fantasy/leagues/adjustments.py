"""Points that a commissioner gives or takes, with a reason that is shown beside them.

An adjustment is previewed first (standings/preview.py computes who moves), then applied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from app.accounts.models import Member
from app.accounts.sanctions import shown_name
from app.core.bidi import isolated
from app.core.db import db
from app.core.numbers import MAX_ID, typed_decimal, whole_number
from app.core.refusals import Refusal
from app.fantasy.amounts import decimal_points
from app.fantasy.gameweeks import live
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.leagues.rules import reason_refusals
from app.fantasy.market import seasons
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import services as notices
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice
from app.fantasy.standings import preview as league_preview
from app.fantasy.standings.models import League, LeagueMember
from app.fantasy.standings.preview import Move

MOST_POINTS = 1_000_000  # thousandths

SEEN = Refusal(
    "seen",
    "reason",
    "Points were adjusted since you opened this page. Check the new preview and confirm again.",
)


@dataclass(frozen=True)
class NewAdjustment:
    """An adjustment that a commissioner is about to make.

    Attributes:
        points: In thousandths, negative if they are taken.
        newest_seen: What `newest` was at the preview; None without a preview. If there is a newer
            one by now, `apply` does nothing, so a form that is sent twice counts once.
    """

    member_id: int
    gameweek_id: int
    points: int
    newest_seen: int | None = None


@dataclass(frozen=True)
class AdjustmentRow:
    """An adjustment, as its members read it."""

    id: int
    member_id: int
    name: str
    gameweek: str
    points: int
    reason: str
    by: str
    at: datetime


def read(
    league: League, member: str, gameweek: str, points: str, now: datetime
) -> NewAdjustment | list[Refusal]:
    """The adjustment that a form's fields ask for, or everything that is wrong with them."""
    refused = [leagues.HISTORY] if leagues.is_history(league) else []
    member_id = whole_number(member, most=MAX_ID) or 0
    if db.session.get(LeagueMember, (league.id, member_id)) is None:
        refused.append(Refusal("no_member", "member", "Choose a member of this league."))
    gameweek_id = whole_number(gameweek, most=MAX_ID) or 0
    if gameweek_id not in {week.id for week in begun(league, now)}:
        refused.append(Refusal("gameweek", "gameweek", "Choose a week whose deadline has passed."))
    thousandths = typed_decimal(points, 1000)
    if not thousandths or abs(thousandths) > MOST_POINTS:
        refused.append(
            Refusal(
                "points",
                "points",
                "Enter points from -1000 to 1000, not 0, with up to three decimals, e.g. -2.5.",
            )
        )
    return refused or NewAdjustment(member_id, gameweek_id, thousandths or 0)


def begun(league: League, now: datetime) -> list[Gameweek]:
    """The gameweeks in which points can be adjusted, the latest first."""
    return list(reversed(seasons.begun(league.season_id, now, league.first_week)))


def preview(league: League, new: NewAdjustment) -> list[Move]:
    """Return who would move; writes nothing."""
    before = league_preview.ledger_of(league)
    after = before.with_points({(new.gameweek_id, new.member_id): new.points})
    return league_preview.moves(before, after, league_preview.names_of(league.id))


def playoff_changes(league: League, new: NewAdjustment) -> Sequence[str]:
    """What an adjustment would change in the play-offs of a draft league, in sentences."""
    return league_preview.playoff_changes(league, {(new.gameweek_id, new.member_id): new.points})


def apply(
    league: League, new: NewAdjustment, reason: str, by_id: int, now: datetime
) -> ScoreAdjustment | list[Refusal]:
    """Adjust the points, update the table, and notify everybody who moved."""
    if refused := reason_refusals(reason):
        return refused
    db.session.execute(
        select(League.id).where(League.id == league.id).with_for_update(key_share=True)
    )
    if new.newest_seen is not None and new.newest_seen != newest(league.id):
        db.session.rollback()
        return [SEEN]
    moves = preview(league, new)
    adjustment = ScoreAdjustment(
        league_id=league.id,
        member_id=new.member_id,
        gameweek_id=new.gameweek_id,
        points=new.points,
        reason=reason.strip(),
        by_id=by_id,
        created_at=now,
    )
    db.session.add(adjustment)
    db.session.flush()
    notices.notify(_notices(league, adjustment, moves), now)
    live.refresh_league(league.id, now)
    return adjustment


def _notices(league: League, adjustment: ScoreAdjustment, moves: list[Move]) -> list[NewNotice]:
    week = db.session.get_one(Gameweek, adjustment.gameweek_id).name
    points, reason = adjustment.points, adjustment.reason
    team = next(
        (move.team_name for move in moves if move.member_id == adjustment.member_id), "A team"
    )
    verb = "got" if points > 0 else "lost"
    event = f"{isolated(team)} {verb} {decimal_points(abs(points))} points in {week}"
    path = f"/leagues/{league.slug}/rules"
    rows = []
    for move in moves:
        if move.member_id == adjustment.member_id:
            words = notice_words.adjusted(league.name, week, points, reason, move.moved)
        else:
            words = notice_words.moved_by_another(league.name, event, reason, move.moved)
        key = f"adjustment:{adjustment.id}"
        rows.append(NewNotice.of(move.member_id, "adjustment", key, words, path))
    return rows


def reasons(league_id: int, gameweek_id: int) -> dict[int, list[tuple[int, str]]]:
    """Points and reason of each adjustment in the gameweek, the oldest first, by member."""
    by_member: dict[int, list[tuple[int, str]]] = defaultdict(list)
    query = select(ScoreAdjustment).where(
        ScoreAdjustment.league_id == league_id, ScoreAdjustment.gameweek_id == gameweek_id
    )
    for adjustment in db.session.scalars(query.order_by(ScoreAdjustment.id)):
        by_member[adjustment.member_id].append((adjustment.points, adjustment.reason))
    return dict(by_member)


def newest(league_id: int) -> int:
    """The id of the league's newest adjustment; 0 before the first."""
    return (
        db.session.scalar(
            select(func.max(ScoreAdjustment.id)).where(ScoreAdjustment.league_id == league_id)
        )
        or 0
    )


def of(league_id: int) -> list[AdjustmentRow]:
    """All adjustments of the league, the newest first."""
    by = aliased(Member)
    query = (
        select(ScoreAdjustment, shown_name(Member), Gameweek.name, shown_name(by))
        .join(Member, Member.id == ScoreAdjustment.member_id)
        .join(Gameweek, Gameweek.id == ScoreAdjustment.gameweek_id)
        .join(by, by.id == ScoreAdjustment.by_id)
        .where(ScoreAdjustment.league_id == league_id)
        .order_by(ScoreAdjustment.created_at.desc(), ScoreAdjustment.id.desc())
    )
    return [
        AdjustmentRow(
            row.id, row.member_id, name, week, row.points, row.reason, by_name, row.created_at
        )
        for row, name, week, by_name in db.session.execute(query)
    ]
