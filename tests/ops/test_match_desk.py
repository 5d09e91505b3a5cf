"""The operators' pages of matches that members guess.

Findings with the act beside each, preview, act, who may.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.audit.models import AuditEntry
from app.core import clock
from app.core.db import db
from app.predictions.models import Match, MatchAct
from app.predictions.points import PRESETS
from tests.worlds.tournament import World

SignIn = Callable[..., FlaskClient]


@pytest.fixture
def here(app: Flask) -> World:
    """Ann has guessed 2, which the provider dropped.

    99 is of the same teams in another round, and so is 98.
    """
    world = World(PRESETS["exact"])
    now = clock.now()
    world.match("1", kickoff=now + timedelta(days=1), status="hyped")
    world.match("2", "liv", "mun", kickoff=now + timedelta(days=1))
    world.poll(now)
    world.guess("Ann", "2", 2, 1, now)
    del world.matches["2"]
    world.match("98", "liv", "mun", round="week-2", kickoff=now + timedelta(days=7))
    world.match("99", "liv", "mun", round="week-2", kickoff=now + timedelta(days=8))
    world.poll(now)
    return world


def digest_in(page: str) -> str:
    match = re.search(r'name="digest" value="(\w+)"', page)
    assert match is not None, page
    return match[1]


def stored(world: World, match_id: str) -> Match:
    db.session.rollback()
    return db.session.get_one(Match, world.id_of(match_id), populate_existing=True)


def audited() -> list[tuple[str, str, str]]:
    db.session.rollback()
    rows = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id))
    return [
        (row.act, row.subject, row.reason)
        for row in rows
        if row.act.startswith("operations.match_")
    ]


def test_each_finding_has_its_act_beside_it(here: World, sign_in: SignIn) -> None:
    page = sign_in("operator").get("/ops/settlements").text
    assert "The match 2 is missing from the provider" in page
    assert f'href="/ops/matches/{here.id_of("2")}"' in page
    assert f'href="/ops/matches?tournament={here.id}&amp;status=hyped"' in page


def test_a_preview_changes_nothing_and_the_act_is_audited(here: World, sign_in: SignIn) -> None:
    operator, path = sign_in("operator"), f"/ops/matches/{here.id_of('2')}"
    form = {"what": "void", "reason": "The cup dropped it."}
    page = operator.post(path, data=form | {"how": "preview"})
    assert page.status_code == 200
    for line in ("will not count", "1 pick kept", "It has earned no points."):
        assert line in page.text
    assert (stored(here, "2").fate, audited()) == (None, [])
    done = operator.post(path, data=form | {"how": "run", "digest": digest_in(page.text)})
    assert (done.status_code, done.headers["Location"]) == (303, path)
    assert stored(here, "2").fate == "void"
    assert audited() == [
        ("operations.match_voided", f"match:{here.id_of('2')}", "The cup dropped it.")
    ]
    act = db.session.scalars(select(MatchAct)).one()
    assert act.made_by is not None
    assert "The cup dropped it." in operator.get(path).text
    assert path in operator.get("/ops/matches").text
    assert operator.post(path, data=form | {"how": "run"}).status_code == 303, (
        "as often as it is sent"
    )
    assert len(audited()) == 1
    undo = {"what": "unvoid", "reason": "It is played."}
    assert operator.post(path, data=undo | {"how": "run"}).status_code == 303
    assert stored(here, "2").status == "open"
    assert path not in operator.get("/ops/matches").text


def test_a_new_kickoff_and_a_merge_from_the_page(here: World, sign_in: SignIn) -> None:
    operator, path = sign_in("operator"), f"/ops/matches/{here.id_of('2')}"
    later = (clock.now() + timedelta(days=3)).replace(second=0, microsecond=0)
    form = {"what": "redate", "reason": "Rain", "kickoff": f"{later:%Y-%m-%dT%H:%M}", "how": "run"}
    assert operator.post(path, data=form).status_code == 303
    assert stored(here, "2").kickoff == later
    form = {"what": "merge", "reason": "A new id", "into": str(here.id_of("99")), "how": "preview"}
    page = operator.post(path, data=form)
    assert "Picks that move to it: 1." in page.text
    assert (
        operator.post(path, data=form | {"how": "run", "digest": digest_in(page.text)}).status_code
        == 303
    )
    assert here.guesses("Ann")[here.id_of("99")] == (2, 1)
    ann = sign_in(username="ann").get(f"/tournaments/{here.id}/rounds/week-1").text
    assert "Liv" not in ann, "the retired match is on no page"
    api = operator.get(f"/api/v2/tournaments/{here.id}/rounds/week-1/matches")
    assert str(here.id_of("2")) not in api.text


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "Choose a decision."),
        ({"what": "burn"}, "Choose a decision."),
        ({"what": "redate"}, "Enter day and time in UTC"),
        # no year 0 in UTC
        ({"what": "redate", "kickoff": "0001-01-01T00:00+14:00"}, "Enter day and time in UTC"),
        ({"what": "redate", "kickoff": "soon"}, "Enter day and time in UTC"),
        ({"what": "merge"}, "Choose the replacement match."),
        ({"what": "void", "reason": ""}, "Give a reason"),
        ({"what": "void", "reason": "x" * 501}, "Give a reason"),
        ({"what": "unvoid"}, "there is nothing to undo"),
        (
            {"what": "void", "how": "run", "digest": "old"},
            "The match has changed in the meantime. Check the new preview.",
        ),
    ],
)
def test_what_is_wrong_with_the_form_is_said(
    here: World, sign_in: SignIn, form: dict[str, str], words: str
) -> None:
    answer = sign_in("operator").post(
        f"/ops/matches/{here.id_of('2')}", data={"reason": "Rain"} | form
    )
    assert answer.status_code == 422
    assert words in answer.text
    assert audited() == []


@pytest.mark.parametrize("role", ["moderator", "scorer", None])
def test_operators_alone_decide(here: World, sign_in: SignIn, role: str | None) -> None:
    client = sign_in(role) if role else sign_in(username="zoe")
    path = f"/ops/matches/{here.id_of('2')}"
    assert client.get(path).status_code == 404
    form = {"what": "void", "reason": "I would win then.", "how": "run"}
    assert client.post(path, data=form).status_code == 404
    assert (stored(here, "2").fate, audited()) == (None, [])


def test_the_matches_of_a_tournament_by_status(here: World, sign_in: SignIn) -> None:
    operator = sign_in("operator")
    assert "Liv vs Mun" in operator.get(f"/ops/matches?tournament={here.id}").text
    page = operator.get(f"/ops/matches?tournament={here.id}&status=hyped").text
    assert ("Ars vs Che" in page, "Liv vs Mun" in page) == (True, False)
    for path in (
        "?tournament=x",
        f"?tournament={here.id_of('1')}",
        f"?tournament={here.id}&page=2",
        f"/{here.id}",
    ):
        assert operator.get(f"/ops/matches{path}").status_code == 404
