"""Members' guesses, saved one by one until the kickoff of each match (PRODUCT C2).

A trigger in the database refuses late guesses independently of this code. How a guess fits the
member's other ones is in entries.py, and points are in points.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased

from app.core.db import db, transaction, upsert
from app.core.refusals import Refusal
from app.predictions import members, survivors, tournaments
from app.predictions.entries import (
    HIGHEST,
    PICKS,
    NewGuess,
    Pick,
    field_of,
    survivor_refusal,
    with_confidence,
)
from app.predictions.models import Guess, Match, Round, Team, TournamentPoints
from app.predictions.points import GuessKind
from app.predictions.statuses import ABANDONED, VOID, is_locked

LOCKED = "guess_locked"


def save(
    tournament_id: UUID, player_id: UUID, guesses: list[NewGuess], now: datetime
) -> list[Refusal]:
    """Save the guesses that are still open. Commits.

    The first guess makes the player a member of the tournament, with 0 points. A confidence number
    that another open match has is swapped with it; a survivor's new pick replaces the one of the
    same round.

    Returns:
        A refusal for each guess that was not saved, under the field `match-<id>`.
    """
    kind = tournaments.rule_of(tournament_id).guess
    matches = {
        match.id: match
        for match in db.session.scalars(
            select(Match).where(
                Match.tournament_id == tournament_id,
                Match.id.in_([guess.match_id for guess in guesses]),
            )
        )
    }
    refusals = [
        reason
        for guess in guesses
        if (reason := _fault(guess, matches.get(guess.match_id), kind, now)) is not None
    ]
    refused_fields = {reason.field for reason in refusals}
    accepted = [guess for guess in guesses if field_of(guess.match_id) not in refused_fields]
    if kind in (GuessKind.CONFIDENCE, GuessKind.SURVIVOR):
        for guess in accepted:
            store = _store_weighed if kind == GuessKind.CONFIDENCE else _store_survivor
            if refusal := _save_pick(matches[guess.match_id], player_id, guess, now, store):
                refusals.append(refusal)
        return refusals
    if not _is_stored(tournament_id, player_id, accepted, now):
        # A match kicked off between the check and the write. Save each guess separately, so that
        # the others are saved.
        for guess in accepted:
            if not _is_stored(tournament_id, player_id, [guess], now):
                refusals.append(_locked(guess.match_id))
    return refusals


def _is_stored(
    tournament_id: UUID, player_id: UUID, guesses: list[NewGuess], now: datetime
) -> bool:
    """Save all guesses, or none if one is locked by now. Commits. Returns whether it saved them."""
    if not guesses:
        return True
    try:
        with transaction():
            is_new = members.join(tournament_id, player_id)
            _store(player_id, guesses, now)
    except IntegrityError as error:
        if _constraint(error) != LOCKED:
            raise
        return False
    if is_new:
        members.announce()
    return True


def _constraint(error: IntegrityError) -> str | None:
    return getattr(getattr(error.orig, "diag", None), "constraint_name", None)


StorePick = Callable[[Match, UUID, NewGuess, datetime], Refusal | None]


def _save_pick(
    match: Match, player_id: UUID, guess: NewGuess, now: datetime, store: StorePick
) -> Refusal | None:
    """Save a pick that depends on the member's other ones. Commits.

    The member's picks of a tournament are saved one at a time.
    """
    tournament_id = match.tournament_id
    try:
        with transaction():
            is_new = members.join(tournament_id, player_id)
            locked = select(TournamentPoints).filter_by(
                tournament_id=tournament_id, player_id=player_id
            )
            db.session.execute(locked.with_for_update())
            refusal = store(match, player_id, guess, now)
            if refusal is not None:
                db.session.rollback()  # who was refused becomes no member by it
    except IntegrityError as error:
        if _constraint(error) != LOCKED:
            raise
        return _locked(guess.match_id)
    if is_new and refusal is None:
        members.announce()
    return refusal


def _store_weighed(match: Match, player_id: UUID, guess: NewGuess, now: datetime) -> Refusal | None:
    in_round = select(func.count()).where(
        Match.round_id == match.round_id, Match.merged_into_id.is_(None)
    )
    picks = picks_of(match.tournament_id, player_id, now)
    others = [pick for pick in picks if pick.round_id == match.round_id]
    weighed = with_confidence(guess, db.session.scalars(in_round).one(), others)
    if isinstance(weighed, Refusal):
        return weighed
    _store(player_id, weighed, now)
    return None


def _store_survivor(
    match: Match, player_id: UUID, guess: NewGuess, now: datetime
) -> Refusal | None:
    picks = picks_of(match.tournament_id, player_id, now)
    exit_ = survivors.exit_of(match.tournament_id, player_id)
    picked = (match.round_id, match.home_id if guess.home else match.away_id)
    refusal = survivor_refusal(guess, picked, picks, None if exit_ is None else exit_.name)
    if refusal is not None:
        return refusal
    replaced = [
        pick.guess.match_id
        for pick in picks
        if pick.round_id == match.round_id and not pick.is_locked
    ]
    db.session.execute(
        delete(Guess).where(Guess.player_id == player_id, Guess.match_id.in_(replaced))
    )
    _store(player_id, [guess], now)
    return None


def picks_of(tournament_id: UUID, player_id: UUID | None, now: datetime) -> list[Pick]:
    """Load the player's guesses with their rounds and teams, by round and match."""
    home, away = aliased(Team), aliased(Team)
    rows = db.session.execute(
        select(Guess, Match, Round.name, home.name, away.name)
        .join(Match, Match.id == Guess.match_id)
        .join(Round, Round.id == Match.round_id)
        .join(home, home.id == Match.home_id)
        .join(away, away.id == Match.away_id)
        .where(
            Match.tournament_id == tournament_id,
            Guess.player_id == player_id,
            Match.merged_into_id.is_(None),
        )
        .order_by(Round.position, Round.id, Match.id)
    )
    picks = []
    for guess, match, round_name, home_name, away_name in rows:
        is_home = guess.home > guess.away
        picks.append(
            Pick(
                guess=NewGuess(match.id, guess.home, guess.away, guess.confidence),
                round_id=match.round_id,
                round_name=round_name,
                team_id=match.home_id if is_home else match.away_id,
                team_name=home_name if is_home else away_name,
                is_locked=match.terms is not None
                or is_locked(match.status, match.fate, match.kickoff, now),
                is_off=match.terms is None and match.fate in (VOID, ABANDONED),
            )
        )
    return picks


