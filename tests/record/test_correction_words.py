"""Members read which play a correction is about; they have never seen the number of an event."""

from __future__ import annotations

import pytest
from flask import Flask

from app.record import events as ev
from app.record.correction_words import corrected_by, told
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

NAMES = {"H1": "Ann Arm", "H2": "Sam Hands", "H3": "Bo Legs"}
RUN = ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=40)
SHORTER = ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=38)


@pytest.mark.parametrize(
    ("correction", "corrected", "words"),
    [
        (
            ev.Nullify(events=(8,), reason="Holding"),
            [RUN],
            "No play (Holding): Bo Legs runs for 10 yards.",
        ),
        (ev.Nullify(events=(8,)), [], "No play."),
        (
            ev.Overturn(event=8, ruling=SHORTER, reason="knee was down"),
            [RUN],
            "Overturned (knee was down): Bo Legs runs for 8 yards. Before: Bo Legs runs for 10 "
            "yards.",
        ),
        (
            ev.Overturn(event=8, ruling=SHORTER, by_scorer=True),
            [],
            "Corrected: Bo Legs runs for 8 yards.",
        ),
        (
            ev.StatCorrection(event=8, ruling=RUN),
            [RUN],
            "Stat correction: Bo Legs runs for 10 yards.",
        ),
    ],
)
def test_a_correction_says_the_play(
    correction: ev.Body, corrected: list[ev.Body], words: str
) -> None:
    sentence = told(correction, NAMES, corrected)
    assert str(sentence) == words
    # each name is a link
    assert [player for _, player in sentence.runs if player] == ["H3"] * words.count("Bo Legs")


def test_each_correction_is_about_what_stood_before_it(app: Flask) -> None:
    """Overturned and then taken back: the second correction is about the ruling of the first."""
    make_game()
    ingest(messages([*touchdown_drive()[:9]]))
    first, second = ev.Overturn(event=9, ruling=SHORTER), ev.Nullify(events=(8, 9))
    ingest(messages([first, second], first=10))
    corrected = corrected_by({("g1", 9), ("g1", 10), ("g1", 11)})
    assert {key: [type(body) for body in bodies] for key, bodies in corrected.items()} == {
        ("g1", 10): [ev.Run],
        ("g1", 11): [ev.Pass, ev.Run],
    }
    assert corrected["g1", 11][1] == SHORTER
