"""The page of a game: board, field, plays with what was taken back, leaders; and its poll."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.accounts.crests import COLOURS
from app.core import clock
from app.core.db import db
from app.record import events as ev
from app.record.models import Club, Footballer
from app.stream.messages import Message
from tests.statements import count_statements
from tests.worlds.games import DRIVE, ingest, make_game, messages

RULING = ev.Run(team="HRB", player="H2", kind="rush", start_yard=25, end_yard=34)


def numbered(*bodies: tuple[int, int, ev.Body]) -> None:
    """Events with the play number of what they are about: (event number, play number, body)."""
    for number, play_number, body in bodies:
        event = ev.GameEvent(
            game_id="g1",
            event_number=number,
            play_number=play_number,
            epoch=1,
            recorded_at=1_789_000_000_000,
            body=body,
        )
        ingest([Message("game-events.v1", 0, number, "g1", ev.encode(event))])


@pytest.fixture
def poll(client: FlaskClient) -> Callable[..., TestResponse]:
    """Asks for the fragment, as the page does: `poll()`, `poll(shows=etag)`."""

    def ask(shows: str | None = None, url: str = "/games/g1") -> TestResponse:
        headers = {"HX-Request": "true"} | ({"If-None-Match": shows} if shows else {})
        return client.get(url, headers=headers)

    return ask


def lines(text: str) -> list[str]:
    """The lines of all plays, newest play first; taken-back ones in ~."""
    paragraphs = re.findall(
        r"<p(?: class=\"\w+\")?>\s*(.*?)\s*</p>",
        text[text.index('<ol class="plays">') :],
        re.DOTALL,
    )
    return [re.sub(r"<.*?>", "", re.sub(r"</?del>", "~", line)).strip() for line in paragraphs]


def test_a_stranger_sees_board_situation_and_leaders(client: FlaskClient) -> None:
    make_game()
    ingest(
        messages(
            [*DRIVE, ev.Snap(possession="SUM", spot=62, period=1, clock=420, down=3, distance=4)]
        )
    )
    text = client.get("/games/g1").text
    for words in (
        "7:00",
        "Q1",
        ">3rd &amp; 4</strong> <span>at HRB 38</span>",
        'aria-label="SUM ball, 3rd &amp; 4 at HRB 38"',
        "1/1, 65 yd, 1 TD",
        'class="to-gain"',
    ):
        assert words in text, words
    assert "style=" not in text
    assert "<script>" not in text


def test_the_field_counts_from_the_home_goal_line(client: FlaskClient) -> None:
    make_game()
    ingest(
        messages(
            [*DRIVE, ev.Snap(possession="SUM", spot=62, period=1, clock=420, down=3, distance=4)]
        )
    )
    # SUM's 62 is 38 yards from the goal line of HRB, which defends the left end: 10 yards of end
    # zone and 38.
    assert 'class="scrimmage" x1="480"' in client.get("/games/g1").text
    assert 'class="to-gain" x1="440"' in client.get("/games/g1").text


def test_a_live_game_in_the_list_says_down_distance_and_spot(client: FlaskClient) -> None:
    make_game()
    third = ev.Snap(possession="SUM", spot=62, period=1, clock=420, down=3, distance=4)
    ingest(messages([*DRIVE, third]))
    assert "3rd &amp; 4, SUM ball at HRB 38" in client.get("/games").text


def test_a_game_that_has_not_begun_shows_its_kickoff_and_no_score(client: FlaskClient) -> None:
    make_game()
    text = client.get("/games/g1").text
    assert "Sun 13 Sep, 17:00</time>" in text
    assert '<span class="score">0</span>' not in text
    assert "No plays yet." in text


def test_an_unknown_game_is_not_found(client: FlaskClient) -> None:
    assert client.get("/games/nothing").status_code == 404


def test_a_poll_gets_the_block_of_the_page_and_then_nothing_until_something_changes(
    poll: Callable[..., TestResponse], client: FlaskClient
) -> None:
    make_game()
    ingest(messages(DRIVE))
    first = poll()
    assert first.status_code == 200
    assert first.text.strip() in client.get("/games/g1").text
    assert f'"If-None-Match": "\\"{first.headers["ETag"].strip(chr(34))}\\""' in first.text
    assert poll(shows=first.headers["ETag"]).status_code == 304
    ingest(messages([ev.Timeout(team="SUM")], first=12))
    assert poll(shows=first.headers["ETag"]).status_code == 200


def test_a_poll_that_changes_nothing_reads_nothing(poll: Callable[..., TestResponse]) -> None:
    make_game()
    ingest(messages(DRIVE))
    tag = poll().headers["ETag"]
    with count_statements() as counted:
        assert poll(shows=tag).status_code == 304
    assert counted() == 0


def test_the_poll_stops_when_the_game_is_over(poll: Callable[..., TestResponse]) -> None:
    make_game()
    ingest(messages([*DRIVE, ev.GameEnded()]))
    response = poll()
    assert response.status_code == 286
    assert "hx-get" not in response.text
    assert poll(shows=response.headers["ETag"]).status_code == 286


def test_the_number_of_queries_does_not_grow_with_the_plays(client: FlaskClient) -> None:
    make_game()
    ingest(messages(DRIVE))
    with count_statements() as before:
        client.get("/games/g1")
    snap = ev.Snap(possession="HRB", spot=40, period=2, clock=300, down=1, distance=10)
    ingest(messages([snap, RULING] * 10, first=12))
    with count_statements() as many:
        client.get("/games/g1")
    assert before() == many()


def test_a_nullified_play_is_struck_through_with_the_reason(client: FlaskClient) -> None:
    make_game()
    ingest(messages([*DRIVE, ev.Nullify(events=(8, 9), reason="Offensive Holding")]))
    listed = lines(client.get("/games/g1").text)
    assert "~Player1 to Player2 for 65 yards. Touchdown!~" in listed
    assert "No play (Offensive Holding)." in listed


def test_the_list_of_games_opens_the_nearest_week_and_folds_the_others(
    client: FlaskClient,
) -> None:
    next_week = clock.now() + timedelta(days=7)
    for week in (5, 6):
        make_game(f"g{week}", week).kickoff = next_week + timedelta(weeks=week)
    db.session.commit()
    text = client.get("/games").text
    folds = re.findall(r"<details ?(open)? ?>\s*<summary[^>]*>(.*?)</summary>", text)
    assert folds == [("open", "Week 5"), ("", "Week 6")]
    assert text.index("card-g5") < text.index("Week 6") < text.index("card-g6")


def test_a_flag_says_itself_that_the_play_does_not_count(client: FlaskClient) -> None:
    make_game()
    foul = ev.Penalty(team="HRB", player="H3", foul="Offensive Holding", yards=10)
    cancelled = ev.Nullify(events=(8, 9), reason="Offensive Holding")
    ingest(messages([*DRIVE, foul, cancelled]))
    flags = [line for line in lines(client.get("/games/g1").text) if "Offensive Holding" in line]
    assert flags == ["Flag on HRB (Player3): Offensive Holding, 10 yards. No play."]


def test_a_play_says_its_down_and_spot_and_leaves_the_club_to_its_drive(
    client: FlaskClient,
) -> None:
    make_game()
    ingest(messages(DRIVE))
    text = client.get("/games/g1/plays").text
    assert "1st &amp; 10 at HRB 25" in text
    assert "1st &amp; 10, HRB ball" not in text


def test_what_the_scorer_took_back_is_not_shown_and_leaves_a_ruling_its_reason(
    client: FlaskClient,
) -> None:
    """A play under a foul, then a kick typed into it by mistake and taken back (S20)."""
    make_game()
    ingest(messages([*DRIVE, ev.Nullify(events=(8, 9), reason="Offensive Holding")]))
    slip = ev.Kick(team="HRB", kind="field_goal", kicker="H4", result="no_good", distance=50)
    numbered((13, 3, slip), (14, 3, ev.Nullify(events=(13,), reason="taken back by the scorer")))
    page = client.get("/games/g1").text
    listed = lines(page)
    assert "No play (Offensive Holding)." in listed
    assert not any("50-yard" in line or "by the scorer" in line for line in listed)
    assert client.get("/games/g1/plays?player=H4").text.count("No plays match") == 1


def test_a_credit_that_is_struck_out_leaves_the_play_standing(client: FlaskClient) -> None:
    make_game()
    ingest(messages([*DRIVE[:6], ev.Tackle(team="SUM", tackler="S9", kind="solo")]))
    numbered((8, 2, ev.Nullify(events=(7,), reason="not in on it")))
    listed = lines(client.get("/games/g1").text)
    assert "~Player3 runs to the HRB 35 for 10 (Player9).~" in listed
    assert "Corrected: Player3 runs to the HRB 35 for 10. (not in on it)" in listed
    assert not any("No play" in line for line in listed)


def test_a_catch_and_the_run_after_it_are_one_gain_with_the_parts_below(
    client: FlaskClient,
) -> None:
    make_game()
    ingest(messages(DRIVE))
    text = client.get("/games/g1/plays").text
    play = text[text.index('id="play-3"') : text.index('id="play-2"')]
    assert "for 65 yards. Touchdown!" in play
    parts = re.findall(r"<li>(.*?)</li>", play)
    assert parts == [
        "Player1 passes to Player2 for 25 yards.",
        "Player2 runs after the catch for 40 yards. Touchdown!",
    ]


def test_a_play_under_review_says_so_and_the_ruling_takes_its_place(client: FlaskClient) -> None:
    make_game()
    ingest(messages(DRIVE[:6]))
    numbered((7, 2, ev.Challenge(by="SUM", ruling="pending", reason="spot")))
    assert "Challenge by SUM: under review (spot)." in client.get("/games/g1").text
    numbered(
        (8, 2, ev.Challenge(by="SUM", ruling="overturned", reason="spot")),
        (9, 2, ev.Overturn(event=6, ruling=RULING, reason="spot")),
    )
    listed = lines(client.get("/games/g1").text)
    assert "~Player3 runs to the HRB 35 for 10.~" in listed
    assert not any("under review" in line for line in listed)


@pytest.mark.parametrize(
    ("correction", "line"),
    [
        (
            ev.Overturn(event=6, ruling=RULING, reason="wrong number"),
            "Corrected: Player2 runs to the HRB 34 for 9. (wrong number)",
        ),
        (
            ev.StatCorrection(event=6, ruling=RULING, reason="film"),
            "Stat correction: Player2 runs to the HRB 34 for 9. (film)",
        ),
        (
            ev.Overturn(event=6, ruling=RULING),
            "Corrected: Player2 runs to the HRB 34 for 9.",
        ),
    ],
)
def test_a_corrected_line_says_what_kind_of_correction_and_why(
    client: FlaskClient, correction: ev.Correction, line: str
) -> None:
    make_game()
    ingest(messages(DRIVE))
    numbered((12, 2, correction))
    listed = lines(client.get("/games/g1").text)
    assert line in listed
    assert "~Player3 runs to the HRB 35 for 10.~" in listed
    assert not any("Event 6" in text for text in listed), (
        "the line that the correction wrote shows it"
    )


def test_after_a_review_the_reason_is_said_once(client: FlaskClient) -> None:
    make_game()
    ingest(messages(DRIVE))
    numbered(
        (12, 2, ev.Challenge(by="SUM", ruling="overturned", reason="knee down")),
        (13, 2, ev.Overturn(event=6, ruling=RULING, reason="knee down")),
    )
    text = client.get("/games/g1").text
    assert "After review: Player2 runs to the HRB 34 for 9." in lines(text)
    assert text.count("knee down") == 1


def test_a_footballer_who_changed_clubs_since_is_still_named(client: FlaskClient) -> None:
    make_game()
    ingest(messages(DRIVE))
    db.session.add(Club(id="NEW", name="New", nickname="", colour="#111111"))
    db.session.flush()
    db.session.get_one(Footballer, "H1").club_id = "NEW"
    db.session.commit()
    assert "Player1</a> to <a" in client.get("/games/g1").text


def test_names_and_reasons_are_text_not_markup(client: FlaskClient) -> None:
    make_game()
    db.session.get_one(Footballer, "H3").name = "<b>Joe</b>"
    db.session.commit()
    ingest(messages([*DRIVE, ev.Nullify(events=(6,), reason="<script>alert(1)</script>")]))
    text = client.get("/games/g1").text
    assert "<b>Joe" not in text
    assert "<script>alert" not in text


def test_club_colours_are_a_stylesheet_that_is_not_sent_twice(client: FlaskClient) -> None:
    make_game()
    first = client.get("/clubs.css")
    assert first.mimetype == "text/css"
    colours = "--club: #224466; --club-2: #224466; --club-text: #fff;"
    assert f'[data-club="HRB"] {{ {colours} }}' in first.text
    assert '[data-team="1"] { --team: light-dark(#c4162a, #ff6f6f); }' in first.text
    assert first.text.count("[data-team=") == len(COLOURS)
    again = client.get("/clubs.css", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_clubs_of_real_games_have_their_colours_instead_of_grey(client: FlaskClient) -> None:
    for club in ("OAK", "GB", "XYZ"):
        db.session.add(Club(id=club, name=club, nickname="", colour="#444444"))
    db.session.commit()
    text = client.get("/clubs.css").text
    assert '[data-club="OAK"] { --club: #000000; --club-2: #a5acaf; --club-text: #fff; }' in text
    assert '[data-club="GB"] { --club: #203731; --club-2: #ffb612; --club-text: #fff; }' in text
    assert '[data-club="XYZ"] { --club: #444444; --club-2: #444444; --club-text: #fff; }' in text
