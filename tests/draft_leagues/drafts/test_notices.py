"""What members are told of a draft.

The right notices are those of Sleeper and ESPN: the date, an hour before it, the begin, each turn
with its end, autopilot, and the end.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from msgspec.structs import replace as with_changes
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues import draft_planning
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts import queries, services, updates
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.services import Done, Submission
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.leagues import services as leagues
from app.fantasy.notices import choices
from app.fantasy.notices.models import Notice, NoticeDelivery
from app.fantasy.notices.services import calling, newest
from app.fantasy.pages.calendar.entries import entries_of
from app.fantasy.standings.models import League
from tests.draft_leagues.drafts.plans import START, seconds
from tests.draft_leagues.drafts.test_league import SETTINGS
from tests.worlds.draft_market import make_market

TWO_HOURS = timedelta(hours=2)


class Evening:
    """Ann, the commissioner, Bob and Cat before the draft of their league at START."""

    def __init__(self, member: Callable[..., Member], order: tuple[int, ...] = (2, 1, 3)) -> None:
        season = make_market(is_simulated=True)
        self.ids = {name: member(name).id for name in ("ann", "bob", "cat")}
        founded = setup.found(
            self.ids["ann"], NewDraftLeague("The Yard", "Ann FC", season.id, SETTINGS), START
        )
        assert isinstance(founded, League)
        self.league = founded
        for name in ("bob", "cat"):
            team = f"{name.title()} FC"
            assert leagues.join(self.ids[name], self.league.id, team, START - TWO_HOURS) is None
        self.plan(DraftDate(START, order))

    def plan(self, date: DraftDate, now: datetime = START - TWO_HOURS) -> list[str]:
        refused = draft_planning.schedule(self.league.id, date, self.ids["ann"], now)
        return [refusal.code for refusal in refused]

    @property
    def row(self) -> DraftRow:
        row = draft_planning.draft_of(self.league.id)
        assert row is not None
        return row

    def room(self, name: str) -> queries.Room:
        room = queries.load_room(self.row.id, self.ids[name])
        assert room is not None
        return room

    def titles(self, name: str) -> list[str]:
        """The titles of the member's notices of drafts, in the order of time."""
        rows = db.session.scalars(
            select(Notice.title)
            .where(Notice.member_id == self.ids[name], Notice.kind == "draft")
            .order_by(Notice.id)
        )
        return [*rows]


@pytest.fixture
def evening(app: Flask, member: Callable[..., Member]) -> Evening:
    return Evening(member)


OPEN = "The draft room of The Yard is open"
SOON = "The draft of The Yard begins soon"
BEGUN = "The draft of The Yard has begun"
AUTOPILOT = "You are on autopilot in The Yard"
OVER = "The draft of The Yard is complete"
TURN = "You're on the clock in The Yard"


def test_members_hear_of_the_date_the_begin_their_turns_autopilot_and_the_end(
    evening: Evening,
) -> None:
    """Nobody is there; the worker alone settles, each time twice."""
    choices.choose(evening.ids["bob"], push=["draft"], mail=["draft"])
    db.session.get_one(Member, evening.ids["bob"]).email = "bob@example.org"
    db.session.commit()
    for at in (-7200, -3600, -60, *range(400)):
        for _ in range(2):
            services.advance_due(START + seconds(at))
    titles = evening.titles("bob")
    assert titles[:4] == [OPEN, SOON, BEGUN, TURN]
    assert (titles.count(AUTOPILOT), titles[-1]) == (1, OVER)
    assert titles.count(TURN) == 2  # two clocks ran out, then autopilot picks
    assert titles.count("Your clock ran out in The Yard") == 2
    listed = [row.title for row in newest(evening.ids["bob"])]
    assert (listed.count("Your clock ran out 2 times in The Yard"), listed.count(TURN)) == (1, 1)
    assert calling(evening.ids["bob"]) == len(listed) - 1, "as many as are listed but the turn"
    for name in ("ann", "cat"):
        assert [evening.titles(name).count(each) for each in (OPEN, SOON, BEGUN, OVER)] == [1] * 4
    unread = db.session.scalars(
        select(Notice.title).where(Notice.title.contains("on the clock"), Notice.read_at.is_(None))
    )
    assert not unread.all(), "turns that are over are not news"
    last = db.session.scalars(select(Notice).where(Notice.title == OVER)).first()
    assert last is not None
    assert (last.path, last.body) == (
        f"/team/{evening.league.team_rules_id}",
        "Set your lineup for the first week.",
    )
    mails = db.session.query(NoticeDelivery).filter_by(member_id=evening.ids["bob"]).count()
    assert mails == len(evening.titles("bob")) - 1  # the room was open before Bob asked for mails


