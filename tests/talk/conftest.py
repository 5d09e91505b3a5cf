"""A league of three members that people talk in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from flask import Flask

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.fantasy.notices.models import Notice
from app.fantasy.standings.models import League
from app.talk import queries, services
from app.talk.models import Post
from app.talk.queries import PostRow, Room
from app.talk.rules import BOARD
from app.talk.services import NewPost
from tests.worlds.league_season import BEFORE, LeagueWorld, make_league_world

NOW = BEFORE + timedelta(days=1)
TALKERS = ("ann", "bob", "cat")  # Ann is the commissioner


@dataclass
class Talk:
    """What members say on the board of one league, and what each of them sees."""

    leagues: LeagueWorld
    league: League

    def room(self, name: str) -> Room:
        db.session.rollback()
        room = queries.room(self.league.slug, self.leagues.ids[name])
        assert room is not None
        return room

    def say(
        self, name: str, text: str, now: datetime = NOW, *, reply_to: Post | None = None
    ) -> Post:
        """Write on the board; reply_to answers that post."""
        answered = reply_to.id if reply_to else None
        post = services.write(self.room(name), NewPost(BOARD, text, answered), now)
        assert isinstance(post, Post), post
        return post

    def posts(self, name: str) -> list[PostRow]:
        return list(queries.load_page(self.room(name), BOARD).posts)

    def texts(self, name: str) -> list[str]:
        return [post.text for post in self.posts(name)]

    def member(self, name: str) -> Member:
        return db.session.get_one(Member, self.leagues.ids[name], populate_existing=True)

    def notices(self, name: str) -> list[str]:
        rows = db.session.query(Notice).filter_by(member_id=self.leagues.ids[name], kind="mention")
        return [notice.title for notice in rows.order_by(Notice.id)]


@pytest.fixture
def talk(app: Flask, member: Callable[..., Member]) -> Talk:
    world = make_league_world(member)
    league = world.league("The Row", by="ann")
    for name in TALKERS[1:]:
        world.join(league, name)
    for name in TALKERS:
        player_of(db.session.get_one(Member, world.ids[name]))
    return Talk(world, league)
