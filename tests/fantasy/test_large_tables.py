"""Tables of large leagues in Redis while a gameweek is under way: as the settlement stores them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Member, Player
from app.core import clock
from app.core.db import db
from app.core.errors import UserError
from app.core.redis.clients import boards_redis
from app.fantasy.amounts import decimal_points
from app.fantasy.engine.ownership import Ownership
from app.fantasy.gameweeks import large_tables, refreshing, settlement
from app.fantasy.gameweeks.live import refresh_behind, refresh_league
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import large_table
from app.fantasy.standings.large_table import TOTALS, WEEK
from app.fantasy.standings.models import League, LeagueMember
from app.fantasy.standings.ranking import dense_ranks
from app.fantasy.standings.season_table import PAGE_ROWS
from app.ops import comparison, drills
from app.record import events as ev
from tests.fantasy.live_rows import settled, stored
from tests.snapshots import made_once
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, make_game, messages
from tests.worlds.leagues import make_league, make_sheet

FOOTBALLERS = ("H1", "H2", "H3", "H4", "A1", "A2", "A3", "A4")
MEMBERS = 120


def forget_tables() -> None:
    for key in boards_redis().keys("pressbox:{table-*"):
        boards_redis().delete(key)


@pytest.fixture
def crowd(
    app: Flask, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> Iterator[League]:
    """A league of so many members that its table is in Redis."""
    monkeypatch.setitem(large_table.LIMIT, "large", MEMBERS - 1)
    yield make_crowd(member)
    forget_tables()


@made_once
def make_crowd(member: Callable[..., Member]) -> League:
    """Everybody in the league owns two or three of the game's footballers."""
    make_game()
    chance = random.Random(5)  # noqa: S311 (whom they own is no secret)
    viewer = member("viewer").id
    others = [
        Member(username=f"m{number:03}", display_name=f"M{number}", password_hash="-")
        for number in range(1, MEMBERS)
    ]
    db.session.add_all(others)
    db.session.flush()
    members = [viewer, *(other.id for other in others)]
    league = make_league(
        members[0], {member_id: f"Team {member_id}" for member_id in members}, slug="crowd"
    )
    for member_id in members:
        owned = chance.sample(FOOTBALLERS, chance.choice((2, 3)))
        make_sheet(member_id, league, owned, captain=owned[0])
    db.session.commit()
    return league


def is_right(league: League) -> bool:
    """Both tables of Redis have everybody in PostgreSQL's order and with its ranks."""
    expected = settled(league.id)
    for by, column in ((TOTALS, 2), (WEEK, 0)):
        table = large_table.large_table(league.id, by)
        assert table is not None
        points = {member: row[column] for (_, member), row in expected.items()}
        order = sorted(points, key=lambda member_id: (-points[member_id], member_id))
        assert list(table.points(0, MEMBERS + 1)) == order
        assert [table.position(member_id) for member_id in order[:3]] == [0, 1, 2]
        ranks = dense_ranks(points)
        assert table.ranks(points.values()) == {
            points[member_id]: rank for member_id, rank in ranks.items()
        }
    return True


def test_a_large_table_is_right_after_each_play_and_its_points_are_not_stored(
    crowd: League,
) -> None:
    for end in range(3, len(DRIVE) + 1):
        ingest_and_refresh(messages(DRIVE)[end - 3 : end])
        assert is_right(crowd)
    assert set(stored(crowd.id).values()) == {(0, 0, 0)}


