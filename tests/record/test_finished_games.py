"""What is over is written once: the book, the exports and the staff's page of a finished game."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core.db import db
from tests.statements import count_statements
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

BOOK = "/games/g1/book"
EXPORTS = [f"/games/g1/export.{suffix}" for suffix in ("csv", "json", "xml", "zip")]


@pytest.fixture
def sue(sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    """A scorer, who may correct the game."""
    make_game()
    ingest(messages(touchdown_drive()))
    end_game("final")
    return sign_in("scorer", "sue")


def end_game(status: str) -> None:
    db.session.execute(
        text("UPDATE game_states SET status = :status, version = version + 1"), {"status": status}
    )
    db.session.commit()


@pytest.mark.parametrize("url", [BOOK, *EXPORTS, "/games/g1"])
def test_the_second_request_reads_nothing_of_the_game(sue: FlaskClient, url: str) -> None:
    first = sue.get(url)
    with count_statements() as counted:
        second = sue.get(url)
    assert first.status_code == second.status_code == 200
    assert counted() <= 1, "who it is"
    assert (second.data == first.data) or url == "/games/g1"


@pytest.mark.parametrize("url", [BOOK, *EXPORTS, "/games/g1"])
def test_a_correction_after_the_final_is_in_the_next_answer(sue: FlaskClient, url: str) -> None:
    before = sue.get(url)
    assert sue.get(url).data
    ingest(messages(touchdown_drive(), first=12, play=4))
    after = sue.get(url)
    assert after.status_code == 200
    assert len(after.data) != len(before.data)


def test_a_book_of_a_moment_is_not_that_of_now(sue: FlaskClient) -> None:
    assert sue.get(BOOK).text != sue.get(f"{BOOK}?at=2").text


def test_everybody_gets_the_book_in_their_own_theme(
    sue: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in("member", "ann")
    db.session.execute(text("UPDATE members SET theme = 'dark' WHERE username = 'ann'"))
    db.session.commit()
    assert 'data-theme="dark"' not in sue.get(BOOK).text
    assert 'data-theme="dark"' in ann.get(BOOK).text
