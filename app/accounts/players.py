"""Who stands on boards: finding and registering players. A member becomes one at first use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member, Player
from app.core.db import db
from app.core.gathering import gathered


def find_player(player_id: UUID) -> Player | None:
    return db.session.get(Player, player_id)


def _find_players(asked: Sequence[UUID]) -> list[Player | None]:
    """As find_player, of rows to read alone."""
    found = {player.id: player for player in db.session.scalars(select(Player).where(Player.id.in_(asked)))}
    return [found.get(one) for one in asked]


look_up_player = gathered(_find_players)


def register_player(integrator_id: int, external_id: str, display_name: str) -> tuple[Player, bool]:
    """The integrator's player of that id, and whether they are new; a known player gets the new name. Commits."""
    values = {"integrator_id": integrator_id, "external_id": external_id, "display_name": display_name}
    statement = insert(Player).values(values).on_conflict_do_nothing(constraint="uq_players_external_id")
    made = db.session.scalar(statement.returning(Player))
    player = (
        made
        or db.session.scalars(
            select(Player).where(Player.integrator_id == integrator_id, Player.external_id == external_id)
        ).one()
    )
    player.display_name = display_name
    db.session.commit()
    return player, made is not None


def player_of_member(member_id: int) -> Player | None:
    return db.session.scalar(select(Player).where(Player.member_id == member_id))


def player_of(member: Member) -> Player:
    """The member as a player, made at first use; the player's name follows the account's. Commits."""
    statement = insert(Player).values(member_id=member.id, display_name=member.display_name).on_conflict_do_nothing()
    db.session.execute(statement)
    player = db.session.scalars(select(Player).where(Player.member_id == member.id)).one()
    player.display_name = member.display_name
    db.session.commit()
    return player


def names_of(player_ids: Collection[UUID]) -> dict[UUID, str]:
    """What these players are called; one that there is not is left out."""
    found = db.session.execute(select(Player.id, Player.display_name).where(Player.id.in_(player_ids)))
    return dict(found.all())
