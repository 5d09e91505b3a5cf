"""Telling, counting and marking, on the real database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice, calling, mark_read, newest, notify
from app.fantasy.notices.words import Words
from app.fantasy.standings.models import League
from tests.statements import count_statements
from tests.worlds.games import make_game
from tests.worlds.leagues import make_league

NOW = datetime(2026, 9, 15, 4, tzinfo=UTC)


def notice(
    member: Member, key: str = "result:1:1", title: str = "Done", delta: int | None = None
) -> NewNotice:
    return NewNotice.of(
        member.id, "result", key, Words(title, "All games are over.", delta), "/leagues/row"
    )


def test_each_member_gets_one_notice_a_cause_however_often_it_is_sent(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann, bob = member("ann"), member("bob")
    assert notify([notice(ann, delta=-6000), notice(bob)], NOW) == 2
    assert (
        notify([notice(ann, title="Done again"), notice(bob), notice(bob, "result:1:2")], NOW) == 1
    )
    db.session.commit()
    (stored,) = newest(ann.id)
    assert (stored.title, stored.delta, stored.is_read, stored.created_at) == (
        "Done",
        -6000,
        False,
        NOW,
    )
    assert (notices.overview(ann.id).unread, notices.overview(bob.id).unread) == (1, 2)


def test_the_same_cause_twice_in_one_call_is_one_notice(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    assert notify([notice(ann), notice(ann)], NOW) == 1
    assert notify([], NOW) == 0


def test_a_thousand_members_are_notified_in_one_statement(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    rows = [notice(ann, f"result:1:{week}") for week in range(1000)]
    with count_statements() as counted:
        assert notify(rows, NOW) == 1000
    assert counted() == 1


def test_notices_go_with_the_callers_transaction(app: Flask, member: Callable[..., Member]) -> None:
    ann = member("ann")
    notify([notice(ann)], NOW)
    db.session.rollback()
    assert notices.overview(ann.id).unread == 0


def test_a_kind_that_there_is_not_is_refused_by_the_database(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    with pytest.raises(IntegrityError, match="ck_notices_kind"):
        notify([NewNotice(ann.id, "gossip", "k", "t", "b", "/")], NOW)


def test_notices_come_newest_first_and_by_pages(app: Flask, member: Callable[..., Member]) -> None:
    ann, bob = member("ann"), member("bob")
    for day in range(5):
        notify(
            [notice(ann, f"result:1:{day}", f"Day {day}"), notice(bob, f"result:1:{day}")],
            NOW + timedelta(days=day),
        )
    assert [row.title for row in newest(ann.id, limit=2)] == ["Day 4", "Day 3"]
    assert [row.title for row in newest(ann.id, limit=2, offset=3)] == ["Day 1", "Day 0"]
    assert (notices.overview(ann.id).count, notices.overview(ann.id).unread) == (5, 5)


def test_marking_leaves_what_came_later_and_what_is_anothers(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann, bob = member("ann"), member("bob")
    for day in range(3):
        notify(
            [notice(ann, f"result:1:{day}"), notice(bob, f"result:1:{day}")],
            NOW + timedelta(days=day),
        )
    latest, middle, first = newest(ann.id)
    assert mark_read(ann.id, middle.id, NOW) == 2
    assert [row.is_read for row in newest(ann.id)] == [False, True, True]
    assert (notices.overview(ann.id).unread, notices.overview(bob.id).unread) == (1, 3)
    assert mark_read(ann.id, middle.id, NOW) == 0
    assert notices.find(bob.id, latest.id) is None
    assert mark_read(bob.id, latest.id, NOW, alone=True) == 0
    assert mark_read(ann.id, latest.id, NOW, alone=True) == 1
    assert first.is_read is False  # the row as it was read


def test_the_corrections_of_a_week_in_a_league_are_one_notice_that_grows(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    make_game()
    row = make_league(ann.id, {ann.id: "Anns"})
    work = make_league(ann.id, {ann.id: "Anns"}, slug="work")

    def correct(league: League, event: int, delta: int) -> None:
        key = f"correction:1:{league.id}:g1:{event}"
        words = Words("Stat correction", f"Ruling {event}.", delta)
        notify(
            [NewNotice.of(ann.id, "correction", key, words, "/leagues/row")],
            NOW + timedelta(hours=event),
        )
        db.session.commit()

    correct(row, 1, -6_000)
    correct(work, 2, -1_000)
    correct(row, 3, 2_500)
    grown, alone = newest(ann.id)
    assert (grown.title, grown.delta, str(grown.body)) == (
        "2 stat corrections in Row, Week 1",
        -3_500,
        "Ruling 3.",
    )
    assert (alone.title, alone.delta) == ("Stat correction", -1_000)
    overview = notices.overview(ann.id)
    assert (overview.count, overview.unread) == (2, 2)
    mark_read(ann.id, grown.id, NOW, alone=True)
    assert [row.is_read for row in newest(ann.id)] == [True, False]
    correct(row, 4, 500)
    assert [row.delta for row in newest(ann.id)] == [-3_000, -1_000]
    assert notices.overview(ann.id).unread == 2, "it is new again"


@pytest.mark.parametrize(
    ("kind", "keys", "title"),
    [
        (
            "draft",
            ["draft:3:ran-out:{league}:1.0:2", "draft:3:ran-out:{league}:2.0:9"],
            "Your clock ran out 2 times in Row",
        ),
        ("draft", ["draft:3:turn:2:1.0", "draft:3:turn:9:2.0"], "Latest"),
        (
            "league",
            ["league:{league}:joined:5:1", "league:{league}:joined:6:2"],
            "2 teams joined Row",
        ),
        ("league", ["trade:4:offered", "trade:4:executed"], "Latest"),
        ("deadline", ["deadline-near:1:2:day:9", "deadline:1:2"], "Latest"),
        ("prediction", ["prediction:missing:1", "prediction:missing:2"], "Latest"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_repeats_is_listed_and_counted_as_one_notice_that_grows(
    app: Flask, member: Callable[..., Member], kind: str, keys: list[str], title: str
) -> None:
    ann = member("ann")
    make_game()
    league = make_league(ann.id, {ann.id: "Anns"})
    for hours, (key, words) in enumerate(
        zip(keys, [Words("First", "Then."), Words("Latest", "Now.")], strict=True)
    ):
        notice = NewNotice.of(ann.id, kind, key.format(league=league.id), words, "/tournaments/1")
        notify([notice], NOW + timedelta(hours=hours))
    db.session.commit()
    assert [(row.title, str(row.body)) for row in newest(ann.id)] == [(title, "Now.")]
    assert notices.overview(ann.id).unread == 1
    assert notices.calling(ann.id) <= 1
    mark_read(ann.id, newest(ann.id)[0].id, NOW, alone=True)
    assert [row.is_read for row in newest(ann.id)] == [True]


def test_what_happens_in_two_drafts_stays_apart(app: Flask, member: Callable[..., Member]) -> None:
    ann = member("ann")
    keys = ["draft:3:turn:2:1.0", "draft:4:turn:2:1.0", "trade:3:offered", "trade:4:offered"]
    notify([NewNotice.of(ann.id, "draft", key, Words("New", ""), "/") for key in keys], NOW)
    db.session.commit()
    assert len(newest(ann.id)) == notices.calling(ann.id) == len(keys)


def test_the_bell_counts_what_asks_something_of_the_member(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    kinds_and_keys = {
        "mention": "reply:7",
        "draft": "draft:1:turn",
        "deadline": "deadline-near:1:1:hour:0",
        "league": "trade:1:offered",
        "result": "result:1:1",
        "correction": "correction:1:1:g:1",
    }
    for kind, key in kinds_and_keys.items():
        notify([NewNotice.of(ann.id, kind, key, Words("Title", "Body"), "/")], NOW)
    for kind, key in {"deadline": "deadline:2:1", "league": "league:1:joined:1"}.items():
        notify([NewNotice.of(ann.id, kind, key, Words("Title", "Body"), "/")], NOW)
    assert (calling(ann.id), notices.overview(ann.id).unread) == (4, 8)
