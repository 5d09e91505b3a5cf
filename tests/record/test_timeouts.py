"""How many timeouts are left, by competition, half and overtime."""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.rules.football.rulebook import rulebook
from app.record.rules.football.timeouts import Timeouts, timeout_fault, timeouts_of
from scorer_console.record.effective_events import EffectiveEvent

CLUBS = ("SF", "DAL")


def snap(period: int, clock: int = 600) -> ev.Snap:
    return ev.Snap(possession="SF", spot=30, period=period, clock=clock, down=1, distance=10)


def begins(period: int) -> ev.Period:
    return ev.Period(period=period, phase="start")


CALL = ev.Timeout(team="SF")
BY_OFFICIALS = ev.Timeout(reason="Injury")

CASES: dict[str, tuple[str, bool, list[ev.Body], int, int]] = {
    "three a half": ("nfl", False, [snap(1), CALL, snap(2), CALL], 1, 3),
    "the officials' cost nobody": ("nfl", False, [snap(1), BY_OFFICIALS], 3, 3),
    "renewed at half-time": ("nfl", False, [snap(2), CALL, CALL, CALL, begins(3)], 3, 3),
    "not between the third quarter and the fourth": (
        "nfl",
        False,
        [snap(3), CALL, begins(4)],
        2,
        3,
    ),
    "never fewer than none": ("nfl", False, [snap(2), CALL, CALL, CALL, CALL], 0, 3),
    "two in overtime": ("nfl", False, [snap(4), CALL, CALL, begins(5)], 2, 2),
    "three in overtime of the post-season": ("nfl", True, [begins(5), CALL], 2, 3),
    "kept through two periods of overtime": ("nfl", True, [begins(5), CALL, begins(6)], 2, 3),
    "and renewed for the third": ("nfl", True, [begins(5), CALL, begins(7)], 3, 3),
    "one in each extra period of a college game": ("ncaa", False, [begins(5), CALL], 0, 1),
    "and one in the next": ("ncaa", False, [begins(5), CALL, begins(6)], 1, 1),
}


@pytest.mark.parametrize(
    ("competition", "is_playoff", "bodies", "home", "away"), CASES.values(), ids=CASES
)
def test_what_is_left(
    competition: str, is_playoff: bool, bodies: list[ev.Body], home: int, away: int
) -> None:
    events = [EffectiveEvent(number, 1, body) for number, body in enumerate(bodies, start=1)]
    remaining = timeouts_of(events, CLUBS, rulebook(competition, 2019), is_playoff=is_playoff)
    assert remaining.left == {"SF": home, "DAL": away}


@pytest.mark.parametrize(
    ("competition", "period", "clock", "excess"),
    [
        ("nfl", 2, 120, True),
        ("nfl", 2, 121, False),
        ("nfl", 3, 60, False),
        ("nfl", 5, 90, True),
        ("ncaa", 4, 60, False),
    ],
)
def test_one_in_excess_is_for_the_last_two_minutes_of_a_half(
    competition: str, period: int, clock: int, excess: bool
) -> None:
    events = [EffectiveEvent(1, 1, snap(period, clock))]
    assert timeouts_of(events, CLUBS, rulebook(competition, 2019)).excess is excess


def test_a_fault_says_how_many_are_left_and_what_to_do() -> None:
    assert timeout_fault(CALL, Timeouts({"SF": 1, "DAL": 0}, excess=False)) is None
    assert timeout_fault(BY_OFFICIALS, Timeouts({"SF": 0, "DAL": 0}, excess=False)) is None
    spent = Timeouts({"SF": 0, "DAL": 2}, excess=False)
    hurt = ev.Timeout(team="SF", reason="Injury")
    assert "SF has no timeouts left (0)" in (timeout_fault(CALL, spent) or "")
    assert timeout_fault(hurt, spent)
    late = Timeouts({"SF": 0, "DAL": 2}, excess=True)
    assert timeout_fault(hurt, late) is None
    assert "an injury, or a lost challenge" in (timeout_fault(CALL, late) or "")
