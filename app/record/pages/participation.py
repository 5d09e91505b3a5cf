"""Who took part in a game, by club: starters, other players, people who did not play. Pure.

The rule for who started and played is in rules/participation.py. Used by the exports, the box
score's page and the API.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.record import events as ev
from app.record.queries import ClubPlayer, GameRow
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
    """A roster entry about a person, and when it was made.

    `period` and `clock` (seconds left) are those of the last snap. Null before the first one.
    """

    status: str
    play_number: int
    period: int | None
    clock: int | None

    @property
    def words(self) -> str:
        """The change and its time, like `in Q2 7:31` or `in before the first snap`."""
        change = _CHANGES[self.status]
        if self.period is None or self.clock is None:
            return f"{change} before the first snap"
        return f"{change} {period_words(self.period)} {clock_words(self.clock)}"


@dataclass(frozen=True)
class ParticipantRow:
    """A person's part in a game.

    `number` and `position` are those recorded in this game, otherwise those on the club's current
    roster; null or "" if unknown. `took_part` is "played" if a play names the person or they came
    in, and "did_not_play" if only roster entries name them. `unit` follows from the position,
    `status` is the last one recorded, and `changes` lists all roster entries in order.
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
        """Number, name and position, like `12 T. Brady (QB)`."""
        number = "" if self.number is None or unknown_number(self.player_id) else f"{self.number} "
        return f"{number}{self.name}{f' ({self.position})' if self.position else ''}"

    @property
    def words(self) -> str:
        """All changes but the start, like `in Q2 7:31, injured Q3 0:40`."""
        changes = [change.words for change in self.changes if change.status != "starter"]
        return ", ".join(changes if self.took_part != "inactive" else changes[:-1])


@dataclass(frozen=True)
class ClubParticipation:
    """The people of a club: starters, players, those who did not play, inactive.

    Each group is ordered by unit, number, name, id.
    """

    club_id: str
    players: tuple[ParticipantRow, ...]

    def groups(self) -> list[tuple[str, list[ParticipantRow]]]:
        """Title and people of every group that is not empty; starters have a group per unit.

        Players are titled "Played" instead of "Also played" if no starters are recorded.
        """
        groups: dict[str, list[ParticipantRow]] = {}
        for row in self.players:
            groups.setdefault(_title(row), []).append(row)
        if any(row.took_part == "starter" for row in self.players):
            return list(groups.items())
        return [
            ("Played" if title == _TITLES["played"] else title, rows)
            for title, rows in groups.items()
        ]


_TITLES = {"played": "Also played", "did_not_play": "Did not play", "inactive": "Inactive"}
_STARTERS = {
    "offence": "Starters, offense",
    "defence": "Starters, defense",
    "special_teams": "Starters, special teams",
}


def _title(row: ParticipantRow) -> str:
    return (
        _STARTERS.get(row.unit, "Starters")
        if row.took_part == "starter"
        else _TITLES[row.took_part]
    )


def participation(
    game: GameRow, events: Sequence[Numbered], people: Mapping[str, ClubPlayer]
) -> tuple[ClubParticipation, ClubParticipation]:
    """Who took part by these valid events, away club first.

    `people`: the footballers whom the events name.
    """
    by_player = participants(events, game.home.id, game.away.id)
    changes = _changes(events)
    rows = {
        player: _row(participant, people.get(player), changes.get(player, ()))
        for player, participant in by_player.items()
    }

    def side(club: str) -> ClubParticipation:
        of_club = [rows[player] for player in by_player if by_player[player].club_id == club]
        return ClubParticipation(club, tuple(sorted(of_club, key=_order)))

    return side(game.away.id), side(game.home.id)


def _row(
    participant: Participant, person: ClubPlayer | None, changes: tuple[RosterChange, ...]
) -> ParticipantRow:
    number, position = (person.number, person.position) if person else (None, "")
    if participant.numbers:
        number = participant.numbers[-1]
    if participant.position is not None:
        position = participant.position
    name = person.name if person else participant.name or participant.player_id
    unit = _UNIT_OF.get(position.upper(), "")
    return ParticipantRow(
        player_id=participant.player_id,
        name=name,
        number=number,
        position=position,
        unit=unit,
        took_part=_part(participant),
        status=participant.status,
        changes=changes,
    )


def _part(participant: Participant) -> TookPart:
    if participant.starts:
        return "starter"
    if participant.played:
        return "played"
    return "inactive" if participant.status == "inactive" else "did_not_play"


def _order(row: ParticipantRow) -> tuple[int, int, int, str, str]:
    number = 1000 if row.number is None else row.number
    return _PARTS.index(row.took_part), _UNITS.index(row.unit), number, row.name, row.player_id


def _changes(events: Sequence[Numbered]) -> dict[str, tuple[RosterChange, ...]]:
    """The roster entries by player, in the order of the game, with the time of the last snap."""
    changes: dict[str, tuple[RosterChange, ...]] = {}
    snap: ev.Snap | None = None
    for _, play, body in in_order(events):
        if isinstance(body, ev.Snap):
            snap = body
        elif isinstance(body, ev.RosterFact) and body.status is not None:
            change = RosterChange(
                body.status, play, snap.period if snap else None, snap.clock if snap else None
            )
            changes[body.player] = (*changes.get(body.player, ()), change)
    return changes
