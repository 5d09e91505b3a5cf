"""What the page of keepers shows: a roster with everybody's cost, and what a choice leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.keepers import words
from app.draft_leagues.keepers.queries import choices, owned_before, terms_of
from app.draft_leagues.keepers.rules import (
    Agreed,
    Owned,
    Terms,
    agreed,
    budget_left,
    picks_left,
    price_of,
    refusal_of,
    wished_round,
)
from app.draft_leagues.settings import DraftLeagueSettings
from app.fantasy.rosters.queries import names_of
from app.fantasy.standings.models import League
from app.record.models import Footballer


@dataclass(frozen=True)
class Candidate:
    """Somebody of last season's roster.

    Attributes:
        position: Their position, and their club.
        came: How they came to the league.
        cost: What they cost if they are kept.
        why_not: Why they cannot be kept at all; '' if they can.
    """

    owned: Owned
    position: str
    came: str
    cost: str
    why_not: str
    is_chosen: bool


@dataclass(frozen=True)
class Choice:
    """A franchise's choice of keepers.

    Attributes:
        candidates: The chosen first, in their order, then the others in the order in which they
            came.
        most: How many may stay.
        agreed: Who of the chosen stays, at which cost.
        rounds: The rounds that are left to draft in, in words; '' for none.
        budget: What is left of an auction's budget; None without an auction.
    """

    team: Team
    candidates: Sequence[Candidate]
    most: int
    agreed: Agreed
    rounds: str
    budget: int | None


@dataclass(frozen=True)
class Standing:
    """A keeper of a closed choice, with the cost in words."""

    footballer_id: str
    name: str
    cost: str


def load_choice(
    league: League, settings: DraftLeagueSettings, team: Team, chosen: Sequence[str] | None = None
) -> Choice:
    """The choice of a franchise. `chosen`: instead of the stored choice, to see what it costs."""
    roster = {each.footballer_id: each for each in owned_before(league).get(team.number, ())}
    if chosen is None:
        chosen = [
            each.footballer_id for each in choices(league.id) if each.franchise == team.number
        ]
    named = [roster[each] for each in dict.fromkeys(chosen) if each in roster]
    terms = terms_of(league, settings, team.number)
    result = agreed(named, terms)
    positions = _positions(roster)
    others = [each for each in roster.values() if each not in named]
    return Choice(
        team,
        [_candidate(each, terms, positions, is_chosen=each in named) for each in (*named, *others)],
        terms.most,
        result,
        words.rounds([*picks_left(terms, result.kept).items()]),
        budget_left(terms, result.kept),
    )


def counts_by_franchise(league_id: int) -> dict[int, int]:
    """How many footballers each franchise has chosen."""
    counts: dict[int, int] = {}
    for choice in choices(league_id):
        counts[choice.franchise] = counts.get(choice.franchise, 0) + 1
    return counts


def standing_keepers(league_id: int, settings: DraftLeagueSettings) -> dict[int, list[Standing]]:
    """The keepers of each franchise, once the choices stand."""
    stored = [each for each in choices(league_id) if each.round is not None]
    names = names_of([each.footballer_id for each in stored])
    keepers: dict[int, list[Standing]] = {}
    for each in stored:
        cost = str(each.price) if settings.draft.kind == "auction" else f"Round {each.round}"
        if settings.keepers.keeps_all:
            cost = ""
        keepers.setdefault(each.franchise, []).append(
            Standing(each.footballer_id, names.get(each.footballer_id, each.footballer_id), cost)
        )
    return keepers


def _candidate(
    owned: Owned, terms: Terms, positions: dict[str, str], *, is_chosen: bool
) -> Candidate:
    refusal = refusal_of(owned, terms)
    return Candidate(
        owned,
        positions.get(owned.footballer_id, ""),
        _came(owned, terms),
        "" if refusal else _cost(owned, terms),
        refusal.text if refusal else "",
        is_chosen,
    )


def _came(owned: Owned, terms: Terms) -> str:
    if owned.seasons_kept:
        seasons = "season" if owned.seasons_kept == 1 else "seasons"
        return f"kept for {owned.seasons_kept} {seasons}"
    if owned.round is None:
        return "added after the draft"
    if terms.budget is not None:
        return f"bought for {owned.price or 0}"
    return f"drafted in round {owned.round}"


def _cost(owned: Owned, terms: Terms) -> str:
    if terms.settings.keeps_all:
        return "Stays"
    if terms.budget is not None:
        return f"Costs {price_of(owned)}"
    return f"Round {wished_round(owned, terms)}"


def _positions(footballers: Sequence[str] | dict[str, Owned]) -> dict[str, str]:
    rows = db.session.execute(
        select(Footballer.id, Footballer.position, Footballer.club_id).where(
            Footballer.id.in_([*footballers])
        )
    )
    return {row.id: f"{row.position} {row.club_id or ''}".strip() for row in rows}
