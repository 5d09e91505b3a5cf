"""A play under review is held, not invalid.

A score that the plays do not add up to is marked (PRODUCT A9, A12).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.scoring.models import PlayerPoints
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record.models import GameState, RecordedEvent
from app.record.rules.reviews import challenges_of, plays_under_review
from app.record.rules.state import game_state
from tests.worlds.games import ingest, ingest_and_refresh, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet

IN_FORCE = select(RecordedEvent.event_number, RecordedEvent.valid).order_by(
    RecordedEvent.event_number
)
PENDING = ev.Challenge(by="SUM", ruling="pending", reason="complete?")
TOUCHDOWN_PASS = 8  # the pass of touchdown_drive(), on play 3 with the run of event 9


def review(*rulings: str) -> list[tuple[int, int, ev.Body]]:
    return [(10 + n, 3, ev.Challenge(ruling=ruling)) for n, ruling in enumerate(rulings)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "numbers"),
    [
        (review("pending"), [3]),
        (review("pending", "upheld"), []),
        (review("pending", "stands"), []),
        (review("pending", "upheld", "pending"), [3]),
        (review("pending", "overturned"), [3]),
        ([*review("pending", "overturned"), (20, 3, ev.Nullify(events=(9,)))], []),
        (
            [
                (10, 3, PENDING),
                (11, 3, ev.Nullify(events=(9,))),
                (12, 3, ev.Challenge(ruling="overturned")),
            ],
            [],
        ),
        ([*review("pending", "overturned"), (20, 4, ev.Nullify(events=(15,)))], [3]),
        ([(5, 3, ev.Nullify(events=(4,))), *review("overturned")], [3]),
        ([(10, 3, PENDING), (11, 3, ev.Challenge(ruling="overturned", is_entered=True))], []),
        (
            [
                (10, 3, PENDING),
                (11, 3, ev.Challenge(ruling="overturned", is_entered=True)),
                (12, 3, PENDING),
            ],
            [3],
        ),
        # The ruling of event 11 is taken back and given again.
        (
            [
                (10, 3, PENDING),
                (12, 3, ev.Nullify(events=(11,))),
                (13, 3, ev.Challenge(ruling="overturned")),
            ],
            [3],
        ),
        (
            [
                (10, 3, PENDING),
                (12, 3, ev.Nullify(events=(11,))),
                (13, 3, ev.Challenge(ruling="overturned")),
                (14, 3, ev.Nullify(events=(9,))),
            ],
            [],
        ),
        ([*review("pending", "overturned"), (20, 4, ev.GameEnded())], [3]),
        ([*review("pending", "overturned"), (20, 4, ev.Final(home_score=7, away_score=0))], []),
        ([*review("pending"), (20, 4, ev.Final(home_score=7, away_score=0))], []),
    ],
)
def test_a_play_is_held_until_it_is_ruled_on(
    events: list[tuple[int, int, ev.Body]], numbers: list[int]
) -> None:
    assert plays_under_review(events) == numbers
    assert plays_under_review(events[::-1]) == numbers


@pytest.fixture
def owner(app: Flask, member: Callable[..., Member]) -> Member:
    """Has the drive's catcher as captain and its runner."""
    make_game("g1")
    ann = member("ann")
    league = make_league(ann.id, {ann.id: "Ann's Team"})
    make_sheet(ann.id, league, ["H2", "H3"], captain="H2")
    db.session.commit()
    return ann


def held() -> dict[str, int]:
    rows = db.session.execute(
        select(PlayerPoints.player_id, PlayerPoints.held).where(
            PlayerPoints.rules == "standard", PlayerPoints.held != 0
        )
    )
    return dict(rows.all())


def sheet() -> tuple[int, int]:
    db.session.expire_all()
    (score,) = live_scores(db.session.scalars(select(League.id)).all())
    return score.points, score.held


