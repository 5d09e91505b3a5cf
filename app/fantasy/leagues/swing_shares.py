"""Links with which members share a play's swing.

The tables of a league are visible only to its members. Such a link is signed, and shows everybody
who has it a single play with the names of teams and of the league, but of no member. It ends if the
member who made it removes it, leaves the league, is banned or erased.
"""

from __future__ import annotations

from datetime import datetime

from flask import current_app
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts import sanctions
from app.accounts.models import Member
from app.core.db import db, transaction
from app.fantasy.leagues.models import SwingShare

MOST = 100  # of one member; the oldest ends when there are more


def make(league_id: int, member_id: int, game_id: str, play_number: int) -> str:
    """Make the member's link to the play if there is none, and return its token. Commits."""
    values = {
        "league_id": league_id,
        "member_id": member_id,
        "game_id": game_id,
        "play_number": play_number,
    }
    with transaction():
        db.session.execute(insert(SwingShare).values(values).on_conflict_do_nothing())
        newest = (
            select(SwingShare.id)
            .where(SwingShare.member_id == member_id)
            .order_by(SwingShare.id.desc())
            .limit(MOST)
        )
        db.session.execute(
            delete(SwingShare).where(
                SwingShare.member_id == member_id, SwingShare.id.not_in(newest)
            )
        )
    token = token_of(league_id, member_id, game_id, play_number)
    assert token is not None
    return token


def token_of(league_id: int, member_id: int, game_id: str, play_number: int) -> str | None:
    """The token of the member's link to the play; None without one."""
    share_id = db.session.scalar(
        select(SwingShare.id).where(
            SwingShare.league_id == league_id,
            SwingShare.member_id == member_id,
            SwingShare.game_id == game_id,
            SwingShare.play_number == play_number,
        )
    )
    return None if share_id is None else str(_serializer().dumps(share_id))


def find(token: str, now: datetime) -> SwingShare | None:
    """The swing that the link shares.

    None if the signature is wrong, the link was removed, or the member who made it is banned.
    """
    try:
        share_id = _serializer().loads(token)
    except BadSignature:
        return None
    share = db.session.get(SwingShare, share_id, populate_existing=True)
    maker = db.session.get(Member, share.member_id) if share else None
    if maker is None or sanctions.current(maker, now) is not None:
        return None
    return share


def take_back(league_id: int, member_id: int, game_id: str, play_number: int) -> None:
    """My link to the play ends; without one nothing changes. Commits."""
    with transaction():
        db.session.execute(
            delete(SwingShare).where(
                SwingShare.league_id == league_id,
                SwingShare.member_id == member_id,
                SwingShare.game_id == game_id,
                SwingShare.play_number == play_number,
            )
        )


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.swings.share.v1")
