"""The explorer: games, modes, a board's pages, my place on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts import friends
from app.accounts import services as accounts
from app.accounts.models import Integrator, Member, Player
from app.accounts.players import player_of
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.layouts.board import open_board
from app.boards.models import Mode, ScoreGame
from app.boards.rules import Held
from app.boards.windows.rules import window_of
from app.core import clock
from app.core.db import db
from app.core.redis.clients import boards_redis
from tests.statements import count_statements
from tests.worlds.boards import fill
from tests.worlds.leagues import make_league
from tests.worlds.score_games import make_score_game, make_score_mode

pytestmark = pytest.mark.usefixtures("still_clock")
UNCHANGED = 4  # statements of a stranger's poll: game, mode, board, earlier windows
RANKED = NewMode(
    "ranked",
    "Ranked",
    "highest",
    "shared",
    -(10**6),
    10**6,
    decimals=1,
    windows=("monthly", "daily"),
)


@pytest.fixture
def mode(app: Flask) -> tuple[ScoreGame, Mode]:
    game = make_score_game()
    return game, make_score_mode(game, RANKED)


@pytest.fixture
def players(mode: tuple[ScoreGame, Mode], member: Callable[..., Member]) -> list[str]:
    """Thirty players on this month's board, 300 to 10 units.

    Three of them are members: the 28th is ann.
    """
    members = {28: member("ann"), 1: member("zoe"), 9: member("yan")}
    owner = Integrator(name="Bowl", owner_id=members[28].id)
    db.session.add(owner)
    db.session.flush()
    ids = [UUID(int=n) for n in range(1, 31)]
    for n, player in enumerate(ids, 1):
        of_integrator = {"integrator_id": owner.id, "external_id": f"p{n}"}
        whose = {"member_id": members[n].id} if n in members else of_integrator
        db.session.add(Player(id=player, display_name=f"Player {n}", **whose))
    game, score_mode = mode
    record = catalogue.board_for(score_mode, window_of("monthly", clock.now(), "UTC"))
    spec = catalogue.spec_of(game, score_mode, record)
    records = {str(player): Held(10 * (31 - n), 0) for n, player in enumerate(ids, 1)}
    fill(record, spec, records)
    db.session.commit()
    open_board(spec).load(records.items())
    return list(records)


def address(kind: str = "monthly") -> str:
    return f"/boards/bowl/ranked/{window_of(kind, clock.now(), 'UTC').window_id}"


def test_the_list_of_games_leads_to_a_mode_and_from_there_to_this_month(
    client: FlaskClient, mode: tuple[ScoreGame, Mode]
) -> None:
    make_score_game("empty")
    page = client.get("/boards").text
    assert "Bowl" in page
    assert "Empty" not in page, "a game without modes has nothing to show"
    assert "The highest score counts; ties share a rank" in page
    answer = client.get("/boards/bowl/ranked")
    assert (answer.status_code, answer.location) == (302, address())


def test_without_games_the_page_says_how_to_get_one(client: FlaskClient) -> None:
    assert "No leaderboards yet" in client.get("/boards").text


def test_a_board_shows_its_best_and_pages_the_rest(client: FlaskClient, players: list[str]) -> None:
    page = client.get(address()).text
    assert page.index("Player 1<") < page.index("Player 25<")
    assert "30.0" in page
    assert "Player 26<" not in page
    assert "Page 1 of 2" in page
    second = client.get(f"{address()}?page=2").text
    assert "Player 26<" in second
    assert client.get(f"{address()}?page=3").status_code == 404
    assert client.get(f"{address()}?page=0").status_code == 404


def test_a_member_sees_their_own_place_and_their_neighbours(
    sign_in: Callable[..., FlaskClient], players: list[str]
) -> None:
    page = sign_in("member", "ann").get(address()).text
    assert "28 <small>of 30</small>" in page
    assert "top 94%" in page
    around = page[page.index("Around you") :]
    assert [
        n for n in range(20, 31) if f"Player {n} " in around or f"Player {n}<" in around
    ] == list(range(24, 31))
    stranger = sign_in("member", "bob").get(address()).text
    assert "You don't have a score here yet" in stranger


def test_a_poll_is_answered_by_304_until_something_moves(
    client: FlaskClient, players: list[str]
) -> None:
    first = client.get(address(), headers={"HX-Request": "true"})
    again = {"HX-Request": "true", "If-None-Match": first.headers["ETag"]}
    with count_statements() as counted:
        assert client.get(address(), headers=again).status_code == 304
    assert counted() == UNCHANGED
    game = catalogue.find_game("bowl")
    assert game is not None
    mode = catalogue.find_mode(game, "ranked")
    assert mode is not None
    record = catalogue.board_for(mode, window_of("monthly", clock.now(), "UTC"))
    open_board(catalogue.spec_of(game, mode, record)).put({players[4]: Held(999, 0)})
    assert client.get(address(), headers=again).status_code == 200


def test_the_first_page_of_a_board_in_parts_is_merged_now_and_then_and_the_others_are_live(
    client: FlaskClient,
    sign_in: Callable[..., FlaskClient],
    mode: tuple[ScoreGame, Mode],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.boards.layouts.merged_top.FRESH", timedelta(hours=1))
    mode[1].shards = 4
    record = catalogue.board_for(mode[1], window_of("monthly", clock.now(), "UTC"))
    board = open_board(catalogue.spec_of(*mode, record))
    db.session.commit()
    ann = sign_in("member", "ann")
    mine = player_of(accounts.find_member("ann") or pytest.fail("there is no ann"))
    board.load([(str(UUID(int=n)), Held(10 * n, 0)) for n in range(1, 27)])
    board.put({str(mine.id): Held(1, 0)})
    first = client.get(address()).text
    assert "26.0" in first
    assert "Page 1 of 2" in first
    board.put({str(UUID(int=99)): Held(999, 0)})
    page = client.get(address()).text
    assert "99.9" not in page, "merged a moment ago"
    assert "Live · updated " in page
    assert "1.0" in client.get(f"{address()}?page=2").text
    assert "99.9" in ann.get(address()).text, "whoever has a place sees it among those of now"


def test_a_page_whose_names_redis_remembers_asks_no_sql_for_them(
    client: FlaskClient, players: list[str]
) -> None:
    counted = []
    for _ in range(2):
        with count_statements() as statements:
            client.get(address())
        counted.append(statements())
    assert counted[1] == counted[0] - 1


def test_with_redis_empty_the_page_is_the_same_and_says_where_it_is_from(
    client: FlaskClient, players: list[str]
) -> None:
    boards_redis().flushall()
    page = client.get(address()).text
    assert "Player 1<" in page
    assert "Updated" in page


def test_periods_lead_to_their_neighbours_and_an_empty_one_says_so(
    client: FlaskClient, mode: tuple[ScoreGame, Mode], players: list[str]
) -> None:
    page = client.get("/boards/bowl/ranked/monthly:2024-01").text
    assert "No scores in this period." in page
    assert "Previous: December 2023" in page
    assert "Next: February 2024" in page
    assert "All periods with scores" in page
    assert "Next:" not in client.get(address()).text, "what has not begun is not offered"


@pytest.mark.parametrize(
    "path",
    [
        "/boards/chess/ranked",
        "/boards/bowl/none",
        "/boards/bowl/ranked/weekly:2026-W01",
        "/boards/bowl/ranked/monthly:2026-13",
        "/boards/bowl/ranked/now",
    ],
)
def test_what_there_is_not_is_not_found(
    client: FlaskClient, mode: tuple[ScoreGame, Mode], path: str
) -> None:
    assert client.get(path).status_code == 404


def test_friends_are_ranked_among_themselves_and_strangers_see_nothing(
    sign_in: Callable[..., FlaskClient], players: list[str]
) -> None:
    ann, first, ninth = UUID(players[27]), UUID(players[0]), UUID(players[8])
    assert friends.ask(first, ann, clock.now()) is None
    assert friends.accept(ann, first, clock.now()) is None
    friends.ask(ninth, ann, clock.now())
    page = sign_in("member", "ann").get(f"{address()}/friends").text
    assert page.index("Player 1<") < page.index("<small>You</small>")
    assert page.count('podium">1<') == 1
    assert page.count('podium">2<') == 1
    assert "Player 9<" not in page, "they asked, and are no friend yet"
    assert "Player 2<" not in page
    assert 'aria-current="page">Friends' in page


def test_without_friends_the_way_to_them_is_shown(
    sign_in: Callable[..., FlaskClient], client: FlaskClient, mode: tuple[ScoreGame, Mode]
) -> None:
    assert "Find friends" in sign_in("member", "bob").get(f"{address()}/friends").text
    assert client.get(f"{address()}/friends").status_code == 302, "a stranger signs in first"
    assert 'aria-label="Players"' not in client.get(address()).text


def test_a_league_is_a_guild_on_any_board(
    sign_in: Callable[..., FlaskClient], players: list[str]
) -> None:
    client = sign_in("member", "ann")
    ann = accounts.find_member("ann")
    assert ann is not None
    make_league(ann.id, {ann.id: "Anns"})
    db.session.commit()
    assert f"{address()}/leagues/row" in client.get(address()).text
    page = client.get(f"{address()}/leagues/row").text
    assert "Player 28</bdi>" in page
    assert "Player 1<" not in page
    assert client.get(f"{address()}/leagues/other").status_code == 404
    assert sign_in("member", "bob").get(f"{address()}/leagues/row").status_code == 404


def test_a_mode_with_one_period_has_no_tabs(client: FlaskClient, app: Flask) -> None:
    make_score_mode(make_score_game(), replace(RANKED, windows=("all-time",)))
    assert client.get("/boards/bowl/ranked").location == "/boards/bowl/ranked/all-time"
    page = client.get("/boards/bowl/ranked/all-time").text
    assert 'aria-label="Period"' not in page
    assert "No scores in this period yet." in page
