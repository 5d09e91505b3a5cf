"""Registering a game: what is refused, and what the local time of the kickoff means."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from app.record import events as ev
from app.record.rules.football.rulebook import season_of
from scorer_console.entry import rules

CLUBS = {"SF", "DAL"}


def test_kickoff_is_in_the_stadiums_own_time() -> None:
    summer, _ = rules.kickoff_utc("2026-09-13T13:00", "America/New_York")
    winter, _ = rules.kickoff_utc("2025-11-23T13:00", "America/New_York")
    assert summer == datetime(2026, 9, 13, 17, tzinfo=UTC)
    assert winter == datetime(2025, 11, 23, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("local", "zone", "field", "sentence"),
    [
        ("2025-03-09T02:30", "America/New_York", "kickoff", "skip 02:30"),
        ("tomorrow", "America/New_York", "kickoff", "Enter day and time"),
        ("2025-11-23T13:00+01:00", "America/New_York", "kickoff", "without an offset"),
        ("2025-11-23T13:00", "Mars/Olympus", "zone", "by place"),
        ("2025-11-23T13:00", "../etc/passwd", "zone", "by place"),
    ],
)
def test_a_kickoff_that_means_nothing_is_refused_at_its_field(
    local: str, zone: str, field: str, sentence: str
) -> None:
    moment, faults = rules.kickoff_utc(local, zone)
    assert moment is None
    assert sentence in faults[field]


def test_an_hour_that_comes_twice_means_the_first() -> None:
    moment, _ = rules.kickoff_utc("2026-11-01T01:30", "America/New_York")
    assert moment == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)


def test_every_reason_is_given_at_once() -> None:
    assert rules.game_faults("a b", "SF", "SF", 99, CLUBS).keys() == {"game_id", "away", "week"}
    assert rules.game_faults("", "X", "Y", None, CLUBS).keys() == {
        "game_id",
        "home",
        "away",
        "week",
    }
    assert rules.game_faults("20261122-DAL-SF", "SF", "DAL", 11, CLUBS) == {}


def test_january_belongs_to_the_season_before() -> None:
    assert [season_of(date(2027, month, 3)) for month in (1, 2, 8, 12)] == [2026, 2026, 2027, 2027]


@pytest.mark.parametrize(
    "body",
    [
        ev.Timeout(team="NYG"),
        ev.Sack(team="SF", start_yard=30, end_yard=20, by_team="NYG"),
        ev.Challenge(by="NYG", ruling="pending"),
        ev.Overturn(event=1, ruling=ev.Safety(team="NYG")),
    ],
)
def test_a_club_that_does_not_play_is_refused(body: ev.Body) -> None:
    fault = rules.club_fault(body, "SF", "DAL")
    assert fault is not None
    assert "NYG does not play in this game; name SF or DAL" in fault


def test_sackers_are_players_not_clubs() -> None:
    assert (
        rules.club_fault(ev.Sack(team="SF", start_yard=30, end_yard=20, by=("p1",)), "SF", "DAL")
        is None
    )


@pytest.mark.parametrize("page", sorted(rules.PAGES))
def test_a_game_cannot_take_the_address_of_a_page(page: str) -> None:
    assert (
        "Choose another one." in rules.game_faults(page, "SF", "DAL", 1, {"SF", "DAL"})["game_id"]
    )
