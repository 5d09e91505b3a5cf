"""Search of accounts for moderators: members, also those without scores, and integrators' players.

It searches by name, username, external id, our id, or the fingerprint of an address or device.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from uuid import UUID

from flask import current_app
from sqlalchemy import ColumnElement, or_, select

from app.accounts.models import Integrator, Member, MemberSession, Player
from app.accounts.names import normalised
from app.accounts.placeholders import is_person
from app.core.db import db
from app.core.numbers import MAX_ID, whole_number
from app.scores.events import fingerprint
from app.scores.models import ScoreAttempt

MOST_FINGERPRINTS = 10  # on the page of an account
FINGERPRINT = re.compile("[0-9a-fA-F]{32}")


@dataclass(frozen=True)
class Account:
    """A member or an integrator's player.

    Members who never used a board have no `player_id`. Only players of integrators have an
    `external_id` and an `integrator`. `own_name` is a name that a moderator has taken away.
    """

    name: str
    member_id: int | None
    player_id: UUID | None
    username: str | None = None
    external_id: str | None = None
    integrator: str | None = None
    own_name: str | None = None
    is_hidden: bool = False


@dataclass(frozen=True)
class Accounts:
    """The first accounts that match, exact matches first, and whether there are more."""

    accounts: Sequence[Account]
    has_more: bool


def search(term: str, limit: int) -> Accounts:
    """Search accounts; exact matches come first, then by name.

    An address matches by its fingerprint.
    """
    term = _canonical_address(normalised(term))
    prints = _fingerprints(term)
    players = _players_behind(prints)
    accounts = [
        *_members(term, players, _members_behind(term, prints), limit),
        *_guests(term, players, limit),
    ]
    accounts.sort(
        key=lambda account: (
            not _is_exact(account, term),
            account.name.casefold(),
            str(account.player_id),
        )
    )
    return Accounts(accounts[:limit], len(accounts) > limit)


def fingerprints_of(player: Player) -> list[str]:
    """Return fingerprints of the addresses that this account has used, sorted."""
    sent = select(ScoreAttempt.address).where(
        ScoreAttempt.player_id == player.id, ScoreAttempt.address.is_not(None)
    )
    prints: set[str] = {
        address
        for address in db.session.scalars(sent.distinct().limit(MOST_FINGERPRINTS))
        if address
    }
    if player.member_id is not None:
        used = select(MemberSession.address).where(MemberSession.member_id == player.member_id)
        prints |= {
            _fingerprint(address)
            for address in db.session.scalars(used.distinct().limit(MOST_FINGERPRINTS))
        }
    return sorted(prints)[:MOST_FINGERPRINTS]


def _members(term: str, players: set[UUID], members: set[int], limit: int) -> list[Account]:
    number, uuid = whole_number(term, most=MAX_ID), _uuid(term)
    matches: list[ColumnElement[bool]] = [
        Member.display_name.icontains(term, autoescape=True),
        Member.username.icontains(term, autoescape=True),
        Player.own_name.icontains(term, autoescape=True),
        Member.id.in_(members | ({number} if number is not None else set())),
        Player.id.in_(players | ({uuid} if uuid is not None else set())),
    ]
    query = (
        select(Member, Player)
        .outerjoin(Player, Player.member_id == Member.id)
        .where(or_(*matches), is_person())
        .order_by(Member.id != (number or 0), Member.username != term, Member.display_name != term)
        .order_by(Member.display_name, Member.id)
        .limit(limit + 1)
    )
    return [
        Account(
            member.display_name,
            member.id,
            player.id if player else None,
            username=member.username,
            own_name=player.own_name if player else None,
            is_hidden=player is not None and player.hidden_at is not None,
        )
        for member, player in db.session.execute(query)
    ]


def _guests(term: str, players: set[UUID], limit: int) -> list[Account]:
    uuid = _uuid(term)
    matches: list[ColumnElement[bool]] = [
        Player.display_name.icontains(term, autoescape=True),
        Player.own_name.icontains(term, autoescape=True),
        Player.external_id.icontains(term, autoescape=True),
        Player.id.in_(players | ({uuid} if uuid is not None else set())),
    ]
    query = (
        select(Player, Integrator.name)
        .join(Integrator, Integrator.id == Player.integrator_id)
        .where(or_(*matches))
        .order_by(
            Player.external_id != term, Player.display_name != term, Player.display_name, Player.id
        )
        .limit(limit + 1)
    )
    return [
        Account(
            player.display_name,
            None,
            player.id,
            external_id=player.external_id,
            integrator=integrator,
            own_name=player.own_name,
            is_hidden=player.hidden_at is not None,
        )
        for player, integrator in db.session.execute(query)
    ]


def _is_exact(account: Account, term: str) -> bool:
    keys = (
        account.name,
        account.username,
        account.external_id,
        account.own_name,
        account.member_id,
        account.player_id,
    )
    return term.casefold() in {str(key).casefold() for key in keys if key is not None}


def _fingerprints(term: str) -> set[str]:
    """Return the text if it looks like a fingerprint, and its fingerprint if it is an address."""
    prints = {term.lower()} if FINGERPRINT.fullmatch(term) else set()
    return prints | ({_fingerprint(term)} if _is_address(term) else set())


def _players_behind(prints: set[str]) -> set[UUID]:
    if not prints:
        return set()
    shared = or_(ScoreAttempt.address.in_(prints), ScoreAttempt.device.in_(prints))
    return set(db.session.scalars(select(ScoreAttempt.player_id).where(shared).distinct()))


def _members_behind(term: str, prints: set[str]) -> set[int]:
    """Return members with a session from such an address.

    Sessions store the address itself, so it is hashed here.
    """
    if not prints:
        return set()
    used = select(MemberSession.address).distinct()
    addresses = {
        term,
        *(address for address in db.session.scalars(used) if _fingerprint(address) in prints),
    }
    return set(
        db.session.scalars(
            select(MemberSession.member_id).where(MemberSession.address.in_(addresses))
        )
    )


def _fingerprint(address: str) -> str:
    return fingerprint(current_app.config["SECRET_KEY"], "address", address)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _canonical_address(text: str) -> str:
    """Return an address in its canonical form (RFC 5952), and any other text unchanged.

    >>> [_canonical_address(text) for text in ("2001:DB8:0::9", "::ffff:203.0.113.9", "Eve")]
    ['2001:db8::9', '203.0.113.9', 'Eve']
    """
    try:
        address = ip_address(text)
    except ValueError:
        return text
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
