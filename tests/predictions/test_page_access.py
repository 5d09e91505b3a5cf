"""Who sees what of tournaments: others' guesses from the kickoff on, pools for their members.

And what a page costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.db import db
from app.predictions import pools
from app.predictions.models import Match, Pool, Tournament
from tests.polling import forget_parts
from tests.statements import count_statements
from tests.worlds.cup import HOUR, POLL, Cup, many
from tests.worlds.tournament import World

Make = Callable[..., World]
SignIn = Callable[..., FlaskClient]


def pages_of(app: Flask, today: Cup, pool: Pool) -> list[str]:
    """Every page of tournaments that can be asked for."""
    values = {
        "tournament_id": today.world.id,
        "slug": "week-1",
        "match_id": today.world.id_of("m1"),
        "pool_id": pool.id,
        "code": pool.code,
    }
    addresses = []
    with app.test_request_context():
        for rule in app.url_map.iter_rules():
            if (
                rule.endpoint.split(".")[0] in ("tournaments", "tournament_boards", "pools")
                and "GET" in rule.methods
            ):
                addresses.append(
                    app.url_for(rule.endpoint, **{name: values[name] for name in rule.arguments})
                )
    return addresses


def test_nobody_sees_anothers_guess_before_the_kickoff_on_any_page(
    app: Flask, today: Cup, ann: FlaskClient, sign_in: SignIn
) -> None:
    today.guess("Ann", "m1", 24, 17)
    today.guess("Bob", "m1", 137, 191)
    pool = pools.create(today.world.id, today.world.player("Bob"), "The Row")
    assert isinstance(pool, Pool)
    pools.join(pool.id, pool.code, today.world.player("Ann"))
    paths = pages_of(app, today, pool)
    assert len(paths) >= 10
    for path in ["/", "/notices", *paths]:
        for headers in ({}, POLL):
            answer = ann.get(path, headers=headers, follow_redirects=True)
            assert answer.status_code == 200, path
            assert not re.search(r"(?<![\w-])(137|191)(?![\w-])", answer.text), path
    bob = sign_in(username="bob")
    assert "137" in bob.get(today.round).text
    today.kick_off("m1")
    assert "137–191" in ann.get(today.path("matches", today.world.id_of("m1"))).text


def test_without_an_account_there_is_the_sign_in_page_and_what_there_is_not_is_not_found(
    app: Flask, today: Cup, ann: FlaskClient
) -> None:
    today.world.player("Bob")
    pool = pools.create(today.world.id, today.world.player("Bob"), "The Row")
    assert isinstance(pool, Pool)
    for path in pages_of(app, today, pool):
        assert app.test_client().get(path).location.startswith("/sign-in"), path
    strange = uuid4()
    for path in (
        f"/tournaments/{strange}",
        f"/tournaments/{strange}/rounds/week-1",
        f"/tournaments/{strange}/leaderboard",
        f"/tournaments/{strange}/history",
        f"/tournaments/{strange}/standings",
        f"/tournaments/{strange}/pools",
        f"/tournaments/{strange}/matches/{today.world.id_of('m1')}",
        "/tournaments/1",
        "/tournaments/join/NOTACODE",
        today.path("rounds", "week-9"),
        today.path("matches", strange),
        today.path("leaderboard?page=2"),
        today.path("leaderboard?page=0"),
    ):
        assert ann.get(path).status_code == 404, path
    assert ann.post(today.path("rounds", "week-9")).status_code == 404


def test_a_pool_is_not_there_for_anybody_else(
    today: Cup, ann: FlaskClient, sign_in: SignIn
) -> None:
    pool = pools.create(today.world.id, today.world.player("Bob"), "Secret Pool")
    assert isinstance(pool, Pool)
    here = today.path("pools", pool.id)
    assert ann.get(here).status_code == 404
    assert ann.get(f"{here}/leave").status_code == 404
    for act in ("leave", "rename", "code", f"members/{today.world.player('Bob')}/remove"):
        assert ann.post(f"{here}/{act}", data={"name": "Mine"}).status_code == 404, act
    assert "Secret Pool" not in ann.get(today.path("pools")).text
    # With the code they are in; what is the owner's stays the owner's.
    joined = ann.post(today.path("pools", "join"), data={"code": pool.code.lower()})
    assert joined.status_code == 303
    assert "Secret Pool" in ann.get(joined.location).text
    for act in ("rename", "code", f"members/{today.world.player('Bob')}/remove"):
        assert ann.post(f"{here}/{act}", data={"name": "Mine"}).status_code == 404, act
    bob = sign_in(username="bob")
    assert bob.post(f"{here}/rename", data={"name": "Open Pool"}).status_code == 303
    assert bob.post(f"{here}/members/{today.world.player('Ann')}/remove").status_code == 303
    assert ann.get(here).status_code == 404


def test_a_form_from_elsewhere_is_refused(app: Flask, today: Cup, ann: FlaskClient) -> None:
    app.config["WTF_CSRF_ENABLED"] = True
    assert ann.post(today.round, data=today.fields("m1", 1, 0)).status_code == 400
    assert today.world.guesses("Ann") == {}


@pytest.mark.parametrize(
    "page", ["", "rounds/week-1", "leaderboard", "history", "standings", "pools", "match", "pool"]
)
def test_statements_of_a_page_do_not_grow_with_its_rows(
    today: Cup, ann: FlaskClient, page: str
) -> None:
    today.guess("Ann", "m1", 24, 17)
    pool = pools.create(today.world.id, today.world.player("Ann"), "The Row")
    assert isinstance(pool, Pool)
    many(today, 2)
    today.end("m1", 24, 17)
    path = {"match": f"matches/{today.world.id_of('m1')}", "pool": f"pools/{pool.id}"}.get(
        page, page
    )

    def statements() -> int:
        with count_statements() as counted:
            assert ann.get(today.path(path) if path else today.path()).status_code == 200
        return counted()

    statements()
    before_growth = statements()
    before = today.now - 4 * HOUR
    for number in range(10):
        today.world.match(f"x{number}", kickoff=today.now - 3 * HOUR)
    today.world.poll(today.now)
    for number in range(10):
        name = f"More{number}"
        assert today.world.guess(name, f"x{number}", 3, 0, before) == []
        assert today.world.guess("Ann", f"x{number}", 3, 0, before) == []
        pools.join(pool.id, pool.code, today.world.player(name))
        today.world.ended(f"x{number}", 3, 1, today.now)
    today.world.poll(today.now)
    today.world.settle(today.now)
    assert db.session.scalar(db.select(db.func.count()).select_from(Match)) == 13
    statements()
    assert statements() == before_growth


def test_the_list_of_tournaments_asks_as_much_for_ten_as_for_one(
    world: Make, today: Cup, ann: FlaskClient
) -> None:
    today.guess("Ann", "m1", 24, 17)

    def statements(path: str) -> int:
        forget_parts(ann)
        with count_statements() as counted:
            assert ann.get(path).status_code == 200
        return counted()

    before_growth = [statements("/tournaments"), statements("/")]
    for number in range(10):
        world(name=f"Cup {number}")
    assert db.session.scalar(db.select(db.func.count()).select_from(Tournament)) == 11
    assert [statements("/tournaments"), statements("/")] == before_growth
