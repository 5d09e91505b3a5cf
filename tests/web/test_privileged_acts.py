"""What moderators and operators do on pages is in the audit.

Every such POST of the URL map, done once with success.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.audit.models import AuditEntry
from app.boards.models import BoardRecord
from app.core import clock
from app.core.db import db
from app.core.http.access import audience_of
from app.dead_letters import letters
from app.fantasy.leagues import export
from app.fantasy.market import player_notes
from app.fantasy.market.models import FootballerSeason, PlayerNote
from app.fantasy.market.player_notes import NewNote
from app.fantasy.market.seasons import NewSeason, ensure_season
from app.feeds import services
from app.moderation import appealing, inbox, rollback, sanctions
from app.moderation.models import Appeal, Report, Rollback, Sanction
from app.moderation.selection import Selection
from app.ops.drills import DRILLS
from app.record.models import Footballer
from app.scores.events import ScoreEvent
from app.talk.models import Post
from tests.dead_letters.test_letters import keep
from tests.worlds.callers import Callers, make_callers
from tests.worlds.games import make_game
from tests.worlds.leagues import make_league
from tests.worlds.score_log import Log, flag_thirteens, score_event
from tests.worlds.tournament import World

WHY = {"reason": "a test of the audit"}
STAFF = {"moderator", "operator"}
# A scorer's acts are the record itself, which names them with every event: no route of theirs is
# meant.
PLACES = ("/moderation/", "/ops/", "/leagues/import")


@dataclass
class Done:
    """`row`: the route; `path`: of one request to it; `sent`: the form that does it."""

    row: str
    path: str
    sent: dict[str, Any] = field(default_factory=dict)


def privileged(app: Flask) -> set[str]:
    """Every POST of those places that staff may call."""
    return {
        rule.rule
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ())
        and rule.rule.startswith(PLACES)
        and STAFF & audience_of(app, rule.endpoint)
    }


def entries() -> int:
    db.session.rollback()
    return int(db.session.scalar(select(func.count()).select_from(AuditEntry)) or 0)


@dataclass
class Cast:
    """Whom and what the acts are done to.

    Two members and the player of each, four scores in a mode's board.
    """

    callers: Callers
    owner: Member
    bob: Member
    bobs: UUID
    anns: UUID
    held_score: ScoreEvent
    scores: list[ScoreEvent]
    board_id: int


@pytest.fixture
def cast(app: Flask, member: Callable[..., Member]) -> Cast:
    owner, bob, ann = member("owner"), member("bob"), member("ann")
    callers = make_callers(app, owner)
    held_score, *scores = (
        score_event(callers.mode, callers.player_id, score) for score in (13, 12, 11, 10)
    )
    log = Log()
    log.put(held_score, *scores)
    log.consume(judge=flag_thirteens)
    board = db.session.scalars(
        select(BoardRecord).where(
            BoardRecord.mode_id == callers.mode.id, BoardRecord.window_id == "all-time"
        )
    ).one()
    return Cast(
        callers, owner, bob, player_of(bob).id, player_of(ann).id, held_score, scores, board.id
    )


def of_moderators(cast: Cast) -> list[Done]:
    """In an order in which each succeeds, as in the lists below."""
    first, second, third = cast.scores
    digest = preview(first.event_id)
    taken = rollback.make(
        Selection(event_id=first.event_id), digest=digest, by=None, reason="a test", now=clock.now()
    )
    assert isinstance(taken, Rollback)
    attempts = "/moderation/attempts/<uuid:event_id>/<any(quarantine, restore):act>"
    boards = "/moderation/boards/<any(freeze, thaw):act>"
    name = f"{cast.callers.game.slug}:{cast.callers.mode.slug}:all-time"
    return [
        Done(
            "/moderation/rollbacks",
            "/moderation/rollbacks",
            WHY | {"event_id": str(third.event_id), "digest": preview(third.event_id)},
        ),
        Done(
            "/moderation/limits/<uuid:mode_id>",
            f"/moderation/limits/{cast.callers.mode.id}",
            WHY | {"per_minute": "60", "per_hour": "600", "reach": "3"},
        ),
        Done(
            "/moderation/scores/<uuid:event_id>/decision",
            f"/moderation/scores/{cast.held_score.event_id}/decision",
            WHY | {"decision": "accept"},
        ),
        Done(attempts, f"/moderation/attempts/{second.event_id}/quarantine", WHY),
        Done(boards, "/moderation/boards/freeze", WHY | {"board": name}),
        Done(boards, "/moderation/boards/thaw", WHY | {"board": name}),
        Done(
            "/moderation/rollbacks/<uuid:rollback_id>/undo",
            f"/moderation/rollbacks/{taken.id}/undo",
            WHY,
        ),
    ]


def _news(cast: Cast) -> PlayerNote:
    """News about a player on the market of a season of their own."""
    season = ensure_season(NewSeason("cup", 2026, "REG", name="Cup", time_zone="UTC"))
    db.session.add(Footballer(id="n1", name="N. One", position="QB"))
    db.session.flush()
    db.session.add(
        FootballerSeason(
            season_id=season.id, footballer_id="n1", position="QB", price=50, start_price=50
        )
    )
    db.session.commit()
    note = player_notes.write_note(
        season.id, "n1", NewNote("Hurt."), by=cast.owner.id, now=clock.now()
    )
    assert isinstance(note, PlayerNote)
    return note


def _reported_post(cast: Cast) -> Post:
    """A post of Bob's on a board, reported by the owner."""
    league = make_league(cast.bob.id, {cast.bob.id: "Bob FC"}, slug="talk")
    post = Post(league_id=league.id, member_id=cast.bob.id, text="Rude.", created_at=clock.now())
    db.session.add(post)
    db.session.commit()
    reported = inbox.report_post(cast.owner.id, post, "It is rude.", clock.now())
    assert isinstance(reported, Report), reported
    return post


