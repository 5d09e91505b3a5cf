"""A play is one sentence, with the gain that the game book shows.

The gain of a pass runs from the line of scrimmage to where the play ends (NFL Guide for
Statisticians), so a catch and the run after it are one figure.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.record import events as ev
from app.record.play_sentence import joined, play_sentences, standing, surnames
from app.record.queries import EventRow

CLUBS = ("HRB", "SUM")
NAMES = {"H1": "Arm", "H2": "Hands", "H3": "Legs", "S9": "D. Wall", "S8": "E. Wall"}
SNAP = ev.Snap(possession="HRB", spot=27, period=1, clock=600, down=1, distance=10)


def thrown(result: str, receiver: str | None = "H2", yard: int | None = None) -> ev.Pass:
    return ev.Pass(
        team="HRB",
        passer="H1",
        receiver=receiver,
        result=result,  # type: ignore[arg-type]
        throw_yard=27,
        reception_yard=yard,
    )


def run(player: str, kind: str, start: int, end: int, *, is_touchdown: bool = False) -> ev.Run:
    return ev.Run(
        team="SUM" if player[0] == "S" else "HRB",
        player=player,
        kind=kind,  # type: ignore[arg-type]
        start_yard=start,
        end_yard=end,
        is_touchdown=is_touchdown,
    )


def tackle(player: str, kind: str = "solo") -> ev.Tackle:
    team = "SUM" if player[0] == "S" else "HRB"
    return ev.Tackle(team=team, tackler=player, kind=kind)  # type: ignore[arg-type]


def kick(kind: str, result: str, distance: int | None, start: int = 27) -> ev.Kick:
    return ev.Kick(
        team="HRB",
        kicker="H3",
        kind=kind,  # type: ignore[arg-type]
        result=result,  # type: ignore[arg-type]
        start_yard=start,
        distance=distance,
    )


BLOCKED = ev.Kick(
    team="HRB",
    kicker="H3",
    kind="extra_point",
    result="blocked",
    blocked_by="S9",
    blocked_by_team="SUM",
)
SACK = ev.Sack(team="HRB", player="H1", start_yard=27, end_yard=20, by_team="SUM", by=("S9", "S8"))
PLAYS: list[tuple[list[ev.Body], str]] = [
    (
        [thrown("complete", yard=32), run("H2", "after_catch", 32, 37), tackle("S9")],
        "Arm to Hands to the HRB 37 for 10 (D. Wall).",
    ),
    (
        [thrown("complete", yard=25), run("H2", "after_catch", 25, 35)],
        "Arm to Hands to the HRB 35 for 8.",
    ),
    (
        [thrown("complete", yard=40), run("H2", "after_catch", 40, 100, is_touchdown=True)],
        "Arm to Hands for 73 yards. Touchdown!",
    ),
    (
        [thrown("complete", yard=27), tackle("S9", "primary"), tackle("S8", "assist")],
        "Arm to Hands to the HRB 27 for no gain (D. Wall, E. Wall).",
    ),
    (
        [thrown("complete", yard=32), run("H3", "after_lateral", 32, 40)],
        "Arm to Hands to the HRB 32 for 5, lateral to Legs to the HRB 40 for 8.",
    ),
    (
        [thrown("incomplete"), ev.Credit(team="SUM", player="S9", kind="pass_defended")],
        "Arm to Hands, incomplete (D. Wall).",
    ),
    ([thrown("incomplete", receiver=None)], "Arm throws incomplete."),
    ([thrown("spike", receiver=None)], "Arm spikes the ball."),
    (
        [
            thrown("intercepted"),
            ev.Credit(team="SUM", player="S9", kind="pass_defended"),
            ev.Interception(team="SUM", player="S9", yard=45),
            run("S9", "return", 45, 57),
            tackle("H3"),
        ],
        "Arm to Hands, intercepted by D. Wall at the SUM 45, returned to the HRB 43 for 12 (Legs).",
    ),
    (
        [
            run("H3", "rush", 27, 32),
            ev.Fumble(team="HRB", player="H3", forced_by="S9", forced_by_team="SUM"),
            ev.Recovery(team="SUM", player="S8", yard=67),
            run("S8", "after_recovery", 67, 70),
        ],
        "Legs runs to the HRB 32 for 5, fumble (forced by D. Wall), recovered by E. Wall for SUM "
        "at the HRB 33, returned to the HRB 30 for 3.",
    ),
    (
        [
            run("H3", "rush", 27, 24),
            tackle("S9"),
            ev.Credit(team="SUM", player="S9", kind="tackle_for_loss"),
        ],
        "Legs runs to the HRB 24 for -3 (D. Wall).",
    ),
    (
        [replace(run("H3", "rush", 27, 33), location="middle"), tackle("S9")],
        "Legs up the middle to the HRB 33 for 6 (D. Wall).",
    ),
    (
        [replace(run("H3", "rush", 27, 27), location="left", gap="end")],
        "Legs left end to the HRB 27 for no gain.",
    ),
    (
        [replace(run("H1", "scramble", 27, 30), location="right")],
        "Arm scrambles right to the HRB 30 for 3.",
    ),
    ([tackle("S9")], "Tackle by D. Wall."),
    (
        [thrown("incomplete"), ev.Credit(team="SUM", player="S8", kind="qb_hit")],
        "Arm to Hands, incomplete, passer hit by E. Wall.",
    ),
    ([run("H1", "kneel", 27, 26)], "Arm kneels at the HRB 26."),
    ([SACK], "Arm sacked at the HRB 20 for -7 (D. Wall, E. Wall)."),
    (
        [
            SACK,
            ev.Tackle(team="SUM", tackler="S9", kind="assist"),
            ev.Tackle(team="SUM", tackler="S8", kind="assist"),
        ],
        "Arm sacked at the HRB 20 for -7 (D. Wall, E. Wall).",
    ),
    ([kick("punt", "fair_catch", 40)], "Legs punts 40 yards, fair catch at the SUM 33."),
    (
        [kick("kickoff", "returned", 60, 35), run("S9", "return", 5, 30), tackle("H2")],
        "Legs kicks off 60 yards, returned by D. Wall to the SUM 30 for 25 (Hands).",
    ),
    (
        [
            kick("punt", "returned", 40),
            run("S9", "return", 33, 33),
            ev.Fumble(team="SUM", player="S9", yard=33),
            ev.Recovery(team="HRB", player="H2", yard=67),
        ],
        "Legs punts 40 yards, muffed by D. Wall at the SUM 33, recovered by Hands for HRB at the "
        "SUM 33.",
    ),
    ([kick("field_goal", "good", 44)], "Legs 44-yard field goal is good."),
    ([kick("field_goal", "missed", 44)], "Legs 44-yard field goal is no good."),
    ([BLOCKED], "Legs extra point is blocked by D. Wall."),
    (
        [ev.Conversion(team="HRB", kind="pass", good=True, passer="H1", player="H2")],
        "Arm to Hands on the two-point try, good.",
    ),
    (
        [ev.Safety(team="SUM", player="S9")],
        "Safety by D. Wall, 2 points for SUM.",
    ),
    (
        [run("H3", "rush", 27, 30), ev.Penalty(team="SUM", foul="Face Mask", yards=15)],
        "Legs runs to the HRB 30 for 3. Flag on SUM: Face Mask, 15 yards.",
    ),
    ([], ""),
]


@pytest.mark.parametrize(("bodies", "words"), PLAYS)
def test_a_play_as_people_say_it(bodies: list[ev.Body], words: str) -> None:
    assert joined(play_sentences([SNAP, *bodies], NAMES, CLUBS)) == words


def test_without_the_clubs_no_spot_is_told() -> None:
    assert joined(play_sentences([run("H3", "rush", 27, 30)], NAMES)) == "Legs runs for 3 yards."


def test_a_final_score_names_the_clubs() -> None:
    declared = ev.Final(home_score=16, away_score=22)
    assert [str(sentence) for sentence in play_sentences([declared], {}, CLUBS)] == [
        "Final: SUM 22, HRB 16."
    ]


def test_every_name_in_the_sentence_is_marked() -> None:
    (sentence,) = play_sentences([SNAP, thrown("complete", yard=32), tackle("S9")], NAMES, CLUBS)
    assert [player for _, player in sentence.runs if player] == ["H1", "H2", "S9"]


def test_two_players_of_a_surname_keep_their_initials() -> None:
    names = {"1": "Orlando Wakefield-Ito", "2": "Bo Hill", "3": "Cy Hill", "4": "Al St. Brown"}
    assert list(surnames(names).values()) == ["Wakefield-Ito", "B. Hill", "C. Hill", "St. Brown"]


def test_what_stood_before_a_correction_and_what_stands_now() -> None:
    longer, shorter = run("H3", "rush", 27, 40), run("H3", "rush", 27, 38)
    rows = [
        EventRow(6, 0, 2, False, longer, 9, 0),
        EventRow(6, 9, 2, True, shorter, None, 0),
    ]
    assert standing(rows, before=9) == [longer]
    assert standing(rows) == [shorter]
