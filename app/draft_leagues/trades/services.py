"""What members and commissioners do with trades. Each function is one transaction.

Rules that end offers and reviews are in settling.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import func, select

from app.accounts.models import Member
from app.accounts.sanctions import is_active
from app.core.db import db, transaction
from app.core.plurals import counted
from app.core.refusals import Refusal
from app.draft_leagues import league_clock
from app.draft_leagues.act_tokens import NamedAct, first_outcome, named_act
from app.draft_leagues.franchises.reserve import reserve_refusals
from app.draft_leagues.franchises.services import co_commissioners, runs_league
from app.draft_leagues.free_text import reason_refusals, text_refusals
from app.draft_leagues.models import FINISHED
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.trades import rules, settling, words
from app.draft_leagues.trades.desk import Actor, Desk
from app.draft_leagues.trades.models import Trade
from app.draft_leagues.trades.queries import TradeView, load_trade, trade_deadline
from app.draft_leagues.trades.rules import Event, State
from app.draft_leagues.trades.terms import (
    AgreedTrade,
    Terms,
    deadline_refusal,
    drop_refusals,
    pick_refusals,
    room_refusals,
    terms_refusals,
    transaction_of,
)
from app.draft_leagues.trades.window import PICKS_ONLY, trades_picks_only
from app.draft_leagues.transactions.services import NO_LIMITS, limits_of
from app.fantasy.rosters import rules as rosters_rules
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import Names
from app.fantasy.standings.models import League

MOST_OFFERS = 50  # open ones of a franchise

NO_TRADE = Refusal("trade", "", "Your team has no such trade. The Trades page lists yours.")
TOO_MANY = Refusal(
    "too_many", "", f"You have {MOST_OFFERS} open offers, which is the limit. Withdraw one first."
)
NO_COMMISSIONER = Refusal("commissioner", "", "Only the commissioner can do this.")
NO_STOP = Refusal("review", "", "In this league members vote on trades. Vote against it instead.")
WHY = Refusal("reason", "reason", "Give a reason. Everyone in the league sees it.")


@dataclass(frozen=True)
class NewOffer:
    """An offer that somebody makes.

    Attributes:
        drops: Whom the offering team drops to make room.
        counter_to: The trade that it answers.
        token: The same for a repeated submission, which counts once; empty for no such name.
    """

    terms: Terms
    token: str
    message: str = ""
    drops: tuple[str, ...] = ()
    counter_to: int | None = None


@dataclass(frozen=True)
class Offered:
    """The trade that was offered, or why it was not (then `trade_id` is None)."""

    trade_id: int | None
    refusals: tuple[Refusal, ...] = ()


def offer(league_id: int, actor: Actor, new: NewOffer, now: datetime) -> Offered:
    """Offer a trade, or answer an offer with another one, which closes the first."""
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        franchise, refused = desk.acting(actor)
        if refused is not None:
            return Offered(None, (refused,))
        named = named_act(actor.member_id, new.token, franchise, new)
        trades = select(Trade.id).where(Trade.league_id == league_id)
        first = first_outcome(named, trades, Trade.token)
        if first is not None:
            return Offered(None, (first,)) if isinstance(first, Refusal) else Offered(first)
        if refusals := _offer_refusals(desk, franchise, new):
            return Offered(None, tuple(refusals))
        trade = _store(desk, franchise, new, named)
        event = Event("offered", franchise, drops=new.drops, reason=actor.reason.strip())
        trade = desk.append(trade, event, actor.member_id)
        answered = load_trade(league_id, new.counter_to) if new.counter_to is not None else None
        if answered is not None:
            desk.append(answered, Event("countered", franchise), actor.member_id)
        text = words.offered(
            desk.league.name,
            desk.teams[franchise].name,
            desk.what(trade),
            is_counter=answered is not None,
        )
        desk.notify(trade, "offered", dict.fromkeys(trade.state.waiting_for, text))
        return Offered(trade.row.id)


def offer_refusals(
    league_id: int, actor: Actor, new: NewOffer, now: datetime
) -> tuple[Refusal, ...]:
    """Every reason why an offer could not be made now, for a preview; nothing changes."""
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        franchise, refused = desk.acting(actor)
        return (refused,) if refused is not None else tuple(_offer_refusals(desk, franchise, new))


def accept(
    league_id: int, trade_id: int, actor: Actor, drops: tuple[str, ...], now: datetime
) -> list[Refusal]:
    """Accept an offer, naming whom the team drops to make room.

    When everybody has accepted, the review begins, or the trade takes effect if there is none.
    """
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        trade, franchise, refused = _party(desk, trade_id, actor)
        if trade is None or refused is not None:
            return [refused or NO_TRADE]
        if franchise in trade.state.accepted:
            return []
        refused = rules.answer_refusal(trade.state, franchise, now) or _absence_refusal(desk, trade)
        if refused is not None:
            return [refused]
        event = Event("accepted", franchise, drops=drops, reason=actor.reason.strip())
        after = rules.applied(trade.state, event)
        if refusals := _acceptance_refusals(desk, trade, after, franchise):
            return refusals
        trade = desk.append(trade, event, actor.member_id)
        if not after.waiting_for and (refusals := _agree(desk, trade)):
            db.session.rollback()
            return refusals
    return []


def decline(league_id: int, trade_id: int, actor: Actor, now: datetime) -> list[Refusal]:
    """Decline an offer, which closes it."""
    return _close(league_id, trade_id, actor, "declined", now)


def withdraw(league_id: int, trade_id: int, actor: Actor, now: datetime) -> list[Refusal]:
    """Withdraw the team's own offer."""
    return _close(league_id, trade_id, actor, "withdrawn", now)


