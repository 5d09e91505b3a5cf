"""Pages of a gameweek played again.

Every moment by a plain link, every sheet as it stood, and what the script gets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from app.accounts import services
from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.fantasy.gameweeks.live import refresh_gameweek
from app.fantasy.market.models import Gameweek
from app.fantasy.pages.replay import queries as replay_reading
from app.fantasy.scoring.replay import replay as replay_module
from app.fantasy.standings.models import League, LeagueMember, Matchup
from app.moderation import privacy, sanctions
from app.moderation.models import Sanction
from tests.worlds.games import NOW, NULLIFIED_DRIVE, ingest, timed_messages

PAGE = "/leagues/row/replay/1"


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    ingest(timed_messages(NULLIFIED_DRIVE))
    refresh_gameweek(1, NOW)
    return sign_in(username="ann")


def rows(text: str) -> list[str]:
    row = r'<tr id="row-\d+".*?rank.>(\d+)<.*?(Team [a-z]+)<.*?now.>(-?[0-9.]+)<'
    return [" ".join(cells) for cells in re.findall(row, text, re.DOTALL)]


def test_the_page_shows_the_table_after_any_play_by_a_plain_link(ann: FlaskClient) -> None:
    page = ann.get(PAGE)
    assert page.status_code == 200
    assert rows(page.text) == ["1 Team ann 1.00", "2 Team bob 0.00", "2 Team cat 0.00"]
    assert rows(ann.get(f"{PAGE}?game=g1&at=9").text) == [
        "1 Team ann 14.20",
        "2 Team bob 12.50",
        "3 Team cat 0.00",
    ]
    assert rows(ann.get(f"{PAGE}?at=0").text) == [
        "1 Team ann 0.00",
        "1 Team bob 0.00",
        "1 Team cat 0.00",
    ]
    links = re.findall(r'href="(/leagues/row/replay/1\?[^"]+)"', page.text)
    assert len(links) > 5
    for link in links:
        assert ann.get(link.replace("&amp;", "&")).status_code == 200


def test_what_decided_it_stands_on_the_page_with_its_definition(ann: FlaskClient) -> None:
    text = ann.get(PAGE).text
    assert "The deciding play so far" in text
    deciding = re.search(r'class="big">([^<]+)<', text)
    assert deciding is not None
    assert "Player3 runs to the HRB 35 for 10" in deciding[1]
    assert "no team has tied or passed it since" in text
    assert "Team ann takes the lead (so far)" in text
    assert "So far" in text


def test_a_gameweek_whose_games_are_over_speaks_of_nothing_as_so_far(ann: FlaskClient) -> None:
    db.session.execute(update(Gameweek).values(locked_at=NOW, settled_at=NOW))
    db.session.commit()
    text = ann.get(PAGE).text
    for expected in (
        "All games are over",
        "The deciding play</h3>",
        "Team ann takes the lead for good",
    ):
        assert expected in text, expected
    assert "so far" not in text
    assert "Team ann takes the lead for good" in str(ann.get(f"{PAGE}/plays.json").json)


@pytest.mark.everyday("holds promise G14 in make test")
def test_every_play_of_the_document_is_a_link_of_the_page_with_the_same_table(
    ann: FlaskClient,
) -> None:
    data: dict[str, Any] = ann.get(f"{PAGE}/plays.json").json or {}
    now = [list(row) for row in data["start"]]
    assert len(data["plays"]) == 6
    for game, number, where, _, words, changed in data["plays"]:
        for index, points, rank in changed:
            now[index] = [points, rank]
        page = unescape(ann.get(f"{PAGE}?game={game}&at={number}").text)
        ranks = {data["teams"][index][1]: rank for index, (_, rank) in enumerate(now)}
        assert {
            row.split(" ", 1)[1].rsplit(" ", 1)[0]: int(row.split()[0]) for row in rows(page)
        } == ranks
        assert where in page
        assert words in page


def test_a_sheet_stands_as_it_stood_then(ann: FlaskClient, league: League) -> None:
    ids = {
        name: team
        for team, name in db.session.execute(
            db.select(LeagueMember.member_id, LeagueMember.team_name)
        )
    }
    for at, total in ((9, "14.20"), (12, "1.00"), (0, "0.00")):
        text = ann.get(f"{PAGE}/teams/{ids['Team ann']}?game=g1&at={at}").text
        assert re.search(r'id="total"><span[^>]*>([^<]+)<', text)[1] == total, at  # type: ignore[index]
    then = ann.get(f"{PAGE}/teams/{ids['Team ann']}?game=g1&at=9").text
    assert "Captain ×2" in then
    assert "13.20" in then
    assert ann.get(f"{PAGE}/teams/999999").status_code == 404


def test_anothers_sheet_is_hidden_before_the_deadline(ann: FlaskClient, league: League) -> None:
    db.session.get_one(Gameweek, 1).deadline = NOW.replace(year=2090)
    db.session.execute(db.text("UPDATE sheet_deadlines SET locks_at = '2090-01-01'"))
    db.session.commit()
    bob = db.session.scalars(db.select(Member.id).where(Member.username == "bob")).one()
    text = ann.get(f"{PAGE}/teams/{bob}?game=g1&at=9").text
    assert "Lineups stay hidden until the deadline" in text
    assert "H. Player2" not in text.split("<section")[1]


def test_a_matchup_says_what_decided_it(ann: FlaskClient, league: League) -> None:
    ids = list(
        db.session.scalars(db.select(LeagueMember.member_id).order_by(LeagueMember.member_id))
    )
    db.session.get_one(League, league.id).mode = "head_to_head"
    db.session.add(Matchup(league_id=league.id, gameweek_id=1, home_id=ids[0], away_id=ids[1]))
    db.session.add(Matchup(league_id=league.id, gameweek_id=1, home_id=ids[2], away_id=None))
    db.session.commit()
    text = ann.get(PAGE).text
    assert "Deciding play" in text
    assert "The average" in text
    assert ann.get(f"{PAGE}?game=g1&at=9").text.count("12.50") >= 2


def test_only_members_of_the_league_look(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    other = sign_in(username="out")
    for path in ("", "/plays.json", "/teams/1"):
        assert other.get(PAGE + path).status_code == 404
    assert ann.get("/leagues/row/replay/9").status_code == 404


def test_before_the_first_play_the_page_says_so(
    league: League, sign_in: Callable[..., FlaskClient]
) -> None:
    page = sign_in(username="ann").get(PAGE)
    assert page.status_code == 200
    assert "No plays yet this week" in page.text


def test_an_evening_is_made_once_for_its_version(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    films: list[int] = []

    def counted(*args: Any) -> replay_module.Replay:
        films.append(1)
        return replay_module.replay(*args)

    monkeypatch.setattr(replay_reading, "replay", counted)
    first, again = ann.get(PAGE).text, ann.get(PAGE).text
    assert rows(first) == rows(again)
    assert len(films) == 1
    db.session.execute(
        db.update(LeagueMember)
        .where(LeagueMember.team_name == "Team ann")
        .values(team_name="Team new")
    )
    db.session.commit()
    assert "Team new" in ann.get(PAGE).text
    assert len(films) == 2


def test_a_banned_or_erased_member_is_named_nowhere(
    ann: FlaskClient, league: League, member: Callable[..., Member]
) -> None:
    """As in tables and lists of matchups.

    Their opponent's game stays, their name does not (decision 22).
    """
    league.mode = "head_to_head"
    members = {name: services.find_member(name) for name in ("ann", "bob", "cat")}
    ids = {name: person.id for name, person in members.items() if person is not None}
    db.session.add(
        Matchup(league_id=league.id, gameweek_id=1, home_id=ids["ann"], away_id=ids["bob"])
    )
    db.session.commit()
    assert "Team bob" in ann.get(PAGE).text
    bob = db.session.get_one(Member, ids["bob"])
    imposed = sanctions.impose(
        player_of(bob).id, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW
    )
    assert isinstance(imposed, Sanction)
    assert isinstance(privacy.erase(ids["cat"], by=ids["cat"], reason="asked", now=NOW), Member)
    for path in (PAGE, f"{PAGE}/plays", f"{PAGE}?at=0"):
        text = ann.get(path).text
        assert [
            name for name in ("Team bob", ">Bob<", '"Bob"', "Team cat", "Cat") if name in text
        ] == [], path
    assert ann.get(f"{PAGE}/teams/{ids['bob']}").status_code == 404
