"""A game with inserted, moved, edited and deleted plays is rebuilt equal from the stream."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
from flask import Flask
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.scoring.points import forget_player_points, store_player_points
from app.fantasy.standings.boards import publish_all_boards
from app.record import events as ev
from app.record.models import GameState, StatLine
from app.record.rebuild import Rebuilt, Stream, rebuild_game
from app.settings import Settings
from scorer_console.record.accepted import accepted_events
from scorer_console.record.numbering import Entry
from tests.worlds.entered_game import every_row, publish, take_in
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.misordered_game import entered_out_of_order
from tests.worlds.scorer import submit

DRIVES = 6


def worked_on(game: str) -> None:
    """Touchdown drives, entered out of their order.

    Then a play written anew, and one struck out.
    """
    first, *later = [touchdown_drive()] + [touchdown_drive()[2:] for _ in range(DRIVES - 1)]
    played = [*first, *(body for drive in later for body in drive)]
    standing, play = [], 0
    for number, body in enumerate(played, start=1):
        play += isinstance(body, ev.Snap)
        standing.append((number, play, body))
    randomness = Random(3)  # noqa: S311  (the same order every time)
    for event in entered_out_of_order(standing, randomness, game):
        number = None if isinstance(event.body, ev.Snap) else event.play_number
        submit(game, [Entry(event.body, f"played:{event.event_number}", number)], clock.now())
    fold = accepted_events(game).fold
    runs = [
        event
        for event in fold.in_order
        if isinstance(event.body, ev.Run) and event.body.kind == "rush"
    ]
    anew, struck = runs[1], runs[3]
    shorter = msgspec.structs.replace(anew.body, end_yard=30, place=None)
    submit(
        game,
        [
            Entry(
                ev.Nullify(events=(anew.event_number,), reason="written anew"),
                "anew:0",
                anew.play_number,
            ),
            Entry(shorter, "anew:1", anew.play_number),
        ],
        clock.now(),
    )
    nullified = tuple(
        event.event_number for event in fold.in_order if event.play_number == struck.play_number
    )
    submit(game, [Entry(ev.Nullify(events=nullified), "struck:0", struck.play_number)], clock.now())


def test_a_game_with_inserted_and_moved_plays_rebuilt_is_the_live_one_row_for_row(
    app: Flask, own_broker: Settings, tmp_path: Path, game: str, member: Callable[..., Member]
) -> None:
    make_game(game)
    worked_on(game)
    sent = publish(own_broker, game, clock.now())
    bodies = [ev.decode(message.value).body for message in sent if message.value]
    assert any(isinstance(body, ev.Snap) and body.play_place is not None for body in bodies), (
        "one is inserted"
    )
    moved = [
        body
        for body in bodies
        if isinstance(body, ev.Overturn) and isinstance(body.ruling, ev.Snap)
    ]
    assert moved, "one is moved"
    take_in(sent, clock.now())
    ann = member("ann")
    league = make_league(ann.id, {ann.id: "ann"}, rules="ppr", weeks=1)
    players = db.session.scalars(
        select(StatLine.player_id).where(StatLine.game_id == game).order_by("player_id")
    )
    make_sheet(ann.id, league, list(players)[:9], week=1)
    db.session.commit()
    refresh_game(game, clock.now())

    before = every_row()
    state = db.session.get(GameState, game)
    assert state is not None
    assert state.home_score == 7 * DRIVES
    assert any(
        '"closed_by": ' in row and '"closed_by": null' not in row for row in before["ledger"]
    )
    assert before["counted_footballers"]
    stream = Stream(own_broker, BlobStore(str(tmp_path / "blobs")), clock.now())
    built = rebuild_game(game, stream, clock.now(), store_player_points, forget_player_points)
    refresh_game(game, clock.now())
    publish_all_boards()
    assert built == Rebuilt(game, len(sent), 0)
    after = every_row()
    assert [name for name in before if after[name] != before[name]] == []
