"""Bans, suspensions and shadow bans.

Off every board at once, out at the next request, and back exactly as it stood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
import redis
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import tokens
from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.audit.models import AuditEntry
from app.audit.verification import verify
from app.boards import services
from app.boards.groups.small_board import GUILD, Group, ModeWindow, small_board
from app.boards.layouts.hashed import HashBoard
from app.boards.models import BoardRecord, BoardScore, Mode, ScoreGame
from app.boards.reads import RowRange
from app.boards.verification.rebuild import rebuild
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import sanctions
from app.moderation.models import Sanction
from app.scores.models import ScoreAttempt
from app.scores.standings import mode_boards
from tests.worlds.claims import claim, codes, send
from tests.worlds.score_log import NOW, Log, all_clean, check_boards, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
SignIn = Callable[..., FlaskClient]
WINDOWS = ("daily:2026-04-05", "all-time")


def shown(game: ScoreGame, mode: Mode, window: str = "all-time") -> list[tuple[int, str, int]]:
    rows = services.read(game, mode, window).top(50).rows
    return [(row.rank, row.member, row.score) for row in rows]


def held() -> list[tuple[object, ...]]:
    """Every row of every board, as PostgreSQL has it."""
    db.session.rollback()
    columns = (
        BoardScore.board_id,
        BoardScore.player_id,
        BoardScore.score,
        BoardScore.tie,
        BoardScore.at,
    )
    return [
        tuple(row)
        for row in db.session.execute(select(*columns, BoardScore.event_id).order_by(*columns))
    ]


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
@pytest.mark.parametrize("kind", sanctions.KINDS)
@pytest.mark.parametrize(
    ("aggregation", "ties"), [("highest", "shared"), ("sum", "dense"), ("latest", "earliest")]
)
def test_a_sanction_takes_a_player_off_every_board_and_lifting_it_puts_back_exactly_what_stood(
    game: ScoreGame, make_mode: MakeMode, players: Players, kind: str, aggregation: str, ties: str
) -> None:
    modes = [make_mode(aggregation=aggregation, ties=ties, shards=shards) for shards in (1, 4)]
    ann, bob, cy = players(3)
    log = Log()
    for mode in modes:
        log.put(
            *(
                score_event(mode, player_id, 10 * n + 1, later(n))
                for n in range(3)
                for player_id in (ann, bob, cy)
            )
        )
    log.consume()
    before, boards = held(), [shown(game, mode, window) for mode in modes for window in WINDOWS]
    until = NOW + timedelta(days=3) if kind == sanctions.SUSPENSION else None
    sanction = sanctions.impose(
        bob, sanctions.Measure(kind, until), by=None, reason="a bot", now=NOW
    )
    assert isinstance(sanction, Sanction), sanction
    for mode in modes:
        for window in WINDOWS:
            assert str(bob) not in [member for _, member, _ in shown(game, mode, window)]
            assert len(shown(game, mode, window)) == 2
        group = Group(GUILD, "g", [ann, bob, cy], ann)
        assert (
            small_board(ModeWindow(game, mode, "all-time"), group, RowRange(0, 9), NOW).count == 2
        )
    assert bob not in [row[1] for row in held()]
    assert isinstance(sanctions.lift(bob, by=None, reason="was none", now=NOW), Sanction)
    assert held() == before
    assert [shown(game, mode, window) for mode in modes for window in WINDOWS] == boards
    for mode in modes:
        check_boards(mode)


def test_a_hidden_players_scores_and_rebuilt_boards_stay_without_them(
    game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum")
    ann, bob = players(2)
    log = Log()
    log.put(score_event(mode, ann, 5), score_event(mode, bob, 7))
    log.consume()
    sanctions.impose(bob, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=NOW)
    log.put(score_event(mode, bob, 100, later(1)), score_event(mode, ann, 1, later(2)))
    log.consume()
    assert shown(game, mode) == [(1, str(ann), 6)]
    for board in db.session.scalars(select(BoardRecord.id)).all():
        rebuild(board, NOW)
    assert shown(game, mode) == [(1, str(ann), 6)]
    sanctions.lift(bob, by=None, reason="was none", now=NOW)
    assert shown(game, mode) == [(1, str(bob), 107), (2, str(ann), 6)]
    check_boards(mode)


def test_a_crash_before_redis_hears_of_a_ban_is_made_good(
    game: ScoreGame, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode()
    ann, bob = players(2)
    log = Log()
    log.put(score_event(mode, ann, 5), score_event(mode, bob, 7))
    log.consume()

    def away(*_: object) -> None:
        raise redis.ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(HashBoard, "put", away)
        sanction = sanctions.impose(
            bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW
        )
        assert isinstance(sanction, Sanction)
        assert sanctions.show_waiting(NOW) == 0
    assert len(shown(game, mode)) == 2
    assert sanctions.show_waiting(NOW) == 1
    assert shown(game, mode) == [(1, str(ann), 5)]
    assert sanctions.show_waiting(NOW) == 0


def test_a_suspension_ends_by_itself(
    game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    log = Log()
    log.put(score_event(mode, ann, 5))
    log.consume()
    sanctions.impose(
        ann,
        sanctions.Measure(sanctions.SUSPENSION, NOW + timedelta(hours=1)),
        by=None,
        reason="rude",
        now=NOW,
    )
    assert sanctions.lift_ended(NOW + timedelta(minutes=59)) == 0
    assert shown(game, mode) == []
    assert sanctions.lift_ended(NOW + timedelta(hours=1)) == 1
    assert shown(game, mode) == [(1, str(ann), 5)]
    assert sanctions.lift_ended(NOW + timedelta(hours=2)) == 0


def test_a_ban_holds_for_every_session_and_token_at_the_next_request(
    sign_in: SignIn, member: Callable[..., Member], make_mode: MakeMode
) -> None:
    bob = member("bob")
    player, now = player_of(bob).id, clock.now()
    phone, desk = sign_in(username="bob"), sign_in(username="bob")
    pair = tokens.issue(player, now)
    mode = make_mode()
    bearer = {"Authorization": f"Bearer {pair.access}"}
    other = claim(mode, player, 5)
    assert phone.get("/friends").status_code == desk.get("/friends").status_code == 200
    assert phone.get(f"/v1/players/{player}/friends", headers=bearer).status_code == 200
    sanctions.impose(player, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=now)
    assert phone.get("/friends").status_code == desk.get("/friends").status_code == 302
    assert phone.get(f"/v1/players/{player}/friends", headers=bearer).status_code == 403
    assert tokens.refresh(pair.refresh, now) is None
    (answer,) = send(other)
    assert codes(answer) == ["banned"]
    sanctions.lift(player, by=None, reason="was none", now=now)
    assert phone.get("/friends").status_code == desk.get("/friends").status_code == 200
    assert phone.get(f"/v1/players/{player}/friends", headers=bearer).status_code == 200


def test_who_is_shadow_banned_stays_signed_in(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    player = player_of(member("bob")).id
    client = sign_in(username="bob")
    sanctions.impose(
        player, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=clock.now()
    )
    assert client.get("/friends").status_code == 200


def test_who_is_shadow_banned_sees_themselves_where_they_stood_and_nobody_else_does(
    game: ScoreGame,
    make_mode: MakeMode,
    players: Players,
    sign_in: SignIn,
    member: Callable[..., Member],
) -> None:
    mode, bob = make_mode(aggregation="sum"), player_of(member("bob")).id
    ann, cy, dee = players(3)
    log = Log()
    log.put(
        *(
            score_event(mode, player_id, score)
            for player_id, score in ((ann, 40), (bob, 30), (cy, 20), (dee, 20))
        )
    )
    log.consume()
    browser, other = sign_in(username="bob"), sign_in(username="eve")
    path = f"/boards/{game.slug}/{mode.slug}/all-time"
    friends = f"{path}/friends"

    def lines(client: FlaskClient, where: str = path) -> list[list[str]]:
        page = client.get(where)
        assert page.status_code == 200, page.text
        rows = re.findall(r"<tr[^>]*>\s*(<td.*?)</tr>", page.text, re.S)
        return [re.sub(r"<[^>]*>|\s+", " ", row).split() for row in rows]

    before, among = lines(browser), lines(browser, friends)
    assert len(before) == 4
    sanctions.impose(
        bob, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=clock.now()
    )
    assert lines(browser) == before
    assert lines(browser, friends) == among
    assert len(lines(other)) == len(lines(browser.application.test_client())) == 3
    standing = mode_boards.standing(mode, "all-time", bob)
    assert (standing.rank, standing.score, standing.total) == (2, 30, 4)


def test_a_sanction_is_audited_and_nobody_decides_about_themselves_or_staff(
    member: Callable[..., Member],
) -> None:
    meg, bob, max_ = member("meg", "moderator"), member("bob"), member("max", "moderator")
    mine, his, staff = player_of(meg).id, player_of(bob).id, player_of(max_).id

    def code(player: UUID, kind: str = sanctions.BAN, reason: str = "a bot") -> str:
        refused = sanctions.impose(
            player, sanctions.Measure(kind), by=meg.id, reason=reason, now=NOW
        )
        assert isinstance(refused, Refusal)
        return refused.code

    assert [code(mine), code(staff), code(his, reason=" "), code(his, "suspension")] == [
        "own",
        "staff",
        "no_reason",
        "until",
    ]
    assert isinstance(
        sanctions.impose(his, sanctions.Measure(sanctions.BAN), by=meg.id, reason="a bot", now=NOW),
        Sanction,
    )
    assert isinstance(sanctions.lift(his, by=meg.id, reason="was none", now=NOW), Sanction)
    entries = db.session.scalars(
        select(AuditEntry).where(AuditEntry.act.startswith("player.")).order_by(AuditEntry.id)
    ).all()
    assert [(entry.act, entry.actor_id, entry.subject, entry.reason) for entry in entries] == [
        ("player.banned", meg.id, f"player:{his}", "a bot"),
        ("player.sanction_lifted", meg.id, f"player:{his}", "was none"),
    ]
    assert verify().faults == []


def test_a_later_sanction_takes_the_place_of_the_one_before(players: Players) -> None:
    (ann,) = players(1)
    for kind in (sanctions.SHADOW, sanctions.BAN):
        assert isinstance(
            sanctions.impose(ann, sanctions.Measure(kind), by=None, reason="a bot", now=NOW),
            Sanction,
        )
    assert [
        (sanction.kind, sanction.lifted_at is None) for sanction in sanctions.of_player(ann)
    ] == [
        ("ban", True),
        ("shadow", False),
    ]
    sanctions.lift(ann, by=None, reason="was none", now=NOW)
    row = db.session.get_one(Player, ann, populate_existing=True)
    assert (row.hidden_at, row.banned_until) == (None, None)


def test_attempts_stay_as_they_are_while_their_player_is_banned(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    log = Log()
    log.put(score_event(mode, ann, 5))
    log.consume(judge=all_clean)
    sanctions.impose(ann, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    row = db.session.scalars(select(ScoreAttempt)).one()
    assert (row.fraud_state, row.rolled_back_at) == ("clean", None)


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
@pytest.mark.fault(19)
def test_a_ban_while_a_window_ends_is_of_both_days_and_lifted_after_it_both_are_as_they_stood(
    game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode, (ann, bob) = make_mode(aggregation="sum"), players(2)
    before, midnight, after = NOW, later(2 * 3600), later(2 * 3600 + 1)
    log = Log()
    log.put(score_event(mode, bob, 7, before), score_event(mode, ann, 5, before))
    log.consume()
    sanctions.impose(
        bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=later(2 * 3600 - 1)
    )
    # What was taken in before the ban arrives in the new day: of the last moment of the old one,
    # and of the new one.
    late = (
        score_event(mode, bob, 100, midnight - timedelta(microseconds=1)),
        score_event(mode, bob, 3, midnight),
    )
    log.put(*late, score_event(mode, ann, 1, after))
    log.consume()
    days = [f"daily:{moment:%Y-%m-%d}" for moment in (before, after)]
    assert [shown(game, mode, day) for day in days] == [[(1, str(ann), 5)], [(1, str(ann), 1)]]
    sanctions.lift(bob, by=None, reason="was none", now=later(3 * 3600))
    both = [[(1, str(bob), 107), (2, str(ann), 5)], [(1, str(bob), 3), (2, str(ann), 1)]]
    assert [shown(game, mode, day) for day in days] == both
    check_boards(mode)
