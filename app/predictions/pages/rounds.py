"""A round of a tournament as one player sees it: for its page, and after a guess was saved."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from app.core import clock
from app.predictions import guesses, pools, survivors
from app.predictions.models import Tournament
from app.predictions.pages import crowd, page, queries
from app.predictions.pages.page import Card, Entry, Missing, Scoring, Survival
from app.predictions.pages.queries import RoundRow
from app.predictions.points import GuessKind, PointRule


@dataclass(frozen=True)
class ShownRound:
    """The cards of a round for the viewer, and what is missing of their guesses."""

    scoring: Scoring
    cards: list[Card]
    missing: Missing


def shown_round(
    tournament: Tournament, round_: RoundRow, me: UUID | None, entry: Entry | None = None
) -> ShownRound:
    """Load a round for the player. `entry` is the result of their form, if one was sent."""
    now = clock.now()
    rule, matches = pools.rule_of(tournament), queries.matches_of_round(round_.id)
    stored_guesses = queries.guesses_in([match.id for match in matches], me)
    open_ids = [match.id for match in matches if not match.is_locked(now)]
    expected = crowd.of_round(round_.id, open_ids) if rule.crowd and open_ids else {}
    survival = survival_of(tournament.id, rule, me, round_)
    scoring = Scoring(rule, round_, survival, expected)
    cards = [
        page.card(match, stored_guesses.get(match.id), scoring, now, entry) for match in matches
    ]
    return ShownRound(scoring, cards, page.missing(cards, scoring))


def survival_of(
    tournament_id: UUID, rule: PointRule, me: UUID | None, round_: RoundRow | None = None
) -> Survival:
    """Load how the player survives; nothing of it in another kind of tournament.

    `used` has the teams that they picked in other rounds than this one.
    """
    if rule.guess != GuessKind.SURVIVOR:
        return Survival()
    exit_ = survivors.exit_of(tournament_id, me)
    used = {
        pick.team_id: pick.round_name
        for pick in guesses.picks_of(tournament_id, me, clock.now())
        if not pick.is_off and (round_ is None or pick.round_id != round_.id)
    }
    if exit_ is None:
        return Survival(used=used)
    return Survival(exit_.name, exit_.position, used)
