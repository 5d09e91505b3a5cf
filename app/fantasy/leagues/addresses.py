"""Addresses and invite codes for leagues and pools that nobody has yet. Only whoever calls commits."""

from __future__ import annotations

import secrets

from sqlalchemy import select, text

from app.core.db import db
from app.core.locks import Lock
from app.fantasy.leagues.rules import CODE_LENGTH, CODE_LETTERS, slug_of
from app.fantasy.standings.models import League


def free_slug(name: str) -> str:
    """An address made of the name that no league has. Nobody else is given one until the transaction ends."""
    db.session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": Lock.LEAGUE_SLUGS})
    stem = slug_of(name, ())
    taken = db.session.scalars(select(League.slug).where(League.slug.startswith(stem, autoescape=True)))
    return slug_of(name, set(taken))


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