def on_players(cast: Cast) -> list[Done]:
    reported = inbox.report(cast.bob.id, cast.anns, "name", "It is rude.", clock.now())
    assert isinstance(reported, Report), reported
    news = _news(cast)
    ban = sanctions.impose(
        cast.anns, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=clock.now()
    )
    assert isinstance(ban, Sanction)
    appeal = appealing.send(cast.anns, "I am none.", clock.now(), sanction_id=ban.id)
    assert isinstance(appeal, Appeal)
    cast.bob.picture = "1-0"
    db.session.commit()
    players, bobs = "/moderation/players/<uuid:player_id>", f"/moderation/players/{cast.bobs}"
    return [
        Done(
            "/moderation/appeals/<int:appeal_id>/decide",
            f"/moderation/appeals/{appeal.id}/decide",
            WHY | {"decision": "grant"},
        ),
        Done(
            "/moderation/reports/<int:report_id>/close",
            f"/moderation/reports/{reported.id}/close",
            WHY,
        ),
        Done(
            "/moderation/posts/<int:post_id>/remove",
            f"/moderation/posts/{_reported_post(cast).id}/remove",
            WHY,
        ),
        Done(f"{players}/note", f"{bobs}/note", {"text": "watch them"}),
        Done("/moderation/news/<footballer_id>", "/moderation/news/n1", {"text": "Fit again."}),
        Done(
            "/moderation/news/notes/<int:note_id>/erase",
            f"/moderation/news/notes/{news.id}/erase",
            WHY,
        ),
        Done(f"{players}/rename", f"{bobs}/rename", WHY),
        Done(f"{players}/free-name", f"{bobs}/free-name", WHY),
        Done(f"{players}/picture/remove", f"{bobs}/picture/remove", WHY),
        Done(f"{players}/minor", f"{bobs}/minor", WHY),
        Done(f"{players}/no-minor", f"{bobs}/no-minor", WHY),
        Done(f"{players}/sanction", f"{bobs}/sanction", WHY | {"kind": "shadow"}),
        Done(f"{players}/lift", f"{bobs}/lift", WHY | {"standing": str(ban.id + 1)}),
    ]


