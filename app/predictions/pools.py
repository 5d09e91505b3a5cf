"""Private pools inside a tournament: created, joined by invite code, left, ranked (PRODUCT C2).

Each act is one transaction; refusals are values. `for_member` is the only way to load a pool. The
points of the whole tournament are in settlement/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import msgspec
from sqlalchemy import ColumnElement, and_, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from app.accounts.models import Member, Player
from app.accounts.names import normalised
from app.accounts.sanctions import SEEN_PLAYER, seen_player
from app.accounts.succession import heir_order
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.leagues.addresses import name_refusals, new_code
from app.fantasy.leagues.rules import plain_code
from app.predictions import members, points
from app.predictions.models import Pool, PoolMember, Tournament, TournamentPoints
from app.predictions.points import PointRule

MOST_POOLS = 50
MOST_MEMBERS = 500
NAME_MAX = 60

NOT_THERE = Refusal("not_there", "code", "No pool has this code. Ask the person who sent it.")
TOO_MANY = Refusal(
    "too_many", "", f"You're in {MOST_POOLS} pools, which is the limit. Leave one first."
)
FULL = Refusal("full", "", f"This pool is full ({MOST_MEMBERS} members). Create another one.")
TAKEN = Refusal(
    "taken", "name", "Another pool in this tournament has this name. Choose another one."
)
YOURSELF = Refusal("yourself", "", "You can't remove yourself. Leave the pool instead.")
NO_MEMBER = Refusal("no_member", "", "They have already left this pool.")


@dataclass(frozen=True)
class PoolCard:
    """A pool as its members find it in a list."""

    id: int
    name: str
    members: int
    is_mine: bool


@dataclass(frozen=True)
class PoolRow:
    """A place in a pool's table. `points` are hundredths."""

    player_id: UUID
    display_name: str
    points: int
    rank: int


# Points in a pool differ from the tournament's only in the closest guess, which is the closest
# within the pool.
_TERMS = f"""
    SELECT m.id AS match_id,
      CAST(m.terms->>'home' AS integer) AS home, CAST(m.terms->>'away' AS integer) AS away,
      {points.outcome_sql("m.terms")} AS outcome,
      CAST(m.terms->>'multiplier' AS integer) AS multiplier,
      CAST(m.terms#>>'{{rule,winner}}' AS integer) AS winner,
        CAST(m.terms#>>'{{rule,margin}}' AS integer) AS margin,
      CAST(m.terms#>>'{{rule,margin_within}}' AS integer) AS margin_within,
      CAST(m.terms#>>'{{rule,close}}' AS integer) AS close,
      CAST(m.terms#>>'{{rule,close_within}}' AS integer) AS close_within,
      CAST(m.terms#>>'{{rule,exact}}' AS integer) AS exact,
      m.terms#>>'{{rule,counting}}' = 'best' AS is_best,
      CAST(m.terms#>>'{{rule,closest}}' AS integer) AS closest,
      CAST(m.terms#>>'{{rule,closest_least}}' AS integer) AS closest_least
    FROM matches m WHERE m.tournament_id = :tournament_id AND m.terms IS NOT NULL
"""  # noqa: S608 (made of our own words alone)
# uses columns in place of settlement's parameters
_EARNED = re.sub(r":pool_(\w+)", r"t.\1", points.earned_sql("pool"))
_POINTS = text(
    f"""
    WITH members AS (SELECT player_id FROM pool_members WHERE pool_id = :pool_id),
    settled AS ({_TERMS}),
    guessed AS (
      SELECT g.* FROM guesses g JOIN members USING (player_id) JOIN settled USING (match_id)
    ),
    nearest AS (
      SELECT DISTINCT ON (g.match_id) g.match_id, abs((g.home - g.away) - (s.home - s.away)) AS off,
        count(*) AS sharers
      FROM guesses g JOIN members USING (player_id) JOIN settled s USING (match_id)
      WHERE sign(g.home - g.away) = s.outcome
      GROUP BY g.match_id, off ORDER BY g.match_id, off
    ),
    terms AS (
      SELECT s.*, n.off AS closest_distance,
        greatest(s.closest / n.sharers, least(s.closest, s.closest_least)) AS closest_share
      FROM settled s LEFT JOIN nearest n USING (match_id)
    ),
    sums AS (
      SELECT g.player_id, sum({_EARNED}) AS points FROM guessed g JOIN terms t USING (match_id)
        GROUP BY g.player_id
    ),
    slams AS (
      SELECT s.player_id, sum(s.points) AS points FROM round_slams s JOIN rounds r
        ON r.id = s.round_id
      WHERE r.tournament_id = :tournament_id AND s.player_id IN (SELECT player_id FROM members)
        GROUP BY s.player_id
    )
    SELECT m.player_id, p.display_name, coalesce(sums.points, 0) + coalesce(slams.points,
      0) AS points
    FROM members m JOIN players p ON p.id = m.player_id
    LEFT JOIN sums USING (player_id) LEFT JOIN slams USING (player_id)
    WHERE {SEEN_PLAYER.format("m.player_id")}
    ORDER BY points DESC, p.display_name COLLATE "C", m.player_id
    """  # noqa: S608
)


