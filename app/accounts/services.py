"""Registering, and checking passwords and names. One function is one transaction."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from flask import current_app
from psycopg.errors import UniqueViolation
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from app.accounts import names, rules
from app.accounts.models import Member
from app.accounts.placeholders import is_person
from app.core.db import db

# Argon2id at the library's cost (RFC 9106); tests replace it by a cheap one.
hasher = cache(PasswordHasher)


@cache
def _hash_of_nobody() -> str:
    """Return a hash to verify for unknown names, so that they take as long as known ones."""
    return hasher().hash("nobody has this password")


def find_member(username: str) -> Member | None:
    """Return the member of this username, or None."""
    return db.session.scalar(
        select(Member).where(func.lower(Member.username) == username.strip().lower(), is_person())
    )


def find_person(member_id: int) -> Member | None:
    """Return the member, or None; a placeholder is nobody."""
    return db.session.scalar(select(Member).where(Member.id == member_id, is_person()))


def register(
    username: str, display_name: str, password: str, roles: Collection[str] = ()
) -> Member | dict[str, str]:
    """Create an account. Commits.

    Returns:
        The member, or what to change: one sentence per field (`username`, `display_name`,
        `password`).
    """
    fault = rules.password_fault(password, username.strip(), display_name)
    member = new_member(username, display_name, "" if fault else hasher().hash(password), roles)
    if isinstance(member, dict) or fault:
        db.session.rollback()
        return (member if isinstance(member, dict) else {}) | ({"password": fault} if fault else {})
    db.session.commit()
    return member


def new_member(
    username: str, display_name: str, password_hash: str, roles: Collection[str] = ()
) -> Member | dict[str, str]:
    """Create a member with an id. The caller commits, or rolls back.

    Returns:
        The member, or what to change, by field (`username`, `display_name`).
    """
    username, display_name = username.strip(), names.normalised(display_name)
    faults = {"username": rules.username_fault(username), "display_name": names.fault(display_name)}
    if not roles:
        for field, name in (("username", username), ("display_name", display_name)):
            faults[field] = faults[field] or _likeness_fault(name)
    refusals = {name: fault for name, fault in faults.items() if fault}
    if refusals:
        return refusals
    member = Member(
        username=username,
        display_name=display_name,
        password_hash=password_hash,
        roles=sorted(set(roles)),
    )
    db.session.add(member)
    try:
        db.session.flush()
    except IntegrityError as error:
        db.session.rollback()
        if not isinstance(error.orig, UniqueViolation):
            raise
        return {"username": "This username is taken. Choose another one."}
    return member


def public_name_fault(name: str, longest: int = names.LONGEST) -> str | None:
    """Return what to change about a normalised name that everybody sees, or None.

    The rules of the registration form, for everything else that has a name: players, guilds, games,
    modes, competitions, integrators.
    """
    return names.fault(name, longest) or _likeness_fault(name)


def group_name_fault(name: str) -> str | None:
    """Return what to change about the normalised name of a league, a team or a pool, or None.

    It may be anybody's name, but not that of an office, and must not contain a refused word.
    """
    return names.group_fault(name, _refused_words())


def _likeness_fault(name: str) -> str | None:
    return names.likeness_fault(name, staff_names(), _refused_words())


def _refused_words() -> tuple[str, ...]:
    return refused_words(current_app.config["PRESSBOX"].refused_names_file)


def staff_names() -> list[str]:
    """Return usernames and display names of everybody with a role."""
    rows = db.session.execute(
        select(Member.username, Member.display_name).where(Member.roles != [])
    )
    return [name for row in rows for name in row]


@cache
def refused_words(path: str) -> tuple[str, ...]:
    """Read the words that no name may contain (REFUSED_NAMES_FILE), once."""
    if not path:
        return ()
    lines = (line.strip() for line in Path(path).read_text().splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def check_password(username: str, password: str) -> Member | None:
    """Return the member if username and password match, otherwise None.

    Every failure takes the same time: unknown names, accounts without a password and wrong
    passwords each cost one hash.
    """
    nobody = _hash_of_nobody()
    member = find_member(username)
    matches = _matches(member.password_hash if member else nobody, password, nobody)
    return member if matches else None


def has_password(member: Member, password: str) -> bool:
    """Whether this is the member's password."""
    return _matches(member.password_hash, password, _hash_of_nobody())


def _matches(password_hash: str, password: str, nobody: str) -> bool:
    try:
        return hasher().verify(password_hash, password)
    except VerifyMismatchError:
        return False
    except InvalidHashError:  # an account without a password
        with suppress(VerifyMismatchError):
            hasher().verify(nobody, password)
        return False
