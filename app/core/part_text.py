"""The text of a part of a page that is the same for everybody (parts.py), and what of one viewer is put into it. Pure.

Here because two have to do with it: parts.py, which renders and remembers it, and unchanged.py, which answers the next
poll from memory ahead of Flask.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

PLACE = "place"  # the hole for the way to the viewer's own row, where that is on another page

Fillings = Mapping[str, Callable[[], str]]


class Own(NamedTuple):
    """The viewer's own row in a part, which gets the class `me`. `row`: how its tag begins, which nobody can write,
    since what people write is escaped; `elsewhere`: what fills PLACE when the row is not in it."""

    row: str = ""
    elsewhere: str = ""


NOBODYS = Own()


class Part(NamedTuple):
    """A part as it is remembered. `holes`: name by mark; `over`, `version`: as of web.respond; `names`, `until` and
    `counters`: on what it rests."""

    body: bytes
    version: str | None
    over: bool
    holes: Mapping[str, str]
    names: Collection[str]
    until: datetime | None
    counters: Mapping[str, str]

    def kept(self) -> str:
        """Its version in a line of its own, by which Redis sees what need not be sent (Stamps.follow)."""
        until = None if self.until is None else self.until.isoformat()
        head = [self.version, self.over, dict(self.holes), list(self.names), until, dict(self.counters)]
        return f"{self.version or ''}\n{json.dumps(head)}\n{self.body.decode()}"

    @classmethod
    def of(cls, kept: bytes) -> Part:
        _, head, body = kept.split(b"\n", 2)
        return _of(head)._replace(body=body)

    def filled(self, own: Own, fillings: Fillings) -> bytes:
        """The text for one viewer; `fillings` has each of the holes but PLACE."""
        body, row = self.body, own.row.encode()
        is_here = bool(row) and row in body
        for mark, name in self.holes.items():
            filling = (own.elsewhere if not is_here else "") if name == PLACE else fillings[name]()
            body = body.replace(mark.encode(), filling.encode())
        if not is_here:
            return body
        end = body.index(b">", body.index(row))
        return body[:end] + b' class="me"' + body[end:]


@lru_cache(maxsize=256)
def _of(head: bytes) -> Part:
    version, over, holes, names, until, counters = json.loads(head)
    return Part(b"", version, over, holes, names, datetime.fromisoformat(until) if until else None, counters)
