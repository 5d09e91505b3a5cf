"""A real game typed in one-line entry into the console in a browser.

The lines are those of headless.py, which writes them from the same game typed by questions.
"""

from __future__ import annotations

import time

from playwright.sync_api import Page

from app.record.script import GameScript
from tests.e2e.typist.headless import headless_console, keys_of, type_both_ways
from tests.e2e.typist.match import sit_down
from tests.e2e.typist.tally import Tally


def type_lines(page: Page, script: GameScript) -> Tally:
    """Types each play as lines, and by its keys what has no line; counts the keys."""
    with headless_console() as host:
        both = type_both_ways(script, host)
    scorer, tally = sit_down(page, script)
    keyboard = scorer.keyboard
    keyboard.write("L")
    begun = time.monotonic()
    for number, items in enumerate(both.items, 1):
        for item in items:
            if "line" in item:
                page.keyboard.type(item["line"])
                page.keyboard.press("Enter")
            else:
                for key in item["keys"]:
                    keyboard.press(key)
            screen = keyboard.answered(None)
            if not screen.said.startswith("Recorded as"):
                tally.faults.append(f"play {number}: {item}: {screen.said}")
        tally.plays.append(sum(keys_of(item) for item in items))
    tally.seconds = time.monotonic() - begun
    return tally
