"""Writes a provider's answer into the tables and requests settlements (PRODUCT C4).

Matches and the requests to settle them are written in one transaction. Fetching is in polling.py,
matching rows with stored matches in identity.py and pairings.py, points in settlement/.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import func, select

from app.core.db import db, upsert
from app.predictions import notices
from app.predictions.counted_score import CountedScore
from app.predictions.matches import answer_checks, findings, identity, overruling, pairings
from app.predictions.matches.answer_checks import Unusable
from app.predictions.matches.findings import Kind
from app.predictions.matches.values import TournamentIds, match_values
from app.predictions.matches.writing import Mapped, MatchWriter, standing_acts
from app.predictions.models import Guess, Match, MatchAct, Round, Team, Tournament
from app.predictions.points import PointRule
from app.predictions.providers.offer import Offer, OfferedMatch, faults_of, single
from app.predictions.settlement import wishes


def apply(tournament_id: UUID, provider: str, offer: Offer, now: datetime) -> Mapped:
    """Update teams, rounds and matches from the provider's offer. Does not commit.

    A match that the provider no longer lists stays as it was, so that an incomplete answer costs
    nobody points. A match that comes back under a new id keeps its guesses.
    """
    locked = (
        select(Tournament).where(Tournament.id == tournament_id).with_for_update(key_share=True)
    )
    tournament = db.session.scalars(locked.execution_options(populate_existing=True)).one()
    mapped = Mapped(bad_rows=len(faults_of(offer)))
    _point_to(tournament, offer.image)
    offer, doubled = single(offer)
    unusable = Unusable(doubled, faults_of(offer))
    teams, renamed = _teams(tournament_id, offer, mapped)
    rounds = _rounds(tournament_id, offer, msgspec.convert(tournament.rule, PointRule))
    slugs = {round_id: slug for slug, round_id in rounds.items()}
    writer = MatchWriter(tournament_id, provider, now, slugs, mapped)
    stored = _matches(tournament_id)
    rows = identity.under_standing_ids(stored, offer.matches, teams, unusable.ids)
    offer = msgspec.structs.replace(offer, matches=rows)
    declared = CountedScore(tournament.counted_score)
    _write_matches(
        writer, stored, _Answer(offer, unusable, renamed), TournamentIds(teams, rounds), declared
    )
    mapped.settlements += wishes.want_rounds(tournament_id, writer.rounds_to_judge, provider, now)
    if mapped.rounds or mapped.teams:
        tournament.version += 1
    mapped.version = tournament.version
    unjudged = (Kind.LEFT,) if unusable.hides_matches(stored) else ()
    mapped.findings = findings.note(tournament_id, writer.findings, now, unjudged)
    return mapped


@dataclass(frozen=True)
class _Answer:
    """`team_names`: the former names of teams that were renamed."""

    offer: Offer
    unusable: Unusable
    team_names: Mapping[UUID, str]


def _write_matches(
    writer: MatchWriter,
    stored: list[Match],
    answer: _Answer,
    ids: TournamentIds,
    declared: CountedScore,
) -> None:
    offer, unusable = answer.offer, answer.unusable
    by_id = {match.external_id: match for match in stored}
    # Only if every row can be used is it certain that a new id belongs to a match that left.
    is_certain = not unusable.hides_matches(stored)
    renamed = (
        identity.renamed(stored, offer.matches, ids.teams, ids.rounds, unusable.ids)
        if is_certain
        else {}
    )
    acts = standing_acts(writer.tournament_id)
    for offered in offer.matches:
        match = by_id.get(offered.id) or renamed.get(offered.id)
        known = None if match is None else overruling.as_provided(match)
        values = match_values(offered, known, ids, writer.now, declared)
        if match is not None and match.merged_into_id is not None:
            writer.change(match, {"external_id": pairings.freed_id(match)})
            match = None  # its old id now belongs to other teams
        if (
            match is not None
            and pairings.is_another_pairing(match, values)
            and pairings.has_guesses(match)
        ):
            _retire(writer, match, offered, values, acts.get(match.id, []))
            match = pairings.played_before(by_id, offered.id, values)
        elif match is not None and match.external_id != offered.id:
            writer.find(
                Kind.NEW_ID,
                offered.id,
                f"The match {match.external_id} now has the id {offered.id}. Its picks are kept.",
            )
        if match is None:
            writer.add(offered.id, values)
            continue
        values = pairings.as_guessed(match, values)
        _note_contradiction(writer, offered.id, values, acts.get(match.id, []))
        values = overruling.decided(match, values, acts.get(match.id, []), writer.now)
        _note_late_guesses(writer, match, values["kickoff"])
        _note_renamed(writer, match, values, answer.team_names)
        writer.change(match, {"external_id": offered.id} | values)
    writer.findings += answer_checks.findings_of(stored, offer, unusable, declared)


def _retire(
    writer: MatchWriter,
    match: Match,
    offered: OfferedMatch,
    values: dict[str, Any],
    acts: Sequence[MatchAct],
) -> None:
    """Call off the match whose id now belongs to other teams."""
    called_off = overruling.stored_values(match) | pairings.retired(match)
    writer.change(match, overruling.decided(match, called_off, acts, writer.now))
    notices.notify_replaced(match.id, values["home_id"], values["away_id"], writer.now)
    writer.find(
        Kind.NEW_TEAMS,
        offered.id,
        f"The match {offered.id} is now {offered.home} vs {offered.away}. The old match was "
        "called off and members with picks were notified.",
    )


def _note_contradiction(
    writer: MatchWriter, external_id: str, values: Mapping[str, Any], acts: Sequence[MatchAct]
) -> None:
    if text := overruling.contradiction(values, acts):
        writer.find(
            Kind.OVERRULED,
            external_id,
            f"The decision about the match {external_id} differs from its provider. {text} Undo "
            "the decision if the provider is right.",
        )


def _note_late_guesses(writer: MatchWriter, match: Match, kickoff: datetime | None) -> None:
    """Report guesses that were saved after a kickoff that was moved to the past. They count."""
    if (
        kickoff is None
        or kickoff > writer.now
        or (match.kickoff is not None and match.kickoff <= kickoff)
    ):
        return
    late = (Guess.match_id == match.id, Guess.saved_at >= kickoff)
    if count := db.session.scalar(select(func.count()).select_from(Guess).where(*late)):
        writer.find(
            Kind.LATE_GUESSES,
            match.external_id,
            f"The kickoff of the match {match.external_id} was moved to "
            f"{kickoff:%Y-%m-%d %H:%M %Z}. Picks saved after that time still count, because picks "
            f"were open then: {count}.",
        )


def _note_renamed(
    writer: MatchWriter, match: Match, values: Mapping[str, Any], team_names: Mapping[UUID, str]
) -> None:
    """Tell who guessed a match to come that its team has another name, and the operator.

    The name may be that of another team: `Winner C` is filled in.
    """
    teams = [team for team in (values["home_id"], values["away_id"]) if team in team_names]
    is_open = values["kickoff"] is None or values["kickoff"] > writer.now
    if not teams or not is_open or not pairings.has_guesses(match):
        return
    for team in teams:
        notices.notify_renamed(match.id, team, team_names[team], writer.now)
    writer.find(
        Kind.NEW_TEAMS,
        match.external_id,
        f"In the match {match.external_id} {' and '.join(team_names[team] for team in teams)} "
        "got another name under the same id. Picks are kept and their members were notified.",
    )


def _matches(tournament_id: UUID) -> list[Match]:
    """Load and lock the tournament's matches in order of id, as saving guesses does."""
    every = select(Match).where(Match.tournament_id == tournament_id).order_by(Match.id)
    return list(
        db.session.scalars(every.with_for_update().execution_options(populate_existing=True))
    )


