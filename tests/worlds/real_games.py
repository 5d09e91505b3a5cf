"""The real games at hand, and what is published about them.

Shared by the tests marked `realgames`.
"""

from __future__ import annotations

import csv
from collections.abc import Collection
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from app.fantasy.scoring.export import points_rows
from app.record.play_by_play import read_games
from app.record.script import GameScript
from tests.conftest import REAL_GAMES

FILES = sorted(REAL_GAMES.glob("*/pbp/*.csv.gz"))

# Tried by every run, the others by `make test-full`: the season's first game, and three chosen for
# their calls.
QUICK = ("2019090500", "2019012001", "2019091512", "2019090802")


def name_of(file: Path) -> str:
    return file.name.removesuffix(".csv.gz")


def each_game() -> list[ParameterSet]:
    """Every game as a test's parameter."""
    marks = {True: (), False: pytest.mark.full}
    return [
        pytest.param(file, id=name_of(file), marks=marks[name_of(file) in QUICK]) for file in FILES
    ]


def table(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as opened:
        return list(csv.DictReader(opened))


@cache
def expected(folder: Path) -> dict[str, dict[str, dict[str, str]]]:
    """Rows of expected_points.csv by game and player."""
    games: dict[str, dict[str, dict[str, str]]] = {}
    for row in table(folder / "expected_points.csv"):
        games.setdefault(row["game_id"], {})[row["player_id"]] = row
    return games


@cache
def due() -> dict[str, dict[str, dict[str, Decimal]]]:
    """Published points by game, rules and player."""
    return {
        game: {
            rules: {player: Decimal(row[column]) for player, row in players.items()}
            for rules, column in (("standard", "points_std"), ("ppr", "points_ppr"))
        }
        for folder in sorted({file.parent.parent for file in FILES})
        for game, players in expected(folder).items()
    }


def wrong_points(games: Collection[str]) -> list[tuple[str, str, str, Decimal, Decimal]]:
    """Where the points in the database are not the published ones.

    Game, rules, player, published, ours.
    """
    differences = []
    for game in sorted(games):
        for rules, players in due()[game].items():
            points_of = {row[1]: Decimal(row[5]) for row in points_rows(game, rules)}
            for player in sorted(players.keys() | points_of.keys()):
                published, computed = (
                    players.get(player, Decimal(0)),
                    points_of.get(player, Decimal(0)),
                )
                if published != computed:
                    differences.append((game, rules, player, published, computed))
    return differences


@cache
def real_game(file: Path) -> GameScript:
    (script,) = read_games([file])
    return script