def vote(
    league_id: int, trade_id: int, actor: Actor, now: datetime, *, stops: bool
) -> list[Refusal]:
    """Vote against a trade, or for it; the last vote of a team counts. Enough votes stop it."""
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        franchise, refused = desk.acting(actor)
        trade = load_trade(league_id, trade_id)
        if refused is not None or trade is None:
            return [refused or NO_TRADE]
        if refused := rules.vote_refusal(trade.state, franchise, now):
            return [refused]
        if trade.state.votes.get(franchise) == stops:
            return []
        event = Event("voted", franchise, stops=stops, reason=actor.reason.strip())
        trade = desk.append(trade, event, actor.member_id)
        if rules.voted_down(trade.state, desk.voters(trade.terms)):
            settling.stop_by_votes(desk, trade)
    return []


def stop(
    league_id: int, trade_id: int, member_id: int, reason: str, now: datetime
) -> list[Refusal]:
    """Stop a trade under review, as the commissioner."""

    def act(desk: Desk, trade: TradeView) -> list[Refusal]:
        if refused := reason_refusals(reason, WHY):
            return refused
        if trade.state.review == "vote" and rules.votes_needed(
            trade.state, desk.voters(trade.terms)
        ):
            return [NO_STOP]
        settling.stop(desk, trade, reason.strip(), member_id)
        return []

    return _as_commissioner(league_id, trade_id, member_id, act, now)


def approve(
    league_id: int, trade_id: int, member_id: int, now: datetime, *, reason: str = ""
) -> list[Refusal]:
    """End a review at once, as the commissioner, so that the trade takes effect."""

    def act(desk: Desk, trade: TradeView) -> list[Refusal]:
        if refused := text_refusals(reason, "reason"):
            return refused
        trade = desk.append(trade, Event("approved", reason=reason.strip()), member_id)
        result = settling.take_effect(desk, trade)
        if result is None:
            return []
        db.session.rollback()
        return list(result.refusals)

    return _as_commissioner(league_id, trade_id, member_id, act, now)


def _as_commissioner(
    league_id: int,
    trade_id: int,
    member_id: int,
    act: Callable[[Desk, TradeView], list[Refusal]],
    now: datetime,
) -> list[Refusal]:
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        if not runs_league(league_id, member_id):
            return [NO_COMMISSIONER]
        trade = load_trade(league_id, trade_id)
        if trade is None or not rules.can_see(trade.state, None):
            return [NO_TRADE]
        parties = {desk.teams[number].member_id for number in trade.terms.franchises}
        refused = rules.review_refusal(trade.state, now) or ruling_refusal(
            league_id, member_id, parties
        )
        return [refused] if refused is not None else act(desk, trade)


