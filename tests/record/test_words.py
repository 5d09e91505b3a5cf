"""Every kind of event has its sentence."""

from __future__ import annotations

from typing import get_args

import pytest

from app.demo.clubs import CLUBS, rosters
from app.demo.game import Fixture, simulate_game
from app.record import events as ev
from app.record.words import clock_words, down_and_distance, period_words, sentence, spot, yards
from tests.worlds.games import KICKOFF

NAMES = {"H1": "Ann Arm", "H2": "Bo Hands", "H3": "Cy Legs", "S9": "Di Wall", "S8": "Ed Wall"}
RUN = ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=32)


SENTENCES: list[tuple[ev.Body, str]] = [
    (ev.GameStatus(status="suspended", reason="lightning"), "The game is suspended (lightning)."),
    (ev.GameStatus(status="scheduled"), "The game is played after all."),
    (
        ev.Pass(
            team="HRB",
            passer="H1",
            receiver="H2",
            result="complete",
            throw_yard=20,
            reception_yard=27,
        ),
        "Ann Arm passes to Bo Hands for 7 yards.",
    ),
    (
        ev.Pass(team="HRB", passer="H1", receiver="H2", result="incomplete", throw_yard=20),
        "Ann Arm passes for Bo Hands: incomplete.",
    ),
    (
        ev.Pass(team="HRB", passer="H1", result="intercepted", throw_yard=20),
        "Ann Arm passes: intercepted.",
    ),
    (ev.Pass(team="HRB", passer="H1", result="spike", throw_yard=20), "Ann Arm spikes the ball."),
    (
        ev.RosterFact(team="HRB", player="H1", number=7, status="starter"),
        "Ann Arm of HRB wears 7 and starts.",
    ),
    (
        ev.RosterFact(team="HRB", player="N1", name="Nan New", position="WR", number=84),
        "HRB: number 84, Nan New (WR) joins the roster.",
    ),
    (
        ev.Pass(
            team="HRB",
            passer="H1",
            receiver="H2",
            result="complete",
            throw_yard=90,
            reception_yard=100,
            is_touchdown=True,
        ),
        "Ann Arm passes to Bo Hands for 10 yards. Touchdown!",
    ),
    (RUN, "Cy Legs runs for 7 yards."),
    (ev.Run(team="HRB", player="H1", kind="kneel", start_yard=25, end_yard=24), "Ann Arm kneels."),
    (
        ev.Run(team="HRB", player=None, kind="rush", start_yard=25, end_yard=25),
        "An unnamed player runs for no gain.",
    ),
    (
        ev.Sack(
            team="HRB", player="H1", start_yard=30, end_yard=24, by_team="SUM", by=("S9", "S8")
        ),
        "Ann Arm is sacked by Di Wall and Ed Wall for a loss of 6.",
    ),
    (
        ev.Fumble(
            team="HRB", player="H3", forced_by="S9", forced_by_team="SUM", out_of_bounds=True
        ),
        "Cy Legs fumbles, forced by Di Wall, out of bounds.",
    ),
    (ev.Recovery(team="SUM", player="S9"), "Di Wall recovers for SUM."),
    (
        ev.Interception(team="SUM", player="S9", is_touchdown=True),
        "Di Wall intercepts for SUM. Touchdown!",
    ),
    (
        ev.Kick(team="HRB", kicker="H3", kind="field_goal", result="good", distance=44),
        "Cy Legs tries a field goal from 44 yards: good.",
    ),
    (
        ev.Kick(
            team="HRB",
            kicker="H3",
            kind="punt",
            result="blocked",
            blocked_by="S9",
            blocked_by_team="SUM",
        ),
        "Cy Legs punts: blocked by Di Wall.",
    ),
    (
        ev.Conversion(team="HRB", kind="pass", good=True, passer="H1", player="H2"),
        "Ann Arm passes to Bo Hands on the two-point try: good.",
    ),
    (ev.Safety(team="SUM", player="S9"), "Safety by Di Wall, 2 points for SUM."),
    (ev.Safety(team="SUM", points=1), "Safety, 1 point for SUM."),
    (ev.Tackle(team="SUM", tackler="S9", kind="assist"), "Tackle assisted by Di Wall."),
    (ev.Credit(team="SUM", player="S9", kind="pass_defended"), "Di Wall breaks up the pass."),
    (
        ev.Penalty(team="SUM", player="S9", foul="Face Mask", yards=15),
        "Flag on SUM (Di Wall): Face Mask, 15 yards.",
    ),
    (ev.Penalty(team="SUM", foul="Offside", status="declined"), "Flag on SUM: Offside, declined."),
    (ev.Timeout(team="HRB"), "Timeout HRB."),
    (ev.Timeout(reason="two-minute warning"), "Officials' timeout: two-minute warning."),
    (ev.Challenge(by="HRB", ruling="pending"), "Challenge by HRB: under review."),
    (
        ev.Challenge(ruling="upheld", reason="short"),
        "Review by the booth: the call is upheld (short).",
    ),
    (
        ev.Nullify(events=(4, 5, 6), reason="Holding"),
        "No play: events 4, 5 and 6 taken back (Holding).",
    ),
    (
        ev.Overturn(event=4, ruling=RUN, reason="spot"),
        "Event 4 overturned: Cy Legs runs for 7 yards (spot).",
    ),
    (ev.StatCorrection(event=4, ruling=RUN), "Event 4 credit corrected: Cy Legs runs for 7 yards."),
    (ev.GameStarted(home="HRB", away="SUM"), "The game begins: SUM at HRB."),
    (
        ev.CoinToss(winner="SUM", choice="defer", receiver="HRB", goal="north"),
        "SUM wins the toss and defers to the second half: HRB receives (north).",
    ),
    (ev.Delay(phase="start", reason="lightning"), "Play is delayed (lightning)."),
    (ev.Delay(phase="end"), "Play resumes."),
    (ev.Period(period=5, phase="start"), "Overtime begins."),
    (
        ev.Scoreboard(home_score=14, away_score=7, period=2, clock=65),
        "The stadium's board at Q2 1:05: away 7, home 14.",
    ),
    (ev.GameEnded(), "The game is over."),
    (ev.Final(home_score=7, away_score=0), "Final score declared: away 0, home 7."),
]


