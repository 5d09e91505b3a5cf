"""Writes what a provider offers into the tables, and asks for settlement of what ended or changed (PRODUCT C4).

One transaction: the matches and the wish to settle them are there together or not at all. Not here: fetching
(polling.py), earning points (settlement.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, upsert
from app.predictions import keys
from app.predictions.models import Match, Round, Settlement, Team, Tournament
from app.predictions.points import PointRule
from app.predictions.providers.offer import Offer, OfferedMatch
from app.predictions.statuses import ABANDONED, ENDED, NOT_DEFINED, OPEN, POSTPONED, has_begun, normalised

MATCH_FINISHED = "match_finished"


@dataclass
class Mapped:
    """What a poll changed: rounds by slug whose matches look different, keys of settlements that are wanted now.

    `version`: the tournament's; a poll that changes rounds or teams makes a new one.
    """

    rounds: set[str] = field(default_factory=set)
    settlements: list[str] = field(default_factory=list)
    teams: bool = False
    version: int = 0


def apply(tournament_id: UUID, provider: str, offer: Offer, now: datetime) -> Mapped:
    """Brings teams, rounds and matches to what the provider offers. Does not commit.

    A match that the provider no longer names stays as it was: a shortened answer must take nobody's points.
    """
    locked = select(Tournament).where(Tournament.id == tournament_id).with_for_update(key_share=True)
    tournament = db.session.scalars(locked.execution_options(populate_existing=True)).one()
    mapped = Mapped()
    _point_to(tournament, offer.image)
    teams = _teams(tournament_id, offer, mapped)
    rounds = _rounds(tournament_id, offer, msgspec.convert(tournament.rule, PointRule))
    slugs = {round_id: slug for slug, round_id in rounds.items()}
    there = {match.external_id: match for match in _matches(tournament_id)}
    other_rounds: set[int] = set()
    for offered in offer.matches:
        match = there.get(offered.id)
        values = _values(offered, match, teams, rounds, now)
        if match is None:
            match = Match(id=uuid4(), tournament_id=tournament_id, external_id=offered.id, **values)
            db.session.add(match)
            before: dict[str, Any] = {}
        else:
            before = {name: getattr(match, name) for name in values}
            if before == values:
                continue
            for name, value in values.items():
                setattr(match, name, value)
            if before["round_id"] != values["round_id"]:
                mapped.rounds.add(slugs[before["round_id"]])
        mapped.rounds.add(offered.round)
        db.session.flush()
        if _moves_points(before, values):
            mapped.settlements.append(_want(match, before.get("finished_at"), provider, now))
        if any(before.get(name) != values[name] for name in ("round_id", "fate")):
            other_rounds |= {values["round_id"], before.get("round_id", values["round_id"])}
    mapped.settlements += _want_slams(tournament_id, other_rounds, provider, now)
    if mapped.rounds or mapped.teams:
        tournament.version += 1
    mapped.version = tournament.version
    return mapped


def _matches(tournament_id: UUID) -> list[Match]:
    """In one order, as guesses take them: no two wait for each other in a circle."""
    every = select(Match).where(Match.tournament_id == tournament_id).order_by(Match.id)
    return list(db.session.scalars(every.with_for_update().execution_options(populate_existing=True)))


def _teams(tournament_id: UUID, offer: Offer, mapped: Mapped) -> dict[str, UUID]:
    held = {team.external_id: team for team in db.session.scalars(select(Team).filter_by(tournament_id=tournament_id))}
    for offered in offer.teams:
        team = held.get(offered.id)
        if team is None:
            team = Team(id=uuid4(), tournament_id=tournament_id, external_id=offered.id)
            db.session.add(team)
        elif (team.name, team.image_source) != (offered.name, offered.image):
            mapped.rounds |= {one.slug for one in offer.rounds}
        else:
            continue
        held[offered.id] = team
        team.name = offered.name
        _point_to(team, offered.image)
        mapped.teams = True
    db.session.flush()
    return {external_id: team.id for external_id, team in held.items()}


def _point_to(shown: Team | Tournament, image: str | None) -> None:
    """Another address of the picture: the one that we hold is of the old address, and is fetched anew (assets.py)."""
    if shown.image_source != image:
        shown.image_source, shown.image, shown.image_tried_at = image, None, None


def _rounds(tournament_id: UUID, offer: Offer, rule: PointRule) -> dict[str, int]:
    upsert(
        Round,
        ("tournament_id", "slug"),
        [
            {
                "tournament_id": tournament_id,
                "slug": one.slug,
                "name": one.name,
                "position": one.position,
                "multiplier": rule.multiplier(one.slug),
            }
            for one in offer.rounds
        ],
    )
    return dict(db.session.execute(select(Round.slug, Round.id).where(Round.tournament_id == tournament_id)).all())


def _values(
    offered: OfferedMatch, match: Match | None, teams: dict[str, UUID], rounds: dict[str, int], now: datetime
) -> dict[str, Any]:
    status, fate = normalised(offered.status)
    finished_at = None
    if status == ENDED and (offered.home_score is None or offered.away_score is None):
        status = NOT_DEFINED  # the provider will have the score at a later poll
    if fate == POSTPONED and _had_begun(offered, match):
        fate = ABANDONED  # its guesses must not open again, as everybody has seen them and a score
    kickoff = offered.kickoff
    begun = status == OPEN and has_begun(offered.status, offered.home_score, offered.away_score)
    if begun and (kickoff is None or kickoff > now):
        # It has begun before its time: its guesses lock when we see it, and stay locked.
        is_locked = match is not None and match.kickoff is not None and match.kickoff <= now
        kickoff = match.kickoff if match is not None and is_locked else now
    if status == ENDED:
        known = match.finished_at if match is not None and match.status == ENDED else None
        finished_at = offered.finished_at or known or now
    return {
        "round_id": rounds[offered.round],
        "home_id": teams[offered.home],
        "away_id": teams[offered.away],
        "kickoff": kickoff,
        "status": status,
        "fate": fate,
        "provider_status": offered.status,
        "home_score": offered.home_score,
        "away_score": offered.away_score,
        "finished_at": finished_at,
        "source_version": offered.version,
    }


def _had_begun(offered: OfferedMatch, match: Match | None) -> bool:
    """Whether a match that is postponed now was in play: by its score, or by what we knew of it before."""
    by_score = has_begun(offered.status, offered.home_score, offered.away_score)
    if by_score or match is None or match.fate == ABANDONED:
        return by_score or match is not None
    return match.status == OPEN and has_begun(match.provider_status, match.home_score, match.away_score)


RESULT = ("status", "home_score", "away_score", "finished_at", "round_id")


def _moves_points(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a result came, went or changed."""
    if ENDED not in (before.get("status"), after["status"]):
        return False
    return any(before.get(name) != after[name] for name in RESULT)


