"""Pressbox's own record as a provider: the registered games of a season.

A game is `finished` once its final score is declared. A game that is over but has no final score
yet is still `live`, and a game that is forfeited without a score is `void`. A game ended when its
final score was recorded, so a later correction of the score keeps the time.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from app.core import clock
from app.core.db import db
from app.predictions.providers.offer import (
    Offer,
    OfferedMatch,
    ProviderError,
    ReadOffer,
    Seen,
    Unchanged,
    check,
)
from app.predictions.providers.rows import Rows
from app.record.models import Club, Game, GameState, RecordedEvent

STATUSES = {
    "scheduled": "scheduled",
    "live": "live",
    "ended": "live",
    "final": "finished",
    "postponed": "postponed",
    "suspended": "suspended",
    "cancelled": "cancelled",
    "forfeited": "finished",
}
SEASON_TYPES = ("PRE", "REG", "POST")


class OfficialRecord:
    """The official record of a season.

    Addresses are `competition/season/season_type`, for example `nfl/2026/REG`.
    """

    def address_fault(self, address: str) -> str | None:
        """Return what is wrong with the address, or None."""
        try:
            _parts(address)
        except ProviderError as fault:
            return str(fault)
        return None

    def fetch(self, address: str, validators: Seen) -> tuple[Offer | Unchanged, Seen]:
        """Load the season's games, or Unchanged.

        A play that leaves teams, statuses and scores alone changes nothing, though its game has a
        new version.
        """
        offer = _offer(*_parts(address))
        now = Seen(etag=_etag(offer))
        return (Unchanged() if now == validators else offer), now


def _etag(offer: ReadOffer) -> str:
    matches = [msgspec.structs.replace(match, version=None) for match in offer.matches]
    unversioned = msgspec.structs.replace(offer, matches=matches)
    return hashlib.sha256(msgspec.json.encode(unversioned)).hexdigest()


def _parts(address: str) -> tuple[str, int, str]:
    match address.split("/"):
        case [competition, season, season_type] if (
            competition and season.isdecimal() and season_type in SEASON_TYPES
        ):
            return competition, int(season), season_type
    raise ProviderError("Name competition, season and season type, as in nfl/2026/REG.")


def _offer(competition: str, season: int, season_type: str) -> ReadOffer:
    of_season = (
        Game.competition == competition,
        Game.season == season,
        Game.season_type == season_type,
        Game.is_practice.is_(False),
    )
    first = aliased(RecordedEvent)
    finals = (
        select(first.game_id, func.max(first.recorded_at).label("at"))
        .join(
            RecordedEvent,
            (RecordedEvent.game_id == first.game_id)
            & (RecordedEvent.event_number == first.event_number),
        )
        .where(RecordedEvent.type == "final", RecordedEvent.valid, first.revision == 0)
        .group_by(first.game_id)
        .subquery()
    )
    rows = db.session.execute(
        select(Game, GameState, finals.c.at)
        .outerjoin(GameState, GameState.game_id == Game.id)
        .outerjoin(finals, finals.c.game_id == Game.id)
        .where(*of_season)
        .order_by(Game.kickoff, Game.id)
    ).all()
    if not rows:
        raise ProviderError(
            f"The record has no game for {competition}/{season}/{season_type}: register one first."
        )
    clubs = {club for game, _, _ in rows for club in (game.home_id, game.away_id)}
    names = db.session.execute(
        select(Club.id, Club.name, Club.nickname).where(Club.id.in_(clubs)).order_by(Club.id)
    )
    weeks = sorted({game.week for game, _, _ in rows})
    raw = {
        "teams": [{"id": row.id, "name": _full_name(row.name, row.nickname)} for row in names],
        "rounds": [
            {"slug": f"week-{week}", "name": f"Week {week}", "position": week} for week in weeks
        ],
    }
    matches: Rows[OfferedMatch] = Rows()
    for number, (game, state, at) in enumerate(rows):
        matches.read(
            f"matches[{number}]",
            _match(game, state, at),
            lambda raw: msgspec.convert(raw, OfferedMatch),
        )
    offer = msgspec.convert(raw | {"matches": []}, Offer)
    return check(
        msgspec.structs.replace(offer, matches=matches.good), matches.places, matches.faults
    )


def _full_name(name: str, nickname: str) -> str:
    """Return the name with the nickname, unless the name already ends with it."""
    return name if name.endswith(nickname) else f"{name} {nickname}"


def _match(game: Game, state: GameState | None, final_at: int | None) -> dict[str, Any]:
    known = None if state is None or state.status == "scheduled" else state
    status = "scheduled" if known is None else STATUSES[known.status]
    if status == "finished" and final_at is None:
        status = "void"  # forfeited without a score
    is_finished = status == "finished"
    return {
        "id": game.id,
        "round": f"week-{game.week}",
        "home": game.home_id,
        "away": game.away_id,
        "status": status,
        "kickoff": game.kickoff,
        "homeScore": None
        if status in ("scheduled", "postponed")
        else known and _score(known, "home"),
        "awayScore": None
        if status in ("scheduled", "postponed")
        else known and _score(known, "away"),
        "finishedAt": clock.from_us(final_at * 1000)
        if is_finished and final_at is not None
        else None,
        "version": known and str(known.version),
    }


def _score(state: GameState, side: str) -> int:
    """Return the declared final score if there is one, else the score by the plays."""
    declared: int | None = state.state.get(f"declared_{side}_score")
    counted: int = getattr(state, f"{side}_score")
    return counted if declared is None else declared
