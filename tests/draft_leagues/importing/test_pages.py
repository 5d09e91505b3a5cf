"""The pages that bring a league here: upload, questions, confirmation."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import clock
from app.core.db import db
from app.draft_leagues.importing.carrying import packed, unpacked
from app.draft_leagues.importing.values import ImportedLeague, ImportedTeam
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.settings import PRESETS
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.standings.models import League
from app.record.models import Footballer
from tests.worlds.draft_season import make_draft_season
from tests.worlds.sleeper_league import settle_weeks, sleeper_id, sleeper_league

HERE = "/leagues/draft/import"


@pytest.fixture
def ann(app: Flask, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    """Ann, after the second gameweek of a season by the real clock."""
    season = make_draft_season(clock.now() - timedelta(days=13), 2099, with_last_season=False)
    settle_weeks(season.id)
    return sign_in(username="ann")


def sleeper_files(**unknown: str) -> dict[str, Any]:
    """Sleeper's files; `unknown`: other names for some footballers, by id with `_` for `-`."""
    rows = db.session.execute(
        db.select(Footballer.id, Footballer.name, Footballer.position, Footballer.club_id)
    )
    names = {row.id: (row.name, row.position, row.club_id) for row in rows}
    for footballer, name in unknown.items():
        key = footballer.replace("_", "-")
        names[key] = (name, *names[key][1:])
    return sleeper_league(names)


def upload(client: FlaskClient, documents: dict[str, Any], **fields: str) -> str:
    files = [
        (io.BytesIO(msgspec.json.encode(document)), name) for name, document in documents.items()
    ]
    return client.post(HERE, data={"files": files, **fields}).text


def form_of(page: str) -> dict[str, str]:
    """The hidden and typed fields of the page; nothing is chosen yet."""
    form = {}
    for tag in re.findall(r"<input[^>]*>", page):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and 'type="radio"' not in tag:
            form[name[1]] = value[1] if value else ""
    return form


def confirm(client: FlaskClient, form: dict[str, str], act: str = "import") -> Any:
    return client.post(f"{HERE}/confirm", data=form | {"act": act})


def test_a_league_of_sleeper_is_brought_here(ann: FlaskClient) -> None:
    page = upload(ann, sleeper_files())
    assert "4 teams, 24 of 24 players found," in page
    assert "results of 2 weeks" in page
    assert "bonus_rec_te" in page
    form = form_of(page)
    refused = confirm(ann, form)
    assert refused.status_code == 422
    assert "Choose which team is yours." in refused.text
    answer = confirm(ann, form | {"team": "2"})
    assert answer.status_code == 303, re.findall(r"fault[^<>]*>([^<]*)<", answer.text)
    league = db.session.scalars(db.select(League)).one()
    assert answer.headers["Location"].endswith(f"/leagues/{league.slug}/setup?imported=1")
    assert len(rosters_of(league.id).places) == 24
    done = ann.get(answer.headers["Location"]).text
    assert "with its rosters and results. Send the invite link" in done


def test_players_who_are_not_found_are_looked_for_again(ann: FlaskClient) -> None:
    page = upload(ann, sleeper_files(HAR_QB1="Xxavier Yyllom", SUM_QB1="Zzorro Qqwert"))
    assert "22 of 24 players found" in page
    names = dict(db.session.execute(db.select(Footballer.id, Footballer.name)).all())
    typed = {f"name-{sleeper_id('HAR-QB1')}": names["HAR-QB1"]}
    page = confirm(ann, form_of(page) | typed, "check").text
    assert "23 of 24 players found" in page
    left_out = {f"choice-{sleeper_id('SUM-QB1')}": ""}
    page = confirm(ann, form_of(page) | left_out).text
    assert "23 of 24 players found, 1 left out," in " ".join(page.split())
    left_out["team"] = "1"
    assert confirm(ann, form_of(page) | left_out).status_code == 303
    league = db.session.scalars(db.select(League)).one()
    places = rosters_of(league.id).places
    assert "HAR-QB1" in places
    assert "SUM-QB1" not in places


