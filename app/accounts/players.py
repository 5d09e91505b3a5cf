"""Who stands on boards: finding and registering players. A member becomes one at first use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member, Player
from app.accounts.services import public_name_fault
from app.core.db import db
from app.core.request_batching import batched

LONGEST_NAME = 32  # of an integrator's player


def find_player(player_id: UUID) -> Player | None:
    """The player, or None."""
    return db.session.get(Player, player_id)


def _find_players(asked: Sequence[UUID]) -> list[Player | None]:
    """As find_player, of rows to read alone."""
    found = {
        player.id: player
        for player in db.session.scalars(select(Player).where(Player.id.in_(asked)))
    }
    return [found.get(one) for one in asked]


look_up_player = batched(_find_players)


def name_fault(display_name: str, known: Player | None) -> str | None:
    """What to change about the name that a game server gives a player, or None.

    `known`: the player as registered before; the name that they have already passes.
    """
    if known is not None and display_name in (known.display_name, known.own_name):
        return None
    return public_name_fault(display_name, LONGEST_NAME)


def register_player(integrator_id: int, external_id: str, display_name: str) -> tuple[Player, bool]:
    """The integrator's player of that id, and whether they are new.

    A known player gets the new name. Commits.

    A name that a moderator gave stays; the new one is kept for when a moderator frees it.
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
    # Locked, so that a moderator takes the name away before or after, never in between.
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
    """The integrator's players by external id, from the first after that one on.

    Without those that were erased.
    """
    query = select(Player).where(Player.integrator_id == integrator_id, Player.erased_at.is_(None))
    if after is not None:
        query = query.where(Player.external_id > after)
    return db.session.scalars(query.order_by(Player.external_id).limit(limit)).all()


def find_own_player(integrator_id: int, external_id: str) -> Player | None:
    """The integrator's player of that id, unless they were erased."""
    mine = (Player.integrator_id == integrator_id, Player.external_id == external_id)
    return db.session.scalar(select(Player).where(*mine, Player.erased_at.is_(None)))


def player_of_member(member_id: int) -> Player | None:
    """The member's player."""
    return db.session.scalar(select(Player).where(Player.member_id == member_id))


def player_of(member: Member) -> Player:
    """The member as a player, made at first use; the player's name follows the account's.

    Commits.
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
    """What these players are called; one that there is not is left out."""
    found = db.session.execute(
        select(Player.id, Player.display_name).where(Player.id.in_(player_ids))
    )
    return dict(found.all())
