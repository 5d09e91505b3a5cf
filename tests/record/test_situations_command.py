"""`pressbox situations`: the next snap that the console proposes, beside the one that came."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import main
from tests.worlds.real_games import FILES, name_of

ROWS = [
    {
        "play_id": "1",
        "play_type": "kickoff",
        "posteam": "SUM",
        "defteam": "HRB",
        "yardline_100": "35",
        "time": "15:00",
    }
    | {"kickoff_attempt": "1", "touchback": "1", "kicker_player_id": "00-0000001"},
    {
        "play_id": "2",
        "play_type": "run",
        "posteam": "SUM",
        "defteam": "HRB",
        "yardline_100": "75",
        "time": "15:00",
    }
    | {
        "down": "1",
        "ydstogo": "10",
        "rush_attempt": "1",
        "yards_gained": "4",
        "rusher_player_id": "00-0000002",
    },
    {
        "play_id": "3",
        "play_type": "run",
        "posteam": "SUM",
        "defteam": "HRB",
        "yardline_100": "71",
        "time": "14:20",
    }
    | {
        "down": "2",
        "ydstogo": "6",
        "rush_attempt": "1",
        "yards_gained": "2",
        "rusher_player_id": "00-0000002",
    },
    {
        "play_id": "4",
        "play_type": "run",
        "posteam": "SUM",
        "defteam": "HRB",
        "yardline_100": "60",
        "time": "13:40",
    }
    | {
        "down": "1",
        "ydstogo": "10",
        "rush_attempt": "1",
        "yards_gained": "1",
        "rusher_player_id": "00-0000002",
    },
]
COMMON = {
    "game_id": "2019090899",
    "home_team": "HRB",
    "away_team": "SUM",
    "season": "2019",
    "season_type": "REG",
} | {
    "week": "1",
    "qtr": "1",
    "game_date": "2019-09-08",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [COMMON | row for row in ROWS]
    columns = sorted({name for row in rows for name in row})
    path = tmp_path / "2019090899.csv.gz"
    with gzip.open(path, "wt", newline="") as opened:
        table = csv.DictWriter(opened, columns)
        table.writeheader()
        table.writerows(rows)
    return path


def test_each_snap_is_printed_with_what_was_proposed_and_the_rate_at_the_end(file: Path) -> None:
    done = CliRunner().invoke(main, ["situations", str(file)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert [line.split()[2] for line in lines[:4]] == ["=", "=", "=", "MISS"]
    assert "SUM 3rd & 4 at SUM 31; came SUM 1st & 10 at SUM 40" in lines[3]
    assert lines[4] == "Asked to check the toss: 1 as suggested, 0 not."
    assert lines[5:] == [
        "4 snaps, 3 as suggested (75.00%). Marked to check: 0 of the 1 others, "
        "and 1 (33.3%) of those as suggested."
    ]


def test_only_the_misses_are_printed_when_asked(file: Path) -> None:
    done = CliRunner().invoke(main, ["situations", "--misses", str(file)], catch_exceptions=False)
    assert [line.split()[0] for line in done.output.splitlines()] == ["2019090899", "Asked", "4"]


@pytest.mark.realgames
@pytest.mark.parametrize("file", [pytest.param(file, id=name_of(file)) for file in FILES[:3]])
def test_the_next_snap_of_real_games_is_proposed(file: Path) -> None:
    from app.cli.situations import compared
    from app.record.play_by_play import read_games

    snaps = [snap for script in read_games([file]) for snap in compared(script)]
    unmarked = [snap for snap in snaps if not snap.is_equal and not snap.asked and snap.is_placed]
    assert sum(snap.is_equal for snap in snaps) >= 0.975 * len(snaps)
    assert unmarked == []
    # A mark on every snap would hide nothing and help nobody.
    assert sum(bool(snap.asked) for snap in snaps if snap.is_equal) <= 0.25 * len(snaps)


@pytest.mark.realgames
@pytest.mark.full
def test_over_all_real_games_every_other_snap_is_marked_and_few_that_came_are() -> None:
    from app.cli.situations import compared
    from app.record.play_by_play import read_games

    snaps = [snap for script in read_games(FILES) for snap in compared(script)]
    equal = [snap for snap in snaps if snap.is_equal]
    assert len(equal) >= 0.993 * len(snaps)
    unmarked = [snap for snap in snaps if not snap.is_equal and not snap.asked]
    assert [snap for snap in unmarked if snap.is_placed] == []
    assert len(unmarked) <= 0.002 * len(snaps)
    assert sum(bool(snap.asked) for snap in equal) <= 0.15 * len(equal)