def of_operators(cast: Cast) -> list[Done]:
    keep(2, "event {} came too late")
    letter, other = letters.waiting()
    make_game("g1")
    cup = World()
    cup.match("1")
    cup.poll()
    league = make_league(cast.owner.id, {cast.owner.id: "Owner FC"})
    db.session.commit()
    document = export.as_json(export.document(league, clock.now(), usernames=True))
    accounts, bob = "/ops/accounts/<int:member_id>", f"/ops/accounts/{cast.bob.id}"
    return [
        Done("/leagues/import", "/leagues/import", {"file": (io.BytesIO(document), "a.json")}),
        Done(
            "/ops/accounts",
            "/ops/accounts",
            WHY | {"username": "new", "display_name": "New", "roles": "moderator"},
        ),
        Done(f"{accounts}/reset", f"{bob}/reset", WHY),
        Done(f"{accounts}/roles", f"{bob}/roles", WHY | {"roles": "moderator"}),
        Done(f"{accounts}/sessions/end", f"{bob}/sessions/end", WHY),
        Done("/ops/boards/<int:board_id>/rebuild", f"/ops/boards/{cast.board_id}/rebuild"),
        Done("/ops/dead-letters/drop", "/ops/dead-letters/drop", WHY | {"id": letter.id}),
        Done("/ops/dead-letters/replay", "/ops/dead-letters/replay", WHY | {"id": other.id}),
        Done("/ops/drills", "/ops/drills", WHY | {"kind": next(iter(DRILLS)), "how": "run"}),
        Done("/ops/feeds", "/ops/feeds", {"preset": "nflverse", "season": "2026"}),
        Done(
            "/ops/feeds/<int:feed_id>",
            f"/ops/feeds/{_feed()}",
            {"what": "pause"},
        ),
        Done(
            "/ops/games/<game_id>/registration",
            "/ops/games/g1/registration",
            {
                "home_id": "SUM",
                "away_id": "HRB",
                "competition": "nfl",
                "why": "a test of the audit",
            },
        ),
        Done("/ops/games/<game_id>", "/ops/games/g1", WHY | {"what": "cancelled", "how": "run"}),
        Done(
            "/ops/matches/<uuid:match_id>",
            f"/ops/matches/{cup.id_of('1')}",
            WHY | {"what": "void", "how": "run"},
        ),
    ]


def _feed() -> int:
    """A feed of an earlier season, which nothing runs here."""
    return services.add(services.Following("nflverse", 2025), clock.now())[0].id


def preview(event_id: UUID) -> str:
    return getattr(rollback.preview(Selection(event_id=event_id)), "digest", "")


@pytest.mark.everyday("every act of staff")
def test_every_act_of_staff_is_in_the_audit(
    app: Flask, cast: Cast, sign_in: Callable[..., FlaskClient]
) -> None:
    acts = [*of_moderators(cast), *on_players(cast), *of_operators(cast)]
    assert {done.row for done in acts} == privileged(app), (
        "give each new route an act that succeeds"
    )
    operator = sign_in("operator")
    missing = []
    for done in acts:
        before = entries()
        answer = operator.post(done.path, data=done.sent)
        assert answer.status_code in (200, 303), (
            f"{done.path}: {answer.status_code} {answer.text[:2000]}"
        )
        if entries() == before:
            missing.append(done.path)
    assert not missing, "done, and the audit does not know"


@pytest.mark.parametrize("act", ["rename", "minor"])
def test_nobody_takes_their_own_name_away(
    sign_in: Callable[..., FlaskClient], member: Callable[..., Member], act: str
) -> None:
    meg = member("meg", role="moderator")
    answer = sign_in("moderator", "meg").post(
        f"/moderation/players/{player_of(meg).id}/{act}", data=WHY
    )
    assert answer.status_code == 422
    assert "Another moderator has to decide" in answer.text
