"""A spotter beside the scorer.

Says who on the plays that the scorer enters, into the one record (decision 47).

Lives here: accepting a spotter's entry, and the plays that the spotter's screen shows. Not here:
what a credit makes of a play (rules.py). A spotter needs no lease: their entries take the
next numbers of the running epoch while the game's row is locked, so that the record has one order
and one line of numbers.
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
from scorer_console.record.accepted import AcceptedEvents, accepted_events, spotters_entry
from scorer_console.record.numbering import Accepted, Entry, RefusedEntryError
from scorer_console.roster import queries as roster
from scorer_console.roster.queries import PlayerRow
from scorer_console.spotter.plays import Given, Play, Slot
from scorer_console.spotter.rules import Credit, RefusedCreditError, attach

SHOWN_PLAYS = 20
MOST_BODIES = 40


@dataclass(frozen=True)
class PlayRow:
    """One play as the spotter sees it.

    `state`: open, waiting (only snapped), struck (it does not count any more).

    `lines`: number and sentence of what happened, credits left out. `missing`: who is still to be
    named, in words.
    """

    number: int
    title: str
    state: str
    lines: list[tuple[int, str]]
    slots: list[Slot]
    given: list[Given]
    missing: list[str]
    tackling: str | None
    defence: str | None


@dataclass(frozen=True)
class SpotterScreen:
    """`plays`: newest first, up to SHOWN_PLAYS of them.

    `newer`, `older`: the first play of those pages, or None.
    """

    game: ConsoleGame
    plays: list[PlayRow]
    newer: int | None
    older: int | None
    status: str
    score: tuple[int, int]
    situation: dict[str, Any]


def spot_credits(
    game_id: str,
    key: str,
    play_number: int,
    given_credits: Sequence[Credit],
    now: datetime,
    *,
    member: str,
) -> list[Accepted]:
    """Puts the credits to the play, all of them or none.

    The same key again gives the first numbers. Commits.

    Raises UnknownGameError; RefusedEntryError or RefusedCreditError when the play does not exist,
    was struck out, or does not have what is named; PlayNotEnteredError when the scorer has entered
    its snap only.
    """
    entry = spotters_entry(member, key)
    keys = [f"{entry}:{index}" for index in range(MOST_BODIES)]
    with transaction():
        game = leases.lock(game_id)
        if known := numbering.known_numbers(game_id, keys):
            return [
                Accepted(number, play, repeated=True) for number, play in sorted(known.values())
            ]
        play = _play(game_id, play_number, game.home_id, game.away_id)
        current = accepted_events(game_id).fold.current_play(game.last_play_number)
        if play_number != current and not play.has_action:
            raise RefusedCreditError(
                f"Play {play_number} has no action that stands, and the game went on: nothing is "
                "added to it."
            )
        people = roster.roster(game_id, game.home_id, game.away_id)
        clubs, names = {one.id: one.club for one in people}, {one.id: one.name for one in people}
        bodies = attach(play, given_credits, clubs, names)
        if len(bodies) > MOST_BODIES:
            raise RefusedCreditError("credits: name fewer players at once.")
        entries = [
            Entry(ev.check(body), name, play_number)
            for body, name in zip(bodies, keys, strict=False)
        ]
        return numbering.add(game, entries, {}, now)


def _play(game_id: str, number: int, home: str, away: str) -> Play:
    """Return the play. Raises RefusedEntryError if there is none or it was struck out."""
    accepted = accepted_events(game_id)
    snapped = any(
        one.play_number == number and isinstance(one.body, ev.Snap) for one in accepted.fold.entered
    )
    if not snapped:
        raise RefusedEntryError(
            f"play_number: there is no play {number} in this game: choose one from the list."
        )
    events = [one for one in accepted.fold.in_order if one.play_number == number]
    if not any(isinstance(one.body, ev.Snap) for one in events):
        raise RefusedEntryError(
            f"play_number: play {number} was struck out: nothing can be added to it."
        )
    return Play(
        number,
        events,
        lambda club: away if club == home else home,
        under_review=number in plays_under_review(_numbered(accepted)),
    )


def _numbered(accepted: AcceptedEvents) -> list[Numbered]:
    """What counts, and the corrections: event number, play number and body."""
    counted = [(one.event_number, one.play_number, one.body) for one in accepted.fold.effective]
    return [
        *counted,
        *((one.event_number, one.play_number, one.body) for one in accepted.fold.corrections),
    ]


def screen(
    game: ConsoleGame, version: str, people: Sequence[PlayerRow], newest: int | None = None
) -> SpotterScreen:
    """The plays in the order of the game up to number `newest`; None: up to the last one."""
    accepted = accepted_events(game.id)
    names = {player.id: player.name for player in people}
    snapped = {one.play_number for one in accepted.fold.entered if isinstance(one.body, ev.Snap)}
    numbers = sorted(
        snapped, key=lambda play: play_key(play, accepted.fold.play_places), reverse=True
    )
    begin = 0 if newest is None else numbers.index(newest) if newest in snapped else len(numbers)
    shown = numbers[begin : begin + SHOWN_PLAYS]
    plays = [_row(number, accepted, game, names) for number in shown]
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
            "plays": [asdict(play) for play in plays],
        },
    )


def _row(
    number: int, accepted: AcceptedEvents, game: ConsoleGame, names: Mapping[str, str]
) -> PlayRow:
    def other(club: str) -> str:
        return game.away.id if club == game.home.id else game.home.id

    events = [one for one in accepted.fold.in_order if one.play_number == number]
    snap = next((one.body for one in events if isinstance(one.body, ev.Snap)), None)
    play = Play(number, events, other)
    slots = play.slots()
    missing = [slot.words.lower() for slot in slots if slot.is_missing]
    return PlayRow(
        number=number,
        title=_title(snap, other(snap.possession)) if snap else "Struck out",
        state="struck" if snap is None else "open" if play.has_action else "waiting",
        lines=[
            (one.event_number, sentence(one.body, names))
            for one in events
            if not isinstance(one.body, ev.Snap | ev.Tackle | ev.Credit)
        ],
        slots=slots,
        given=play.given(),
        missing=[*missing, "tackled by"] if play.lacks_a_tackle else missing,
        tackling=play.tackling,
        defence=play.defence,
    )


def _title(snap: ev.Snap, other: str) -> str:
    where = spot(snap.possession, snap.spot, other)
    when = f"{period_words(snap.period)} {clock_words(snap.clock)}"
    return f"{down_and_distance(snap)}, {snap.possession} at {where}, {when}"
