"""What operators do with accounts: make one, give and take roles, bind scorers to games, hand out
links for a password.

Each act is one transaction with its entry in the audit. `actor_id` None: the command line of the
server. Not here: bans and suspensions (app/moderation), what members do themselves (services.py,
passwords.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, or_, select

from app.accounts import links, member_sessions, rules, second_factors, services
from app.accounts.models import Member, OneTimeLink, ScorerGame
from app.accounts.sanctions import is_active
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db

NO_PASSWORD = "!"  # noqa: S105  (no hash: nothing fits it)
LONGEST_REASON = 300


@dataclass(frozen=True)
class Made:
    """`token`: of the link with which the person sets their password; nobody can show it again."""

    member: Member
    token: str


def create(
    username: str,
    display_name: str,
    roles: Collection[str],
    now: datetime,
    *,
    actor_id: int | None,
    reason: str,
) -> Made | dict[str, str]:
    """A new account without a password and a link to set one, or what to change by field."""
    if faults := _faults_of(roles, reason):
        return faults
    made = services.new_member(username, display_name, NO_PASSWORD, roles)
    if isinstance(made, dict):
        db.session.rollback()
        return made
    token = links.make(made.id, "password", now, links.LIFETIME_BY_OPERATOR, made_by=actor_id)
    audit.record(
        Act.ACCOUNT_MADE,
        actor_id=actor_id,
        subject=f"member:{made.id}",
        reason=reason,
        details={"roles": made.roles},
    )
    db.session.commit()
    return Made(made, token)


def end_sessions(
    member: Member, now: datetime, *, actor_id: int | None, reason: str
) -> int | dict[str, str]:
    """Signs the member out everywhere, player tokens included: how many sessions ended, or what to
    change.
    """
    if faults := _faults_of((), reason):
        return faults
    ended = member_sessions.end_all(member.id, now)
    audit.record(
        Act.SESSIONS_ENDED,
        actor_id=actor_id,
        subject=f"member:{member.id}",
        reason=reason,
        details={"sessions": ended},
    )
    db.session.commit()
    return ended


def set_roles(
    member: Member,
    roles: Collection[str],
    games: Sequence[str],
    *,
    actor_id: int | None,
    reason: str,
) -> dict[str, str]:
    """Gives the member exactly these roles, effective with their next request.

    Empty, or what to change by field.

    `games`: those that a scorer may score; none: all.
    """
    faults = _faults_of(roles, reason)
    db.session.execute(
        select(Member.id).where(Member.roles.contains(["operator"])).with_for_update()
    )
    db.session.refresh(member)
    if "operator" in member.roles and "operator" not in roles and _active_operators() <= 1:
        faults["roles"] = f"{member.username} is the only operator: make another one first."
    if games and "scorer" not in roles:
        faults["games"] = "Only a scorer is bound to games: tick scorer, or leave the games out."
    if faults:
        db.session.rollback()
        return faults
    before = {"roles": list(member.roles), "games": games_of(member.id)}
    member.roles = sorted(set(roles))
    db.session.execute(delete(ScorerGame).where(ScorerGame.member_id == member.id))
    db.session.add_all(
        ScorerGame(member_id=member.id, game_id=game) for game in dict.fromkeys(games)
    )
    audit.record(
        Act.ROLES_CHANGED,
        actor_id=actor_id,
        subject=f"member:{member.id}",
        reason=reason,
        details={"before": before, "roles": member.roles, "games": list(games)},
    )
    db.session.commit()
    return {}


def reset(
    member: Member, now: datetime, *, actor_id: int | None, reason: str, second_factor: bool = False
) -> str | dict[str, str]:
    """The token of a link with which the member sets a new password, or what to change by field.

    `second_factor`: also takes away what they lost, authenticator app and passkeys; only then are
    they signed out now.
    """
    if faults := _faults_of((), reason):
        return faults
    token = links.make(member.id, "password", now, links.LIFETIME_BY_OPERATOR, made_by=actor_id)
    if second_factor:
        second_factors.remove_all(member.id, now)
        audit.record(
            Act.SECOND_FACTOR_REMOVED,
            actor_id=actor_id,
            subject=f"member:{member.id}",
            reason=reason,
        )
    audit.record(
        Act.PASSWORD_LINK_MADE, actor_id=actor_id, subject=f"member:{member.id}", reason=reason
    )
    db.session.commit()
    return token


def games_of(member_id: int) -> list[str]:
    """The games that a scorer is bound to, sorted; none: every game."""
    query = (
        select(ScorerGame.game_id)
        .where(ScorerGame.member_id == member_id)
        .order_by(ScorerGame.game_id)
    )
    return list(db.session.scalars(query))


def may_score(member_id: int, game_id: str) -> bool:
    """Whether a scorer may score this game."""
    bound = games_of(member_id)
    return not bound or game_id in bound


def search(text: str, role: str, number: int, rows: int) -> tuple[list[Member], int]:
    """The page with this number (from 1) of accounts by username, and how many there are in all.

    `text`: part of the username or of the name shown; `role`: only those who have it, `staff` for
    any, '' for all.
    """
    query = select(Member)
    if text:
        pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        query = query.where(or_(Member.username.ilike(pattern), Member.display_name.ilike(pattern)))
    if role == "staff":
        query = query.where(Member.roles != [])
    elif role:
        query = query.where(Member.roles.contains([role]))
    total = db.session.scalar(select(func.count()).select_from(query.subquery())) or 0
    order = query.order_by(func.lower(Member.username)).limit(rows).offset((number - 1) * rows)
    return list(db.session.scalars(order)), total


def open_link(member_id: int, now: datetime) -> datetime | None:
    """Until when a link for the member's password is good; None: there is none."""
    query = select(func.max(OneTimeLink.expires_at)).where(
        OneTimeLink.member_id == member_id,
        OneTimeLink.purpose == "password",
        OneTimeLink.used_at.is_(None),
        OneTimeLink.expires_at > now,
    )
    return db.session.scalar(query)


def _active_operators() -> int:
    operators = select(func.count(Member.id)).where(
        Member.roles.contains(["operator"]), is_active()
    )
    return db.session.scalar(operators) or 0


def _faults_of(roles: Collection[str], reason: str) -> dict[str, str]:
    faults = {}
    if unknown := set(roles) - set(rules.ROLES):
        faults["roles"] = f"There is no role {sorted(unknown)[0]!r}: use {', '.join(rules.ROLES)}."
    if not 3 <= len(reason.strip()) <= LONGEST_REASON:
        faults["reason"] = f"Say why, in 3 to {LONGEST_REASON} characters: it is kept in the audit."
    return faults
