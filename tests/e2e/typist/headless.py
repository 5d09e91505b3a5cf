"""Real games typed both ways without a browser: `python -m tests.e2e.typist.headless GAME...`.

The console's own modules answer behind the same keys (tests/js/headless/console.js). Every entry is
typed question by question, then written as one line and read again: both must be the same bodies.
Counts the keys of each play in both ways. What a browser and the server add is tried by
`make typist` and by test_typist.py.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook, rulebook
from app.record.rules.football.situation import next_snap
from app.record.rules.football.timeouts import timeouts_of
from app.record.rules.reviews import challenges_of
from app.record.rules.team_defence import POSITION
from app.record.script import GameScript
from scorer_console.keys.foul_codes import FOUL_CODES
from tests.e2e.typist.match import KEYS, bodies_of, differences
from tests.e2e.typist.scene import Scene
from tests.e2e.typist.scorer import Play, Scorer, type_game
from tests.e2e.typist.screen import Keyboard, Offer, Screen
from tests.e2e.typist.tally import Tally
from tests.record.deliveries import standing_of
from tests.tools import NODE
from tests.worlds.real_games import FILES, name_of, real_game

HOST = Path(__file__).parent.parent.parent / "js" / "headless" / "console.js"
MOST_IN_ONE_LINE, MOST_GUIDED = 12, 15  # keys per play, median
FIRST_JERSEY, LAST_JERSEY = 10, 99
SWITCH = "."  # turns the way of entry around for one entry


class Host:
    """The process that runs the console's modules."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, command: str, argument: Any = None) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({command: argument}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the headless console ended at {command} {argument}")
        return json.loads(answer)


