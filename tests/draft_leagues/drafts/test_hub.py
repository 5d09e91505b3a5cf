"""The live streams of a room: who watches gets every version, once and in order."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from flask import Flask

from app.accounts import member_sessions
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.drafts import hub as draft_hub
from app.draft_leagues.drafts import services
from app.draft_leagues.drafts.hub import MOST_STREAMS_OF_MEMBER, DraftHub, StreamRequest
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.services import Submission
from tests.draft_leagues.drafts.conftest import DraftWorld, MakeDraft
from tests.waiting import until

SESSION = "s1"


class Reader:
    """A stream that keeps what was sent; `unread` of it counts as not read yet."""

    def __init__(self, unread: int = 0) -> None:
        self.unsent_bytes = unread
        self.is_closed = False
        self.data: list[bytes] = []
        self.lock = threading.Lock()

    def send(self, data: bytes) -> None:
        with self.lock:
            self.data.append(data)

    def end(self) -> None:
        self.is_closed = True

    drop = end

    @property
    def versions(self) -> list[int]:
        with self.lock:
            events = [data for data in self.data if data.startswith(b"id: ")]
        return [int(event.split(b"\n")[0][4:]) for event in events]

    def update(self, index: int) -> dict[str, object]:
        line = self.data[index].split(b"\n")[2]
        update: dict[str, object] = json.loads(line.removeprefix(b"data: "))
        return update


@pytest.fixture
def hub(app: Flask) -> Iterator[DraftHub]:
    hub = DraftHub(app)
    yield hub
    until(lambda: hub.is_idle, "its thread has ended")


@pytest.fixture
def world(make_draft: MakeDraft) -> DraftWorld:
    """A draft that has started now."""
    world = make_draft(clock.now(), seconds_per_pick=600)
    begin_session(world)
    services.start(world.room("ann"), Submission(clock.now()))
    return world


def begin_session(world: DraftWorld) -> None:
    """Sign Ann in; all streams are hers."""
    now = clock.now()
    sign_in = member_sessions.SignIn(
        has_second_factor=False, address="1.2.3.4", browser="Browser", device="device"
    )
    ann = db.session.get_one(Member, world.ids["ann"])
    member_sessions.begin(SESSION, ann, sign_in, now, now + timedelta(days=1))


def pick(world: DraftWorld, name: str, footballer: str) -> None:
    services.pick(world.room(name), footballer, Submission(clock.now()))


def test_all_watchers_get_the_same_update_and_late_ones_all_that_they_missed(
    hub: DraftHub, world: DraftWorld
) -> None:
    early, other = Reader(), Reader()
    for reader in (early, other):
        hub.open(StreamRequest(world.draft_id, SESSION, 1, 1).dump(), reader)
    pick(world, "ann", "RB1")
    hub.wake()
    until(lambda: early.versions == [2] and other.versions == [2], "both have the pick")
    assert early.data == other.data
    assert early.update(0)["taken"] == ["RB1"]
    pick(world, "bob", "RB2")
    late = Reader()
    hub.open(StreamRequest(world.draft_id, SESSION, 1, 1).dump(), late)
    until(lambda: late.versions == [3] and early.versions == [2, 3], "both have the second pick")
    assert late.update(0)["taken"] == ["RB1", "RB2"]
    assert (early.update(1)["taken"], early.update(1)["since"]) == (["RB2"], 2)
    for reader in (early, other, late):
        reader.end()


def test_the_clock_of_a_watched_room_needs_no_worker(hub: DraftHub, make_draft: MakeDraft) -> None:
    world = make_draft(clock.now(), members=0)
    begin_session(world)
    db.session.get_one(DraftRow, world.draft_id).starts_at = clock.now()
    db.session.get_one(DraftRow, world.draft_id).due_at = clock.now()
    db.session.commit()
    reader = Reader()
    hub.open(StreamRequest(world.draft_id, SESSION, 0, 1).dump(), reader)
    until(lambda: len(world.draft().picks) > 0, "the first bot has picked")
    reader.end()


def test_a_reader_that_leaves_too_much_unread_is_dropped(hub: DraftHub, world: DraftWorld) -> None:
    slow = Reader(unread=draft_hub.MOST_UNREAD_BYTES + 1)
    hub.open(StreamRequest(world.draft_id, SESSION, 1, 1).dump(), slow)
    until(lambda: slow.is_closed, "it is dropped")


def test_the_streams_of_a_deleted_draft_end(hub: DraftHub, world: DraftWorld) -> None:
    reader = Reader()
    hub.open(StreamRequest(world.draft_id, SESSION, 1, 1).dump(), reader)
    db.session.delete(db.session.get_one(DraftRow, world.draft_id))
    db.session.commit()
    until(lambda: reader.is_closed, "it has ended")


def test_a_stream_ends_when_its_session_does(
    hub: DraftHub, world: DraftWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """README: a ban, a lost role or a sign-out elsewhere takes effect at once, in streams too."""
    monkeypatch.setattr(draft_hub, "ACCESS_SECONDS", 0.0)
    reader = Reader()
    hub.open(StreamRequest(world.draft_id, SESSION, 1, 1).dump(), reader)
    pick(world, "ann", "RB1")
    until(lambda: reader.versions == [2], "it is open")
    member_sessions.end(SESSION, clock.now())
    until(lambda: reader.is_closed, "it has ended")


def test_a_member_cannot_take_the_places_of_others(
    hub: DraftHub, world: DraftWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """120 streams of one session stayed open; 2,000 were all that a process has."""
    monkeypatch.setattr(draft_hub, "MOST_STREAMS_OF_DRAFT", MOST_STREAMS_OF_MEMBER + 1)
    ann, bob, cat = 1, 2, 3
    readers = [Reader() for _ in range(MOST_STREAMS_OF_MEMBER + 1)]
    for reader in readers:
        hub.open(StreamRequest(world.draft_id, SESSION, 1, ann).dump(), reader)
    assert [reader.is_closed for reader in readers] == [False] * MOST_STREAMS_OF_MEMBER + [True]
    assert not hub.has_room(world.draft_id, ann)
    assert hub.has_room(world.draft_id, bob)

    readers.append(Reader())
    hub.open(StreamRequest(world.draft_id, SESSION, 1, bob).dump(), readers[-1])
    assert not hub.has_room(world.draft_id, cat), "the draft has its share"
    assert hub.has_room(world.draft_id + 1, cat)
    for reader in readers:
        reader.end()
    assert hub.has_room(world.draft_id, ann)
