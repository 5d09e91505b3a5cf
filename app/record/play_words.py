"""Plays of the record in words, as they stand. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record import queries as record
from app.record.models import RecordedEvent
from app.record.play_sentence import ball_events, joined, play_sentences, surnames
from app.record.queries import GameRow
from app.record.words import Sentence, clock_words, period_words

PlayKey = tuple[str, int]  # a game's id and a play's number


@dataclass(frozen=True)
class ToldPlay:
    """A play in words. `clock`: as in `Q3 0:46`; empty without a snap."""

    words: Sentence
    clock: str


def told_plays(plays: Collection[PlayKey], games: Mapping[str, GameRow]) -> dict[PlayKey, ToldPlay]:
    """Load these plays as they stand; those without a valid event are left out.

    Args:
        plays: The plays.
        games: Their games by id.
    """
    bodies: dict[PlayKey, list[ev.Body]] = defaultdict(list)
    query = (
        select(RecordedEvent.game_id, RecordedEvent.play_number, RecordedEvent.body)
        .where(
            RecordedEvent.game_id.in_({game_id for game_id, _ in plays}),
            RecordedEvent.play_number.in_({play for _, play in plays}),
            RecordedEvent.valid,
        )
        .order_by(RecordedEvent.game_id, RecordedEvent.event_number)
    )
    for game_id, play, body in db.session.execute(query):
        bodies[game_id, play].append(ev.body_from(body))
    names = surnames(
        record.names(
            {who for play in bodies.values() for body in play for who in ev.players_of(body)}
        )
    )
    in_words = {}
    for place in plays:
        if place in bodies:
            game = games[place[0]]
            sentences = play_sentences(
                ball_events(bodies[place]), names, (game.home.id, game.away.id)
            )
            in_words[place] = ToldPlay(joined(sentences), _clock(bodies[place]))
    return in_words


def _clock(bodies: list[ev.Body]) -> str:
    snap = next((body for body in bodies if isinstance(body, ev.Snap)), None)
    return f"{period_words(snap.period)} {clock_words(snap.clock)}" if snap is not None else ""
