"""The demo's second game: a kicking contest that sends scores as every integrator's game does.

This has its players, its modes, and rounds as plain draws; workers/demo_scores.py sends the rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from uuid import UUID, uuid5

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Integrator, Member, Player
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.catalogue.services import create_game, create_mode
from app.boards.models import Mode
from app.core.db import db
from app.demo.names import draw_names

GAME = "kicking-contest"
_SEED = 1869
_NAMESPACE = UUID("5b0ff1f4-5e0b-4a34-93a8-6c5a8d2e7f10")
_STRANGERS = 70
PAST = timedelta(days=45)

ZONE = "America/New_York"
MODES = (
    NewMode(
        "longest-kick",
        "Longest field goal",
        "highest",
        "earliest",
        180,
        700,
        ZONE,
        decimals=1,
        windows=("daily", "weekly", "monthly", "all-time"),
    ),
    NewMode(
        "made-kicks",
        "Field goals made",
        "sum",
        "dense",
        0,
        100,
        ZONE,
        windows=("monthly", "all-time"),
    ),
)


@dataclass(frozen=True)
class Round:
    """One player's turn of ten field goal tries.

    `longest` is in tenths of a yard, None if no kick was good.
    """

    player_id: UUID
    at: datetime
    kicks_made: int
    longest: int | None


def set_up(now: datetime) -> dict[str, Mode]:
    """Create the contest, its modes and its players; the demo's members play too.

    A repetition changes nothing.

    Returns:
        The modes by slug.
    """
    game = catalogue.find_game(GAME)
    if game is None:
        owner = db.session.scalars(select(Member).order_by(Member.id)).first()
        assert owner is not None
        integrator = db.session.scalar(
            insert(Integrator)
            .values(name="The kicking contest", owner_id=owner.id)
            .returning(Integrator.id)
        )
        strangers = draw_names(Random(_SEED), _STRANGERS)  # noqa: S311  (names, not secrets)
        db.session.execute(
            insert(Player),
            [
                {
                    "id": uuid5(_NAMESPACE, name),
                    "display_name": name,
                    "integrator_id": integrator,
                    "external_id": name,
                }
                for name in strangers
            ],
        )
        _let_members_play()
        created = create_game(GAME, "Kicking contest", integrator)
        assert not isinstance(created, list), created
        game = created
    for new in MODES:
        if catalogue.find_mode(game, new.slug) is None:
            create_mode(game, new, now - PAST)
    return {mode.slug: mode for mode in catalogue.modes(game)}


def _let_members_play() -> None:
    members = db.session.execute(select(Member.id, Member.display_name)).all()
    rows = [
        {"id": uuid5(_NAMESPACE, f"member {member}"), "display_name": name, "member_id": member}
        for member, name in members
    ]
    db.session.execute(insert(Player).on_conflict_do_nothing(), rows)


def players() -> list[UUID]:
    """Return the players in the order of their ids."""
    strangers = (
        select(Player.id)
        .join(Integrator, Integrator.id == Player.integrator_id)
        .where(Integrator.name == "The kicking contest")
    )
    members = select(Player.id).where(Player.member_id.is_not(None))
    return sorted(db.session.scalars(strangers.union(members)))


def rounds(seed: int, everybody: list[UUID], starts: datetime, every: timedelta) -> Iterator[Round]:
    """Draw rounds without an end, one per `every`; the same seed gives the same rounds."""
    chance = Random(seed)  # noqa: S311  (a game, not a secret)
    skill = {player: 0.35 + 0.5 * chance.random() for player in everybody}
    at = starts
    while True:
        player = chance.choice(everybody)
        kicks_made = sum(chance.random() < skill[player] for _ in range(10))
        longest = (
            int(10 * min(68.0, chance.triangular(22, 40 + 28 * skill[player], 48)))
            if kicks_made
            else None
        )
        yield Round(player, at, kicks_made, longest)
        at += every
