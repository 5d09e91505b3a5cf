"""The pages of rankings: the list, moves, files."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.rankings.models import RankingList
from app.draft_leagues.settings import PRESETS
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.standings.models import League
from tests.worlds.draft_season import make_draft_season

HERE = "/leagues/the-yard/rankings"


@pytest.fixture
def ann(app: Flask, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    """Ann, who runs a draft league."""
    season = make_draft_season(clock.now() + timedelta(days=7), 2099)
    client = sign_in(username="ann")
    ann = db.session.scalars(db.select(Member).where(Member.username == "ann")).one()
    league = setup.found(
        ann.id, NewDraftLeague("The Yard", "Ann FC", season.id, PRESETS["redraft"]), clock.now()
    )
    assert isinstance(league, League)
    return client


@pytest.fixture
def bob(ann: FlaskClient, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    """Bob, another member of the league."""
    client = sign_in(username="bob")
    code = db.session.scalar(db.select(League.invite_code))
    assert client.post(f"/join/{code}", data={"team_name": "Bob FC"}).status_code == 303
    return client


def names(client: FlaskClient, query: str = "") -> list[str]:
    page = client.get(HERE + query)
    assert page.status_code == 200, page.text
    return re.findall(r'href="/footballers/([^"]*)"', page.text)


def test_the_list_is_filtered_and_paged(ann: FlaskClient) -> None:
    first, second = names(ann), names(ann, "?page=2")
    assert len(first) == len(second) == 50
    assert not set(first) & set(second)
    assert {name.split("-")[1][:2] for name in names(ann, "?position=QB")} == {"QB"}
    flex = {name.split("-")[1].rstrip("0123456789") for name in names(ann, "?position=FLEX")}
    assert flex == {"RB", "WR", "TE"}
    assert "No players found" in ann.get(f"{HERE}?q=zzzzz").text


def test_a_move_changes_the_order_of_the_member_alone(ann: FlaskClient, bob: FlaskClient) -> None:
    before = names(ann)
    moved = {"footballer": before[4], "to": "1"}
    assert ann.post(f"{HERE}/move", data=moved).status_code == 303
    assert names(ann)[:2] == [before[4], before[0]]
    assert names(bob) == before
    fragment = ann.post(
        f"{HERE}/move", data={"footballer": before[0], "place": "4"}, headers={"HX-Request": "true"}
    )
    assert "is now number 4 in your rankings" in fragment.text
    assert "<html" not in fragment.text
    assert ann.post(f"{HERE}/reset").status_code == 303
    assert names(ann) == before


def test_a_place_that_is_none_is_refused(ann: FlaskClient) -> None:
    first = names(ann)[0]
    for place in ("", "0", "-1", "x", "٣"):
        answer = ann.post(f"{HERE}/move", data={"footballer": first, "place": place})
        assert answer.status_code == 422, place
        assert "whole number from 1" in answer.text


def test_somebody_unknown_cannot_be_moved(ann: FlaskClient) -> None:
    answer = ann.post(f"{HERE}/move", data={"footballer": "H1", "place": "1"})
    assert answer.status_code == 422


def test_an_export_is_an_import(ann: FlaskClient, bob: FlaskClient) -> None:
    before = names(ann)
    ann.post(f"{HERE}/move", data={"footballer": before[9], "to": "1"})
    file = ann.get(f"{HERE}/export.csv")
    assert file.text.startswith("RK,TIERS,PLAYER NAME,TEAM,POS,BYE WEEK,FPTS,ID\n1,")
    page = bob.post(f"{HERE}/import", data={"file": (io.BytesIO(file.data), "ann.csv")})
    assert "228 of 228 players found." in page.text
    rows = re.findall(r'name="row"\s+value="([^"]*)"', page.text)
    answer = bob.post(f"{HERE}/import/confirm", data={"row": rows, "source": "ann.csv"})
    assert answer.status_code == 303
    assert names(bob)[:3] == names(ann)[:3] == [before[9], before[0], before[1]]


def test_doubtful_rows_are_asked_about(ann: FlaskClient) -> None:
    before = names(ann)
    csv = f"ID,Player,FPTS\n{before[7]},,\n,Nobdy Atall,300\n{before[6]},,200.5\n".encode()
    page = ann.post(f"{HERE}/import", data={"file": (io.BytesIO(csv), "a.csv")}).text
    assert "2 of 3 players found." in page
    assert 'name="line-3"' in page
    rows = re.findall(r'name="row"\s+value="([^"]*)"', page)
    ann.post(f"{HERE}/import/confirm", data={"row": rows, "line-3": before[8]})
    chosen = db.session.scalars(db.select(RankingList)).one()
    assert chosen.footballer_ids == [before[8], before[6], before[7]]
    assert chosen.projections == {before[8]: 300_000, before[6]: 200_500}


def test_only_the_commissioner_sets_the_order_of_the_league(
    ann: FlaskClient, bob: FlaskClient
) -> None:
    before = names(ann)
    row = {"row": f"{before[5]} ", "for": "league"}
    assert bob.post(f"{HERE}/import/confirm", data=row).status_code == 403
    assert ann.post(f"{HERE}/import/confirm", data=row).status_code == 303
    assert names(bob)[0] == before[5]
    assert "The league's order" in bob.get(HERE).text


def test_a_file_that_is_no_ranking_is_refused(ann: FlaskClient) -> None:
    for data in (b"", b"\x00", b"Team\nKC\n", b"Player\nSomebody Else\n"):
        answer = ann.post(f"{HERE}/import", data={"file": (io.BytesIO(data), "a.csv")})
        assert answer.status_code == 422, data
        assert 'id="file-fault"' in answer.text
    assert ann.post(f"{HERE}/import").status_code == 422


def test_rankings_are_for_members_of_draft_leagues(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    assert sign_in(username="eve").get(HERE).status_code == 404
