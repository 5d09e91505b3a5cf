"""A shadow ban over the API, in leagues and in tournaments.

And that nothing of it is kept for everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.accounts import friends, tokens
from app.accounts import sanctions as sanctions_at_doors
from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards.models import Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.moderation import sanctions
from app.predictions.projections import store as projections
from app.scores.standings import mode_boards
from tests.moderation.test_sanctions_elsewhere import played
from tests.predictions.conftest import cup, world
from tests.worlds.score_log import Log, score_event
from tests.worlds.tournament import World

__all__ = ["cup", "world"]
MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
SignIn = Callable[..., FlaskClient]


def bearer(player: UUID) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.issue(player, clock.now()).access}"}


def read(
    client: FlaskClient, path: str, headers: dict[str, str] | None = None, **query: str
) -> TestResponse:
    """In a transaction of its own, as a request to the server has it."""
    db.session.rollback()
    answer = client.get(path, headers=headers, query_string=query)
    assert answer.status_code == 200, answer.text
    return answer


def ask(client: FlaskClient, path: str, headers: dict[str, str] | None = None, **query: str) -> Any:
    return read(client, path, headers, **query).json


def test_an_app_of_the_shadow_banned_reads_boards_on_which_they_stand(
    game: ScoreGame, make_mode: MakeMode, member: Callable[..., Member], client: FlaskClient
) -> None:
    mode = make_mode()
    bob, ann, cat = (player_of(member(name)).id for name in ("bob", "ann", "cat"))
    friends.ask(bob, ann, clock.now())
    friends.ask(ann, bob, clock.now())
    log = Log()
    log.put(
        *(
            score_event(mode, player_id, score)
            for player_id, score in ((ann, 40), (bob, 30), (cat, 20))
        )
    )
    log.consume()
    board = f"/v1/games/{game.slug}/modes/{mode.slug}/leaderboards/all-time"
    mine, anns = bearer(bob), bearer(ann)
    about = {"game": game.slug, "mode": mode.slug}

    def shown(headers: dict[str, str] | None) -> list[str]:
        return [row["player_id"] for row in ask(client, board, headers)["entries"]]

    def place(headers: dict[str, str] | None) -> Any:
        answer = ask(client, f"{board}/players/{bob}", headers)
        return answer["player"]["rank"], answer["total_ranked"]

    before = shown(mine)
    assert before == [str(ann), str(bob), str(cat)]
    sanctions.impose(
        bob, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=clock.now()
    )
    assert shown(mine) == before
    assert place(mine) == (2, 3)
    among = ask(client, f"/v1/players/{bob}/friends/leaderboards/all-time", mine, **about)
    assert [row["player_id"] for row in among["entries"]] == [str(ann), str(bob)]
    with client.application.test_request_context():  # as where their app sends a score
        assert sanctions_at_doors.admits(bob, None, clock.now(), clock.now())
        standing = mode_boards.standing(mode, "all-time", bob)
    assert (standing.rank, standing.score, standing.total) == (2, 30, 3)
    for headers in (anns, None, {"Authorization": "Bearer of nothing"}):
        assert shown(headers) == [str(ann), str(cat)]
        assert place(headers) == (None, 2)
    among = ask(client, f"/v1/players/{ann}/friends/leaderboards/all-time", anns, **about)
    assert [row["player_id"] for row in among["entries"]] == [str(ann)]


def test_what_is_kept_of_a_tournament_is_what_everybody_sees(cup: World, sign_in: SignIn) -> None:
    for match in ("m1", "m2", "m3"):
        cup.ended(match, 2, 1)
    cup.poll()
    cup.settle()
    projections.reconcile()
    bob, ann = str(cup.player("Bob")), str(cup.player("Ann"))
    browser, other = sign_in(username="bob"), sign_in(username="ann")
    path = f"/api/v2/tournaments/{cup.id}/leaderboard"

    def shown(client: FlaskClient) -> set[str]:
        return {row["memberId"] for row in ask(client, path)["data"]}

    assert shown(browser) == {bob, ann}
    sanctions.impose(
        cup.player("Bob"),
        sanctions.Measure(sanctions.SHADOW),
        by=None,
        reason="a bot",
        now=clock.now(),
    )
    projections.invalidate(cup.id, ["week-1"])
    assert shown(browser) == {bob, ann}
    assert shown(other) == {ann}
    page = f"/tournaments/{cup.id}/leaderboard"
    assert "Bob" in read(browser, page).text.partition('id="board-title"')[2]
    assert "Bob" not in read(other, page).text


def test_the_shadow_banned_see_themselves_in_their_league(
    member: Callable[..., Member], sign_in: SignIn
) -> None:
    league, bob = played(member)
    pages = (f"/leagues/{league.league.slug}", f"/leagues/{league.league.slug}/members")
    browser, other = sign_in(username="bob"), sign_in(username="ann")
    sanctions.impose(
        bob, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=clock.now()
    )
    sanctions.show_waiting(clock.now())
    for path in pages:
        assert f'id="member-{league.members["bob"]}"' in read(browser, path).text, path
        assert f'id="member-{league.members["bob"]}"' not in read(other, path).text, path
