"""Appeals against a sanction or a decision about a score: sending and deciding them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, or_, select, true
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member, Player
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.models import Mode, ScoreGame
from app.boards.pages.page import points
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import notices, sanctions
from app.moderation.inbox import member_of, text_fault
from app.moderation.models import Appeal, Sanction
from app.moderation.rules import reason_fault
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.scores.review import corrections
from app.scores.review.moderators import STAFF


@dataclass(frozen=True)
class TakenBack:
    """A score that does not count any more.

    `points` are formatted; `why` is the last reason, which may be empty.
    """

    event_id: UUID
    game: str
    mode: str
    points: str
    at: datetime
    is_rejected: bool
    why: str


def appealable(player_id: UUID) -> tuple[list[Sanction], list[TakenBack]]:
    """Return what this player may appeal against, the newest first.

    That is the current sanction, except a shadow ban, which is hidden from them, and scores that
    were taken back or rejected.
    """
    standing = sanctions.standing(player_id)
    imposed = [standing] if standing is not None and standing.kind != sanctions.SHADOW else []
    last = (
        select(ScoreCorrection.reason)
        .where(ScoreCorrection.event_id == ScoreAttempt.event_id)
        .order_by(ScoreCorrection.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(ScoreAttempt, Mode, ScoreGame.title, last)
        .join(Mode, Mode.id == ScoreAttempt.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .where(
            ScoreAttempt.player_id == player_id,
            or_(ScoreAttempt.rolled_back_at.is_not(None), ScoreAttempt.fraud_state == "rejected"),
        )
        .order_by(ScoreAttempt.achieved_at.desc(), ScoreAttempt.event_id)
        .limit(50)
    )
    return imposed, [
        TakenBack(
            event_id=attempt.event_id,
            game=game,
            mode=mode.title,
            points=points(attempt.score, mode.decimals),
            at=attempt.achieved_at,
            is_rejected=attempt.rolled_back_at is None,
            why=why or "",
        )
        for attempt, mode, game, why in db.session.execute(query)
    ]


def send(
    player_id: UUID,
    appeal_text: str,
    now: datetime,
    *,
    sanction_id: int | None = None,
    event_id: UUID | None = None,
) -> Appeal | Refusal:
    """Send an appeal; a player has one open appeal per decision. Commits."""
    if fault := text_fault(appeal_text):
        return fault
    imposed, scores = appealable(player_id)
    about_sanction = sanction_id is not None and sanction_id in {
        sanction.id for sanction in imposed
    }
    about_score = event_id is not None and event_id in {score.event_id for score in scores}
    if about_sanction == about_score:
        return Refusal("nothing", "about", "There is nothing here you can appeal.")
    appeal = Appeal(
        player_id=player_id,
        sanction_id=sanction_id if about_sanction else None,
        event_id=event_id if about_score else None,
        text=appeal_text.strip(),
        created_at=now,
    )
    db.session.add(appeal)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return Refusal("open", "about", "Your appeal is already waiting for a moderator.")
    return appeal


@dataclass(frozen=True)
class Case:
    """An appeal: what it is about, why that was decided, and by whom."""

    appeal: Appeal
    player: str
    about: str
    why: str
    by: str


def open_appeals() -> list[Case]:
    """Return the open appeals, the longest waiting first."""
    return [
        _case(row)
        for row in db.session.execute(
            _cases().where(Appeal.decided_at.is_(None)).order_by(Appeal.id)
        )
    ]


def of_player(player_id: UUID) -> list[Case]:
    """Return the appeals of this player, the newest first."""
    query = _cases().where(Appeal.player_id == player_id).order_by(Appeal.id.desc())
    return [_case(row) for row in db.session.execute(query)]


def _cases() -> Select[Any]:
    last = (
        select(ScoreCorrection.reason, ScoreCorrection.member_id)
        .where(
            ScoreCorrection.event_id == Appeal.event_id,
            ScoreCorrection.created_at <= Appeal.created_at,
        )
        .order_by(ScoreCorrection.id.desc())
        .limit(1)
        .lateral()
    )
    return (
        select(
            Appeal,
            Player.display_name,
            Sanction,
            ScoreAttempt,
            Mode,
            ScoreGame.title,
            last.c.reason,
            Member,
        )
        .join(Player, Player.id == Appeal.player_id)
        .outerjoin(Sanction, Sanction.id == Appeal.sanction_id)
        .outerjoin(ScoreAttempt, ScoreAttempt.event_id == Appeal.event_id)
        .outerjoin(Mode, Mode.id == ScoreAttempt.mode_id)
        .outerjoin(ScoreGame, ScoreGame.id == Mode.game_id)
        .outerjoin(last, true())
        .outerjoin(Member, Member.id == func.coalesce(Sanction.imposed_by, last.c.member_id))
    )


def _case(row: Any) -> Case:
    appeal, name, sanction, attempt, mode, game, reason, by = row
    if sanction is not None:
        about, reason = f"The {sanction.kind}", sanction.reason
    elif attempt is None:  # its month is archived; open appeals keep a month in PostgreSQL
        about = "An archived score"
    else:
        about = f"{points(attempt.score, mode.decimals)} in {game}, {mode.title}"
    return Case(appeal, name, about, reason or "", by.display_name if by else "the rules")


def decide(
    appeal_id: int, *, granted: bool, by: int, answer: str, now: datetime
) -> Appeal | Refusal:
    """Decide an appeal. Commits.

    If it is granted, the sanction is lifted or the score counts again. The person who made the
    decision does not decide the appeal if there is another moderator; nobody decides their own.
    """
    if fault := reason_fault(answer):
        return fault
    appeal = db.session.get(Appeal, appeal_id, populate_existing=True)
    if appeal is None or appeal.decided_at is not None:
        return Refusal("decided", "appeal", "This appeal is no longer open.")
    if fault := _conflict_of_interest(appeal, by):
        return fault
    if granted:
        undone = _undo_decision(appeal, by=by, reason=f"Appeal granted: {answer}"[:500], now=now)
        if isinstance(undone, Refusal) and undone.code != "counts":
            return undone
    return _close(appeal_id, Verdict(granted, by, answer.strip(), now))


@dataclass(frozen=True)
class Verdict:
    """A moderator's decision about an appeal."""

    granted: bool
    by: int
    answer: str
    at: datetime


