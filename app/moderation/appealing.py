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

    `points`: as people read them; `why`: the last reason, may be empty.
    """

    event_id: UUID
    game: str
    mode: str
    points: str
    at: datetime
    is_rejected: bool
    why: str


def appealable(player_id: UUID) -> tuple[list[Sanction], list[TakenBack]]:
    """What this player may appeal against, the newest first.

    The current sanction (a shadow ban is hidden from them), and scores that were taken back or
    rejected.
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
            event_id=one.event_id,
            game=game,
            mode=mode.title,
            points=points(one.score, mode.decimals),
            at=one.achieved_at,
            is_rejected=one.rolled_back_at is None,
            why=why or "",
        )
        for one, mode, game, why in db.session.execute(query)
    ]


def send(
    player_id: UUID,
    said: str,
    now: datetime,
    *,
    sanction_id: int | None = None,
    event_id: UUID | None = None,
) -> Appeal | Refusal:
    """The player asks for it to be looked at again; one open appeal each. Commits."""
    if fault := text_fault(said):
        return fault
    imposed, scores = appealable(player_id)
    about_sanction = sanction_id is not None and sanction_id in {one.id for one in imposed}
    about_score = event_id is not None and event_id in {one.event_id for one in scores}
    if about_sanction == about_score:
        return Refusal("nothing", "about", "There is nothing of yours like this to appeal against.")
    made = Appeal(
        player_id=player_id,
        sanction_id=sanction_id if about_sanction else None,
        event_id=event_id if about_score else None,
        text=said.strip(),
        created_at=now,
    )
    db.session.add(made)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return Refusal("open", "about", "Your appeal is waiting for a moderator already.")
    return made


@dataclass(frozen=True)
class Case:
    """An appeal. `about`: what was decided; `why`: the reason given then; `by`: who decided."""

    appeal: Appeal
    player: str
    about: str
    why: str
    by: str


def open_appeals() -> list[Case]:
    """The longest waiting first."""
    return [
        _case(row)
        for row in db.session.execute(
            _cases().where(Appeal.decided_at.is_(None)).order_by(Appeal.id)
        )
    ]


def of_player(player_id: UUID) -> list[Case]:
    """All that this player sent, the newest first."""
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
    else:
        about = f"{points(attempt.score, mode.decimals)} in {game}, {mode.title}"
    return Case(appeal, name, about, reason or "", by.display_name if by else "the rules")


def decide(
    appeal_id: int, *, granted: bool, by: int, answer: str, now: datetime
) -> Appeal | Refusal:
    """Ends an appeal.

    Granted, the sanction is lifted or the score counts again. Who made the decision does not decide
    about the appeal where there is another moderator; nobody decides their own. Commits.
    """
    if fault := reason_fault(answer):
        return fault
    found = db.session.get(Appeal, appeal_id, populate_existing=True)
    if found is None or found.decided_at is not None:
        return Refusal("decided", "appeal", "There is no such open appeal (any more).")
    player_id, sanction_id, event_id = found.player_id, found.sanction_id, found.event_id
    if member_of(player_id) == by:
        return Refusal("own", "appeal", "It is your own: another moderator decides.")
    if _decided_first(found) == by and _others_could(found, by):
        return Refusal(
            "decided_first",
            "appeal",
            "You made this decision: another moderator looks at the appeal.",
        )
    if granted:
        standing = sanctions.standing(player_id)
        done: object = None
        if sanction_id is not None and standing is not None and standing.id == sanction_id:
            done = sanctions.lift(
                player_id, by=by, reason=f"Appeal granted: {answer}"[:500], now=now
            )
        elif event_id is not None:
            done = corrections.restore(
                event_id, by=by, reason=f"Appeal granted: {answer}"[:500], now=now
            )
        if isinstance(done, Refusal) and done.code != "counts":
            return done
    try:
        found = db.session.get_one(Appeal, appeal_id, populate_existing=True, with_for_update=True)
        if found.decided_at is not None:
            return Refusal("decided", "appeal", "Somebody else decided meanwhile.")
        found.granted, found.decided_by, found.decided_at, found.answer = (
            granted,
            by,
            now,
            answer.strip(),
        )
        if (member_id := member_of(player_id)) is not None:
            notices.appeal_answered(member_id, appeal_id, answer, now, granted=granted)
        details = {
            "granted": granted,
            "sanction": sanction_id,
            "event": str(event_id) if event_id else None,
        }
        subject = f"player:{player_id}"
        audit.record(
            Act.APPEAL_DECIDED, actor_id=by, subject=subject, reason=answer.strip(), details=details
        )
        db.session.commit()
        return found
    finally:
        db.session.rollback()


def _decided_first(appeal: Appeal) -> int | None:
    """Who decided what it is about; None: nobody in person."""
    if appeal.sanction_id is not None:
        return db.session.get_one(Sanction, appeal.sanction_id).imposed_by
    last = select(ScoreCorrection.member_id).where(ScoreCorrection.event_id == appeal.event_id)
    return db.session.scalar(last.order_by(ScoreCorrection.id.desc()).limit(1))


def _others_could(appeal: Appeal, by: int) -> bool:
    """Whether somebody besides this member may decide about the appeal."""
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
