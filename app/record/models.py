"""Tables of the official record: clubs, footballers, games, scripts, events, derived statistics.

The tables of plays are in play_tables.py, outbox and dead letters in app/stream/models.py.
Everything from `RecordedEvent` down is derived and can be rebuilt from the stream.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db
from app.record.rules.state import Status
from app.record.script import VARIANTS

Model: Any = db.Model

GAME_STATUSES: tuple[Status, ...] = get_args(Status)


class Club(Model):
    """A club."""

    __tablename__ = "clubs"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    nickname: Mapped[str]
    colour: Mapped[str]

    __table_args__ = (CheckConstraint("colour ~ '^#[0-9a-fA-F]{6}$'", name="colour"),)


class Footballer(Model):
    """A footballer, or a club's D/ST."""

    __tablename__ = "footballers"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    club_id: Mapped[str | None] = mapped_column(ForeignKey("clubs.id"))
    position: Mapped[str]
    number: Mapped[int | None]

    __table_args__ = (Index("ix_footballers_club_id", "club_id", "number"),)


class ClubMove(Model):
    """A footballer's move from a club (None: no club) at a time.

    A trigger on footballers writes it. The club at a past moment is that of the first move after
    it, else the current one.
    """

    __tablename__ = "club_moves"

    footballer_id: Mapped[str] = mapped_column(
        ForeignKey("footballers.id", ondelete="CASCADE"), primary_key=True
    )
    moved_at: Mapped[datetime] = mapped_column(primary_key=True)
    from_club_id: Mapped[str | None]


class Game(Model):
    """A registered game.

    The counters are the console's: last numbers assigned, and the fencing epoch (0: nobody yet).
    `time_zone`: of the stadium, for example `America/New_York`; None: unknown. `planned_week` and
    `planned_kickoff`: where it stood before it was moved to another gameweek; None: it was not
    moved. A practice game is visible to scorers only, is never published, and has season 0, so no
    gameweek has it.
    """

    __tablename__ = "games"

    id: Mapped[str] = mapped_column(primary_key=True)
    season: Mapped[int]
    season_type: Mapped[str]
    week: Mapped[int]
    kickoff: Mapped[datetime]
    time_zone: Mapped[str | None]
    home_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"))
    away_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"))
    last_event_number: Mapped[int] = mapped_column(server_default="0")
    last_play_number: Mapped[int] = mapped_column(server_default="0")
    epoch: Mapped[int] = mapped_column(server_default="0")
    is_practice: Mapped[bool] = mapped_column(server_default="false")
    competition: Mapped[str] = mapped_column(server_default="nfl")
    planned_week: Mapped[int | None]
    planned_kickoff: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("home_id <> away_id", name="two_clubs"),
        CheckConstraint("season_type in ('PRE', 'REG', 'POST')", name="season_type"),
        Index("ix_games_season", "competition", "season", "season_type", "week"),
    )


class GameDetails(Model):
    """Officials by position (words.OFFICIALS), attendance and weather of a game.

    `started` and `ended`: by the stadium's clock, `13:02`; "" is unknown. No event says it, so no
    rebuild touches it.
    """

    __tablename__ = "game_details"

    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    officials: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    attendance: Mapped[int | None]
    stadium: Mapped[str] = mapped_column(server_default="")
    surface: Mapped[str] = mapped_column(server_default="")
    weather: Mapped[str] = mapped_column(server_default="")
    started: Mapped[str] = mapped_column(server_default="")
    ended: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (CheckConstraint("attendance >= 0", name="attendance"),)


class PublishedScore(Model):
    """The final score of a game in a publisher's schedule, until the game's record has its own."""

    __tablename__ = "published_scores"

    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    home_score: Mapped[int]
    away_score: Mapped[int]

    __table_args__ = (CheckConstraint("home_score >= 0 AND away_score >= 0", name="scores"),)


