"""Games, modes and the boards of their windows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import func, select

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import TAKEN, NewMode, mode_faults
from app.boards.catalogue.services import create_game, create_mode
from app.boards.catalogue.titles import WRONG
from app.boards.models import BoardRecord, Mode
from app.boards.rules import Ties
from app.boards.windows.rules import window_of
from app.core.db import db
from app.core.refusals import Refusal
from tests.worlds.score_games import make_score_game, make_score_mode

NOW = datetime(2026, 9, 13, 20, 30, 15, tzinfo=UTC)
RANKED = NewMode(
    "ranked",
    "Ranked",
    "highest",
    "earliest",
    0,
    100_000,
    "America/New_York",
    windows=("monthly", "daily"),
)


def test_games_and_modes_are_found_by_slug_and_by_id_in_their_own_game_alone(app: Flask) -> None:
    bowl, dash = make_score_game(), make_score_game("dash")
    ranked = make_score_mode(bowl, RANKED)
    assert catalogue.find_game("bowl") == catalogue.find_game(str(bowl.id)) == bowl
    assert (
        catalogue.find_mode(bowl, "ranked") == catalogue.find_mode(bowl, str(ranked.id)) == ranked
    )
    assert catalogue.find_mode(dash, "ranked") is None
    assert catalogue.find_mode(dash, str(ranked.id)) is None
    assert catalogue.find_game("chess") is None
    assert [game.slug for game in catalogue.games()] == ["bowl", "dash"]
    assert catalogue.modes(bowl) == [ranked]
    assert ranked.windows == ["daily", "monthly"]


def test_a_slug_is_taken_once_in_its_namespace(app: Flask) -> None:
    bowl = make_score_game()
    make_score_mode(bowl, RANKED)
    assert create_game("bowl", "Other") == [
        Refusal(TAKEN, "slug", "There is already a game 'bowl'. Choose another slug.")
    ]
    again = create_mode(bowl, RANKED, NOW)
    assert again == [
        Refusal(TAKEN, "slug", "The game already has a mode 'ranked'. Choose another slug.")
    ]
    make_score_mode(make_score_game("dash"), RANKED)


def test_all_that_is_wrong_with_a_mode_is_said_at_once(app: Flask) -> None:
    wrong = NewMode(
        "No Slug",
        " ",
        "best",
        "none",
        5,
        4,
        "Mars/Base",
        4,
        ("yearly",),
        {"daily": 0, "all-time": 3},
        "pie",
        0,
    )
    refused = create_mode(make_score_game(), wrong, NOW)
    assert isinstance(refused, list)
    assert [refusal.field for refusal in refused] == [
        "slug",
        "title",
        "aggregation",
        "ties",
        "time_zone",
        "decimals",
        "windows",
        "keep_days",
        "keep_days",
        "max_score",
        "layout",
        "shards",
    ]
    assert db.session.scalar(select(func.count()).select_from(Mode)) == 0


@pytest.mark.parametrize(
    ("aggregation", "limit", "why"),
    [
        ("highest", 2**53 - 1, "the range in which a board is exact. Use a bound within it."),
        ("latest", 2**53 - 1, "the range in which a board is exact. Use a bound within it."),
        (
            "sum",
            9_007_199_254,
            "a player's sum of 1,000,000 such scores would no longer be exact.",
        ),
    ],
)
@pytest.mark.parametrize("ties", list(Ties))
def test_bounds_that_would_lock_players_out_are_refused_with_the_range_and_what_to_do(
    ties: Ties, aggregation: str, limit: int, why: str
) -> None:
    new = replace(
        RANKED,
        ties=ties,
        aggregation=aggregation,
        windows=("daily", "all-time"),
        max_score=limit + 1,
    )
    (refused,) = mode_faults(new)
    assert (refused.code, refused.field) == (WRONG, "max_score")
    assert f"{limit + 1} is outside ±{limit}" in refused.text
    assert why in refused.text
    assert mode_faults(replace(new, max_score=limit)) == []


@pytest.mark.parametrize(
    "slug",
    ["", "-a", "a-", "A", "a b", "a:b", "a{b", "x" * 61, "7c9e6679-7425-40de-944b-e07fc1f90ae7"],
)
def test_slugs_that_would_not_do_in_an_address_or_a_key_are_refused(slug: str) -> None:
    assert [fault.field for fault in mode_faults(replace(RANKED, slug=slug))] == ["slug"]


def test_a_board_is_made_once_and_knows_when_it_closes_and_goes_to_the_archive(app: Flask) -> None:
    bowl = make_score_game()
    ranked = make_score_mode(bowl, RANKED)
    window = window_of("daily", NOW, ranked.time_zone)
    record = catalogue.board_for(ranked, window)
    assert catalogue.board_for(ranked, window).id == record.id
    assert db.session.scalar(select(func.count()).select_from(BoardRecord)) == 1
    assert record.closes_at == window.ends == datetime(2026, 9, 14, 4, tzinfo=UTC)
    assert record.expires_at == window.ends + timedelta(days=7)
    spec = catalogue.spec_of(bowl, ranked, record)
    assert spec.name == "bowl:ranked:daily:2026-09-13"
    assert spec.tag("s0") == "lb:{bowl:ranked:daily:2026-09-13:g1s0}"
    assert spec.budget.tied


def test_a_board_of_all_time_never_closes(app: Flask) -> None:
    bowl = make_score_game()
    ranked = make_score_mode(bowl, replace(RANKED, windows=("all-time",)))
    record = catalogue.board_for(ranked, window_of("all-time", NOW, "UTC"))
    assert (record.closes_at, record.expires_at) == (None, None)
