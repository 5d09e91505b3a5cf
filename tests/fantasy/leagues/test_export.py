"""No league is lost (PRODUCT G5): its whole history is taken out and in again, and is the same."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.accounts import services as accounts
from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.leagues import adjustments, csv_tables, rule_changes
from app.fantasy.leagues import export as league_export
from app.fantasy.leagues import importing as league_import
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.adjustments import NewAdjustment
from app.fantasy.leagues.importing import BadLeagueError
from app.fantasy.leagues.rule_changes import NewScoring
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.scoring.rules import STANDARD_IDP
from app.fantasy.standings.models import League, LeagueMember, LeagueScore
from app.moderation import sanctions
from tests.commands import use_here
from tests.conftest import emptied
from tests.snapshots import made_once
from tests.worlds.league_season import LeagueWorld
from tests.worlds.played_league import EARLY, FOUNDED, SETTLED, Played, played_league

SignIn = Callable[..., FlaskClient]


@pytest.fixture
@made_once
def played(member: Callable[..., Member]) -> Played:
    """Head to head with an odd number of members, one gone, one banned, and changed scoring.

    One member also has an adjustment.
    """
    ids = {name: member(name).id for name in ("ann", "bob", "cat", "dan")}
    yards = (
        {"ann": 50, "bob": 40, "cat": 30, "dan": 20},
        {"ann": 10, "bob": 40, "cat": 30, "dan": 90},
    )
    season = played_league(ids, yards, settled=1, mode="head_to_head")
    adjustments.apply(
        season.league,
        NewAdjustment(ids["bob"], season.gameweeks[0].id, -2_500),
        "=Late, they said",
        ids["ann"],
        SETTLED,
    )
    numbers = dict(STANDARD_IDP.milli_points) | {"rushing_yards": 125}
    rule_changes.apply(season.league, NewScoring("Standard", numbers), "Runs", ids["ann"], SETTLED)
    leagues.leave(ids["cat"], season.league.id, SETTLED)
    leagues.remove(season.league.id, ids["dan"], SETTLED)
    return season


def exported(slug: str = "the-row", *, usernames: bool = True) -> dict[str, Any]:
    league = db.session.scalars(select(League).where(League.slug == slug)).one()
    document: dict[str, Any] = json.loads(
        league_export.as_json(league_export.document(league, SETTLED, usernames=usernames))
    )
    return document


@contextmanager
def elsewhere(app: Flask) -> Iterator[None]:
    """Another installation, on empty stores."""
    db.session.commit()  # an open transaction here would keep the stores from being emptied
    with emptied(app):
        yield


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
def test_what_is_taken_in_elsewhere_exports_the_same(played: Played, app: Flask) -> None:
    before = exported()
    assert len(before["sheets"]) == 8
    assert [
        len(before[name]) for name in ("scores", "matchups", "adjustments", "rule_changes")
    ] == [8, 5, 1, 1]
    with elsewhere(app):
        league_import.take_in(league_import.read(json.dumps(before).encode()), by=None)
        assert exported() == before


def test_people_are_found_by_username_and_nobody_can_sign_in_as_who_was_made(
    played: Played, app: Flask
) -> None:
    before = league_import.read(json.dumps(exported()).encode())
    with elsewhere(app):
        ann = accounts.register("Ann", "Another name", "correct horse battery")
        assert isinstance(ann, Member)
        league = league_import.take_in(before, by=None)
        assert league.commissioner_id == ann.id
        assert db.session.scalar(select(func.count()).select_from(Member)) == 4
        assert accounts.check_password("bob", "!") is None
        assert accounts.check_password("bob", "") is None


def test_taken_in_beside_itself_it_stands_apart_once(played: Played) -> None:
    document = league_import.read(json.dumps(exported()).encode())
    copy = league_import.take_in(document, by=None)
    assert copy.slug == "the-row-2"
    assert (copy.season_id, copy.team_rules_id) != (
        played.league.season_id,
        played.league.team_rules_id,
    )
    with pytest.raises(BadLeagueError, match="already here, as /leagues/the-row-2"):
        league_import.take_in(document, by=None)


def test_history_is_not_played_on(played: Played) -> None:
    copy = league_import.take_in(league_import.read(json.dumps(exported()).encode()), by=None)
    scores = select(LeagueScore.points).where(LeagueScore.league_id == copy.id)
    before = sorted(db.session.scalars(scores))
    cat, ann = played.members["cat"], played.members["ann"]
    assert leagues.join(cat, copy.id, "Cat FC", SETTLED) == leagues.HISTORY
    assert rule_changes.refusals(copy, NewScoring("Standard", {"rushing_yards": 1})) == [
        leagues.HISTORY
    ]
    refused = adjustments.read(copy, str(ann), "1", "5", SETTLED)
    assert isinstance(refused, list)
    assert leagues.HISTORY in refused
    assert leagues.leave(played.members["bob"], copy.id, SETTLED) is None
    assert sorted(db.session.scalars(scores)) == before
    assert leagues.invited(copy.invite_code) is not None


def test_sheets_before_their_deadline_are_not_exported(played: Played) -> None:
    league = played.league
    early = league_export.document(league, EARLY)
    assert early["sheets"] == []
    second = league_export.document(league, EARLY + timedelta(days=7))
    assert {sheet["week"] for sheet in second["sheets"]} == {1}


BROKEN = (
    (("version",), 9, "format and version"),
    (("league", "mode"), "ladder", "league.mode: 'ladder'"),
    (("league", "commissioner"), None, "league.commissioner: give one"),
    (("scores", 0, "points"), "many", r"scores\[0\].points: expected"),
    (("scores", 0, "member"), "nobody", "scores: 'nobody' is not listed under people"),
    (("scores", 0, "week"), 99, "scores: there is no week 99"),
    (("matchups", 0, "away"), "nobody", "matchups: 'nobody'"),
    (("people", 0, "username"), "no one", "people: 'no one' is not a valid username"),
    (("league", "rules"), "gone", "league.rules: there is no scoring 'gone'"),
    (("team_rules", "format"), "rugby", "team_rules.format: 'rugby'"),
    (("scoring", 0, "milli_points", "rushing_yards"), 1, "do not match its name"),
    (("sheets", 0, "captain"), 99, "the database refuses it"),
    (("sheets", 0, "picks", 0), "H3", "the database refuses it"),
    (("deadlines",), [], "the database refuses it"),
)


def test_a_broken_document_is_refused_whole_with_the_place(played: Played) -> None:
    whole = json.dumps(exported())
    tables = (League, LeagueMember, Member, Season, Gameweek)
    before = [db.session.scalar(select(func.count()).select_from(table)) for table in tables]
    for place, value, fault in BROKEN:
        document = json.loads(whole)
        into: Any = document
        for step in place[:-1]:
            into = into[step]
        into[place[-1]] = value
        with pytest.raises(BadLeagueError, match=fault):
            league_import.take_in(league_import.read(json.dumps(document).encode()), by=None)
        after = [db.session.scalar(select(func.count()).select_from(table)) for table in tables]
        assert after == before, place


def test_no_json_at_all_is_refused() -> None:
    for data in (b"", b"[]", b"\xff", b"[" * 100_000, b'{"format": "pressbox-league"}'):
        with pytest.raises(BadLeagueError, match="This is not an exported league"):
            league_import.read(data)


def test_csv_has_a_table_each_and_no_formulas(played: Played, sign_in: SignIn) -> None:
    bob = sign_in(username="bob")
    answer = bob.get("/leagues/the-row/export.zip")
    assert answer.headers["Content-Disposition"] == "attachment; filename=the-row.zip"
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        tables = {
            name: list(csv.DictReader(io.StringIO(archive.read(name).decode())))
            for name in archive.namelist()
        }
    assert len(tables["scores.csv"]) == 8
    assert tables["adjustments.csv"][0]["reason"] == "'=Late, they said"
    assert tables["adjustments.csv"][0]["points"] == "-2500"
    assert bob.get("/leagues/the-row/export.json").json == exported(usernames=False)


def test_a_table_without_rows_keeps_its_header(make_world: Callable[..., LeagueWorld]) -> None:
    """What has rows in a played league has the same columns in one that has just been founded."""
    league = make_world().league()
    packed = csv_tables.as_csv(league_export.document(league, FOUNDED))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        headers = {
            name: archive.read(name).decode().splitlines()[:1] for name in archive.namelist()
        }
    assert headers["scores.csv"] == [
        "week,member,team_name,points,held,transfers,match_points,total,rank"
    ]
    assert headers["matchups.csv"] == ["week,home,away"]
    assert all(header for header in headers.values()), headers


def test_the_headers_are_the_documents_own(played: Played) -> None:
    document = exported(usernames=False)
    with zipfile.ZipFile(io.BytesIO(csv_tables.as_csv(document))) as archive:
        for name in archive.namelist():
            table = name.removesuffix(".csv")
            if table != "league" and document[table]:
                assert archive.read(name).decode().splitlines()[0].split(",") == list(
                    document[table][0]
                ), name


def test_members_do_not_learn_by_which_names_others_sign_in(
    played: Played, sign_in: SignIn
) -> None:
    people = sign_in(username="bob").get("/leagues/the-row/export.json").json["people"]
    assert not {person["username"] for person in people} & {"ann", "bob", "cat", "dan"}
    handles = [person["username"].rpartition("_")[2] for person in people]
    assert handles == [str(number) for number in range(1, len(people) + 1)]


def test_the_order_of_a_members_export_says_nothing_about_usernames(
    played: Played, app: Flask
) -> None:
    """Issue 47: people were hidden behind handles and listed in the order of their usernames."""
    before = exported(usernames=False)
    for number, name in enumerate(("ann", "bob", "cat", "dan")):  # now in the opposite order
        account = db.session.scalars(select(Member).where(Member.username == name)).one()
        account.username = f"{'zyxw'[number]}-person"
    db.session.commit()
    assert exported(usernames=False) == before


def test_a_members_export_names_nobody_who_is_hidden_from_boards(
    played: Played, app: Flask
) -> None:
    """As pages (docs/decisions/0022-sanctions.md); operators move everybody."""
    bob = player_of(db.session.get_one(Member, played.members["bob"])).id
    done = sanctions.impose(
        bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=SETTLED
    )
    assert not isinstance(done, Refusal)
    assert "bob" not in json.dumps(exported(usernames=False)).lower()
    assert "bob" in json.dumps(exported()).lower()


def test_a_members_export_is_the_same_where_it_was_taken_in(played: Played, app: Flask) -> None:
    before = exported(usernames=False)
    with elsewhere(app):
        league_import.take_in(league_import.read(json.dumps(before).encode()), by=None)
        assert exported(usernames=False) == before


def test_members_alone_export_and_operators_alone_take_in(
    played: Played, sign_in: SignIn, app: Flask
) -> None:
    eve, ann, olga = sign_in(username="eve"), sign_in(username="ann"), sign_in("operator", "olga")
    assert eve.get("/leagues/the-row/export.json").status_code == 404
    data = ann.get("/leagues/the-row/export.json").data
    assert ann.get("/leagues/import").status_code == 404
    assert (
        ann.post("/leagues/import", data={"file": (io.BytesIO(data), "a.json")}).status_code == 404
    )
    padded = data + b" " * app.config["MAX_CONTENT_LENGTH"]
    answer = olga.post("/leagues/import", data={"file": (io.BytesIO(padded), "a.json")})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/leagues/import/the-row-2")
    answer = olga.post("/leagues/import", data={"file": (io.BytesIO(data), "a.json")})
    assert answer.status_code == 422
    assert "already here" in answer.text
    assert "This is not an exported league" in olga.post("/leagues/import").text


def test_the_command_takes_out_and_says_what_it_cannot_find(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, app: Flask
) -> None:

    from app.cli import leagues as command

    use_here(monkeypatch, command, app)
    out = tmp_path / "row.json"
    result = CliRunner().invoke(command.league, ["export", "the-row", "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert json.loads(out.read_bytes())["league"]["slug"] == "the-row"
    result = CliRunner().invoke(
        command.league, ["export", "the-row", "--csv", "-o", str(tmp_path / "row.zip")]
    )
    assert result.exit_code == 0, result.output
    assert zipfile.is_zipfile(tmp_path / "row.zip")
    result = CliRunner().invoke(command.league, ["import", str(out)])
    assert "The Row is here: /leagues/the-row-2" in result.output
    result = CliRunner().invoke(command.league, ["export", "nowhere"])
    assert result.exit_code == 1
    assert "There is no league 'nowhere'" in result.output
