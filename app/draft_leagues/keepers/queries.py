"""Reads who can be kept, at which cost, and who has been chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.drafts import events
from app.draft_leagues.drafts.models import DraftEvent, DraftRow
from app.draft_leagues.drafts.plan import DraftPlan, Keeper
from app.draft_leagues.drafts.rules import Pick, fold
from app.draft_leagues.keepers.models import KeeperChoice, KeeperWindow
from app.draft_leagues.keepers.rules import Owned, Terms
from app.draft_leagues.settings import DraftLeagueSettings
from app.fantasy.market.models import Season
from app.fantasy.rosters.queries import names_of, rosters_of, transactions_of
from app.fantasy.rosters.rules import Transaction
from app.fantasy.standings.models import League


@dataclass(frozen=True)
class Arrival:
    """How a footballer came to a league's rosters; None where nothing is known."""

    round: int | None = None
    price: int | None = None
    seasons_kept: int = 0


def window(league_id: int) -> KeeperWindow | None:
    """Until when keepers are chosen; None for a league without keepers from a season before."""
    return db.session.get(KeeperWindow, league_id, populate_existing=True)


def choices(league_id: int) -> Sequence[KeeperChoice]:
    """Whom the franchises have chosen, each in its own order."""
    return db.session.scalars(
        select(KeeperChoice)
        .where(KeeperChoice.league_id == league_id)
        .order_by(KeeperChoice.franchise, KeeperChoice.position, KeeperChoice.footballer_id)
        .execution_options(populate_existing=True)
    ).all()


def chosen_by(league_id: int, franchise: int) -> list[str]:
    """The footballers whom a franchise has chosen, the first choice first."""
    return [choice.footballer_id for choice in choices(league_id) if choice.franchise == franchise]


def planned(league_id: int) -> tuple[Keeper, ...]:
    """The keepers of the league's draft; none until the choices stand."""
    return tuple(
        Keeper(choice.franchise, choice.footballer_id, choice.round, choice.price)
        for choice in choices(league_id)
        if choice.round is not None
    )


def owned_before(league: League) -> dict[int, list[Owned]]:
    """The rosters of the season that this league continues, with what everybody cost.

    By franchise, in the order in which they came.
    """
    if league.continues_id is None:
        return {}
    places = rosters_of(league.continues_id).places
    names = names_of(places)
    arrivals = _arrivals(league.continues_id)
    rosters: dict[int, list[Owned]] = {}
    for footballer_id, place in places.items():
        arrival = arrivals.get(footballer_id, Arrival())
        rosters.setdefault(place.franchise, []).append(
            Owned(
                footballer_id,
                names.get(footballer_id, footballer_id),
                arrival.round,
                arrival.price,
                arrival.seasons_kept,
            )
        )
    return rosters


def terms_of(league: League, settings: DraftLeagueSettings, franchise: int) -> Terms:
    """What the keepers of a franchise are bound by: its picks, after trades, and the settings."""
    year = db.session.get_one(Season, league.season_id).season
    rosters = rosters_of(league.id)
    picks = Counter(
        round_number
        for round_number in range(1, settings.draft_rounds + 1)
        for original in range(1, settings.franchises + 1)
        if rosters.owner_of_pick((year, round_number, original)) == franchise
    )
    return Terms.of(settings, picks)


def _arrivals(league_id: int) -> dict[str, Arrival]:
    """How everybody came into the league, by their latest arrival: a trade is none."""
    log = transactions_of(league_id)
    reversed_numbers = {each.transaction.depends_on for each in log}
    drafted = {pick.footballer_id: pick for pick in _picks(league_id)}
    kept_arrivals = {
        choice.footballer_id: Arrival(choice.round, choice.price, choice.seasons)
        for choice in choices(league_id)
    }
    arrivals: dict[str, Arrival] = {}
    for each in log:
        if each.number in reversed_numbers or each.transaction.kind == "reversed":
            continue
        arrivals |= _arrivals_by(each.transaction, drafted, kept_arrivals)
    return arrivals


def _arrivals_by(
    transaction: Transaction, drafted: Mapping[str, Pick], kept_arrivals: Mapping[str, Arrival]
) -> dict[str, Arrival]:
    arrivals = {}
    for move in transaction.moves:
        if move.from_franchise is not None:
            continue
        arrival = Arrival()
        pick = drafted.get(move.footballer_id)
        if transaction.kind == "drafted" and pick is not None:
            arrival = Arrival(pick.round, pick.price)
        elif transaction.kind == "kept":
            arrival = kept_arrivals.get(move.footballer_id, arrival)
        arrivals[move.footballer_id] = arrival
    return arrivals


def _picks(league_id: int) -> Sequence[Pick]:
    row = db.session.scalar(select(DraftRow).where(DraftRow.league_id == league_id))
    if row is None:
        return []
    bodies = db.session.scalars(
        select(DraftEvent.body).where(DraftEvent.draft_id == row.id).order_by(DraftEvent.number)
    )
    plan = msgspec.convert(row.plan, DraftPlan)
    return [*fold(plan, map(events.event_of, bodies)).picks.values()]