class ScorerLease(Model):
    """Who may number events of a game: the row of its newest epoch, until it expires (PRODUCT A2).

    Older epochs stay: an event belongs to the epoch that had the game when its number was assigned,
    and ingestion refuses it under an older one. `console` names the open page, `holder` the person
    at it.
    """

    __tablename__ = "scorer_leases"

    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    epoch: Mapped[int] = mapped_column(primary_key=True)
    first_event_number: Mapped[int]
    console: Mapped[str]
    holder: Mapped[str]
    taken_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class ScriptStep(Model):
    """A stored step of an imported or simulated game, to be entered by `pressbox replay`.

    Each variant of a game (as it stood in the end, or as first called) is numbered separately, from
    1.
    """

    __tablename__ = "script_steps"

    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    variant: Mapped[str] = mapped_column(primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True)
    at_ms: Mapped[int]
    play_number: Mapped[int | None]
    body: Mapped[dict[str, Any]]

    __table_args__ = (CheckConstraint(f"variant in {VARIANTS}", name="variant"),)


class RecordedEvent(Model):
    """One revision of one event.

    The original is revision 0; an overturn's ruling has the overturn's number. `body` is the wire
    form of this revision. Partition and offset name the message that wrote the row.
    """

    __tablename__ = "events"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    event_number: Mapped[int] = mapped_column(primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True)
    play_number: Mapped[int]
    type: Mapped[str]
    valid: Mapped[bool]
    body: Mapped[dict[str, Any]]
    epoch: Mapped[int]
    recorded_at: Mapped[int] = mapped_column(BigInteger)
    partition: Mapped[int | None]
    offset: Mapped[int | None] = mapped_column(BigInteger)
    ingested_at: Mapped[CreatedAt]

    __table_args__ = (
        Index(
            "uq_events_valid",
            "game_id",
            "event_number",
            unique=True,
            postgresql_where=text("valid"),
        ),
        Index("ix_events_play", "game_id", "play_number"),
        Index("ix_events_game_status", "game_id", postgresql_where=text("type = 'game_status'")),
        Index("ix_events_final", "game_id", postgresql_where=text("type = 'final'")),
    )


class Correction(Model):
    """A nullify or an overturn: event `revision` removes every lower revision of `event_number`."""

    __tablename__ = "corrections"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    event_number: Mapped[int] = mapped_column(primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]

    __table_args__ = (
        CheckConstraint("kind in ('nullify', 'overturn', 'stat_correction')", name="kind"),
    )


class StatLine(Model):
    """A footballer's statistics in a game, by the names in rules/statistics.py.

    Recomputed from valid rows, never incremented. `held`: the part of `stats` that comes from plays
    under review.
    """

    __tablename__ = "stat_lines"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(primary_key=True)
    team: Mapped[str]
    stats: Mapped[dict[str, Any]]
    held: Mapped[dict[str, Any]] = mapped_column(server_default="{}")

    __table_args__ = (Index("ix_stat_lines_player_id", "player_id"),)


class LedgerEntry(Model):
    """What one revision of an event earned a player (PRODUCT G1). Entries are only added.

    When points change, the entry is closed, not deleted: `closed_by` is the event that took it
    away. Partition and offset name the message that earned it. A player's open entries add up to
    their stat line (except for the levels of a D/ST, which follow from its sums). The table is
    partitioned by season, the year that a game's id begins with (decision 61): a statement that
    names its games as values is looked up only in their seasons.
    """

    __tablename__ = "ledger"

    id: Mapped[BigId]
    game_id: Mapped[str] = mapped_column(primary_key=True)
    player_id: Mapped[str]
    event_number: Mapped[int]
    revision: Mapped[int]
    play_number: Mapped[int]
    stat: Mapped[str]
    amount: Mapped[int]
    partition: Mapped[int | None]
    offset: Mapped[int | None] = mapped_column(BigInteger)
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    closed_by: Mapped[int | None]

    __table_args__ = (
        Index(
            "uq_ledger_open",
            "game_id",
            "event_number",
            "revision",
            "player_id",
            "stat",
            unique=True,
            postgresql_where=text("closed_at IS NULL"),
        ),
        Index("ix_ledger_game_id", "game_id", "player_id"),
        {"postgresql_partition_by": "RANGE (game_id)"},
    )


class GameState(Model):
    """Score and situation from the valid rows.

    `version` rises whenever something in the game changed. `rebuilt_at`: when the record was last
    rebuilt, if ever.
    """

    __tablename__ = "game_states"

    game_id: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str]
    home_score: Mapped[int]
    away_score: Mapped[int]
    state: Mapped[dict[str, Any]]
    version: Mapped[int]
    updated_at: Mapped[datetime]
    rebuilt_at: Mapped[datetime | None]

    __table_args__ = (CheckConstraint(f"status in {GAME_STATUSES}", name="status"),)
