"""People and their machines: who may sign in, who stands on boards, and who may send scores."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from flask_login import UserMixin
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.countries import COUNTRIES
from app.accounts.crests import COLOURS
from app.accounts.rules import FIRST_BIRTH_YEAR, ROLES, THEMES, TIME_FORMATS
from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model


class Member(UserMixin, db.Model):  # type: ignore[name-defined]
    """A person with an account.

    Usernames are unique regardless of case. `country` is an ISO 3166 code of two letters, `email` a
    confirmed address for links that set a new password. `roles` are those of staff, sorted, in any
    combination. `feed_version` is the version of the secret address of the member's feed of
    notices; a new one ends the old address. `birth_year` is shown to nobody but the member;
    `is_minor` follows from it and from a moderator's mark, `is_marked_minor` (minors.py).
    `picture` is the name of an uploaded picture (member_pictures.py); `colour` the chosen color of
    their teams, if any (crests.py). `theme` and `time_format` are
    how pages look for the member (appearance.py). `banned_at`, `suspended_until` and `is_shadowed`
    are the current sanction (app/moderation/sanctions.py).
    """

    __tablename__ = "members"

    id: Mapped[BigId]
    username: Mapped[str]
    display_name: Mapped[str]
    password_hash: Mapped[str]
    roles: Mapped[list[str]] = mapped_column(ARRAY(TEXT), server_default="{}")
    country: Mapped[str | None]
    email: Mapped[str | None]
    feed_version: Mapped[int] = mapped_column(server_default="1")
    theme: Mapped[str] = mapped_column(server_default="system")
    time_format: Mapped[str] = mapped_column(server_default="system")
    created_at: Mapped[CreatedAt]
    banned_at: Mapped[datetime | None]
    suspended_until: Mapped[datetime | None]
    is_shadowed: Mapped[bool] = mapped_column(server_default="false")
    picture: Mapped[str | None]
    colour: Mapped[int | None] = mapped_column(SmallInteger)
    birth_year: Mapped[int | None] = mapped_column(SmallInteger)
    is_minor: Mapped[bool] = mapped_column(server_default="false")
    is_marked_minor: Mapped[bool] = mapped_column(server_default="false")
    erased_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint(f"country in {tuple(sorted(COUNTRIES))}", name="country"),
        Index("uq_members_username", text("lower(username)"), unique=True),
        CheckConstraint(f"roles <@ ARRAY[{', '.join(repr(role) for role in ROLES)}]", name="roles"),
        CheckConstraint(f"theme in {THEMES}", name="theme"),
        CheckConstraint(f"time_format in {TIME_FORMATS}", name="time_format"),
        CheckConstraint(f"colour BETWEEN 1 AND {len(COLOURS)}", name="colour"),
        CheckConstraint(f"birth_year BETWEEN {FIRST_BIRTH_YEAR} AND 2100", name="birth_year"),
        CheckConstraint("is_minor OR NOT is_marked_minor", name="marked_minor"),
        Index("ix_members_minor", "birth_year", postgresql_where=text("is_minor")),
    )

    # For this request: in production, roles need a session with a second factor (sessions.py).
    roles_withheld = False

    def has_role(self, *roles: str) -> bool:
        """Whether the member has one of these roles, and it is not withheld in this session."""
        return not self.roles_withheld and not set(roles).isdisjoint(self.roles)


class Integrator(Model):
    """An organisation whose games have boards here; the member `owner_id` manages its keys.

    From `deleting_at` on it is hidden, and a job deletes it with its games and players.
    """

    __tablename__ = "integrators"

    id: Mapped[BigId]
    name: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("members.id"))
    created_at: Mapped[CreatedAt]
    deleting_at: Mapped[datetime | None]


class ApiKey(Model):
    """A key of an integrator's servers.

    Only its SHA-256 is stored; people tell keys apart by `prefix`.
    """

    __tablename__ = "api_keys"

    id: Mapped[BigId]
    integrator_id: Mapped[int] = mapped_column(ForeignKey("integrators.id", ondelete="CASCADE"))
    name: Mapped[str]
    prefix: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_api_keys_integrator_id", "integrator_id"),)


class Player(Model):
    """Who stands on boards: a member (`member_id`) or an integrator's player (`external_id`).

    Attributes:
        own_name: The name that its owner last gave, while a plain one is in `display_name`, because
            a moderator took the name or marked a minor; otherwise empty.
        is_name_taken: Whether a moderator took the name away, and has not given it back.
        name_waits: Boards in Redis may still show the previous name; a trigger sets it.
        erased_at: When an integrator had the person erased; their name and external id are gone.
        banned_until: No scores and no tokens until then (sanctions.py).
        hidden_at: On no board since then (sanctions.py).
    """

    __tablename__ = "players"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    display_name: Mapped[str]
    own_name: Mapped[str | None]
    is_name_taken: Mapped[bool] = mapped_column(server_default=text("false"))
    name_waits: Mapped[bool] = mapped_column(server_default=text("false"))
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id"), unique=True)
    integrator_id: Mapped[int | None] = mapped_column(ForeignKey("integrators.id"))
    external_id: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    banned_until: Mapped[datetime | None]
    hidden_at: Mapped[datetime | None]
    erased_at: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_players_name_waits", "id", postgresql_where=text("name_waits")),
        Index("ix_players_hidden", "id", postgresql_where=text("hidden_at IS NOT NULL")),
        Index(
            "ix_players_hidden_member", "member_id", postgresql_where=text("hidden_at IS NOT NULL")
        ),
        UniqueConstraint("integrator_id", "external_id", name="uq_players_external_id"),
        CheckConstraint("(member_id IS NULL) <> (external_id IS NULL)", name="one_origin"),
        CheckConstraint("(integrator_id IS NULL) = (external_id IS NULL)", name="external"),
    )


class RefreshToken(Model):
    """A refresh token of a player, stored as its SHA-256 and good for one use.

    A `family` is all tokens from one sign-in. It began with an integrator's key (`key_id`) or in a
    member's session (`session_id`).
    """

    __tablename__ = "refresh_tokens"

    id: Mapped[BigId]
    family: Mapped[UUID]
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    digest: Mapped[str] = mapped_column(unique=True)
    key_id: Mapped[int | None] = mapped_column(ForeignKey("api_keys.id", ondelete="SET NULL"))
    session_id: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[datetime]
    spent_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_refresh_tokens_family", "family"),
        Index("ix_refresh_tokens_player_id", "player_id"),
        Index("ix_refresh_tokens_key_id", "key_id", postgresql_where=text("revoked_at IS NULL")),
    )


class Friendship(Model):
    """The relation of two players: one row per pair, in which `low_id` is the smaller id.

    `state` is none, asked (by `asked_by`) or friends. A block ends a friendship and the blocker's
    own request. A request of the blocked player stays; to that player it looks as if it was sent,
    and nobody else sees it.
    """

    __tablename__ = "friendships"

    low_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    high_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    state: Mapped[str] = mapped_column(server_default="none")
    asked_by: Mapped[UUID | None]
    since: Mapped[datetime | None]
    low_blocks: Mapped[bool] = mapped_column(server_default="false")
    high_blocks: Mapped[bool] = mapped_column(server_default="false")

    __table_args__ = (
        CheckConstraint("low_id < high_id", name="order"),
        CheckConstraint("state in ('none', 'asked', 'friends')", name="state"),
        CheckConstraint(
            "(state = 'asked') = (asked_by IS NOT NULL) AND (asked_by IS NULL OR asked_by IN "
            "(low_id, high_id))",
            name="asked_by",
        ),
        CheckConstraint("(state = 'none') = (since IS NULL)", name="since"),
        CheckConstraint(
            "NOT (state = 'friends' AND (low_blocks OR high_blocks))", name="no_blocked_friends"
        ),
        CheckConstraint(
            "NOT (low_blocks AND asked_by IS NOT DISTINCT FROM low_id)"
            " AND NOT (high_blocks AND asked_by IS NOT DISTINCT FROM high_id)",
            name="no_blocker_asks",
        ),
        Index("ix_friendships_high_id", "high_id"),
    )


class MemberSession(Model):
    """A session on one browser; its cookie is only good while this row has no `ended_at`.

    Attributes:
        used_at: Its last use, to the hour.
        verified_at: When the member last proved who they are.
        has_second_factor: Whether they proved it by a code or a passkey too.
        device: The id in the device's cookie, which outlives the session.
    """

    __tablename__ = "member_sessions"

    id: Mapped[str] = mapped_column(primary_key=True)
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    begun_at: Mapped[datetime]
    used_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    verified_at: Mapped[datetime]
    has_second_factor: Mapped[bool] = mapped_column(server_default="false")
    address: Mapped[str]
    browser: Mapped[str]
    device: Mapped[str]
    ended_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_member_sessions_member_id", "member_id"),)


class OneTimeLink(Model):
    """A link for one use, stored as its SHA-256: to set a password, or to confirm an address.

    `made_by` is the operator; it is empty if a command or the member (by mail) made the link.
    `email` is the address to confirm.
    """

    __tablename__ = "one_time_links"

    id: Mapped[BigId]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    purpose: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    email: Mapped[str | None]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("purpose in ('password', 'email')", name="purpose"),
        CheckConstraint("(purpose = 'email') = (email IS NOT NULL)", name="email"),
        Index("ix_one_time_links_member_id", "member_id"),
    )


class PushDevice(Model):
    """A member's browser that gets pushes (RFC 8030, 8291).

    Whoever has `endpoint` and the keys can push to it, so they are shown to nobody.

    Attributes:
        digest: The SHA-256 of the endpoint, so that one browser is one row, of its last member.
        service: The endpoint's host.
        device: As in MemberSession; the end of the session there ends the pushes.
        name: What the browser called itself.
    """

    __tablename__ = "push_devices"

    id: Mapped[BigId]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    digest: Mapped[str] = mapped_column(unique=True)
    endpoint: Mapped[str]
    p256dh: Mapped[str]
    auth: Mapped[str]
    service: Mapped[str]
    device: Mapped[str]
    name: Mapped[str]
    created_at: Mapped[datetime]
    pushed_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_push_devices_member_id", "member_id"),)


class Authenticator(Model):
    """A member's authenticator app (TOTP, RFC 6238).

    `secret` is encrypted. `last_step` is that of the newest code that was used. The app counts once
    `confirmed_at` is set, because the member has entered one of its codes.
    """

    __tablename__ = "authenticators"

    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    secret: Mapped[str]
    created_at: Mapped[datetime]
    confirmed_at: Mapped[datetime | None]
    last_step: Mapped[int] = mapped_column(BigInteger, server_default="0")


class RecoveryCode(Model):
    """A code, stored as its SHA-256, that replaces an authenticator app or passkey once."""

    __tablename__ = "recovery_codes"

    id: Mapped[BigId]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    digest: Mapped[str]
    used_at: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("member_id", "digest", name="uq_recovery_codes_digest"),)


class Passkey(Model):
    """A passkey of a member (WebAuthn); the server stores only public data.

    `sign_count` reveals copies.
    """

    __tablename__ = "passkeys"

    id: Mapped[BigId]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    name: Mapped[str]
    credential_id: Mapped[bytes] = mapped_column(unique=True)
    public_key: Mapped[bytes]
    sign_count: Mapped[int] = mapped_column(BigInteger)
    transports: Mapped[list[str]] = mapped_column(ARRAY(TEXT), server_default="{}")
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_passkeys_member_id", "member_id"),)


class ScorerGame(Model):
    """A game that a scorer may score; a scorer without such rows may score every game."""

    __tablename__ = "scorer_games"

    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    game_id: Mapped[str] = mapped_column(primary_key=True)
