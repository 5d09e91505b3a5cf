"""Whole seasons of draft leagues and their plain recomputation.

A 12-team league plays 2019 from the command line, with the real games of two weeks; twenty random
leagues of every type play simulated seasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import text

from app import create_worker_app
from app.cli import draft_leagues as commands
from app.cli import main
from app.core.db import db
from app.core.postgres.timeouts import Use
from app.demo.draft_season.games import simulated_games
from app.demo.draft_season.results import result_lines
from app.demo.draft_season.run import SeasonPlan, play, weeks_of
from tests.commands import use_here
from tests.conftest import REAL_GAMES, emptied
from tests.demo.draft_season.comparing import compare
from tests.demo.draft_season.random_leagues import random_league
from tests.demo.draft_season.test_small_season import SMALL
from tests.owner import owner
from tests.worlds.real_games import due

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

REGULAR_WEEKS, PLAYOFF_WEEKS, TEAMS = 14, 3, 12
SPARE_WEEKS = 4  # the wizard shortens play-offs that are longer than half of the season


def analyze() -> None:
    """Do what autovacuum does in an installation; the stores of tests have none."""
    with owner().begin() as connection:
        connection.execute(text("ANALYZE"))


@pytest.fixture
def command(_migrated: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The command runs here; what it says while it runs."""
    lines: list[str] = []

    def progress(line: str, *, end: bool = False) -> None:
        lines.append(line)
        analyze()

    # with the database's timeouts of a command, not those of a page
    app = create_worker_app(_migrated.config["PRESSBOX"], Use.UPKEEP)
    with emptied(_migrated), app.app_context():
        use_here(monkeypatch, commands, app)
        monkeypatch.setattr(commands, "progress", progress)
        yield lines


@pytest.mark.realgames
def test_a_league_of_twelve_plays_2019_from_the_command_line(
    command: list[str], measured: Callable[[str], None]
) -> None:
    folder = REAL_GAMES / "reg2019"
    schedule = REAL_GAMES / "schedule_2019_reg.csv"
    size = ["--teams", str(TEAMS), "--regular-weeks", str(REGULAR_WEEKS)]
    files = ["--schedule", str(schedule), "--games", str(folder)]
    league = ["draft-league", "play-season", *size, "--waivers", "blind_bids"]
    result = CliRunner().invoke(main, [*league, *files], catch_exceptions=False)
    assert result.exit_code == 0, result.output

    [league_id] = db.session.scalars(text("SELECT league_id FROM draft_leagues")).all()
    comparison = compare(league_id, due())
    assert comparison.differences == []
    assert f"Champion: Team {comparison.champion}" in result.stdout
    weeks = REGULAR_WEEKS + PLAYOFF_WEEKS
    assert [line for line in command if "settled" in line] == [
        f"gameweek {week} of {weeks} is settled" for week in range(1, weeks + 1)
    ]
    assert command[-1].startswith("32 real and 224 simulated games")
    counts = comparison.compared
    assert counts["points of a week"] == weeks * TEAMS
    assert counts["tables"] == REGULAR_WEEKS
    assert counts["waiver runs"] >= REGULAR_WEEKS
    assert counts["points from published tables"] > 0
    assert counts["trades executed"] > 0
    measured(f"{TEAMS} teams, {command[-1]}; equal to the recomputation: {dict(counts)}")


@pytest.fixture
def migrated(_migrated: Flask) -> Flask:
    return _migrated


def test_the_same_seed_is_the_same_season(migrated: Flask) -> None:
    lines = []
    for _ in range(2):
        with emptied(migrated):
            plan = SeasonPlan(5, SMALL, simulated_games(5, weeks_of(SMALL)))
            done = play(plan, lambda _: None)
            lines.append([*result_lines(done.league_id), done.done, done.refused])
    assert lines[0] == lines[1]


@pytest.mark.parametrize("seed", range(20))
def test_a_random_season_comes_out_as_a_plain_recomputation(
    seed: int, app: Flask, measured: Callable[[str], None]
) -> None:
    settings = random_league(seed)
    games = simulated_games(seed + 1, weeks_of(settings) + SPARE_WEEKS)
    done = play(SeasonPlan(seed + 1, settings, games), lambda _: analyze())
    comparison = compare(done.league_id)
    assert comparison.differences == []
    assert comparison.champion is not None
    measured(f"league {seed}, {done.games} games: {dict(comparison.compared)}")