def _teams(
    tournament_id: UUID, offer: Offer, mapped: Mapped
) -> tuple[dict[str, UUID], dict[UUID, str]]:
    """Write the teams. Return their ids by the provider's, and the former names of the renamed."""
    renamed: dict[UUID, str] = {}
    stored = {
        team.external_id: team
        for team in db.session.scalars(select(Team).filter_by(tournament_id=tournament_id))
    }
    offered_ids = {team.id for team in offer.teams}
    names = Counter(team.name for team in stored.values())
    for offered in offer.teams:
        team = stored.get(offered.id) or _team_of_name(stored, offered_ids, offered.name, names)
        if team is not None and team.external_id != offered.id:
            del stored[team.external_id]  # no other row can be this team
        if team is None:
            team = Team(id=uuid4(), tournament_id=tournament_id)
            db.session.add(team)
        elif (team.name, team.image_source) != (offered.name, offered.image):
            mapped.rounds |= {round_.slug for round_ in offer.rounds}
        elif team.external_id == offered.id:
            continue
        if team.name not in (None, offered.name):
            renamed[team.id] = team.name
        stored[offered.id] = team
        team.external_id, team.name = offered.id, offered.name
        _point_to(team, offered.image)
        mapped.teams = True
    db.session.flush()
    return {external_id: team.id for external_id, team in stored.items()}, renamed


def _team_of_name(
    stored: Mapping[str, Team], offered_ids: Collection[str], name: str, names: Mapping[str, int]
) -> Team | None:
    """Return the stored team that has a new id in the answer.

    It is the only one with this name, and its old id is no longer in the answer.
    """
    for external_id, team in stored.items():
        if team.name == name and names[name] == 1 and external_id not in offered_ids:
            return team
    return None


def _point_to(owner: Team | Tournament, image: str | None) -> None:
    """Set the picture's address. A new address drops the stored picture, so that it is fetched."""
    if owner.image_source != image:
        owner.image_source, owner.image, owner.image_tried_at = image, None, None


def _rounds(tournament_id: UUID, offer: Offer, rule: PointRule) -> dict[str, int]:
    upsert(
        Round,
        ("tournament_id", "slug"),
        [
            {
                "tournament_id": tournament_id,
                "slug": round_.slug,
                "name": round_.name,
                "position": round_.position,
                "multiplier": rule.multiplier(round_.slug),
            }
            for round_ in offer.rounds
        ],
    )
    return dict(
        db.session.execute(
            select(Round.slug, Round.id).where(Round.tournament_id == tournament_id)
        ).all()
    )
