"""Plays as they were first called that did not stand: the table corrections.csv beside the
play-by-play.

Lives here: reading and checking its rows, and the official credits that a first call would have
earned. Not here: the events made of them, and of what took them away (as_called.py).

One row a play and kind: `nullified` (by a foul) or `reversed` (after a review). `action` says what
was called live, empty where the whistle came before the snap. Clubs and players go by the names of
the play-by-play.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.core.csv_files import Row
from app.record.play_by_play.field import within
from app.record.play_by_play.game_rows import Sides
from app.record.play_by_play.playstats import StatRow
from app.record.rules.clubs import player_id
from app.record.script import Club

WHAT = "corrections.csv (how plays were first called)"
REMEDY = "correct the header, or move the file away to import without it"
COLUMNS = ("game_id|old_game_id", "play_id", "kind", "action")

KINDS = ("reversed", "nullified")
ACTIONS = frozenset(
    (
        "complete",
        "incomplete",
        "spike",
        "interception",
        "run",
        "scramble",
        "kneel",
        "sack",
        "punt",
        "kickoff",
        "field_goal",
        "extra_point",
        "two_point",
    )
)
_KICKS = ("punt", "kickoff", "field_goal")
_LONGEST = 110


@dataclass(frozen=True, slots=True)
class Foul:
    team: str
    name: str
    yards: int
    status: Literal["accepted", "declined", "offsetting"]


@dataclass(frozen=True, slots=True)
class Call:
    """One row.

    `offence` had the ball, as the file has it; `by` challenged (None: the booth); `text` is the
    ruling.

    `action` None: nothing was called live, or the row does not say what.
    """

    row: Row
    play_id: int
    kind: Literal["reversed", "nullified"]
    action: str | None
    is_live: bool
    offence: str | None
    by: str | None
    text: str
    fouls: tuple[Foul, ...]
    recovered_team: str | None
    recovered_by: str | None

    @property
    def place(self) -> str:
        return f"{self.row.file.name}, line {self.row.line}, play {self.play_id}"

    def player(self, role: str) -> str | None:
        return player_id(self.row.text(f"{role}_player_id"))


def read_call(row: Row, sides: Sides, clubs: tuple[Club, Club], ids: Mapping[str, str]) -> Call:
    """The row, checked.

    `ids`: player ids by printed name, for the columns without one. Raises FileError.
    """
    play_id, kind, action = row.number("play_id"), row.needed("kind"), row.text("action")
    if play_id is None:
        raise row.error("play_id", "is empty, but every row needs it")
    if kind not in KINDS:
        raise row.error("kind", f"must be nullified or reversed, not {kind!r}")
    for column in ("offense", "defense", "recovered_team"):
        if (name := row.text(column)) is not None and sides.club(name) is None:
            raise row.error(
                column,
                f"must be {sides.away} or {sides.home}, the clubs of this game, not {name!r}",
            )
    offence, challenger = sides.club(row.text("offense")), row.text("challenged_by")
    by = _challenger(challenger, clubs)
    ruling = (row.text("ruling") or "")[:300]
    call = Call(
        row=row,
        play_id=play_id,
        kind="reversed" if kind == "reversed" else "nullified",
        action=action if action in ACTIONS else None,
        is_live=row.flag("live_action") or action not in (None, "other"),
        offence=offence,
        by=by,
        text=ruling
        if by or not challenger
        else ": ".join(filter(None, (challenger[:100], ruling))),
        fouls=tuple(
            _foul(row, text, sides) for text in (row.text("fouls") or "").split("|") if text.strip()
        ),
        recovered_team=sides.club(row.text("recovered_team")),
        recovered_by=ids.get(row.text("recovered_by") or ""),
    )
    # every cell is read once, so that a broken one is named at once
    credits(call, sides.home, sides.away)
    return call


def _challenger(text: str | None, clubs: tuple[Club, Club]) -> str | None:
    """The club that a coach's challenge is printed for (`Green Bay`).

    None where it is the booth, or not clear.
    """
    found = [
        c
        for c in clubs
        if text and (text in (c.id, c.nickname) or f"{c.name} ".startswith(f"{text} "))
    ]
    return found[0].id if len(found) == 1 else None


def _foul(row: Row, text: str, sides: Sides) -> Foul:
    """`GB:False Start:5 yd`, `GB:Offensive Holding:declined` or `...:offsetting`."""
    found = re.fullmatch(r"\s*([^:]+):(.*):\s*(?:(\d{1,3}) ?yds?|(declined)|(offsetting))\s*", text)
    team = sides.club(found[1].strip()) if found else None
    if found is None or team is None:
        raise row.error(
            "fouls",
            f"must be like {sides.home}:False Start:5 yd, with declined or offsetting instead of "
            "yards and | between "
            f"fouls, not {text!r}",
        )
    status: Literal["accepted", "declined", "offsetting"] = "accepted"
    if found[4] or found[5]:
        status = "declined" if found[4] else "offsetting"
    return Foul(team, found[2].strip()[:300], within(int(found[3] or 0)), status)


def credits(call: Call, offence: str, defence: str, spot: int = 50) -> tuple[StatRow, ...]:
    """The credits of the play as called, in official order.

    `offence` had the ball at the snap (or kicks), at `spot`.

    Not in the table, so not in the credits: laterals, returners, who forced a fumble, the yards of
    a return. A touchdown on a play with a recovery is the recovering player's; on a kick it is
    brought back from where it fell.
    """
    if call.action is None:
        return ()
    return tuple(_FirstCall(call, offence, defence, spot).gather())


class _FirstCall:
    def __init__(self, call: Call, offence: str, defence: str, spot: int) -> None:
        self.call = call
        self.row = call.row
        self.offence = offence
        self.defence = defence
        self.spot = spot
        self.rows: list[StatRow] = []
        self.yards = self.row.number("yards") or 0
        if not -_LONGEST <= self.yards <= _LONGEST:
            raise self.row.error(
                "yards", f"must be from -{_LONGEST} to {_LONGEST}, not {self.yards}"
            )
        if call.action not in _KICKS:
            self.yards = max(-100, min(100, self.yards))
        self.is_fumble = self.row.flag("fumble")
        self.is_good = self.row.flag("good")
        self.by_recovery = (
            self.row.flag("touchdown") and self.is_fumble and call.recovered_team is not None
        )
        # the scoring twin is the next stat id
        self.scored = int(self.row.flag("touchdown") and not self.by_recovery)

    def gather(self) -> list[StatRow]:
        action = self.call.action or ""
        act: dict[str, Callable[[], None]] = {
            "complete": self._complete,
            "interception": self._interception,
            "sack": self._sack,
            "punt": lambda: self._kick(29, "punter", 34),
            "kickoff": lambda: self._kick(41, "kicker", 46),
            "two_point": self._two_point,
        }
        if action in act:
            act[action]()
        elif action in ("incomplete", "spike"):
            self._add(14, self.offence, "passer", 0)
            self._target()
        elif action in ("field_goal", "extra_point"):
            made, missed = (70, 69) if action == "field_goal" else (72, 73)
            self._add(made if self.is_good else missed, self.offence, "kicker", self.yards)
        else:
            self._add(10 + self.scored, self.offence, "rusher", self.yards)
        self._fumble(action)
        if self.row.flag("safety"):
            self.rows.append(StatRow(89, 0, self.defence, None, None))
        self._tackles(action)
        return self.rows

    def _add(self, stat: int, team: str, role: str, yards: int = 0) -> None:
        name = self.row.text(f"{role}_player_name")
        self.rows.append(StatRow(stat, yards, team, self.call.player(role), name))

    def _target(self) -> None:
        if self.call.player("receiver") is not None:
            self._add(115, self.offence, "receiver")

    def _complete(self) -> None:
        self._add(15 + self.scored, self.offence, "passer", self.yards)
        self._add(21 + self.scored, self.offence, "receiver", self.yards)
        self._target()

    def _interception(self) -> None:
        self._add(19, self.offence, "passer")
        self._target()
        self._add(25 + self.scored, self.defence, "interceptor", self.yards)

    def _sack(self) -> None:
        self._add(20, self.offence, "passer", self.yards)
        tacklers = self._tacklers()[:2]
        for tackler, name in tacklers:
            self.rows.append(
                StatRow(83 if len(tacklers) == 1 else 84, self.yards, self.defence, tackler, name)
            )

    def _kick(self, stat: int, role: str, touchdown: int) -> None:
        self._add(stat, self.offence, role, self.yards)
        if self.scored:
            self.rows.append(
                StatRow(touchdown, within(self.spot + self.yards), self.defence, None, None)
            )

    def _two_point(self) -> None:
        if self.call.player("passer") is not None:
            self._add(77 if self.is_good else 78, self.offence, "passer")
            self._add(104 if self.is_good else 105, self.offence, "receiver")
        else:
            self._add(75 if self.is_good else 76, self.offence, "rusher")

    def _fumble(self, action: str) -> None:
        lost = self.row.flag("fumble_lost")
        if not self.is_fumble:
            return
        team = self._holder(action)
        role = {
            "complete": "receiver",
            "interception": "interceptor",
            "punt": "",
            "kickoff": "",
            "sack": "passer",
        }
        who = self.call.player(role.get(action, "rusher"))
        self.rows.append(StatRow(53, 0, team, who, None))
        if lost:
            self.rows.append(StatRow(106, 0, team, who, None))
        if (recovered := self.call.recovered_team) is not None:
            stat = (55 if recovered == team else 59) + self.by_recovery
            self.rows.append(
                StatRow(stat, 0, recovered, self.call.recovered_by, self.row.text("recovered_by"))
            )

    def _holder(self, action: str) -> str:
        """The club that had the ball when the first tackle was made."""
        return self.defence if action in ("interception", "punt", "kickoff") else self.offence

    def _tackles(self, action: str) -> None:
        """One alone (79), or the first with help (80) and the others helping (82)."""
        team = self.defence if self._holder(action) == self.offence else self.offence
        tacklers = self._tacklers()
        for place, (tackler, name) in enumerate(tacklers):
            self.rows.append(
                StatRow(79 if len(tacklers) == 1 else 82 if place else 80, 0, team, tackler, name)
            )

    def _tacklers(self) -> list[tuple[str | None, str | None]]:
        ids = [one.strip() for one in (self.row.text("tackler_ids") or "").split(";")]
        names = [one.strip() for one in (self.row.text("tacklers") or "").split(";")]
        count = max(len(ids), len(names))
        ids, names = ids + [""] * (count - len(ids)), names + [""] * (count - len(names))
        return [
            (player_id(one or None), name or None)
            for one, name in zip(ids, names, strict=True)
            if one or name
        ]
