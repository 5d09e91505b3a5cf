"""Each name in a play's sentence links to that footballer, and typed text stays text."""

from __future__ import annotations

from flask import Flask
from flask.testing import FlaskClient

from app.core.db import db
from app.record import events as ev
from app.record.models import Footballer
from app.record.words import Sentence, named_sentence, sentence
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

PASS = ev.Pass(
    team="HRB", passer="H1", receiver="H2", result="complete", throw_yard=20, reception_yard=27
)


def test_a_sentence_is_plain_text_that_knows_whom_it_names() -> None:
    words = named_sentence(PASS, {"H1": "di Arm", "H2": "Bo Hands"})
    assert words == "Di Arm passes to Bo Hands for 7 yards."
    assert type(sentence(PASS, {"H1": "di Arm"})) is str, "what is sent and stored is text"
    assert words.runs == [
        ("Di Arm", "H1"),
        (" passes to ", ""),
        ("Bo Hands", "H2"),
        (" for 7 yards.", ""),
    ]
    assert named_sentence(PASS, {}).runs == [("H1 passes to H2 for 7 yards.", "")], (
        "an id without a name leads nowhere"
    )


def test_words_that_look_like_a_mark_are_no_more_than_words() -> None:
    assert Sentence.of("a \ue000 b \ue002").runs == [("a \ue000 b \ue002", "")]


def test_names_link_on_the_pages_of_plays_and_points(app: Flask, client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    plays = client.get("/games/g1/plays").text
    passer = '<a class="person" id="who-3-1-1" href="/footballers/H1">Player1</a> to '
    assert passer in plays
    assert (
        '<a class="person" id="who-3-1-3" href="/footballers/H2">Player2</a> for 65 yards.' in plays
    )
    assert (
        '<a class="person" href="/footballers/H1">Player1</a> to'
        in client.get("/games/g1/points/H2").text
    )
    assert "H. Player1 to H. Player2" in client.get("/games/g1/book").text, (
        "a printed book has no links"
    )
    assert (
        "\ue000"
        not in plays + client.get("/games/g1/book").text + client.get("/games/g1/export.csv").text
    )


def test_what_is_typed_is_escaped_in_names_ids_and_reasons(app: Flask, client: FlaskClient) -> None:
    make_game()
    db.session.get_one(Footballer, "H1").name = "<b>H. Player1</b>"
    db.session.add(Footballer(id='"><i>', name="\ue000x\ue001y", club_id="HRB", position="WR"))
    db.session.commit()
    drive = touchdown_drive()
    thrown = ev.Pass(
        team="HRB",
        passer="H1",
        receiver='"><i>',
        result="complete",
        throw_yard=35,
        reception_yard=60,
    )
    forged = ev.Nullify(events=(6,), reason="\ue000javascript:alert(1)\ue001here\ue002<u>")
    ingest(messages([*drive[:7], thrown, forged]))
    plays = client.get("/games/g1/plays").text
    assert "Player1&lt;/b&gt;</a>" in plays
    assert 'href="/footballers/%22%3E%3Ci%3E"' in plays
    for bad in ("<b>H.", '"><i>', "<u>", 'href="javascript'):
        assert bad not in plays, bad
