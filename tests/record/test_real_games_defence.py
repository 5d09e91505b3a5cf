"""Every real game at hand.

Both D/STs' statistics and points equal a plain count from the public files.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from app.fantasy.scoring.rules import ESPN, YAHOO, points
from app.record import events as ev
from app.record.rules.team_defence import all_credits, all_lines, defence_id, has_begun
from tests.record import plain_defence
from tests.worlds.real_games import FILES, each_game, real_game

pytestmark = pytest.mark.realgames

NAMES = {
    "sacks": "dst_sacks",
    "interceptions": "dst_interceptions",
    "fumbles": "dst_fumble_recoveries",
    "touchdowns": "dst_touchdowns",
    "safeties": "dst_safeties",
    "blocks": "dst_kicks_blocked",
    "tries": "dst_two_points",
    "allowed": "dst_points_allowed",
    "yards": "dst_yards_allowed",
}


@pytest.mark.parametrize("file", each_game())
def test_a_real_game_gives_both_defences_what_the_public_files_say(file: Path) -> None:
    script = real_game(file)
    plays = accumulate(isinstance(step.body, ev.Snap) for step in script.events)
    events = [
        (n, play, step.body)
        for n, (step, play) in enumerate(zip(script.events, plays, strict=True), start=1)
    ]
    clubs = (script.home.id, script.away.id)
    lines = all_lines(all_credits(events, clubs), clubs, has_begun=has_begun(events))
    due = plain_defence.count(file)
    assert due.keys() == set(clubs)
    for club, plain in due.items():
        stats = lines[defence_id(club)].stats
        assert {name: stats.get(name, 0) for name in NAMES.values()} == {
            name: plain[what] for what, name in NAMES.items()
        }
        assert points(stats, YAHOO) == 1000 * plain_defence.yahoo(plain)
        assert points(stats, ESPN) == 1000 * plain_defence.espn(plain)


def test_every_real_game_was_counted() -> None:
    assert len(FILES) == 35
