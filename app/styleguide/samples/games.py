"""Made-up values that show the components of the pages in their states. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from app.fantasy.scoring.swings.swings import Earned, Mover, Swing
from app.record.pages.box_score import PlayerRow, Table
from app.record.pages.drive_list import DriveGroup, DriveRow
from app.record.pages.game_page import At, Field, GamePage, Leader, Leaders
from app.record.pages.participation import ClubParticipation, ParticipantRow
from app.record.pages.play_list import PlayRow
from app.record.pages.play_results import PlayResult
from app.record.pages.play_versions import Line
from app.record.pages.scoring_summary import Score
from app.record.queries import ClubRow, GameRow
from app.record.rules.proof_plays import Finding
from app.record.words import Sentence

_SCHEDULED = GameRow(
    id="styleguide-1",
    season=2026,
    season_type="REG",
    week=1,
    kickoff=datetime(2026, 9, 13, 17, 0, tzinfo=UTC),
    home=ClubRow("HRB", "Harbor Lights", "Lights", "#0b5d38"),
    away=ClubRow("SUM", "Summit Falcons", "Falcons", "#8a1c4a"),
    status="scheduled",
    home_score=None,
    away_score=None,
    state={},
    version=1,
)
_CLOCK = {"period": 3, "clock": 252, "reliable": True, "play_number": 80}
GAMES = (
    _SCHEDULED,
    replace(
        _SCHEDULED,
        id="styleguide-2",
        status="live",
        home_score=14,
        away_score=17,
        state=_CLOCK,
    ),
    replace(
        _SCHEDULED,
        id="styleguide-3",
        status="live",
        home_score=14,
        away_score=17,
        state=_CLOCK | {"reliable": False},
    ),
    replace(
        _SCHEDULED, id="styleguide-4", status="final", home_score=21, away_score=17, state=_CLOCK
    ),
    replace(_SCHEDULED, id="styleguide-5", status="postponed"),
)


def _line(words: str, tone: str = "plain", *, taken_away: bool = False) -> Line:
    return Line(Sentence.of(words), taken_away, tone)


def _play(number: int, result: PlayResult, *lines: Line, parts: tuple[str, ...] = ()) -> PlayRow:
    return PlayRow(
        number=number,
        situation="2nd & 7 at HRB 33",
        clock="Q3 4:12",
        lines=lines,
        club_id="HRB",
        period=3,
        kinds=frozenset(),
        players=frozenset(),
        parts=tuple(Sentence.of(part) for part in parts),
        result=result,
    )


PLAYS = (
    _play(
        1,
        PlayResult("Pass", "+10", is_first_down=True),
        _line("Sopoaga to Wakefield-Ito to the HRB 43 for 10 (Marsh)."),
        parts=(
            "Sopoaga passes to Wakefield-Ito for 5 yards.",
            "Wakefield-Ito runs after the catch for 5 yards.",
            "Tackle by Marsh.",
        ),
    ),
    _play(
        2,
        PlayResult("Pass", "TD", "score"),
        _line("Sopoaga to Wakefield-Ito for 57 yards. Touchdown!", "scored"),
    ),
    _play(
        3,
        PlayResult("Flag", "No play"),
        _line("Hill runs to the HRB 45 for 12.", taken_away=True),
        _line("Flag on HRB (Marsh): Offensive Holding, 10 yards. No play.", "called"),
    ),
    _play(
        4,
        PlayResult("Run", "+8", is_first_down=True),
        _line("Hill runs to the HRB 45 for 12.", taken_away=True),
        _line("After review: Hill runs to the HRB 41 for 8."),
        _line("Challenge by SUM: the call is overturned (spot).", "review"),
    ),
)

SWING = Swing(
    game_id="styleguide-2",
    kind="play",
    play_number=2,
    number=9,
    when="Q3 4:12",
    words=("Sopoaga to Wakefield-Ito for 57 yards. Touchdown!",),
    footballers=(
        Earned("H2", "Wakefield-Ito", 11_700, 3, "57 receiving yards, receiving touchdown"),
        Earned("H1", "Sopoaga", 6_280, 1, "57 passing yards, passing touchdown"),
    ),
    movers=(
        Mover(1, "Deadline Dozen", 11_700, 61_020, 6, 3),
        Mover(2, "Margin Notes", 6_280, 52_300, 4, 4),
        Mover(3, "Blitz and Pieces", -500, 51_000, 3, 5),
    ),
    moved=5,
)

GAME = replace(
    GAMES[1],
    state=_CLOCK
    | {"home_by_period": [7, 0, 7], "away_by_period": [3, 14, 0], "last_event_number": 412},
)
DRIVE = DriveRow(
    number=7,
    club_id="HRB",
    start="Q3 7:48",
    summary="6 plays, 42 yards, 3:36",
    result="In progress",
    has_points=False,
    bar_start=25,
    bar_width=42,
    snaps=(25, 33, 38, 52, 60),
    end=67,
)
DRIVES = (
    DRIVE,
    replace(
        DRIVE,
        number=6,
        club_id="SUM",
        start="Q3 11:20",
        summary="8 plays, 75 yards, 3:32",
        result="Touchdown",
        has_points=True,
        bar_width=75,
        snaps=(25, 40, 71),
        end=100,
    ),
)
PAGE = GamePage(
    game=GAME,
    is_over=False,
    period="Q3",
    clock="4:12",
    situation="2nd & 7",
    where="Ball on SUM 33",
    possession="HRB",
    field=Field(ball=770, scrimmage=770, to_gain=840, drives_right=True),
    drive=DRIVE,
    periods=("1", "2", "3"),
    plays=PLAYS,
    with_slips=PLAYS,
    leaders=(
        Leaders(
            "Passing",
            Leader("HRB", "H1", "Sopoaga", "14 of 21, 182 yards, 2 TD"),
            None,
        ),
    ),
    latest=(DriveGroup(DRIVE, PLAYS[:1], ""),),
    at=None,
)
BOARDS = (
    ("Live", PAGE, None),
    (
        "As of an earlier moment",
        replace(PAGE, at=At(212, "Q2 12:31"), period="Q2", clock="12:31"),
        None,
    ),
    (
        "Score unconfirmed and a play under review",
        replace(
            PAGE,
            game=replace(
                GAME,
                state=GAME.state
                | {
                    "reliable": False,
                    "reported_away_score": 17,
                    "reported_home_score": 17,
                    "under_review": True,
                },
            ),
        ),
        None,
    ),
    ("Provisional final score", replace(PAGE, possession=""), (21, 17)),
    (
        "Before the kickoff",
        replace(PAGE, game=GAMES[0], period="", clock="", situation="", where="", possession=""),
        None,
    ),
)
GROUPS = (DriveGroup(DRIVES[1], PLAYS[1:2], "SUM 17, HRB 14"),)
SCORES = (
    Score("HRB", "Q1 6:02", "Wakefield-Ito 12-yard touchdown catch", 0, 7, 12, 2, "5 plays"),
    Score("SUM", "Q1 1:15", "Marsh 41-yard field goal", 3, 7, 24, 3, "9 plays, 52 yards, 4:47"),
)
FINDINGS = (
    Finding("score", 24, "The recorded plays add up to 3, the stadium shows 6", "a missing kick"),
    Finding("score", 0, "No final whistle", "the game was left open"),
)
_PARTICIPANT = ParticipantRow("H1", "Sopoaga", 12, "QB", "offence", "starter", "active", ())
PARTICIPATION = (
    ClubParticipation("SUM", ()),
    ClubParticipation("HRB", (_PARTICIPANT, replace(_PARTICIPANT, player_id="H2", name="Hill"))),
)
BOX = Table(
    "Passing",
    (("C/A", "Completions and attempts"), ("Yds", "Yards"), ("TD", "Touchdowns")),
    (PlayerRow("H1", "Sopoaga", ("14/21", "182", "2")),),
)
