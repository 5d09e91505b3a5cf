"""Reads of boards and threads, in a fixed number of queries per page.

Who sees which post is decided in one place (`_is_visible`): nobody sees posts of hidden members,
except hidden members their own; members who block each other do not see each other's posts.
The commissioner answers for the league and therefore gets the latter marked instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, case, false, func, literal, or_, select
from sqlalchemy.orm import aliased

from app.accounts.friends import blocked_between
from app.accounts.models import Member, Player
from app.accounts.sanctions import is_active, seen_member, shown_name
from app.core.db import db
from app.fantasy.standings.models import LeagueMember, LeagueScore
from app.fantasy.standings.queries import LeagueRow, league_for_viewer
from app.talk import rules, words
from app.talk.models import POST, BoardRead, Post, Reaction
from app.talk.words import News

PAGE_ROWS = 30
MOST_UNREAD = 99  # a larger number is shown as `99+`
QUOTED = 120  # characters of the post that another one answers
FOUND_MEMBERS = 6


@dataclass(frozen=True)
class Viewer:
    """A member of the league who looks at it.

    Attributes:
        player_id: None if nobody can have blocked them yet.
        runs: Whether they are the commissioner.
    """

    member_id: int
    player_id: UUID | None
    runs: bool


@dataclass(frozen=True)
class Room:
    """A league that people talk in, for one of its members."""

    league: LeagueRow
    viewer: Viewer


@dataclass(frozen=True)
class Quote:
    """The beginning of the post that another one answers."""

    post_id: int
    author: str
    text: str


@dataclass(frozen=True)
class ReactionCount:
    """How many members reacted like this, and whether the viewer did."""

    kind: str
    label: str
    count: int
    is_mine: bool


@dataclass(frozen=True)
class PostRow:
    """A post as one member sees it.

    Attributes:
        thread: See models.Post.
        author: The member's name; empty if Pressbox wrote it.
        team: Their team in the league; empty if they left.
        text: With mentions as ids (rules.split).
        names: Of the mentioned members, by id.
        news: What Pressbox says; None if a member wrote it.
        answers: What it answers, if the viewer sees that.
        is_blocked: A commissioner sees that there is a post of somebody on the other side of a
            block, and opens it only on purpose.
        removed_as: Who removed it: `commissioner` or `moderator`. Its text is left out then.
    """

    id: int
    thread: str
    kind: str
    member_id: int | None
    author: str
    team: str
    text: str
    data: Mapping[str, Any]
    names: Mapping[int, str]
    news: News | None
    has_picture: bool
    created_at: datetime
    is_edited: bool
    is_pinned: bool
    is_mine: bool
    is_blocked: bool
    removed_as: str | None
    removal_reason: str | None
    answers: Quote | None
    reactions: Sequence[ReactionCount]


@dataclass(frozen=True)
class PostPage:
    """A page of a thread, newest first. `pinned`: only on the first page.

    `older`: the id before which the next page begins; None on the last page.
    """

    posts: Sequence[PostRow]
    pinned: PostRow | None
    older: int | None


@dataclass(frozen=True)
class FoundMember:
    """A member to mention: by name or, if several members have it, by team."""

    mention: str
    name: str
    team: str


def room(slug: str, member_id: int) -> Room | None:
    """Load the league for one of its members. There is no talk in overall leagues."""
    league = league_for_viewer(slug, member_id)
    if league is None or league.is_overall:
        return None
    player_id = db.session.scalar(select(Player.id).where(Player.member_id == member_id))
    return Room(league, Viewer(member_id, player_id, league.commissioner_id == member_id))


def find(room: Room, post_id: int) -> Post | None:
    """Load a post that the viewer sees."""
    query = select(Post).where(
        Post.id == post_id, Post.league_id == room.league.id, *_is_visible(room.viewer)
    )
    return db.session.scalar(query)


def load_page(room: Room, thread: str, before: int | None = None) -> PostPage:
    """Load a page of posts, newest first.

    Args:
        room: The league and the viewer.
        thread: Of the league (rules.BOARD, rules.thread_of_matchup).
        before: Only posts with lower ids; None for the newest.
    """
    query = _posts(room).where(Post.thread == thread).order_by(Post.id.desc())
    if before is not None:
        query = query.where(Post.id < before)
    rows = db.session.execute(query.limit(PAGE_ROWS + 1)).all()
    pinned = []
    if before is None:
        is_pinned = _posts(room).where(Post.thread == thread, Post.pinned_at.is_not(None))
        pinned = list(db.session.execute(is_pinned).all())
    page_rows = rows[:PAGE_ROWS]
    post_rows = _post_rows(room, [*page_rows, *pinned])
    older = page_rows[-1].Post.id if len(rows) > PAGE_ROWS else None
    return PostPage(
        post_rows[: len(page_rows)], post_rows[len(page_rows)] if pinned else None, older
    )


def load_post(room: Room, post_id: int) -> PostRow | None:
    """Load one post that the viewer sees."""
    rows = db.session.execute(_posts(room).where(Post.id == post_id)).all()
    return next(iter(_post_rows(room, rows)), None)


def reactions_of(room: Room, post_id: int) -> Sequence[ReactionCount]:
    """Load the reactions to a post."""
    return _reactions(room, [post_id]).get(post_id) or _no_reactions()


def unread(slug: str, member_id: int) -> tuple[int, int] | None:
    """Return the league's id and how many posts of its board the member has not read.

    At most MOST_UNREAD + 1 are counted. None unless people talk in this league.
    """
    member_room = room(slug, member_id)
    if member_room is None:
        return None
    league_id = member_room.league.id
    read = db.session.scalar(
        select(BoardRead.post_id).where(
            BoardRead.league_id == league_id, BoardRead.member_id == member_id
        )
    )
    joined_at = select(LeagueMember.joined_at).where(
        LeagueMember.league_id == league_id, LeagueMember.member_id == member_id
    )
    is_new = Post.id > read if read else Post.created_at > joined_at.scalar_subquery()
    posts = (
        select(Post.id)
        .where(Post.league_id == league_id, Post.thread == rules.BOARD, is_new)
        .where(or_(Post.member_id.is_(None), Post.member_id != member_id))
        .where(Post.removed_at.is_(None), *_is_visible(member_room.viewer))
        .limit(MOST_UNREAD + 1)
        .subquery()
    )
    return league_id, db.session.scalar(select(func.count()).select_from(posts)) or 0


def newest_id(room: Room) -> int | None:
    """Return the id of the newest post on the board that the viewer sees; None without one."""
    query = select(func.max(Post.id)).where(
        Post.league_id == room.league.id,
        Post.thread == rules.BOARD,
        *_is_visible(room.viewer),
    )
    return db.session.scalar(query)


def mentionable(league_id: int) -> dict[str, int]:
    """Return the league's members by casefolded name and team, without ambiguous ones.

    A name that is one member's display name and another one's team means the former.
    """
    members = db.session.execute(_members(league_id)).all()
    by_team = _unique((team, member_id) for member_id, _, team in members)
    by_name = _unique((name, member_id) for member_id, name, _ in members)
    ambiguous = {name.casefold() for _, name, _ in members} - by_name.keys()
    return {team: member for team, member in by_team.items() if team not in ambiguous} | by_name


def find_members(league_id: int, search: str) -> list[FoundMember]:
    """Find members to mention whose name or team begins with these words, by name, then id."""
    unique = mentionable(league_id)
    begins = search.casefold()
    members = []
    for member_id, name, team in sorted(
        db.session.execute(_members(league_id)).all(), key=lambda row: (row[1].casefold(), row[0])
    ):
        if not name.casefold().startswith(begins) and not team.casefold().startswith(begins):
            continue
        mention = next(
            (text for text in (name, team) if unique.get(text.casefold()) == member_id), ""
        )
        if mention:
            members.append(FoundMember(mention, name, team))
    return members[:FOUND_MEMBERS]


def names_of(member_ids: Collection[int]) -> dict[int, str]:
    """Return the names of these members by id; those of hidden and erased members say so."""
    rows = db.session.execute(
        select(Member.id, shown_name(Member)).where(Member.id.in_(member_ids))
    )
    return dict(rows.all())


def team_names(
    league_id: int, member_ids: Collection[int], *, outside: bool = False
) -> dict[int, str]:
    """Return the names of these members' teams; those of hidden members are left out.

    Args:
        league_id: The league.
        member_ids: The members; of those who left, the name that their team had last.
        outside: Whether people outside of the league read it: minors are then named by the neutral
            name that they have on boards.
    """
    if not member_ids:
        return {}
    last_name = (
        select(LeagueScore.team_name)
        .where(LeagueScore.league_id == league_id, LeagueScore.member_id == Member.id)
        .order_by(LeagueScore.gameweek_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    is_member = (LeagueMember.league_id == league_id) & (LeagueMember.member_id == Member.id)
    team_name = func.coalesce(LeagueMember.team_name, last_name)
    is_neutral = and_(Member.is_minor, literal(outside))
    team = case((is_neutral, Member.display_name), else_=team_name)
    query = (
        select(Member.id, team)
        .outerjoin(LeagueMember, is_member)
        .where(Member.id.in_(member_ids), seen_member(Member.id), team.is_not(None))
    )
    return dict(db.session.execute(query).all())


def is_seen_by_all(post: Post) -> bool:
    """Whether a post is about nobody who is hidden."""
    return bool(db.session.scalar(select(seen_member(post.member_id))))


def to_notify(room: Room, member_ids: Collection[int]) -> list[int]:
    """Return those of these members who hear that the viewer mentions them, by id.

    Active members of the league who see the viewer's posts.
    """
    if db.session.scalar(select(Member.is_shadowed).where(Member.id == room.viewer.member_id)):
        return []
    query = (
        select(Member.id)
        .join(LeagueMember, LeagueMember.member_id == Member.id)
        .where(LeagueMember.league_id == room.league.id, Member.id.in_(member_ids))
        .where(Member.id != room.viewer.member_id, is_active())
        .where(~_is_blocked(room.viewer, Member.id))
        .order_by(Member.id)
    )
    return list(db.session.scalars(query))


def _unique(pairs: Any) -> dict[str, int]:
    by_name: dict[str, set[int]] = {}
    for name, member_id in pairs:
        by_name.setdefault(name.casefold(), set()).add(member_id)
    return {name: members.pop() for name, members in by_name.items() if len(members) == 1}


def _members(league_id: int) -> Select[int, str, str]:
    return (
        select(Member.id, Member.display_name, LeagueMember.team_name)
        .join(LeagueMember, LeagueMember.member_id == Member.id)
        .where(LeagueMember.league_id == league_id, is_active(), seen_member(Member.id))
    )


def _is_blocked(viewer: Viewer, member_id: Any) -> ColumnElement[bool]:
    return false() if viewer.player_id is None else blocked_between(viewer.player_id, member_id)


def _is_visible(viewer: Viewer, post: Any = Post) -> list[ColumnElement[bool]]:
    conditions = [seen_member(post.member_id)]
    if not viewer.runs:
        conditions.append(~_is_blocked(viewer, post.member_id))
    return conditions


def _posts(room: Room) -> Select[Post, str, str, bool]:
    is_member = (LeagueMember.league_id == Post.league_id) & (
        LeagueMember.member_id == Post.member_id
    )
    is_blocked = _is_blocked(room.viewer, Post.member_id) if room.viewer.runs else literal(False)
    return (
        select(
            Post,
            Member.display_name,
            LeagueMember.team_name,
            is_blocked.label("is_blocked"),
        )
        .outerjoin(Member, Member.id == Post.member_id)
        .outerjoin(LeagueMember, is_member)
        .where(Post.league_id == room.league.id, *_is_visible(room.viewer))
    )


def _post_rows(room: Room, rows: Sequence[Any]) -> list[PostRow]:
    quotes = _quotes(room, {row.Post.reply_to_id for row in rows if row.Post.reply_to_id})
    reactions = _reactions(room, [row.Post.id for row in rows])
    texts = [row.Post.text or "" for row in rows]
    mentioned = {member_id for text in texts for member_id in rules.mentioned(text)}
    names = names_of(mentioned) if mentioned else {}
    about = {
        member_id
        for row in rows
        if row.Post.kind != POST
        for member_id in words.teams_in(row.Post.member_id, row.Post.data)
    }
    loaded = _Loaded(quotes, names, reactions, team_names(room.league.id, about))
    return [_post_row(room, row, loaded) for row in rows]


@dataclass(frozen=True)
class _Loaded:
    """What posts refer to: quotes and reactions by post, names and teams by member."""

    quotes: Mapping[int, Quote]
    names: Mapping[int, str]
    reactions: Mapping[int, Sequence[ReactionCount]]
    teams: Mapping[int, str]


def _post_row(room: Room, row: Any, loaded: _Loaded) -> PostRow:
    post: Post = row.Post
    is_mine = post.member_id == room.viewer.member_id
    is_shown = post.removed_at is None or is_mine
    return PostRow(
        id=post.id,
        thread=post.thread,
        kind=post.kind,
        member_id=post.member_id,
        author=row.display_name if post.kind == POST else "",
        team=(row.team_name or "") if post.kind == POST else "",
        text=(post.text or "") if is_shown else "",
        data=post.data,
        names=loaded.names,
        news=None
        if post.kind == POST
        else words.news(post.kind, post.member_id, post.data, loaded.teams),
        has_picture=post.picture is not None and is_shown,
        created_at=post.created_at,
        is_edited=post.edited_at is not None,
        is_pinned=post.pinned_at is not None,
        is_mine=is_mine and post.kind == POST,
        is_blocked=row.is_blocked,
        removed_as=post.removed_as,
        removal_reason=post.removal_reason,
        answers=loaded.quotes.get(post.reply_to_id or 0),
        reactions=loaded.reactions.get(post.id) or _no_reactions(),
    )


def _quotes(room: Room, post_ids: Collection[int]) -> dict[int, Quote]:
    if not post_ids:
        return {}
    query = (
        select(Post.id, Post.text, Post.picture, Post.removed_at, Member.display_name)
        .join(Member, Member.id == Post.member_id)
        .where(Post.id.in_(post_ids), *_is_visible(room.viewer))
        .where(~_is_blocked(room.viewer, Post.member_id))
    )
    rows = db.session.execute(query).all()
    mentioned = {member_id for row in rows for member_id in rules.mentioned(row.text or "")}
    names = names_of(mentioned) if mentioned else {}
    return {row.id: Quote(row.id, row.display_name, _quoted(row, names)) for row in rows}


def _quoted(row: Any, names: Mapping[int, str]) -> str:
    if row.removed_at is not None:
        return "This post was removed."
    text = " ".join(rules.as_typed(row.text or "", names).split())
    if not text:
        return "A picture"
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 1].rstrip()}…"


def _reactions(room: Room, post_ids: Collection[int]) -> dict[int, list[ReactionCount]]:
    if not post_ids:
        return {}
    reaction = aliased(Reaction)
    query = (
        select(
            reaction.post_id,
            reaction.kind,
            func.count(),
            func.bool_or(reaction.member_id == room.viewer.member_id),
        )
        .where(reaction.post_id.in_(post_ids), seen_member(reaction.member_id))
        .where(~_is_blocked(room.viewer, reaction.member_id))
        .group_by(reaction.post_id, reaction.kind)
    )
    counts: dict[int, dict[str, tuple[int, bool]]] = {}
    for post_id, kind, count, is_mine in db.session.execute(query):
        counts.setdefault(post_id, {})[kind] = (count, is_mine)
    return {
        post_id: [
            ReactionCount(kind, label, *by_kind.get(kind, (0, False)))
            for kind, label in rules.REACTIONS.items()
        ]
        for post_id, by_kind in counts.items()
    }


def _no_reactions() -> list[ReactionCount]:
    return [ReactionCount(kind, label, 0, False) for kind, label in rules.REACTIONS.items()]