def test_csv_files_are_brought_here(ann: FlaskClient) -> None:
    rows = db.session.execute(
        db.select(Footballer.id, Footballer.name, Footballer.position, Footballer.club_id)
    )
    owners = {"HAR": "Anchors", "SUM": "Badgers"}
    rosters = "team,player,position,club\n" + "".join(
        f"{owners[row.club_id]},{row.name},{row.position},{row.club_id}\n"
        for row in rows
        if row.club_id in owners and row.id.endswith("1")
    )
    files = [
        (io.BytesIO(rosters.encode()), "rosters.csv"),
        (
            io.BytesIO(
                b"week;home;away;home points;away points\n"
                b"1;Anchors;Badgers;90,5;80\n2;Badgers;Anchors;70;70,25\n"
            ),
            "results.csv",
        ),
    ]
    data = {"files": files, "name": "Two of us", "preset": "idp"}
    page = ann.post(HERE, data=data).text
    words = " ".join(re.sub("<[^>]*>", " ", page).split())
    assert "2 teams, 16 of 16 players found," in words
    assert "results of 2 weeks" in words
    assert "90.50 – 80.00" in words
    answer = confirm(ann, form_of(page) | {"team": "Badgers"})
    assert answer.status_code == 303, re.findall(r"fault[^<>]*>([^<]*)<", answer.text)
    # Everything that the page showed is in the table: Anchors won 90.5:80 and 70.25:70.
    league = db.session.scalars(db.select(League)).one()
    view = load_season(league.id)
    results = [view.points[week.id] for week in view.regular[:2]]
    assert results == [{1: 80_000, 2: 90_500}, {1: 70_000, 2: 70_250}]
    assert [(place.franchise, place.record.wins) for place in view.table] == [(2, 2), (1, 0)]


def test_a_preview_has_the_choices_that_an_import_needs(ann: FlaskClient) -> None:
    documents = sleeper_files()
    del documents["matchups_2.json"]
    scoring = documents["league.json"]["scoring_settings"]
    league = documents["league.json"] | {"scoring_settings": {"pass_yd": scoring["pass_yd"]}}
    page = upload(ann, documents | {"league.json": league})
    assert "Week 2 has begun here, but the files have no final result for it." in page
    assert 'id="scoring-fault"' in page
    form = form_of(page) | {"team": "1"}
    form.pop("starts_next")  # a box that nobody has ticked
    assert confirm(ann, form).status_code == 422
    chosen = form | {"starts_next": "1", "scoring": "half_ppr_idp"}
    assert confirm(ann, chosen | {"starter-QB": "one"}).status_code == 422
    answer = confirm(ann, chosen)
    assert answer.status_code == 303, re.findall(r"fault[^<>]*>([^<]*)<", answer.text)
    assert db.session.scalars(db.select(League)).one().first_week == 3
    done = ann.get(answer.headers["Location"]).text
    assert "with its rosters. Send the invite link" in done


def test_only_the_page_for_files_may_connect_to_sleeper(ann: FlaskClient) -> None:
    page = ann.get(HERE)
    assert 'data-sleeper="https://api.sleeper.app/v1"' in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "connect-src 'self' https://api.sleeper.app;" in policy
    assert "sleeper" not in ann.get("/leagues").headers["Content-Security-Policy"]


def test_what_is_no_league_is_refused(ann: FlaskClient) -> None:
    for files in ([], [(io.BytesIO(b"x"), "a.png")], [(io.BytesIO(b"{}"), "a.json")]):
        answer = ann.post(HERE, data={"files": files})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
    assert "Upload the files again" in confirm(ann, {"league": "nothing"}).text


@settings(max_examples=60, deadline=None, database=None)
@given(text=st.text(max_size=40) | st.binary(max_size=40).map(lambda data: data.decode("latin-1")))
def test_a_field_that_was_changed_is_no_league(text: str) -> None:
    assert unpacked(text) is None


def test_a_league_survives_its_way() -> None:
    league = ImportedLeague("Old", 2026, PRESETS["redraft"], (ImportedTeam("1", "Änchors"),))
    assert unpacked(packed(league)) == league
