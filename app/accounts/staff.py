"""What operators do with accounts: create them, set roles, hand out links for passwords.

Each act is one transaction with its entry in the audit. An `actor_id` of None is the command line
of the server. Bans and suspensions are in app/moderation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, or_, select

from app.accounts import links, member_sessions, rules, second_factors, services
from app.accounts.models import Member, OneTimeLink, ScorerGame
from app.accounts.placeholders import is_person
from app.accounts.sanctions import is_active
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value

NO_PASSWORD = "!"  # noqa: S105  (not a hash: no password matches it)
SCORERS_GAMES = "scorers-games:{member}"  # the cache key of the games that a scorer is bound to
SHORTEST_REASON, LONGEST_REASON = 3, 300


@dataclass(frozen=True)
class NewAccount:
    """An account to create."""

    username: str
    display_name: str
    roles: Collection[str]


@dataclass(frozen=True)
class CreatedAccount:
    """A new member, and the token of the link that sets their password; it is shown only once."""

    member: Member
    token: str


def create(
    account: NewAccount, now: datetime, *, actor_id: int | None, reason: str
) -> CreatedAccount | dict[str, str]:
    """Create an account without a password, and a link to set one.

    Returns:
        The account, or what to change, by field.
    """
    if faults := _faults_of(account.roles, reason):
        return faults
    member = services.new_member(account.username, account.display_name, NO_PASSWORD, account.roles)
    if isinstance(member, dict):
        db.session.rollback()
        return member
    token = links.make(member.id, now, links.LIFETIME_BY_OPERATOR, made_by=actor_id)
    audit.record(
        Act.ACCOUNT_MADE,
        actor_id=actor_id,
        subject=f"member:{member.id}",
        reason=reason,
        details={"roles": member.roles},
    )
    db.session.commit()
    return CreatedAccount(member, token)


def end_sessions(
    member: Member, now: datetime, *, actor_id: int | None, reason: str
) -> int | dict[str, str]:
    """Sign the member out everywhere, player tokens included.

    Returns:
        The number of sessions that ended, or what to change, by field.
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
    """Give the member exactly these roles, from their next request on.

    Args:
        member: Whose roles they are.
        roles: All roles of the member.
        games: Those that a scorer may score; none: all.
        actor_id: The operator.
        reason: For the audit.

    Returns:
        What to change, by field; empty if it is done.
    """
    faults = _faults_of(roles, reason)
    db.session.execute(
        select(Member.id).where(Member.roles.contains(["operator"])).with_for_update()
    )
    db.session.refresh(member)
    if "operator" in member.roles and "operator" not in roles and _active_operators() <= 1:
        faults["roles"] = (
            f"{member.username} is the only operator. Make someone else an operator first."
        )
    if games and "scorer" not in roles:
        faults["games"] = (
            "Only scorers can be limited to certain games. Check Scorer or leave the games blank."
        )
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
    """Make a link with which the member sets a new password.

    With `second_factor`, their authenticator app and passkeys, which they have lost, are removed
    and they are signed out at once.

    Returns:
        The token of the link, or what to change, by field.
    """
    if faults := _faults_of((), reason):
        return faults
    token = links.make(member.id, now, links.LIFETIME_BY_OPERATOR, made_by=actor_id)
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
    """Return the games that a scorer is bound to, sorted; none: every game."""
    query = (
        select(ScorerGame.game_id)
        .where(ScorerGame.member_id == member_id)
        .order_by(ScorerGame.game_id)
    )
    return list(db.session.scalars(query))


def cached_games_of(member_id: int) -> list[str]:
    """Like `games_of`, from the page cache. A change counts from the next request on."""

    def load() -> CachedValue[list[str]]:
        return CachedValue(games_of(member_id), [f"member:{member_id}"])

    return cached_value(SCORERS_GAMES.format(member=member_id), list[str], load)


def may_score(member_id: int, game_id: str) -> bool:
    """Whether a scorer may score this game."""
    bound = cached_games_of(member_id)
    return not bound or game_id in bound


def search(text: str, role: str, number: int, rows: int) -> tuple[list[Member], int]:
    """Search accounts, ordered by username.

    Args:
        text: Part of the username or of the display name.
        role: Only accounts with this role, or with any for `staff`; empty: all accounts.
        number: Of the page, from 1.
        rows: Per page.

    Returns:
        The page, and the number of all results.
    """
    query = select(Member).where(is_person())
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
    """Return until when a link for the member's password is good, or None."""
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
    if not SHORTEST_REASON <= len(reason.strip()) <= LONGEST_REASON:
        faults["reason"] = (
            f"Give a reason of {SHORTEST_REASON} to {LONGEST_REASON} characters. It is kept in "
            "the audit log."
        )
    return faults