def _store(player_id: UUID, guesses: Collection[NewGuess], now: datetime) -> None:
    upsert(
        Guess,
        ("match_id", "player_id"),
        [
            {
                "match_id": guess.match_id,
                "player_id": player_id,
                "home": guess.home,
                "away": guess.away,
                "confidence": guess.confidence,
                "saved_at": now,
            }
            for guess in sorted(guesses, key=lambda guess: guess.match_id)
        ],
    )


def _locked(match_id: UUID) -> Refusal:
    return Refusal(
        LOCKED,
        field_of(match_id),
        "The match has started, so picks are closed. Your last saved pick counts.",
    )


def _fault(guess: NewGuess, match: Match | None, kind: GuessKind, now: datetime) -> Refusal | None:
    field = field_of(guess.match_id)
    if match is None:
        return Refusal(
            "no_match", field, "This match is not part of the tournament. Reload the page."
        )
    pair = (guess.home, guess.away)
    if kind == GuessKind.SCORES:
        if not all(0 <= score <= HIGHEST for score in pair):
            return Refusal("score", field, f"Enter two whole numbers from 0 to {HIGHEST}.")
    elif pair not in PICKS.values() or (kind == GuessKind.SURVIVOR and pair == PICKS["draw"]):
        return Refusal("pick", field, "Choose one of the two teams.")
    if is_locked(match.status, match.fate, match.kickoff, now):
        return _locked(guess.match_id)
    return None
