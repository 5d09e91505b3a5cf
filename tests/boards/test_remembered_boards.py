"""Unchanged polls of a board answered from memory (decision 113).

What they cost and what ends them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts import services as accounts
from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import Board, apply_all, open_board
from app.boards.rules import Attempt, Held
from app.boards.windows.rules import window_of
from app.core import clock
from app.core.db import db
from app.moderation import sanctions
from tests.boards.test_views import address, mode, players
from tests.polling import is_fast, poll, remembered, tables_read

__all__ = ["mode", "players"]  # fixtures

pytestmark = pytest.mark.usefixtures("still_clock")

RESTS_ON = {"members", "member_sessions", "players", "score_games", "score_modes", "boards"}


@pytest.fixture
def ann(players: list[str], sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    client = sign_in("member", "ann")
    poll(client, address())  # the names are remembered beside the board from now on
    return client


def board() -> Board:
    game = catalogue.find_game("bowl")
    assert game is not None
    mode = catalogue.find_mode(game, "ranked")
    assert mode is not None
    return open_board(
        catalogue.spec_of(
            game, mode, catalogue.board_for(mode, window_of("monthly", clock.now(), "UTC"))
        )
    )


@pytest.mark.parametrize("page", ["", "?page=2"])
def test_an_unchanged_poll_costs_no_sql_and_one_round_trip(ann: FlaskClient, page: str) -> None:
    poll(ann, address() + page)
    assert is_fast(ann, address() + page, remembered(ann, address() + page))


def test_a_visitor_polls_from_memory_too(ann: FlaskClient, app: Flask) -> None:
    visitor = app.test_client()
    assert is_fast(visitor, address(), remembered(visitor, address()))


def test_it_rests_on_these_tables_and_on_the_board(ann: FlaskClient) -> None:
    assert tables_read(ann, address()) == RESTS_ON


def applied(players: list[str]) -> None:
    apply_all([(board(), players[4], Attempt(event="e1", score=999, at=0))])


def put(players: list[str]) -> None:
    board().put({players[4]: Held(999, 0)})


def taken_off(players: list[str]) -> None:
    board().put({players[4]: None})


def renamed(players: list[str]) -> None:
    board().rename(players[4], "Somebody else", 600)


def loaded(_players: list[str]) -> None:
    board().load([("00000000-0000-0000-0000-0000000000ff", Held(5, 0))])


@pytest.mark.parametrize("change", [applied, put, taken_off, renamed, loaded])
def test_what_changes_on_the_board_is_on_the_next_poll(
    ann: FlaskClient, players: list[str], change: Callable[[list[str]], None]
) -> None:
    tag = remembered(ann, address())
    change(players)
    assert poll(ann, address(), tag).status_code == 200


def test_a_score_that_changes_nothing_leaves_the_memory(
    ann: FlaskClient, players: list[str]
) -> None:
    tag = remembered(ann, address())
    apply_all([(board(), players[4], Attempt(event="e1", score=-5, at=0))])
    assert is_fast(ann, address(), tag)


CLOSED = [
    ("UPDATE score_modes SET private = true", 404),
    ("UPDATE score_games SET deleting_at = now()", 404),
    ("UPDATE boards SET frozen_at = now()", 200),
    ("UPDATE boards SET stale_since = now()", 200),
]


@pytest.mark.parametrize(("written", "status"), CLOSED)
def test_what_closes_or_freezes_it_is_on_the_next_poll(
    ann: FlaskClient, written: str, status: int
) -> None:
    tag = remembered(ann, address())
    db.session.execute(text(written))
    db.session.commit()
    assert poll(ann, address(), tag).status_code == status


def test_who_is_banned_has_no_place_of_their_own_at_the_next_poll(ann: FlaskClient) -> None:
    tag = remembered(ann, address())
    member = accounts.find_member("ann")
    assert isinstance(member, Member)
    sanction = sanctions.impose(
        player_of(member).id,
        sanctions.Measure("ban"),
        by=None,
        reason="Two accounts.",
        now=clock.now(),
    )
    assert isinstance(sanction, sanctions.Sanction), sanction
    answer = poll(ann, address(), tag)
    assert answer.status_code == 200
    assert "Your rank" not in answer.text


def test_who_becomes_a_player_sees_so_at_the_next_poll(
    players: list[str], ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    bob = sign_in("member", "bob")
    tag = remembered(bob, address())
    member = accounts.find_member("bob")
    assert isinstance(member, Member)
    player_of(member)
    db.session.commit()
    assert not is_fast(bob, address(), tag)


def test_a_window_ends_at_its_time(ann: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    url, ends = address(), window_of("monthly", clock.now(), "UTC").ends
    assert isinstance(ends, datetime)
    later = ends - timedelta(seconds=5)
    monkeypatch.setattr(clock, "now", lambda: later)
    anew = remembered(ann, url)
    monkeypatch.setattr(clock, "now", lambda: ends)
    assert not is_fast(ann, url, anew)
