"""Every place of a format can score under every preset that is offered with it."""

from __future__ import annotations

import pytest

from app.fantasy.leagues.rules import sport_of
from app.fantasy.market.formats import FORMATS, Format, Slot
from app.fantasy.scoring.pairs import formats_for, presets_for, refusal, worthless_places
from app.fantasy.scoring.rules import PRESETS, ScoringRules, points

# What somebody of the position does on a good day, by the names of the record.
GOOD_DAYS = {
    "QB": {"passing_yards": 300, "passing_tds": 3},
    "RB": {"rushing_yards": 100},
    "WR": {"receiving_yards": 100},
    "TE": {"receiving_yards": 60},
    "K": {"fg_made_40_49": 2, "pat_made": 2},
    "DST": {"dst_sacks": 3, "dst_allowed_7_13": 1},
    "GK": {"minutes": 90, "saves": 6},
    "DEF": {"minutes": 90, "clean_sheets": 1},
    "MID": {"minutes": 90, "assists": 1},
    "FWD": {"minutes": 90, "goals": 1},
}
DEFENDERS_DAY = {"tackles_solo": 8, "half_sacks": 2}


@pytest.mark.parametrize("team_format", FORMATS.values(), ids=list(FORMATS))
def test_a_good_day_earns_points_at_every_place_under_every_preset_offered(
    team_format: Format,
) -> None:
    offered = presets_for(team_format)
    assert offered
    for rules in offered:
        assert rules.sport == sport_of(team_format)
        for slot in team_format.places:
            for position in slot.accepts:
                day = GOOD_DAYS.get(position, DEFENDERS_DAY)
                assert points(day, rules, position) > 0, (rules.name, slot.name, position)


def test_a_preset_that_is_not_offered_leaves_a_place_without_points() -> None:
    for team_format in FORMATS.values():
        for rules in PRESETS.values():
            if rules in presets_for(team_format):
                assert refusal(team_format, rules) is None
                assert team_format in formats_for(rules)
                continue
            assert worthless_places(team_format, rules)
            assert team_format not in formats_for(rules)
            if rules.sport == sport_of(team_format):
                assert set(worthless_places(team_format, rules)) <= {"K", "IDP", "DST"}


def test_every_preset_goes_with_some_format() -> None:
    assert all(formats_for(rules) for rules in PRESETS.values())


def test_the_refusal_says_what_to_choose_instead() -> None:
    refused = refusal(FORMATS["nfl-classic"], PRESETS["ppr"])
    assert refused is not None
    assert refused.field == "rules"
    assert refused.text == (
        "The slots K and IDP of NFL classic would score nothing under PPR. Choose the scoring "
        "Standard, kickers and defense or Half PPR, kickers and defense or PPR, kickers and "
        "defense, or the roster format NFL offense."
    )


def test_points_that_are_only_taken_away_are_no_points() -> None:
    kicks = Format("one", "One kicker", (Slot("K", ("K",)),), (), 100, 1)
    assert worthless_places(
        kicks, ScoringRules("own", "Own", {"fg_made_40_49": -1_000, "passing_yards": 40})
    ) == ("K",)
    assert worthless_places(kicks, ScoringRules("own", "Own", {"pat_made": 1_000})) == ()
