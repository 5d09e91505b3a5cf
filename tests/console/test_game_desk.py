"""The operators' page of games that are not played as planned: preview, act, audit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.audit.models import AuditEntry
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.record import events as ev
from app.record.models import Game
from app.stream.models import OutboxMessage
from scorer_console.lease.leases import Holder, take
from tests.worlds.games import ingest, messages
from tests.worlds.team_sheets import make_world

GAME = "cup-1-AYR"


@pytest.fixture
def operator(app: Flask, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    first = clock.now().replace(microsecond=0, second=0) + timedelta(days=3)
    make_world(first=first, real=True)
    return sign_in("operator")


def said() -> list[ev.Body]:
    payloads = db.session.scalars(select(OutboxMessage.payload).order_by(OutboxMessage.id)).all()
    return [ev.decode(payload).body for payload in payloads]


def test_games_that_need_somebody_stand_first(operator: FlaskClient) -> None:
    ingest(messages([ev.GameStatus(status="postponed")], "cup-3-CRK"))
    page = operator.get("/ops/games").text
    assert 0 < page.index("/ops/games/cup-3-CRK") < page.index("/ops/games/cup-1-AYR")
    assert operator.get("/ops/games?page=2").status_code == 404


def test_a_preview_changes_nothing_and_the_act_is_audited(operator: FlaskClient) -> None:
    form = {"what": "cancelled", "reason": "Storm"}
    page = operator.post(f"/ops/games/{GAME}", data=form | {"how": "preview"})
    assert page.status_code == 200
    assert "nothing counts" in page.text
    assert "still waits for 1 other game." in page.text
    assert said() == []
    assert operator.post(f"/ops/games/{GAME}", data=form | {"how": "run"}).status_code == 303
    assert said() == [ev.GameStatus(status="cancelled", reason="Storm")]
    entry = db.session.scalars(
        select(AuditEntry).where(AuditEntry.act == "operations.game_declared")
    ).one()
    assert (entry.subject, entry.reason, entry.details) == (
        f"game:{GAME}",
        "Storm",
        {"becomes": "cancelled"},
    )


def test_a_new_kickoff_moves_the_deadline_and_is_audited(operator: FlaskClient) -> None:
    game = db.session.get_one(Game, GAME)
    later = game.kickoff + timedelta(days=2)
    form = {"what": "moved", "kickoff": f"{later:%Y-%m-%dT%H:%M}", "zone": "UTC", "reason": "Storm"}
    page = operator.post(f"/ops/games/{GAME}", data=form | {"how": "preview"})
    assert "It stays in Week 1." in page.text
    assert "The deadline of Week 1 moves" in page.text
    operator.post(f"/ops/games/{GAME}", data=form | {"how": "run"})
    assert db.session.get_one(Game, GAME, populate_existing=True).kickoff == later
    deadline = select(Gameweek.deadline).where(Gameweek.week == 1)
    assert db.session.scalars(deadline).one() == later - timedelta(days=1)
    acts = select(AuditEntry.details).where(AuditEntry.act == "operations.game_moved")
    assert db.session.scalars(acts).all() == [{"kickoff": later.isoformat()}]


def test_what_is_missing_is_said_at_its_field(operator: FlaskClient) -> None:
    page = operator.post(f"/ops/games/{GAME}", data={"how": "run"})
    assert page.status_code == 422
    assert "Choose the new status of the game." in page.text
    assert "Give a reason" in page.text
    page = operator.post(
        f"/ops/games/{GAME}", data={"what": "moved", "reason": "Storm", "zone": "Mars"}
    )
    assert (page.status_code, "Choose a time zone by place" in page.text) == (422, True)


def test_while_somebody_scores_it_takes_a_deliberate_word(operator: FlaskClient) -> None:
    take(GAME, Holder("tab", "Ada"), clock.now())
    form = {"what": "cancelled", "reason": "Storm", "how": "run"}
    page = operator.post(f"/ops/games/{GAME}", data=form)
    assert (page.status_code, "Ada is scoring this game" in page.text) == (422, True)
    assert (
        db.session.scalars(
            select(AuditEntry).where(AuditEntry.act == "operations.game_declared")
        ).all()
        == []
    )
    assert operator.post(f"/ops/games/{GAME}", data=form | {"take_over": "y"}).status_code == 303
    assert len(said()) == 1


def test_there_is_no_page_of_an_unknown_game(operator: FlaskClient) -> None:
    assert operator.get("/ops/games/nothing").status_code == 404
    assert operator.post("/ops/games/nothing", data={"what": "cancelled"}).status_code == 404
