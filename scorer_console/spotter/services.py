"""A spotter beside the scorer, who names the players of the plays that are entered (decision 47).

This module accepts a spotter's entries, and shows the plays. A spotter needs no lease: their
entries get the next numbers of the current epoch while the game's row is locked, so that the record
has one order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from app.core.db import transaction
from app.record import events as ev
from app.record.rules.order import play_key
from app.record.rules.reviews import plays_under_review
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import game_state
from app.record.words import clock_words, down_and_distance, period_words, sentence, spot
from scorer_console.lease import leases
from scorer_console.queries import ConsoleGame
from scorer_console.record import numbering
from scorer_console.record.accepted import (
    AcceptedEvents,
    accepted_events,
    remember,
    spotters_entry,
)
from scorer_console.record.numbering import Accepted, Entry, RefusedEntryError
from scorer_console.roster import queries as roster
from scorer_console.roster.queries import PlayerRow
from scorer_console.spotter.plays import GivenCredit, Play, Slot
from scorer_console.spotter.rules import Credit, RefusedCreditError, attach

SHOWN_PLAYS = 20
MOST_BODIES = 40


@dataclass(frozen=True)
class PlayRow:
    """One play as the spotter sees it.

    `state` is open, waiting (only snapped) or struck (it no longer counts). `lines` are number and
    sentence of each event except credits. `missing` are the missing names, in words.
    """

    number: int
    title: str
    state: str
    lines: list[tuple[int, str]]
    slots: list[Slot]
    credits: list[GivenCredit]
    missing: list[str]
    tackling: str | None
    defence: str | None

    def as_json(self) -> dict[str, Any]:
        """Return the row for the page's script, where credits are called `given`."""
        fields = asdict(self)
        return fields | {"given": fields.pop("credits")}


@dataclass(frozen=True)
class SpotterScreen:
    """A page of plays.

    `plays` are the newest first, at most SHOWN_PLAYS. `newer` and `older` are the first plays of
    the neighbouring pages, or None.
    """

    game: ConsoleGame
    plays: list[PlayRow]
    newer: int | None
    older: int | None
    status: str
    score: tuple[int, int]
    situation: dict[str, Any]


@dataclass(frozen=True)
class SpottedPlay:
    """Credits of one play by a spotter. `member` is the spotter, and `key` that of the entry."""

    member: str
    key: str
    play_number: int
    credits: Sequence[Credit]


def spot_credits(game_id: str, spotted: SpottedPlay, now: datetime) -> list[Accepted]:
    """Add the credits to the play, all of them or none. Commits.

    If the key was accepted before, the first numbers are returned again.

    Raises:
        UnknownGameError: There is no such game.
        RefusedEntryError: The play does not exist or was struck out.
        RefusedCreditError: A credit does not fit the play.
        PlayNotEnteredError: The scorer has entered only its snap.
    """
    play_number = spotted.play_number
    entry = spotters_entry(spotted.member, spotted.key)
    keys = [f"{entry}:{index}" for index in range(MOST_BODIES)]
    with transaction():
        game = leases.lock(game_id)
        accepted = accepted_events(game_id)
        if known := accepted.numbers_of(keys):
            return [
                Accepted(number, play, repeated=True) for number, play in sorted(known.values())
            ]
        play = _play(accepted, play_number, *game.clubs)
        current = accepted.fold.current_play(game.last_play_number)
        if play_number != current and not play.has_action:
            raise RefusedCreditError(
                f"Play {play_number} has no valid action and the game has moved on. You can't "
                "add to it."
            )
        people = roster.roster(game_id, game.home_id, game.away_id)
        clubs, names = (
            {person.id: person.club for person in people},
            {person.id: person.name for person in people},
        )
        bodies = attach(play, spotted.credits, clubs, names)
        if len(bodies) > MOST_BODIES:
            raise RefusedCreditError("credits: name fewer players at once.")
        entries = [
            Entry(ev.check(body), name, play_number)
            for body, name in zip(bodies, keys, strict=False)
        ]
        added = numbering.add(game, entries, accepted, now)
    remember(game_id, added.events)
    return added.outcomes


