"""Made-up values that show the components of the pages in their states. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from app.fantasy.scoring.swings.swings import Earned, Mover, Swing
from app.record.pages.play_list import PlayRow
from app.record.pages.play_results import PlayResult
from app.record.pages.play_versions import Line
from app.record.queries import ClubRow, GameRow
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