@pytest.mark.fault(8)
def test_points_of_a_play_under_review_show_as_held_and_an_upheld_call_lifts_that(
    owner: Member, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest_and_refresh(messages(touchdown_drive()))
    assert sheet() == (2 * 12_500 + 1_000, 0)
    before = db.session.execute(IN_FORCE).all()

    ingest_and_refresh(messages([PENDING], first=12, play=3))
    assert held() == {"H1": 6_600, "H2": 12_500}
    assert sheet() == (2 * 12_500 + 1_000, 2 * 12_500)
    assert db.session.get_one(GameState, "g1").state["under_review"] == [3]
    client = sign_in("member", "ann")
    assert "25.00 held" in client.get("/leagues/row").text
    assert "25.00 held: under review" in client.get(f"/leagues/row/teams/{owner.id}").text
    assert "On hold: play under review" in client.get("/games/g1/points/H2").text
    assert "Under review" in client.get("/games/g1").text

    ingest_and_refresh(messages([ev.Challenge(by="SUM", ruling="upheld")], first=13, play=3))
    assert held() == {}
    assert sheet() == (2 * 12_500 + 1_000, 0)
    after = db.session.execute(IN_FORCE).all()
    assert [row for row in after if row.event_number < 12] == before
    assert "held" not in client.get("/leagues/row").text


@pytest.mark.everyday("shows fault 8 in make test")
@pytest.mark.fault(8)
def test_an_overturned_call_takes_the_held_points_away_and_the_member_reads_why(
    owner: Member, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest(messages(touchdown_drive()))
    ingest_and_refresh(
        messages([PENDING, ev.Challenge(by="SUM", ruling="overturned")], first=12, play=3)
    )
    assert sheet() == (26_000, 25_000)
    incomplete = ev.Pass(team="HRB", passer="H1", receiver="H2", result="incomplete", throw_yard=35)
    ingest_and_refresh(
        messages(
            [ev.Overturn(event=TOUCHDOWN_PASS, ruling=incomplete), ev.Nullify(events=(9,))],
            first=14,
            play=3,
        )
    )
    assert sheet() == (1_000, 0)
    assert held() == {}
    page = unescape(sign_in("member", "ann").get(f"/leagues/row/teams/{owner.id}").text)
    matches = re.findall(
        r"<strong>([-+.0-9]+) <a [^>]*>([^<]+)</a></strong>.*?<p>(.+?)</p>", page, re.DOTALL
    )
    explanations = [(points, name, re.sub("<[^>]+>", "", why)) for points, name, why in matches]
    assert explanations == [
        # What the pass took with it, as when the two corrections come one by one.
        (
            "-25.00",
            "H. Player2",
            "Overturned: H. Player1 to H. Player2, incomplete."
            " Before: H. Player1 to H. Player2 for 65 yards. Touchdown!",
        ),
    ]


def numbered(*bodies: ev.Body) -> list[tuple[int, int, ev.Body]]:
    return [
        (event.event_number, event.play_number, event.body)
        for event in (ev.decode(message.value) for message in messages(list(bodies)))
    ]


def board(home: int, away: int, period: int = 1, clock: int = 800) -> ev.Scoreboard:
    return ev.Scoreboard(home_score=home, away_score=away, period=period, clock=clock)


def test_a_board_that_the_plays_do_not_add_up_to_marks_the_feed_until_they_are_repaired() -> None:
    drive = touchdown_drive()
    unrepaired = [drive[0], drive[1], board(7, 0)]
    state = game_state(numbered(*unrepaired))
    assert (state.reliable, state.reported_home_score, state.home_score) == (False, 7, 0)
    state = game_state(numbered(*unrepaired, *drive[2:9]))
    assert (state.reliable, state.reported_home_score, state.home_score) == (False, 7, 6)
    state = game_state(numbered(*unrepaired, *drive[2:]))
    assert (state.reliable, state.reported_home_score, state.home_score) == (True, 7, 7)


def test_what_is_scored_after_the_board_was_read_is_added_to_it_and_does_not_hide_the_gap() -> None:
    drive = touchdown_drive()
    later = ev.Snap(possession="HRB", spot=60, period=2, clock=700, down=1, distance=10)
    run = ev.Run(
        team="HRB", player="H3", kind="rush", start_yard=60, end_yard=100, is_touchdown=True
    )
    extra = [
        ev.Snap(possession="HRB", spot=85, period=2, clock=690, situation="try"),
        ev.Kick(team="HRB", kind="extra_point", result="good", start_yard=67),
    ]
    state = game_state(numbered(drive[0], drive[1], board(7, 0), later, run, *extra))
    assert (state.home_score, state.reported_home_score, state.reliable) == (7, 14, False)
    state = game_state(
        numbered(drive[0], drive[1], board(7, 0), later, run, *extra, board(7, 0, 2, 600))
    )
    assert (state.reported_home_score, state.reliable) == (7, True)


def test_a_declared_final_score_is_checked_too() -> None:
    state = game_state(
        numbered(*touchdown_drive(), ev.GameEnded(), ev.Final(home_score=7, away_score=3))
    )
    assert (state.reliable, state.reported_away_score, state.away_score) == (False, 3, 0)


def test_a_game_whose_score_is_unconfirmed_says_so_where_it_is_shown(
    owner: Member, sign_in: Callable[..., FlaskClient]
) -> None:
    ingest(messages([*touchdown_drive(), board(7, 3)]))
    client = sign_in("member", "ann")
    page = client.get("/games/g1").text
    assert "The stadium shows SUM 3, HRB 7; the recorded plays add up to 0–7" in page
    assert "Score unconfirmed" in client.get("/leagues/row").text


def test_a_slip_that_is_corrected_rules_on_nothing() -> None:
    slip = ev.Overturn(event=TOUCHDOWN_PASS, ruling=ev.Safety(team="HRB"), by_scorer=True)
    assert plays_under_review([*review("pending", "overturned"), (20, 3, slip)]) == [3]


def test_a_challenge_counts_once_by_its_last_ruling_and_is_lost_if_the_call_stands() -> None:
    """NFL 15-9-1: a challenge that does not change the call costs a timeout."""

    def asked(number: int, play: int, by: str | None, ruling: str) -> tuple[int, int, ev.Body]:
        return number, play, ev.Challenge(by=by, ruling=ruling)  # type: ignore[arg-type]

    events = [
        asked(10, 3, "HRB", "pending"),
        asked(11, 3, "HRB", "stands"),
        asked(20, 5, "HRB", "overturned"),
        asked(30, 7, None, "upheld"),
    ]
    assert challenges_of(events, ("HRB", "SUM")) == {
        "HRB": {"used": 2, "lost": 1},
        "SUM": {"used": 0, "lost": 0},
    }
