"""The plays of an official game book.

What the officials ruled, where the ball ended, and the score as it ran.

Slips of the scorer stand in an appendix. Authority: the game books of the NFL (GSIS), which tell
each play as it was ruled, with the yard line it ended on and a muff by its name (NFL Rule 3: a muff
is no possession).
"""

from __future__ import annotations

import re
from html import unescape

from flask.testing import FlaskClient

from app.core.db import db
from app.record import events as ev
from tests.worlds.games import DRIVE, ingest, make_game, messages

SHORTER = ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=33)


def enter(*corrections: ev.Body, bodies: list[ev.Body] = DRIVE) -> None:
    """The bodies, and corrections that stand in play 2, the run from the 25 to the 35."""
    make_game()
    ingest(messages(bodies))
    if corrections:
        ingest(messages(list(corrections), first=len(bodies) + 1, play=2))


def book(client: FlaskClient) -> tuple[str, str]:
    """The words of the plays and of the appendix."""
    text = client.get("/games/g1/book").text
    plays = text[text.index("<h2>Play-by-play") : text.index('<footer class="seal"')]
    plays = re.sub(r"</?del>", "~", plays)
    body, _, appendix = plays.partition('<section class="audit"')
    return words(body), words(appendix)


def words(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def test_the_kickoff_is_that_of_the_stadiums_clock_with_its_zone(client: FlaskClient) -> None:
    """17:00 UTC in September is 13:00 in New York, whose summer time is EDT (the tz database)."""
    make_game().time_zone = "America/New_York"
    db.session.commit()
    text = client.get("/games/g1/book").text
    assert "Kickoff Sun 13 Sep 2026, 13:00 EDT." in text
    assert "UTC" not in text


def test_a_slip_stands_in_the_appendix_and_the_plays_have_what_counts(client: FlaskClient) -> None:
    enter(ev.Overturn(event=6, ruling=SHORTER, reason="typed wrongly", by_scorer=True))
    plays, appendix = book(client)
    assert "H. Player3 runs to the HRB 33 for 8." in plays
    assert "~" not in plays
    assert "typed wrongly" not in plays
    assert "~H. Player3 runs for 10 yards.~" in appendix
    assert "Corrected: H. Player3 runs for 8 yards. (typed wrongly)" in appendix


def test_what_the_scorer_took_back_is_no_play_of_the_book(client: FlaskClient) -> None:
    enter(ev.Nullify(events=(5, 6), reason="taken back by the scorer"))
    plays, appendix = book(client)
    assert "H. Player3" not in plays
    assert "taken back" not in plays
    assert "No play (taken back by the scorer)." in appendix


def test_what_is_struck_out_behind_a_slip_is_one_too(client: FlaskClient) -> None:
    """The console sends a correction with the events it invalidates, for the scorer's reason."""
    tackle = ev.Tackle(team="SUM", tackler="S9", kind="solo")
    bodies = [*DRIVE[:6], tackle, *DRIVE[6:]]
    enter(
        ev.Overturn(event=6, ruling=SHORTER, reason="out of bounds", by_scorer=True),
        ev.Nullify(events=(7,), reason="out of bounds"),
        bodies=bodies,
    )
    plays, appendix = book(client)
    assert "tackle" not in plays.lower()
    assert "No play" not in plays
    assert "~Tackle by S. Player9.~" in appendix


def test_what_officials_ruled_stays_in_the_plays(client: FlaskClient) -> None:
    enter(
        ev.Challenge(by="SUM", ruling="overturned", reason="knee down"),
        ev.Overturn(event=6, ruling=SHORTER, reason="knee down"),
        ev.Nullify(events=(8, 9), reason="Offensive Holding"),
    )
    plays, appendix = book(client)
    assert "~H. Player3 runs to the HRB 35 for 10.~" in plays
    assert "After review: H. Player3 runs to the HRB 33 for 8." in plays
    assert "No play (Offensive Holding)." in plays
    assert appendix == ""


def test_a_ruling_that_was_entered_by_mistake_and_taken_back_leaves_no_trace_in_the_plays(
    client: FlaskClient,
) -> None:
    enter(
        ev.Overturn(event=6, ruling=SHORTER),
        ev.Overturn(event=6, ruling=DRIVE[5], reason="takes back 12", by_scorer=True),
    )
    plays, appendix = book(client)
    assert plays.count("H. Player3 runs") == 1
    assert "~" not in plays
    assert appendix.count("~") == 4


def test_the_plays_have_the_yard_line_reached_and_the_score_after_it(client: FlaskClient) -> None:
    enter()
    plays, _ = book(client)
    assert "H. Player3 runs to the HRB 35 for 10." in plays
    assert "H. Player1 to H. Player2 for 65 yards. Touchdown! SUM 0, HRB 6." in plays
    assert "extra point is good. SUM 0, HRB 7." in plays


def test_a_muff_is_told_as_a_muff_and_not_as_a_return_and_a_fumble(client: FlaskClient) -> None:
    enter(
        bodies=[
            ev.Snap(possession="HRB", spot=30, period=1, clock=600, down=4, distance=9),
            ev.Kick(
                team="HRB", kicker="H9", kind="punt", result="returned", start_yard=30, distance=39
            ),
            ev.Run(team="SUM", player="S2", kind="return", start_yard=31, end_yard=31),
            ev.Fumble(team="SUM", player="S2", yard=31),
            ev.Recovery(team="HRB", player="H3", yard=67),
        ]
    )
    plays, _ = book(client)
    assert (
        "H. Player9 punts 39 yards, muffed by S. Player2 at the SUM 31, recovered by H. Player3 "
        "for HRB at the SUM 33."
    ) in plays
    assert "returned" not in plays
    assert "fumble" not in plays