def _conflict_of_interest(appeal: Appeal, by: int) -> Refusal | None:
    if member_of(appeal.player_id) == by:
        return Refusal("own", "appeal", "This is your own appeal. Another moderator has to decide.")
    if _decided_first(appeal) == by and _others_could(appeal, by):
        return Refusal(
            "decided_first",
            "appeal",
            "You made this decision, so another moderator has to review the appeal.",
        )
    return None


def _undo_decision(appeal: Appeal, *, by: int, reason: str, now: datetime) -> object:
    """Lift the sanction or restore the score; a Refusal says why not."""
    player_id, sanction_id, event_id = appeal.player_id, appeal.sanction_id, appeal.event_id
    standing = sanctions.standing(player_id)
    if sanction_id is not None and standing is not None and standing.id == sanction_id:
        return sanctions.lift(player_id, by=by, reason=reason, now=now)
    if event_id is not None:
        return corrections.restore(event_id, by=by, reason=reason, now=now)
    return None


def _close(appeal_id: int, verdict: Verdict) -> Appeal | Refusal:
    try:
        appeal = db.session.get_one(Appeal, appeal_id, populate_existing=True, with_for_update=True)
        if appeal.decided_at is not None:
            return Refusal("decided", "appeal", "Someone else has decided in the meantime.")
        appeal.granted, appeal.answer = verdict.granted, verdict.answer
        appeal.decided_by, appeal.decided_at = verdict.by, verdict.at
        if (member_id := member_of(appeal.player_id)) is not None:
            notices.appeal_answered(
                member_id, appeal_id, verdict.answer, verdict.at, granted=verdict.granted
            )
        audit.record(
            Act.APPEAL_DECIDED,
            actor_id=verdict.by,
            subject=f"player:{appeal.player_id}",
            reason=verdict.answer,
            details={
                "granted": verdict.granted,
                "sanction": appeal.sanction_id,
                "event": str(appeal.event_id) if appeal.event_id else None,
            },
        )
        db.session.commit()
        return appeal
    finally:
        db.session.rollback()


def _decided_first(appeal: Appeal) -> int | None:
    """Return who made the decision that the appeal is about; None: no person."""
    if appeal.sanction_id is not None:
        return db.session.get_one(Sanction, appeal.sanction_id).imposed_by
    last = select(ScoreCorrection.member_id).where(ScoreCorrection.event_id == appeal.event_id)
    return db.session.scalar(last.order_by(ScoreCorrection.id.desc()).limit(1))


def _others_could(appeal: Appeal, by: int) -> bool:
    """Whether somebody else may decide the appeal."""
    appellant = select(Player.member_id).where(
        Player.id == appeal.player_id, Player.member_id.is_not(None)
    )
    others = select(Member.id).where(
        Member.roles.overlap(list(STAFF)),
        Member.id != by,
        Member.id.not_in(appellant),
        Member.banned_at.is_(None),
        Member.suspended_until.is_(None),
    )
    return db.session.scalar(others.limit(1)) is not None
