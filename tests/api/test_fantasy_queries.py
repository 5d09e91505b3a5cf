"""The statements behind the five access patterns.

How many, along which indexes, and their document.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts import players
from app.accounts import services as accounts
from app.accounts.models import Member
from app.core.clock import now
from app.core.db import db
from app.fantasy.api_queries import queries as lookups
from app.fantasy.api_queries.queries import SeasonName, Viewer
from app.fantasy.api_queries.statements import LOOKUPS
from app.plans import fantasy as plans
from tests.statements import count_statements
from tests.worlds.callers import got
from tests.worlds.scored_season import lock
from tests.worlds.team_sheets import World

DOCUMENT = Path(__file__).parents[2] / "docs" / "fantasy-queries.md"
CUP = SeasonName("cup", 2026, "REG")


def test_each_question_is_one_statement_however_much_it_answers(
    world: World, ann: Member, bob: Member
) -> None:
    viewer = Viewer(player_id=players.player_of(bob).id)
    lock(world)
    questions: dict[str, Callable[[], object]] = {
        "gamer": lambda: lookups.gamer(ann.id),
        "team-sheet": lambda: lookups.team_sheet(ann.id, 1, viewer, now()),
        "footballer": lambda: lookups.footballer("AYR1"),
        "footballers-of-a-position": lambda: lookups.footballers_of_position("DEF"),
        "gamers-of-a-league": lambda: lookups.gamers_of_league("cup-overall", viewer),
    }
    assert questions.keys() == LOOKUPS.keys()
    for name, ask in questions.items():
        with count_statements() as counted:
            assert ask() is not None, name
        assert counted() == 1, name


def test_a_call_asks_who_signed_it_and_the_question_and_nothing_else(
    as_ann: FlaskClient, ann: Member
) -> None:
    for path in (
        f"gamers/{ann.id}",
        f"gamers/{ann.id}/teamsheets/GW1",
        "leagues/cup-overall/gamers",
    ):
        with count_statements() as counted:
            got(as_ann, f"/api/v1/{path}")
        assert counted() == 2, path


def test_every_table_of_every_question_is_read_by_an_index(app: Flask) -> None:
    for name, plan in plans.plans().items():
        assert plan.indexes, name
        for table, indexes in plan.indexes.items():
            assert "no index" not in indexes, (name, table)


def test_ranks_of_a_league_are_read_along_its_index(app: Flask) -> None:
    lines = "\n".join(plans.plans()["gamers-of-a-league"].lines)
    assert "Index Only Scan using ix_league_members_total on league_members" in lines


def test_explaining_notices_a_missing_index(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere = ("", "SELECT count(*) FROM members WHERE display_name <> 'M' AND id <> :gamer")
    monkeypatch.setattr(plans, "LOOKUPS", {"bad": everywhere})
    assert plans.plans()["bad"].indexes == {"members": ["no index"]}


def test_explaining_leaves_nothing_behind(ann: Member) -> None:
    plans.document()
    assert accounts.find_member("ann") is not None
    assert db.session.scalar(text("SELECT count(*) FROM members")) == 1


def test_the_document_of_the_access_patterns_is_current(app: Flask) -> None:
    assert DOCUMENT.read_text() == plans.document(), (
        "docs/fantasy-queries.md is old: run `pressbox query-plans`"
    )
