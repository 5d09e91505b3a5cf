"""Notices of corrections in a gameweek under way: by the refresh, or if they are many by a job."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core import jobs
from app.core.db import db
from app.fantasy.gameweeks import correction_notices, live_corrections, settlement
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.jobs import NOTIFY_CORRECTIONS
from app.fantasy.leagues import services as league_services
from app.fantasy.market.models import Gameweek
from app.fantasy.notices.models import Notice
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League
from app.record import events as ev
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, make_game, messages
from tests.worlds.leagues import make_league, make_sheet
from workers.jobs import notify_corrections

TAKEN_BACK = ev.Nullify(events=(8, 9), reason="Holding")
Notices = dict[int, list[tuple[str, int | None, str, str, str]]]


@pytest.fixture
def hurried(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refreshes have time for one owner."""
    monkeypatch.setattr(live_corrections, "SLICE", 1)
    monkeypatch.setattr(live_corrections, "REFRESH_SECONDS", 0)


@pytest.fixture
def leagues(app: Flask, member: Callable[..., Member]) -> list[League]:
    """Ann doubles passer H1 and has runner H3, in three leagues with two scoring rules.

    Bob has catcher H2.
    """
    make_game()
    ann, bob = member("ann"), member("bob")
    leagues = [
        make_league(ann.id, {ann.id: "Anns", bob.id: "Bobs"}),
        make_league(ann.id, {ann.id: "Anns"}, slug="work"),
        make_league(ann.id, {ann.id: "Anns"}, slug="pub", rules="ppr"),
    ]
    make_sheet(ann.id, leagues[0], ["H1", "H3"], captain="H1")
    make_sheet(bob.id, leagues[0], ["H2"])
    db.session.execute(
        text("""
            INSERT INTO score_adjustments (league_id, member_id, gameweek_id, points, reason, by_id)
            VALUES (:league, :member, 1, 5000, 'a good deed', :member)
        """),
        {"league": leagues[0].id, "member": ann.id},
    )
    db.session.commit()
    return leagues


def sent() -> Notices:
    notices: Notices = {}
    for notice in db.session.scalars(
        select(Notice).where(Notice.kind == "correction").order_by(Notice.id)
    ):
        notices.setdefault(notice.member_id, []).append(
            (notice.title, notice.delta, notice.body, notice.path, notice.key)
        )
    return notices


def waits() -> bool:
    """Whether the job is in its queue."""
    queue = jobs.queue(jobs.UPKEEP_QUEUE)
    return NOTIFY_CORRECTIONS.name in [job.func_name for job in queue.jobs]


def test_each_owner_is_told_what_it_did_to_them_in_all_their_leagues(
    leagues: list[League],
) -> None:
    ingest_and_refresh(messages(DRIVE))
    ingest_and_refresh(messages([TAKEN_BACK], first=12))
    assert not waits()
    anns, bobs = sent()[1], sent()[2]
    assert {notice[1] for notice in anns} == {-13_200}
    assert {notice[1] for notice in bobs} == {-12_500}
    bodies = " ".join(notice[2] for notice in anns)
    assert "from 19.20 to 6.00 points" in bodies, "the commissioner's five points are in it"
    assert "from 14.20 to 1.00 points" in bodies
    assert all(
        "No play (Holding): H. Player1 to H. Player2" in notice[2] for notice in (*anns, *bobs)
    )
    keys = {f"correction:1:{league.id}:g1:12" for league in leagues}
    assert {notice[4] for notice in anns} <= keys
    assert anns[0][3] == "/leagues/row/teams/1?week=1"
    notify_corrections.run()
    refresh_game("g1", NOW)
    assert sent() == {1: anns, 2: bobs}


def test_a_correction_is_told_after_the_refresh_that_shows_it(leagues: list[League]) -> None:
    db.session.get_one(Gameweek, 1).locked_at = KICKOFF
    db.session.commit()
    ingest_and_refresh(messages([*DRIVE, ev.GameEnded()]))
    ingest(messages([TAKEN_BACK], first=13))
    live_corrections.notify_all(NOW)
    assert sent() == {}
    assert settlement.settle(1, NOW), "it refreshes the game first"
    assert "from 12.50 to 0.00 points" in sent()[2][0][2]
    refresh_game("g1", NOW)
    assert len(sent()[2]) == 1


def test_a_correction_that_takes_the_captain_away_is_told_as_the_table_shows_it(
    leagues: list[League],
) -> None:
    ingest_and_refresh(messages([*DRIVE, ev.GameEnded()]))
    ingest_and_refresh(messages([TAKEN_BACK], first=13))
    assert {notice[1] for notice in sent()[1]} == {-13_200}
    assert "from 14.20 to 1.00 points" in " ".join(notice[2] for notice in sent()[1])


def test_first_points_after_the_game_cost_those_of_the_one_who_stood_in(
    app: Flask, member: Callable[..., Member]
) -> None:
    """Captain H9 did not play, so that H3 counts double until the run is given to H9."""
    make_game()
    ann = member("ann")
    league = make_league(ann.id, {ann.id: "Anns"})
    make_sheet(ann.id, league, ["H9", "H3"], captain="H9", vice="H3")
    db.session.commit()
    ingest_and_refresh(messages([*DRIVE, ev.GameEnded()]))
    assert live_scores([league.id])[0].points == 2_000
    run = ev.Run(team="HRB", player="H9", kind="rush", start_yard=25, end_yard=45)
    ingest_and_refresh(messages([ev.Overturn(event=6, ruling=run)], first=13))
    assert live_scores([league.id])[0].points == 4_000
    ((_, delta, body, _, _),) = sent()[1]
    assert delta == 2_000
    assert "from 2.00 to 4.00 points" in body


