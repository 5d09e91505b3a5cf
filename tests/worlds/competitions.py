"""An integrator with a mode, players and competitions, and scores at times of the test's choice."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
from flask import Flask
from sqlalchemy import select, text

from app.accounts.models import Member, Player
from app.boards.models import Mode
from app.competitions import declaring, joining, settlement
from app.competitions.declaration import Declaration
from app.competitions.models import Competition, CompetitionEntry, CompetitionReward
from app.core.db import db
from app.scores.events import event_id
from app.scores.models import ScoreAttempt
from tests.worlds.callers import make_callers
from tests.worlds.score_games import make_solo_mode

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)  # a Monday
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
WINDOWS: dict[str, Any] = {
    "starts_at": START.isoformat(),
    "length": 1,
    "unit": "hours",
    "windows": 3,
}


def declaration(**changes: Any) -> Declaration:
    """Three windows of an hour from START on, settled 5 minutes after their ends."""
    return msgspec.convert({"schedule": WINDOWS, "corrections_days": 366} | changes, Declaration)


class Arena:
    """`at(n)` is a moment in window n."""

    def __init__(self, app: Flask, owner: Member) -> None:
        self.callers = make_callers(app, owner)
        self.owner = owner
        self.mode = self.callers.mode
        self.names: dict[UUID, str] = {}

    def make_mode(self, **changes: Any) -> Mode:
        values = {"min_score": -1000, "max_score": 1_000_000} | changes
        self.mode = make_solo_mode(self.callers.game, START - timedelta(days=30), **values)
        return self.mode

    def players(self, *names: str) -> list[UUID]:
        """New ones, with ids in the order of their names."""
        winners = []
        for name in names:
            player_id = UUID(int=len(self.names) + 1)
            integrator = self.callers.integrator.id
            db.session.add(
                Player(id=player_id, display_name=name, integrator_id=integrator, external_id=name)
            )
            self.names[player_id] = name
            winners.append(player_id)
        db.session.commit()
        return winners

    def draft(self, slug: str = "cup", **changes: Any) -> Competition:
        declared = declaring.create(
            self.mode,
            declaring.NewCompetition(slug, slug.title(), declaration(**changes)),
            by=self.owner.id,
            now=START - timedelta(days=1),
        )
        assert isinstance(declared, Competition), declared
        return declared

    def live(self, slug: str = "cup", **changes: Any) -> Competition:
        published = declaring.publish(
            self.draft(slug, **changes).id, by=self.owner.id, now=START - timedelta(days=1)
        )
        assert isinstance(published, Competition), published
        return published

    @staticmethod
    def at(window: int, minutes: int = 10) -> datetime:
        return START + (window - 1) * HOUR + minutes * MINUTE

    @staticmethod
    def settled(window: int) -> datetime:
        """When it is settled, by the clock."""
        return START + window * HOUR + 5 * MINUTE

    def join(
        self, competition: Competition, player: UUID, window: int, minutes: int = 1
    ) -> CompetitionEntry:
        entry = joining.join(competition.id, player, self.at(window, minutes), by_server=True)
        assert isinstance(entry, CompetitionEntry), entry
        return entry

    def score(
        self, player: UUID, score: int, at: datetime, attempt: UUID | None = None, **changes: Any
    ) -> UUID:
        """Counted at once, as the consumer writes it; gives its event."""
        attempt = attempt or uuid4()
        event = event_id(player, attempt)
        values = {
            "event_id": event,
            "attempt_id": attempt,
            "player_id": player,
            "mode_id": self.mode.id,
        }
        db.session.add(ScoreAttempt(**(values | {"score": score, "achieved_at": at} | changes)))
        db.session.commit()
        return event

    def take_back(self, event: UUID) -> None:
        db.session.execute(
            text("UPDATE score_attempts SET rolled_back_at = now() WHERE event_id = :event"),
            {"event": event},
        )
        db.session.commit()

    def settle(self, window: int) -> list[int]:
        """The numbers of the windows that were settled at that window's time."""
        return [number for _, number in settlement.settle_due(self.settled(window))]

    def entries(
        self, competition: Competition, window: int
    ) -> list[tuple[str, int, int, int | None, str | None]]:
        """Name, tier, cohort, rank and outcome, by tier and seat."""
        query = select(CompetitionEntry).where(
            CompetitionEntry.competition_id == competition.id,
            CompetitionEntry.window_number == window,
        )
        ordered = query.order_by(CompetitionEntry.tier, CompetitionEntry.seat)
        rows = db.session.scalars(ordered.execution_options(populate_existing=True)).all()
        return [
            (self.names[row.player_id], row.tier, row.cohort, row.rank, row.outcome) for row in rows
        ]

    def ledger(self, competition: Competition) -> list[tuple[int, int, str, str, int]]:
        """Window, settlement, name, reward and amount, in the order in which they were written."""
        query = select(CompetitionReward).where(CompetitionReward.competition_id == competition.id)
        rows = db.session.scalars(query.order_by(CompetitionReward.id)).all()
        return [
            (row.window_number, row.settlement, self.names[row.player_id], row.reward, row.amount)
            for row in rows
        ]

    def held(self, competition: Competition) -> dict[tuple[str, str], int]:
        """What the ledger sums up to, by name and reward."""
        totals: dict[tuple[str, str], int] = defaultdict(int)
        for _, _, name, reward, amount in self.ledger(competition):
            totals[name, reward] += amount
        return {key: amount for key, amount in totals.items() if amount}
