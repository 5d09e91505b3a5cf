"""The scoring summary.

The way of every score with its yards, the try beside its touchdown, and the drive.

Authority: the NFL's Guide for Statisticians and the NCAA's Football Statisticians' Manual, whose
summaries give the play with its yards, the try in brackets and the drive as plays, yards and time.
"""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.pages.scoring_summary import Score, scoring_summary
from tests.record.exports import numbered, row_of
from tests.worlds.games import touchdown_drive
from tests.worlds.plays import H, S, catch, fumble, recovery, run

NAMES = {
    "passer": "P. Passer",
    "catcher": "C. Catcher",
    "runner": "R. Runner",
    "thief": "T. Thief",
    "boot": "B. Boot",
}
SNAP = ev.Snap(possession=H, spot=30, period=1, clock=600, down=1, distance=10)
TRY = ev.Snap(possession=H, spot=85, period=1, clock=590, situation="try")
POINT = ev.Kick(team=H, kicker="boot", kind="extra_point", result="good")


def summary(*bodies: ev.Body) -> list[Score]:
    events = numbered(bodies)
    return list(scoring_summary(row_of(events), events, NAMES))


def words(*bodies: ev.Body) -> list[str]:
    return [score.words for score in summary(*bodies)]


def kick(kind: str, result: str, **more: object) -> ev.Kick:
    return ev.Kick(team=H, kicker="boot", kind=kind, result=result, **more)  # type: ignore[arg-type]


def test_a_touchdown_stands_with_its_try_and_its_drive_of_plays_yards_and_time() -> None:
    """Two plays from the own 25, 75 yards, from 15:00 to the try at 14:20."""
    (score,) = summary(*touchdown_drive())
    assert score.words.endswith("H2 65-yard pass from H1 (kick)")
    assert (score.drive_words, score.drive, score.away, score.home) == (
        "2 plays, 75 yards, 0:40",
        1,
        0,
        7,
    )


@pytest.mark.parametrize(
    ("play", "sentence"),
    [
        ([catch(100, touchdown=True)], "C. Catcher 70-yard pass from P. Passer"),
        (
            [
                catch(50),
                run("after_catch", "catcher", 50, 60),
                run("after_lateral", "runner", 60, 100, touchdown=True),
            ],
            "R. Runner 70-yard pass from P. Passer",
        ),
        ([run("rush", "runner", 30, 100, touchdown=True)], "R. Runner 70-yard run"),
        (
            [
                ev.Interception(team=S, player="thief", yard=20),
                run("return", "thief", 20, 100, team=S, touchdown=True),
            ],
            "T. Thief 80-yard interception return",
        ),
        (
            [
                ev.Interception(team=S, player="thief", yard=-5),
                run("return", "thief", -5, 100, team=S, touchdown=True),
            ],
            "T. Thief 105-yard interception return",
        ),
        (
            [
                run("rush", "runner", 30, 34),
                fumble("runner"),
                recovery("thief", S),
                run("after_recovery", "thief", 66, 100, team=S, touchdown=True),
            ],
            "T. Thief 34-yard fumble return",
        ),
        (
            [
                run("rush", "runner", 30, 98),
                fumble("runner"),
                recovery("catcher", H, touchdown=True),
            ],
            "C. Catcher fumble recovery in the end zone",
        ),
        (
            [
                kick("punt", "returned", distance=40),
                run("return", "thief", 30, 100, team=S, touchdown=True),
            ],
            "T. Thief 70-yard punt return",
        ),
        (
            [
                kick("punt", "blocked", blocked_by_team=S),
                recovery("thief", S),
                run("after_recovery", "thief", 85, 100, team=S, touchdown=True),
            ],
            "T. Thief 15-yard blocked punt return",
        ),
        (
            [kick("field_goal", "missed"), run("return", "thief", -7, 100, team=S, touchdown=True)],
            "T. Thief 107-yard missed field goal return",
        ),
        (
            [kick("punt", "blocked", blocked_by_team=S), recovery("thief", S, touchdown=True)],
            "T. Thief recovery of a blocked punt in the end zone",
        ),
    ],
)
def test_every_way_of_a_touchdown_has_its_yards(play: list[ev.Body], sentence: str) -> None:
    """A pass counts from the line of scrimmage, a return from where the club got the ball.

    In its end zone too.
    """
    assert words(SNAP, *play) == [sentence]


@pytest.mark.parametrize(
    ("tried", "ending"),
    [
        (POINT, " (B. Boot kick)"),
        (kick("extra_point", "missed"), " (B. Boot kick failed)"),
        (kick("extra_point", "blocked"), " (B. Boot kick blocked)"),
        (
            ev.Conversion(team=H, kind="pass", good=True, passer="passer", player="catcher"),
            " (C. Catcher pass from P. Passer)",
        ),
        (ev.Conversion(team=H, kind="rush", good=True, player="runner"), " (R. Runner run)"),
        (ev.Conversion(team=H, kind="pass", good=False, passer="passer"), " (pass failed)"),
    ],
)
def test_the_try_stands_in_brackets(tried: ev.Body, ending: str) -> None:
    touchdown = run("rush", "runner", 30, 100, touchdown=True)
    assert words(SNAP, touchdown, TRY, tried) == [f"R. Runner 70-yard run{ending}"]


def test_a_try_that_the_defence_brings_back_is_a_score_of_its_own() -> None:
    returned = ev.Conversion(team=S, side="defence", kind="return", good=True, player="thief")
    scores = summary(
        SNAP,
        run("rush", "runner", 30, 100, touchdown=True),
        TRY,
        kick("extra_point", "blocked"),
        returned,
    )
    assert [(score.club_id, score.away, score.home) for score in scores] == [(H, 0, 6), (S, 2, 6)]
    assert scores[1].words == "T. Thief return of the try for two points"


def test_a_return_has_no_drive_for_the_other_club_had_the_ball() -> None:
    pick = ev.Interception(team=S, player="thief", yard=20)
    (score,) = summary(SNAP, pick, run("return", "thief", 20, 100, team=S, touchdown=True))
    assert (score.drive, score.drive_words) == (None, "")


def test_a_field_goal_has_its_length() -> None:
    (score,) = summary(
        SNAP, run("rush", "runner", 30, 79), SNAP, kick("field_goal", "good", distance=38)
    )
    assert score.words == "B. Boot 38-yard field goal"
    assert score.drive_words


@pytest.mark.parametrize(
    ("play", "ending"),
    [
        (
            [ev.Sack(team=H, player="passer", start_yard=3, end_yard=0)],
            ", P. Passer sacked in the end zone by T. Thief",
        ),
        ([run("rush", "runner", 3, 0)], ", R. Runner tackled in the end zone by T. Thief"),
        (
            [ev.Penalty(team=H, foul="Offensive Holding")],
            ", offensive holding in the end zone by T. Thief",
        ),
        (
            [kick("punt", "blocked", blocked_by_team=S)],
            ", blocked punt in the end zone by T. Thief",
        ),
    ],
)
def test_a_safety_says_what_happened_in_the_end_zone(play: list[ev.Body], ending: str) -> None:
    assert words(SNAP, *play, ev.Safety(team=S, player="thief")) == [f"Safety{ending}"]
