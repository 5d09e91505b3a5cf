"""A name that a moderator took away stays away until a moderator frees it.

Boards show the present name at once.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.boards import services
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import naming, sanctions
from app.scores.standings import placing
from tests.worlds.boards import redis_at
from tests.worlds.callers import Callers, make_callers
from tests.worlds.score_log import Log, score_event
from workers.jobs import show_sanctions


@pytest.fixture
def callers(app: Flask, member: Callable[..., Member]) -> Callers:
    """Its player Nova stands on the board, and the board has been read.

    Her name is kept beside it.
    """
    callers = make_callers(app, member("owner"))
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, 5))
    log.consume()
    assert on_board(callers) == ["Nova"]
    return callers


def on_board(callers: Callers) -> list[str]:
    answer = callers.app.test_client().get(callers.board)
    return [row["display_name"] for row in answer.json["entries"]]


def registered(callers: Callers, name: str) -> str:
    sent = {"external_id": "p-1", "display_name": name}
    answer = callers.game_server.post(f"/v1/games/{callers.game.slug}/players", json=sent)
    assert answer.status_code == 200
    return str(answer.json["display_name"])


def test_a_game_server_does_not_undo_a_moderators_rename(callers: Callers, meg: int) -> None:
    """D15, moderated display names.

    `register_player` is what a game server calls at each log-in of its player.
    """
    plain = f"Player {callers.player_id.hex[:6]}"
    assert isinstance(naming.take_name(callers.player_id, by=meg, reason="rude"), Player)
    assert on_board(callers) == [plain]
    assert registered(callers, "Rude Word") == plain
    assert registered(callers, "Nova Two") == plain
    assert on_board(callers) == [plain]


def test_a_freed_name_is_the_last_one_that_was_registered_and_the_next_one_counts(
    callers: Callers, meg: int
) -> None:
    naming.take_name(callers.player_id, by=meg, reason="rude")
    registered(callers, "Nova Two")
    naming.take_name(callers.player_id, by=meg, reason="once more")
    assert isinstance(naming.free_name(callers.player_id, by=meg, reason="Fine now."), Player)
    assert on_board(callers) == ["Nova Two"]
    assert registered(callers, "Nova Three") == "Nova Three"
    again = naming.free_name(callers.player_id, by=meg, reason="Fine now.")
    assert isinstance(again, Refusal)


def test_boards_show_a_newly_registered_name_at_once(callers: Callers) -> None:
    registered(callers, "Supernova")
    assert on_board(callers) == ["Supernova"]


def test_a_rename_while_redis_is_away_shows_as_soon_as_it_is_back(
    app: Flask, callers: Callers, meg: int
) -> None:
    """D15, moderated display names.

    Boards show the moderated name, not the old one for as long as Redis keeps it.
    """
    plain = f"Player {callers.player_id.hex[:6]}"
    with redis_at(app, "redis://127.0.0.1:1/0"):
        naming.take_name(callers.player_id, by=meg, reason="rude")
        show_sanctions.run()
        assert on_board(callers) == [plain], "PostgreSQL answers"
    assert on_board(callers) == ["Nova"], "what Redis has kept"
    show_sanctions.run()
    assert on_board(callers) == [plain]
    assert placing.waiting_names(10) == []


def test_any_writer_of_a_name_has_it_shown(callers: Callers) -> None:
    """The note is made with the rename by the database: a kill after the commit loses nothing."""
    assert placing.waiting_names(10) == []
    values = {"name": "Supernova", "id": callers.player_id}
    db.session.execute(text("UPDATE players SET display_name = :name WHERE id = :id"), values)
    db.session.commit()
    assert placing.waiting_names(10) == [callers.player_id]
    show_sanctions.run()
    assert on_board(callers) == ["Supernova"]
    placing.note_name_shown(callers.player_id, "Nova")
    assert placing.waiting_names(10) == []


def test_a_sanction_that_cannot_be_lifted_does_not_keep_names_from_being_shown(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the job does for many fails one by one, and the job fails at the end."""

    def broken(now: object) -> int:
        raise ValueError("broken")

    monkeypatch.setattr(sanctions, "lift_ended", broken)
    db.session.execute(
        text("UPDATE players SET display_name = 'Supernova' WHERE id = :id"),
        {"id": callers.player_id},
    )
    db.session.commit()
    with pytest.raises(ValueError, match="broken"):
        show_sanctions.run()
    assert on_board(callers) == ["Supernova"]


