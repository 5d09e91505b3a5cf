"""Which settings can change after the draft. Authority: setting_changes.py and issue 31."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.draft_leagues.setting_changes import Progress, refusals
from app.draft_leagues.settings import PRESETS, StarterCount

SETTINGS = PRESETS["redraft"]
FIFTH_WEEK = Progress(
    is_over=False, weeks_begun=5, regular_weeks=14, spots={"reserve": (1, "Ann FC")}, open_claims=0
)


def fields(part: str, progress: Progress = FIFTH_WEEK, **values: object) -> list[str]:
    """The fields that are refused when these values of a part change."""
    if part:
        new = replace(SETTINGS, **{part: replace(getattr(SETTINGS, part), **values)})
    else:
        new = replace(SETTINGS, **values)
    return [refusal.field for refusal in refusals(SETTINGS, new, progress)]


def test_nothing_is_refused_that_stays_as_it_was() -> None:
    assert refusals(SETTINGS, SETTINGS, FIFTH_WEEK) == []


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("", {"time_zone": "UTC"}),
        ("waivers", {"kind": "blind_bids", "days": ("MON", "FRI"), "time": "05:00"}),
        ("trades", {"review": "vote", "deadline_week": None, "with_picks": False}),
        ("keepers", {"most": 3}),
        ("roster", {"reserve": 1, "taxi": 2, "substitutes_come_on": True}),
        ("season", {"median_game": True, "tie_breaks": ("all_play",), "regular_weeks": 13}),
        ("season", {"playoff_teams": 4, "weeks_per_round": (1, 2), "reseed": True}),
    ],
)
def test_what_is_still_to_come_can_change(part: str, values: dict[str, object]) -> None:
    assert fields(part, **values) == []


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("", {"franchises": 12}),
        ("", {"scoring": "standard"}),
        ("roster", {"bench": 7}),
        ("roster", {"starters": (StarterCount("QB", 2),)}),
        ("roster", {"best_ball": True}),
        ("roster", {"reserve": 0}),
        ("draft", {"kind": "auction"}),
        ("season", {"divisions": 2}),
        ("season", {"first_week": 3}),
        ("season", {"regular_weeks": 4}),
    ],
)
def test_what_was_drafted_played_or_scheduled_stays(part: str, values: dict[str, object]) -> None:
    name = next(iter(values))
    assert fields(part, **values) == [f"{part}.{name}" if part else name]


def test_line_ups_have_other_places_until_the_first_gameweek_if_everybody_keeps_theirs() -> None:
    size = SETTINGS.roster.active
    drafted = replace_progress(weeks_begun=0, spots={"active": (size, "Ann FC")})
    assert fields("roster", drafted, bench=SETTINGS.roster.bench + 1) == []
    assert fields("roster", drafted, bench=SETTINGS.roster.bench - 1) == ["roster.bench"]
    smaller = replace_progress(weeks_begun=0, spots={"active": (size - 1, "Ann FC")})
    assert fields("roster", smaller, bench=SETTINGS.roster.bench - 1) == []
    assert fields("roster", replace_progress(weeks_begun=1), bench=9) == ["roster.bench"]


@pytest.mark.parametrize("values", [{"divisions": 2}, {"rivals": ((1, 2),), "rivals_week": 3}])
def test_divisions_and_rivals_can_change_until_the_first_gameweek(
    values: dict[str, object],
) -> None:
    assert fields("season", replace_progress(weeks_begun=0), **values) == []
    begun = fields("season", replace_progress(weeks_begun=1), **values)
    assert begun == [f"season.{name}" for name in values]
    assert fields("season", replace_progress(weeks_begun=0), first_week=3) == ["season.first_week"]


def test_the_play_offs_close_the_rules_of_the_season() -> None:
    begun = replace_progress(weeks_begun=15)
    assert fields("season", begun, reseed=True) == ["season.reseed"]
    assert fields("season", replace_progress(weeks_begun=14), reseed=True) == []
    finished = replace_progress(weeks_begun=17, is_over=True)
    assert fields("season", finished, median_game=True) == ["season.median_game"]
    assert fields("roster", finished, substitutes_come_on=True) == ["roster.substitutes_come_on"]
    assert fields("keepers", finished, most=2) == []


def test_open_claims_are_decided_under_the_rules_they_were_made_under() -> None:
    claims = replace_progress(open_claims=2)
    assert fields("waivers", claims, kind="free") == ["waivers.kind"]
    assert fields("waivers", claims, time="10:00") == []


def replace_progress(**values: object) -> Progress:
    return Progress(**{**vars(FIFTH_WEEK), **values})  # type: ignore[arg-type]
