"""Reads who is banned or suspended, and who is hidden from boards.

app/moderation/sanctions.py imposes and lifts sanctions; it writes `members.banned_at`,
`suspended_until`, `is_shadowed` and `players.banned_until`, `hidden_at` together (decision 0022).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import Flask, current_app, has_request_context, request
from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy import ColumnElement, Uuid, and_, case, cast, event, exists, func, select, text
from sqlalchemy.orm import aliased

from app.accounts.models import Member, Player
from app.accounts.placeholders import is_person
from app.core.db import db
from app.core.viewer import current_user

FORMER = "A former member"
APPEAL_SECONDS = 3600
FOR_EVER = datetime(9999, 1, 1, tzinfo=UTC)  # in players.banned_until: a ban has no end


@dataclass(frozen=True)
class Sanction:
    """A ban (`until` is None) or a suspension."""

    until: datetime | None


def current(member: Member, now: datetime) -> Sanction | None:
    """Return the ban or suspension of this member at this moment; a shadow ban is none."""
    if member.banned_at is not None:
        return Sanction(None)
    if member.suspended_until is not None and now < member.suspended_until:
        return Sanction(member.suspended_until)
    return None


def is_active() -> ColumnElement[bool]:
    """Return a condition on Member: whether they may sign in.

    A suspension counts until it is lifted; members with a shadow ban may sign in, placeholders not.
    """
    return and_(
        is_person(),
        Member.banned_at.is_(None),
        Member.suspended_until.is_(None),
        Member.erased_at.is_(None),
    )


def is_barred(player_id: UUID, now: datetime) -> bool:
    """Whether this player is banned at this moment, so that their tokens are not accepted."""
    until = db.session.scalar(select(Player.banned_until).where(Player.id == player_id))
    return until is not None and now < until


def hidden_among(player_ids: Collection[UUID]) -> set[UUID]:
    """Return those of these players who are hidden from boards."""
    if not player_ids:
        return set()
    hidden = select(Player.id).where(Player.id.in_(player_ids), Player.hidden_at.is_not(None))
    return set(db.session.scalars(hidden))


# SQL conditions, true for players who stand on boards; {0} is a column. Players with a shadow ban
# see themselves: their requests name them to PostgreSQL (`show_to_themselves`).
VIEWER = "nullif(current_setting('pressbox.viewer', true), '')"
SEEN_PLAYER = f"""NOT EXISTS (SELECT FROM players hidden
  WHERE hidden.id = {{0}} AND hidden.hidden_at IS NOT NULL
  AND hidden.id IS DISTINCT FROM CAST({VIEWER} AS uuid))"""  # noqa: S608 (no input in it)
SEEN_MEMBER = f"""NOT EXISTS (SELECT FROM players hidden
  WHERE hidden.member_id = {{0}} AND hidden.hidden_at IS NOT NULL
  AND hidden.id IS DISTINCT FROM CAST({VIEWER} AS uuid))"""  # noqa: S608


def seen_member(column: Any) -> ColumnElement[bool]:
    """Return SEEN_MEMBER for a column of a query."""
    return _seen(lambda hidden: hidden.member_id == column)


def seen_player(column: Any) -> ColumnElement[bool]:
    """Return SEEN_PLAYER for a column of a query."""
    return _seen(lambda hidden: hidden.id == column)


def shown_name(member: Any) -> ColumnElement[str]:
    """Return an expression for the display name, or FORMER for members hidden from boards.

    `member` is Member or an alias.
    """
    return case((seen_member(member.id), member.display_name), else_=FORMER)


def _seen(matches: Callable[[Any], ColumnElement[bool]]) -> ColumnElement[bool]:
    hidden = aliased(Player)
    viewer = cast(func.nullif(func.current_setting("pressbox.viewer", True), ""), Uuid)
    return ~exists().where(
        matches(hidden), hidden.hidden_at.is_not(None), hidden.id.is_distinct_from(viewer)
    )


def show_to_themselves(member: Member) -> None:
    """Let this request see the member on boards even if they have a shadow ban."""
    if member.is_shadowed:
        _note_viewer(
            db.session.scalars(select(Player.id).where(Player.member_id == member.id)).one()
        )


def admits(
    player_id: UUID, banned_until: datetime | None, hidden_at: datetime | None, now: datetime
) -> bool:
    """Whether the player whose token this request carries is admitted.

    From now on the request sees a player with a shadow ban on boards.
    """
    if banned_until is not None and now < banned_until:
        return False
    if hidden_at is not None:
        _note_viewer(player_id)
    return True


def shadowed_viewer() -> UUID | None:
    """Return the player who sent this request, if they have a shadow ban."""
    if not has_request_context():
        return None
    if _VIEWER not in request.environ:
        current_user.is_authenticated  # noqa: B018 (loads the member of the cookie)
    viewer: UUID | None = request.environ.get(_VIEWER)
    return viewer


_VIEWER = "pressbox.viewer"
_viewer_of_job: ContextVar[UUID | None] = ContextVar("viewer_of_job", default=None)


def _note_viewer(player_id: UUID) -> None:
    request.environ[_VIEWER] = player_id
    if db.session().in_transaction():
        _name_viewer(db.session)  # later transactions are told when they begin


@contextmanager
def shown_to_themselves(member: Member) -> Iterator[None]:
    """Let a job see the member on boards, as the member's own requests do. Ends the transaction."""
    player_id = db.session.scalars(select(Player.id).where(Player.member_id == member.id)).one()
    db.session.rollback()
    token = _viewer_of_job.set(player_id)
    try:
        yield
    finally:
        db.session.rollback()
        _viewer_of_job.reset(token)


def init_app(app: Flask) -> None:
    """Tell PostgreSQL at the start of each transaction who is looking."""
    with app.app_context():
        event.listen(
            db.session,
            "after_begin",
            lambda _session, _transaction, connection: _name_viewer(connection),
        )


def _name_viewer(connection: Any) -> None:
    """Name the viewer; this does not load the member, which would begin a transaction."""
    viewer = request.environ.get(_VIEWER) if has_request_context() else _viewer_of_job.get()
    if viewer is not None:
        connection.execute(
            text("SELECT set_config('pressbox.viewer', :viewer, true)"), {"viewer": str(viewer)}
        )


def appeal_token(member: Member) -> str:
    """Return a token with which a banned member, who has just proved who they are, may appeal."""
    signed = _appeals().dumps(member.id)
    return signed.decode() if isinstance(signed, bytes) else signed


def read_appeal_token(token: str) -> int | None:
    """Return the member's id, or None for a token that is not ours or has expired."""
    try:
        return int(_appeals().loads(token, max_age=APPEAL_SECONDS))
    except BadData:
        return None


def _appeals() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.config["SECRET_KEY"], salt="pressbox.appeal.v1")
