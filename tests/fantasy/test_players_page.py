"""The list of a season's players: search, filters, order, statistics, and whose points."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import FootballerSeason, FootballerStatistics, Season
from app.fantasy.scoring import season_totals
from app.fantasy.sheets import services as sheets
from app.record import events as ev
from app.record.models import Footballer
from tests.statements import count_statements
from tests.worlds.footballers import make_footballers
from tests.worlds.games import ingest_and_refresh, messages
from tests.worlds.leagues import make_league
from tests.worlds.team_sheets import make_nfl, make_world, team

SignIn = Callable[..., FlaskClient]


@pytest.fixture
def season(app: Flask) -> Season:
    """Two games: Harbor's H1 threw to H2, H3 ran; two of Summit did nothing yet."""
    return make_footballers(begun=2)


def players(page: str) -> list[str]:
    return re.findall(r'<th scope="row" class="name">.*?<a class="person".*?>(.*?)</a>', page, re.S)


def cells(page: str, name: str) -> list[str]:
    row = next(row for row in page.split("<tr>") if f">{name}</a>" in row)
    return re.findall(r'<td class="number col.*?">(.*?)</td>', row)


def listed(client: FlaskClient, **query: str) -> list[str]:
    return players(client.get("/players", query_string=query).text)


def test_the_list_has_points_form_statistics_ownership_price_and_the_next_opponent(
    client: FlaskClient, season: Season
) -> None:
    market = db.session.get_one(FootballerSeason, (season.id, "H2"))
    market.selected, market.status, market.news = 512, "doubtful", "Hamstring."
    db.session.commit()
    page = client.get("/players?position=WR").text
    assert "Scoring: Standard." in page
    assert players(page) == ["H. Player2", "S. Player2"]
    # points, form; targets, receptions, receiving yards and touchdowns, carries, rushing yards,
    # fumbles; games, selected, price
    assert cells(page, "H. Player2") == [
        *("25.00", "12.5", "2", "2", "130", "2", "0", "0", "0", "2", "51.2", "7.5", "–")
    ]
    assert "Points by week, 1: 12.50, 2: 12.50" in page
    assert "Doubtful" in page
    assert "vs SUM, live" in page, "the game is on"
    per_game = client.get("/players?position=WR&per=game").text
    assert cells(per_game, "H. Player2")[:5] == ["12.50", "12.5", "1.0", "1.0", "65.0"]


def test_each_heading_sorts_and_a_second_click_turns_the_order_round(
    client: FlaskClient, season: Season
) -> None:
    page = client.get("/players").text
    assert players(page)[:2] == ["H. Player2", "H. Player1"]
    assert page.count("aria-sort") == 1
    assert 'aria-sort="descending"' in page
    assert "/players?sort=points.up" in page
    by_price = client.get("/players?sort=price").text
    assert players(by_price) == [
        *("H. Player1", "H. Player2", "S. Player3", "H. Player3", "S. Player2")
    ]
    assert "/players?sort=price.up" in by_price
    assert listed(client, sort="price.up") == players(by_price)[::-1]
    assert listed(client, sort="name.up")[0] == "H. Player1"
    assert listed(client, position="RB", sort="rushing_yards") == ["H. Player3", "S. Player3"]
    assert listed(client, sort="nonsense") == players(page)


def test_a_search_bears_accents_and_typing_errors(client: FlaskClient, season: Season) -> None:
    for player, name in (("H1", "Efraín O'Sopoaga"), ("H3", "Roscoe Farrowdale")):
        db.session.get_one(Footballer, player).name = name
    db.session.commit()
    assert listed(client, q="efrain") == ["Efraín O&#39;Sopoaga"]
    assert listed(client, q="osopoaga") == ["Efraín O&#39;Sopoaga"]
    close = client.get("/players?q=farow").text
    assert players(close) == ["Roscoe Farrowdale"]
    assert "No match for “farow”. Similar names:" in close
    nobody = client.get("/players?q=zzzz").text
    assert "No players match “zzzz”." in nobody
    assert "Show all players" in nobody


