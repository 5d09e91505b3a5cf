"""Names that leagues, teams and pools may have, and free addresses and invite codes.

Only the caller commits.
"""

from __future__ import annotations

import secrets

from sqlalchemy import select, text

from app.accounts.names import normalised
from app.accounts.services import group_name_fault
from app.core.db import db
from app.core.postgres.advisory_locks import Lock
from app.core.refusals import Refusal
from app.fantasy.leagues import rules
from app.fantasy.leagues.rules import CODE_LENGTH, CODE_LETTERS, LEAGUE_NAME_MAX, slug_of
from app.fantasy.standings.models import League


def name_refusals(name: str, field: str = "name", most: int = LEAGUE_NAME_MAX) -> list[Refusal]:
    """Return what is wrong with a name: its characters (rules.py), or what it says."""
    if refused := rules.name_refusals(name, field, most):
        return refused
    fault = group_name_fault(normalised(name))
    return [Refusal("name", field, fault)] if fault else []


def free_slug(name: str) -> str:
    """A free address made of the name.

    Nobody else gets an address until the transaction ends.
    """
    db.session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": Lock.LEAGUE_SLUGS})
    stem = slug_of(name, ())
    taken = db.session.scalars(
        select(League.slug).where(League.slug.startswith(stem, autoescape=True))
    )
    return slug_of(name, set(taken))


def new_code() -> str:
    """Return a random invite code."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
