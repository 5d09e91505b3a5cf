"""Loads what pages of trades show: projections, what there is to trade, a review and a history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.drafts.pick_trades import state_of
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.models import DRAFTING
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.pages.trade_form import Market
from app.draft_leagues.rankings.page import load_order
from app.draft_leagues.rankings.queries import ListOwner
from app.draft_leagues.trades import rules, words
from app.draft_leagues.trades.effects import Effect, Forecast, effects
from app.draft_leagues.trades.models import Trade
from app.draft_leagues.trades.queries import TradeView, able_to_vote
from app.draft_leagues.trades.terms import AgreedTrade, Terms
from app.draft_leagues.trades.window import pick_range, trades_picks_only
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import Names


@dataclass(frozen=True)
class ReviewView:
    """A trade under review.

    Attributes:
        began_at: When everybody had accepted.
        left: The time left, in words; '' if the review is over.
        voters: The teams that may vote: those outside the trade that have an owner.
        needed: How many votes stop it; 0 if nobody can vote, and the commissioner may stop it.
        against: Those of them that want to stop it.
        in_favour: Those that voted for it.
    """

    began_at: datetime
    left: str
    voters: Sequence[Team]
    needed: int
    against: Sequence[Team]
    in_favour: Sequence[Team]


@dataclass(frozen=True)
class Happened:
    """An event of a trade in words, with the reason that was given."""

    at: datetime
    text: str
    reason: str


def load_market(page: DraftLeaguePage, now: datetime) -> Market:
    """What the league's teams could trade."""
    rosters = rosters_of(page.league.id)
    settings = page.settings
    running = state_of(page.league.id) if page.draft_league.phase == DRAFTING else None
    return Market(
        page.teams,
        rosters,
        names_of(rosters.places),
        forecasts_of(page, now),
        pick_range(page.draft_league, settings, running),
        settings.trades.with_budget
        and settings.waivers.kind == "blind_bids"
        and not trades_picks_only(page.draft_league),
    )


def forecasts_of(page: DraftLeaguePage, now: datetime) -> dict[str, Forecast]:
    """What everybody is projected to score in the rest of the season.

    Projections of the viewer's own file come before the league's, and those before the record's.
    """
    owner = ListOwner(page.league.id, page.viewer_id)
    order = load_order(owner, page.league.season_id, page.settings, now)
    return {
        who: Forecast(each.position, order.points.get(who, each.ranked.points))
        for who, each in order.footballers.items()
    }


def load_effects(page: DraftLeaguePage, trade: AgreedTrade, now: datetime) -> dict[int, Effect]:
    """What a trade would do to each of its teams now."""
    return effects(
        trade,
        rosters_of(page.league.id),
        forecasts_of(page, now),
        page.settings.roster,
        {team.number: team.name for team in page.teams},
    )


def review_of(page: DraftLeaguePage, trade: TradeView, now: datetime) -> ReviewView | None:
    """The review of a trade; None if it is not under review."""
    state = trade.state
    if state.status != "in_review" or state.review_ends_at is None:
        return None
    others = [team for team in page.teams if team.number not in trade.terms.franchises]
    able = able_to_vote(page.league.id, [team.number for team in others], trade.terms)
    agreed = [entry.made_at for entry in trade.history if entry.event.kind == "agreed"]
    return ReviewView(
        agreed[-1],
        words.time_left(state.review_ends_at - now),
        [team for team in others if team.number in able],
        rules.votes_needed(state, able),
        [team for team in others if state.votes.get(team.number) is True],
        [team for team in others if state.votes.get(team.number) is False],
    )


def history_of(page: DraftLeaguePage, trade: TradeView) -> list[Happened]:
    """What happened to a trade, in order."""
    dropped = {each for entry in trade.history for each in entry.event.drops}
    names = Names(names_of(dropped), {team.number: team.name for team in page.teams})
    ids = {entry.by_member_id for entry in trade.history}
    members = db.session.execute(
        select(Member.id, Member.display_name).where(Member.id.in_(ids - {None}))
    )
    deciders: dict[int | None, str] = {row.id: row.display_name for row in members}
    return [
        Happened(
            entry.made_at,
            words.happened(entry.event, names, deciders.get(entry.by_member_id, "")),
            entry.event.reason,
        )
        for entry in trade.history
    ]


@dataclass(frozen=True)
class TradeCard:
    """A trade in the list. `asks_me`: whether the viewer's team is asked for an answer."""

    trade: Trade
    terms: Terms
    asks_me: bool


def cards_of(page: DraftLeaguePage, trades: Sequence[Trade]) -> list[TradeCard]:
    """The trades as cards: those that wait for the viewer first, else in the given order."""
    viewer = page.mine.number if page.mine else None
    cards = [
        TradeCard(
            trade,
            msgspec.convert(trade.terms, Terms),
            trade.status == "offered" and viewer in trade.franchises and viewer != trade.franchise,
        )
        for trade in trades
    ]
    return sorted(cards, key=lambda card: not card.asks_me)


def moved_by(terms: Terms) -> set[str]:
    """Everybody who changes the team, by id."""
    return {gift.footballer_id for gift in terms.footballers}
