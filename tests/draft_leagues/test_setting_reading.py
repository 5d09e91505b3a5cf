"""Settings as forms send them, and in words."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.refusals import Refusal
from app.draft_leagues.setting_reading import Raw, read_part
from app.draft_leagues.setting_words import STEPS, changes, lines
from app.draft_leagues.settings import (
    PRESETS,
    DraftSettings,
    SeasonSettings,
    TradeSettings,
    WaiverSettings,
)

TITLES = {"half_ppr_idp": "Half PPR"}


def test_fields_are_read_by_their_declaration() -> None:
    values: dict[str, Raw] = {
        "kind": "blind_bids",
        "budget": " 250 ",
        "days": ["TUE", "SAT"],
        "time": "03:30",
        "locks_at_kickoff": False,
    }
    assert read_part(WaiverSettings(), values) == WaiverSettings(
        "blind_bids", 250, 0, ("TUE", "SAT"), "03:30", locks_at_kickoff=False
    )


def test_an_empty_field_is_nothing_where_nothing_is_allowed() -> None:
    read = read_part(TradeSettings(), {"offer_hours": "", "deadline_week": ""})
    assert read == TradeSettings(offer_hours=None, deadline_week=None)


@pytest.mark.parametrize(
    ("values", "field", "text"),
    [
        ({"budget": "lots"}, "waivers.budget", "Enter a whole number from 0 to 10,000."),
        ({"budget": "10001"}, "waivers.budget", "Enter a whole number from 0 to 10,000."),
        ({"budget": ""}, "waivers.budget", "Enter a whole number from 0 to 10,000."),
        ({"kind": "auction"}, "waivers.kind", "Choose one from the list."),
        ({"days": ["WED", "NOON"]}, "waivers.days", "Choose one from the list."),
        ({"time": "24:00"}, "waivers.time", "Enter a time like 09:30."),
    ],
)
def test_a_wrong_value_is_told_at_its_field(values: dict[str, Raw], field: str, text: str) -> None:
    code = field.partition(".")[2]
    assert read_part(WaiverSettings(), values, "waivers") == [Refusal(code, field, text)]


def test_all_wrong_values_are_told_at_once() -> None:
    refused = read_part(DraftSettings(), {"kind": "x", "budget": "0", "rounds": "51"})
    assert isinstance(refused, list)
    assert [refusal.field for refusal in refused] == ["kind", "rounds", "budget"]


@given(text=st.text(max_size=12))
def test_no_text_breaks_the_reading(text: str) -> None:
    read = read_part(SeasonSettings(), {"regular_weeks": text, "tie_breaks": [text]})
    assert isinstance(read, list) or 1 <= read.regular_weeks <= 30


@pytest.mark.parametrize("name", PRESETS)
def test_all_settings_have_words(name: str) -> None:
    worded = lines(PRESETS[name], TITLES)
    assert list(dict.fromkeys(line.step for line in worded)) == list(STEPS)
    assert all(line.value and "_" not in line.value for line in worded)


def test_only_what_changes_is_told() -> None:
    redraft = PRESETS["redraft"]
    after = msgspec.structs.replace(
        redraft,
        franchises=12,
        waivers=WaiverSettings("blind_bids"),
    )
    worded = [
        (each.step, each.label, each.before, each.after) for each in changes(redraft, after, {})
    ]
    assert worded == [
        ("league", "Teams", "10", "12"),
        (
            "waivers",
            "Type",
            "Rolling priority: a successful claim drops you to last",
            "Blind bids from a budget (FAAB)",
        ),
        ("waivers", "Waiver budget", "", "100"),
        ("waivers", "Minimum bid", "", "0"),
    ]
    assert changes(redraft, redraft, {}) == []
