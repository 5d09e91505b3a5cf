"""Made-up games of recent seasons in the public wide format.

The next snap is proposed by the rules of their season.

The real games at hand are older than the landing zone of kickoffs (NFL rule 6 since 2024).
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.cli.situations import Compared, compared
from app.record import events as ev
from app.record.play_by_play import read_games
from tests.browser_rules import ask_browser_rules
from tests.record.situation_examples import games

Row = Mapping[str, str]
TOUCHBACK = {2020: 25, 2023: 25, 2024: 30, 2025: 35, 2026: 35}


def kickoff(**more: str) -> Row:
    """By Harbor from its 35; the files name the receivers as the club with the ball."""
    line = {
        "play_type": "kickoff",
        "posteam": "SUM",
        "defteam": "HRB",
        "yardline_100": "35",
        "kickoff_attempt": "1",
    }
    return line | {"kicker_player_id": "00-0000001"} | more


def run(own_yard: int, down: int, to_go: int, gain: int) -> Row:
    return {
        **{
            "play_type": "run",
            "posteam": "SUM",
            "defteam": "HRB",
            "yardline_100": str(100 - own_yard),
        },
        **{
            "down": str(down),
            "ydstogo": str(to_go),
            "rush_attempt": "1",
            "yards_gained": str(gain),
        },
        "rusher_player_id": "00-0000002",
    }


def game(folder: Path, season: int, *rows: Row) -> Path:
    """A file of these plays, half a minute apart."""
    common = {
        **{
            "game_id": f"{season}100499",
            "home_team": "HRB",
            "away_team": "SUM",
            "season": str(season),
        },
        **{"season_type": "REG", "week": "4", "qtr": "1", "game_date": f"{season}-10-04"},
    }
    plays = [
        common | {"play_id": str(n), "time": f"{14 - n // 2}:{30 * (n % 2):02}"} | row
        for n, row in enumerate(rows, start=1)
    ]
    path = folder / f"{season}100499.csv.gz"
    with gzip.open(path, "wt", newline="") as opened:
        table = csv.DictWriter(opened, sorted({name for play in plays for name in play}))
        table.writeheader()
        table.writerows(plays)
    return path


def compare(file: Path) -> list[Compared]:
    """Every snap beside its proposal; the browser proposes the same."""
    asked = list(games([file]))
    suggestions = [
        example["suggestion"]
        for example in map(json.loads, map(json.dumps, asked))
        if "suggestion" in example
    ]
    assert ask_browser_rules("answers.js", asked) == suggestions
    return [snap for script in read_games([file]) for snap in compared(script)]


@pytest.mark.parametrize("season", TOUCHBACK)
def test_a_touchback_is_where_the_season_has_it(tmp_path: Path, season: int) -> None:
    spot = TOUCHBACK[season]
    described = kickoff(
        touchback="1", kick_distance="65", desc=f"kicks 65 yards, Touchback to the SUM {spot}."
    )
    _, first = compare(game(tmp_path, season, described, run(spot, 1, 10, 4)))
    assert (first.is_equal, first.asked) == (True, "")


def test_a_touchback_at_a_yard_line_that_no_field_has_says_nothing_of_where_the_kick_came_down(
    tmp_path: Path,
) -> None:
    """Python reads no number of more than 4,300 digits: the import ended with a traceback."""
    described = kickoff(
        touchback="1", kick_distance="65", desc=f"kicks 65 yards, Touchback to the {'2' * 5_000}."
    )
    (script,) = read_games([game(tmp_path, 2024, described, run(30, 1, 10, 4))])
    (kick,) = [step.body for step in script.events if isinstance(step.body, ev.Kick)]
    assert kick.landed is None


@pytest.mark.parametrize("season", [2024, 2025])
def test_a_kick_from_the_landing_zone_into_the_end_zone_is_a_touchback_at_the_20(
    tmp_path: Path, season: int
) -> None:
    described = kickoff(
        touchback="1", kick_distance="65", desc="kicks 65 yards, Touchback to the SUM 20."
    )
    _, first = compare(game(tmp_path, season, described, run(20, 1, 10, 4)))
    assert (first.is_equal, first.asked) == (True, "")


@pytest.mark.parametrize("season", [2024, 2025])
@pytest.mark.parametrize("named", ["Kickoff Short of Landing Zone", ""])
def test_a_kick_short_of_the_landing_zone_is_placed_at_the_40_with_its_foul(
    tmp_path: Path, season: int, named: str
) -> None:
    """The public files leave the foul's name out of its column in some seasons.

    The description has it.
    """
    described = kickoff(
        kick_distance="43",
        penalty="1",
        penalty_team="HRB",
        penalty_player_id="00-0000001",
        penalty_yards="18",
        penalty_type=named,
        desc=(
            "kicks 43 yards to SUM 22. PENALTY on HRB, Kickoff Short of Landing Zone, placed at "
            "SUM 40."
        ),
    )
    file = game(tmp_path, season, described, run(40, 1, 10, 4), run(44, 2, 6, 7))
    assert [snap.is_equal for snap in compare(file)] == [True, True, True]
    (script,) = read_games([file])
    fouls = [step.body.foul for step in script.events if hasattr(step.body, "foul")]
    assert fouls == ["Kickoff Short of Landing Zone"]
