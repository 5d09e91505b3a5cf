"""A declaration is previewed against past windows.

The same as playing and settling it would have come to.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.competitions import declaration as declared
from app.competitions import joining, preview
from app.competitions.models import CompetitionReward
from app.competitions.preview import WindowPreview
from app.core.db import db
from tests.worlds.competitions import WINDOWS, Arena, declaration

RULES: dict[str, Any] = {
    "cohort_size": 3,
    "tiers": [{"title": "Bronze", "promote": 1}, {"title": "Gold", "relegate": 1}],
    "rewards": [
        {"to_rank": 1, "grants": [{"reward": "coins", "amount": 5}]},
        {"top_percent": 50, "grants": [{"reward": "coins"}]},
    ],
}


def looked_at(arena: Arena, windows: int, **changes: object) -> list[WindowPreview]:
    previews = preview.preview(
        arena.mode, declaration(**(RULES | changes)), windows, arena.settled(3)
    )
    done = [window for window in previews if isinstance(window, WindowPreview)]
    assert len(done) == len(previews), previews
    return done


EVERY_WAY = list(
    product(["shared", "dense", "earliest"], ["highest", "sum", "latest"], ["highest", "lowest"])
)
# Each tie rule, aggregation and order at least once; the long tier tries every combination.
SOME_WAYS = [
    ("shared", "highest", "highest"),
    ("dense", "sum", "lowest"),
    ("earliest", "latest", "highest"),
]


@pytest.mark.parametrize(
    ("ties", "aggregation", "order"),
    [
        pytest.param(*case, marks=[] if case in SOME_WAYS else [pytest.mark.full])
        for case in EVERY_WAY
    ],
)
def test_a_preview_is_what_playing_it_comes_to(
    arena: Arena, aggregation: str, ties: str, order: str
) -> None:
    arena.make_mode(aggregation=aggregation, ties=ties, order=order)
    cup = arena.live(**RULES, attempts=2)
    players = arena.players(*[f"p{number}" for number in range(8)])
    for window in (1, 2, 3):
        if window > 1:
            arena.settle(window - 1)
        for number, player in enumerate(players[: 8 if window < 3 else 6]):
            arena.join(cup, player, window, minutes=6 + number)
            for half, points in enumerate(
                ((number * 37 + window * 11) % 5, (number * 13 + window) % 4)
            ):
                attempt = uuid4()
                at = arena.at(window, 20 + number * 2 + half)
                joining.take_attempt(cup.id, player, attempt, at)
                arena.score(player, points, at, attempt)
    arena.settle(3)
    previews = looked_at(arena, 3, attempts=2)
    for window, previewed in enumerate(previews, 1):
        entries = arena.entries(cup, window)
        assert previewed.players == len(entries)
        outcomes = Counter((tier, outcome) for _, tier, _, _, outcome in entries)
        for tier in previewed.tiers:
            assert tier.players == sum(row[1] == tier.tier for row in entries)
            assert tier.cohorts == len({row[2] for row in entries if row[1] == tier.tier})
            assert (tier.promoted, tier.relegated) == (
                outcomes[tier.tier, "promoted"],
                outcomes[tier.tier, "relegated"],
            )
            assert tier.absent == sum(row[1] == tier.tier and row[3] is None for row in entries)
        assert {(arena.names[move.player_id], move.outcome) for move in previewed.moves} == {
            (name, outcome) for name, _, _, _, outcome in entries if outcome != "stays"
        }
        granted = db.session.query(CompetitionReward.amount).filter_by(window_number=window).all()
        assert sum(band.amounts["coins"] for band in previewed.bands) == sum(
            amount for (amount,) in granted
        )


def test_a_preview_writes_nothing(arena: Arena) -> None:
    (ann,) = arena.players("ann")
    arena.score(ann, 5, arena.at(2))
    previews = looked_at(arena, 3)
    # up, then down for want of a score
    assert [(window.players, window.moved) for window in previews] == [(0, 0), (1, 1), (1, 1)]
    for table in (
        "competitions",
        "competition_windows",
        "competition_entries",
        "competition_rewards",
        "board_changes",
    ):
        assert db.session.scalar(text(f"SELECT count(*) FROM {table}")) == 0


def test_a_schedule_that_lies_ahead_is_continued_back(arena: Arena) -> None:
    ahead = WINDOWS | {"starts_at": "2026-06-01T12:00:00Z"}
    previews = looked_at(arena, 2, schedule=ahead)
    assert [(window.starts, window.ends) for window in previews] == [
        (arena.at(2, 0), arena.at(3, 0)),
        (arena.at(3, 0), arena.at(4, 0)),
    ]


def test_who_came_after_the_deadline_and_scores_after_the_last_attempt_are_left_out(
    arena: Arena,
) -> None:
    ann, bob = arena.players("ann", "bob")
    for minutes, score in ((5, 1), (6, 2), (7, 99)):
        arena.score(ann, score, arena.at(3, minutes))
    arena.score(bob, 50, arena.at(3, 31))
    (previewed,) = looked_at(arena, 1, join_minutes=30, attempts=2)
    assert previewed.players == 1
    assert [(arena.names[move.player_id], move.rank) for move in previewed.moves] == [("ann", 1)]


def test_what_cannot_be_is_refused_and_so_are_too_many_players(arena: Arena) -> None:
    for player in arena.players("ann", "bob"):
        arena.score(player, 5, arena.at(3))
    bad = declaration(tiers=[{"title": "a", "promote": 1}])
    assert preview.preview(arena.mode, bad, 1, arena.settled(3)) == declared.faults(bad, "UTC")
    (refused,) = preview.preview(arena.mode, declaration(), 1, arena.settled(3), most=1)
    assert "pressbox competitions preview" in getattr(refused, "text", "")
