"""Who may be named in a game: the clubs' footballers, and whoever its own facts put on a roster.

Lives here: the roster as the console shows it, the check of what a scorer enters, and the unknown
numbers that wait for a name. Not here: the rule that folds the facts
(app/record/rules/participation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.models import Footballer
from app.record.new_footballers import MADE
from app.record.queries import ClubRow
from app.record.rules.participation import Participant, participants
from app.record.rules.team_defence import POSITION
from app.record.unknown_numbers import unknown_number
from scorer_console.record.accepted import accepted_events
from scorer_console.record.effective_events import EffectiveEvent

NAMED_AT_ONCE = 40  # events of one entry
UNKNOWN_SHOWN = 20


@dataclass(frozen=True)
class PlayerRow:
    """`status`: the last that the game's facts say of them, "" for nothing."""

    id: str
    club: str
    number: int | None
    name: str
    position: str
    status: str = ""


@dataclass(frozen=True)
class Unknown:
    """An unknown number, and the events that name it, oldest first, as plain values."""

    id: str
    club: str
    number: int
    count: int
    events: list[dict[str, Any]]


def registered(home: str, away: str) -> list[PlayerRow]:
    """Return the people of both clubs without their D/STs.

    They are ordered by club, jersey number (none last), name and id.
    """
    found = db.session.scalars(
        select(Footballer).where(
            Footballer.club_id.in_([home, away]), Footballer.position != POSITION
        )
    )
    rows = [
        PlayerRow(one.id, one.club_id or "", one.number, one.name, one.position) for one in found
    ]
    return sorted(rows, key=_order)


def _order(row: PlayerRow) -> tuple[str, int, str, str]:
    return row.club, 1000 if row.number is None else row.number, row.name, row.id


def changed(
    events: Sequence[EffectiveEvent], home: str, away: str, base: Iterable[PlayerRow]
) -> list[PlayerRow]:
    """Return the rows of everybody whom the facts of the game change.

    They are ordered by club, number, name and id.
    """
    known = {row.id: row for row in base}
    facts = [
        (one.event_number, one.play_number, one.body)
        for one in events
        if isinstance(one.body, ev.RosterFact)
    ]
    told = participants(facts, home, away)
    strangers = told.keys() - known.keys()
    if strangers:
        found = db.session.scalars(select(Footballer).where(Footballer.id.in_(strangers)))
        known |= {
            one.id: PlayerRow(one.id, "", one.number, one.name, one.position) for one in found
        }
    return sorted((_row(one, known.get(one.player_id)) for one in told.values()), key=_order)


def _row(told: Participant, known: PlayerRow | None) -> PlayerRow:
    unknown = unknown_number(told.player_id)
    return PlayerRow(
        id=told.player_id,
        club=told.club_id,
        number=told.numbers[-1] if told.numbers else known.number if known else None,
        name=told.name or (known.name if known else unknown.words if unknown else told.player_id),
        position=(known.position if known else "") if told.position is None else told.position,
        status=told.status,
    )


def roster(game_id: str, home: str, away: str) -> list[PlayerRow]:
    """Return everybody who may be named in the game, with what its facts say.

    They are ordered by club, number (none last), name and id.
    """
    base = registered(home, away)
    rows = {row.id: row for row in base}
    rows |= {
        row.id: row for row in changed(accepted_events(game_id).fold.effective, home, away, base)
    }
    return sorted((row for row in rows.values() if unknown_number(row.id) is None), key=_order)


def unknown_numbers(events: Sequence[EffectiveEvent], home: str, away: str) -> list[Unknown]:
    """The numbers that nobody has named yet, by club, then number."""
    found: dict[str, list[EffectiveEvent]] = {}
    for one in events:
        for player in {named.player for named in ev.named_in(one.body, home, away)}:
            if unknown_number(player) is not None:
                found.setdefault(player, []).append(one)
    rows = []
    for player, named in found.items():
        unknown = unknown_number(player)
        assert unknown is not None
        bodies = [
            {
                "number": one.event_number,
                "play_number": one.play_number,
                "body": ev.body_to(one.body),
            }
            for one in named[:NAMED_AT_ONCE]
        ]
        rows.append(Unknown(player, unknown.club, unknown.number, len(named), bodies))
    return sorted(rows, key=lambda row: (row.club, row.number))[:UNKNOWN_SHOWN]