def test_an_older_name_that_was_shown_leaves_the_newer_one_waiting(callers: Callers) -> None:
    name = placing.put_name(callers.player_id)
    db.session.execute(
        text("UPDATE players SET display_name = 'Supernova' WHERE id = :id"),
        {"id": callers.player_id},
    )
    db.session.commit()
    placing.note_name_shown(callers.player_id, name)
    assert placing.waiting_names(10) == [callers.player_id]


def test_a_reader_that_began_before_a_rename_does_not_bring_the_old_name_back(
    callers: Callers, meg: int
) -> None:
    reading = services.read(callers.game, callers.mode, "all-time")
    naming.take_name(callers.player_id, by=meg, reason="rude")
    reading.remember({str(callers.player_id): "Nova"}, 600)  # the slow reader's last step
    assert on_board(callers) == [f"Player {callers.player_id.hex[:6]}"]


def test_a_members_name_is_taken_and_given_back_on_their_page(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    bob, moderator = player_of(member("bob")), sign_in("moderator")
    chosen, path = bob.display_name, f"/moderation/players/{bob.id}"
    moderator.post(f"{path}/rename", data={"reason": "rude"})
    assert player_of(member_again(bob)).display_name.startswith("Player ")
    assert f"They chose {chosen}." in moderator.get(path).text
    assert chosen in moderator.get(f"/moderation/players?q={chosen}").text
    assert moderator.post(f"{path}/free-name", data={"reason": " "}).status_code == 422
    assert moderator.post(f"{path}/free-name", data={"reason": "Fine."}).status_code == 303
    assert member_again(bob).display_name == chosen


def test_a_minor_has_a_plain_name_until_the_mark_is_taken_back(
    member: Callable[..., Member], meg: int
) -> None:
    """D15: opaque handles for minors. Issue 47, M4: every act of moderators can be taken back."""
    bob = player_of(member("bob"))
    own_name, plain = bob.display_name, f"Player {bob.id.hex[:6]}"
    naming.mark_minor(bob.id, by=meg, reason="Says so.")
    assert member_again(bob).display_name == plain
    assert isinstance(naming.free_name(bob.id, by=meg, reason="Fine."), Refusal)
    assert isinstance(naming.unmark_minor(bob.id, by=meg, reason="Another Bob."), Player)
    again = member_again(bob)
    assert (again.display_name, again.is_minor) == (own_name, False)
    assert isinstance(naming.unmark_minor(bob.id, by=meg, reason="Again."), Refusal)


@pytest.mark.parametrize("is_freed_first", [True, False])
def test_a_name_that_was_taken_and_a_minors_name_are_two_matters(
    member: Callable[..., Member], meg: int, *, is_freed_first: bool
) -> None:
    bob = player_of(member("bob"))
    own_name, plain = bob.display_name, f"Player {bob.id.hex[:6]}"
    naming.take_name(bob.id, by=meg, reason="rude")
    naming.mark_minor(bob.id, by=meg, reason="Says so.")
    undo = [naming.free_name, naming.unmark_minor]
    for act, name in zip(undo if is_freed_first else undo[::-1], (plain, own_name), strict=True):
        assert isinstance(act(bob.id, by=meg, reason="A mistake."), Player)
        assert member_again(bob).display_name == name


def member_again(player: Player) -> Member:
    assert player.member_id is not None
    return db.session.get_one(Member, player.member_id, populate_existing=True)
