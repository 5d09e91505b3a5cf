"""Scores of a mode with any order, and what plain Python works out of them.

No keys here, tuples are sorted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from uuid import UUID

from app.boards.models import Mode
from app.boards.reads import BoardReads, Row, Standing
from app.scores.events import ScoreEvent

DAY = "daily:2026-04-05"
LOW, HIGH = -20, 20  # of subscores
SUBSCORES = {
    None: None,
    "highest": {"min": LOW, "max": HIGH, "order": "highest", "title": "Accuracy"},
    "lowest": {"min": LOW, "max": HIGH, "order": "lowest", "title": "Faults"},
}


def dice(seed: str) -> Random:
    """The same throws each time."""
    return Random(seed)  # noqa: S311


def place(mode: Mode, score: int, subscore: int | None) -> tuple[int, int]:
    """Smaller ranks higher."""
    first = score if mode.order == "lowest" else -score
    if mode.subscore is None or subscore is None:
        return first, 0
    return first, subscore if mode.subscore["order"] == "lowest" else -subscore


@dataclass
class Played:
    """Scores of a mode as they were sent, and what they come to."""

    mode: Mode
    sent: list[ScoreEvent] = field(default_factory=list)

    def held(self) -> dict[str, ScoreEvent]:
        """The record that stands, by player."""
        records: dict[str, ScoreEvent] = {}
        for event in sorted(self.sent, key=self._preference):
            records.setdefault(str(event.player_id), event)
        return records

    def _preference(self, event: ScoreEvent) -> tuple[object, ...]:
        if self.mode.aggregation == "latest":
            return (-event.achieved_at, -event.event_id.int)
        return (
            place(self.mode, event.score, event.subscore),
            event.achieved_at,
            str(event.event_id),
        )

    def rows(self) -> list[Row]:
        records = self.held()
        earliest = self.mode.ties == "earliest"

        def before(member: str) -> tuple[object, ...]:
            record = records[member]
            return (
                place(self.mode, record.score, record.subscore),
                record.achieved_at if earliest else 0,
                member,
            )

        members = sorted(records, key=before)
        places = [
            place(self.mode, records[member].score, records[member].subscore) for member in members
        ]
        ranks = []
        for number, mine in enumerate(places):
            match self.mode.ties:
                case "shared":
                    ranks.append(1 + sum(other < mine for other in places))
                case "dense":
                    ranks.append(1 + len({other for other in places if other < mine}))
                case _:
                    ranks.append(number + 1)
        return [
            Row(rank, member, records[member].score, subscore=records[member].subscore)
            for rank, member in zip(ranks, members, strict=True)
        ]

    def standings(self) -> dict[str, Standing]:
        rows = self.rows()
        places = [place(self.mode, row.score, row.subscore) for row in rows]
        standings = {}
        for number, row in enumerate(rows):
            ahead = (
                number
                if self.mode.ties == "earliest"
                else sum(other < places[number] for other in places)
            )
            percentile = 100 * (len(rows) - ahead) / len(rows)
            standings[row.member] = Standing(
                row.rank, row.member, row.score, percentile, number, subscore=row.subscore
            )
        return standings

    def rank_of(self, score: int, subscore: int | None) -> int:
        mine = place(self.mode, score, subscore)
        places = [place(self.mode, row.score, row.subscore) for row in self.rows()]
        better = [other for other in places if other < mine]
        match self.mode.ties:
            case "shared":
                return len(better) + 1
            case "dense":
                return len(set(better)) + 1
        return sum(other <= mine for other in places) + 1


def assert_alike(played: Played, board: BoardReads, what: str) -> None:
    rows, standings = played.rows(), played.standings()
    assert board.count() == len(rows), what
    assert board.page(0, 100) == rows, what
    assert board.page(3, 4) == rows[3:7], what
    assert board.standings([*standings, str(UUID(int=1))]) == standings, what
    second = None if played.mode.subscore is None else 3
    for score in (-41, -7, 0, 4, 41):
        assert board.rank_of_score(score, second) == played.rank_of(score, second), (what, score)
    for low, high in ((-3, 4), (0, 0), (-100, 100), (5, 4)):
        band = [row for row in rows if low <= row.score <= high]
        assert board.band(low, high, 0, 100) == band, (what, low, high)
        assert board.band(low, high, 1, 2) == band[1:3], (what, low, high)
    for number in (0, len(rows) // 2, len(rows) - 1):
        me = rows[number].member
        near = rows[max(0, number - 2) : number + 3]
        assert board.around(me, 2) == near, what
        view = board.view(2, 5, me, 2)
        assert (list(view.rows), view.me, list(view.around)) == (rows[2:7], standings[me], near), (
            what
        )