@contextmanager
def headless_console() -> Iterator[Host]:
    with subprocess.Popen(
        [NODE, HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Host(process)
        assert process.stdin
        process.stdin.close()


class HeadlessKeyboard(Keyboard):
    """Presses keys of a console without a page, and counts them."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.pressed = 0

    def screen(self) -> Screen:
        fields = self.host.ask("screen")
        return Screen(**(fields | {"offers": [Offer(**offer) for offer in fields["offers"]]}))

    def press(self, *keys: str) -> None:
        self.pressed += len(keys)
        self.host.ask("press", list(keys))

    def answered(self, unsent: int | None) -> Screen:
        return self.screen()

    def all_sent(self) -> None:
        return

    def asked_on(self, question: str) -> Screen:
        return self.screen()


@dataclass
class BothWays:
    """A game typed both ways.

    `lines`: keys of each play in one-line entry. `differences`: lines that did not record what the
    guided entry did. `items`: by play, what is typed in one-line entry.
    """

    guided: Tally
    lines: list[int] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    items: list[list[dict[str, Any]]] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return not self.differences and not self.guided.untyped and not self.guided.faults


class BothWaysScorer(Scorer):
    """Types each play by questions, and takes the same play as lines from the host."""

    def __init__(self, keyboard: HeadlessKeyboard, scene: Scene, both: BothWays) -> None:
        super().__init__(keyboard, scene, json.loads(KEYS.read_text()), both.guided)
        self.host = keyboard.host
        self.both = both

    def play(self, number: int, steps: Play) -> None:
        super().play(number, steps)
        answer = self.host.ask("play")
        self.both.items.append(answer["items"])
        self.both.lines.append(sum(keys_of(item) for item in answer["items"]))
        self.both.differences += [f"play {number}: {text}" for text in answer["differences"]]


def keys_of(item: dict[str, Any]) -> int:
    """Keys of a line, with its Enter, or of an entry that is made by its questions."""
    return len(item["line"]) + 1 if "line" in item else len(item["keys"])


def with_jerseys(script: GameScript) -> GameScript:
    """The game with a jersey for everybody, of two digits, each once in its club.

    Published play-by-play has none, and no stadium is without.
    """
    last: dict[str | None, int] = {}
    numbered = []
    for footballer in sorted(script.footballers, key=lambda footballer: footballer.id):
        number = last.get(footballer.club_id, FIRST_JERSEY - 1) + 1
        if footballer.position != POSITION:
            last[footballer.club_id] = number
            footballer = replace(footballer, number=min(number, LAST_JERSEY))
        numbered.append(footballer)
    return replace(script, footballers=tuple(numbered))


def type_both_ways(script: GameScript, host: Host) -> BothWays:
    book = rulebook(script.competition, script.season, script.season_type)
    host.ask("begin", page_of(script, book))
    both = BothWays(Tally(script.game_id))
    scorer = BothWaysScorer(HeadlessKeyboard(host), Scene.of(script), both)
    bodies = bodies_of(script)
    type_game(scorer, bodies)
    typed = [(number, play, ev.body_from(body)) for number, play, body in host.ask("standing")]
    both.guided.faults += differences(standing_of(bodies), typed)
    return both


# A clock in front of a line, behind what else differs in its snap (line_writer.js).
_CLOCK = re.compile(r"^(=?(?:\S*[^\d:\s]\S* )*)(?:\d{0,2}:\d{2}|\d{2,4})(?=[a-z]|$)")


def without_clocks(script: GameScript, both: BothWays, host: Host) -> tuple[int, list[str]]:
    """Type the game's lines again, each without its clock; what differs is put right and goes on.

    Only the clock tells whether a club without a timeout may still be charged for an injury: such
    plays are left out.

    Returns how many clocks were left out, and where the record then differs in more than clocks.
    """
    book = rulebook(script.competition, script.season, script.season_type)
    host.ask("again", page_of(script, book))
    left_out, faults = 0, []
    for number, items in enumerate(both.items):
        lines = []
        needs_clock = False
        for item in items:
            if "line" not in item:
                host.ask("press", [key for key in item["keys"] if key != SWITCH])
                continue
            line, clocks = _CLOCK.subn(r"\1", item["line"])
            if not line.strip():  # a snap by itself is nothing but its clock
                line, clocks = item["line"], 0
            left_out += clocks
            lines.append(line)
            fault = host.ask("line", line)
            needs_clock = needs_clock or "has no timeouts left" in fault
            if fault and not needs_clock:
                faults.append(f"play {number}: {line}: {fault}")
        difference = host.ask("differs", number)
        if difference and not needs_clock:
            faults.append(f"play {number}: {'; '.join(lines)}: {difference}")
    return left_out, faults


def page_of(script: GameScript, book: Rulebook) -> dict[str, Any]:
    """Return what the server writes into the page of a game of which nothing is recorded."""
    clubs = (script.home.id, script.away.id)
    roster = [
        {
            "id": footballer.id,
            "club": footballer.club_id,
            "number": footballer.number,
            "name": footballer.name,
            "position": footballer.position,
            "status": "",
        }
        for footballer in script.footballers
        if footballer.position != POSITION
    ]
    return {
        "clubs": {"home": clubs[0], "away": clubs[1]},
        "roster": roster,
        "rulebook": book.as_json(),
        "types": ev.catalogue(),
        "keys": json.loads(KEYS.read_text()),
        "foulCodes": FOUL_CODES,
        "situation": {
            "lease": None,
            "next_event": 1,
            "play_number": 0,
            "last_play": 0,
            "people": [],
            "status": "scheduled",
            "delayed": False,
            "under_review": [],
            "score": dict.fromkeys(clubs, 0),
            "live": False,
            "suggestion": asdict(next_snap([], home=clubs[0], away=clubs[1], book=book)),
            "snap": None,
            "ball": None,
            "passed": None,
            "period": {"period": 1, "running": False, "seconds": book.period},
            "timeouts": asdict(timeouts_of([], clubs, book)),
            "challenges": challenges_of([], clubs),
            "standing": [],
            "entered": [],
            "recent_players": {"passer": {}, "runner": {}, "place_kicker": {}, "punter": {}},
            "play_events": [],
            "plays": [],
            "recent": [],
        },
    }


def summary(games: Sequence[BothWays]) -> str:
    guided = [keys for game in games for keys in game.guided.plays]
    lines = [keys for game in games for keys in game.lines]
    as_lines = sum("line" in item for game in games for play in game.items for item in play)
    entries = sum(len(play) for game in games for play in game.items)
    return (
        f"{len(games)} games, {len(lines)} plays; keys per play, median: one line "
        f"{median(lines or [0]):g} (mean {_mean(lines):.1f}), guided {median(guided or [0]):g} "
        f"(mean {_mean(guided):.1f}); {as_lines} of {entries} entries as lines, "
        f"{sum(len(game.differences) for game in games)} differ; plays that could not be typed: "
        f"{sum(game.guided.untyped_plays for game in games)}"
    )


def _mean(keys: Sequence[int]) -> float:
    return sum(keys) / max(1, len(keys))


def main(arguments: list[str]) -> int:
    files = [file for file in FILES if not arguments or name_of(file) in arguments]
    if not files:
        sys.exit("There are no such stored games.")
    games = []
    with headless_console() as host:
        for file in files:
            games.append(type_both_ways(with_jerseys(real_game(file)), host))
            print(f"{name_of(file)}: {summary(games[-1:])}", flush=True)
            for problem in [
                *games[-1].differences,
                *games[-1].guided.faults,
                *(f"{play} {what}: {why}" for play, what, why in games[-1].guided.untyped),
            ]:
                print(f"  {problem}")
    print(summary(games))
    return 0 if all(game.is_right for game in games) and are_few(games) else 1


def are_few(games: Sequence[BothWays]) -> bool:
    """Whether the keys per play are as few as promised, over all these games."""
    guided = median(keys for game in games for keys in game.guided.plays)
    return median(keys for game in games for keys in game.lines) <= MOST_IN_ONE_LINE and (
        guided <= MOST_GUIDED
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
