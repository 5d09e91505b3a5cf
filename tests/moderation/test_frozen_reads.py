"""What is read of a frozen board besides its rows.

A board of then, movement, a player's history, one's own place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards import services
from app.boards.archive.services import archive_boards
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from app.moderation import freezing, sanctions
from app.scores.models import ScoreAttempt
from app.scores.review import corrections
from tests.moderation.test_shadow import ask, bearer, read
from tests.worlds.boards import all_time_board_id
from tests.worlds.score_log import Log, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
SignIn = Callable[..., FlaskClient]


def stored_long_ago() -> None:
    """As if each score had been stored when it was made."""
    for row in db.session.scalars(select(ScoreAttempt)):
        row.ingested_at = row.achieved_at
    db.session.commit()


def test_nothing_that_others_read_of_a_frozen_boards_past_moves(
    game: ScoreGame, make_mode: MakeMode, players: Players, meg: int, client: FlaskClient
) -> None:
    mode, log = make_mode(aggregation="sum"), Log()
    ann, bob, cat = players(3)
    first = score_event(mode, ann, 5)
    log.put(first, score_event(mode, bob, 7, later(1)), score_event(mode, cat, 3, later(2)))
    log.consume()
    stored_long_ago()
    sanctions.impose(cat, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=later(10))
    board = f"/v1/games/{game.slug}/modes/{mode.slug}/leaderboards/all-time"
    since = later(1).isoformat()
    now = clock.now()

    def everything() -> list[Any]:
        at = ask(client, f"{board}/at", at=clock.now().isoformat())["entries"]
        moved = ask(client, f"{board}/movement", since=since)["players"]
        return [
            at,
            moved,
            *(
                ask(client, f"{board}/players/{player_id}/history")["scores"]
                for player_id in (ann, bob, cat)
            ),
        ]

    freezing.freeze(all_time_board_id(mode), by=meg, reason="a bot farm", now=now)
    stood = everything()
    assert [row["score"] for row in stood[0]] == [7, 5]
    assert [[row["score"] for row in rows] for rows in stood[2:]] == [[5], [7], []]
    log.put(score_event(mode, ann, 50, later(5)))
    log.consume()
    corrections.roll_back(first.event_id, by=None, reason="a bot", now=clock.now())
    sanctions.impose(
        bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=clock.now()
    )
    sanctions.lift(cat, by=None, reason="was none", now=clock.now())
    assert everything() == stood
    freezing.thaw(all_time_board_id(mode), by=meg, reason="clean now", now=clock.now())
    thawed = everything()
    assert [row["score"] for row in thawed[0]] == [50, 3]
    assert [[row["score"] for row in rows] for rows in thawed[2:]] == [[50], [], [3]]


def test_who_is_shadow_banned_after_the_freeze_stands_on_the_board_once(
    game: ScoreGame, make_mode: MakeMode, member: Callable[..., Member], sign_in: SignIn, meg: int
) -> None:
    mode, log = make_mode(), Log()
    bob, ann = (player_of(member(name)).id for name in ("bob", "ann"))
    log.put(score_event(mode, ann, 5), score_event(mode, bob, 7))
    log.consume()
    freezing.freeze(all_time_board_id(mode), by=meg, reason="a bot farm", now=clock.now())
    sanctions.impose(
        bob, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=clock.now()
    )
    board = f"/v1/games/{game.slug}/modes/{mode.slug}/leaderboards/all-time"
    browser = sign_in(username="bob")
    for headers in (bearer(bob), bearer(ann)):
        answer = ask(browser, board, headers)
        assert [row["player_id"] for row in answer["entries"]] == [str(bob), str(ann)]
        assert answer["total_ranked"] == 2
    page = read(browser, f"/boards/{game.slug}/{mode.slug}/all-time").text
    assert page.count(f'id="place-{bob}"') == 1


def test_the_shadow_banned_find_themselves_in_the_past_of_a_board(
    game: ScoreGame, make_mode: MakeMode, member: Callable[..., Member], client: FlaskClient
) -> None:
    mode, log = make_mode(), Log()
    bob, ann = (player_of(member(name)).id for name in ("bob", "ann"))
    log.put(score_event(mode, ann, 5), score_event(mode, bob, 7))
    log.consume()
    stored_long_ago()
    sanctions.impose(
        bob, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=clock.now()
    )
    at = f"/v1/games/{game.slug}/modes/{mode.slug}/leaderboards/all-time/at"
    for viewer, player_ids in ((bob, [bob, ann]), (ann, [ann])):
        entries = ask(client, at, bearer(viewer), at=clock.now().isoformat())["entries"]
        assert [row["player_id"] for row in entries] == [str(player_id) for player_id in player_ids]


def test_a_frozen_board_is_archived_when_it_has_thawed_and_without_what_was_taken_back_meanwhile(
    game: ScoreGame, make_mode: MakeMode, players: Players, meg: int
) -> None:
    mode, log = make_mode(keep_days={"daily": 30}), Log()
    ann, bob = players(2)
    cheat = score_event(mode, bob, 7, later(1))
    log.put(score_event(mode, ann, 5), cheat)
    log.consume()
    window, much_later = "daily:2026-04-05", later(60 * 86_400)
    record = db.session.scalars(
        select(BoardRecord).where(BoardRecord.mode_id == mode.id, BoardRecord.window_id == window)
    ).one()
    freezing.freeze(record.id, by=meg, reason="a bot farm", now=later(10))
    assert archive_boards(blob_store(), much_later).archived == 0
    corrections.roll_back(cheat.event_id, by=None, reason="a bot", now=much_later)
    freezing.thaw(record.id, by=meg, reason="clean now", now=much_later)
    assert archive_boards(blob_store(), much_later).archived == 1
    reading = services.read(game, mode, window)
    assert [(row.member, row.score) for row in reading.top(9).rows] == [(str(ann), 5)]
    assert reading.source == services.ARCHIVE
