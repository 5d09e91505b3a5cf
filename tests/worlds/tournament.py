"""A small tournament for tests.

Four teams, rounds, matches as a provider offers them, players and their guesses.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

from app.accounts.models import Player
from app.core.db import db
from app.predictions import guesses
from app.predictions.counted_score import CountedScore
from app.predictions.entries import NewGuess
from app.predictions.matches import mapping
from app.predictions.models import (
    Guess,
    Match,
    ProviderSource,
    Round,
    Settlement,
    Tournament,
    TournamentPoints,
)
from app.predictions.points import PRESETS, PointRule
from app.predictions.providers.offer import Offer, OfferedMatch, OfferedRound, OfferedTeam
from app.predictions.settlement import services as settlement

KICKOFF = datetime(2026, 9, 13, 17, tzinfo=UTC)
BEFORE = KICKOFF - timedelta(days=1)
END = KICKOFF + timedelta(hours=3)
TEAMS = ("ars", "che", "liv", "mun")


class World:
    """One simulated tournament; `matches` is what the provider offers next, by id."""

    def __init__(
        self,
        rule: PointRule = PRESETS["winner"],
        name: str = "The Cup",
        declared: CountedScore = CountedScore.AS_GIVEN,
    ) -> None:
        tournament = Tournament(
            name=name,
            rule=msgspec.to_builtins(rule),
            is_simulated=True,
            counted_score=declared.value,
        )
        db.session.add(tournament)
        db.session.flush()
        self.id: UUID = tournament.id
        db.session.add(
            ProviderSource(
                tournament_id=self.id, kind="http-json", name="fake", address="http://127.0.0.1:9/"
            )
        )
        db.session.commit()
        self.rounds = ["week-1", "week-2"]
        self.matches: dict[str, OfferedMatch] = {}
        self.team_ids = {team: team for team in TEAMS}  # the provider's
        self.team_names = {team: team.title() for team in TEAMS}
        self.players: dict[str, UUID] = {}

    def match(
        self, match_id: str, home: str | None = None, away: str | None = None, **values: object
    ) -> OfferedMatch:
        """Offers a match (ars against che), or offers it otherwise than before."""
        match = self.matches.get(match_id) or OfferedMatch(
            id=match_id, round="week-1", home="ars", away="che", status="scheduled", kickoff=KICKOFF
        )
        sides = {side: team for side, team in (("home", home), ("away", away)) if team is not None}
        self.matches[match_id] = msgspec.structs.replace(match, **sides, **values)
        return self.matches[match_id]

    def ended(
        self, match_id: str, home: int, away: int, at: datetime = END, **values: object
    ) -> None:
        self.match(
            match_id, status="finished", home_score=home, away_score=away, finished_at=at, **values
        )

    def offer(self) -> Offer:
        return Offer(
            teams=[OfferedTeam(self.team_ids[team], self.team_names[team]) for team in TEAMS],
            rounds=[
                OfferedRound(slug, slug.replace("-", " ").title(), n)
                for n, slug in enumerate(self.rounds)
            ],
            matches=list(self.matches.values()),
        )

    def poll(self, now: datetime = END) -> mapping.Mapped:
        """Takes in what is offered, and commits."""
        mapped = mapping.apply(self.id, "fake", self.offer(), now)
        db.session.commit()
        return mapped

    def settle(self, now: datetime = END) -> int:
        """Settles all that waits; returns how many moments there were."""
        moments = db.session.scalars(
            db.select(Settlement.finished_at)
            .where(Settlement.tournament_id == self.id, Settlement.state == "pending")
            .distinct()
            .order_by(Settlement.finished_at)
        ).all()
        for moment in moments:
            settlement.settle(self.id, moment, now)
        return len(moments)

    def player(self, name: str) -> UUID:
        if name not in self.players:
            player = Player(display_name=name, integrator_id=None, member_id=_member(name))
            db.session.add(player)
            db.session.commit()
            self.players[name] = player.id
        return self.players[name]

    def guess(
        self, name: str, match_id: str, home: int, away: int, now: datetime = BEFORE
    ) -> list[str]:
        """The codes of what is refused."""
        new = NewGuess(self.id_of(match_id), home, away)
        return [reason.code for reason in guesses.save(self.id, self.player(name), [new], now)]

    def guesses(self, name: str) -> dict[UUID, tuple[int, int]]:
        """Home and away by match."""
        db.session.rollback()
        rows = db.select(Guess.match_id, Guess.home, Guess.away).filter_by(
            player_id=self.player(name)
        )
        return {match_id: (home, away) for match_id, home, away in db.session.execute(rows)}

    def id_of(self, match_id: str) -> UUID:
        return db.session.scalars(
            db.select(Match.id).filter_by(tournament_id=self.id, external_id=match_id)
        ).one()

    def round(self, slug: str) -> Round:
        return db.session.scalars(
            db.select(Round).filter_by(tournament_id=self.id, slug=slug)
        ).one()

    def points(self) -> dict[str, int]:
        """Hundredths by name."""
        db.session.rollback()
        points = dict(
            db.session.execute(
                db.select(TournamentPoints.player_id, TournamentPoints.points).filter_by(
                    tournament_id=self.id
                )
            ).all()
        )
        return {
            name: points[player_id]
            for name, player_id in self.players.items()
            if player_id in points
        }


def _member(name: str) -> int:
    from app.accounts import services

    member = services.register(name.lower(), name, "correct horse battery")
    return int(member.id)  # type: ignore[union-attr]
