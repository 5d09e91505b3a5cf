"""A stored real game at the console.

Made ready, typed, and compared with what is published of it.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.models import RecordedEvent
from app.record.rules.stat_lines import Numbered, game_credits
from app.record.script import GameScript
from app.record.services import store_script
from tests.e2e.cable import Cable
from tests.e2e.typist.scene import Scene
from tests.e2e.typist.scorer import Scorer, plain_drives, plays_of, type_game
from tests.e2e.typist.screen import Keyboard
from tests.e2e.typist.tally import Tally
from tests.record.deliveries import standing_of
from tests.worlds.real_games import wrong_points

KEYS = Path(__file__).parent.parent.parent.parent / "docs" / "console-keys.json"


def bodies_of(script: GameScript) -> list[ev.Body]:
    """What the scorer saw.

    Every play as it was first called, where that is known, and what put it right.
    """
    return [step.body for step in (script.as_called or script.events)]


def make_ready(script: GameScript) -> None:
    """Registers the game and the rosters of both clubs; nothing of what happened."""
    store_script(replace(script, events=(), as_called=None))


def sit_down(page: Page, script: GameScript) -> tuple[Scorer, Tally]:
    """The scorer at the game's console, ready for keys."""
    page.goto(f"/console/{script.game_id}")
    expect(page.locator("#cmd")).to_be_focused()
    tally = Tally(script.game_id)
    return Scorer(Keyboard(page), Scene.of(script), json.loads(KEYS.read_text()), tally), tally


def type_script(page: Page, script: GameScript) -> Tally:
    scorer, tally = sit_down(page, script)
    begun = time.monotonic()
    type_game(scorer, bodies_of(script))
    tally.seconds = time.monotonic() - begun
    return tally


def type_script_with_the_line_cut(page: Page, script: GameScript, cable: Cable) -> Tally:
    """As `type_script`.

    The line is dead during the longest drive without flag or review, from snap to last whistle.
    """
    scorer, tally = sit_down(page, script)
    drive = plain_drives(plays_of(bodies_of(script)))[0]

    def before(place: int) -> None:
        if place == drive.start:
            cable.cut()
            scorer.is_cut = True
        elif place == drive.stop:
            # a movement that opens its play is one entry with the snap
            assert scorer.unsent >= len(drive), "each play of the drive waits in the browser"
            cable.mend()
            scorer.all_sent()

    type_game(scorer, bodies_of(script), before)
    return tally


def compare(tally: Tally, script: GameScript) -> None:
    """Once the record has everything: points as published, and what was credited on each play."""
    db.session.rollback()
    tally.wrong = [
        f"{rules} points of {player}: {computed}, published {published}"
        for _, rules, player, published, computed in wrong_points([script.game_id])
    ]
    recorded = db.session.execute(
        select(RecordedEvent.event_number, RecordedEvent.play_number, RecordedEvent.body)
        .where(RecordedEvent.game_id == script.game_id, RecordedEvent.valid)
        .order_by(RecordedEvent.event_number)
    )
    typed = [(number, play, ev.body_from(body)) for number, play, body in recorded]
    tally.faults += differences(standing_of(bodies_of(script)), typed)


def differences(expected: Sequence[Numbered], typed: Sequence[Numbered]) -> list[str]:
    """A line for each play on which other statistics were credited than happened."""
    lines = []
    due, entered = _credited(expected), _credited(typed)
    for play in sorted(due.keys() | entered.keys()):
        expected_credits, other = due.get(play, Counter()), entered.get(play, Counter())
        if expected_credits != other:
            missing = {
                key: amount for key, amount in expected_credits.items() if other[key] != amount
            }
            come = {key: amount for key, amount in other.items() if expected_credits[key] != amount}
            lines.append(f"play {play}: credited {come}, happened {missing}")
    return lines


def _credited(events: Sequence[Numbered]) -> dict[int, Counter[tuple[str | None, str, str]]]:
    credited: dict[int, Counter[tuple[str | None, str, str]]] = {}
    of_play: dict[int, list[Numbered]] = {}
    for event in events:
        of_play.setdefault(event[1], []).append(event)
    for play, play_credits in of_play.items():
        count: Counter[tuple[str | None, str, str]] = Counter()
        for credit in game_credits(play_credits):
            count[credit.player_id, credit.team, credit.stat] += credit.amount
        credited[play] = count
    return credited
