"""Who may be named in a game: the clubs' footballers, and players added by the game's own events.

This module has the roster as the console shows it, the check of entered players, and the unknown
numbers that wait for a name. The rule that folds the roster events is in
app/record/rules/participation.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value
from app.record import events as ev
from app.record.models import Footballer
from app.record.new_footballers import MADE
from app.record.queries import ClubRow
from app.record.rules.participation import Participant, participants
from app.record.rules.team_defence import POSITION
from app.record.unknown_numbers import unknown_number
from scorer_console.record.accepted import accepted_events
from scorer_console.record.effective_events import EffectiveEvent, Fold

NAMED_AT_ONCE = 40  # most events per entry
UNKNOWN_SHOWN = 20


@dataclass(frozen=True)
class PlayerRow:
    """A player on the roster. `status` is the last one by the game's events, or ""."""

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
    return cached_value(
        f"roster:{home}:{away}",
        list[PlayerRow],
        lambda: CachedValue(_registered(home, away), ("footballers",)),
    )


def _registered(home: str, away: str) -> list[PlayerRow]:
    footballers = db.session.execute(
        select(
            Footballer.id,
            Footballer.club_id,
            Footballer.number,
            Footballer.name,
            Footballer.position,
        ).where(Footballer.club_id.in_([home, away]), Footballer.position != POSITION)
    )
    rows = [
        PlayerRow(player, club or "", number, name, position)
        for player, club, number, name, position in footballers
    ]
    return sorted(rows, key=_order)


def _order(row: PlayerRow) -> tuple[str, int, str, str]:
    return row.club, 1000 if row.number is None else row.number, row.name, row.id


def changed(fold: Fold, home: str, away: str, base: Iterable[PlayerRow]) -> list[PlayerRow]:
    """Return the rows of everybody whose entry the roster events of the game change.

    They are ordered by club, number, name and id.
    """
    known = {row.id: row for row in base}
    facts_of = participants(fold.roster_facts, home, away)
    strangers = facts_of.keys() - known.keys()
    if strangers:
        footballers = db.session.scalars(select(Footballer).where(Footballer.id.in_(strangers)))
        known |= {
            footballer.id: PlayerRow(
                footballer.id, "", footballer.number, footballer.name, footballer.position
            )
            for footballer in footballers
        }
    return sorted(
        (_row(participant, known.get(participant.player_id)) for participant in facts_of.values()),
        key=_order,
    )


def _row(participant: Participant, known: PlayerRow | None) -> PlayerRow:
    unknown = unknown_number(participant.player_id)
    return PlayerRow(
        id=participant.player_id,
        club=participant.club_id,
        number=participant.numbers[-1] if participant.numbers else known.number if known else None,
        name=participant.name
        or (known.name if known else unknown.words if unknown else participant.player_id),
        position=(known.position if known else "")
        if participant.position is None
        else participant.position,
        status=participant.status,
    )


def roster(game_id: str, home: str, away: str) -> list[PlayerRow]:
    """Return everybody who may be named in the game, updated by its roster events.

    They are ordered by club, number (none last), name and id.
    """
    base = registered(home, away)
    rows = {row.id: row for row in base}
    rows |= {row.id: row for row in changed(accepted_events(game_id).fold, home, away, base)}
    return sorted((row for row in rows.values() if unknown_number(row.id) is None), key=_order)


def unknown_numbers(events: Sequence[EffectiveEvent], home: str, away: str) -> list[Unknown]:
    """Return the jersey numbers that have no name yet, by club, then number."""
    naming: dict[str, list[EffectiveEvent]] = {}
    for event in events:
        for player in {named.player for named in ev.named_in(event.body, home, away)}:
            if unknown_number(player) is not None:
                naming.setdefault(player, []).append(event)
    rows = []
    for player, named in naming.items():
        unknown = unknown_number(player)
        assert unknown is not None
        bodies = [
            {
                "number": event.event_number,
                "play_number": event.play_number,
                "body": ev.body_to(event.body),
            }
            for event in named[:NAMED_AT_ONCE]
        ]
        rows.append(Unknown(player, unknown.club, unknown.number, len(named), bodies))
    return sorted(rows, key=lambda row: (row.club, row.number))[:UNKNOWN_SHOWN]


def clubs_of_named(fold: Fold, home: str, away: str, bodies: Iterable[ev.Body]) -> dict[str, str]:
    """Return the club of each player whom the bodies name, by id, without those on no roster."""
    players = {player for body in bodies for player in ev.players_of(body)}
    if not players:
        return {}
    clubs = {row.id: row.club for row in registered(home, away) if row.id in players}
    clubs |= {body.player: body.team for _, _, body in fold.roster_facts if body.player in players}
    return clubs | {
        player: unknown.club for player in players if (unknown := unknown_number(player))
    }


def footballers(bodies: Iterable[ev.Body]) -> set[str]:
    """Load the footballers whom roster entries among the bodies name, whatever their club."""
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

    `clubs` is the result of clubs_of_named. `known` are footballers of any club, whom roster
    entries may name.
    """
    for named in ev.named_in(body, home, away):
        club = clubs.get(named.player)
        if club is not None and club == named.club:
            continue
        if _joins(body, named.player, known):
            continue
        where = (
            f"plays for {club}, not for {named.club}"
            if club
            else f"is not on {named.club}'s roster"
        )
        return (
            f"{named.field}: {named.player} {where}; add them to {named.club} with the roster key "
            "(l), or choose another player."
        )
    return None


def _joins(body: ev.Body, player: str, known: Iterable[str]) -> bool:
    """Whether the body itself puts this person on a roster. New ones need a name."""
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
    """A player in a list. `numbers` are the jerseys worn in the game, in order, such as 3, 33."""

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
        """The number of players who took part."""
        return sum(row.played for row in self.rows)


def lists(game_id: str, away: ClubRow, home: ClubRow) -> list[ClubList]:
    """Return both clubs' players, visitors first, by number, name and id.

    They include unknown numbers that plays name.
    """
    effective = accepted_events(game_id).fold.effective
    events = [(event.event_number, event.play_number, event.body) for event in effective]
    facts_of = participants(events, home.id, away.id)
    rows = {row.id: row for row in roster(game_id, home.id, away.id)}
    for player in facts_of.keys() - rows.keys():
        rows[player] = _row(facts_of[player], None)
    ordered = sorted(rows.values(), key=_order)
    return [
        ClubList(
            club, [_listed(row, facts_of.get(row.id)) for row in ordered if row.club == club.id]
        )
        for club in (away, home)
    ]


def _listed(row: PlayerRow, participant: Participant | None) -> ListRow:
    numbers = (
        participant.numbers
        if participant and participant.numbers
        else ()
        if row.number is None
        else (row.number,)
    )
    return ListRow(
        id=row.id,
        numbers=", ".join(str(number) for number in numbers) or "–",
        name=row.name,
        position=row.position,
        starts=bool(participant and participant.starts),
        played=bool(participant and participant.played),
        status=participant.status if participant else "",
    )
