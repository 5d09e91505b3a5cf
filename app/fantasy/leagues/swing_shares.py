"""Links to a play's swing that members make on purpose.

Signed, for whoever has them, until they are taken back.

A league's tables are its members'. Such a link shows one play alone, with the names of teams and of
the league, and never a member's name. It ends when its maker takes it back, leaves the league, is
banned or erased.
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
    """The token of my link to the play; the one that is there, where there is one. Commits."""
    mine = {
        "league_id": league_id,
        "member_id": member_id,
        "game_id": game_id,
        "play_number": play_number,
    }
    with transaction():
        db.session.execute(insert(SwingShare).values(mine).on_conflict_do_nothing())
        kept = (
            select(SwingShare.id)
            .where(SwingShare.member_id == member_id)
            .order_by(SwingShare.id.desc())
            .limit(MOST)
        )
        db.session.execute(
            delete(SwingShare).where(SwingShare.member_id == member_id, SwingShare.id.not_in(kept))
        )
    token = token_of(league_id, member_id, game_id, play_number)
    assert token is not None
    return token


def token_of(league_id: int, member_id: int, game_id: str, play_number: int) -> str | None:
    """Of my link to the play; None without one."""
    found = db.session.scalar(
        select(SwingShare.id).where(
            SwingShare.league_id == league_id,
            SwingShare.member_id == member_id,
            SwingShare.game_id == game_id,
            SwingShare.play_number == play_number,
        )
    )
    return None if found is None else str(_serializer().dumps(found))


def find(token: str, now: datetime) -> SwingShare | None:
    """What the link shows.

    None for one that we did not sign, that was taken back, or whose maker is banned.
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
