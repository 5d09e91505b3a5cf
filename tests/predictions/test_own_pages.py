"""A member's page of a tournament from the page cache: it shows each change at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from tests.polling import forget_pages, tables_of_page, tagged_tables
from tests.statements import count_statements
from tests.worlds.cup import HOUR, POLL, Cup

SignIn = Callable[..., FlaskClient]

pytestmark = pytest.mark.usefixtures("still_clock")


def statements_of(client: FlaskClient, path: str) -> int:
    with count_statements() as counted:
        assert client.get(path).status_code == 200
    return counted()


@pytest.mark.parametrize("parts", [(), ("rounds", "week-1")])
def test_the_page_again_asks_for_nothing(
    today: Cup, ann: FlaskClient, parts: tuple[str, ...]
) -> None:
    before = ann.get(today.path(*parts)).text
    assert "2 picks missing" in before
    assert statements_of(ann, today.path(*parts)) == 0
    assert "2 picks missing" in ann.get(today.path(*parts)).text


def test_the_first_opening_takes_four_statements(today: Cup, ann: FlaskClient) -> None:
    today.guess("Ann", "m1", 24, 17)
    ann.get(today.path())
    forget_pages(ann)
    assert statements_of(ann, today.path()) == 4


def test_a_guess_is_on_the_page_after_it_and_on_nobody_elses(
    today: Cup, ann: FlaskClient, sign_in: SignIn
) -> None:
    bob = sign_in(username="bob")
    for client in (ann, bob):
        assert "2 picks missing" in client.get(today.round).text
    ann.post(
        f"{today.round}?match={today.world.id_of('m1')}",
        data=today.fields("m1", 24, 17),
        headers=POLL,
    )
    assert "1 pick missing" in ann.get(today.round).text
    assert "1 pick missing" in ann.get(today.path()).text
    assert "2 picks missing" in bob.get(today.round).text
    assert "24–17" not in bob.get(today.round).text


def test_a_result_and_its_points_are_on_the_page_at_once(today: Cup, ann: FlaskClient) -> None:
    today.guess("Ann", "m1", 24, 17)
    assert "Your pick" in ann.get(today.round).text
    assert "My points" in ann.get(today.round).text
    today.end("m1", 24, 17)
    page = ann.get(today.round).text
    assert 'data-value="24:17"' in page
    assert "<p>No pick</p>" not in page


def test_a_match_locks_at_its_kickoff(
    today: Cup, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = [today.now + HOUR - timedelta(milliseconds=1)]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    assert ann.get(today.round).text.count("is-locked") == 0
    moment[0] = today.now + HOUR
    assert ann.get(today.round).text.count("is-locked") == 1


CHANGES = [
    "UPDATE tournaments SET name = 'Another'",
    "UPDATE rounds SET multiplier = 200",
    "UPDATE matches SET kickoff = kickoff + interval '1 hour'",
    "UPDATE matches SET fate = 'postponed'",
    "UPDATE teams SET name = name || ' again'",
    "UPDATE tournament_points SET points = 700",
    "UPDATE players SET display_name = 'Another'",
    "DELETE FROM guesses",
]


@pytest.mark.parametrize("written", CHANGES)
def test_the_page_is_read_again_after_each_change(
    today: Cup, ann: FlaskClient, written: str
) -> None:
    today.guess("Ann", "m1", 24, 17)
    ann.get(today.round)
    assert statements_of(ann, today.round) == 0
    db.session.execute(text(written))
    db.session.commit()
    assert statements_of(ann, today.round) > 0


def test_every_table_of_the_page_has_tags(today: Cup, ann: FlaskClient) -> None:
    today.guess("Ann", "m1", 24, 17)
    assert tables_of_page(ann, today.round) <= tagged_tables()
