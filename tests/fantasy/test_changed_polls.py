"""Changed polls answered with what somebody had rendered for everybody.

What they cost, what ends them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.standings.models import League, LeagueMember
from tests.fantasy.test_league_page import TABLE
from tests.fantasy.test_remembered_polls import (
    BELL,
    GAME,
    banned,
    left,
    removed_by_the_commissioner,
    signed_out_by_hand,
    signed_out_everywhere,
    suspended,
    taken_out_by_hand,
)
from tests.polling import poll
from tests.statements import count_statements, redis_round_trips
from tests.tiers import repeated
from tests.worlds.games import DRIVE, ingest_and_refresh, messages

OLD = '"f-before"'
WEEK = f"{TABLE}?table=week"


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    ingest_and_refresh(messages(DRIVE))
    return sign_in(username="ann")


@pytest.mark.parametrize("url", [TABLE, WEEK, GAME, BELL])
def test_the_fragment_is_given_again_in_one_round_trip(ann: FlaskClient, url: str) -> None:
    first = poll(ann, url, OLD)
    with count_statements() as counted, redis_round_trips() as trips:
        second = poll(ann, url, OLD)
    assert (counted(), len(trips)) == (0, 1)
    assert second.status_code == first.status_code == 200
    assert second.text == first.text
    assert dict(second.headers) == dict(first.headers)


def test_what_another_rendered_is_given_to_all_with_their_own_row_marked(
    ann: FlaskClient, league: League, sign_in: Callable[..., FlaskClient]
) -> None:
    bob = sign_in(username="bob")
    ids = {
        name: db.session.scalars(db.select(Member.id).where(Member.username == name)).one()
        for name in ("ann", "bob")
    }
    if db.session.get(LeagueMember, (league.id, ids["bob"])) is None:
        db.session.add(LeagueMember(league_id=league.id, member_id=ids["bob"], team_name="Bob's"))
        db.session.commit()
    clients = {"ann": ann, "bob": bob}
    for client in clients.values():
        poll(client, TABLE, OLD)
    score_again()
    poll(ann, TABLE, OLD)
    with count_statements() as counted:
        answers = {name: poll(client, TABLE, OLD).text for name, client in clients.items()}
    assert counted() == 0
    for name, page in answers.items():
        marked = [row for row in page.split("<tr ") if 'class="me"' in row]
        assert len(marked) == 1
        assert marked[0].startswith(f'id="member-{ids[name]}"')


def score_again() -> None:
    db.session.execute(text("UPDATE league_versions SET version = version + 1"))
    db.session.commit()


@pytest.mark.parametrize(
    ("url", "change"),
    [
        (TABLE, "UPDATE league_versions SET version = version + 1"),
        (WEEK, "UPDATE league_versions SET version = version + 1"),
        (TABLE, "UPDATE game_states SET version = version + 1"),
        (GAME, "UPDATE game_states SET version = version + 1"),
        (
            BELL,
            "INSERT INTO notices (member_id, kind, key, title, body, path, names, created_at)"
            " SELECT id, 'mention', 'k', 't', 'b', '/', '{}', now() FROM members",
        ),
    ],
)
def test_a_change_is_on_the_next_poll_of_who_was_given_the_old_one(
    ann: FlaskClient, url: str, change: str
) -> None:
    poll(ann, url, OLD)
    tag = poll(ann, url, OLD).headers["ETag"]
    assert poll(ann, url, tag).status_code == 304
    db.session.execute(text(change))
    db.session.commit()
    changed = poll(ann, url, tag)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE members SET display_name = 'Renamed'",
        "UPDATE league_members SET team_name = 'Renamed'",
        "UPDATE clubs SET name = 'Renamed'",
        "INSERT INTO rule_changes (league_id, old_rules, new_rules, reason, by_id, created_at)"
        " SELECT l.id, l.rules, l.rules, 'Renamed', l.commissioner_id, now() FROM leagues l",
    ],
)
def test_what_is_written_is_on_the_next_page(
    ann: FlaskClient, commissioner: Member, change: str
) -> None:
    before = ann.get(TABLE).text
    assert "Renamed" not in before
    db.session.execute(text(change))
    db.session.commit()
    assert "Renamed" in ann.get(TABLE).text


@pytest.mark.parametrize("url", [TABLE, *repeated("another page", WEEK, BELL)])
@pytest.mark.parametrize("revoke", [banned, suspended, signed_out_everywhere, signed_out_by_hand])
def test_who_is_kept_out_is_given_nothing(
    ann: FlaskClient, url: str, revoke: Callable[[], None]
) -> None:
    poll(ann, url, OLD)
    assert poll(ann, url, OLD).status_code == 200
    revoke()
    assert poll(ann, url, OLD).status_code == 401


@pytest.mark.parametrize("url", [TABLE, *repeated("another page", WEEK)])
@pytest.mark.parametrize("revoke", [removed_by_the_commissioner, left, taken_out_by_hand])
def test_who_is_out_of_the_league_is_given_nothing(
    ann: FlaskClient, commissioner: Member, url: str, revoke: Callable[[], None]
) -> None:
    poll(ann, url, OLD)
    assert poll(ann, url, OLD).status_code == 200
    revoke()
    assert poll(ann, url, OLD).status_code == 404
    assert ann.get(url).status_code == 404


def test_who_is_not_in_a_private_league_is_never_shown_what_is_kept_of_it(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient], client: FlaskClient
) -> None:
    for _ in range(2):
        assert poll(ann, TABLE, OLD).status_code == 200
        assert ann.get(TABLE).status_code == 200
    assert poll(sign_in(username="out"), TABLE, OLD).status_code == 404
    assert sign_in("operator", username="olivia").get(TABLE).status_code == 404


def test_who_looks_at_a_public_league_sees_no_link_of_its_members(
    ann: FlaskClient, league: League, sign_in: Callable[..., FlaskClient]
) -> None:
    leagues.set_public(league.id, is_public=True)
    assert 'id="team-' in poll(ann, TABLE, OLD).text
    assert 'id="team-' not in poll(sign_in(username="out"), TABLE, OLD).text


def test_the_way_to_ones_own_place_leads_to_its_page(
    ann: FlaskClient, league: League, member: Callable[..., Member]
) -> None:
    for number in range(60):
        gamer = member(f"m-{number}")
        row = LeagueMember(
            league_id=league.id,
            member_id=gamer.id,
            team_name=f"T{number}",
            standing=[90_000 - number],
        )
        db.session.add(row)
    db.session.commit()
    assert 'href="?page=mine"' in ann.get(TABLE).text
    answer = ann.get(f"{TABLE}?page=mine")
    assert answer.status_code == 303
    page = ann.get(answer.location).text
    assert 'class="me"' in page
    assert "My rank" not in page
