"""What a cohort comes to, against a plain recomputation that counts players by hand.

And when windows are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.boards.rules import Ties
from app.competitions.declaration import Declaration, Schedule, faults, fixed_changes, span, spans
from app.competitions.rules import Entrant, Result, carried_on, settle_cohort
from tests.worlds.competitions import declaration

BANDS = [
    {"to_rank": 1, "grants": [{"reward": "crown"}], "tiers": [2]},
    {"to_rank": 2, "grants": [{"reward": "coins", "amount": 9}, {"reward": "badge"}]},
    {"top_percent": 35, "grants": [{"reward": "coins", "amount": 3}]},
    {"from_rank": 5, "to_rank": 6, "grants": [{"reward": "coins"}]},
]


def plainly(rules: Declaration, ties: Ties, tier: int, entrants: Sequence[Entrant]) -> list[Result]:
    """By the words of the guide, each player by themselves."""
    results = []
    scored = [entrant for entrant in entrants if entrant.score is not None]
    for place, me in enumerate(entrants):
        if me.score is None:
            down = tier > 1 and rules.tiers[tier - 1].relegate > 0
            results.append(
                Result(me.player_id, None, None, "relegated" if down else "stays", tier - down)
            )
            continue
        better = [
            entrant for entrant in scored if entrant.score is not None and entrant.score > me.score
        ]
        ahead = place if ties is Ties.EARLIEST else len(better)
        rank = {
            Ties.EARLIEST: place,
            Ties.SHARED: ahead,
            Ties.DENSE: len({entrant.score for entrant in better}),
        }[ties] + 1
        level_or_behind = len(entrants) - ahead
        up = ahead < rules.tiers[tier - 1].promote and tier < len(rules.tiers)
        down = (
            not ahead < rules.tiers[tier - 1].promote
            and level_or_behind <= rules.tiers[tier - 1].relegate
        )
        down = down and tier > 1
        band = None
        for number, reward_band in enumerate(rules.rewards):
            last = reward_band.to_rank or -int(-(reward_band.top_percent or 0) * len(scored) // 100)
            if (
                band is None
                and reward_band.from_rank <= rank <= last
                and (not reward_band.tiers or tier in reward_band.tiers)
            ):
                band = number
        grants = (
            {}
            if band is None
            else {grant.reward: grant.amount for grant in rules.rewards[band].grants}
        )
        outcome: Any = "promoted" if up else "relegated" if down else "stays"
        results.append(
            Result(me.player_id, rank, me.score, outcome, tier + up - down, band, grants)
        )
    return results


@given(
    scores=st.lists(st.one_of(st.none(), st.integers(0, 6)), max_size=20),
    ties=st.sampled_from(Ties),
    tier=st.integers(1, 3),
    promote=st.integers(0, 6),
    relegate=st.integers(0, 6),
)
def test_a_cohort_comes_to_what_a_plain_count_says(
    scores: list[int | None], ties: Ties, tier: int, promote: int, relegate: int
) -> None:
    middle = {"title": "Silver", "promote": promote, "relegate": relegate}
    tiers = [
        {"title": "Bronze", "promote": promote},
        middle,
        {"title": "Gold", "relegate": relegate},
    ]
    rules = declaration(tiers=tiers, rewards=BANDS)
    assert faults(rules, "UTC") == []
    ordered = sorted(scores, key=lambda score: (score is None, -(score or 0)))
    entrants = [Entrant(UUID(int=number), score) for number, score in enumerate(ordered)]
    results = settle_cohort(rules, ties, tier, entrants)
    assert results == plainly(rules, ties, tier, entrants)
    seats = carried_on(4, ((tier, 1, result) for result in results), {})
    assert {(seat.player_id, seat.tier) for seat in seats} == {
        (result.player_id, result.next_tier) for result in results if result.score is not None
    }
    by_tier = sorted((seat.tier, seat.number) for seat in seats)
    assert len(set(by_tier)) == len(by_tier)
    assert all(seat.cohort == (seat.number - 1) // 4 + 1 for seat in seats)


def test_equal_scores_at_the_lines_all_go_up_and_all_stay() -> None:
    rules = declaration(
        tiers=[{"title": "a"}, {"title": "b", "promote": 1, "relegate": 1}, {"title": "c"}]
    )
    entrants = [Entrant(UUID(int=n), score) for n, score in enumerate([9, 9, 5, 3, 3])]
    outcomes = [result.outcome for result in settle_cohort(rules, Ties.SHARED, 2, entrants)]
    assert outcomes == ["promoted", "promoted", "stays", "stays", "stays"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        (
            {"schedule": {"starts_at": "2026-03-02T12:00:00Z", "length": 1, "unit": "hours"}},
            "schedule.windows",
        ),
        (
            {
                "schedule": {
                    "starts_at": "2026-03-02T12:00:00Z",
                    "length": 1,
                    "unit": "hours",
                    "windows": 2,
                    "until": "2027-01-01T00:00:00Z",
                }
            },
            "schedule.windows",
        ),
        (
            {
                "schedule": {
                    "starts_at": "2026-03-02T12:00:00Z",
                    "length": 1,
                    "unit": "hours",
                    "until": "2026-03-02T12:30:00Z",
                }
            },
            "schedule.until",
        ),
        (
            {
                "schedule": {
                    "starts_at": "2026-03-02T12:00:00Z",
                    "length": 1,
                    "unit": "hours",
                    "until": "2027-03-02T12:30:00Z",
                }
            },
            "schedule.until",
        ),
        (
            {
                "schedule": {
                    "starts_at": "2026-03-31T12:00:00Z",
                    "length": 1,
                    "unit": "months",
                    "windows": 2,
                }
            },
            "schedule.starts_at",
        ),
        (
            {
                "schedule": {
                    "starts_at": "2026-03-31T12:00:00Z",
                    "length": 99_999,
                    "unit": "months",
                    "windows": 2,
                }
            },
            "schedule.starts_at",
        ),
        (
            {
                "schedule": {
                    "starts_at": "2026-03-02T12:00:00Z",
                    "length": 4,
                    "unit": "minutes",
                    "windows": 1,
                }
            },
            "schedule.length",
        ),
        ({"join_minutes": 61}, "join_minutes"),
        ({"settle_minutes": 60}, "settle_minutes"),
        ({"tiers": [{"title": "a", "promote": 1}]}, "tiers[0].promote"),
        ({"tiers": [{"title": "a", "relegate": 1}]}, "tiers[0].relegate"),
        (
            {"cohort_size": 2, "tiers": [{"title": "a", "promote": 3}, {"title": "b"}]},
            "tiers[0].promote",
        ),
        ({"rewards": [{"grants": [{"reward": "x"}]}]}, "rewards[0].to_rank"),
        (
            {"rewards": [{"grants": [{"reward": "x"}], "from_rank": 3, "to_rank": 2}]},
            "rewards[0].to_rank",
        ),
        (
            {"rewards": [{"grants": [{"reward": "x"}], "to_rank": 2, "tiers": [2]}]},
            "rewards[0].tiers",
        ),
        (
            {"rewards": [{"grants": [{"reward": "x"}, {"reward": "x"}], "to_rank": 2}]},
            "rewards[0].grants",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_its_field_with_what_to_do(
    changes: dict[str, Any], field: str
) -> None:
    (fault,) = faults(declaration(**changes), "UTC")
    assert fault.field == field
    assert fault.text.startswith(f"{field}: ")
    assert fault.text.endswith(".")


def schedule(**values: Any) -> Schedule:
    return msgspec.convert(values, Schedule)


def test_windows_of_days_keep_their_hour_when_clocks_change() -> None:
    days = schedule(starts_at="2026-03-28T00:00:00+01:00", length=1, unit="days", windows=3)
    assert [span.starts.isoformat() for span in spans(days, "Europe/Berlin")] == [
        "2026-03-27T23:00:00+00:00",
        "2026-03-28T23:00:00+00:00",
        "2026-03-29T22:00:00+00:00",
    ]


def test_windows_of_months_follow_the_calendar_to_both_sides() -> None:
    months = schedule(
        starts_at="2026-01-15T00:00:00Z", length=1, unit="months", until="2026-04-15T00:00:00Z"
    )
    assert [(span.number, span.starts.month) for span in spans(months, "UTC")] == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]
    assert span(months, "UTC", 0).starts == datetime(2025, 12, 15, tzinfo=UTC)


def test_every_window_begins_where_the_one_before_ends() -> None:
    for unit in ("minutes", "hours", "days", "weeks", "months"):
        windows = spans(
            schedule(starts_at="2026-10-20T01:30:00Z", length=6, unit=unit, windows=20),
            "Europe/London",
        )
        assert [window.ends for window in windows[:-1]] == [window.starts for window in windows[1:]]


def test_what_players_play_by_stands_fast() -> None:
    before = declaration()
    assert (
        fixed_changes(before, declaration(corrections_days=3, tiers=[{"title": "Everybody"}])) == []
    )
    assert fixed_changes(before, declaration(attempts=3, cohort_size=4)) == [
        "attempts",
        "cohort_size",
    ]
    assert fixed_changes(
        before, declaration(tiers=[{"title": "a", "promote": 1}, {"title": "b"}])
    ) == ["tiers"]
