"""A league's table and its team sheets.

Who may see them, what they show, and when they stop asking.
"""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse

from app.accounts.models import Member
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.standings.boards import league_board
from app.fantasy.standings.models import League, LeagueMember
from app.fantasy.standings.queries import standings
from app.record import events as ev
from app.record.models import Club, Footballer, Game
from tests.polling import forget_parts
from tests.statements import count_statements
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, messages

TABLE = "/leagues/row"
ANNS_TEAM = "/leagues/row/teams/1"


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def poll(client: FlaskClient, url: str = TABLE, shows: str | None = None) -> TestResponse:
    """Asks for the fragment, as the page does."""
    return client.get(
        url, headers={"HX-Request": "true"} | ({"If-None-Match": shows} if shows else {})
    )


@pytest.mark.parametrize("url", ["/leagues", TABLE, ANNS_TEAM])
def test_a_stranger_is_sent_to_sign_in(client: FlaskClient, url: str) -> None:
    answer = client.get(url)
    assert answer.status_code == 302
    assert answer.location == f"/sign-in?next={url}"


def test_a_visitor_sees_the_top_of_a_public_league_and_nobody_in_it(
    ann: FlaskClient, league: League, client: FlaskClient
) -> None:
    """Decision 82: names of teams and points, no names of people and no links into the league."""
    ingest_and_refresh(messages(DRIVE))
    assert client.get(f"{TABLE}/picture.png").status_code == 404
    league.is_public = True
    db.session.commit()
    page = client.get(TABLE).text
    for words in (
        'property="og:title" content="Row"',
        " members. Fantasy football, scored play by play",
        f'{TABLE}/picture.png">',
        "Team ann",
        "14.20",
        f'href="/register?next={TABLE}"',
    ):
        assert words in page, words
    for words in (">Ann<", "/teams/", "/members"):
        assert words not in page, words
    assert client.get(ANNS_TEAM).status_code == 302
    assert poll(client).status_code == 401
    picture = client.get(f"{TABLE}/picture.png")
    with Image.open(io.BytesIO(picture.data)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))


@pytest.mark.parametrize("url", [TABLE, ANNS_TEAM, "/leagues/no-such-league"])
@pytest.mark.parametrize("role", ["member", "scorer", "moderator", "operator"])
def test_a_league_does_not_exist_for_those_outside(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient], url: str, role: str
) -> None:
    outsider = sign_in(role, username=f"out-{role}")
    assert outsider.get(url).status_code == 404


@pytest.mark.parametrize("mode", ["total", "head_to_head"])
def test_only_the_commissioner_has_the_invitation_below_the_table(
    ann: FlaskClient, league: League, sign_in: Callable[..., FlaskClient], mode: str
) -> None:
    league.mode = mode
    db.session.commit()
    invitation = 'data-url="/join/ROW"'
    bob = sign_in(username="bob")
    for _ in range(2):  # the second page is from the cache
        assert invitation in ann.get(TABLE).text
        assert invitation not in bob.get(TABLE).text
    assert invitation not in poll(ann).text


def test_a_public_leagues_table_is_read_before_joining_and_nothing_else_of_it(
    ann: FlaskClient, league: League, sign_in: Callable[..., FlaskClient]
) -> None:
    league.is_public = True
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    outsider = sign_in(username="out")
    assert "14.20" in outsider.get(TABLE).text
    for address in (TABLE, f"{TABLE}?table=week", f"{TABLE}?at=1&game=g1"):
        text = outsider.get(address).text
        assert "/leagues/row/join" in text
        for others in ("teams/", "members", "history", "race", "rules", "settings"):
            assert f'href="/leagues/row/{others}' not in text, others
    assert outsider.get(ANNS_TEAM).status_code == 404
    assert outsider.get("/leagues/row/members").status_code == 404
    assert 'href="/leagues/row"' in outsider.get("/leagues/row/join").text
    assert 'href="/leagues/row"' in outsider.get("/leagues/public").text
    assert "/leagues/row/join" not in ann.get(TABLE).text


