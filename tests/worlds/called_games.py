"""Games with a corrections.csv beside the play-by-play.

Its columns, a row, and the steps that are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.record import events as ev
from app.record.play_by_play import read_games
from app.record.script import GameScript
from tests.worlds.play_by_play import (
    CATCHER,
    GAME,
    KICKER,
    PASSER,
    RUNNER,
    THIEF,
    Cells,
    H,
    S,
    named,
    write,
)

COLUMNS = [
    "game_id",
    "play_id",
    "kind",
    "live_action",
    "action",
    "offense",
    "defense",
    *(
        f"{who}_player_{what}"
        for who in ("passer", "receiver", "rusher", "interceptor", "kicker", "punter")
        for what in ("name", "id")
    ),
    "yards",
    "good",
    "touchdown",
    "safety",
    "fumble",
    "fumble_lost",
    "recovered_team",
    "recovered_by",
    "tacklers",
    "tackler_ids",
    "challenged_by",
    "ruling",
    "fouls",
]
NOTHING_STANDS = ev.Correction | ev.Challenge | ev.Penalty


def call(play_id: int, action: str, kind: str = "nullified", **cells: object) -> dict[str, object]:
    base: dict[str, object] = {
        "game_id": GAME,
        "play_id": play_id,
        "kind": kind,
        "live_action": 1,
        "action": action,
    }
    return (
        base
        | {"offense": H, "defense": S, "fouls": "SUM:Offside:5 yd" if kind == "nullified" else ""}
        | cells
    )


P, C, R = named("passer", PASSER, ""), named("receiver", CATCHER, ""), named("rusher", RUNNER, "")
FOOT, THEFT = named("kicker", KICKER, ""), named("interceptor", THIEF, "")


def read_called(folder: Path, *calls: Cells) -> GameScript:
    write(folder / "corrections.csv", COLUMNS, calls)
    (script,) = read_games([folder / "pbp" / f"{GAME}.csv"])
    return script


def steps(script: GameScript) -> list[ev.Body]:
    assert script.as_called is not None
    return [step.body for step in script.as_called]


def of_play(numbered_bodies: Sequence[ev.Body], number: int) -> list[ev.Body]:
    """The bodies of a play after its snap, up to the next one."""
    snaps = [place for place, body in enumerate(numbered_bodies) if isinstance(body, ev.Snap)]
    return list(numbered_bodies[snaps[number - 1] + 1 : [*snaps, len(numbered_bodies)][number]])