def _play(accepted: AcceptedEvents, number: int, home: str, away: str) -> Play:
    """Return the play. Raises RefusedEntryError if there is none or it was struck out."""
    snapped = any(
        event.play_number == number and isinstance(event.body, ev.Snap)
        for event in accepted.fold.entered
    )
    if not snapped:
        raise RefusedEntryError(
            f"play_number: this game has no play {number}. Choose one from the list."
        )
    events = [event for event in accepted.fold.in_order if event.play_number == number]
    if not any(isinstance(event.body, ev.Snap) for event in events):
        raise RefusedEntryError(f"play_number: play {number} was struck out. You can't add to it.")
    return Play(
        number,
        events,
        lambda club: away if club == home else home,
        under_review=number in plays_under_review(_numbered(accepted)),
    )


def _numbered(accepted: AcceptedEvents) -> list[Numbered]:
    """Return event number, play number and body of the events that count and the corrections."""
    counted = [
        (event.event_number, event.play_number, event.body) for event in accepted.fold.effective
    ]
    return [
        *counted,
        *(
            (event.event_number, event.play_number, event.body)
            for event in accepted.fold.corrections
        ),
    ]


def screen(
    game: ConsoleGame, version: str, people: Sequence[PlayerRow], newest: int | None = None
) -> SpotterScreen:
    """Return the plays in the order of the game up to number `newest`, by default to the last."""
    return screen_of(game, accepted_events(game.id), version, people, newest)


def screen_of(
    game: ConsoleGame,
    accepted: AcceptedEvents,
    version: str,
    people: Sequence[PlayerRow],
    newest: int | None = None,
) -> SpotterScreen:
    """Return the screen of these events. Reads nothing."""
    names = {player.id: player.name for player in people}
    snapped = {
        event.play_number for event in accepted.fold.entered if isinstance(event.body, ev.Snap)
    }
    numbers = sorted(
        snapped, key=lambda play: play_key(play, accepted.fold.play_places), reverse=True
    )
    begin = 0 if newest is None else numbers.index(newest) if newest in snapped else len(numbers)
    page = numbers[begin : begin + SHOWN_PLAYS]
    plays = [_row(number, accepted, game, names) for number in page]
    state = game_state(_numbered(accepted))
    return SpotterScreen(
        game=game,
        plays=plays,
        newer=numbers[max(0, begin - SHOWN_PLAYS)] if begin else None,
        older=next(iter(numbers[begin + SHOWN_PLAYS :]), None),
        status=state.status,
        score=(state.away_score, state.home_score),
        situation={
            "version": version,
            "next_event": game.last_event_number + 1,
            "line": {"state": "clear", "words": "Nothing waits here"},
            "plays": [play.as_json() for play in plays],
        },
    )


def _row(
    number: int, accepted: AcceptedEvents, game: ConsoleGame, names: Mapping[str, str]
) -> PlayRow:
    def other(club: str) -> str:
        return game.away.id if club == game.home.id else game.home.id

    events = [event for event in accepted.fold.in_order if event.play_number == number]
    snap = next((event.body for event in events if isinstance(event.body, ev.Snap)), None)
    play = Play(number, events, other)
    slots = play.slots()
    missing = [slot.words.lower() for slot in slots if slot.is_missing]
    return PlayRow(
        number=number,
        title=_title(snap, other(snap.possession)) if snap else "Struck out",
        state="struck" if snap is None else "open" if play.has_action else "waiting",
        lines=[
            (event.event_number, sentence(event.body, names))
            for event in events
            if not isinstance(event.body, ev.Snap | ev.Tackle | ev.Credit)
        ],
        slots=slots,
        credits=play.credits(),
        missing=[*missing, "tackled by"] if play.lacks_a_tackle else missing,
        tackling=play.tackling,
        defence=play.defence,
    )


def _title(snap: ev.Snap, other: str) -> str:
    where = spot(snap.possession, snap.spot, other)
    when = f"{period_words(snap.period)} {clock_words(snap.clock)}"
    return f"{down_and_distance(snap)}, {snap.possession} at {where}, {when}"