def test_somebody_outside_the_league_has_no_team_in_it(
    ann: FlaskClient, member: Callable[..., Member]
) -> None:
    outsider = member("zed")
    assert ann.get(f"/leagues/row/teams/{outsider.id}").status_code == 404


def test_the_table_counts_the_captain_twice_and_says_who_has_still_to_play(
    ann: FlaskClient,
) -> None:
    text = ann.get(TABLE).text
    assert "2 yet to play" in text
    ingest_and_refresh(messages(DRIVE))
    text = poll(ann).text
    assert text.index("14.20") < text.index("12.50") < text.index("0.00")
    assert "2 playing" in text
    assert 'id="member-1" data-value="14200" class="me"' in text


def test_equal_points_share_a_rank(ann: FlaskClient, league: League) -> None:
    rows = [(row.rank, row.shared, row.member_id) for row in standings(league.id, 1)]
    assert rows == [(1, True, 1), (1, True, 2), (1, True, 3)], "by team name among equals"
    expected = (
        '1<span class="shared" aria-hidden="true">=</span><span class="visually-hidden"> '
        "tied</span>"
    )
    assert ann.get(TABLE).text.count(expected) == 3


def test_the_team_sheet_shows_what_each_footballer_did(ann: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    text = ann.get(ANNS_TEAM).text
    for expected in (
        "1/1, 65 yd, 1 TD passing",
        "Captain ×2",
        "13.20",
        "1 car, 10 yd rushing",
        "14.20",
        "vs SUM, Q1 14:20",
    ):
        assert expected in text, expected


def test_the_team_sheet_adds_up_to_the_table_after_a_footballer_changed_clubs(
    ann: FlaskClient,
) -> None:
    ingest_and_refresh(messages(DRIVE))
    db.session.add(Club(id="NEW", name="New", nickname="", colour="#111111"))
    db.session.flush()
    db.session.get_one(Footballer, "H1").club_id = "NEW"
    db.session.commit()
    assert "14.20" in ann.get(TABLE).text
    assert "14.20" in ann.get(ANNS_TEAM).text
    assert "vs SUM" in ann.get(ANNS_TEAM).text


@pytest.mark.parametrize("url", [TABLE, ANNS_TEAM])
def test_a_poll_gets_nothing_until_something_changes(ann: FlaskClient, url: str) -> None:
    ingest_and_refresh(messages(DRIVE)[:6])
    first = poll(ann, url)
    assert first.text.strip() in ann.get(url).text
    assert poll(ann, url, first.headers["ETag"]).status_code == 304
    ingest_and_refresh(messages(DRIVE)[6:])
    assert poll(ann, url, first.headers["ETag"]).status_code == 200


@pytest.mark.parametrize(
    ("url", "statements"),
    [
        (TABLE, 6),  # member, league, team, gameweek, and the two versions
        # the league once more, in the snapshot that begins after the permission check
        (ANNS_TEAM, 7),
    ],
)
def test_a_poll_that_changes_nothing_reads_little(
    ann: FlaskClient, url: str, statements: int
) -> None:
    ingest_and_refresh(messages(DRIVE))
    tag = poll(ann, url).headers["ETag"]
    with count_statements() as counted:
        assert poll(ann, url, tag).status_code == 304
    assert counted() <= statements


def test_the_table_never_shows_less_than_its_version_promises(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_and_refresh(messages(DRIVE)[:6])
    with monkeypatch.context() as patch:
        # committed, not yet in Redis
        patch.setattr("app.fantasy.gameweeks.live.publish_changes", lambda *_: None)
        ingest_and_refresh(messages(DRIVE)[6:])
    assert "14.20" in poll(ann).text


def test_the_table_is_read_from_postgresql_when_redis_lost_it(ann: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE))
    boards_redis().flushall()
    assert "14.20" in ann.get(TABLE).text


def test_the_poll_goes_on_until_the_last_points_are_in_the_table(ann: FlaskClient) -> None:
    ingest_and_refresh(messages(DRIVE)[:6])
    ingest(messages([*DRIVE, ev.GameEnded()])[6:])  # in the record, but the refresh job has not run
    waiting = poll(ann)
    assert waiting.status_code == 200
    assert "hx-get" in waiting.text
    refresh_game("g1", NOW)
    last = poll(ann, shows=waiting.headers["ETag"])
    assert last.status_code == 286
    assert "14.20" in last.text
    assert "hx-get" not in last.text
    assert poll(ann, ANNS_TEAM).status_code == 286


@pytest.mark.parametrize("url", ["/", "/leagues", TABLE])
def test_ten_more_members_ask_no_more_queries(
    ann: FlaskClient, league: League, member: Callable[..., Member], url: str
) -> None:
    ingest_and_refresh(messages(DRIVE))
    league_id = league.id
    ann.get(url)  # what all who look on share is worked out by the first of them
    forget_parts(ann)
    with count_statements() as statements:
        ann.get(url)
    for number in range(10):
        db.session.add(
            LeagueMember(
                league_id=league_id, member_id=member(f"m-{number}").id, team_name=f"T{number}"
            )
        )
    db.session.commit()
    forget_parts(ann)
    with count_statements() as many:
        ann.get(url)
    assert statements() == many()


def test_a_front_page_without_anything_says_what_comes_next(client: FlaskClient) -> None:
    text = client.get("/").text
    assert "No games yet" in text
    assert "Start a draft league" in text


def test_a_member_without_a_league_reads_how_to_get_into_one(
    sign_in: Callable[..., FlaskClient],
) -> None:
    text = sign_in().get("/leagues").text
    assert "Join with a code" in text
    assert "Public leagues" in text


def test_team_names_are_text_not_markup(ann: FlaskClient, league: League) -> None:
    db.session.get_one(LeagueMember, (league.id, 1)).team_name = "<img src=x>"
    db.session.commit()
    table = ann.get(TABLE).text
    assert "<img src=x" not in table
    assert "<bdi>&lt;img src=x&gt;</bdi>" in table


def test_two_games_that_end_together_are_both_counted_before_the_poll_stops(
    ann: FlaskClient,
    league: League,
) -> None:
    db.session.add_all(
        Club(id=club, name=club, nickname="", colour="#111111") for club in ("NTH", "STH")
    )
    db.session.flush()
    db.session.add(
        Game(
            id="g2",
            season=2026,
            season_type="REG",
            week=1,
            kickoff=KICKOFF,
            home_id="NTH",
            away_id="STH",
        )
    )
    db.session.commit()
    ingest(messages([*DRIVE, ev.GameEnded()]))
    other = [ev.GameStarted(home="NTH", away="STH"), ev.GameEnded()]
    ingest(messages(other, "g2", partition=1))
    refresh_game("g2", NOW)  # the job of g1 comes later
    answer = poll(ann)
    assert answer.status_code == 200 or "14.20" in answer.text


def test_the_gameweeks_own_table_comes_from_its_board_and_polls_itself(
    ann: FlaskClient, league: League
) -> None:
    ingest_and_refresh(messages(DRIVE))
    league_board(league.id, 1).publish(99, {"1": 7_000, "2": 8_000, "3": 0})
    text = ann.get(TABLE + "?table=week").text
    assert text.index("8.00") < text.index("7.00"), (
        "the board in Redis, which is newer than the version"
    )
    assert 'hx-get="/leagues/row?table=week"' in text
    boards_redis().flushdb()
    assert "14.20" in ann.get(TABLE + "?table=week").text, (
        "PostgreSQL answers when the board is not there"
    )


def test_a_table_of_many_has_pages_and_the_way_to_ones_own_place(
    ann: FlaskClient, league: League, member: Callable[..., Member]
) -> None:
    ingest_and_refresh(messages(DRIVE))
    for number in range(60):
        gamer = member(f"m-{number}")
        db.session.add(
            LeagueMember(
                league_id=league.id,
                member_id=gamer.id,
                team_name=f"T{number}",
                total_points=90_000 - number,
                standing=[90_000 - number],
            )
        )
    db.session.commit()
    first, second = (ann.get(f"{TABLE}?page={number}").text for number in (1, 2))
    assert first.count('<tr id="member-') == 50
    assert "My rank" in first
    assert "?page=2" in first
    assert 'id="member-1"' in second
    assert '<td class="rank">61' in second
