"""What a league on the command line differs in from its preset."""

from __future__ import annotations

from click.testing import CliRunner

from app.cli import main
from app.demo.draft_season.options import LeagueOptions
from app.draft_leagues.setting_faults import faults
from app.draft_leagues.settings import PRESETS


def test_without_options_a_league_is_the_preset_from_its_first_gameweek() -> None:
    for name, preset in PRESETS.items():
        settings = LeagueOptions(name).settings()
        assert settings.roster == preset.roster
        assert settings.waivers == preset.waivers
        assert settings.season.first_week == 1


def test_options_replace_what_the_preset_says() -> None:
    settings = LeagueOptions(
        "dynasty", 8, "auction", "reverse_standings", "vote", divisions=2, median_game=True
    ).settings()
    assert (settings.franchises, settings.draft.kind) == (8, "auction")
    assert (settings.waivers.kind, settings.trades.review) == ("reverse_standings", "vote")
    assert (settings.season.divisions, settings.season.median_game) == (2, True)
    assert faults(settings) == []


def test_a_schedule_without_games_is_refused() -> None:
    arguments = ["draft-league", "play-season", "--schedule", __file__]
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code == 2
    assert "--schedule and --games go together" in refused.output
