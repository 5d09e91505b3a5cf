"""A whole small Pressbox to send odd requests to.

The demo season, a game with plays, boards, an integrator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text

from app.accounts import players
from app.accounts.models import Member, MemberSession, Player
from app.boards.models import BoardRecord
from app.core import clock
from app.core.db import db
from app.demo import seed
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import FootballerSeason
from app.fantasy.standings.models import League, LeagueMember
from app.feeds import services as feeds
from app.moderation import inbox, rollback
from app.moderation.models import Report, Rollback
from app.moderation.selection import Selection
from app.predictions import pools
from app.predictions.models import Match, Pool, Round
from app.talk import queries as post_queries
from app.talk import services as talk
from app.talk.models import Connection, Post
from app.talk.rules import BOARD
from scorer_console.entry import services as console
from tests.worlds.callers import Callers, make_callers
from tests.worlds.draft_league_values import draft_league_values
from tests.worlds.games import ingest, make_game, messages, touchdown_drive
from tests.worlds.score_log import Log, flag_thirteens, score_event

ROLES = ("member", "scorer", "moderator", "operator")
TALKING = "front-page-derby"  # a league of the demo that people talk in


@dataclass
class World:
    """`real`: working values for each variable of a path, by the path's prefix ("": any)."""

    app: Flask
    callers: Callers
    clients: dict[str, FlaskClient]
    real: dict[str, dict[str, str]]
    leaving: FlaskClient

    def value(self, path: str, name: str) -> str:
        value = self.real[name]
        return next(
            (value[start] for start in sorted(value, reverse=True) if path.startswith(start)), "1"
        )


def make_world(
    app: Flask, sign_in: Callable[[str], FlaskClient], owner_name: str = "operator"
) -> World:
    """`owner_name`: of the demo's member who runs the league and the integrator."""
    game = make_game("g1").id  # first: one of its clubs is a club of the demo too
    seed.seed_demo(lambda *_: None)
    ingest(messages(touchdown_drive(), game))
    owner = db.session.scalars(select(Member).where(Member.username == owner_name)).one()
    scorer = db.session.scalars(select(Member).where(Member.username == "scorer")).one()
    practice = console.begin_practice(console.Practice("HRB", "SUM"), scorer.username, clock.now())
    callers = make_callers(app, owner)
    event = score_event(callers.mode, callers.player_id, 13)
    log = Log()
    spare = score_event(callers.mode, callers.player_id, 12)
    log.put(event, spare)
    log.consume(judge=flag_thirteens)
    hook = (
        callers.game_server.post("/v1/webhooks", json={"url": "https://example.com/hook"}).json
        or {}
    )
    other = callers.register("p-2", "Rex")
    league = "the-press-row"
    taken = text("UPDATE leagues SET commissioner_id = :member WHERE slug = :slug")
    db.session.execute(taken, {"member": owner.id, "slug": league})
    db.session.commit()
    code = db.session.scalar(
        text("SELECT invite_code FROM leagues WHERE slug = :slug"), {"slug": league}
    )
    rules = db.session.scalar(text("SELECT min(id) FROM team_rules"))
    key = db.session.scalar(text("SELECT min(id) FROM api_keys"))
    me = players.player_of(owner)
    real = {
        # practice ends early
        "game_id": {"": game, "/console/": practice.id, "/console/<game_id>/details": game},
        "slug": {"": league},
        "league": {"": league},
        "member_id": {"": str(owner.id), "/ops/accounts/": str(member_id("inkwell"))},
        "gamer_id": {"": str(owner.id)},
        "footballer_id": {"": "H3"},
        "player_id": {
            "": str(callers.player_id),
            "/games/": "H3",
            "/friends/": str(me.id),
        },
        "other_id": {"": str(other)},
        "game": {"": callers.game.slug},
        "mode": {"": callers.mode.slug},
        "window": {"": "all-time"},
        "competition": {"": "cup"},
        "guild": {"": "party"},
        "number": {"": "3"},
        "act": {
            "": "accept",
            "/moderation/attempts/": "quarantine",
            "/moderation/boards/": "freeze",
        },
        "integrator_id": {"": str(callers.integrator.id)},
        "key_id": {"": str(key)},
        "code": {"": str(code)},
        "event_id": {"": str(event.event_id)},
        "team_rules_id": {"": str(rules)},
        "user_id": {"": str(me.id)},
        "webhook_id": {"": str(UUID(hook["webhook_id"]))},
        "filename": {"": "css/base.css"},
        "family": {"": str(UUID(int=1))},
    }
    real |= moderation_values(callers, spare.event_id)
    real["feed_id"] = {"": followed()}
    real["post_id"] = talked(owner)
    real["slug"]["/leagues/<slug>/talk"] = TALKING
    real["connection_id"] = {"": str(connected(league))}
    season_id = db.session.scalars(select(League.season_id).where(League.slug == league)).one()
    on_the_market = select(FootballerSeason.footballer_id).where(
        FootballerSeason.season_id == season_id
    )
    real["footballer_id"]["/moderation/news/"] = str(db.session.scalars(on_the_market).first())
    for name, values in draft_league_values(owner, season_id).items():
        real.setdefault(name, {}).update(values)
    for name, value in tournament_values(me).items():
        real.setdefault(name, {"": value})["/tournaments/"] = value
    clients = {role: sign_in(role) for role in ROLES} | {"stranger": app.test_client()}
    real["session_id"] = {"": other_session(owner, sign_in)}
    return World(app, callers, clients, real, leaving=sign_in("member"))


