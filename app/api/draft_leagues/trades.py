"""Trades: offers and their answers, reviews, votes and rulings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from app.api.draft_leagues.access import (
    Caller,
    opened,
    opened_by_commissioner,
    or_refused,
    own_team,
    refused_problem,
)
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import NO_LEAGUE, PROBLEMS, DraftLeaguePath
from app.api.draft_leagues.trade_shapes import (
    GivenBudget,
    GivenFootballer,
    GivenPick,
    TradeAcceptance,
    TradeAnswer,
    TradeBody,
    TradeDrops,
    TradeEffect,
    TradeEventBody,
    TradeNew,
    TradePath,
    TradePreviewBody,
    TradeRefusal,
    TradeRuling,
    TradesBody,
    TradesQuery,
    TradeSummary,
    TradeVote,
)
from app.api.fantasy.shapes import milli, next_offset
from app.api.operations import GET, POST
from app.core import clock
from app.core.http.problems import ProblemError
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.pages.trade_page import load_effects
from app.draft_leagues.trades import rules, services
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.queries import TradeView, able_to_vote, load_trade, visible_trades
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.settling import agreed_trade
from app.draft_leagues.trades.terms import AgreedTrade, BudgetGift, FootballerGift, Terms
from app.fantasy.rosters.rules import PickMove

NO_TRADE = "The league has no such trade, or the caller is not allowed to see it."
ON_A_TRADE = {404: NO_TRADE, 409: PROBLEMS[409]}
FIELDS = {"drop": "drops"}


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/trades",
    answers={200: TradesBody},
    problems={404: NO_LEAGUE},
)
def list_trades(path: DraftLeaguePath, query: TradesQuery, caller: Caller) -> TradesBody:
    """List accepted trades, and offers from and to your team."""
    page = opened(path, caller)
    mine = page.mine.number if page.mine is not None else None
    rows = visible_trades(page.league.id, mine, query.limit + 1, query.offset)
    page_rows = rows[: query.limit]
    return TradesBody(
        [
            TradeSummary(
                row.id, row.status, row.franchise, row.franchises, row.offered_at, row.due_at
            )
            for row in page_rows
        ],
        next_offset(query.offset, len(page_rows), len(rows) > query.limit),
    )


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/trades/{trade}",
    answers={200: TradeBody},
    problems={404: NO_TRADE},
)
def get_trade(path: TradePath, caller: Caller) -> TradeBody:
    """Read a trade: what it moves, who has accepted, and its projected gains and losses."""
    page = opened(DraftLeaguePath(path.league), caller)
    return _body(page, path.trade)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/trades",
    answers={201: TradeBody},
    problems=PROBLEMS,
)
def offer_trade(path: DraftLeaguePath, body: TradeNew, caller: Caller) -> TradeBody:
    """Offer a trade to one or more teams, or make a counteroffer.

    A repeated request with the same `token` makes only one offer.
    """
    page = opened(path, caller)
    new = _offer(body)
    actor = Actor(page.viewer_id, body.franchise, body.reason)
    outcome = services.offer(page.league.id, actor, new, received_at())
    if outcome.trade_id is None:
        raise refused_problem(outcome.refusals, fields=FIELDS)
    return _body(page, outcome.trade_id, body.franchise)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/trades/preview",
    answers={200: TradePreviewBody},
    problems={404: NO_LEAGUE, 409: PROBLEMS[409]},
)
def preview_trade(path: DraftLeaguePath, body: TradeNew, caller: Caller) -> TradePreviewBody:
    """Preview an offer's effects on each team, and why the offer would be refused."""
    page = opened(path, caller)
    actor = Actor(page.viewer_id, body.franchise, body.reason)
    new, team = _offer(body), body.franchise or own_team(page).number
    refusals = services.offer_refusals(page.league.id, actor, new, received_at())
    is_known = set(new.terms.franchises) <= {each.number for each in page.teams}
    trade = AgreedTrade(0, new.terms, {team: new.drops}, None)
    return TradePreviewBody(
        _effects(page, trade) if is_known else [],
        [
            TradeRefusal(FIELDS.get(each.field, each.field), each.code, each.text)
            for each in refusals
        ],
    )


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/trades/{trade}/accept",
    answers={200: TradeBody},
    problems=ON_A_TRADE,
)
def accept_trade(path: TradePath, body: TradeAcceptance, caller: Caller) -> TradeBody:
    """Accept an offer, with the players the team drops to make room.

    Once all teams have accepted, the review begins. If there is no review, the trade goes through.
    """

    def accept(page: DraftLeaguePage, moment: datetime) -> list[Refusal]:
        actor = Actor(page.viewer_id, body.franchise, body.reason)
        return services.accept(page.league.id, path.trade, actor, body.drops, moment)

    return _act(path, caller, accept, body.franchise)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/trades/{trade}/decline",
    answers={200: TradeBody},
    problems=ON_A_TRADE,
)
def decline_trade(path: TradePath, body: TradeAnswer, caller: Caller) -> TradeBody:
    """Decline an offer, which closes it."""

    def decline(page: DraftLeaguePage, moment: datetime) -> list[Refusal]:
        actor = Actor(page.viewer_id, body.franchise, body.reason)
        return services.decline(page.league.id, path.trade, actor, moment)

    return _act(path, caller, decline, body.franchise)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/trades/{trade}/withdraw",
    answers={200: TradeBody},
    problems=ON_A_TRADE,
)
def withdraw_trade(path: TradePath, body: TradeAnswer, caller: Caller) -> TradeBody:
    """Withdraw your own offer."""

    def withdraw(page: DraftLeaguePage, moment: datetime) -> list[Refusal]:
        actor = Actor(page.viewer_id, body.franchise, body.reason)
        return services.withdraw(page.league.id, path.trade, actor, moment)

    return _act(path, caller, withdraw, body.franchise)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/trades/{trade}/vote",
    answers={200: TradeBody},
    problems=ON_A_TRADE,
)
def vote_on_trade(path: TradePath, body: TradeVote, caller: Caller) -> TradeBody:
    """Vote for or against an accepted trade. A team's last vote counts."""

    def vote(page: DraftLeaguePage, moment: datetime) -> list[Refusal]:
        actor = Actor(page.viewer_id, body.franchise, body.reason)
        return services.vote(page.league.id, path.trade, actor, moment, stops=body.stops)

    return _act(path, caller, vote, body.franchise)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/trades/{trade}/ruling",
    answers={200: TradeBody},
    problems=ON_A_TRADE,
)
def rule_on_trade(path: TradePath, body: TradeRuling, caller: Caller) -> TradeBody:
    """End a trade's review as the commissioner: approve the trade now, or stop it."""
    opened_by_commissioner(DraftLeaguePath(path.league), caller)

    def rule(page: DraftLeaguePage, moment: datetime) -> list[Refusal]:
        if body.ruling == "approve":
            return services.approve(page.league.id, path.trade, page.viewer_id, moment)
        return services.stop(page.league.id, path.trade, page.viewer_id, body.reason, moment)

    return _act(path, caller, rule)


