"""Game situations and the next snap, which the browser's rules must answer as the server does.

`python -m tests.record.situation_examples` writes tests/js/examples/situations.json from CASES: by
hand are the plays and the line that must come (possession, spot, down, distance, situation), from
the engine the whole suggestion. `python -m tests.record.situation_examples GAME.csv.gz...` prints
every snap of play-by-play files in the same form, as JSON lines: first {"rulebooks": ...}, then an
example a line. To save room each of them has "kept": how many events of the example before it stand
in front of its own "events" (the same game: else 0).

Of an example: `book` (its rulebook is `rulebooks["nfl 2019"]`; "nfl 2019 POST" is that of the
play-offs), `home` and `away`, `events` (the standing ones in order, {"play_number", "body"} with a
body of the wire), `suggestion`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.record import events as ev
from app.record.rules.football.rulebook import rulebook
from app.record.rules.football.situation import next_snap
from scorer_console.record.effective_events import EffectiveEvent, Fold
from tests.record.situation_cases import PLAY_CASES
from tests.record.situation_end_zone_cases import END_ZONE_CASES
from tests.record.situation_every_foul_cases import EVERY_FOUL_CASES
from tests.record.situation_flag_cases import FLAG_CASES
from tests.record.situation_foul_cases import FOUL_CASES
from tests.record.situation_loose_ball_cases import LOOSE_BALL_CASES
from tests.record.situation_overtime_cases import OVERTIME_CASES
from tests.record.situation_plays import AWAY, HOME, Case
from tests.record.situation_season_cases import SEASON_CASES

FILE = Path(__file__).parents[1] / "js/examples/situations.json"

CASES: dict[str, Case] = (
    PLAY_CASES
    | FOUL_CASES
    | FLAG_CASES
    | OVERTIME_CASES
    | END_ZONE_CASES
    | LOOSE_BALL_CASES
    | SEASON_CASES
    | EVERY_FOUL_CASES
)


def example(case: str) -> dict[str, Any]:
    """A case as the browser reads it."""
    situation = CASES[case]
    return {
        "case": case,
        "book": _name(situation.competition, situation.season, situation.season_type),
        "home": HOME,
        "away": AWAY,
        "events": _wire(situation.events),
        "suggestion": asdict(situation.suggestion),
    }


def written() -> str:
    """What situations.json should have, an example a line."""
    lines = ",\n".join(f" {json.dumps(example(case))}" for case in CASES)
    books = sorted({(case.competition, case.season, case.season_type) for case in CASES.values()})
    return f'{{"rulebooks": {json.dumps(_books(books))},\n"examples": [\n{lines}\n]}}\n'


def games(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """The rulebooks, then every snap of these play-by-play files."""
    from app.record.play_by_play import read_games

    scripts = list(read_games(files))
    yield {
        "rulebooks": _books(
            sorted({(script.competition, script.season, script.season_type) for script in scripts})
        )
    }
    for script in scripts:
        book = rulebook(script.competition, script.season, script.season_type)
        fold, play, before = Fold(), 0, list[EffectiveEvent]()
        for number, step in enumerate(script.events, start=1):
            if isinstance(step.body, ev.Snap):
                play += 1
                now = fold.effective
                same = next(
                    (
                        at
                        for at, pair in enumerate(zip(before, now, strict=False))
                        if pair[0] != pair[1]
                    ),
                    len(before),
                )
                unchanged = min(same, len(now))
                suggestion = next_snap(now, home=script.home.id, away=script.away.id, book=book)
                yield {
                    "case": f"{script.game_id} play {play}",
                    "book": _name(script.competition, script.season, script.season_type),
                    "home": script.home.id,
                    "away": script.away.id,
                    "kept": unchanged,
                    "events": _wire(now[unchanged:]),
                    "suggestion": asdict(suggestion),
                }
                before = list(now)
            of_play = play if step.play_number is None else step.play_number
            event = ev.GameEvent(
                game_id=script.game_id,
                event_number=number,
                play_number=of_play,
                epoch=1,
                recorded_at=0,
                body=step.body,
            )
            fold = fold.with_events([event])


def _name(competition: str, season: int, season_type: str) -> str:
    return f"{competition} {season}{'' if season_type == 'REG' else f' {season_type}'}"


def _books(books: Sequence[tuple[str, int, str]]) -> dict[str, Any]:
    return {_name(*book): rulebook(*book).as_json() for book in books}


def _wire(events: Sequence[EffectiveEvent]) -> list[dict[str, Any]]:
    return [{"play_number": event.play_number, "body": ev.body_to(event.body)} for event in events]


if __name__ == "__main__":
    if sys.argv[1:]:
        for game in games([Path(name) for name in sys.argv[1:]]):
            print(json.dumps(game))
    else:
        FILE.write_text(written())
