"""Pages of trades between two teams: the list, an offer, and a trade with what can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import token_urlsafe

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.numbers import as_id, whole_number
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.core.viewer import current_user
from app.draft_leagues.models import SEASON
from app.draft_leagues.pages.loading import DraftLeaguePage, load
from app.draft_leagues.rankings.page import load_order
from app.draft_leagues.rankings.queries import ListOwner
from app.draft_leagues.trades import rules, services
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.queries import TradeView, load_trade, visible_trades
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import BudgetGift, FootballerGift, Terms, balances
from app.fantasy.rosters.queries import names_of, rosters_of

blueprint = Blueprint("draft_trades", __name__, url_prefix="/leagues/<slug>/trades")

SHOWN = 50
MOST_BUDGET = 10_000
LONGEST = {"token": 60, "message": 300, "reason": 200}
MOST_CHOSEN = 64  # footballers of a form


@blueprint.get("")
@audience(MEMBER)
def index(slug: str) -> ResponseReturnValue:
    """List the trades that the member may see, the latest first."""
    page = load(slug)
    trades = visible_trades(page.league.id, page.mine.number if page.mine else None, SHOWN)
    return respond(
        "draft_leagues/trades.html",
        league=page.league,
        trades=trades,
        team=page.name_of,
        others=[team for team in page.teams if team != page.mine],
        can_offer=page.mine is not None and page.draft_league.phase == SEASON,
        tab="trades",
        runs_it=page.runs_it,
    )


@blueprint.get("/new/<int:franchise>")
@audience(MEMBER)
def new(slug: str, franchise: int) -> ResponseReturnValue:
    """Show the form of an offer to a team."""
    return _builder(load(slug), franchise)


@blueprint.post("/new/<int:franchise>")
@audience(MEMBER)
def offer(slug: str, franchise: int) -> ResponseReturnValue:
    """Send an offer, or answer one with another."""
    page = load(slug)
    mine = _own_number(page)
    terms = _posted_terms(page, mine, franchise)
    outcome = services.offer(
        page.league.id,
        Actor(current_user.id),
        NewOffer(
            terms,
            _posted("token"),
            _posted("message"),
            tuple(request.form.getlist("drop")[:MOST_CHOSEN]),
            request.form.get("counter_to", type=as_id),
        ),
        received_at(),
    )
    if outcome.trade_id is None:
        return _builder(page, franchise, outcome.refusals)
    return redirect(url_for("draft_trades.show", slug=slug, trade_id=outcome.trade_id), 303)


@blueprint.get("/<int:trade_id>")
@audience(MEMBER)
def show(slug: str, trade_id: int) -> ResponseReturnValue:
    """Show a trade, what it would gain and cost each team, and what the member can do."""
    return _trade(load(slug), trade_id)


@blueprint.post("/<int:trade_id>/<act>")
@audience(MEMBER)
def do(slug: str, trade_id: int, act: str) -> ResponseReturnValue:
    """Answer an offer, or review a trade."""
    page = load(slug)
    league_id, actor, moment = page.league.id, Actor(current_user.id), received_at()
    drops = tuple(request.form.getlist("drop")[:MOST_CHOSEN])
    acts: dict[str, Callable[[], list[Refusal]]] = {
        "accept": lambda: services.accept(league_id, trade_id, actor, drops, moment),
        "decline": lambda: services.decline(league_id, trade_id, actor, moment),
        "withdraw": lambda: services.withdraw(league_id, trade_id, actor, moment),
        "vote": lambda: services.vote(
            league_id, trade_id, actor, moment, stops=request.form.get("stops") == "1"
        ),
        "stop": lambda: services.stop(
            league_id, trade_id, current_user.id, _posted("reason"), moment
        ),
        "approve": lambda: services.approve(league_id, trade_id, current_user.id, moment),
    }
    if act not in acts:
        abort(404)
    if refused := acts[act]():
        return _trade(page, trade_id, refused)
    return redirect(url_for("draft_trades.show", slug=slug, trade_id=trade_id), 303)


def _own_number(page: DraftLeaguePage) -> int:
    return page.mine.number if page.mine is not None else abort(404)


def _posted(name: str) -> str:
    return request.form.get(name, "").replace("\x00", "").strip()[: LONGEST[name]]


def _posted_terms(page: DraftLeaguePage, mine: int, other: int) -> Terms:
    """What the form gives each way."""
    if not 1 <= other <= len(page.teams):
        abort(404)
    sides = (("give", "give_budget", mine, other), ("get", "get_budget", other, mine))
    footballers: list[FootballerGift] = []
    budgets: list[BudgetGift] = []
    for field, budget_field, giver, getter in sides:
        footballers += [
            FootballerGift(each, giver, getter)
            for each in request.form.getlist(field)[:MOST_CHOSEN]
        ]
        amount = whole_number(request.form.get(budget_field, ""), most=MOST_BUDGET)
        if amount:
            budgets.append(BudgetGift(amount, giver, getter))
    return Terms(tuple(footballers), (), tuple(budgets))


def _builder(
    page: DraftLeaguePage, franchise: int, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    mine = _own_number(page)
    if franchise == mine or not 1 <= franchise <= len(page.teams):
        abort(404)
    rosters = rosters_of(page.league.id)
    return respond(
        "draft_leagues/trade_new.html",
        league=page.league,
        other=page.teams[franchise - 1],
        sides={number: names_of(rosters.of(number)) for number in (mine, franchise)},
        mine=mine,
        points=_points(page),
        budgets=rosters.budgets if page.settings.trades.with_budget else {},
        token=_posted("token") or token_urlsafe(16),
        counter_to=request.values.get("counter_to", type=as_id),
        form=request.form,
        faults=refused,
        tab="trades",
        runs_it=page.runs_it,
        status=422 if refused else 200,
    )


def _trade(
    page: DraftLeaguePage, trade_id: int, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    trade = load_trade(page.league.id, trade_id)
    mine = page.mine.number if page.mine is not None else None
    if trade is None or not rules.can_see(trade.state, mine):
        abort(404)
    drops = {number: names for number, names in trade.state.accepted.items() if names}
    named = {gift.footballer_id for gift in trade.terms.footballers}
    named |= {each for names in drops.values() for each in names}
    roster = rosters_of(page.league.id).of(mine) if mine is not None else {}
    return respond(
        "draft_leagues/trade.html",
        league=page.league,
        trade=trade,
        team=page.name_of,
        names=names_of(named),
        drops=drops,
        balances=balances(trade.terms, drops, _points(page)),
        roster=names_of(set(roster) - named),
        mine=mine,
        acts=_acts(page, trade, mine),
        faults=refused,
        tab="trades",
        runs_it=page.runs_it,
        status=422 if refused else 200,
    )


def _acts(page: DraftLeaguePage, trade: TradeView, mine: int | None) -> set[str]:
    """What the viewer can do with the trade now."""
    state, moment = trade.state, now()
    acts: set[str] = set()
    if mine is not None:
        checks = {
            "accept": rules.answer_refusal,
            "withdraw": rules.withdraw_refusal,
            "vote": rules.vote_refusal,
        }
        acts = {name for name, check in checks.items() if check(state, mine, moment) is None}
        if mine in state.accepted:
            acts.discard("accept")
    if page.runs_it and rules.review_refusal(state, moment) is None:
        acts |= {"approve", "stop"} if state.review == "commissioner" else {"approve"}
    return acts


def _points(page: DraftLeaguePage) -> dict[str, int]:
    """Projected points of the rest of the season by footballer, in thousandths."""
    owner = ListOwner(page.league.id, current_user.id)
    return load_order(owner, page.league.season_id, page.settings, now()).projected_points
