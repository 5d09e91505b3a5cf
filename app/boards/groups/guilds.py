"""Guilds of a game: declared by its integrator, with a history of who was in them when.

A player is in one guild per game at a time, and past memberships never change. guild_board.py
computes what a guild comes to on a board.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from app.accounts import quotas
from app.accounts.models import Player
from app.accounts.names import normalised
from app.accounts.services import public_name_fault
from app.boards.groups.models import Guild, GuildMember
from app.boards.models import ScoreGame
from app.boards.windows.rules import Window
from app.core.db import db, transaction
from app.core.refusals import Refusal

LONGEST_NAME = 40  # of a guild
MOST_GUILDS = 500  # of a game
MOST_MEMBERS = 100  # of a guild
MOST_OF_GAME = 10_000  # members of all guilds of a game: a guild board reads each of them
UNKNOWN, ELSEWHERE = "unknown_player", "in_another_guild"


def put(
    game_id: UUID, slug: str, name: str, players: Sequence[UUID], *, now: datetime
) -> Guild | list[Refusal]:
    """Create the guild or replace its name and members; commit.

    Members who are not in the list have left. Putting the same guild again changes nothing. A
    game's guilds are changed one at a time.
    """
    name = normalised(name)
    with transaction():
        game = _locked(game_id)
        player_ids = list(dict.fromkeys(players))
        guild = find(game, slug)
        refused = _name_refusals(guild, name) or _refusals(game, guild, player_ids)
        if refused:
            return refused
        if guild is None:
            guild = Guild(game_id=game.id, slug=slug, name=name, created_at=now)
            db.session.add(guild)
            db.session.flush()
        guild.name = name
        memberships = {
            member.player_id: member
            for member in db.session.scalars(_members(GuildMember.guild_id == guild.id))
        }
        for player_id in memberships.keys() - set(player_ids):
            memberships[player_id].left_at = now
        db.session.flush()
        for player_id in player_ids:
            if player_id not in memberships:
                db.session.add(
                    GuildMember(
                        game_id=game.id, guild_id=guild.id, player_id=player_id, joined_at=now
                    )
                )
    return guild


def remove(game_id: UUID, slug: str) -> bool:
    """Remove the guild, from past boards too, and commit; False if there is none."""
    with transaction():
        guild = find(_locked(game_id), slug)
        if guild is not None:
            db.session.delete(guild)
    return guild is not None


def find(game: ScoreGame, slug: str) -> Guild | None:
    """Find the game's guild of that slug."""
    query = select(Guild).where(Guild.game_id == game.id, Guild.slug == slug)
    guild: Guild | None = db.session.scalar(query.execution_options(populate_existing=True))
    return guild


def guilds(game: ScoreGame, offset: int, limit: int) -> list[tuple[Guild, int]]:
    """Return the game's guilds by slug, each with its present number of members."""
    members = select(func.count()).where(
        GuildMember.guild_id == Guild.id, GuildMember.left_at.is_(None)
    )
    query = (
        select(Guild, members.scalar_subquery())
        .where(Guild.game_id == game.id)
        .order_by(Guild.slug)
    )
    return [
        (guild, count) for guild, count in db.session.execute(query.offset(offset).limit(limit))
    ]


def members_now(guild: Guild) -> list[UUID]:
    """Return the present members in the order of their ids."""
    query = _members(GuildMember.guild_id == guild.id).order_by(GuildMember.player_id)
    return [member.player_id for member in db.session.scalars(query)]


def members_of(
    game: ScoreGame, window: Window, now: datetime, guild: Guild | None = None
) -> dict[UUID, list[UUID]]:
    """Load whose scores count for which guild in this window, for one guild or all.

    Members are those who are in the guild now or, if the window has ended, were in it then; in the
    order of their ids.
    """
    if window.ends is None or now < window.ends:
        then: ColumnElement[bool] = GuildMember.left_at.is_(None)
    else:
        later = or_(GuildMember.left_at.is_(None), GuildMember.left_at >= window.ends)
        then = and_(GuildMember.joined_at < window.ends, later)
    whose = GuildMember.game_id == game.id if guild is None else GuildMember.guild_id == guild.id
    query = select(GuildMember.guild_id, GuildMember.player_id).where(whose, then).distinct()
    players: dict[UUID, list[UUID]] = defaultdict(list)
    for guild_id, player_id in db.session.execute(
        query.order_by(GuildMember.guild_id, GuildMember.player_id)
    ):
        players[guild_id].append(player_id)
    return dict(players)


def _members(whose: ColumnElement[bool]) -> Select[Any]:
    return (
        select(GuildMember)
        .where(whose, GuildMember.left_at.is_(None))
        .execution_options(populate_existing=True)
    )


def _locked(game_id: UUID) -> ScoreGame:
    query = select(ScoreGame).where(ScoreGame.id == game_id).with_for_update(key_share=True)
    return db.session.scalars(query.execution_options(populate_existing=True)).one()


def _name_refusals(guild: Guild | None, name: str) -> list[Refusal]:
    if guild is not None and guild.name == name:
        return []
    fault = public_name_fault(name, LONGEST_NAME)
    return [Refusal("invalid", "name", f"name: {fault}")] if fault else []


def _refusals(game: ScoreGame, guild: Guild | None, player_ids: Sequence[UUID]) -> list[Refusal]:
    if guild is None:
        guilds = db.session.scalar(select(func.count()).where(Guild.game_id == game.id)) or 0
        full = quotas.refusal("guild", guilds, MOST_GUILDS, "guilds of this game")
        if full:
            return full
    registered = select(Player.id).where(
        Player.id.in_(player_ids), Player.integrator_id == game.integrator_id
    )
    known = set(db.session.scalars(registered))
    for number, player_id in enumerate(player_ids):
        if player_id not in known:
            text = f"{player_id} is not a player of this integrator. Register the player first."
            return [Refusal(UNKNOWN, f"member_ids[{number}]", text)]
    others = and_(
        GuildMember.game_id == game.id,
        GuildMember.left_at.is_(None),
        GuildMember.guild_id != guild.id
        if guild is not None
        else GuildMember.guild_id.is_not(None),
    )
    taken = select(GuildMember.player_id, Guild.slug).join(Guild, Guild.id == GuildMember.guild_id)
    first = (
        taken.where(others, GuildMember.player_id.in_(player_ids))
        .order_by(GuildMember.player_id)
        .limit(1)
    )
    if (taken_row := db.session.execute(first).first()) is not None:
        text = (
            f"{taken_row.player_id} is in the guild {taken_row.slug!r}. Remove the player "
            "from it first."
        )
        return [Refusal(ELSEWHERE, f"member_ids[{player_ids.index(taken_row.player_id)}]", text)]
    elsewhere = db.session.scalar(select(func.count()).select_from(GuildMember).where(others)) or 0
    return quotas.refusal(
        "member_ids", elsewhere, MOST_OF_GAME, "members of this game's guilds", more=len(player_ids)
    )