def ruling_refusal(
    league_id: int, member_id: int, parties: Collection[int | None]
) -> Refusal | None:
    """Why somebody who runs the league does not decide on a trade of these members.

    Whoever is a party leaves it to another commissioner, if the league has one.
    """
    if member_id not in parties:
        return None
    commissioner = db.session.get_one(League, league_id).commissioner_id
    impartial = {commissioner, *co_commissioners(league_id)} - {*parties}
    can_decide = any(leader is not None and runs_league(league_id, leader) for leader in impartial)
    return rules.OWN_TRADE if can_decide else None


def _party(desk: Desk, trade_id: int, actor: Actor) -> tuple[TradeView | None, int, Refusal | None]:
    """A trade to which the actor's franchise is a party."""
    franchise, refused = desk.acting(actor)
    trade = load_trade(desk.league.id, trade_id)
    if trade is None or franchise not in trade.terms.franchises:
        return None, franchise, refused or NO_TRADE
    return trade, franchise, refused


def withdraw_for_absent(desk: Desk, trade: TradeView, franchise: int, reason: str) -> None:
    """Withdraw an offer that a team made or accepted, because its owner is gone."""
    desk.append(trade, Event("withdrawn", franchise, reason=reason), None)
    text = words.withdrawn(desk.league.name, desk.teams[franchise].name, desk.what(trade))
    others = [number for number in trade.terms.franchises if number != franchise]
    desk.notify(trade, "withdrawn", dict.fromkeys(others, text))


def _absence_refusal(desk: Desk, trade: TradeView) -> Refusal | None:
    """Why an offer cannot be accepted now: somebody who agreed to it is banned or suspended."""
    agreed = {
        entry.event.franchise: entry.by_member_id
        for entry in trade.history
        if entry.event.kind in ("offered", "accepted")
    }
    active = set(
        db.session.scalars(select(Member.id).where(Member.id.in_(agreed.values()), is_active()))
    )
    for franchise, member_id in agreed.items():
        if franchise is not None and member_id not in active:
            text = (
                f"{desk.teams[franchise].name} has no active owner. The commissioner can make an "
                "offer for the team."
            )
            return Refusal("absent", "", text)
    return None


def _store(desk: Desk, franchise: int, new: NewOffer, named: NamedAct | None) -> TradeView:
    hours = desk.settings.trades.offer_hours
    row = Trade(
        league_id=desk.league.id,
        franchise=franchise,
        franchises=list(new.terms.franchises),
        terms=msgspec.to_builtins(new.terms),
        message=new.message,
        counter_to=new.counter_to,
        token=named.key if named is not None else None,
        offered_at=desk.now,
        expires_at=desk.now + timedelta(hours=hours) if hours is not None else None,
        status="offered",
    )
    db.session.add(row)
    db.session.flush()
    return TradeView(row, [])


def _offer_refusals(desk: Desk, franchise: int, new: NewOffer) -> list[Refusal]:
    """Every reason why this offer cannot be made."""
    terms, settings = new.terms, desk.settings
    refused = terms_refusals(terms, settings.trades, desk.teams, desk.picks)
    refused += text_refusals(new.message, "message")
    if terms.gifts and franchise not in terms.franchises:
        refused.append(rules.NO_PARTY)
    if trades_picks_only(desk.draft_league) and (terms.footballers or terms.budgets or new.drops):
        refused.append(PICKS_ONLY)
    late = _late_refusal(desk, desk.now)
    if late is not None:
        refused.append(late)
    if new.counter_to is not None:
        answered = load_trade(desk.league.id, new.counter_to)
        if answered is None:
            return [NO_TRADE]
        closed = rules.answer_refusal(answered.state, franchise, desk.now)
        if closed is not None:
            refused.append(closed)
    open_offers = db.session.scalar(
        select(func.count()).where(
            Trade.league_id == desk.league.id,
            Trade.franchise == franchise,
            Trade.status == "offered",
        )
    )
    if (open_offers or 0) >= MOST_OFFERS:
        refused.append(TOO_MANY)
    refused += drop_refusals(new.drops, franchise, rosters_of(desk.league.id).places)
    refused += reserve_refusals(desk.league, franchise, new.drops)
    if refused:
        return refused
    draft = AgreedTrade(0, terms, {franchise: new.drops}, None)
    return possibility_refusals(desk.league, settings, desk.names, draft, {franchise})


