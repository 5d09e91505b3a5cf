"""Members are notified once of what moderators decided about their scores and appeals."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.fantasy.notices.models import NOTICES, Notice
from app.fantasy.pages.notices.views import KINDS
from app.moderation import appealing, rollback, sanctions
from app.moderation.models import Appeal, Rollback
from app.moderation.selection import Selection
from app.scores.review import corrections
from tests.worlds.score_log import Log, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
SignIn = Callable[..., FlaskClient]


def notices() -> list[tuple[int, str, str, str]]:
    db.session.rollback()
    rows = db.session.execute(
        select(Notice.member_id, Notice.title, Notice.body, Notice.path).order_by(Notice.id)
    ).all()
    return [tuple(row) for row in rows]


def test_every_kind_of_notice_has_a_word_on_its_page() -> None:
    assert set(KINDS) == set(NOTICES)


def test_who_loses_scores_hears_of_it_once_with_the_reason_and_the_way_to_appeal(
    make_mode: MakeMode, players: Players, member: Callable[..., Member], sign_in: SignIn
) -> None:
    mode, log = make_mode(), Log()
    ann, bob = member("ann"), member("bob")
    mine, bobs, (stranger,) = player_of(ann).id, player_of(bob).id, players(1)
    log.put(
        *(
            score_event(mode, player_id, number, later(number))
            for number, player_id in enumerate((mine, bobs, bobs, stranger))
        )
    )
    log.consume()
    selection = Selection(mode_id=mode.id, since=later(0), until=later(10))
    preview = rollback.preview(selection)
    assert isinstance(preview, rollback.Preview)
    done = rollback.make(selection, digest=preview.digest, by=None, reason="a bot", now=later(100))
    assert isinstance(done, Rollback)
    body = "A bot. You can appeal."
    assert notices() == [
        (ann.id, "One of your scores was removed", body, "/appeals"),
        (bob.id, "2 of your scores were removed", body, "/appeals"),
    ]
    page = sign_in(username="bob").get("/notices").text
    assert "2 of your scores were removed" in page
    assert body in page
    rollback.undo(done.id, by=None, reason="It was none.", now=later(200))
    assert notices()[2:] == [
        (ann.id, "One of your scores counts again", "It was none.", "/appeals"),
        (bob.id, "2 of your scores count again", "It was none.", "/appeals"),
    ]


def test_the_answer_to_an_appeal_is_a_notice_and_a_shadow_ban_is_none(
    member: Callable[..., Member],
) -> None:
    bob, meg = member("bob"), member("meg", "moderator")
    player = player_of(bob).id
    until = clock.now().replace(year=clock.now().year + 1)
    sanctions.impose(
        player, sanctions.Measure(sanctions.SHADOW), by=None, reason="a bot", now=clock.now()
    )
    assert notices() == []
    sanctions.impose(
        player,
        sanctions.Measure(sanctions.SUSPENSION, until),
        by=None,
        reason="rude",
        now=clock.now(),
    )
    imposed = sanctions.standing(player)
    assert imposed is not None
    sent = appealing.send(player, "I was not.", clock.now(), sanction_id=imposed.id)
    assert isinstance(sent, Appeal)
    appealing.decide(
        sent.id, granted=True, by=meg.id, answer="right, you were not", now=clock.now()
    )
    assert notices() == [(bob.id, "Your appeal is granted", "Right, you were not.", "/appeals")]


def test_who_has_a_score_rejected_by_a_person_hears_of_it_and_not_of_what_the_rules_hold(
    make_mode: MakeMode, players: Players, member: Callable[..., Member]
) -> None:
    mode, log = make_mode(), Log()
    bob, meg = member("bob"), member("meg", "moderator")
    flagged = score_event(mode, player_of(bob).id, 13)
    strangers_score = score_event(mode, players(1)[0], 13, later(1))
    log.put(flagged, strangers_score)
    log.consume()
    assert notices() == []
    for score in (flagged, strangers_score):
        corrections.review(
            score.event_id, accept=False, by=meg.id, reason="Too good.", now=later(10)
        )
    body = "Reason: Too good. You can appeal."
    assert notices() == [(bob.id, "One of your scores was rejected", body, "/appeals")]
    corrections.restore(flagged.event_id, by=meg.id, reason="Right after all.", now=later(20))
    assert len(notices()) == 1