def _want(match: Match, finished_before: datetime | None, provider: str, now: datetime) -> str:
    """Notes that the match is to be settled, or settled again; returns the key.

    A match that is no longer ended keeps the key of its last end: settling it then takes the points back.
    """
    finished_at = match.finished_at or finished_before
    assert finished_at is not None  # a result came, went or changed
    key = keys.settlement_key(match.id, finished_at)
    values = {
        "match_id": match.id,
        "tournament_id": match.tournament_id,
        "finished_at": finished_at,
        "payload": payload(match, finished_at, provider, now),
        "state": "pending",
        "requested_at": now,
        "applied_at": None,
    }
    db.session.execute(
        insert(Settlement).values(key=key, **values).on_conflict_do_update(index_elements=["key"], set_=values)
    )
    return key


def _want_slams(tournament_id: UUID, round_ids: set[int], provider: str, now: datetime) -> list[str]:
    """Has rounds judged anew that became complete or incomplete, with no result changed: a match of each that is
    settled already is settled again, which moves no points but those of the round. Returns the keys."""
    rule = db.session.scalars(select(Tournament.rule).where(Tournament.id == tournament_id)).one()
    if not round_ids or not rule.get("grand_slam"):
        return []
    settled = select(Match).where(Match.round_id.in_(round_ids), Match.status == ENDED, Match.settled_at.is_not(None))
    one_each = {match.round_id: match for match in db.session.scalars(settled.order_by(Match.id))}
    return [_want(match, None, provider, now) for match in one_each.values()]


def payload(match: Match, finished_at: datetime, provider: str, now: datetime) -> dict[str, Any]:
    """The job as the contract has it (`match_finished`)."""
    found = {
        "eventType": MATCH_FINISHED,
        "matchId": str(match.id),
        "tournamentId": str(match.tournament_id),
        "finishedAt": keys.iso(finished_at),
        "provider": provider,
        "providerStatus": match.provider_status,
        "internalStatus": ENDED,
        "detectedAt": keys.iso(now),
    }
    return found if match.source_version is None else found | {"sourceVersion": match.source_version}