def _acceptance_refusals(
    desk: Desk, trade: TradeView, after: State, franchise: int
) -> list[Refusal]:
    """Why a franchise cannot accept with these drops; of the last one, why nobody can."""
    drops = after.accepted[franchise]
    refused = [
        *pick_refusals(trade.terms, desk.picks),
        *drop_refusals(drops, franchise, rosters_of(desk.league.id).places),
        *reserve_refusals(desk.league, franchise, drops),
    ]
    if refused:
        return refused
    checked = {franchise} if after.waiting_for else set(desk.teams)
    agreed = AgreedTrade(trade.row.id, trade.terms, after.accepted, None)
    return possibility_refusals(desk.league, desk.settings, desk.names, agreed, checked)


def _late_refusal(desk: Desk, effective_at: datetime) -> Refusal | None:
    """Why a trade that takes effect then misses the trade deadline, which ends with the season."""
    if desk.draft_league.phase == FINISHED:
        return None
    return deadline_refusal(trade_deadline(desk.league, desk.settings), effective_at)


def possibility_refusals(
    league: League,
    settings: DraftLeagueSettings,
    names: dict[int, str],
    trade: AgreedTrade,
    checked: set[int],
) -> list[Refusal]:
    """Why a trade is impossible by the present rosters.

    `checked`: the franchises whose rosters must not become too large; the others may still name
    whom they drop.
    """
    rosters = rosters_of(league.id)
    act = transaction_of(trade, rosters.places)
    footballers = names_of(move.footballer_id for move in act.moves)
    refused = rosters_rules.refusals(rosters, act, NO_LIMITS, Names(footballers, names))
    if refused:
        return refused
    rooms = room_refusals(rosters, act, limits_of(settings).active, names)
    return [refusal for franchise, refusal in rooms.items() if franchise in checked]


def _agree(desk: Desk, trade: TradeView) -> list[Refusal]:
    """Begin the review of a trade that everybody accepted, or let it take effect.

    While the draft is on there is no review: the picks would be made before it ends.
    """
    settings = desk.settings.trades
    has_review = settings.review != "none" and settings.review_hours > 0 and desk.running is None
    ends_at = desk.now + timedelta(hours=settings.review_hours if has_review else 0)
    late = _late_refusal(desk, ends_at)
    if late is not None:
        return [late]
    if not has_review:
        result = settling.take_effect(desk, trade)
        return list(result.refusals) if result is not None else []
    trade = desk.append(
        trade,
        Event(
            "agreed",
            review=settings.review,
            review_ends_at=ends_at,
            votes_to_stop=settings.votes_to_stop,
        ),
        None,
    )
    needed = 0
    if settings.review == "vote":
        needed = rules.votes_needed(trade.state, desk.voters(trade.terms))
    text = words.agreed(
        desk.league.name,
        desk.named(trade.terms.franchises),
        f"{words.who_can_stop(needed)} within {counted(settings.review_hours, 'hour')}.",
        desk.what(trade),
    )
    desk.notify(trade, "agreed", dict.fromkeys(desk.teams, text))
    return []


def _close(
    league_id: int, trade_id: int, actor: Actor, kind: rules.EventKind, now: datetime
) -> list[Refusal]:
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        trade, franchise, refused = _party(desk, trade_id, actor)
        if trade is None or refused is not None:
            return [refused or NO_TRADE]
        if trade.state.status == kind:
            return []
        check = rules.decline_refusal if kind == "declined" else rules.withdraw_refusal
        if refused := check(trade.state, franchise, now):
            return [refused]
        desk.append(trade, Event(kind, franchise, reason=actor.reason.strip()), actor.member_id)
        say = words.declined if kind == "declined" else words.withdrawn
        text = say(desk.league.name, desk.teams[franchise].name, desk.what(trade))
        others = [number for number in trade.terms.franchises if number != franchise]
        desk.notify(trade, kind, dict.fromkeys(others, text))
    return []
