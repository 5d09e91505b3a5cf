"""Who is kept out, and who stands on no board.

Reads only. Imposing and lifting is in app/moderation/sanctions.py, which writes
`members.banned_at`, `suspended_until`, `is_shadowed` and `players.banned_until`, `hidden_at`
together (decision 0022).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import Flask, current_app, has_request_context, request
from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy import ColumnElement, Uuid, and_, case, cast, event, exists, func, select, text
from sqlalchemy.orm import aliased

from app.accounts.models import Member, Player
from app.core.db import db
from app.core.viewer import current_user

FORMER = "A former member"
APPEAL_SECONDS = 3600
FOR_EVER = datetime(9999, 1, 1, tzinfo=UTC)  # of players.banned_until: a ban has no end


@dataclass(frozen=True)
class Sanction:
    """What keeps a member out. `until` None: for good."""

    until: datetime | None


def current(member: Member, now: datetime) -> Sanction | None:
    """What keeps this member out at this moment; a shadow ban does not."""
    if member.banned_at is not None:
        return Sanction(None)
    if member.suspended_until is not None and now < member.suspended_until:
        return Sanction(member.suspended_until)
    return None


def is_active() -> ColumnElement[bool]:
    """For a query with Member: whether they may sign in.

    A suspension counts until it is lifted; a shadow ban does not keep anybody out.
    """
    return and_(
        Member.banned_at.is_(None), Member.suspended_until.is_(None), Member.erased_at.is_(None)
    )


def is_barred(player_id: UUID, now: datetime) -> bool:
    """Whether this player's tokens are worth nothing at this moment."""
    until = db.session.scalar(select(Player.banned_until).where(Player.id == player_id))
    return until is not None and now < until


def hidden_among(player_ids: Collection[UUID]) -> set[UUID]:
    """Those who stand on no board."""
    if not player_ids:
        return set()
    found = select(Player.id).where(Player.id.in_(player_ids), Player.hidden_at.is_not(None))
    return set(db.session.scalars(found))


# For SQL: true for whoever stands on boards; {0} is a column. Who is shadow banned is seen by
# themselves: their requests name them to PostgreSQL (`show_to_themselves`).
VIEWER = "nullif(current_setting('pressbox.viewer', true), '')"
SEEN_PLAYER = f"""NOT EXISTS (SELECT FROM players hidden
  WHERE hidden.id = {{0}} AND hidden.hidden_at IS NOT NULL
  AND hidden.id IS DISTINCT FROM CAST({VIEWER} AS uuid))"""  # noqa: S608 (made of our own words alone)
SEEN_MEMBER = f"""NOT EXISTS (SELECT FROM players hidden
  WHERE hidden.member_id = {{0}} AND hidden.hidden_at IS NOT NULL
  AND hidden.id IS DISTINCT FROM CAST({VIEWER} AS uuid))"""  # noqa: S608


def seen_member(column: Any) -> ColumnElement[bool]:
    """SEEN_MEMBER for a query's column."""
    return _seen(lambda hidden: hidden.member_id == column)


def seen_player(column: Any) -> ColumnElement[bool]:
    """SEEN_PLAYER for a query's column."""
    return _seen(lambda hidden: hidden.id == column)


def shown_name(member: Any) -> ColumnElement[str]:
    """For a query: the member's display name, FORMER for whoever stands on no board.

    `member`: Member or an alias.
    """
    return case((seen_member(member.id), member.display_name), else_=FORMER)


def _seen(is_it: Callable[[Any], ColumnElement[bool]]) -> ColumnElement[bool]:
    hidden = aliased(Player)
    viewer = cast(func.nullif(func.current_setting("pressbox.viewer", True), ""), Uuid)
    return ~exists().where(
        is_it(hidden), hidden.hidden_at.is_not(None), hidden.id.is_distinct_from(viewer)
    )


def show_to_themselves(member: Member) -> None:
    """From now on this request's reads show this member on boards, where they are shadow banned."""
    if member.is_shadowed:
        _note_viewer(
            db.session.scalars(select(Player.id).where(Player.member_id == member.id)).one()
        )


def admits(
    player_id: UUID, banned_until: datetime | None, hidden_at: datetime | None, now: datetime
) -> bool:
    """Whether the player who signed this request with a token may come in.

    One who is shadow banned sees themselves on boards from now on.
    """
    if banned_until is not None and now < banned_until:
        return False
    if hidden_at is not None:
        _note_viewer(player_id)
    return True


def shadowed_viewer() -> UUID | None:
    """The player whose browser or app sent this request, if they are shadow banned."""
    if not has_request_context():
        return None
    if _VIEWER not in request.environ:
        current_user.is_authenticated  # noqa: B018 (whoever is signed in by a cookie is found here)
    found: UUID | None = request.environ.get(_VIEWER)
    return found


_VIEWER = "pressbox.viewer"


def _note_viewer(player_id: UUID) -> None:
    request.environ[_VIEWER] = player_id
    if db.session().in_transaction():
        _name_viewer(db.session)  # each later transaction is told at its beginning


def init_app(app: Flask) -> None:
    """Tell PostgreSQL at the start of each transaction who is looking."""
    with app.app_context():
        event.listen(
            db.session,
            "after_begin",
            lambda _session, _transaction, connection: _name_viewer(connection),
        )


def _name_viewer(connection: Any) -> None:
    """Not asking who is signed in, which would begin transactions of its own."""
    if has_request_context() and (viewer := request.environ.get(_VIEWER)) is not None:
        connection.execute(
            text("SELECT set_config('pressbox.viewer', :viewer, true)"), {"viewer": str(viewer)}
        )


def appeal_token(member: Member) -> str:
    """Let somebody who is kept out, and has just proved who they are, appeal for a while."""
    signed = _appeals().dumps(member.id)
    return signed.decode() if isinstance(signed, bytes) else signed


def read_appeal_token(token: str) -> int | None:
    """The member; None for a token that is not ours or has ended."""
    try:
        return int(_appeals().loads(token, max_age=APPEAL_SECONDS))
    except BadData:
        return None


def _appeals() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.config["SECRET_KEY"], salt="pressbox.appeal.v1")
