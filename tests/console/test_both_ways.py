"""Real games typed by questions and in one line, with clocks and without: the record is the same.

Without browser and server: the console's own modules behind its keys. `make typist-keys` types all
games and counts the keys.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.typist.headless import (
    headless_console,
    type_both_ways,
    with_jerseys,
    without_clocks,
)
from tests.worlds.real_games import FILES, name_of, real_game

FIRST = "2019012001"  # overtime and three reversals

GAMES = [
    pytest.param(file, id=name_of(file), marks=() if name_of(file) == FIRST else pytest.mark.full)
    for file in FILES
]


@pytest.mark.realgames
@pytest.mark.parametrize("file", GAMES)
def test_a_real_game_is_the_same_record_in_one_line_and_question_by_question(file: Path) -> None:
    with headless_console() as host:
        script = with_jerseys(real_game(file))
        both = type_both_ways(script, host)
        left_out, faults = without_clocks(script, both, host)
    assert left_out > 100
    assert faults == [], "without a clock each play is the same, but for its clock"
    assert both.differences == []
    assert both.guided.untyped == []
    assert both.guided.faults == [], "nothing else is credited than happened"
    entries = [item for play in both.items for item in play]
    as_lines = sum("line" in item for item in entries)
    assert as_lines > 0.9 * len(entries), "nearly every entry has a line"
    assert sum(both.lines) < 0.8 * sum(both.guided.plays)
