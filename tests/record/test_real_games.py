"""Every real game at hand.

Points, statistics and scores equal to the published ones, with and without play_stats.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from app.fantasy.scoring.rules import PPR, STANDARD, points
from app.record import events as ev
from app.record.play_by_play import read_games
from app.record.rules.stat_lines import StatLine, game_credits, stat_lines
from app.record.rules.state import GameState, game_state
from app.record.rules.statistics import STATS
from app.record.script import GameScript
from tests.worlds.real_games import each_game, expected, real_game, table

pytestmark = pytest.mark.realgames

# The wide columns put the primary tackler (stat id 80) among the assists and do not say which one
# they were.
NOT_IN_WIDE_COLUMNS = {"tackles_with_assist", "tackle_assists"}


def played(script: GameScript) -> tuple[dict[str, StatLine], GameState]:
    numbered, play, before = [], 0, 0
    for number, event in enumerate(script.events, 1):
        assert ev.check(event.body) == event.body
        assert event.at_ms >= before
        before = event.at_ms
        play += isinstance(event.body, ev.Snap)
        numbered.append((number, play, event.body))
    return stat_lines(game_credits(numbered)), game_state(numbered)


def published(row: dict[str, str]) -> dict[str, int]:
    """The columns that are statistics of ours; sacks in halves."""
    statistics = {stat: int(row[stat] or 0) for stat in STATS if stat in row}
    return statistics | {"half_sacks": int(2 * float(row["sacks_made"] or 0))}


def thousandths(text: str) -> int:
    return round(float(text) * 1000)


@pytest.fixture(params=each_game())
def pbp(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@cache
def without_play_stats(file: Path) -> GameScript:
    """The game by a copy of its play-by-play that has nothing beside it."""
    with tempfile.TemporaryDirectory() as folder:
        (script,) = read_games([Path(shutil.copy(file, folder))])
    return script


@pytest.fixture(params=["play_stats", "wide"])
def script(request: pytest.FixtureRequest, pbp: Path) -> GameScript:
    """The game with the league's credits, or without them."""
    return without_play_stats(pbp) if request.param == "wide" else real_game(pbp)


def test_a_real_game_gives_the_published_points_and_statistics(
    pbp: Path, script: GameScript, request: pytest.FixtureRequest
) -> None:
    lines, _ = played(script)
    rows = expected(pbp.parent.parent)[script.game_id]
    left_out = NOT_IN_WIDE_COLUMNS if "wide" in request.node.callspec.params.values() else set()
    wrong = []
    for player in sorted(rows.keys() | lines.keys()):
        stats = lines[player].stats if player in lines else {}
        row = rows.get(player)
        for rules, column in ((STANDARD, "points_std"), (PPR, "points_ppr")):
            due = thousandths(row[column]) if row else 0
            if points(stats, rules) != due:
                wrong.append((player, rules.name, points(stats, rules), due))
        for stat, due in (published(row) if row else {}).items():
            if stat not in left_out and stats.get(stat, 0) != due:
                wrong.append((player, stat, stats.get(stat, 0), due))
    assert wrong == []


def test_a_real_game_gives_the_published_score(pbp: Path, script: GameScript) -> None:
    _, state = played(script)
    game = next(
        row for row in table(pbp.parent.parent / "games.csv") if row["game_id"] == script.game_id
    )
    for side, score, by_period in (
        ("home", state.home_score, state.home_by_period),
        ("away", state.away_score, state.away_by_period),
    ):
        assert score == int(game[f"{side}_score"])
        assert by_period[:4] == tuple(int(game[f"{side}_q{quarter}"]) for quarter in range(1, 5))
        assert sum(by_period[4:]) == int(game[f"{side}_qot"])
    assert (state.status, state.declared_home_score) == ("final", state.home_score)
    assert (state.home, state.away) == (game["home_team"], game["away_team"])


def test_no_points_of_a_real_game_stay_held(script: GameScript) -> None:
    bodies = [event.body for event in script.events]
    assert isinstance(bodies[-1], ev.Final)
    _, state = played(replace(script, events=script.events[:-1]))
    # not by the final score, which ends every review
    assert (state.status, state.under_review) == ("ended", ())
    _, state = played(script)
    assert (state.status, state.under_review) == ("final", ())


def test_a_real_game_names_everybody_who_did_something(script: GameScript) -> None:
    lines, _ = played(script)
    named = {footballer.id for footballer in script.footballers}
    assert lines.keys() <= named
    assert all(footballer.name for footballer in script.footballers)
