"""Made-up games for tests of the road.

Two clubs, a few footballers, and messages as the relay would send them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from app.core.db import db
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.scoring.points import store_player_points
from app.record import events as ev
from app.record.ingest import Outcome, ingest_batch
from app.record.models import Club, Footballer, Game
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS

KICKOFF = datetime(2026, 9, 13, 17, 0, tzinfo=UTC)
NOW = datetime(2026, 9, 13, 18, 0, tzinfo=UTC)
RECORDED_AT = 1_789_000_000_000


def make_game(game_id: str = "g1", week: int = 1) -> Game:
    """Harbor (HRB) against Summit (SUM).

    Of each: passer H1/S1, catcher H2/S2, runner H3/S3, tackler H9/S9.
    """
    if db.session.get(Club, "HRB") is None:
        for club, name in (("HRB", "Harbor"), ("SUM", "Summit")):
            db.session.add(Club(id=club, name=name, nickname="", colour="#224466"))
        db.session.flush()
        for club, letter in (("HRB", "H"), ("SUM", "S")):
            for number, position in ((1, "QB"), (2, "WR"), (3, "RB"), (9, "LB")):
                db.session.add(
                    Footballer(
                        id=f"{letter}{number}",
                        name=f"{letter}. Player{number}",
                        club_id=club,
                        position=position,
                        number=number,
                    )
                )
    game = Game(
        id=game_id,
        season=2026,
        season_type="REG",
        week=week,
        kickoff=KICKOFF,
        home_id="HRB",
        away_id="SUM",
    )
    db.session.add(game)
    db.session.commit()
    return game


def touchdown_drive() -> list[ev.Body]:
    """Kick-off, a run of 10, a pass of 65 for a touchdown, the extra point.

    11 bodies, Harbor leads 7-0.
    """
    return [
        ev.GameStarted(home="HRB", away="SUM"),
        ev.Period(period=1, phase="start"),
        ev.Snap(possession="SUM", spot=35, period=1, clock=900, situation="kickoff"),
        ev.Kick(team="SUM", kind="kickoff", result="returned", start_yard=35, distance=40),
        ev.Snap(possession="HRB", spot=25, period=1, clock=900, down=1, distance=10),
        ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=35),
        ev.Snap(possession="HRB", spot=35, period=1, clock=870, down=1, distance=10),
        ev.Pass(
            team="HRB",
            passer="H1",
            receiver="H2",
            result="complete",
            throw_yard=35,
            reception_yard=60,
        ),
        ev.Run(
            team="HRB",
            player="H2",
            kind="after_catch",
            start_yard=60,
            end_yard=100,
            is_touchdown=True,
        ),
        ev.Snap(possession="HRB", spot=85, period=1, clock=860, situation="try"),
        ev.Kick(team="HRB", kind="extra_point", result="good", start_yard=67),
    ]


DRIVE = touchdown_drive()
NULLIFIED_DRIVE = [*DRIVE, ev.Nullify(events=(8, 9), reason="Holding")]


def game_events(
    bodies: list[ev.Body], game_id: str = "g1", first: int = 1, play: int = 0
) -> list[ev.GameEvent]:
    """The bodies as events numbered from `first`; each snap from `play` on is a new play."""
    envelopes = []
    for number, body in enumerate(bodies, start=first):
        play += isinstance(body, ev.Snap)
        envelopes.append(
            ev.GameEvent(
                game_id=game_id,
                event_number=number,
                play_number=play,
                epoch=1,
                recorded_at=RECORDED_AT,
                body=body,
            )
        )
    return envelopes


def messages(
    bodies: list[ev.Body], game_id: str = "g1", first: int = 1, partition: int = 0, play: int = 0
) -> list[Message]:
    """The bodies as messages of their events, each at the offset before its number."""
    return [_message_of(event, partition) for event in game_events(bodies, game_id, first, play)]


def timed_messages(
    bodies: list[ev.Body], game_id: str = "g1", start: int = RECORDED_AT
) -> list[Message]:
    """The bodies as messages of events that were recorded a second apart.

    Event n at `start` + n seconds.
    """
    return [
        _message_of(msgspec.structs.replace(event, recorded_at=start + event.event_number * 1000))
        for event in game_events(bodies, game_id)
    ]


def _message_of(event: ev.GameEvent, partition: int = 0) -> Message:
    return Message(
        GAME_EVENTS.name, partition, event.event_number - 1, event.game_id, ev.encode(event)
    )


def ingest(batch: Sequence[Message]) -> Outcome:
    """Put messages into the record and store the points that they earn. No table is refreshed."""
    return ingest_batch(batch, NOW, store_player_points)


def ingest_and_refresh(batch: Sequence[Message]) -> None:
    """Ingest messages and refresh the tables that their games move."""
    ingest(batch)
    for game_id in dict.fromkeys(str(message.key) for message in batch):
        refresh_game(game_id, NOW)