def create(tournament_id: UUID, player_id: UUID, name: str) -> Pool | list[Refusal]:
    """Create a pool with its first member, who owns it. Commits.

    Returns:
        The pool, or all reasons why it cannot be created.
    """
    refusals = name_refusals(name, "name", NAME_MAX)
    if _count_of(player_id) >= MOST_POOLS:
        refusals.append(TOO_MANY)
    if refusals:
        return refusals
    values = {
        "tournament_id": tournament_id,
        "name": normalised(name),
        "code": new_code(),
        "owner_id": player_id,
    }
    insertion = (
        insert(Pool)
        .values(values)
        .on_conflict_do_nothing(constraint="uq_pools_name")
        .returning(Pool)
    )
    pool: Pool | None = db.session.scalar(insertion)
    if pool is None:
        db.session.rollback()
        return [TAKEN]
    _add(pool, player_id)
    db.session.commit()
    members.announce()
    return pool


def invited(code: str) -> Pool | None:
    """Return the pool of an invite code, regardless of how the code was typed."""
    return db.session.scalar(select(Pool).where(Pool.code == plain_code(code)))


def join(pool_id: int, code: str, player_id: UUID) -> Refusal | None:
    """Add the player, with their points, to the pool. Joining twice changes nothing. Commits.

    Returns:
        The refusal, or None if the player is now a member.
    """
    pool = _locked(pool_id)
    refusal = None
    if pool is None or pool.code != plain_code(code):
        refusal = NOT_THERE
    elif db.session.get(PoolMember, (pool_id, player_id)) is None:
        if _count_of(player_id) >= MOST_POOLS:
            refusal = TOO_MANY
        elif _is_full(pool_id):
            refusal = FULL
        else:
            _add(pool, player_id)
            appoint([pool], clock.now())
    db.session.commit()
    members.announce()
    return refusal


def leave(pool_id: int, player_id: UUID) -> None:
    """Remove the player from the pool. Commits.

    If the owner leaves, the pool passes to the active member who has been in it longest. Without
    members it is deleted.
    """
    pool = _locked(pool_id)
    if pool is not None and _end(pool_id, player_id) and pool.owner_id == player_id:
        successor = _heir(pool_id)
        if successor is None:
            db.session.delete(pool)
        else:
            pool.owner_id = successor
    db.session.commit()


def lock_pools_of(player_id: UUID) -> Sequence[Pool]:
    """Lock the player's pools until the transaction ends, in order of their ids.

    Code that changes whether a player is active takes these locks first.
    """
    return db.session.scalars(
        select(Pool)
        .join(PoolMember, PoolMember.pool_id == Pool.id)
        .where(PoolMember.player_id == player_id)
        .order_by(Pool.id)
        .with_for_update(of=Pool)
        .execution_options(populate_existing=True)
    ).all()


