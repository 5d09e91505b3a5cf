"""How well the ranking before a season agrees with the season, beside last year's points.

`python -m benchmarks.preseason --files FOLDER` reads weekly statistics (`player_stats_YYYY.csv.gz`,
`stats_player_week_YYYY.csv.gz`) and rosters (`roster_YYYY.csv.gz`) of a folder. For each season
whose own statistics and those of the year before are there, it takes the 200 players with the most
half-PPR points of the year before who played in the season, orders them by the projection
(app/fantasy/projections/preseason.py), and prints Spearman's rank correlation with their half-PPR
points of the season. Beside it stands the order by the points of the year before, and both again
with those of the 200 best of the year before who did not play, with 0 points.

Nothing of the season itself is used: its statistics only measure. Of the rosters, whatever their
year, only what does not change with a season is read: birth, first season and draft.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.fantasy.projections.preseason import Career, EarlierSeason, Prospect, preseason
from app.fantasy.scoring.rules import HALF_PPR, points
from app.fantasy.season_setup.player_weeks import SeasonLines, read_player_weeks
from app.fantasy.season_setup.rosters import read_roster

BEST = 200
NAMES = ("player_stats_*.csv*", "stats_player_week_*.csv*")


@dataclass(frozen=True)
class Agreement:
    """Rank correlations of a season: by the method, and by the points of the year before.

    Attributes:
        players: How many of the best of the year before are compared.
        method: Of those who played.
        last_year: The same, by the points of the year before.
        method_all: Of the best of the year before, whether they played or not.
        last_year_all: The same, by the points of the year before.
    """

    season: int
    players: int
    method: float
    last_year: float
    method_all: float
    last_year_all: float


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's rank correlation; equal values share the mean of their ranks.

    >>> spearman([1, 2, 3], [10, 20, 30]), spearman([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    ranks = [_ranks(first), _ranks(second)]
    mean = (len(first) + 1) / 2
    first_deviations, second_deviations = ([rank - mean for rank in each] for each in ranks)
    together = sum(
        left * right for left, right in zip(first_deviations, second_deviations, strict=True)
    )
    spread = sum(left**2 for left in first_deviations) * sum(
        right**2 for right in second_deviations
    )
    return float(together / spread**0.5)


def _ranks(values: Sequence[float]) -> list[float]:
    in_order = sorted(values)
    first_place = {value: place for place, value in reversed(list(enumerate(in_order, start=1)))}
    last_place = {value: place for place, value in enumerate(in_order, start=1)}
    return [(first_place[value] + last_place[value]) / 2 for value in values]


def agreement(
    season: int, seasons: Mapping[int, SeasonLines], careers: Mapping[str, Career]
) -> Agreement:
    """How well the ranking of a season agrees with it; `seasons` has it and the year before."""
    earlier = {year: lines for year, lines in seasons.items() if year < season}
    projected = {
        player: expectation.points(1)
        for player, expectation in preseason(
            _prospects(earlier, careers), season, _club_games(earlier), HALF_PPR
        ).items()
    }
    before, earned = _totals(seasons[season - 1]), _totals(seasons[season])
    best = sorted(before, key=lambda player: (-before[player], player))
    played = [player for player in best if player in earned][:BEST]
    everybody = best[:BEST]

    def correlation(order: Mapping[str, int], players: Sequence[str]) -> float:
        return spearman(
            [order[player] for player in players], [earned.get(player, 0) for player in players]
        )

    return Agreement(
        season,
        len(played),
        correlation(projected, played),
        correlation(before, played),
        correlation(projected, everybody),
        correlation(before, everybody),
    )


def _totals(lines: SeasonLines) -> dict[str, int]:
    totals: dict[str, int] = {}
    for line in lines.lines.values():
        if line.position and line.position != "DST":
            earned = points(line.stats, HALF_PPR)
            totals[line.footballer_id] = totals.get(line.footballer_id, 0) + earned
    return totals


def _prospects(seasons: Mapping[int, SeasonLines], careers: Mapping[str, Career]) -> list[Prospect]:
    """Everybody with a line in these seasons."""
    positions: dict[str, str] = {}
    earned: dict[str, dict[int, list[int]]] = {}
    for season, lines in sorted(seasons.items()):
        for line in lines.lines.values():
            positions[line.footballer_id] = line.position
            weeks = earned.setdefault(line.footballer_id, {}).setdefault(season, [])
            weeks.append(points(line.stats, HALF_PPR))
    return [
        Prospect(
            player,
            positions[player],
            careers.get(player),
            [
                EarlierSeason(season, len(weeks), sum(weeks), sum(week**2 for week in weeks))
                for season, weeks in by_season.items()
            ],
        )
        for player, by_season in earned.items()
    ]


def _club_games(seasons: Mapping[int, SeasonLines]) -> dict[int, int]:
    games: dict[int, int] = {}
    for season, lines in seasons.items():
        weeks: dict[str, set[int]] = {}
        for line in lines.lines.values():
            weeks.setdefault(line.club_id, set()).add(line.week)
        games[season] = max(len(of_club) for of_club in weeks.values())
    return games


def careers_in(folder: Path) -> dict[str, Career]:
    """What the rosters of a folder say about careers, by player; the latest roster counts."""
    careers: dict[str, Career] = {}
    for path in sorted(folder.glob("roster_[0-9][0-9][0-9][0-9].csv*")):
        year = int(path.name.removeprefix("roster_")[:4])
        careers |= {
            entry.id: entry.career for entry in read_roster(path, year).entries if entry.career
        }
    return careers


def measured(folder: Path) -> list[Agreement]:
    """The agreement of each season that the folder allows to measure, by season."""
    seasons = read_player_weeks(sorted(path for name in NAMES for path in folder.glob(name)))
    careers = careers_in(folder)
    return [
        agreement(season, seasons, careers) for season in sorted(seasons) if season - 1 in seasons
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--files", type=Path, required=True, help="Folder with nflverse's files.")
    folder = parser.parse_args(arguments).files
    print("| season | players | ranking | last year's points | all 200: ranking | last year's |")
    print("|---|---|---|---|---|---|")
    rows = measured(folder)
    for row in rows:
        print(
            f"| {row.season} | {row.players} | {row.method:.3f} | {row.last_year:.3f} | "
            f"{row.method_all:.3f} | {row.last_year_all:.3f} |"
        )
    return 0 if rows and all(row.method > row.last_year for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