def followed() -> str:
    """The id of a feed."""
    return str(feeds.add(feeds.Following("nflverse", 2026), clock.now())[0].id)


def connected(slug: str) -> UUID:
    """A connection of the league."""
    league = db.session.scalars(select(League).where(League.slug == slug)).one()
    connection = Connection(league_id=league.id, service="json", url="https://example.com/hook")
    db.session.add(connection)
    db.session.commit()
    return connection.id


def talked(owner: Member) -> dict[str, str]:
    """A post of the owner, and one of another member of the league that was reported."""
    league = db.session.scalars(select(League).where(League.slug == TALKING)).one()
    assert leagues.join(owner.id, league.id, "The Talkers", clock.now()) is None
    other = db.session.scalars(
        select(LeagueMember.member_id)
        .where(LeagueMember.league_id == league.id, LeagueMember.member_id != owner.id)
        .limit(1)
    ).one()
    written = []
    for writer in (owner.id, other):
        room = post_queries.room(TALKING, writer)
        assert room is not None
        post = talk.write(room, talk.NewPost(BOARD, "Hello"), clock.now())
        assert isinstance(post, Post)
        written.append(post)
    report = inbox.report_post(owner.id, written[1], "Look", clock.now())
    assert isinstance(report, Report)
    return {
        "": str(written[0].id),
        "/leagues/<slug>/talk/<int:post_id>/report": str(written[1].id),
        "/moderation/": str(written[1].id),
    }


def member_id(username: str) -> int:
    """Of a member who does nothing else here, so that their password and roles may change."""
    return db.session.scalars(select(Member.id).where(Member.username == username)).one()


def other_session(owner: Member, sign_in: Callable[[str], FlaskClient]) -> str:
    """A session of the owner that nothing else uses, so that it may be ended."""
    sign_in(owner.username)
    newest = (
        select(MemberSession.id)
        .where(MemberSession.member_id == owner.id)
        .order_by(MemberSession.begun_at.desc())
    )
    return str(db.session.scalars(newest).first())


def moderation_values(callers: Callers, spare: UUID) -> dict[str, dict[str, str]]:
    """Values for the paths of moderators and operators, and some that are the same everywhere.

    Rolls `spare` back.
    """
    board = db.session.scalars(
        select(BoardRecord.id).where(BoardRecord.mode_id == callers.mode.id).limit(1)
    ).one()
    return {
        "form": {"": "json"},
        "notice_id": {"": "1"},
        "note_id": {"": "1"},
        "epoch": {"": "0"},
        "device_id": {"": "1"},
        "token": {"": "x"},
        "passkey_id": {"": "1"},
        "week": {"": "1"},
        "play_number": {"": "3"},
        "position": {"": "QB"},
        "gameweek": {"": "GW1"},
        "mode_id": {"": str(callers.mode.id)},
        "rollback_id": {"": str(rolled_back(spare).id)},
        "report_id": {"": "1"},
        "appeal_id": {"": "1"},
        "board_id": {"": str(board)},
        "letter_id": {"": "1"},
    }


def rolled_back(event_id: UUID) -> Rollback:
    """A rollback of this score."""
    chosen = Selection(event_id=event_id)
    digest = getattr(rollback.preview(chosen), "digest", "")
    report = rollback.make(chosen, digest=digest, by=None, reason="a test", now=clock.now())
    assert isinstance(report, Rollback), report
    return report


def tournament_values(player: Player) -> dict[str, str]:
    """Values for the paths of the demo's tournament, with a pool of the player in it."""
    match = db.session.scalars(
        select(Match).join(Round).order_by(Round.position.desc(), Match.id)
    ).first()
    assert match is not None
    pool = pools.create(match.tournament_id, player.id, "The Odd Ones")
    assert isinstance(pool, Pool)
    tournament_id, slug = str(match.tournament_id), "week-1"
    return {
        "tournament_id": tournament_id,
        "tournamentId": tournament_id,
        "slug": slug,
        "roundSlug": slug,
        "match_id": str(match.id),
        "pool_id": str(pool.id),
        "code": pool.code,
        "player_id": str(player.id),
        "name": "0" * 64,
    }
