"""An exported game read back, with its stat lines and points."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app.fantasy.scoring.rules import PRESETS, points
from app.record import events as ev
from app.record.play_by_play import read_games
from app.record.queries import ClubRow, GameRow
from app.record.rules.stat_lines import Numbered, StatLine, game_credits, stat_lines
from app.record.rules.state import game_state
from app.record.script import GameScript
from tests.worlds.games import KICKOFF

H, S = "HRB", "SUM"


def numbered(bodies: Iterable[ev.Body]) -> list[Numbered]:
    events, play = [], 0
    for number, body in enumerate(bodies, start=1):
        play += isinstance(body, ev.Snap)
        events.append((number, play, body))
    return events


def row_of(valid: list[Numbered], home: str = H, away: str = S, game_id: str = "g1") -> GameRow:
    state = game_state(valid, home, away)
    clubs = [ClubRow(club, club, "", "#224466") for club in (home, away)]
    return GameRow(
        game_id,
        2026,
        "REG",
        1,
        KICKOFF,
        clubs[0],
        clubs[1],
        state.status,
        state.home_score,
        state.away_score,
        {},
        1,
    )


def back(text: str, folder: Path) -> tuple[GameScript, list[Numbered]]:
    file = folder / "game.csv"
    file.write_text(text)
    (script,) = read_games([file], None)
    return script, numbered(step.body for step in script.events)


def lines(valid: list[Numbered]) -> dict[str, StatLine]:
    """Stat lines, without those of nothing but zeros."""
    return {player: line for player, line in stat_lines(game_credits(valid)).items() if line.stats}


def points_of(lines_by_player: dict[str, StatLine]) -> dict[tuple[str, str], int]:
    return {
        (player, name): points(line.stats, rules)
        for player, line in lines_by_player.items()
        for name, rules in PRESETS.items()
    }
