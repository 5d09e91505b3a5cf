"""Tables of the predictions. Points are stored in hundredths."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db
from app.predictions.counted_score import CountedScore, Duration, Score
from app.predictions.statuses import FATES, STATUSES

Model: Any = db.Model

PROVIDER_KINDS = ("http-json", "nflverse-games", "official-record")
SETTLEMENT_STATES = ("pending", "applied", "withdrawn", "dead")
FINDINGS = (
    "unknown-status",
    "left",
    "doubled",
    "unknown-score",
    "new-id",
    "new-teams",
    "late-guesses",
    "bad-row",
    "overruled",
)
COUNTED_SCORES = tuple(score.value for score in CountedScore)
DURATIONS = (Duration.EXTRA_TIME.value, Duration.SHOOTOUT.value)
MATCH_ACTS = ("void", "redate", "merge")


class Tournament(Model):
    """A tournament whose matches members guess.

    `version` rises with every change that its pages and projections show. `members` is the number
    of members that this version shows. `rule` is a PointRule. If `is_simulated`, its clock is not
    the real one, so `saved_at` of guesses is trusted. `counted_score` is a CountedScore; a trigger
    prevents changes once a match has ended.
    """

    __tablename__ = "tournaments"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str] = mapped_column(unique=True)
    rule: Mapped[dict[str, Any]]
    counted_score: Mapped[str] = mapped_column(server_default=CountedScore.AS_GIVEN.value)
    is_active: Mapped[bool] = mapped_column(server_default="true")
    is_simulated: Mapped[bool] = mapped_column(server_default="false")
    version: Mapped[int] = mapped_column(BigInteger, server_default="1")
    members: Mapped[int] = mapped_column(server_default="0")
    image: Mapped[str | None]
    image_source: Mapped[str | None]
    image_tried_at: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]

    __table_args__ = (CheckConstraint(f"counted_score in {COUNTED_SCORES}", name="counted_score"),)


class ProviderSource(Model):
    """The provider of a tournament's matches, and how the last polls went.

    `address` is a URL, a file's path, or `competition/season/season_type` of the official record.
    `etag` and `last_modified` belong to the last complete answer, for conditional requests.
    `failures` counts failures in a row. Until `retry_at` the circuit is open and no request is
    made.
    """

    __tablename__ = "provider_sources"

    tournament_id: Mapped[UUID] = mapped_column(
        ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True
    )
    kind: Mapped[str]
    name: Mapped[str]
    address: Mapped[str]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    polled_at: Mapped[datetime | None]
    succeeded_at: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(server_default="0")
    retry_at: Mapped[datetime | None]
    fault: Mapped[str | None]

    __table_args__ = (CheckConstraint(f"kind in {PROVIDER_KINDS}", name="kind"),)


class ProviderFinding(Model):
    """Something in a provider's answers that operators should look at, reported once.

    `subject` is the status word, or the provider's id of the match. `gone_at` is when it ended.
    """

    __tablename__ = "provider_findings"

    id: Mapped[BigId]
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id", ondelete="CASCADE"))
    kind: Mapped[str]
    subject: Mapped[str]
    text: Mapped[str]
    seen_at: Mapped[datetime]
    gone_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("tournament_id", "kind", "subject", name="uq_provider_findings_subject"),
        CheckConstraint(f"kind in {FINDINGS}", name="kind"),
    )


class Team(Model):
    """A team of a tournament.

    `external_id` is the provider's id. `image` is the content hash of the picture in the blob
    store, NULL until the picture at `image_source` has been fetched. `image_tried_at` is the time
    of the last try.
    """

    __tablename__ = "teams"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    name: Mapped[str]
    image: Mapped[str | None]
    image_source: Mapped[str | None]
    image_tried_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("tournament_id", "external_id", name="uq_teams_external_id"),
    )


class Round(Model):
    """A round of a tournament.

    `slug` identifies it in addresses and the API (`roundSlug`). `multiplier` applies to the points
    of its matches, in hundredths.
    """

    __tablename__ = "rounds"

    id: Mapped[BigId]
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id", ondelete="CASCADE"))
    slug: Mapped[str]
    name: Mapped[str]
    position: Mapped[int]
    multiplier: Mapped[int] = mapped_column(server_default="100")

    __table_args__ = (
        UniqueConstraint("tournament_id", "slug", name="uq_rounds_slug"),
        CheckConstraint("multiplier BETWEEN 1 AND 1000", name="multiplier"),
    )


class Match(Model):
    """A match as the provider lists it now.

    Guesses are open until `kickoff`; without one they stay open. `home_score` and `away_score` are
    the score that counts, NULL while it is not known. `duration` says how far a match went beyond
    regulation; its other scores are stored if the provider gives them. `provider_status` is the
    provider's own word. `fate` says why a match with the status `not-defined` is not played.
    `terms` (points.Terms) decide what its guesses have earned so far, NULL while nothing is
    settled; `settled_at` is its `finished_at` at that time. `overruled` (overruling.View) has the
    provider's values while an operator's decision stands. `merged_into_id` is the match that
    replaced it by an operator's decision; a merged match is on no page.
    """

    __tablename__ = "matches"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id", ondelete="CASCADE"))
    round_id: Mapped[int] = mapped_column(ForeignKey("rounds.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    home_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id"))
    away_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id"))
    kickoff: Mapped[datetime | None]
    status: Mapped[str]
    fate: Mapped[str | None]
    provider_status: Mapped[str]
    home_score: Mapped[int | None]
    away_score: Mapped[int | None]
    duration: Mapped[str | None]
    regulation_home: Mapped[int | None]
    regulation_away: Mapped[int | None]
    extra_time_home: Mapped[int | None]
    extra_time_away: Mapped[int | None]
    shootout_home: Mapped[int | None]
    shootout_away: Mapped[int | None]
    finished_at: Mapped[datetime | None]
    source_version: Mapped[str | None]
    terms: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    settled_at: Mapped[datetime | None]
    overruled: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    merged_into_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("matches.id", ondelete="CASCADE")
    )

    @property
    def shootout(self) -> Score | None:
        """The kicks of the shoot-out, if the provider gives them."""
        if self.shootout_home is None or self.shootout_away is None:
            return None
        return Score(self.shootout_home, self.shootout_away)

    __table_args__ = (
        UniqueConstraint("tournament_id", "external_id", name="uq_matches_external_id"),
        Index("ix_matches_round_id", "round_id"),
        Index("ix_matches_finished_at", "tournament_id", "finished_at"),
        CheckConstraint(f"status in {STATUSES}", name="status"),
        CheckConstraint(f"fate in {FATES}", name="fate"),
        CheckConstraint("home_id <> away_id", name="teams"),
        CheckConstraint(f"duration in {DURATIONS}", name="duration"),
        CheckConstraint("(regulation_home IS NULL) = (regulation_away IS NULL)", name="regulation"),
        CheckConstraint("(extra_time_home IS NULL) = (extra_time_away IS NULL)", name="extra_time"),
        CheckConstraint("(shootout_home IS NULL) = (shootout_away IS NULL)", name="shootout"),
        CheckConstraint(
            "status <> 'ended' OR (finished_at IS NOT NULL AND home_score IS NOT NULL AND "
            "away_score IS NOT NULL)",
            name="ended",
        ),
        CheckConstraint("(terms IS NULL) = (settled_at IS NULL)", name="settled"),
        CheckConstraint(
            "merged_into_id IS NULL OR (fate IS NOT NULL AND fate = 'void')", name="merged"
        ),
        Index(
            "ix_matches_merged_into_id",
            "merged_into_id",
            postgresql_where=text("merged_into_id IS NOT NULL"),
        ),
    )


class MatchAct(Model):
    """An operator's decision about a match. It overrides the provider until it is ended.

    `kickoff` is the new one of a `redate`, and `kickoff_before` the provider's at that time.
    `into_id` is the match that replaced a merged one. `made_by` and `ended_by` are empty for a
    command on the server.
    """

    __tablename__ = "match_acts"

    id: Mapped[BigId]
    match_id: Mapped[UUID] = mapped_column(ForeignKey("matches.id", ondelete="CASCADE"))
    kind: Mapped[str]
    kickoff: Mapped[datetime | None]
    kickoff_before: Mapped[datetime | None]
    into_id: Mapped[UUID | None] = mapped_column(ForeignKey("matches.id", ondelete="CASCADE"))
    reason: Mapped[str]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    made_at: Mapped[datetime]
    ended_by: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    ended_at: Mapped[datetime | None]
    end_reason: Mapped[str | None]

    __table_args__ = (
        Index(
            "uq_match_acts_standing",
            "match_id",
            "kind",
            unique=True,
            postgresql_where=text("ended_at IS NULL"),
        ),
        Index("ix_match_acts_into_id", "into_id", postgresql_where=text("into_id IS NOT NULL")),
        CheckConstraint(f"kind in {MATCH_ACTS}", name="kind"),
        CheckConstraint("(kind = 'redate') = (kickoff IS NOT NULL)", name="kickoff"),
        CheckConstraint("(kind = 'merge') = (into_id IS NOT NULL)", name="into"),
        CheckConstraint("into_id <> match_id", name="itself"),
        CheckConstraint("(ended_at IS NULL) = (end_reason IS NULL)", name="ended"),
    )


class Guess(Model):
    """A member's guess of a match. A trigger refuses every change from kickoff on.

    Where only the winner is guessed, it is 1:0, 0:0 or 0:1. `confidence` is a number from 1 to the
    number of matches of the round, if the tournament's rule asks for it.
    The only exception is a guess that moves here because its match was merged into this one, if it
    was saved before the kickoff.
    """

    __tablename__ = "guesses"

    match_id: Mapped[UUID] = mapped_column(
        ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    home: Mapped[int] = mapped_column(SmallInteger)
    away: Mapped[int] = mapped_column(SmallInteger)
    confidence: Mapped[int | None] = mapped_column(SmallInteger)
    saved_at: Mapped[datetime]

    __table_args__ = (
        Index("ix_guesses_player_id", "player_id"),
        CheckConstraint("confidence BETWEEN 1 AND 1000", name="confidence"),
        CheckConstraint("home BETWEEN 0 AND 200 AND away BETWEEN 0 AND 200", name="scores"),
    )


class TournamentPoints(Model):
    """A member's points in a tournament. The row exists from the first guess or pool on.

    `out_round_id` is the round in which a survivor went out; None for whoever is in.
    """

    __tablename__ = "tournament_points"

    tournament_id: Mapped[UUID] = mapped_column(
        ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    points: Mapped[int] = mapped_column(server_default="0")
    out_round_id: Mapped[int | None] = mapped_column(ForeignKey("rounds.id", ondelete="SET NULL"))

    __table_args__ = (Index("ix_tournament_points_points", "tournament_id", text("points DESC")),)


class RoundSlam(Model):
    """A member who guessed every outcome of a round, and the points for it."""

    __tablename__ = "round_slams"

    round_id: Mapped[int] = mapped_column(
        ForeignKey("rounds.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    points: Mapped[int]


class Settlement(Model):
    """A request to settle a match that ended at `finished_at`, written with the result itself.

    `key` is `matchId#finishedAt`, which is applied at most once at a time. `payload` is the job as
    the contract defines it.
    """

    __tablename__ = "settlements"

    key: Mapped[str] = mapped_column(primary_key=True)
    match_id: Mapped[UUID] = mapped_column(ForeignKey("matches.id", ondelete="CASCADE"))
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id", ondelete="CASCADE"))
    finished_at: Mapped[datetime]
    payload: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(server_default="pending")
    requested_at: Mapped[datetime]
    applied_at: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_settlements_pending", "requested_at", postgresql_where=text("state = 'pending'")),
        Index("ix_settlements_match_id", "match_id"),
        CheckConstraint(f"state in {SETTLEMENT_STATES}", name="state"),
    )


class SettlementAudit(Model):
    """A change of the terms that decide what a match's guesses have earned.

    `before` and `after` are points.Terms, or NULL for none.
    """

    __tablename__ = "settlement_audit"

    id: Mapped[BigId]
    match_id: Mapped[UUID] = mapped_column(ForeignKey("matches.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    key: Mapped[str]
    before: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    players: Mapped[int]
    points: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (Index("ix_settlement_audit_match_id", "match_id"),)


class Pool(Model):
    """A private group inside a tournament. Everybody who has the code may join."""

    __tablename__ = "pools"

    id: Mapped[BigId]
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id", ondelete="CASCADE"))
    name: Mapped[str]
    code: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    created_at: Mapped[CreatedAt]

    __table_args__ = (UniqueConstraint("tournament_id", "name", name="uq_pools_name"),)


class PoolMember(Model):
    """A player's membership of a pool.

    `lost_office_at`: when an heir became the owner in their place because they were kept out; they
    get the pool back.
    """

    __tablename__ = "pool_members"

    pool_id: Mapped[int] = mapped_column(
        ForeignKey("pools.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[UUID] = mapped_column(
        ForeignKey("players.id", ondelete="CASCADE"), primary_key=True
    )
    joined_at: Mapped[CreatedAt]
    lost_office_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_pool_members_player_id", "player_id"),)