def test_only_the_owners_of_the_touched_are_written(
    crowd: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    looked: list[int] = []
    real = large_tables._write

    def write(key, known, points, places):  # type: ignore[no-untyped-def]
        assert not key.endswith(":new")
        if key == large_table.order_key(crowd.id, TOTALS):
            looked.append(len(places))
        real(key, known, points, places)

    monkeypatch.setattr(large_tables, "_write", write)
    ingest_and_refresh(messages(DRIVE)[6:])
    assert 0 < sum(looked) < MEMBERS
    assert is_right(crowd)


def test_its_pages_have_the_rows_of_the_order_in_redis(
    crowd: League, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest_and_refresh(messages(DRIVE))
    client = sign_in(username="viewer")
    expected = settled(crowd.id)
    order = sorted(expected, key=lambda key: (-expected[key][2], key[1]))
    for number in (1, 2, 3):
        page = client.get(f"/leagues/crowd?page={number}").text
        part = order[(number - 1) * PAGE_ROWS : number * PAGE_ROWS]
        places_of = [page.index(f'id="member-{member}"') for _, member in part]
        assert places_of == sorted(places_of)
        assert all(decimal_points(expected[key][2]) in page for key in part)


def test_the_api_has_the_order_in_redis(crowd: League, sign_in: Callable[..., FlaskClient]) -> None:
    crowd.is_public = True
    ingest_and_refresh(messages(DRIVE))
    expected = settled(crowd.id)
    order = sorted(expected, key=lambda key: (-expected[key][2], key[1]))
    client = sign_in(username="viewer")
    answer = client.get("/api/v1/leagues/crowd/gamers?limit=10&offset=20")
    assert answer.status_code == 200, answer.text
    gamers = answer.json["gamers"]
    assert [gamer["gamerId"] for gamer in gamers] == [member for _, member in order[20:30]]
    assert [round(float(gamer["totalPoints"]) * 1000) for gamer in gamers] == [
        expected[key][2] for key in order[20:30]
    ]


def test_what_the_commissioner_gives_and_who_joins_is_in_the_next_table(
    crowd: League, member: Callable[..., Member]
) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    db.session.execute(
        text("""
            INSERT INTO score_adjustments (league_id, member_id, gameweek_id, points, reason, by_id)
            VALUES (:league, :member, 1, 5000, 'a good deed', :member)
        """),
        {"league": crowd.id, "member": crowd.commissioner_id},
    )
    late = member("late")
    db.session.add(LeagueMember(league_id=crowd.id, member_id=late.id, team_name="Late"))
    refresh_league(crowd.id, NOW)
    assert large_table.large_table(crowd.id) is None, (
        "PostgreSQL has the order until the table is shown again"
    )
    large_tables.show_all(NOW)
    assert is_right(crowd)


def test_a_hidden_player_is_in_no_table(crowd: League) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    db.session.add(
        Player(display_name="Hidden", member_id=crowd.commissioner_id, hidden_at=clock.now())
    )
    db.session.commit()
    ingest_and_refresh(messages(DRIVE)[6:])
    table = large_table.large_table(crowd.id)
    assert table is not None
    assert crowd.commissioner_id not in table.points(0, MEMBERS)


def test_a_refresh_killed_before_redis_has_it_is_done_again(
    crowd: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    ingest(messages(DRIVE)[6:])
    with monkeypatch.context() as killed:
        killed.setattr(large_tables, "show", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            refresh_behind(1, NOW)
    db.session.rollback()
    assert refreshing.gameweeks_behind() == [1]
    refresh_behind(1, NOW)
    assert is_right(crowd)
    assert refreshing.gameweeks_behind() == []


@pytest.mark.parametrize("top", [large_tables.TOP, 5])
@pytest.mark.parametrize("step", ["_add", "_write", "_write_distinct"])
def test_a_refresh_killed_in_mid_writing_is_done_again(
    crowd: League, monkeypatch: pytest.MonkeyPatch, step: str, top: int
) -> None:
    monkeypatch.setattr(large_tables, "TOP", top)
    ingest_and_refresh(messages(DRIVE[:6]))
    ingest(messages(DRIVE)[6:])
    real = getattr(large_tables, step)

    def killed(*args, **named):  # type: ignore[no-untyped-def]
        real(*args, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(large_tables, step, killed)
        with pytest.raises(KeyboardInterrupt):
            refresh_behind(1, NOW)
    db.session.rollback()
    refresh_behind(1, NOW + timedelta(seconds=1))
    assert is_right(crowd)


def test_the_top_is_shown_before_the_others_are_written(
    crowd: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also who falls out of it; then everybody is right, under one version more."""
    monkeypatch.setattr(large_tables, "TOP", 5)
    ingest_and_refresh(messages(DRIVE[:6]))
    asked = text("SELECT sum(version) FROM league_versions WHERE league_id = :league")
    tops: list[tuple[int, list[int]]] = []
    times_shown = 0
    real = large_tables.versions.bump

    def bump(*args, through=None):  # type: ignore[no-untyped-def]
        bumped = real(*args, through=through)
        if through is not None:
            table = large_table.LargeTable(crowd.id, TOTALS)
            tops.append((through.scalar(asked, {"league": crowd.id}), list(table.points(0, 5))))
        return bumped

    monkeypatch.setattr(large_tables.versions, "bump", bump)
    for end in range(7, len(DRIVE) + 1):
        before = db.session.scalar(asked, {"league": crowd.id})
        tops.clear()
        ingest_and_refresh(messages(DRIVE)[end - 1 : end])
        assert is_right(crowd)
        for version, top in tops:
            table = large_table.large_table(crowd.id)
            assert table is not None
            assert list(table.points(0, 5)) == top
            assert version == before + 1
            assert db.session.scalar(asked, {"league": crowd.id}) == before + 2
            times_shown += 1
    assert times_shown


def test_a_top_that_was_shown_by_a_killed_refresh_is_followed_by_the_others(
    crowd: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_tables, "TOP", 5)
    ingest_and_refresh(messages(DRIVE[:6]))
    ingest(messages(DRIVE)[6:])
    real = large_tables.versions.bump

    def bump(*args, through=None):  # type: ignore[no-untyped-def]
        bumped = real(*args, through=through)
        if through is not None:
            through.commit()
            raise KeyboardInterrupt
        return bumped

    with monkeypatch.context() as patch:
        patch.setattr(large_tables.versions, "bump", bump)
        with pytest.raises(KeyboardInterrupt):
            refresh_behind(1, NOW)
    db.session.rollback()
    refresh_behind(1, NOW + timedelta(seconds=1))
    assert is_right(crowd)


def test_redis_emptied_gets_it_back_and_pages_work_meanwhile(
    crowd: League, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest_and_refresh(messages(DRIVE))
    client = sign_in(username="viewer")
    forget_tables()
    assert client.get("/leagues/crowd").status_code == 200
    assert large_tables.show_all(NOW) == 1
    assert is_right(crowd)
    assert large_tables.show_all(NOW) == 0, "all is held"


def test_a_repair_writes_tables_anew_whatever_redis_says_of_itself_and_compares_them(
    crowd: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/recovery.md: each repair reads back what it wrote, and names what differs."""
    monkeypatch.setattr(comparison, "WAITS", (0.0,))
    ingest_and_refresh(messages(DRIVE))
    key = large_table.order_key(crowd.id, TOTALS)
    first = int(boards_redis().zrange(key, 0, 0)[0])
    damage = {large_table.name(first): 7, large_table.name(999): 5}
    boards_redis().zadd(key, damage)
    assert large_tables.show_all(NOW) == 0, "its version says that it is right"
    report = drills.DRILLS["boards"].run(lambda _: None)
    assert (
        report.splitlines()[-1]
        == f"2 orders of large leagues, {2 * MEMBERS} rows: equal to PostgreSQL"
    )
    db.session.rollback()
    assert is_right(crowd)

    write = large_tables._write_all

    def damaged(*arguments: Any) -> None:
        write(*arguments)
        boards_redis().zadd(key, damage)

    monkeypatch.setattr(large_tables, "_write_all", damaged)
    with pytest.raises(UserError) as raised:
        drills.DRILLS["boards"].run(lambda _: None)
    assert f"League {crowd.id}, totals, {first}: -7 in the store" in str(raised.value)
    assert f"League {crowd.id}, totals, 999: in the store, not in PostgreSQL" in str(raised.value)


def test_a_play_that_touches_everybody_is_written_as_any_other(
    crowd: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_and_refresh(messages(DRIVE[:6]))
    monkeypatch.setattr(Ownership, "rows_with", lambda sheets, _: np.arange(len(sheets)))
    for end in range(7, len(DRIVE) + 1):
        ingest_and_refresh(messages(DRIVE)[end - 1 : end])
        assert is_right(crowd)


def test_the_settlement_leaves_no_file(crowd: League, app: Flask) -> None:
    db.session.get_one(Gameweek, 1).locked_at = KICKOFF
    db.session.commit()
    ingest_and_refresh(messages([*DRIVE, ev.GameEnded()]))
    files = app.config["PRESSBOX"].var / "live"
    assert list(files.iterdir())
    assert settlement.settle(1, NOW)
    assert not list(files.iterdir())
    assert not boards_redis().keys("pressbox:{table-*")
