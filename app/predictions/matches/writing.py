"""Writes matches one by one and collects the consequences of each change. Nothing here commits.

Used by mapping.py for providers' answers and by decisions/services.py for operators' decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select

from app.core.db import db
from app.predictions.matches.findings import Finding, Kind
from app.predictions.models import Match, MatchAct
from app.predictions.settlement import wishes

FACTS = ("round_id", "fate", *wishes.RESULT)


@dataclass
class Mapped:
    """The changes that a poll or a decision made.

    `rounds` are the slugs of rounds whose matches look different. `settlements` are the keys of
    requested settlements. `findings` are the new ones. `bad_rows` is the number of rows of the
    answer that could not be used. `version` is the tournament's, which rises if rounds or teams
    change.
    """

    rounds: set[str] = field(default_factory=set)
    settlements: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    bad_rows: int = 0
    teams: bool = False
    version: int = 0


def standing_acts(tournament_id: UUID) -> dict[UUID, list[MatchAct]]:
    """Load the standing decisions about matches of the tournament, by match."""
    query = select(MatchAct).join(Match, Match.id == MatchAct.match_id)
    acts: dict[UUID, list[MatchAct]] = {}
    for act in db.session.scalars(
        query.where(Match.tournament_id == tournament_id, MatchAct.ended_at.is_(None)).order_by(
            MatchAct.id
        )
    ):
        acts.setdefault(act.match_id, []).append(act)
    return acts


@dataclass
class MatchWriter:
    """Writes matches one by one. `slugs` are those of the rounds, by id."""

    tournament_id: UUID
    provider: str
    now: datetime
    slugs: Mapping[int, str]
    mapped: Mapped
    rounds_to_judge: set[int] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    def add(self, external_id: str, values: dict[str, Any]) -> None:
        """Insert a new match."""
        match = Match(
            id=uuid4(), tournament_id=self.tournament_id, external_id=external_id, **values
        )
        db.session.add(match)
        self._follow(match, {})

    def change(self, match: Match, values: dict[str, Any]) -> None:
        """Update the columns of a match if any value differs."""
        if all(getattr(match, name) == value for name, value in values.items()):
            return
        before = {name: getattr(match, name) for name in FACTS}
        for name, value in values.items():
            setattr(match, name, value)
        self._follow(match, before)

    def find(self, kind: Kind, subject: str, text: str) -> None:
        """Collect a finding for operators."""
        self.findings.append(Finding(kind, subject, text))

    def _follow(self, match: Match, before: dict[str, Any]) -> None:
        db.session.flush()
        after = {name: getattr(match, name) for name in FACTS}
        rounds = {match.round_id, before.get("round_id", match.round_id)}
        self.mapped.rounds |= {self.slugs[round_id] for round_id in rounds}
        if wishes.moves_points(before, after):
            self.mapped.settlements.append(
                wishes.want(match, before.get("finished_at"), self.provider, self.now)
            )
        if any(before.get(name) != after[name] for name in ("round_id", "fate")):
            self.rounds_to_judge |= rounds
