"""The five access patterns over HTTP: what is answered, to whom, in how many statements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts import players, tokens
from app.accounts.models import Member
from app.core.clock import now
from app.core.db import db
from app.fantasy.api_queries.queries import SeasonName
from app.fantasy.api_queries.statements import SORTS
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.standings.models import League, LeagueMember
from tests.worlds.callers import got
from tests.worlds.scored_season import lock
from tests.worlds.team_sheets import TEAM, World

DOCUMENT = Path(__file__).parents[2] / "docs" / "fantasy-queries.md"
CUP = SeasonName("cup", 2026, "REG")
# The team of world.py as the source design would write it: AYR1 keeps goal, BUR6 is captain.
SHEET = {
    "captain": "BUR6",
    "goalKeeper": "AYR1",
    "players": ["CRK5", "DOV3", "AYR4"],
    "subs": ["BUR2", "CRK3"],
}


def test_a_gamer_is_found_by_their_id_with_their_points_by_gameweek(
    as_ann: FlaskClient, ann: Member
) -> None:
    assert got(as_ann, f"/api/v1/gamers/{ann.id}") == {
        "gamerId": ann.id,
        "name": "Ann",
        "country": "GH",
        "season": "cup-2026-REG",
        "league": "cup-overall",
        "teamName": "Ann",
        "totalPoints": 4.0,
        "gameweekPoints": {"GW1": 1.5, "GW2": 2.5},
        "birthYear": None,
    }


def test_a_gamers_year_of_birth_is_in_their_own_answer_only(
    app: Flask, as_ann: FlaskClient, sign_in: Callable[..., FlaskClient], ann: Member, bob: Member
) -> None:
    """Seed 001: a gamer has a year of birth. It is shown to nobody else (decision 0107)."""
    as_ann.post("/account/birth-year", data={"birth_year": "1995"})
    as_bob = sign_in(username="bob")
    item = f"/api/v1/gamers/{ann.id}"
    token = as_ann.post("/v1/tokens/mine").json["access_token"]  # type: ignore[index]
    by_token = app.test_client().get(item, headers={"Authorization": f"Bearer {token}"})
    assert got(as_ann, item)["birthYear"] == by_token.json["birthYear"] == 1995  # type: ignore[index]
    assert "birthYear" not in got(as_bob, item)
    league = "/api/v1/leagues/cup-overall/gamers"
    for path in (f"/gamers/{ann.id}", item, f"{item}/leagues", league):
        assert "1995" not in as_bob.get(path).text


def test_the_leagues_of_a_gamer_are_those_that_the_caller_may_know_of(
    as_ann: FlaskClient,
    sign_in: Callable[..., FlaskClient],
    world: World,
    ann: Member,
    bob: Member,
) -> None:
    """Seed 001: all leagues entered by a gamer, with gameweek and total points in each."""
    among_friends = League(
        slug="friends",
        name="Friends",
        invite_code="FRIENDS",
        season_id=world.season_id,
        team_rules_id=world.team_rules.id,
        rules="soccer",
        commissioner_id=bob.id,
    )
    db.session.add(among_friends)
    db.session.flush()
    db.session.execute(text("UPDATE league_members SET standing = ARRAY[total_points]"))
    db.session.add(LeagueMember(league_id=among_friends.id, member_id=bob.id, team_name="Bobcats"))
    db.session.commit()
    overall = {
        "league": "cup-overall",
        "name": world.overall.name,
        "season": "cup-2026-REG",
        "teamName": "Bob",
        "rank": 2,
        "members": 2,
        "totalPoints": 3.0,
        "gameweekPoints": {"GW1": 1.5, "GW2": 1.5},
    }
    assert got(as_ann, f"/api/v1/gamers/{bob.id}/leagues") == {
        "gamerId": bob.id,
        "name": "Bob",
        "leagues": [overall],
    }
    bobs_view = got(sign_in(username="bob"), f"/api/v1/gamers/{bob.id}/leagues")["leagues"]
    assert [league["league"] for league in bobs_view] == ["cup-overall", "friends"]
    got(as_ann, "/api/v1/gamers/999/leagues", 404)


def test_a_gamer_without_a_team_has_no_season_and_no_points(
    as_ann: FlaskClient, member: Callable[..., Member]
) -> None:
    gamer = got(as_ann, f"/api/v1/gamers/{member('cat').id}")
    assert (gamer["season"], gamer["totalPoints"], gamer["gameweekPoints"]) == (None, 0, {})


def test_a_gamer_in_a_season_that_there_is_not_is_not_found(
    as_ann: FlaskClient, ann: Member
) -> None:
    got(as_ann, f"/api/v1/gamers/{ann.id}?season=cup-1999-REG", 404)
    got(as_ann, "/api/v1/gamers/999", 404)
    got(as_ann, f"/api/v1/gamers/{ann.id}?season=cup", 400)


def test_gamers_and_leagues_are_for_members_and_footballers_for_everybody(
    client: FlaskClient, ann: Member, world: World
) -> None:
    for path in (
        f"gamers/{ann.id}",
        f"gamers/{ann.id}/teamsheets/GW1",
        "leagues/cup-overall/gamers",
    ):
        got(client, f"/api/v1/{path}", 401)
    got(client, "/api/v1/footballers/AYR1")
    got(client, "/api/v1/positions/GK/footballers")


def test_a_members_own_programs_sign_with_their_players_token(
    app: Flask, ann: Member, world: World
) -> None:
    client = app.test_client()
    token = tokens.issue(players.player_of(ann).id, now()).access
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    assert got(client, f"/api/v1/gamers/{ann.id}/teamsheets/GW1")["captain"] == "BUR6"
    answer = client.put(f"/api/v1/gamers/{ann.id}/teamsheets/GW1", json=SHEET)
    assert answer.status_code == 200, answer.text


def test_a_team_sheet_is_shown_in_the_sources_terms_and_by_places(
    as_ann: FlaskClient, ann: Member
) -> None:
    sheet = got(as_ann, f"/api/v1/gamers/{ann.id}/teamsheets/GW1")
    team = {
        name: sheet[name]
        for name in ("captain", "viceCaptain", "goalKeeper", "players", "subs", "gameweek")
    }
    assert team == {
        "captain": "BUR6",
        "viceCaptain": "CRK5",
        "goalKeeper": "AYR1",
        "players": ["CRK5", "DOV3", "AYR4"],
        "subs": ["BUR2", "CRK3"],
        "gameweek": "GW1",
    }
    assert [place["footballerId"] for place in sheet["places"]] == list(TEAM)
    assert sheet["places"][0] == {
        "place": 1,
        "slot": "GK",
        "footballerId": "AYR1",
        "name": "Ayr 1",
        "position": "GK",
        "club": "AYR",
        "paid": 4.0,
        "points": 1.0,
        "times": None,
    }
    assert (sheet["bank"], sheet["points"], sheet["edition"], sheet["isCarried"]) == (
        16.5,
        None,
        1,
        False,
    )


def test_anothers_team_sheet_is_hidden_until_the_deadline(
    as_ann: FlaskClient, bob: Member, world: World
) -> None:
    path = f"/api/v1/gamers/{bob.id}/teamsheets/GW1"
    assert "deadline" in got(as_ann, path, 404)["detail"]
    lock(world)
    assert got(as_ann, path)["captain"] == "BUR6"
    got(as_ann, f"/api/v1/gamers/{bob.id}/teamsheets/GW2", 404)


def test_a_hidden_league_shows_neither_gamers_nor_sheets_to_strangers(
    as_ann: FlaskClient, ann: Member, bob: Member, world: World
) -> None:
    hidden = League(
        season_id=world.season_id,
        team_rules_id=world.team_rules.id,
        slug="mine",
        name="Mine",
        invite_code="M",
        rules="soccer",
        commissioner_id=bob.id,
    )
    db.session.add(hidden)
    db.session.flush()
    db.session.add(LeagueMember(league_id=hidden.id, member_id=bob.id, team_name="B"))
    db.session.commit()
    lock(world)
    paths = ("/api/v1/leagues/mine/gamers", f"/api/v1/gamers/{bob.id}/teamsheets/GW1?league=mine")
    for path in paths:
        got(as_ann, path, 404)
    db.session.add(LeagueMember(league_id=hidden.id, member_id=ann.id, team_name="A"))
    db.session.commit()
    for path in paths:
        got(as_ann, path)


def test_a_footballer_is_found_by_an_id_with_a_number_sign(
    client: FlaskClient, world: World
) -> None:
    db.session.execute(
        text(
            "INSERT INTO footballers (id, name, position) VALUES ('KwesiManu#9', 'Kwesi Manu', "
            "'FWD')"
        )
    )
    db.session.add(
        FootballerSeason(
            season_id=world.season_id,
            footballer_id="KwesiManu#9",
            position="FWD",
            price=120,
            start_price=120,
            selected=510,
            status="doubtful",
            news="Knock",
        )
    )
    db.session.commit()
    assert got(client, "/api/v1/footballers/KwesiManu%239") == {
        "footballerId": "KwesiManu#9",
        "name": "Kwesi Manu",
        "number": None,
        "position": "FWD",
        "club": None,
        "clubName": None,
        "price": 12.0,
        "selectPercent": 51.0,
        "status": "doubtful",
        "news": "Knock",
        "form": 0,
        "totalPoints": 0,
        "gameweekPoints": {},
        "rules": "soccer",
        "season": "cup-2026-REG",
    }
    got(client, "/api/v1/footballers/KwesiManu", 404)
    got(client, "/api/v1/footballers/AYR1?season=cup-2025-REG", 404)


def test_points_are_numbers_without_a_rounding_error(client: FlaskClient, world: World) -> None:
    answer = client.get("/api/v1/footballers/AYR1")
    assert '"gameweekPoints":{"GW1":1.000,"GW2":2.000}' in answer.text
    assert answer.json is not None
    assert (answer.json["totalPoints"], answer.json["form"]) == (3.0, 1.5)


@pytest.mark.parametrize("sort", list(SORTS))
def test_footballers_of_a_position_come_in_order_and_by_pages(
    client: FlaskClient, world: World, sort: str
) -> None:
    db.session.execute(
        text("UPDATE footballer_seasons SET price = 99, selected = 7 WHERE footballer_id = 'CRK1'")
    )
    db.session.commit()
    first = "CRK1" if sort in ("price", "selected") else "AYR1"
    everybody = got(client, f"/api/v1/positions/Goalkeeper/footballers?sort={sort}")
    ids = [footballer["footballerId"] for footballer in everybody["footballers"]]
    assert (ids, everybody["nextOffset"]) == (
        [first, *sorted({"AYR1", "BUR1", "CRK1", "DOV1"} - {first})],
        None,
    )
    page = got(client, f"/api/v1/positions/GK/footballers?sort={sort}&limit=3")
    assert (
        [footballer["footballerId"] for footballer in page["footballers"]],
        page["nextOffset"],
    ) == (
        ids[:3],
        3,
    )
    last = got(client, f"/api/v1/positions/GK/footballers?sort={sort}&limit=3&offset=3")
    assert (
        [footballer["footballerId"] for footballer in last["footballers"]],
        last["nextOffset"],
    ) == (
        ids[3:],
        None,
    )
    assert got(client, "/api/v1/positions/GK/footballers?offset=9")["footballers"] == []


def test_footballers_are_searched_by_name_and_club(client: FlaskClient, world: World) -> None:
    def found(query: str) -> list[str]:
        return [
            footballer["footballerId"]
            for footballer in got(client, f"/api/v1/positions/DEF/footballers?{query}")[
                "footballers"
            ]
        ]

    assert found("search=ayr") == ["AYR2", "AYR3"]
    assert found("search=ayr%203") == ["AYR3"]
    assert found("club=DOV") == ["DOV2", "DOV3"]
    assert found("search=%25") == []  # no wildcard
    assert found("search=_yr") == []
    got(client, "/api/v1/positions/QB/footballers", 404)
    got(client, "/api/v1/positions/GK/footballers?sort=luck", 400)


def test_gamers_of_a_league_come_by_total_points_with_shared_dense_ranks(
    as_ann: FlaskClient, ann: Member, bob: Member, world: World, member: Callable[..., Member]
) -> None:
    for name, total in (("cat", 3000), ("dan", 500)):
        db.session.add(
            LeagueMember(
                league_id=world.overall.id,
                member_id=member(name).id,
                team_name=name,
                total_points=total,
            )
        )
    db.session.commit()
    league = got(as_ann, "/api/v1/leagues/cup-overall/gamers")
    assert league["firstWeek"] == "GW1"
    assert [(gamer["rank"], gamer["name"], gamer["totalPoints"]) for gamer in league["gamers"]] == [
        (1, "Ann", 4.0),
        (2, "Bob", 3.0),
        (2, "Cat", 3.0),
        (3, "Dan", 0.5),
    ]
    assert league["gamers"][1]["gameweekPoints"] == {"GW1": 1.5, "GW2": 1.5}
    page = got(as_ann, "/api/v1/leagues/cup-overall/gamers?offset=2&limit=1")
    assert ([(gamer["rank"], gamer["name"]) for gamer in page["gamers"]], page["nextOffset"]) == (
        [(2, "Cat")],
        3,
    )
    past = got(as_ann, "/api/v1/leagues/cup-overall/gamers?offset=4")
    assert (past["gamers"], past["nextOffset"], past["name"]) == ([], None, "Overall")
    got(as_ann, "/api/v1/leagues/none/gamers", 404)


def test_the_newest_season_is_asked_unless_another_is_named_and_never_a_simulated_one(
    client: FlaskClient, world: World
) -> None:
    for number, is_simulated in ((2027, False), (2028, True)):
        season = Season(
            competition="cup",
            season=number,
            season_type="REG",
            name="",
            time_zone="UTC",
            rules="soccer",
            is_simulated=is_simulated,
        )
        db.session.add(season)
        db.session.flush()
        db.session.add(
            FootballerSeason(
                season_id=season.id,
                footballer_id="AYR1",
                position="GK",
                price=number % 100,
                start_price=1,
            )
        )
    db.session.commit()
    prices = {
        name: got(client, f"/api/v1/footballers/AYR1{name}")["price"]
        for name in ("", "?season=cup-2028-REG")
    }
    assert prices == {"": 2.7, "?season=cup-2028-REG": 2.8}
    # the newest season that has them
    assert got(client, "/api/v1/footballers/AYR2")["season"] == "cup-2026-REG"
    assert got(client, "/api/v1/positions/GK/footballers")["season"] == "cup-2027-REG"


def test_a_sheet_that_was_read_is_sent_back_as_it_is(as_ann: FlaskClient, ann: Member) -> None:
    path = f"/api/v1/gamers/{ann.id}/teamsheets/GW1"
    read = got(as_ann, path)
    answer = as_ann.put(path, json=read)
    assert answer.status_code == 200, answer.text
    assert answer.json is not None
    untouched = read.keys() - {"edition", "savedAt"}
    assert {name: answer.json[name] for name in untouched} == {
        name: read[name] for name in untouched
    }
    assert answer.json["edition"] == read["edition"] + 1


def test_a_name_is_given_once_and_spelt_right(as_ann: FlaskClient, ann: Member) -> None:
    path = f"/api/v1/gamers/{ann.id}/teamsheets/GW1"
    for body, code, field in (
        (SHEET | {"Captain": "CRK5"}, "repeated", "captain"),
        (SHEET | {"capitan": "CRK5"}, "unknown", "capitan"),
    ):
        answer = as_ann.put(path, json=body)
        assert answer.status_code == 400, answer.text
        assert answer.json is not None
        assert [(fault["code"], fault["field"]) for fault in answer.json["errors"]] == [
            (code, field)
        ]


def test_a_sheet_is_saved_as_the_source_writes_it(as_ann: FlaskClient, ann: Member) -> None:
    path = f"/api/v1/gamers/{ann.id}/teamsheets/GW1"
    sheet = {
        "Captain": "CRK5",
        "GoalKeeper": "AYR1",
        "Players": ["BUR6", "DOV3", "AYR4"],
        "Subs": ["BUR2", "CRK3"],
    }
    answer = as_ann.put(path, json=sheet | {"Edition": 1})
    assert answer.status_code == 200, answer.text
    assert answer.json is not None
    assert (answer.json["captain"], answer.json["viceCaptain"], answer.json["edition"]) == (
        "CRK5",
        "BUR6",
        2,
    )
    assert answer.json == got(as_ann, path)
    stale = as_ann.put(path, json=SHEET | {"edition": 1})
    assert stale.status_code == 409
    assert stale.json is not None
    assert [fault["field"] for fault in stale.json["errors"]] == ["edition"]


def test_a_first_sheet_joins_the_overall_league(
    sign_in: Callable[..., FlaskClient], world: World, member: Callable[..., Member]
) -> None:
    cat = member("cat")
    answer = sign_in(username="cat").put(f"/api/v1/gamers/{cat.id}/teamsheets/GW1", json=SHEET)
    assert answer.status_code == 200, answer.text
    assert answer.json is not None
    assert (answer.json["league"], answer.json["edition"]) == ("cup-overall", 1)


def test_all_refusals_come_at_once_each_with_the_field_of_the_body(
    as_ann: FlaskClient, ann: Member
) -> None:
    path = f"/api/v1/gamers/{ann.id}/teamsheets/GW1"
    wrong = {
        "captain": "BUR6",
        "goalKeeper": "AYR2",
        "players": ["nobody", "DOV3", "DOV3"],
        "subs": ["BUR2"],
    }
    answer = as_ann.put(path, json=wrong)
    assert answer.status_code == 422, answer.text
    assert answer.json is not None
    faults = {(fault["code"], fault["field"]) for fault in answer.json["errors"]}
    assert {
        ("position", "goalKeeper"),
        ("unknown", "players"),
        ("twice", "players"),
        ("empty", "subs"),
    } <= faults
    assert got(as_ann, path)["edition"] == 1


def test_after_the_deadline_nothing_is_saved(
    as_ann: FlaskClient, ann: Member, world: World
) -> None:
    lock(world)
    answer = as_ann.put(f"/api/v1/gamers/{ann.id}/teamsheets/GW1", json=SHEET)
    assert answer.status_code == 409
    assert answer.json is not None
    assert [fault["code"] for fault in answer.json["errors"]] == ["deadline"]


def test_nobody_saves_anothers_sheet_nor_in_a_league_or_gameweek_that_is_not_theirs(
    as_ann: FlaskClient, ann: Member, bob: Member
) -> None:
    for path in (
        f"{bob.id}/teamsheets/GW1",
        f"{ann.id}/teamsheets/GW99",
        f"{ann.id}/teamsheets/GW1?league=none",
    ):
        assert as_ann.put(f"/api/v1/gamers/{path}", json=SHEET).status_code == 404, path


def test_saving_from_a_browser_needs_the_pages_token(
    app: Flask, as_ann: FlaskClient, ann: Member
) -> None:
    app.config["WTF_CSRF_ENABLED"] = True
    assert as_ann.put(f"/api/v1/gamers/{ann.id}/teamsheets/GW1", json=SHEET).status_code == 403
