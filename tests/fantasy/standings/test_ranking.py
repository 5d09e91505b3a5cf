"""One rule for the order of a league's table: in Python, in SQL, and as the database admits it."""

from __future__ import annotations

import doctest

import pytest
from flask import Flask
from sqlalchemy import text

from app.core.db import db
from app.fantasy.leagues import words
from app.fantasy.standings import ranking
from app.fantasy.standings.ranking import (
    MODES,
    TIE_RULES,
    TIES,
    SeasonSoFar,
    standing,
    standing_sql,
)

SEASONS = (
    SeasonSoFar(6, 91_000, 3, (40_000, 51_000), 4),
    SeasonSoFar(0, -2_125, 0, (0, -2_125)),
    SeasonSoFar(1, 0, 12, (7, -7)),
)


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(ranking).failed == 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ties", TIES)
def test_sql_and_python_rank_by_the_same_array(app: Flask, mode: str, ties: str) -> None:
    expression = standing_sql(
        match_points="a.won",
        total="a.total",
        transfers="a.made",
        latest="a.latest",
        between="a.met",
    )
    statement = text(
        f"SELECT {expression} FROM (SELECT CAST(:mode AS text) AS mode, CAST(:ties AS text) AS "
        "ties) l,"
        " (SELECT CAST(:won AS int) AS won, CAST(:total AS bigint) AS total, CAST(:made AS int) AS "
        "made,"
        "  CAST(:latest AS int[]) AS latest, CAST(:met AS int) AS met) a"
    )
    for season in SEASONS:
        values = {
            "mode": mode,
            "ties": ties,
            "won": season.match_points,
            "total": season.total,
            "made": season.transfers,
            "latest": list(season.latest),
            "met": season.between,
        }
        assert tuple(db.session.scalar(statement, values)) == standing(mode, ties, season)


def test_the_database_admits_every_tie_rule_and_no_other(app: Flask) -> None:
    check = db.session.scalar(
        text(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'ck_leagues_ties'"
        )
    )
    assert set(check.split("'")[1::2]) == set(TIES), (
        "a new tie rule needs a migration of ck_leagues_ties"
    )


def test_a_tie_rule_brings_its_own_words() -> None:
    assert set(words.TIE_SENTENCES) == set(TIE_RULES)
    assert all(rule.words and rule.sentence.endswith(".") for rule in TIE_RULES.values())
