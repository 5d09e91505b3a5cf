"""Boards among a few.

The same answer live, kept and from PostgreSQL, and never more than the list may show.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from app.accounts import friends as friendships
from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.groups import small_board
from app.boards.groups.small_board import ModeWindow, SmallBoard, friends_of
from app.boards.jobs import REFRESH_SMALL_BOARD
from app.boards.layouts.board import open_board
from app.boards.models import Mode, ScoreGame
from app.boards.reads import Row, RowRange
from app.boards.rules import SECOND, Held
from app.boards.windows import rules as windows
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.fantasy.leagues import guilds
from tests.boards.plain import PlainBoard
from tests.worlds.boards import NOW, fill, redis_at
from tests.worlds.leagues import make_league
from tests.worlds.score_games import make_score_game, make_score_mode
from workers.jobs import refresh_small_board

NUMBERS = count(1)
AT = int(NOW.timestamp()) * SECOND


@pytest.fixture
def player(member: Callable[..., Member]) -> Callable[[str], UUID]:
    def make(username: str) -> UUID:
        player_id: UUID = player_of(member(username)).id
        return player_id

    return make


def befriend(asking: UUID, other: UUID) -> None:
    assert friendships.ask(asking, other, NOW) is None
    assert friendships.accept(other, asking, NOW) is None


def board_with(
    records: dict[UUID, tuple[int, int]], ties: str = "shared"
) -> tuple[ScoreGame, Mode]:
    """A board of all time on which these (score, second) stand, in Redis and PostgreSQL."""
    game = make_score_game(f"bowl-{next(NUMBERS)}")
    mode = make_score_mode(game, NewMode("ranked", "Ranked", "highest", ties, -100_000, 100_000))
    record = catalogue.board_for(mode, windows.Window("all-time", "all-time"))
    spec = catalogue.spec_of(game, mode, record)
    holds = {
        str(player): Held(score, AT + second * SECOND)
        for player, (score, second) in records.items()
    }
    fill(record, spec, holds)
    db.session.commit()
    open_board(spec).load(holds.items())
    return game, mode


def shown(
    game: ScoreGame, mode: Mode, me: UUID, *, offset: int = 0, limit: int = 1000, seconds: int = 0
) -> SmallBoard:
    return small_board.small_board(
        ModeWindow(game, mode, "all-time"),
        friends_of(me),
        RowRange(offset, limit),
        NOW + timedelta(seconds=seconds),
    )


def test_i_stand_among_my_accepted_friends_alone(player: Callable[[str], UUID]) -> None:
    """Cal is a friend's friend, Dan has asked, Eve was asked.

    Neither names nor counts include them.
    """
    ann, bob, cal, dan, eve = (player(name) for name in ("ann", "bob", "cal", "dan", "eve"))
    befriend(ann, bob)
    befriend(bob, cal)
    friendships.ask(dan, ann, NOW)
    friendships.ask(ann, eve, NOW)
    game, mode = board_with({ann: (5, 0), bob: (9, 0), cal: (9, 0), dan: (8, 0), eve: (7, 0)})
    board = shown(game, mode, ann)
    assert board.rows == [Row(1, str(bob), 9), Row(2, str(ann), 5)]
    assert (board.me, board.count, board.is_cached) == (Row(2, str(ann), 5), 2, False)
    assert shown(game, mode, ann, offset=1, limit=1).rows == [Row(2, str(ann), 5)]


def test_a_blocked_pair_is_off_one_anothers_boards_at_once_kept_or_not(
    player: Callable[[str], UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = player("ann"), player("bob")
    befriend(ann, bob)
    game, mode = board_with({ann: (5, 0), bob: (9, 0)})
    for live_below in (200, 1):
        monkeypatch.setattr(small_board, "LIVE_BELOW", live_below)
        assert shown(game, mode, ann).count == shown(game, mode, bob).count == 2
    friendships.block(bob, ann, NOW)
    friendships.ask(ann, bob, NOW)
    for live_below in (200, 1):
        monkeypatch.setattr(small_board, "LIVE_BELOW", live_below)
        assert [row.member for row in shown(game, mode, ann).rows] == [str(ann)]
        assert [row.member for row in shown(game, mode, bob).rows] == [str(bob)]


def test_without_a_score_i_have_no_row_and_friends_without_one_none_either(
    player: Callable[[str], UUID],
) -> None:
    ann, bob, cal = player("ann"), player("bob"), player("cal")
    befriend(ann, bob)
    befriend(ann, cal)
    game, mode = board_with({bob: (9, 0)})
    board = shown(game, mode, ann)
    assert (board.rows, board.me, board.count) == ([Row(1, str(bob), 9)], None, 1)


def test_a_kept_board_says_its_age_and_a_job_reads_it_anew(
    player: Callable[[str], UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_board, "LIVE_BELOW", 1)
    ann = player("ann")
    game, mode = board_with({ann: (5, 0)})
    assert shown(game, mode, ann).is_cached is False
    record = catalogue.find_board(mode, "all-time")
    assert record is not None
    open_board(catalogue.spec_of(game, mode, record)).put({str(ann): Held(6, AT)})
    cached = shown(game, mode, ann, seconds=61)
    assert (cached.is_cached, cached.as_of, cached.rows[0].score) == (True, NOW, 5)
    shown(game, mode, ann, seconds=62)
    (job,) = jobs.queue(jobs.BOARDS_QUEUE).jobs  # asked for once
    assert job.func_name == REFRESH_SMALL_BOARD.name
    for _ in range(2):  # running twice changes nothing
        refresh_small_board.run(*job.args)
        anew = shown(game, mode, ann, seconds=63)
        assert (anew.is_cached, anew.rows, anew.me) == (
            True,
            [Row(1, str(ann), 6)],
            Row(1, str(ann), 6),
        )
    assert (
        0
        < boards_redis().ttl(f"lb:friends:{{{ann}}}:{game.slug}:ranked:all-time")
        <= small_board.KEPT_SECONDS
    )


def test_a_league_is_a_guild(app: Flask, member: Callable[..., Member]) -> None:
    ann, bob, cal = (member(name) for name in ("ann", "bob", "cal"))
    league = make_league(ann.id, {friend.id: "T" for friend in (ann, bob)})
    db.session.commit()
    players = [player_of(person).id for person in (ann, bob, cal)]
    game, mode = board_with({player_id: (number, 0) for number, player_id in enumerate(players)})
    guild = guilds.guild_of(league.slug, players[0])
    board = small_board.small_board(ModeWindow(game, mode, "all-time"), guild, RowRange(0, 10), NOW)
    assert [(row.rank, row.member) for row in board.rows] == [
        (1, str(players[1])),
        (2, str(players[0])),
    ]
    assert board.me == Row(2, str(players[0]), 0)


STANDINGS = st.lists(
    st.tuples(st.integers(-2, 2), st.integers(0, 2), st.booleans()), min_size=1, max_size=14
)  # score, second, whether a friend


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    ties=st.sampled_from(["shared", "dense", "earliest"]),
    standings=STANDINGS,
    offset=st.integers(0, 5),
)
def test_live_kept_and_postgresql_answer_as_a_board_of_the_few_would(
    app: Flask, ties: str, standings: list[tuple[int, int, bool]], offset: int
) -> None:
    number = next(NUMBERS)
    ids = [
        UUID(int=(number * 1000 + n) * 0x1234567890ABCDEF123 % 2**128)
        for n in range(len(standings))
    ]
    owner = Member(username=f"m{number}", display_name="M", password_hash="x")
    db.session.add(owner)
    db.session.flush()
    members = [Member(username=f"m{number}-{n}", display_name="M", password_hash="x") for n in ids]
    db.session.add_all(members)
    db.session.flush()
    people: list[dict[str, Any]] = [
        {"id": player_id, "display_name": "P", "member_id": who.id}
        for player_id, who in zip(ids, members, strict=True)
    ]
    db.session.execute(insert(Player), people)
    db.session.commit()
    me = ids[0]
    for friend_id, (_, _, friend) in zip(ids[1:], standings[1:], strict=True):
        if friend:
            befriend(me, friend_id)
    records = {
        player_id: (score, second)
        for player_id, (score, second, _) in zip(ids, standings, strict=True)
    }
    game, mode = board_with(records, ties)
    record = catalogue.find_board(mode, "all-time")
    assert record is not None
    spec = catalogue.spec_of(game, mode, record)
    friend_ids = {me, *friendships.friends_of(me)}
    plain = PlainBoard(
        spec,
        {str(p): Held(s, AT + at * SECOND) for p, (s, at) in records.items() if p in friend_ids},
    )
    rows = plain.page(offset, 3)
    mine = next(row for row in plain.page(0, 1000) if row.member == str(me))
    live = shown(game, mode, me, offset=offset, limit=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_board, "LIVE_BELOW", 1)
        first, cached = (shown(game, mode, me, offset=offset, limit=3) for _ in range(2))
        with redis_at(app, "redis://127.0.0.1:1/0"):
            away = shown(game, mode, me, offset=offset, limit=3)
    assert [board.is_cached for board in (live, first, cached, away)] == [False, False, True, False]
    assert [board.source for board in (live, first, cached, away)] == [
        "redis",
        "redis",
        "redis",
        "postgresql",
    ]
    for board in (live, first, cached, away):
        assert (board.rows, board.me, board.count) == (rows, mine, plain.count())
