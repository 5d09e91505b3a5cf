"""Public boards, and what a moderator's act would change on them."""

from __future__ import annotations

from uuid import UUID

from app.boards.models import Mode, ScoreGame
from app.boards.pages.page import BoardPage, Line
from app.boards.windows.rules import Window
from app.moderation.rollback import OneBoard, Preview
from app.scores.standings.mode_change import BoardPreview, Move

LINES = (
    Line("00000000-0000-0000-0000-000000000021", "1", "Ines", "9,120", False, "9120"),
    Line("00000000-0000-0000-0000-000000000022", "2", "Dana", "8,405", True, "8405"),
    Line("00000000-0000-0000-0000-000000000023", "4", "Mateus", "7,990", False, "7990"),
)
_MODE = Mode(
    slug="sprint",
    title="Sprint",
    aggregation="highest",
    ties="shared",
    order="highest",
    decimals=0,
    windows=["all-time"],
)
PAGE = BoardPage(
    game=ScoreGame(slug="goal-line", title="Goal Line"),
    mode=_MODE,
    window=Window("all-time", "all-time"),
    title="All time",
    count="3",
    lines=LINES,
    me=None,
    around=(),
    page=1,
    pages=1,
    is_open=True,
    from_redis=True,
    is_merged=False,
    as_of="",
)
PLAYER_NAMES = {UUID(int=21): "Ines", UUID(int=22): "Dana"}
PREVIEW = Preview(
    attempts=4,
    players=2,
    boards=(
        OneBoard(
            "Goal Line, Sprint, all time",
            BoardPreview(
                "all-time",
                players=3,
                moved=2,
                rescored=1,
                moves=(
                    Move(UUID(int=21), 1, None, 9_120, None),
                    Move(UUID(int=22), 2, 1, 8_405, 8_405),
                ),
            ),
            _MODE,
        ),
    ),
    digest="",
    archived=1,
    cold="Scores before 2024 are archived.",
)
GOOD_SHARES = (100.0, 100.0, 97.0, None, 80.0, 100.0, 99.5, None, 100.0, 42.0, 100.0, 100.0)
