"""A footballer's page: with and without a league, a market or a game.

Live, corrected, and compared with another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.db import db
from app.fantasy.gameweeks import after_deadline
from app.fantasy.market.models import FootballerSeason, FootballerWeek, Season
from app.fantasy.pages.footballers.page import PlayedSeason, footballer_page, line_words
from app.fantasy.scoring import footballers
from app.fantasy.scoring.rules import PPR, PRESETS, SOCCER, STANDARD, parts, points
from app.fantasy.sheets import services as sheets
from app.record import events as ev
from tests.statements import count_statements
from tests.worlds.footballers import make_footballers
from tests.worlds.games import ingest, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league
from tests.worlds.team_sheets import make_world, team


@pytest.fixture
def season(app: Flask) -> Season:
    return make_footballers()


def test_the_page_has_news_price_log_fixtures_and_points_by_rule(
    client: FlaskClient, season: Season
) -> None:
    injured = db.session.get_one(FootballerSeason, (season.id, "H2"))
    injured.status, injured.news, injured.price, injured.selected = (
        "doubtful",
        "Hamstring, 75% fit.",
        78,
        512,
    )
    db.session.commit()
    page = client.get("/footballers/H2").text
    for expected in (
        "H. Player2",
        "Doubtful",
        "Hamstring, 75% fit.",
        "NFL 2026",
        "<dd>12.50 <small>1st WR</small></dd>",
        "<dd>7.8 <small>+0.3</small></dd>",
        "<dd>51.2<small>%</small></dd>",
        "vs SUM",
        "1 rec, 65 yd, 1 TD receiving",
        "/games/g1/points/H2?rules=standard",
        "Receiving touchdown",
        "+6.00",
        "Next games",
        "/games/g2",
    ):
        assert expected in page, expected
    assert "Prices move after each deadline" in page, "no deadline has passed"


def test_points_are_by_the_season_a_preset_or_a_league_of_mine(
    client: FlaskClient, sign_in: Callable[..., FlaskClient], season: Season
) -> None:
    ann = sign_in(username="ann")
    me = db.session.execute(db.text("SELECT id FROM members WHERE username = 'ann'")).scalar_one()
    make_league(me, {me: "Ann FC"}, slug="row", rules="ppr")
    db.session.commit()
    assert "<dd>12.50" in client.get("/footballers/H2").text
    assert "<dd>13.50" in client.get("/footballers/H2?rules=ppr").text
    mine = ann.get("/footballers/H2?league=row").text
    assert "<dd>13.50" in mine
    assert "(Row)" in mine
    assert "<dd>12.50" in client.get("/footballers/H2?league=row").text, (
        "not mine: as for everybody"
    )
    assert client.get("/footballers/H2?rules=soccer").status_code == 404
    assert client.get("/footballers/H2?rules=none").status_code == 404


def test_who_is_on_no_market_has_a_page_with_their_games(
    client: FlaskClient, season: Season
) -> None:
    page = client.get("/footballers/H9").text
    assert "Not available to pick" in page
    assert "No club." not in page
    db.session.query(FootballerSeason).filter_by(footballer_id="H3").delete()
    db.session.commit()
    page = client.get("/footballers/H3").text
    assert "1 car, 10 yd rushing" in page
    assert "<dd>1.00" in page
    assert client.get("/footballers/nobody").status_code == 404


def test_a_page_polls_while_they_play_and_stops_at_the_end(
    client: FlaskClient, season: Season
) -> None:
    page = client.get("/footballers/H3")
    assert "Playing now" in page.text
    assert 'hx-get="/footballers/H3?"' in page.text
    poll = client.get("/footballers/H3", headers={"HX-Request": "true"})
    assert poll.status_code == 200
    assert "<html" not in poll.text
    headers = {"HX-Request": "true", "If-None-Match": poll.headers["ETag"]}
    assert client.get("/footballers/H3", headers=headers).status_code == 304
    again = ev.Run(team="HRB", player="H3", kind="rush", start_yard=35, end_yard=45)
    ingest(messages([again], "g1", first=12))
    moved = client.get("/footballers/H3", headers=headers)
    assert moved.status_code == 200
    assert "<dd>2.00" in moved.text
    db.session.execute(db.text("UPDATE game_states SET status = 'final', version = version + 1"))
    db.session.commit()
    last = client.get("/footballers/H3", headers=headers)
    assert last.status_code == 286
    assert "won 7–0" in last.text
    assert "hx-get" not in last.text


def test_price_and_selection_are_noted_at_each_deadline(
    client: FlaskClient, member: Callable[..., object]
) -> None:
    ann = member("ann")
    world = make_world()
    before = world.deadline(1) - timedelta(hours=1)
    saved = sheets.save(ann.id, world.team_rules.id, world.gameweeks[0].id, team(), before)  # type: ignore[attr-defined]
    assert isinstance(saved, sheets.Saved)
    assert "No deadline has passed yet" in client.get("/footballers/AYR1").text
    for gameweek in world.gameweeks[:2]:
        assert after_deadline.lock_gameweek(gameweek.id, gameweek.deadline) is not None
    noted = (
        db.session.query(FootballerWeek)
        .filter_by(footballer_id="AYR1")
        .order_by(FootballerWeek.gameweek_id)
    )
    assert [(week.price, week.selected) for week in noted] == [(40, 1000), (40, 1000)]
    page = client.get("/footballers/AYR1").text
    assert "after each deadline; the numbers are in the table below" not in page, "nothing changed"
    assert (
        '<tr><th scope="row">2</th><td class="number">4.0</td><td class="number">100.0</td></tr>'
        in page
    )
    assert db.session.query(FootballerWeek).count() == 2 * 24, "everybody, whoever has them"


def test_up_to_four_are_compared_under_one_scoring(client: FlaskClient, season: Season) -> None:
    page = client.get("/footballers/H2/compare").text
    assert "S. Player2" in page, "the same position"
    assert "H. Player1" not in page
    assert "H. Player1" in client.get("/footballers/H2/compare?q=player1").text
    assert "No player found for “zz”" in client.get("/footballers/H2/compare?q=zz").text
    both = client.get("/footballers/H2/compare?with=H1").text
    assert (
        '<td class="ahead" role="cell">12.50<span class="visually-hidden"> more</span></td>'
        '<td role="cell">6.60</td>' in "".join(line.strip() for line in both.splitlines())
    )
    five = client.get("/footballers/H2/compare?with=H1&with=H3&with=S3&with=S2").text
    assert "<h1>4 players</h1>" in five
    assert "S. Player3" in five
    assert "S. Player2" not in five, "the fifth is left out"
    assert "/footballers/H2/compare?with=H1&amp;with=S3" in five, "without H3"
    assert "Add a player" not in five
    assert "Passing touchdown" in both
    assert "Receiving touchdown" in both
    assert client.get("/footballers/H2/compare?with=nobody").status_code == 404
    assert client.get("/footballers/nobody/compare").status_code == 404
    assert ">Compare with<" in client.get("/footballers/H2/compare?with=H2").text


def test_a_page_takes_as_many_statements_whatever_was_played(
    client: FlaskClient, season: Season
) -> None:
    def cost() -> int:
        with count_statements() as asked:
            client.get("/footballers/H2")
        return asked()

    first = cost()
    for week in range(3, 13):
        make_game(f"g{week}", week=week)
        ingest(messages(touchdown_drive(), f"g{week}"))
    assert cost() == first


@pytest.mark.parametrize("rules", PRESETS.values(), ids=list(PRESETS))
def test_points_by_rule_add_up(rules: object) -> None:
    stats = {
        "minutes": 90,
        "goals": 2,
        "goals_conceded": 3,
        "clean_sheets": 0,
        "saves": 7,
        "receptions": 3,
    }
    stats |= {"rushing_yards": -4, "fumbles_lost": 1, "fg_made_40_49": 2, "tackles_solo": 5}
    for position in ("GK", "DEF", "RB"):
        assert sum(parts(stats, rules, position).values()) == points(stats, rules, position)  # type: ignore[arg-type]


def test_lines_of_kickers_defenders_and_soccer_are_told() -> None:
    assert (
        line_words({"fg_made_40_49": 2, "fg_made": 2, "fg_att": 3, "pat_made": 1}) == "2/3 FG, 1 XP"
    )
    assert line_words({"tackles_solo": 4, "half_sacks": 2}) == "4 solo tackles; 1 sack"
    assert line_words({"minutes": 90, "saves": 3}) == "90 minutes; 3 saves"
    assert line_words({}) == ""


def test_the_page_of_somebody_without_anything(season: Season) -> None:
    who = footballers.footballer("S2")
    assert who is not None
    loaded = footballer_page(who, PPR, PlayedSeason([], [], {}), [STANDARD, SOCCER])
    assert loaded.figures.total == "0.00"
    assert loaded.figures.place == ""
    empty: Sequence[object] = (loaded.log, loaded.fixtures, loaded.parts, loaded.weeks)
    assert all(not part for part in (*empty, loaded.worth, loaded.points_by_game, loaded.prices))
