"""Registers clubs that are not imported, and corrects the registration of a game.

Each function is one transaction with an audit entry. Games are registered in entry/services.py, and
kickoffs are moved in app/fantasy/gameweeks/moving.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.errors import UserError
from app.fantasy.gameweeks import unplayed
from app.record.models import Club, Game, ScriptStep
from app.record.services import store_defences
from scorer_console.lease import leases

_SHORT = re.compile(r"[A-Z0-9]{2,8}")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
COMPETITION = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_LONGEST_NAME = 80


@dataclass(frozen=True)
class NewClub:
    """The form's input, unchecked.

    `short` is the club's id, which scoreboards and play lists show, for example HRB.
    """

    short: str
    name: str
    nickname: str
    colour: str


def register_club(club: NewClub, actor_id: int | None) -> str | dict[str, str]:
    """Register a club and its D/ST. Returns its id, or one sentence per wrong field. Commits."""
    short, name = club.short.strip().upper(), club.name.strip()
    faults = {}
    if not _SHORT.fullmatch(short):
        faults["short"] = "Use 2 to 8 letters or digits, e.g. HRB."
    if not 1 <= len(name) <= _LONGEST_NAME:
        faults["name"] = f"Enter the club's name, up to {_LONGEST_NAME} characters."
    if len(club.nickname.strip()) > _LONGEST_NAME:
        faults["nickname"] = f"Use up to {_LONGEST_NAME} characters, or leave it blank."
    if not _COLOUR.fullmatch(club.colour.strip()):
        faults["colour"] = "Enter the color as # and six digits, e.g. #0b5c8a."
    if faults:
        return faults
    db.session.add(
        Club(
            id=short, name=name, nickname=club.nickname.strip(), colour=club.colour.strip().lower()
        )
    )
    try:
        db.session.flush()
    except IntegrityError:
        db.session.rollback()
        return {"short": f"There is already a club {short}. Choose another short name."}
    store_defences([short])
    audit.record(
        Act.CLUB_REGISTERED, actor_id=actor_id, subject=f"club:{short}", details={"name": name}
    )
    db.session.commit()
    return short


class CannotCorrectError(UserError):
    """The registration cannot be changed like this; the text says why and what to do."""


@dataclass(frozen=True)
class RegisteredAs:
    """The parts of a game's registration that can be corrected: clubs by id, and competition."""

    home: str
    away: str
    competition: str


def correct_registration(
    game_id: str, correction: RegisteredAs, reason: str, actor_id: int | None
) -> dict[str, tuple[str, str]]:
    """Give the game these clubs and this competition. Commits.

    Returns the old and new value of each changed field.

    Clubs can change until the first event, because events name them. The competition, which decides
    the rules, can change if the game belongs to no gameweek. If it raises UnknownGameError or
    CannotCorrectError, nothing has changed.
    """
    leases.lock(game_id)
    game = db.session.get_one(Game, game_id, populate_existing=True)
    try:
        changes = _changes(game, correction)
        for field, (_, value) in changes.items():
            setattr(game, field, value)
        db.session.flush()
        if "competition" in changes and unplayed.stake(game_id) is not None:
            raise CannotCorrectError(
                f"The game would now count in a week of {correction.competition}. Import that "
                "competition's schedule instead."
            )
    except BaseException:
        db.session.rollback()
        raise
    details = {
        field: {"before": before, "after": after} for field, (before, after) in changes.items()
    }
    audit.record(
        Act.GAME_CORRECTED,
        actor_id=actor_id,
        subject=f"game:{game_id}",
        reason=reason.strip(),
        details=details,
    )
    db.session.commit()
    return changes


def _changes(game: Game, correction: RegisteredAs) -> dict[str, tuple[str, str]]:
    values = {
        "home_id": correction.home,
        "away_id": correction.away,
        "competition": correction.competition,
    }
    changes = {
        name: (getattr(game, name), value)
        for name, value in values.items()
        if getattr(game, name) != value
    }
    if not changes:
        raise CannotCorrectError("Nothing would change. The game is already registered this way.")
    if game.is_practice:
        raise CannotCorrectError("Practice games can't be changed. Discard it and start a new one.")
    if not COMPETITION.fullmatch(correction.competition):
        raise CannotCorrectError(
            "Enter the competition in lowercase letters, digits and hyphens, e.g. nfl or "
            "city-league."
        )
    clubs = changes.keys() & {"home_id", "away_id"}
    if clubs:
        _check_clubs(game, correction.home, correction.away)
    stake = unplayed.stake(game.id)
    if stake is not None and ("competition" in changes or stake.is_settled):
        raise CannotCorrectError(
            f"The game counts in {stake.gameweek}, so its schedule decides. Import the schedule "
            "again."
        )
    return changes


def _check_clubs(game: Game, home: str, away: str) -> None:
    known = set(db.session.scalars(select(Club.id).where(Club.id.in_([home, away]))))
    missing = [club for club in (home, away) if club not in known]
    if missing:
        raise CannotCorrectError(f"There is no club {missing[0]}. Register it first.")
    if home == away:
        raise CannotCorrectError("A club cannot play itself. Choose another one.")
    if game.last_event_number:
        raise CannotCorrectError(
            "The game has events that name its clubs. Cancel it and register it again."
        )
    if (
        db.session.scalar(select(ScriptStep.step).where(ScriptStep.game_id == game.id).limit(1))
        is not None
    ):
        raise CannotCorrectError(
            "The game was imported with its plays. Import the right file instead."
        )
