"""Points that a commissioner gives or takes.

Previewed, then applied, with the reason wherever the number is shown.

Lives here: the acts and their reads. Not here: the table (gameweeks/live.py), who moves
(standings/preview.py).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from app.accounts.models import Member
from app.accounts.sanctions import shown_name
from app.core.bidi import isolated
from app.core.db import db
from app.core.numbers import MAX_ID, whole_number
from app.core.refusals import Refusal
from app.fantasy.amounts import decimal_points
from app.fantasy.gameweeks import live
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.leagues.rules import reason_refusals, scaled
from app.fantasy.market import seasons
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import services as notices
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice
from app.fantasy.standings import preview as league_preview
from app.fantasy.standings.models import League, LeagueMember
from app.fantasy.standings.preview import Move

MOST_POINTS = 1_000_000


SEEN = Refusal(
    "seen",
    "reason",
    "Points were adjusted since you looked. Read the new preview; send it again if you still mean "
    "it.",
)


@dataclass(frozen=True)
class Wanted:
    """An adjustment that a commissioner is about to make."""

    member_id: int
    gameweek_id: int
    points: int


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
) -> Wanted | list[Refusal]:
    """What a form's fields say, or all that is wrong with them.

    Gameweeks: those whose deadline has passed.
    """
    refused = [leagues.HISTORY] if leagues.is_history(league) else []
    member_id = whole_number(member, most=MAX_ID) or 0
    if db.session.get(LeagueMember, (league.id, member_id)) is None:
        refused.append(Refusal("no_member", "member", "Choose a member of this league."))
    gameweek_id = whole_number(gameweek, most=MAX_ID) or 0
    if gameweek_id not in {week.id for week in begun(league, now)}:
        refused.append(
            Refusal("gameweek", "gameweek", "Choose a gameweek whose deadline has passed.")
        )
    found = scaled(points, 1000)
    if not found or abs(found) > MOST_POINTS:
        refused.append(
            Refusal(
                "points",
                "points",
                "Enter points from -1000 to 1000, not 0, with up to three decimals: -2.5.",
            )
        )
    return refused or Wanted(member_id, gameweek_id, found or 0)


def begun(league: League, now: datetime) -> list[Gameweek]:
    """Gameweeks that points can be adjusted in, the latest first."""
    return list(reversed(seasons.begun(league.season_id, now, league.first_week)))


def preview(league: League, wanted: Wanted) -> list[Move]:
    """Who would move. Writes nothing."""
    before = league_preview.ledger_of(league)
    after = before.with_points({(wanted.gameweek_id, wanted.member_id): wanted.points})
    return league_preview.moves(before, after, league_preview.names_of(league.id))


def apply(
    league: League,
    wanted: Wanted,
    reason: str,
    by_id: int,
    now: datetime,
    *,
    seen: int | None = None,
) -> ScoreAdjustment | list[Refusal]:
    """Gives or takes the points, brings the table up to date and notifies everybody who moved.

    `seen`: `newest` as it was previewed; when another came in between nothing is done. So a form
    that is sent twice counts once.
    """
    if refused := reason_refusals(reason):
        return refused
    db.session.execute(
        select(League.id).where(League.id == league.id).with_for_update(key_share=True)
    )
    if seen is not None and seen != newest(league.id):
        db.session.rollback()
        return [SEEN]
    moves = preview(league, wanted)
    made = ScoreAdjustment(
        league_id=league.id,
        member_id=wanted.member_id,
        gameweek_id=wanted.gameweek_id,
        points=wanted.points,
        reason=reason.strip(),
        by_id=by_id,
        created_at=now,
    )
    db.session.add(made)
    db.session.flush()
    notices.notify(_notices(league, made, moves), now)
    live.refresh_league(league.id, now)
    return made


def _notices(league: League, made: ScoreAdjustment, moves: list[Move]) -> list[NewNotice]:
    week = db.session.get_one(Gameweek, made.gameweek_id).name
    theirs = next((move.team_name for move in moves if move.member_id == made.member_id), "A team")
    what = (
        f"{isolated(theirs)} {'got' if made.points > 0 else 'lost'} "
        f"{decimal_points(abs(made.points))} points in {week}"
    )
    path = f"/leagues/{league.slug}/rules"
    rows = []
    for move in moves:
        if move.member_id == made.member_id:
            words = notice_words.adjusted(league.name, week, made.points, made.reason, move.moved)
        else:
            words = notice_words.moved_by_another(league.name, what, made.reason, move.moved)
        rows.append(
            NewNotice.of(move.member_id, "adjustment", f"adjustment:{made.id}", words, path)
        )
    return rows


def reasons(league_id: int, gameweek_id: int) -> dict[int, list[tuple[int, str]]]:
    """What was given and taken in the gameweek, and why, by member.

    (points, reason), the oldest first.
    """
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    query = select(ScoreAdjustment).where(
        ScoreAdjustment.league_id == league_id, ScoreAdjustment.gameweek_id == gameweek_id
    )
    for one in db.session.scalars(query.order_by(ScoreAdjustment.id)):
        found[one.member_id].append((one.points, one.reason))
    return dict(found)


def newest(league_id: int) -> int:
    """The id of the league's newest adjustment; 0 before the first."""
    return (
        db.session.scalar(
            select(func.max(ScoreAdjustment.id)).where(ScoreAdjustment.league_id == league_id)
        )
        or 0
    )


def of(league_id: int) -> list[AdjustmentRow]:
    """All of the league, the newest first."""
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
            one.id, one.member_id, name, week, one.points, one.reason, who, one.created_at
        )
        for one, name, week, who in db.session.execute(query)
    ]
