"""Who took part in a game, as its game book tells it: starters, who else played, who did not, and
every change. Pure.

Lives here: rows by club. Not here: the rule who started and played (rules/participation.py).
Called by export.py, the box score's page and app/api/box_scores.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.record import events as ev
from app.record.queries import GameRow, Person
from app.record.rules.order import in_order
from app.record.rules.participation import Participant, participants
from app.record.rules.stat_lines import Numbered
from app.record.unknown_numbers import unknown_number
from app.record.words import clock_words, period_words

TookPart = Literal["starter", "played", "did_not_play", "inactive"]
Unit = Literal["offence", "defence", "special_teams", ""]

_PARTS: tuple[TookPart, ...] = ("starter", "played", "did_not_play", "inactive")
_UNITS: tuple[Unit, ...] = ("offence", "defence", "special_teams", "")
_POSITIONS: Mapping[Unit, str] = {
    "offence": "QB RB HB FB WR TE OL T G C OT OG LT LG RG RT",
    "defence": "DL DE DT NT EDGE LB ILB OLB MLB CB NB DB S SS FS SAF",
    "special_teams": "K PK P LS KR PR",
}
_UNIT_OF: Mapping[str, Unit] = {
    position: unit for unit, listed in _POSITIONS.items() for position in listed.split()
}
_CHANGES = {
    "in": "in",
    "out": "out",
    "injured": "injured",
    "ejected": "ejected",
    "dressed": "back",
    "inactive": "inactive",
    "starter": "starts",
}


@dataclass(frozen=True)
class RosterChange:
    """What was said of somebody, and when: `period` and `clock` (seconds left) of the last snap,
    null before one.
    """

    status: str
    play_number: int
    period: int | None
    clock: int | None

    @property
    def words(self) -> str:
        """`in Q2 7:31`; without a snap before it `in before the first snap`."""
        said = _CHANGES[self.status]
        if self.period is None or self.clock is None:
            return f"{said} before the first snap"
        return f"{said} {period_words(self.period)} {clock_words(self.clock)}"


@dataclass(frozen=True)
class ParticipantRow:
    """`number`, `position`: of this game where its facts say so, else of the club's roster now.

    Null or "" unknown.

    `took_part`: "played" are those whom a play names or who came in; "did_not_play" those of whom
    the game's facts speak, but no play. `unit`: by position. `status`: the last one said.
    `changes`: all that was said, in order.
    """

    player_id: str
    name: str
    number: int | None
    position: str
    unit: Unit
    took_part: TookPart
    status: str
    changes: tuple[RosterChange, ...]

    @property
    def label(self) -> str:
        """`12 T. Brady (QB)`; of an unknown number, its words."""
        number = "" if self.number is None or unknown_number(self.player_id) else f"{self.number} "
        return f"{number}{self.name}{f' ({self.position})' if self.position else ''}"

    @property
    def words(self) -> str:
        """The changes that are no start, as `in Q2 7:31, injured Q3 0:40`; empty without any."""
        told = [change.words for change in self.changes if change.status != "starter"]
        return ", ".join(told if self.took_part != "inactive" else told[:-1])


@dataclass(frozen=True)
class ClubParticipation:
    """The people of a club: starters, players, who did not play, inactive.

    Each by unit, number, name, id.
    """

    club_id: str
    players: tuple[ParticipantRow, ...]

    def groups(self) -> list[tuple[str, list[ParticipantRow]]]:
        """Title and people of every group that has somebody, in that order; the starters by unit.

        Where nobody has said who started, those who played are not said to have played besides.
        """
        found: dict[str, list[ParticipantRow]] = {}
        for row in self.players:
            found.setdefault(_title(row), []).append(row)
        if any(row.took_part == "starter" for row in self.players):
            return list(found.items())
        return [
            ("Played" if title == _TITLES["played"] else title, rows)
            for title, rows in found.items()
        ]


_TITLES = {"played": "Also played", "did_not_play": "Did not play", "inactive": "Inactive"}
_STARTERS = {
    "offence": "Starters, offence",
    "defence": "Starters, defence",
    "special_teams": "Starters, special teams",
}


def _title(row: ParticipantRow) -> str:
    return (
        _STARTERS.get(row.unit, "Starters")
        if row.took_part == "starter"
        else _TITLES[row.took_part]
    )


def participation(
    game: GameRow, events: Sequence[Numbered], people: Mapping[str, Person]
) -> tuple[ClubParticipation, ClubParticipation]:
    """Of these valid events, away club first. `people`: the footballers whom they name."""
    told = participants(events, game.home.id, game.away.id)
    changes = _changes(events)
    rows = {
        player: _row(one, people.get(player), changes.get(player, ()))
        for player, one in told.items()
    }

    def side(club: str) -> ClubParticipation:
        of = [rows[player] for player, one in told.items() if one.club_id == club]
        return ClubParticipation(club, tuple(sorted(of, key=_order)))

    return side(game.away.id), side(game.home.id)


def _row(
    told: Participant, known: Person | None, changes: tuple[RosterChange, ...]
) -> ParticipantRow:
    number = told.numbers[-1] if told.numbers else known.number if known else None
    position = told.position if told.position is not None else known.position if known else ""
    name = known.name if known else told.name or told.player_id
    unit = _UNIT_OF.get(position.upper(), "")
    return ParticipantRow(
        told.player_id, name, number, position, unit, _part(told), told.status, changes
    )


def _part(told: Participant) -> TookPart:
    if told.starts:
        return "starter"
    if told.played:
        return "played"
    return "inactive" if told.status == "inactive" else "did_not_play"


def _order(row: ParticipantRow) -> tuple[int, int, int, str, str]:
    number = 1000 if row.number is None else row.number
    return _PARTS.index(row.took_part), _UNITS.index(row.unit), number, row.name, row.player_id


def _changes(events: Sequence[Numbered]) -> dict[str, tuple[RosterChange, ...]]:
    """By player, what was said of them in the order of the game, with the snap that was the last by
    then.
    """
    found: dict[str, tuple[RosterChange, ...]] = {}
    snap: ev.Snap | None = None
    for _, play, body in in_order(events):
        if isinstance(body, ev.Snap):
            snap = body
        elif isinstance(body, ev.RosterFact) and body.status is not None:
            change = RosterChange(
                body.status, play, snap.period if snap else None, snap.clock if snap else None
            )
            found[body.player] = (*found.get(body.player, ()), change)
    return found
