"""Members read which play a correction is about; they have never seen the number of an event."""

from __future__ import annotations

import msgspec
import pytest
from flask import Flask

from app.record import events as ev
from app.record.correction_words import Corrected, corrected_by, told
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

NAMES = {"H1": "Ann Arm", "H2": "Sam Hands", "H3": "Bo Legs", "S9": "Al Stop"}
SNAP = ev.Snap(possession="HRB", spot=30, period=1, clock=700, down=1, distance=10)
RUN = ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=40)
SHORTER = ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=38)
TACKLE = ev.Tackle(team="SUM", tackler="S9", kind="solo")


@pytest.mark.parametrize(
    ("correction", "corrected", "words"),
    [
        (
            ev.Nullify(events=(8,), reason="Holding"),
            Corrected((RUN,), (RUN,)),
            "No play (Holding): Bo Legs runs for 10 yards.",
        ),
        (ev.Nullify(events=(8,)), Corrected(), "No play."),
        (
            ev.Nullify(events=(9,), reason="wrong player"),
            Corrected((TACKLE,), (RUN, TACKLE)),
            "Removed (wrong player): Tackle by Al Stop.",
        ),
        (
            ev.Overturn(event=8, ruling=SHORTER, reason="knee was down"),
            Corrected((RUN,), (RUN,), (SHORTER,)),
            "Overturned (knee was down): Bo Legs runs for 8 yards, not 10.",
        ),
        (
            ev.StatCorrection(event=8, ruling=msgspec.structs.replace(RUN, end_yard=31)),
            Corrected((RUN,), (RUN,), (msgspec.structs.replace(RUN, end_yard=31),)),
            "Stat correction: Bo Legs runs for 1 yard, not 10.",
        ),
        (
            ev.StatCorrection(event=8, ruling=msgspec.structs.replace(RUN, end_yard=28)),
            Corrected((RUN,), (RUN,), (msgspec.structs.replace(RUN, end_yard=28),)),
            "Stat correction: Bo Legs runs for a loss of 2. Before: Bo Legs runs for 10 yards.",
        ),
        (
            ev.StatCorrection(event=8, ruling=msgspec.structs.replace(SHORTER, player="S9")),
            Corrected((RUN,), (RUN,), (msgspec.structs.replace(SHORTER, player="S9"),)),
            "Stat correction: Al Stop runs for 8 yards. Before: Bo Legs runs for 10 yards.",
        ),
        (
            ev.Overturn(event=8, ruling=SHORTER, by_scorer=True),
            Corrected(),
            "Corrected: Bo Legs runs for 8 yards.",
        ),
        (
            ev.StatCorrection(event=8, ruling=RUN),
            Corrected((RUN,), (RUN,), (RUN,)),
            "Stat correction: Bo Legs runs for 10 yards.",
        ),
    ],
)
def test_a_correction_says_the_play(correction: ev.Body, corrected: Corrected, words: str) -> None:
    sentence = told(correction, NAMES, corrected)
    assert str(sentence) == words
    # each name is a link
    assert [player for _, player in sentence.runs if player == "H3"] == ["H3"] * words.count(
        "Bo Legs"
    )


def test_each_correction_is_about_what_stood_before_it(app: Flask) -> None:
    """Overturned and then taken back: the second correction is about the ruling of the first."""
    make_game()
    ingest(messages([*touchdown_drive()[:9]]))
    first, second = ev.Overturn(event=9, ruling=SHORTER), ev.Nullify(events=(8, 9))
    ingest(messages([first, second], first=10))
    corrected = corrected_by({("g1", 9), ("g1", 10), ("g1", 11)})
    assert {key: [type(body) for body in about.events] for key, about in corrected.items()} == {
        ("g1", 10): [ev.Run],
        ("g1", 11): [ev.Pass, ev.Run],
    }
    assert corrected["g1", 11].events[1] == SHORTER


def test_a_correction_of_one_part_tells_the_whole_play(app: Flask) -> None:
    """A completed pass gains to where the run after it ends (NFL Guide for Statisticians)."""
    make_game()
    ingest(messages([*touchdown_drive()[:9]]))
    shorter = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=64)
    stopped = ev.Overturn(event=9, ruling=shorter, reason="knee was down")
    ingest(messages([stopped], first=10, play=3))
    about = corrected_by({("g1", 10)})["g1", 10]
    assert str(told(stopped, NAMES, about, ("HRB", "SUM"))) == (
        "Overturned (knee was down): Ann Arm to Sam Hands to the SUM 36 for 29. "
        "Before: Ann Arm to Sam Hands for 65 yards. Touchdown!"
    )


def test_corrections_sent_together_are_told_as_one_ruling(app: Flask) -> None:
    make_game()
    ingest(messages([*touchdown_drive()[:9]]))
    farther = ev.Pass(
        team="HRB",
        passer="H1",
        receiver="H2",
        result="complete",
        throw_yard=35,
        reception_yard=70,
    )
    shorter = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=70, end_yard=74)
    together = [ev.Overturn(event=8, ruling=farther), ev.Overturn(event=9, ruling=shorter)]
    ingest(messages(together, first=10, play=3))
    corrected = corrected_by({("g1", 10), ("g1", 11)})
    sentences = {
        str(told(body, NAMES, corrected["g1", number]))
        for number, body in enumerate(together, start=10)
    }
    assert sentences == {
        "Overturned: Ann Arm to Sam Hands for 39 yards. "
        "Before: Ann Arm to Sam Hands for 65 yards. Touchdown!"
    }


def test_yards_that_changed_are_told_once_though_the_spot_moves_with_them() -> None:
    corrected = Corrected((RUN,), (SNAP, RUN), (SNAP, SHORTER))
    sentence = told(ev.StatCorrection(event=8, ruling=SHORTER), NAMES, corrected, ("HRB", "SUM"))
    assert str(sentence) == "Stat correction: Bo Legs runs to the HRB 38 for 8, not 10."
