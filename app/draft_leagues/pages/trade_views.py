"""Pages of trades: the list, the form of an offer, and a trade with what can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from secrets import token_urlsafe

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.core.viewer import current_user
from app.draft_leagues.franchises.services import without_owner
from app.draft_leagues.pages.forms import TradeAnswerForm
from app.draft_leagues.pages.loading import DraftLeaguePage, footballers_of, load
from app.draft_leagues.pages.trade_form import (
    LONGEST,
    MOST_CHOSEN,
    OfferForm,
    budget_field,
    fields_of,
    players_of,
    read_form,
    sides,
)
from app.draft_leagues.pages.trade_page import (
    cards_of,
    history_of,
    load_effects,
    load_market,
    moved_by,
    review_of,
)
from app.draft_leagues.trades import rules, services, words
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.queries import (
    TradeView,
    able_to_vote,
    last_events,
    load_trade,
    visible_trades,
)
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.settling import agreed_trade
from app.draft_leagues.trades.terms import AgreedTrade
from app.draft_leagues.trades.window import window_refusal
from app.fantasy.pages.membership.forms import show_refusals
from app.fantasy.rosters.queries import names_of, rosters_of

blueprint = Blueprint("draft_trades", __name__, url_prefix="/leagues/<slug>/trades")

SHOWN = 50
ROOM = "active_full"  # the code of a refusal that a drop remedies


@blueprint.get("")
@audience(MEMBER)
def index(slug: str) -> ResponseReturnValue:
    """List the trades that the member may see, the latest first."""
    return _index(load(slug))


def _index(page: DraftLeaguePage, status: int = 200) -> ResponseReturnValue:
    """The list of trades; if the league makes none now, it says why."""
    closed = window_refusal(page.draft_league)
    trades = visible_trades(page.league.id, page.mine.number if page.mine else None, SHOWN)
    cards = cards_of(page, trades)
    return respond(
        "draft_leagues/trades.html",
        league=page.league,
        cards=cards,
        footballers=footballers_of(who for card in cards for who in moved_by(card.terms)),
        team=page.team_of,
        statuses=words.STATUSES,
        last_events=last_events([trade.id for trade in trades]),
        others=[team for team in page.teams if team != page.mine],
        without_owner=without_owner(page.league.id),
        mine=page.mine,
        can_offer=page.mine is not None and closed is None,
        closed=closed,
        tab="trades",
        runs_it=page.runs_it,
        status=status,
    )


@blueprint.get("/new")
@audience(MEMBER)
def new(slug: str) -> ResponseReturnValue:
    """Show the form of an offer; as an answer to another offer it has the same terms."""
    page = load(slug)
    if window_refusal(page.draft_league) is not None:
        return _index(page)
    form = read_form(request.args, _own_number(page), page.teams)
    if form.new.counter_to is not None and not form.new.terms.gifts:
        form = _answering(page, form, form.new.counter_to)
    return _builder(page, form, form.refused)


@blueprint.post("/new")
@audience(MEMBER)
def offer(slug: str) -> ResponseReturnValue:
    """Preview an offer or send it; an offer may answer another one."""
    page = load(slug)
    if window_refusal(page.draft_league) is not None:
        return _index(page, 422)
    form = read_form(request.form, _own_number(page), page.teams)
    actor = Actor(current_user.id)
    if form.act == "teams" or form.refused:
        return _builder(page, form, form.refused)
    if form.act != "send":
        refused = services.offer_refusals(page.league.id, actor, form.new, received_at())
        return _builder(page, form, refused, is_preview=True)
    outcome = services.offer(page.league.id, actor, _with_token(form).new, received_at())
    if outcome.trade_id is None:
        return _builder(page, form, outcome.refusals)
    return redirect(url_for("draft_trades.show", slug=slug, trade_id=outcome.trade_id), 303)


@blueprint.get("/<int:trade_id>")
@audience(MEMBER)
def show(slug: str, trade_id: int) -> ResponseReturnValue:
    """Show a trade, what it would gain and cost each team, and what the member can do."""
    return _trade(load(slug), trade_id, TradeAnswerForm(formdata=None))


@blueprint.post("/<int:trade_id>/<act>")
@audience(MEMBER)
def do(slug: str, trade_id: int, act: str) -> ResponseReturnValue:
    """Answer an offer, or review a trade; `preview` shows it with the chosen drops."""
    page, form = load(slug), TradeAnswerForm()
    if act == "preview":
        return _trade(page, trade_id, form)
    league_id, actor, moment = page.league.id, Actor(current_user.id), received_at()
    reason, drops = form.reason.data, _chosen_drops(form)
    acts: dict[str, Callable[[], list[Refusal]]] = {
        "accept": lambda: services.accept(league_id, trade_id, actor, drops, moment),
        "decline": lambda: services.decline(league_id, trade_id, actor, moment),
        "withdraw": lambda: services.withdraw(league_id, trade_id, actor, moment),
        "vote": lambda: services.vote(
            league_id, trade_id, actor, moment, stops=form.stops.data == "1"
        ),
        "stop": lambda: services.stop(league_id, trade_id, current_user.id, reason, moment),
        "approve": lambda: services.approve(
            league_id, trade_id, current_user.id, moment, reason=reason
        ),
    }
    if act not in acts:
        abort(404)
    if refused := acts[act]():
        return _trade(page, trade_id, form, refused)
    return redirect(url_for("draft_trades.show", slug=slug, trade_id=trade_id), 303)


def _own_number(page: DraftLeaguePage) -> int:
    return page.mine.number if page.mine is not None else abort(404)


def _chosen_drops(form: TradeAnswerForm) -> tuple[str, ...]:
    chosen = form.drop.data[:MOST_CHOSEN]
    return tuple(footballer[: LONGEST["id"]] for footballer in chosen if "\x00" not in footballer)


def _with_token(form: OfferForm) -> OfferForm:
    """The form with a token, so that it can be sent twice and counts once."""
    if form.new.token:
        return form
    return replace(form, new=replace(form.new, token=token_urlsafe(16)))


def _answering(page: DraftLeaguePage, form: OfferForm, trade_id: int) -> OfferForm:
    """The form that answers an offer, with its terms."""
    trade = load_trade(page.league.id, trade_id)
    if trade is None or form.mine not in trade.terms.franchises:
        abort(404)
    others = tuple(number for number in trade.terms.franchises if number != form.mine)
    return OfferForm(form.mine, others, NewOffer(trade.terms, "", counter_to=trade_id))


def _builder(
    page: DraftLeaguePage,
    form: OfferForm,
    refused: Sequence[Refusal] = (),
    *,
    is_preview: bool = False,
) -> ResponseReturnValue:
    form = _with_token(form)
    market = load_market(page, now())
    is_possible = is_preview and all(each.code == ROOM for each in refused)
    draft = AgreedTrade(0, form.new.terms, {form.mine: form.new.drops}, None)
    offered = sides(form, market)
    return respond(
        "draft_leagues/trade_new.html",
        league=page.league,
        form=form,
        sides=offered,
        others=[team for team in page.teams if team.number != form.mine],
        without_owner=without_owner(page.league.id),
        team=page.team_of,
        footballers=footballers_of(
            {*moved_by(form.new.terms), *form.new.drops, *players_of(offered)}
        ),
        effects=load_effects(page, draft, now()) if is_possible else {},
        fields=fields_of(form),
        budget_field=budget_field,
        faults=refused,
        tab="trades",
        runs_it=page.runs_it,
        status=422 if refused else 200,
    )


def _trade(
    page: DraftLeaguePage, trade_id: int, form: TradeAnswerForm, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    trade = load_trade(page.league.id, trade_id)
    mine = page.mine.number if page.mine is not None else None
    if trade is None or not rules.can_see(trade.state, mine):
        abort(404)
    chosen, acts = _chosen_drops(form), _acts(page, trade, mine)
    drops = {number: names for number, names in trade.state.accepted.items() if names}
    if mine is not None and "accept" in acts and chosen:
        drops[mine] = chosen
    roster = rosters_of(page.league.id).of(mine) if mine is not None else {}
    going = moved_by(trade.terms)
    as_chosen = replace(agreed_trade(trade), drops=drops)
    return respond(
        "draft_leagues/trade.html",
        league=page.league,
        trade=trade,
        status_text=words.STATUSES[trade.state.status],
        team=page.team_of,
        footballers=footballers_of({*going, *(who for ids in drops.values() for who in ids)}),
        drops=drops,
        effects=load_effects(page, as_chosen, now()) if trade.state.status in rules.OPEN else {},
        review=review_of(page, trade, now()),
        history=history_of(page, trade),
        roster=names_of(set(roster) - going),
        chosen=chosen,
        mine=mine,
        acts=acts,
        form=form,
        faults=show_refusals(form, refused),
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
    parties = {team.member_id for team in page.teams if team.number in trade.terms.franchises}
    if (
        page.runs_it
        and rules.review_refusal(state, moment) is None
        and services.ruling_refusal(page.league.id, page.viewer_id, parties) is None
    ):
        acts.add("approve")
        able = able_to_vote(page.league.id, [team.number for team in page.teams], trade.terms)
        if state.review == "commissioner" or not rules.votes_needed(state, able):
            acts.add("stop")
    return acts