def _act(
    path: TradePath,
    caller: Caller,
    act: Callable[[DraftLeaguePage, datetime], list[Refusal]],
    franchise: int | None = None,
) -> TradeBody:
    """Do something with a trade that the caller, or the team for which they act, may see."""
    page = opened(DraftLeaguePath(path.league), caller)
    _body(page, path.trade, franchise)
    or_refused(act(page, received_at()), FIELDS)
    return _body(page, path.trade, franchise)


def _offer(body: TradeNew) -> NewOffer:
    return NewOffer(_terms(body), body.token, body.message, body.drops, body.counter_to)


def _terms(body: TradeNew) -> Terms:
    return Terms(
        tuple(
            FootballerGift(each.footballer_id, each.from_franchise, each.to_franchise)
            for each in body.footballers
        ),
        tuple(
            PickMove(
                each.season,
                each.round,
                each.original_franchise,
                each.from_franchise,
                each.to_franchise,
            )
            for each in body.picks
        ),
        tuple(
            BudgetGift(each.amount, each.from_franchise, each.to_franchise) for each in body.budgets
        ),
    )


def _body(page: DraftLeaguePage, trade_id: int, franchise: int | None = None) -> TradeBody:
    """The trade as the caller sees it. Raises ProblemError 404 if they may not.

    `franchise`: the team for which a commissioner acts.
    """
    trade = load_trade(page.league.id, trade_id)
    viewer = page.mine.number if page.mine is not None else None
    if franchise is not None and page.runs_it:
        viewer = franchise
    if trade is None or not rules.can_see(trade.state, viewer):
        raise ProblemError(404, NO_TRADE)
    state, terms = trade.state, trade.terms
    return TradeBody(
        trade=trade.row.id,
        status=state.status,
        offered_by=state.offer.offered_by,
        franchises=terms.franchises,
        footballers=[
            GivenFootballer(each.footballer_id, each.from_franchise, each.to_franchise)
            for each in terms.footballers
        ],
        picks=[
            GivenPick(
                each.season,
                each.round,
                each.original_franchise,
                each.from_franchise,
                each.to_franchise,
            )
            for each in terms.picks
        ],
        budgets=[
            GivenBudget(each.amount, each.from_franchise, each.to_franchise)
            for each in terms.budgets
        ],
        message=trade.row.message,
        counter_to=trade.row.counter_to,
        accepted=[TradeDrops(number, drops) for number, drops in state.accepted.items()],
        waiting_for=state.waiting_for,
        review=state.review,
        votes_against=state.stop_votes,
        votes_to_stop=_votes_to_stop(page, trade),
        due_at=state.due_at,
        transaction=state.transaction,
        effects=_effects(page, agreed_trade(trade)) if state.status in rules.OPEN else [],
        history=[
            TradeEventBody(
                entry.event.kind,
                entry.event.franchise,
                entry.by_member_id,
                entry.made_at,
                entry.event.reason,
            )
            for entry in trade.history
        ],
    )


def _effects(page: DraftLeaguePage, trade: AgreedTrade) -> list[TradeEffect]:
    return [
        TradeEffect(
            franchise,
            milli(effect.balance.gained),
            milli(effect.balance.lost),
            milli(effect.before),
            milli(effect.after),
            effect.refusal.text if effect.refusal is not None else "",
        )
        for franchise, effect in load_effects(page, trade, clock.now()).items()
    ]


def _votes_to_stop(page: DraftLeaguePage, trade: TradeView) -> int:
    """How many votes stop a trade now; of one that is not under review, how many were agreed."""
    if trade.state.status != "in_review":
        return trade.state.votes_to_stop
    able = able_to_vote(page.league.id, [team.number for team in page.teams], trade.terms)
    return rules.votes_needed(trade.state, able)
