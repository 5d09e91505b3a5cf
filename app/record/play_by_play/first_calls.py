"""Reads corrections.csv, the table of first calls that did not stand.

This module reads and checks the rows, and computes the official credits that a first call would
have earned. as_called.py turns them into events.

There is one row per play and kind: `nullified` (by a foul) or `reversed` (after a review). `action`
says what was called live; it is empty if the whistle came before the snap. Clubs and players have
the names of the play-by-play.
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
    """A foul on a play, with its yards if it was accepted."""

    team: str
    name: str
    yards: int
    status: Literal["accepted", "declined", "offsetting"]


@dataclass(frozen=True, slots=True)
class Call:
    """A row of corrections.csv.

    `offence`: the club with the ball, according to the file. `by`: the club that challenged, None
    for the booth. `text`: the ruling. `action`: None if nothing was called live or the row does not
    say what.
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
        """Where the row is, for messages."""
        return f"{self.row.file.name}, line {self.row.line}, play {self.play_id}"

    def player(self, role: str) -> str | None:
        """The id of the player in this role (a prefix of column names)."""
        return player_id(self.row.text(f"{role}_player_id"))


def read_call(row: Row, sides: Sides, clubs: tuple[Club, Club], ids: Mapping[str, str]) -> Call:
    """The call in a row of corrections.csv.

    `ids`: player ids by printed name, for the columns without an id.

    Raises:
        FileError: A cell is not valid.
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
    # computing the credits reads every cell, so that an invalid one is reported now
    credits_of_call(call, sides.home, sides.away)
    return call


def _challenger(text: str | None, clubs: tuple[Club, Club]) -> str | None:
    """The club whose coach challenged, by its printed name (`Green Bay`).

    None for the booth, and if the name is ambiguous.
    """
    candidates = [
        club
        for club in clubs
        if text and (text in (club.id, club.nickname) or f"{club.name} ".startswith(f"{text} "))
    ]
    return candidates[0].id if len(candidates) == 1 else None


def _foul(row: Row, text: str, sides: Sides) -> Foul:
    """A foul like `GB:False Start:5 yd`, `GB:Holding:declined` or `GB:Holding:offsetting`."""
    match = re.fullmatch(r"\s*([^:]+):(.*):\s*(?:(\d{1,3}) ?yds?|(declined)|(offsetting))\s*", text)
    team = sides.club(match[1].strip()) if match else None
    if match is None or team is None:
        raise row.error(
            "fouls",
            f"must look like {sides.home}:False Start:5 yd, with declined or offsetting instead of "
            "yards and | between "
            f"fouls, not {text!r}",
        )
    status: Literal["accepted", "declined", "offsetting"] = "accepted"
    if match[4] or match[5]:
        status = "declined" if match[4] else "offsetting"
    return Foul(team, match[2].strip()[:300], within(int(match[3] or 0)), status)


def credits_of_call(call: Call, offence: str, defence: str, spot: int = 50) -> tuple[StatRow, ...]:
    """The official credits of the play as first called, in official order.

    `offence` had the ball at the snap (or kicked), at `spot`. The table has no laterals, returners,
    forced fumbles or return yards, so the credits lack them. A touchdown on a play with a recovery
    belongs to the player who recovered; on a kick, the ball is returned from where it came down.
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
        # the stat id of the same movement with a touchdown is the next one
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
            good, missed = (70, 69) if action == "field_goal" else (72, 73)
            self._add(good if self.is_good else missed, self.offence, "kicker", self.yards)
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
        fumbler = self.call.player(role.get(action, "rusher"))
        self.rows.append(StatRow(53, 0, team, fumbler, None))
        if lost:
            self.rows.append(StatRow(106, 0, team, fumbler, None))
        if (recovered := self.call.recovered_team) is not None:
            stat = (55 if recovered == team else 59) + self.by_recovery
            self.rows.append(
                StatRow(stat, 0, recovered, self.call.recovered_by, self.row.text("recovered_by"))
            )

    def _holder(self, action: str) -> str:
        """The club that had the ball when the first tackle was made."""
        return self.defence if action in ("interception", "punt", "kickoff") else self.offence

    def _tackles(self, action: str) -> None:
        """Credit a solo tackle (79), or the first tackler (80) and the assisting ones (82)."""
        team = self.defence if self._holder(action) == self.offence else self.offence
        tacklers = self._tacklers()
        for place, (tackler, name) in enumerate(tacklers):
            stat = 82 if place else 80
            if len(tacklers) == 1:
                stat = 79
            self.rows.append(StatRow(stat, 0, team, tackler, name))

    def _tacklers(self) -> list[tuple[str | None, str | None]]:
        ids = [text.strip() for text in (self.row.text("tackler_ids") or "").split(";")]
        names = [text.strip() for text in (self.row.text("tacklers") or "").split(";")]
        count = max(len(ids), len(names))
        ids, names = ids + [""] * (count - len(ids)), names + [""] * (count - len(names))
        return [
            (player_id(printed_id or None), name or None)
            for printed_id, name in zip(ids, names, strict=True)
            if printed_id or name
        ]
