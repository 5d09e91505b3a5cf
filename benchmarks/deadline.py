"""A deadline storm: everybody saves their team sheet in the last minute, while others read.

Goals: none lost, 99 of 100 answers within a second; the server's clock decides.

`python -m benchmarks.deadline` starts stores of its own in a temporary folder, makes the demo
season and so many members with team sheets, and serves them as production does, by one web process.
Each round lays the deadline `--seconds` ahead, and every member saves their sheet once, with
another captain, at moments spread over that time whatever the answers take; one in twenty of them
tries again after the deadline. The rounds are in turn with `--reads` pages a second beside the
saves (the team editor, the league's table, the games) and without. Then every answer is held
against PostgreSQL: what was acknowledged is there, what was refused is not; a save that was sent
after the deadline must be refused with the sentence that says so, one that was answered before it
must not be. A breach ends the run with an error. Printed: milliseconds since each was due, medians
of the rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from pathlib import Path

from sqlalchemy import text

from app import create_app
from app.core import clock
from app.core.db import db
from app.demo.season import CURRENT
from app.demo.seed import seed_demo
from app.settings import Settings
from benchmarks.crowd import Answer, Browser, Visitor, make_crowd, percentile, sign_in_crowd, until
from benchmarks.slow_clients import serving
from workers.supervisor.start import running_stack

LATE = 20  # one member in so many tries again after the deadline
READERS = 50
LOCKED = b"Your last saved lineup counts"


@dataclass
class _Sheet:
    """A visitor's team sheet as they last knew it."""

    visitor: Visitor
    picks: Sequence[str]
    captain: int
    vice_captain: int
    version: int

    def another_captain(self, starters: int) -> int:
        """Return the next place that is not the vice-captain's."""
        place = self.captain % starters + 1
        return place if place != self.vice_captain else place % starters + 1


