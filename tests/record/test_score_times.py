"""The time of a score.

From what comes after it, 0:00 at the end of a quarter, and unknown where nothing says it.
"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from app.record import events as ev
from app.record.rules.score_details import score_times
from app.record.rules.state import scoring_plays
from tests.record.exports import numbered
from tests.worlds.games import touchdown_drive
from tests.worlds.real_games import each_game, real_game


def times(*bodies: ev.Body) -> list[int | None]:
    events = numbered(bodies)
    plays = scoring_plays(events)
    clocks = score_times(events, plays)
    return [clocks[play.event_number] for play in plays]


def goal(period: int = 2, clock: int = 4) -> list[ev.Body]:
    snap = ev.Snap(possession="HRB", spot=80, period=period, clock=clock, down=4, distance=3)
    return [snap, ev.Kick(team="HRB", kicker="H9", kind="field_goal", result="good", distance=38)]


def kickoff(period: int, clock: int) -> ev.Snap:
    return ev.Snap(possession="HRB", spot=35, period=period, clock=clock, situation="kickoff")


def test_a_touchdown_has_the_clock_of_its_try_and_the_try_that_of_its_snap() -> None:
    assert times(*touchdown_drive()) == [860, 860]


def test_a_field_goal_has_the_clock_of_the_kickoff_after_it() -> None:
    assert times(*goal(clock=70), kickoff(2, 66)) == [66]


@pytest.mark.parametrize(
    "after",
    [kickoff(3, 900), ev.Period(period=2, phase="end"), ev.GameEnded()],
    ids=["kickoff", "period", "game"],
)
def test_a_score_after_which_the_quarter_is_over_was_made_at_nought(after: ev.Body) -> None:
    assert times(*goal(), after) == [0]


def test_the_time_is_unknown_before_anything_follows_and_where_a_score_ends_overtime() -> None:
    assert times(*goal()) == [None]
    assert times(*goal(period=5, clock=400), ev.GameEnded()) == [None]
    assert times(*goal(clock=4), kickoff(2, 30)) == [None], "a clock that went up says nothing"


@pytest.mark.realgames
@pytest.mark.parametrize("file", each_game())
def test_scores_of_a_real_game_have_the_clock_of_the_next_row_of_their_quarter(file: Path) -> None:
    script = real_game(file)
    events = numbered(step.body for step in script.events)
    plays = [play for play in scoring_plays(events) if play.kind in ("touchdown", "field_goal")]
    clocks = score_times(events, plays)
    with gzip.open(file, "rt", newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if row["quarter_seconds_remaining"]]
    due = []
    for index, row in enumerate(rows):
        if (row["touchdown"] == "1" and row["td_team"]) or row["field_goal_result"] == "made":
            after = next((row for row in rows[index + 1 :] if row["play_type"]), None)
            same = after is not None and after["qtr"] == row["qtr"]
            period = int(float(row["qtr"]))
            due.append(
                float(after["quarter_seconds_remaining"])
                if after and same
                else 0
                if period <= 4
                else None
            )
    assert [clocks[play.event_number] for play in plays] == due
