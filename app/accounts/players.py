"""Who stands on boards: finding and registering players. A member becomes one at first use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member, Player
from app.accounts.services import public_name_fault
from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value

TAGS = ("names",)  # of what is cached of a player (app/core/page_cache)
LONGEST_NAME = 32  # for players of integrators


def find_player(player_id: UUID) -> Player | None:
    """Return the player, or None."""
    return db.session.get(Player, player_id)


def known_name(player_id: UUID) -> str | None:
    """Return the player's name from the page cache; None if there is no such player."""

    def load() -> CachedValue[str | None]:
        name = names_of([player_id]).get(player_id)
        return CachedValue(None, ()) if name is None else CachedValue(name, TAGS)

    return cached_value(f"player-name:{player_id}", str | None, load)


def name_fault(display_name: str, registered: Player | None) -> str | None:
    """Return what to change about the name that a game server gives a player, or None.

    A player who is `registered` may keep the name that they have.
    """
    if registered is not None and display_name in (registered.display_name, registered.own_name):
        return None
    return public_name_fault(display_name, LONGEST_NAME)


def register_player(integrator_id: int, external_id: str, display_name: str) -> tuple[Player, bool]:
    """Register the integrator's player of that id, or give them the new name. Commits.

    A name that a moderator gave stays; the new one is stored until a moderator frees it.

    Returns:
        The player, and whether they are new.
    """
    values = {
        "integrator_id": integrator_id,
        "external_id": external_id,
        "display_name": display_name,
    }
    statement = (
        insert(Player).values(values).on_conflict_do_nothing(constraint="uq_players_external_id")
    )
    new_player = db.session.scalar(statement.returning(Player))
    # Locked, so that a moderator cannot take the name away at the same time.
    query = select(Player).where(
        Player.integrator_id == integrator_id, Player.external_id == external_id
    )
    query = query.with_for_update().execution_options(populate_existing=True)
    player = new_player or db.session.scalars(query).one()
    if player.own_name is None:
        player.display_name = display_name
    else:
        player.own_name = display_name
    db.session.commit()
    return player, new_player is not None


def own_players(integrator_id: int, after: str | None, limit: int) -> Sequence[Player]:
    """Return the integrator's players after this external id, in its order.

    Erased players are left out.
    """
    query = select(Player).where(Player.integrator_id == integrator_id, Player.erased_at.is_(None))
    if after is not None:
        query = query.where(Player.external_id > after)
    return db.session.scalars(query.order_by(Player.external_id).limit(limit)).all()


def find_own_player(integrator_id: int, external_id: str) -> Player | None:
    """Return the integrator's player of that id, unless they were erased."""
    mine = (Player.integrator_id == integrator_id, Player.external_id == external_id)
    return db.session.scalar(select(Player).where(*mine, Player.erased_at.is_(None)))


def player_of_member(member_id: int) -> Player | None:
    """Return the member's player, if there is one."""
    return db.session.scalar(select(Player).where(Player.member_id == member_id))


def player_of(member: Member) -> Player:
    """Return the member as a player, created at first use. Commits.

    The player's name follows the account's.
    """
    statement = (
        insert(Player)
        .values(member_id=member.id, display_name=member.display_name)
        .on_conflict_do_nothing()
    )
    db.session.execute(statement)
    player = db.session.scalars(select(Player).where(Player.member_id == member.id)).one()
    player.display_name = member.display_name
    db.session.commit()
    return player


def names_of(player_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of these players by id; ids without a player are left out."""
    rows = db.session.execute(
        select(Player.id, Player.display_name).where(Player.id.in_(player_ids))
    )
    return dict(rows.all())
