"""`pressbox draft-league play-season`: its options, and when it is refused."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from flask import Flask

from app.cli import draft_leagues as commands
from app.cli import main
from app.core.redis.clients import jobs_redis
from app.demo.draft_season.options import LeagueOptions
from app.draft_leagues.setting_faults import faults
from app.draft_leagues.settings import PRESETS
from tests.commands import use_here
from workers.process import heartbeat_key


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


def test_it_is_refused_while_workers_run_by_the_real_clock(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    jobs_redis().set(heartbeat_key("scheduler", 1), 1, ex=10)
    refused = CliRunner().invoke(main, ["draft-league", "play-season"])
    assert refused.exit_code == 1
    assert "stop them, or play in another data folder" in refused.output