def appoint(pools: Iterable[Pool], now: datetime) -> None:
    """Pass each pool whose owner is not active to the next owner. Does not commit.

    A pool without any active member stays as it is. The caller has locked the pools. Leagues do the
    same (fantasy/leagues).
    """
    db.session.flush()
    for pool in pools:
        owner_is_active = (
            select(Player.id)
            .outerjoin(Member, Member.id == Player.member_id)
            .where(Player.id == pool.owner_id, _is_active())
        )
        if db.session.scalar(owner_is_active) is None:
            successor = _heir(pool.id, active_only=True)
            if successor is None:
                continue
            db.session.execute(
                update(PoolMember)
                .where(PoolMember.pool_id == pool.id, PoolMember.player_id == pool.owner_id)
                .values(lost_office_at=now)
            )
            pool.owner_id = successor
    db.session.flush()


def give_back(pools: Iterable[Pool], player_id: UUID) -> None:
    """Give the player the pools back that heirs got in their place. Does not commit.

    Whoever became an heir later has no claim any more. The caller has locked the pools.
    """
    for pool in pools:
        membership = db.session.get(PoolMember, (pool.id, player_id), populate_existing=True)
        if membership is None or membership.lost_office_at is None:
            continue
        pool.owner_id = player_id
        db.session.execute(
            update(PoolMember)
            .where(
                PoolMember.pool_id == pool.id,
                PoolMember.lost_office_at >= membership.lost_office_at,
            )
            .values(lost_office_at=None)
        )
    db.session.flush()


def _heir(pool_id: int, *, active_only: bool = False) -> UUID | None:
    """Return the member who becomes the owner (accounts/succession.py).

    `active_only` excludes inactive members.
    """
    order = heir_order(
        is_active=_is_active(),
        is_shadow_banned=Player.hidden_at.is_not(None),
        joined_at=PoolMember.joined_at,
        member_id=PoolMember.player_id,
    )
    query = (
        select(PoolMember.player_id)
        .join(Player, Player.id == PoolMember.player_id)
        .outerjoin(Member, Member.id == Player.member_id)
        .where(PoolMember.pool_id == pool_id)
        .order_by(*order)
        .limit(1)
    )
    return db.session.scalar(query.where(_is_active()) if active_only else query)


def _is_active() -> ColumnElement[bool]:
    """Whether a player is active. An integrator's player has no member."""
    return and_(Player.banned_until.is_(None), Member.erased_at.is_(None))


def remove(pool_id: int, player_id: UUID) -> Refusal | None:
    """Remove a member as the pool's owner. Commits.

    The invite code changes, so that they cannot come back with it.
    """
    pool = _locked(pool_id)
    refusal = None
    if pool is not None and pool.owner_id == player_id:
        refusal = YOURSELF
    elif pool is None or not _end(pool_id, player_id):
        refusal = NO_MEMBER
    else:
        pool.code = new_code()
    db.session.commit()
    return refusal


def rename(pool_id: int, name: str) -> list[Refusal]:
    """Rename the pool. Commits."""
    if refused := name_refusals(name, "name", NAME_MAX):
        return refused
    pool = _locked(pool_id)
    if pool is None:
        return []
    same = select(Pool.id).where(
        Pool.tournament_id == pool.tournament_id, Pool.name == normalised(name), Pool.id != pool_id
    )
    if db.session.scalar(same) is not None:
        db.session.rollback()
        return [TAKEN]
    pool.name = normalised(name)
    db.session.commit()
    return []


def renew_code(pool_id: int) -> None:
    """Replace the invite code; the old one no longer works. Commits."""
    pool = _locked(pool_id)
    if pool is not None:
        pool.code = new_code()
    db.session.commit()


def for_member(tournament_id: UUID, pool_id: int, player_id: UUID | None) -> Pool | None:
    """Load the pool if the player is a member of it, else return None."""
    return db.session.scalar(
        select(Pool)
        .join(PoolMember, PoolMember.pool_id == Pool.id)
        .where(
            Pool.id == pool_id,
            Pool.tournament_id == tournament_id,
            PoolMember.player_id == player_id,
        )
    )