@dataclass
class _Round:
    """The answers of a round; `faults` are breaches of what the server promises, in words."""

    saves: list[Answer] = field(default_factory=list)
    late: list[Answer] = field(default_factory=list)
    reads: list[Answer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Storm:
    """The gameweek that is picked next, and everybody's sheet for it."""

    def __init__(self, visitors: Sequence[Visitor], starters: int) -> None:
        asked = text(
            "SELECT w.id, r.id FROM gameweeks w, team_rules r, leagues l"
            " WHERE w.week = :week AND l.slug = 'the-press-row' AND r.id = l.team_rules_id"
        )
        self.gameweek_id, self.team_rules_id = db.session.execute(
            asked, {"week": CURRENT + 1}
        ).one()
        self.starters = starters
        last = db.session.execute(
            text(
                "SELECT DISTINCT ON (t.member_id) t.member_id, t.picks, t.captain, t.vice_captain "
                "FROM team_sheets t"
                " JOIN gameweeks w ON w.id = t.gameweek_id WHERE t.team_rules_id = :rules"
                " ORDER BY t.member_id, w.week DESC"
            ),
            {"rules": self.team_rules_id},
        ).all()
        mine = {row.member_id: (row.picks, row.captain, row.vice_captain) for row in last}
        # Version 0: it is last gameweek's sheet until they save it.
        self.sheets = [_Sheet(visitor, *mine[visitor.member_id], version=0) for visitor in visitors]

    def stored(self) -> dict[int, tuple[list[str], int, int, int, datetime]]:
        """Return picks, captain, vice-captain, version and saved_at by member."""
        db.session.rollback()
        rows = db.session.execute(
            text(
                "SELECT member_id, picks, captain, vice_captain, version, saved_at FROM team_sheets"
                " WHERE gameweek_id = :gameweek AND team_rules_id = :rules"
            ),
            {"gameweek": self.gameweek_id, "rules": self.team_rules_id},
        ).all()
        return {
            row.member_id: (row.picks, row.captain, row.vice_captain, row.version, row.saved_at)
            for row in rows
        }

    def lay_deadline(self, moment: datetime) -> None:
        """Move the gameweek's deadline to the moment, and commit."""
        values = {"moment": moment, "gameweek": self.gameweek_id}
        db.session.execute(
            text("UPDATE sheet_deadlines SET locks_at = :moment WHERE gameweek_id = :gameweek"),
            values,
        )
        db.session.commit()

    async def save(self, browser: Browser, sheet: _Sheet, captain: int, due: float) -> Answer:
        """Send the form of the team editor with another captain."""
        fields: list[tuple[str, object]] = [
            ("gameweek", self.gameweek_id),
            ("version", sheet.version),
        ]
        fields += [("p", pick) for pick in sheet.picks]
        fields += [("captain", captain), ("vice_captain", sheet.vice_captain)]
        browser.cookie = sheet.visitor.cookie
        await until(due)
        return await browser.post(
            f"/team/{self.team_rules_id}", fields, due=due, token=sheet.visitor.token
        )

    def judge(self, sheet: _Sheet, captain: int, answer: Answer, locks_at: datetime) -> str:
        """Return what is wrong with the answer by itself; '' if nothing is.

        An accepted save is noted in the sheet.
        """
        if answer.status == HTTPStatus.SEE_OTHER and "saved=" in answer.headers.get("location", ""):
            sheet.captain, sheet.version = (
                captain,
                int(answer.headers["location"].partition("saved=")[2].partition("&")[0]),
            )
            return (
                f"sent {answer.began - locks_at} after the deadline, and saved"
                if answer.began >= locks_at
                else ""
            )
        if answer.status == HTTPStatus.UNPROCESSABLE_ENTITY and LOCKED in answer.body:
            return (
                f"refused {locks_at - answer.ended} before the deadline"
                if answer.ended < locks_at
                else ""
            )
        return f"answered {answer.status}: {answer.body[:200]!r}"

    def compare(self, locks_at: datetime) -> list[str]:
        """Return sheets that differ from what members were told or were saved too late."""
        stored, differences = self.stored(), list[str]()
        for sheet in self.sheets:
            if not sheet.version and sheet.visitor.member_id not in stored:
                continue
            known = (list(sheet.picks), sheet.captain, sheet.vice_captain, sheet.version)
            *there, saved_at = stored.get(sheet.visitor.member_id, (None, None))
            if tuple(there) != known or saved_at is None or saved_at >= locks_at:
                differences.append(
                    f"member {sheet.visitor.member_id}: told {known}, held {there}, saved at "
                    f"{saved_at}"
                )
        return differences


async def _play(
    storm: Storm, port: int, seconds: float, reads: float, locks_at: datetime
) -> _Round:
    """Play one round: saves before and after the deadline, with `reads` per second beside them."""
    done = _Round()
    began = time.perf_counter() + (locks_at - clock.now()).total_seconds() - seconds
    pause = seconds / len(storm.sheets)
    browsers = [Browser(port) for _ in storm.sheets]

    async def save(number: int, due: float, into: list[Answer]) -> None:
        sheet = storm.sheets[number]
        captain = sheet.another_captain(storm.starters)
        answer = await storm.save(browsers[number], sheet, captain, due)
        into.append(answer)
        if fault := storm.judge(sheet, captain, answer, locks_at):
            done.faults.append(f"member {sheet.visitor.member_id}: {fault}")

    async def look(number: int, browser: Browser) -> None:
        path = ("/leagues/the-press-row", f"/team/{storm.team_rules_id}", "/games")[number % 3]
        due = began + number / reads
        await until(due)
        answer = await browser.get(path, due=due)
        done.reads.append(answer)
        if answer.status != HTTPStatus.OK:
            done.faults.append(f"{path} answered {answer.status}: {answer.body[:200]!r}")

    readers = [Browser(port, sheet.visitor.cookie) for sheet in storm.sheets[:READERS]]
    count = len(storm.sheets)
    tasks = [save(number, began + number * pause, done.saves) for number in range(count)]
    tasks += [
        look(number, readers[number % len(readers)]) for number in range(int(seconds * reads))
    ]
    await asyncio.gather(*tasks)
    late = max(time.perf_counter(), began + seconds)
    late_numbers = range(0, count, LATE)
    await asyncio.gather(
        *(
            save(number, late + place * pause, done.late)
            for place, number in enumerate(late_numbers)
        )
    )
    for browser in (*browsers, *readers):
        browser.close()
    return done


def _check(storm: Storm, done: _Round, locks_at: datetime) -> None:
    """End the run if the server broke a promise."""
    if faults := [*done.faults, *storm.compare(locks_at)]:
        raise SystemExit(f"{len(faults)} faults:\n" + "\n".join(faults[:10]))


def _show(ways: dict[str, list[list[float]]]) -> None:
    print("| what | times | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|---|")
    for name, rounds in ways.items():
        parts = (
            statistics.median(percentile(seconds, share) for seconds in rounds)
            for share in (0.5, 0.95, 0.99)
        )
        print(
            f"| {name} | {sum(map(len, rounds))} | {' | '.join(f'{part:.0f}' for part in parts)} |"
        )


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument(
        "--saves", type=int, default=2_000, help="before the deadline, in each round"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="in which they come")
    parser.add_argument("--reads", type=float, default=50.0, help="a second, beside them")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
    ):
        app = create_app(stack)
        ways: dict[str, list[list[float]]] = {
            "saves alone": [],
            "saves beside reads": [],
            "reads beside saves": [],
        }
        taken = refused = 0
        with app.app_context():
            seed_demo(lambda *_: None)
            make_crowd(arguments.saves)
            storm = Storm(sign_in_crowd(app), starters=9)
            with serving("uvicorn", stack) as port:
                for number in range(2 * arguments.rounds + 1):
                    reads = arguments.reads if number % 2 else 0.0
                    locks_at = clock.now() + timedelta(seconds=arguments.seconds + 1)
                    storm.lay_deadline(locks_at)
                    done = asyncio.run(_play(storm, port, arguments.seconds, reads, locks_at))
                    _check(storm, done, locks_at)
                    if not number:
                        continue  # the first round warms up
                    ways["saves beside reads" if reads else "saves alone"].append(
                        [answer.seconds for answer in done.saves]
                    )
                    if reads:
                        ways["reads beside saves"].append([answer.seconds for answer in done.reads])
                    answers = [*done.saves, *done.late]
                    taken += sum(answer.status == HTTPStatus.SEE_OTHER for answer in answers)
                    refused += sum(
                        answer.status == HTTPStatus.UNPROCESSABLE_ENTITY for answer in answers
                    )
        rate = (
            f"{arguments.saves} saves in {arguments.seconds:g} s, {arguments.reads:g} reads/s, "
            f"{arguments.rounds} rounds of each"
        )
        print(f"{rate} (goal: none lost, p99 below 1,000 ms)\n")
        _show(ways)
        print(
            f"\n{taken} acknowledged, each as PostgreSQL has it; {refused} refused, each after the "
            "deadline. 0 lost."
        )


if __name__ == "__main__":
    main()