def test_a_member_who_leaves_between_two_turns_costs_nobody_their_notice(
    leagues: list[League], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_corrections, "SLICE", 1)
    with monkeypatch.context() as without_notices:
        without_notices.setattr(live_corrections, "notify_all", lambda *_: True)
        ingest_and_refresh(messages([*DRIVE, TAKEN_BACK]))
    assert not live_corrections.notify_all(NOW, seconds=0)
    assert set(sent()) == {1}
    for league in leagues:
        league.commissioner_id = 2
    db.session.commit()
    for league in leagues:
        assert league_services.leave(1, league.id, NOW) is None
    live_corrections.notify_all(NOW)
    assert set(sent()) == {1, 2}


@pytest.mark.usefixtures("hurried")
def test_no_refresh_waits_for_many_owners(leagues: list[League]) -> None:
    ingest_and_refresh(messages(DRIVE))
    ingest_and_refresh(messages([TAKEN_BACK], first=12))
    assert set(sent()) == {1}
    assert waits()
    notify_corrections.run()
    assert {member: len(notices) for member, notices in sent().items()} == {1: 3, 2: 1}


@pytest.mark.parametrize("step", ["notify", "mark_notified"])
def test_killed_anywhere_it_goes_on(
    leagues: list[League], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(live_corrections, "SLICE", 1)
    with monkeypatch.context() as without_notices:
        without_notices.setattr(live_corrections, "notify_all", lambda *_: True)
        ingest_and_refresh(messages([*DRIVE, TAKEN_BACK]))
    module = {"notify": live_corrections, "mark_notified": correction_notices}[step]
    real, calls = getattr(module, step), []

    def killed(*args):  # type: ignore[no-untyped-def]
        calls.append(real(*args))
        if step == "mark_notified" or len(calls) == 2:
            raise KeyboardInterrupt
        return calls[-1]

    with monkeypatch.context() as patch:
        patch.setattr(module, step, killed)
        with pytest.raises(KeyboardInterrupt):
            live_corrections.notify_all(NOW)
    db.session.rollback()
    assert correction_notices.waiting(db.session.get_one(Gameweek, 1))
    assert live_corrections.notify_all(NOW)
    assert {member: len(notices) for member, notices in sent().items()} == {1: 3, 2: 1}
    assert correction_notices.waiting(db.session.get_one(Gameweek, 1)) == []


def test_a_long_one_lets_others_have_their_turn(
    leagues: list[League], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_corrections, "SLICE", 1)
    with monkeypatch.context() as without_notices:
        without_notices.setattr(live_corrections, "notify_all", lambda *_: True)
        ingest_and_refresh(messages([*DRIVE, TAKEN_BACK]))
    turns = [(live_corrections.notify_all(NOW, seconds=0), len(sent())) for _ in range(3)]
    assert turns == [(False, 1), (False, 2), (True, 2)]


def test_a_settlement_waits_for_it(leagues: list[League], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without_notices:
        without_notices.setattr(live_corrections, "notify_all", lambda *_: False)
        ingest_and_refresh(messages([*DRIVE, TAKEN_BACK, ev.GameEnded()]))
        db.session.get_one(Gameweek, 1).locked_at = KICKOFF
        db.session.commit()
        jobs.queue(jobs.UPKEEP_QUEUE).empty()
        assert not settlement.settle(1, NOW)
    assert waits()
    notify_corrections.run()
    notices = sent()
    assert settlement.settle(1, NOW)
    assert sent() == notices
    assert {member: len(notices_of_member) for member, notices_of_member in notices.items()} == {
        1: 3,
        2: 1,
    }


def test_a_cancelled_game_is_told_by_the_refresh(leagues: list[League]) -> None:
    ingest_and_refresh(messages(DRIVE))
    ingest_and_refresh(messages([ev.GameStatus(status="cancelled", reason="Storm")], first=12))
    assert {member: notices[0][1] for member, notices in sent().items()} == {1: -14_200, 2: -12_500}
    assert not waits()


def test_corrections_of_one_refresh_are_one_notice(leagues: list[League]) -> None:
    ingest_and_refresh(messages(DRIVE))
    other = ev.Nullify(events=(6,), reason="Offside")
    ingest_and_refresh(messages([TAKEN_BACK, other], first=12))
    (notice, *others) = sent()[1]
    assert len(others) == 2, "one for each league"
    assert "Holding" in notice[2]
    assert "Offside" in notice[2]


def test_a_game_that_is_cancelled_before_it_was_first_counted_takes_nothing(
    leagues: list[League],
) -> None:
    ingest(messages([*DRIVE, ev.GameStatus(status="cancelled", reason="Storm")]))
    refresh_game("g1", NOW)
    assert sent() == {}
    assert correction_notices.waiting(db.session.get_one(Gameweek, 1)) == []
