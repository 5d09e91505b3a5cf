"""A draft of three members, or of a member and bots, on a market of 96 footballers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.drafts import founding, queries, services
from app.draft_leagues.drafts.founding import DraftToPlan
from app.draft_leagues.drafts.models import DraftEvent, DraftPick
from app.draft_leagues.drafts.queries import Room, Seat
from app.draft_leagues.drafts.ranking import forget_pools
from app.draft_leagues.drafts.rules import Draft
from app.draft_leagues.drafts.services import Done, Submission
from app.draft_leagues.settings import DraftLeagueSettings, DraftSettings, RosterSettings
from tests.draft_leagues.drafts.plans import START, STARTERS, seconds
from tests.worlds.draft_market import make_market

NAMES = ("ann", "bob", "cat")


@dataclass
class DraftWorld:
    """A draft and its members; Ann is the commissioner. Franchises are 1, 2, 3 in that order."""

    draft_id: int
    ids: dict[str, int]

    def room(self, name: str) -> Room:
        room = queries.load_room(self.draft_id, self.ids[name])
        assert room is not None
        return room

    def draft(self) -> Draft:
        db.session.rollback()
        return queries.load_snapshot(self.draft_id).draft

    def start(self) -> None:
        assert isinstance(services.start(self.room("ann"), Submission(START)), Done)

    def pick(
        self, name: str, footballer: str, after: float = 1, *, token: str = "", **named: Any
    ) -> services.Outcome:
        submission = Submission(START + seconds(after), token, **named)
        return services.pick(self.room(name), footballer, submission)

    def stored_picks(self) -> dict[str, int]:
        """Franchises by their footballers, from the table with the constraint."""
        rows = db.session.execute(
            select(DraftPick.footballer_id, DraftPick.franchise).where(
                DraftPick.draft_id == self.draft_id
            )
        )
        return {row.footballer_id: row.franchise for row in rows}

    def event_count(self) -> int:
        return db.session.query(DraftEvent).filter_by(draft_id=self.draft_id).count()


@pytest.fixture(autouse=True)
def _fresh_pools(app: Flask) -> None:
    forget_pools()


MakeDraft = Callable[..., DraftWorld]


@pytest.fixture
def make_draft(app: Flask, member: Callable[..., Member]) -> MakeDraft:
    def make(now: datetime = START, *, members: int = 3, **clock: Any) -> DraftWorld:
        season = make_market()
        ids = {name: member(name).id for name in NAMES}
        settings = DraftLeagueSettings(
            franchises=3,
            scoring="half_ppr_idp",
            time_zone="America/New_York",
            roster=RosterSettings(STARTERS, bench=1),
            draft=msgspec.structs.replace(DraftSettings(seconds_per_pick=60), **clock),
        )
        seats = [
            Seat(number, f"{name.title()} FC", ids[name] if number <= members else None)
            for number, name in enumerate(NAMES, start=1)
        ]
        row = founding.plan_draft(
            DraftToPlan(
                "The draft", season.id, settings, seats, order=(1, 2, 3), created_by=ids["ann"]
            ),
            now,
        )
        db.session.commit()
        return DraftWorld(row.id, ids)

    return make


@pytest.fixture
def world(make_draft: MakeDraft) -> DraftWorld:
    """A snake draft that has started, with a clock of 60 seconds."""
    world = make_draft()
    world.start()
    return world
