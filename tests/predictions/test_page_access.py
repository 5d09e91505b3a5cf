"""Who sees what of tournaments: others' guesses from the kickoff on, pools for their members; and what a page costs."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.db import db
from app.predictions import guesses, pools
from app.predictions.models import Match, Pool, Tournament
from tests.predictions.cup import HOUR, POLL, Cup, many
from tests.predictions.world import World
from tests.statements import count_statements

Make = Callable[..., World]
SignIn = Callable[..., FlaskClient]


def pages_of(app: Flask, cup: Cup, pool: Pool) -> list[str]:
    """Every page of tournaments that can be asked for."""
    values = {
        "tournament_id": cup.world.id,
        "slug": "week-1",
        "match_id": cup.world.id_of("m1"),
        "pool_id": pool.id,
        "code": pool.code,
    }
    found = []
    with app.test_request_context():
        for rule in app.url_map.iter_rules():
            if rule.endpoint.split(".")[0] in ("tournaments", "tournament_boards", "pools") and "GET" in rule.methods:
                found.append(app.url_for(rule.endpoint, **{name: values[name] for name in rule.arguments}))
    return found


def test_nobody_sees_anothers_guess_before_the_kickoff_on_any_page(
    app: Flask, cup: Cup, ann: FlaskClient, sign_in: SignIn
) -> None:
    cup.guess("Ann", "m1", 24, 17)
    cup.guess("Bob", "m1", 137, 191)
    pool = pools.create(cup.world.id, cup.world.player("Bob"), "The Row")
    assert isinstance(pool, Pool)
    pools.join(pool.id, pool.code, cup.world.player("Ann"))
    paths = pages_of(app, cup, pool)
    assert len(paths) >= 10
    for path in ["/", "/notices", *paths]:
        for headers in ({}, POLL):
            answer = ann.get(path, headers=headers, follow_redirects=True)
            assert answer.status_code == 200, path
            assert not re.search(r"(?<![\w-])(137|191)(?![\w-])", answer.text), path
    bob = sign_in(username="bob")
    assert "137" in bob.get(cup.round).text
    cup.kick_off("m1")
    assert "137:191" in ann.get(cup.path("matches", cup.world.id_of("m1"))).text


def test_without_an_account_there_is_the_sign_in_page_and_what_there_is_not_is_not_found(
    app: Flask, cup: Cup, ann: FlaskClient
) -> None:
    cup.world.player("Bob")
    pool = pools.create(cup.world.id, cup.world.player("Bob"), "The Row")
    assert isinstance(pool, Pool)
    for path in pages_of(app, cup, pool):
        assert app.test_client().get(path).location.startswith("/sign-in"), path
    strange = uuid4()
    for path in (
        f"/tournaments/{strange}",
        f"/tournaments/{strange}/rounds/week-1",
        f"/tournaments/{strange}/leaderboard",
        f"/tournaments/{strange}/history",
        f"/tournaments/{strange}/standings",
        f"/tournaments/{strange}/pools",
        f"/tournaments/{strange}/matches/{cup.world.id_of('m1')}",
        "/tournaments/1",
        "/tournaments/join/NOTACODE",
        cup.path("rounds", "week-9"),
        cup.path("matches", strange),
        cup.path("leaderboard?page=2"),
        cup.path("leaderboard?page=0"),
    ):
        assert ann.get(path).status_code == 404, path
    assert ann.post(cup.path("rounds", "week-9")).status_code == 404


def test_a_pool_is_not_there_for_anybody_else(cup: Cup, ann: FlaskClient, sign_in: SignIn) -> None:
    pool = pools.create(cup.world.id, cup.world.player("Bob"), "Secret Pool")
    assert isinstance(pool, Pool)
    here = cup.path("pools", pool.id)
    assert ann.get(here).status_code == 404
    assert ann.get(f"{here}/leave").status_code == 404
    for act in ("leave", "rename", "code", f"members/{cup.world.player('Bob')}/remove"):
        assert ann.post(f"{here}/{act}", data={"name": "Mine"}).status_code == 404, act
    assert "Secret Pool" not in ann.get(cup.path("pools")).text
    # With the code they are in; what is the owner's stays the owner's.
    joined = ann.post(cup.path("pools", "join"), data={"code": pool.code.lower()})
    assert joined.status_code == 303
    assert "Secret Pool" in ann.get(joined.location).text
    for act in ("rename", "code", f"members/{cup.world.player('Bob')}/remove"):
        assert ann.post(f"{here}/{act}", data={"name": "Mine"}).status_code == 404, act
    bob = sign_in(username="bob")
    assert bob.post(f"{here}/rename", data={"name": "Open Pool"}).status_code == 303
    assert bob.post(f"{here}/members/{cup.world.player('Ann')}/remove").status_code == 303
    assert ann.get(here).status_code == 404


def test_a_form_from_elsewhere_is_refused(app: Flask, cup: Cup, ann: FlaskClient) -> None:
    app.config["WTF_CSRF_ENABLED"] = True
    assert ann.post(cup.round, data=cup.fields("m1", 1, 0)).status_code == 400
    assert guesses.of_player(cup.world.id, cup.world.player("Ann")) == {}


@pytest.mark.parametrize("page", ["", "rounds/week-1", "leaderboard", "history", "standings", "pools", "match", "pool"])
def test_statements_of_a_page_do_not_grow_with_its_rows(cup: Cup, ann: FlaskClient, page: str) -> None:
    cup.guess("Ann", "m1", 24, 17)
    pool = pools.create(cup.world.id, cup.world.player("Ann"), "The Row")
    assert isinstance(pool, Pool)
    many(cup, 2)
    cup.end("m1", 24, 17)
    path = {"match": f"matches/{cup.world.id_of('m1')}", "pool": f"pools/{pool.id}"}.get(page, page)

    def statements() -> int:
        with count_statements() as counted:
            assert ann.get(cup.path(path) if path else cup.path()).status_code == 200
        return counted()

    statements()
    few = statements()
    before = cup.now - 4 * HOUR
    for number in range(10):
        cup.world.match(f"x{number}", kickoff=cup.now - 3 * HOUR)
    cup.world.poll(cup.now)
    for number in range(10):
        name = f"More{number}"
        assert cup.world.guess(name, f"x{number}", 3, 0, before) == []
        assert cup.world.guess("Ann", f"x{number}", 3, 0, before) == []
        pools.join(pool.id, pool.code, cup.world.player(name))
        cup.world.ended(f"x{number}", 3, 1, cup.now)
    cup.world.poll(cup.now)
    cup.world.settle(cup.now)
    assert db.session.scalar(db.select(db.func.count()).select_from(Match)) == 13
    statements()
    assert statements() == few


def test_the_list_of_tournaments_asks_as_much_for_ten_as_for_one(world: Make, cup: Cup, ann: FlaskClient) -> None:
    cup.guess("Ann", "m1", 24, 17)

    def statements(path: str) -> int:
        with count_statements() as counted:
            assert ann.get(path).status_code == 200
        return counted()

    few = [statements("/tournaments"), statements("/")]
    for number in range(10):
        world(name=f"Cup {number}")
    assert db.session.scalar(db.select(db.func.count()).select_from(Tournament)) == 11
    assert [statements("/tournaments"), statements("/")] == few
