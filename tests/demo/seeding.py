"""Making the demo season for tests, without what takes long and does not matter to them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db


def register_without_hash(
    username: str, display_name: str, password: str, roles: Collection[str]
) -> Member:
    """In place of `accounts.register`.

    All accounts of the demo have the same password, and hashing it is slow.
    """
    member = Member(
        username=username, display_name=display_name, password_hash="", roles=list(roles)
    )
    db.session.add(member)
    db.session.commit()
    return member


def enter_nothing(game_id: str, steps: int) -> None:
    """Replaces the console, through which the seeding enters the games that have begun."""


def rows(model: type) -> list[tuple[object, ...]]:
    """All rows of the table, by primary key."""
    db.session.expire_all()
    keys = model.__table__.columns
    return [
        tuple(row)
        for row in db.session.execute(select(*keys).order_by(*model.__table__.primary_key.columns))
    ]