def test_a_turn_is_told_again_when_its_clock_starts_again(evening: Evening) -> None:
    services.advance_due(START)
    ann = evening.room("ann")
    assert isinstance(services.pause(ann, Submission(START + seconds(30))), Done)
    assert isinstance(services.resume(ann, Submission(START + seconds(600))), Done)
    assert evening.titles("bob")[-2:] == [TURN, TURN]


def test_who_turns_autopilot_on_is_not_told_and_others_are(evening: Evening) -> None:
    services.advance_due(START)
    submission = Submission(START + seconds(1))
    assert isinstance(
        services.set_autopilot(evening.room("cat"), 3, is_on=True, submission=submission), Done
    )
    assert isinstance(
        services.set_autopilot(evening.room("ann"), 2, is_on=True, submission=submission), Done
    )
    assert AUTOPILOT not in evening.titles("cat")
    assert evening.titles("bob")[-1] == AUTOPILOT


def test_a_commissioner_who_picks_replaces_and_takes_back_tells_the_owner(evening: Evening) -> None:
    services.advance_due(START)
    ann = evening.room("ann")
    for number, act in enumerate(
        (
            lambda at: services.pick_for(ann, "RB1", at),
            lambda at: services.replace(ann, 1, "RB2", at),
            lambda at: services.undo(ann, at),
        )
    ):
        assert isinstance(act(Submission(START + seconds(number + 1))), Done)
    titles = [title for title in evening.titles("bob") if "commissioner" in title]
    assert titles == [
        "The Yard: the commissioner picked Robin Bell 1 for you",
        "The Yard: the commissioner replaced Robin Bell 1 with Robin Cole 2",
        "The Yard: the commissioner undid your pick of Robin Cole 2",
    ]
    assert not [title for title in evening.titles("ann") if "commissioner" in title]


def test_the_lottery_is_an_event_that_every_open_room_shows(
    app: Flask, member: Callable[..., Member]
) -> None:
    evening = Evening(member, order=())
    now = START - seconds(600)
    draft_id, version = evening.row.id, evening.row.version
    assert isinstance(services.draw(evening.room("ann"), Submission(now)), Done)
    update = updates.update_since(draft_id, version, now)
    assert (update.version, update.say) == (version + 1, "The lottery is done.")
    assert evening.titles("bob")[-1] == "Draft lottery results, The Yard"
    order = queries.load_snapshot(draft_id).draft.plan.order
    assert isinstance(services.draw(evening.room("ann"), Submission(now)), Done)
    assert evening.row.version == version + 1
    # Neither the order nor another lottery can be had any more, but another date can.
    assert evening.plan(DraftDate(START, tuple(reversed(order)))) == ["drawn"]
    assert evening.plan(DraftDate(START + TWO_HOURS)) == []
    assert queries.load_snapshot(draft_id).draft.plan.order == order


def test_a_change_of_date_order_settings_or_seats_is_an_event_in_the_same_room(
    evening: Evening, member: Callable[..., Member]
) -> None:
    draft_id = evening.row.id
    versions = [evening.row.version]
    assert evening.plan(DraftDate(START + TWO_HOURS, (2, 1, 3))) == []
    versions.append(evening.row.version)
    assert evening.plan(DraftDate(START, (1, 2, 3))) == []
    versions.append(evening.row.version)
    changed = with_changes(SETTINGS, draft=with_changes(SETTINGS.draft, seconds_per_pick=90))
    assert setup.change_settings(evening.league.id, changed, START - TWO_HOURS) == []
    for _ in range(2):
        assert draft_planning.follow(evening.league.id, START - TWO_HOURS) == draft_id
    versions.append(evening.row.version)
    assert versions == [versions[0] + number for number in range(4)]
    assert updates.update_since(draft_id, versions[-2], START).say == "The draft schedule changed."
    services.advance_due(START)
    assert queries.load_snapshot(draft_id).draft.status == "running"


def test_the_date_of_a_draft_is_in_the_calendar(evening: Evening) -> None:
    now = START - TWO_HOURS
    [entry] = [each for each in entries_of(evening.ids["cat"], now) if "draft" in each.uid]
    assert (entry.starts, entry.title, entry.path) == (
        START,
        "Draft, The Yard",
        f"/drafts/{evening.row.id}",
    )
    assert evening.plan(DraftDate(None, (2, 1, 3)), clock.now()) == []
    assert not [each for each in entries_of(evening.ids["cat"], now) if "draft" in each.uid]