def test_the_list_is_filtered_by_club_and_status(client: FlaskClient, season: Season) -> None:
    db.session.get_one(FootballerSeason, (season.id, "S2")).status = "injured"
    db.session.get_one(FootballerSeason, (season.id, "S3")).status = "left"
    db.session.commit()
    assert listed(client, club="SUM") == ["S. Player2"], "who has left is not listed"
    assert listed(client, status="injured") == ["S. Player2"]
    assert listed(client, position="IDP") == listed(client), "nobody plays there: all are listed"


def test_points_are_by_my_leagues_rules_or_by_a_preset(
    client: FlaskClient, sign_in: SignIn, season: Season, member: Callable[..., Member]
) -> None:
    ann, zoe = member("ann"), sign_in(username="zoe")
    make_league(ann.id, {ann.id: "Ann FC"}, slug="row", rules="ppr")
    db.session.commit()
    mine = sign_in(username="ann").get("/players").text
    assert "Points in" in mine
    assert cells(mine, "H. Player2")[0] == "27.00", "a point for each of two catches"
    assert '<option value="league:row" selected>Row</option>' in mine
    assert "league=row" in mine, "a player's page keeps the league"
    for stranger in (client, zoe):
        page = stranger.get("/players?scoring=league:row").text
        assert cells(page, "H. Player2")[0] == "25.00", "not theirs: as for everybody"
        assert "league:row" not in page
    assert cells(client.get("/players?scoring=ppr").text, "H. Player2")[0] == "27.00"


def test_my_team_and_whom_it_can_afford(
    client: FlaskClient, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    world = make_world(real=True, first=clock.now() + timedelta(days=3))
    saved = sheets.save(ann.id, world.team_rules.id, world.gameweeks[0].id, team(), clock.now())
    assert isinstance(saved, sheets.Saved)
    mine = sign_in(username="ann")
    assert sorted(listed(mine, only="mine")) == [
        *("Ayr 1", "Ayr 4", "Bur 2", "Bur 6", "Crk 3", "Crk 5", "Dov 3")
    ]
    # 16.5 million are left, and the dearer one of the substitutes, whose places take a goalkeeper
    # too, brings 5.5
    assert len(listed(mine, only="affordable", page="1")) == 24
    db.session.get_one(FootballerSeason, (world.season_id, "DOV1")).price = 221
    db.session.commit()
    assert "Dov 1" not in listed(mine, only="affordable", position="GK")
    signed_out = client.get("/players?only=mine")
    assert signed_out.status_code == 303
    assert "/sign-in" in signed_out.location


def test_a_correction_takes_a_statistic_away_again(client: FlaskClient, season: Season) -> None:
    run = ev.Run(team="HRB", player="H3", kind="rush", start_yard=35, end_yard=45)
    ingest_and_refresh(messages([run], "g2", first=12))
    sums = db.session.get_one(FootballerStatistics, (season.id, "H3"))
    carried = sums.stats["rushing_yards"]
    ingest_and_refresh(messages([ev.Nullify(events=(12,), reason="No play")], "g2", first=13))
    db.session.refresh(sums)
    assert (sums.games, sums.stats["rushing_yards"]) == (2, carried - 10)
    season_totals.add_up(season.id, None)
    db.session.refresh(sums)
    assert sums.stats["rushing_yards"] == carried - 10, "adding up again changes nothing"


def test_ticked_players_are_compared(client: FlaskClient, season: Season) -> None:
    ticked = client.get("/players/compare?rules=ppr&player=H2&player=H1")
    assert ticked.location == "/footballers/H2/compare?with=H1&rules=ppr"
    assert client.get("/players/compare").location == "/players"


def test_without_a_season_the_list_says_so(client: FlaskClient) -> None:
    assert "No season yet" in client.get("/players").text


def test_a_page_is_read_with_as_many_statements_for_any_market(
    client: FlaskClient, app: Flask
) -> None:
    make_nfl(first=clock.now() + timedelta(days=3))

    def statements(address: str) -> int:
        with count_statements() as asked:
            assert client.get(address).status_code == 200
        return asked()

    statements("/players?position=K")  # reads what projections know of positions, once
    first = statements("/players?position=QB")
    assert statements("/players?position=WR&page=2") == first
    assert statements("/players?q=an") == first + 1, "the names to search"
    with count_statements() as asked:
        client.get("/players?position=QB")
    assert asked() <= 1, "cached, but for the choice of the season"