@pytest.mark.parametrize(("body", "words"), SENTENCES)
def test_an_event_in_plain_words(body: ev.Body, words: str) -> None:
    assert sentence(body, NAMES) == words


def test_a_player_whose_name_is_unknown_is_shown_by_their_id_and_one_nobody_named_is_not() -> None:
    assert sentence(ev.Recovery(team="SUM", player="S4"), NAMES) == "S4 recovers for SUM."
    assert sentence(ev.Recovery(team="SUM"), NAMES) == "An unnamed player recovers for SUM."


def test_every_event_of_a_whole_game_has_a_sentence() -> None:
    home, away, *_ = CLUBS
    script = simulate_game(4, Fixture("g", home, away, KICKOFF, 2026, 1), rosters())
    names = {footballer.id: footballer.name for footballer in script.footballers}
    for step in script.events:
        words = sentence(step.body, names)
        assert not words[0].islower(), words
        assert words.endswith((".", "!")), words
        assert "None" not in words, words


def test_no_kind_of_event_is_without_words() -> None:
    covered = {type(body) for body, _ in SENTENCES}
    assert covered | {ev.Snap} == set(get_args(ev.Body))


@pytest.mark.parametrize(
    ("snap", "words"),
    [
        ({"down": 2, "distance": 7, "spot": 59}, "2nd & 7"),
        ({"down": 1, "distance": 9, "spot": 91}, "1st & goal"),
        ({"down": 4, "distance": None, "spot": 40}, "4th"),
        ({"situation": "kickoff", "spot": 35}, "Kickoff"),
        ({"situation": "try", "spot": 85}, "Try"),
    ],
)
def test_down_and_distance(snap: dict[str, object], words: str) -> None:
    assert down_and_distance(ev.Snap(possession="HRB", period=1, clock=600, **snap)) == words  # type: ignore[arg-type]


def test_spots_clocks_periods_and_gains() -> None:
    assert [spot("CLE", yard, "SF") for yard in (41, 50, 51, 99)] == [
        "CLE 41",
        "the 50",
        "SF 49",
        "SF 1",
    ]
    assert [clock_words(seconds) for seconds in (900, 61, 0)] == ["15:00", "1:01", "0:00"]
    assert [period_words(period) for period in (1, 4, 5, 6)] == ["Q1", "Q4", "OT", "2OT"]
    assert [yards(count) for count in (1, 2, 0, -1)] == [
        "1 yard",
        "2 yards",
        "no gain",
        "a loss of 1",
    ]