def of_player(tournament_id: UUID, player_id: UUID | None) -> list[PoolCard]:
    """Load the player's pools of the tournament, by name."""
    others = aliased(PoolMember)
    is_visible = seen_player(others.player_id)
    count = (
        select(func.count())
        .select_from(others)
        .where(others.pool_id == Pool.id, is_visible)
        .scalar_subquery()
    )
    rows = db.session.execute(
        select(Pool.id, Pool.name, count, Pool.owner_id == player_id)
        .join(PoolMember, PoolMember.pool_id == Pool.id)
        .where(Pool.tournament_id == tournament_id, PoolMember.player_id == player_id)
        .order_by(Pool.name)
    )
    return [PoolCard(*row) for row in rows]


def size(pool_id: int) -> int:
    """Return the number of members whom the viewer sees in the pool's table."""
    is_visible = seen_player(PoolMember.player_id)
    return (
        db.session.scalar(select(func.count()).where(PoolMember.pool_id == pool_id, is_visible))
        or 0
    )


def composition(pool_id: int) -> str:
    """Return a value that changes whenever somebody joins, leaves or is hidden.

    It also changes if one member joins and another one leaves at the same time.
    """
    query = select(func.count(), func.max(PoolMember.joined_at)).where(
        PoolMember.pool_id == pool_id
    )
    count, newest = db.session.execute(query.where(seen_player(PoolMember.player_id))).one()
    return f"{count}-{newest.timestamp() if newest else 0:.6f}"


def _is_full(pool_id: int) -> bool:
    """Whether the pool is full. Suspended members keep their place."""
    return (
        db.session.scalar(select(func.count()).where(PoolMember.pool_id == pool_id)) or 0
    ) >= MOST_MEMBERS


def table(pool: Pool, rule: PointRule) -> list[PoolRow]:
    """Load all members by points with dense ranks (1, 1, 2); ties are listed by nickname, then id.

    If the rule has points for the closest guess, they go to the closest one in the pool.
    """
    rows: list[PoolRow] = []
    for player_id, display_name, total in _totals(pool, rule):
        before = rows[-1] if rows else None
        rank = 1 if before is None else before.rank + (before.points != total)
        rows.append(PoolRow(player_id, display_name, int(total), rank))
    return rows


def _totals(pool: Pool, rule: PointRule) -> list[tuple[UUID, str, int]]:
    if rule.closest:
        closest_rows = db.session.execute(
            _POINTS, {"pool_id": pool.id, "tournament_id": pool.tournament_id}
        )
        return [(row[0], row[1], row[2]) for row in closest_rows]
    total = func.coalesce(TournamentPoints.points, 0)
    member_rows = db.session.execute(
        select(PoolMember.player_id, Player.display_name, total)
        .join(Player, Player.id == PoolMember.player_id)
        .outerjoin(
            TournamentPoints,
            (TournamentPoints.player_id == PoolMember.player_id)
            & (TournamentPoints.tournament_id == pool.tournament_id),
        )
        .where(PoolMember.pool_id == pool.id, seen_player(PoolMember.player_id))
        .order_by(total.desc(), Player.display_name.collate("C"), PoolMember.player_id)
    )
    return [(row[0], row[1], row[2]) for row in member_rows]


def rule_of(tournament: Tournament) -> PointRule:
    """Return the point rule of the tournament."""
    return msgspec.convert(tournament.rule, PointRule)


def _locked(pool_id: int) -> Pool | None:
    return db.session.scalar(select(Pool).where(Pool.id == pool_id).with_for_update())


def _count_of(player_id: UUID) -> int:
    return db.session.scalar(select(func.count()).where(PoolMember.player_id == player_id)) or 0


def _add(pool: Pool, player_id: UUID) -> None:
    members.join(pool.tournament_id, player_id)
    db.session.add(PoolMember(pool_id=pool.id, player_id=player_id))
    db.session.flush()


def _end(pool_id: int, player_id: UUID) -> bool:
    """End the membership, and return whether there was one."""
    ended = delete(PoolMember).where(
        PoolMember.pool_id == pool_id, PoolMember.player_id == player_id
    )
    return bool(db.session.execute(ended).rowcount)  # type: ignore[attr-defined]