def clubs_of_named(game_id: str, home: str, away: str, bodies: Iterable[ev.Body]) -> dict[str, str]:
    """By id, the club for which each of those whom the bodies name may be named.

    Without whoever is on no roster.
    """
    players = {player for body in bodies for player in ev.players_of(body)}
    if not players:
        return {}
    found = db.session.execute(
        select(Footballer.id, Footballer.club_id).where(
            Footballer.id.in_(players),
            Footballer.club_id.in_([home, away]),
            Footballer.position != POSITION,
        )
    )
    clubs = {player: club for player, club in found if club is not None}
    facts = (one.body for one in accepted_events(game_id).fold.effective)
    clubs |= {
        body.player: body.team
        for body in facts
        if isinstance(body, ev.RosterFact) and body.player in players
    }
    return clubs | {
        player: unknown.club for player in players if (unknown := unknown_number(player))
    }


def footballers(bodies: Iterable[ev.Body]) -> set[str]:
    """Return the footballers, of any club or none, whom roster entries among the bodies name."""
    facts = (getattr(body, "ruling", body) for body in bodies)
    players = {fact.player for fact in facts if isinstance(fact, ev.RosterFact)}
    if not players:
        return set()
    return set(
        db.session.scalars(
            select(Footballer.id).where(Footballer.id.in_(players), Footballer.position != POSITION)
        )
    )


def person_fault(
    body: ev.Body, home: str, away: str, clubs: Mapping[str, str], known: Iterable[str]
) -> str | None:
    """Name somebody in the body who is not on the roster of the club they are named for.

    `clubs`: as clubs_of_named gives them. `known`: footballers of any club, whom a roster entry may
    name.
    """
    for one in ev.named_in(body, home, away):
        club = clubs.get(one.player)
        if club is not None and club == one.club:
            continue
        if _joins(body, one.player, known):
            continue
        where = (
            f"plays for {club}, not for {one.club}" if club else f"is not on {one.club}'s roster"
        )
        return (
            f"{one.field}: {one.player} {where}; add them to {one.club} with the roster key (l), "
            "or name another."
        )
    return None


def _joins(body: ev.Body, player: str, known: Iterable[str]) -> bool:
    """Whether the body itself puts this person on a roster.

    Known from elsewhere, or made by hand, with a name.
    """
    fact = getattr(body, "ruling", body)
    if (
        not isinstance(fact, ev.RosterFact)
        or fact.player != player
        or unknown_number(player) is not None
    ):
        return False
    return player in known or (fact.name is not None and player.startswith(MADE))


STATUS_WORDS = {
    "": "–",
    "dressed": "dressed",
    "starter": "starter",
    "in": "came in",
    "out": "went out",
    "injured": "injured",
    "inactive": "inactive",
    "ejected": "ejected",
}


@dataclass(frozen=True)
class ListRow:
    """`numbers`: the jerseys worn in the game, in order, as 3, 33."""

    id: str
    numbers: str
    name: str
    position: str
    starts: bool
    played: bool
    status: str


@dataclass(frozen=True)
class ClubList:
    """A club's roster in a game."""

    club: ClubRow
    rows: list[ListRow]

    @property
    def took_part(self) -> int:
        """How many of them played."""
        return sum(row.played for row in self.rows)


def lists(game_id: str, away: ClubRow, home: ClubRow) -> list[ClubList]:
    """Both clubs' people, visitors first, with the unknown numbers whom plays name.

    By number, name, id.
    """
    effective = accepted_events(game_id).fold.effective
    events = [(one.event_number, one.play_number, one.body) for one in effective]
    told = participants(events, home.id, away.id)
    rows = {row.id: row for row in roster(game_id, home.id, away.id)}
    for player in told.keys() - rows.keys():
        rows[player] = _row(told[player], None)
    ordered = sorted(rows.values(), key=_order)
    return [
        ClubList(club, [_listed(row, told.get(row.id)) for row in ordered if row.club == club.id])
        for club in (away, home)
    ]


def _listed(row: PlayerRow, told: Participant | None) -> ListRow:
    numbers = told.numbers if told and told.numbers else () if row.number is None else (row.number,)
    return ListRow(
        id=row.id,
        numbers=", ".join(str(one) for one in numbers) or "–",
        name=row.name,
        position=row.position,
        starts=bool(told and told.starts),
        played=bool(told and told.played),
        status=told.status if told else "",
    )
