"""A board in plain Python: what every store and layout must answer, said as simply as possible."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from app.boards.reads import Row, Standing, View
from app.boards.rules import Held, Ties
from app.boards.spec import BoardSpec


class PlainBoard:
    """BoardReads over what each member holds."""

    def __init__(self, spec: BoardSpec, records: Mapping[str, Held]) -> None:
        self.spec = spec
        self.held = dict(records)

    def tie(self, holds: Held) -> int:
        return holds.at if self.spec.ties is Ties.EARLIEST else 0

    def _order(self) -> list[str]:
        """Better score, then the earlier microsecond under EARLIEST, then the name by bytes."""
        return sorted(
            self.held, key=lambda m: (-self.held[m].score, self.tie(self.held[m]), m.encode())
        )

    def _rank(self, position: int, score: int) -> int:
        scores = [holds.score for holds in self.held.values()]
        match self.spec.ties:
            case Ties.SHARED:
                return sum(other > score for other in scores) + 1
            case Ties.DENSE:
                return len({other for other in scores if other > score}) + 1
            case Ties.EARLIEST:
                return position + 1

    def _rows(self) -> list[Row]:
        scores = {member: self.held[member].score for member in self.held}
        return [
            Row(self._rank(at, scores[member]), member, scores[member])
            for at, member in enumerate(self._order())
        ]

    def count(self) -> int:
        return len(self.held)

    def standings(self, members: Collection[str]) -> dict[str, Standing]:
        standings = {}
        for position, row in enumerate(self._rows()):
            if row.member in members:
                ahead = sum(holds.score > row.score for holds in self.held.values())
                if self.spec.ties is Ties.EARLIEST:
                    ahead = position
                percentile = 100 * (len(self.held) - ahead) / len(self.held)
                standings[row.member] = Standing(
                    row.rank, row.member, row.score, percentile, position
                )
        return standings

    def page(self, offset: int, limit: int) -> list[Row]:
        return self._rows()[offset : offset + limit]

    def around(self, member: str, k: int) -> list[Row]:
        rows = self._rows()
        here = next((at for at, row in enumerate(rows) if row.member == member), None)
        return [] if here is None else rows[max(0, here - k) : here + k + 1]

    def band(self, low: int, high: int, offset: int, limit: int) -> list[Row]:
        return [row for row in self._rows() if low <= row.score <= high][offset : offset + limit]

    def rank_of_score(self, score: int) -> int:
        position = sum(holds.score >= score for holds in self.held.values())
        return self._rank(position, score)

    def view(self, offset: int, limit: int, member: str | None = None, k: int = 4) -> View:
        me = self.standings([member]).get(member) if member else None
        around = self.around(member, k) if member else []
        return View(self.count(), self.page(offset, limit), me, around)
