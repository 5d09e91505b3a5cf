"""The notices of trades, and their events and states in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from app.core.bidi import isolated, with_period
from app.draft_leagues.trades.rules import Event, EventKind, Status
from app.draft_leagues.trades.terms import Terms
from app.fantasy.notices.words import Words
from app.fantasy.rosters.rules import Names

MOST_NAMED = 5  # things that a team gets; of more their number

STATUSES: Mapping[Status, str] = {
    "offered": "Offered",
    "declined": "Declined",
    "withdrawn": "Withdrawn",
    "countered": "Countered",
    "expired": "Expired",
    "in_review": "Under review",
    "stopped": "Stopped",
    "executed": "Completed",
    "failed": "Failed",
    "impossible": "No longer possible",
}
_BY_TEAM: Mapping[EventKind, str] = {
    "offered": "made the offer",
    "accepted": "accepted",
    "declined": "declined",
    "withdrawn": "withdrew the offer",
    "countered": "countered",
}
_BY_RULES: Mapping[EventKind, str] = {
    "expired": "The offer expired.",
    "agreed": "All teams accepted. The review began.",
    "approved": "The commissioner approved the trade.",
    "stopped": "The trade was stopped.",
    "delayed": "The trade waits for games in progress.",
    "executed": "The trade went through.",
    "failed": "The trade failed.",
    "impossible": "The offer was closed because it is no longer possible.",
}


_BY_COMMISSIONER: Mapping[EventKind, str] = {
    "approved": "approved the trade as commissioner.",
    "stopped": "stopped the trade as commissioner.",
}


def happened(event: Event, names: Names, commissioner: str = "") -> str:
    """An event as a sentence. `commissioner`: who decided, if somebody did.

    >>> happened(Event("accepted", 2, drops=("kupp",)), Names({"kupp": "Kupp"}, {2: "Bob FC"}))
    'Bob FC accepted and drops Kupp.'
    >>> happened(Event("approved"), Names({}, {}), "Ann")
    'Ann approved the trade as commissioner.'
    """
    if event.franchise is None and commissioner and event.kind in _BY_COMMISSIONER:
        return f"{isolated(commissioner)} {_BY_COMMISSIONER[event.kind]}"
    if event.franchise is None:
        return _BY_RULES[event.kind]
    team = isolated(names.franchise(event.franchise))
    if event.kind == "voted":
        return f"{team} voted {'against' if event.stops else 'for'} the trade."
    dropped = listed([names.footballer(each) for each in event.drops]) if event.drops else ""
    return f"{team} {_BY_TEAM[event.kind]}{f' and drops {dropped}' if dropped else ''}."


def time_left(left: timedelta) -> str:
    """A time that is left, in its two largest units; '' if nothing is left.

    >>> time_left(timedelta(hours=27, minutes=5)), time_left(timedelta(seconds=9))
    ('1 day 3 hours', 'less than a minute')
    """
    if left <= timedelta():
        return ""
    minutes = int(left.total_seconds() // 60)
    units = (("day", minutes // 1440), ("hour", minutes // 60 % 24), ("minute", minutes % 60))
    parts = [f"{count} {unit}{'s' if count > 1 else ''}" for unit, count in units if count]
    return " ".join(parts[:2]) or "less than a minute"


def gets(terms: Terms, names: Names) -> list[str]:
    """What each team of a trade gets, a sentence per team.

    >>> from app.draft_leagues.trades.terms import BudgetGift, FootballerGift
    >>> terms = Terms((FootballerGift("kupp", 1, 2),), budgets=(BudgetGift(5, 2, 1),))
    >>> gets(terms, Names({"kupp": "Kupp"}, {1: "Ann", 2: "Bob"}))
    ['Ann gets 5 in waiver budget.', 'Bob gets Kupp.']
    """
    return [
        with_period(f"{isolated(names.franchise(franchise))} gets {_enumerated(received)}")
        for franchise in terms.franchises
        if (received := _received(terms, franchise, names))
    ]


def _received(terms: Terms, franchise: int, names: Names) -> list[str]:
    received = [
        isolated(names.footballer(gift.footballer_id))
        for gift in terms.footballers
        if gift.to_franchise == franchise
    ]
    for pick in terms.picks:
        if pick.to_franchise == franchise:
            original = isolated(names.franchise(pick.original_franchise))
            received.append(f"{original}'s {pick.season} round {pick.round} pick")
    amounts = [gift.amount for gift in terms.budgets if gift.to_franchise == franchise]
    return [*received, *(f"{amount} in waiver budget" for amount in amounts)]


def _enumerated(things: Sequence[str]) -> str:
    if len(things) > MOST_NAMED:
        more = len(things) - MOST_NAMED + 1
        things = [*things[: MOST_NAMED - 1], f"{more} more"]
    *first, last = things
    return f"{', '.join(first)} and {last}" if first else last


def offered(league: str, team: str, what: str, *, is_counter: bool) -> Words:
    """Somebody made an offer to the reader. `what`: what each team gets.

    >>> offered("The Row", "Bob FC", "Ann FC gets Kupp.", is_counter=False).title
    'The Row: Bob FC offered you a trade'
    """
    does = "countered your offer" if is_counter else "offered you a trade"
    title = f"{isolated(league)}: {isolated(team)} {does}"
    return Words(title, f"{what} Accept, decline or counter it.")


def declined(league: str, team: str, what: str) -> Words:
    """Somebody declined an offer."""
    title = f"{isolated(league)}: {isolated(team)} declined a trade"
    return Words(title, f"The offer is closed. {what}")


def withdrawn(league: str, team: str, what: str) -> Words:
    """An offer to the reader was withdrawn."""
    title = f"{isolated(league)}: {isolated(team)} withdrew an offer"
    return Words(title, f"No reply needed. {what}")


def who_can_stop(votes: int) -> str:
    """Who can stop a trade: this many votes; 0 for the commissioner.

    >>> who_can_stop(3), who_can_stop(1), who_can_stop(0)
    ('3 votes stop it', '1 vote stops it', 'the commissioner can stop it')
    """
    if not votes:
        return "the commissioner can stop it"
    return "1 vote stops it" if votes == 1 else f"{votes} votes stop it"


def agreed(league: str, teams: str, review: str, what: str) -> Words:
    """All parties accepted a trade. `review`: who may stop it, and until when."""
    title = f"{isolated(league)}: {teams} agreed on a trade"
    return Words(title, f"{review[0].upper()}{review[1:]} {what}")


def executed(league: str, teams: str, what: str, *, is_own: bool) -> Words:
    """A trade took effect. `is_own`: the reader's team is part of it."""
    advice = "Check your lineup. " if is_own else ""
    return Words(f"{isolated(league)}: {teams} completed a trade", f"{advice}{what}")


def stopped(league: str, teams: str, reason: str, what: str) -> Words:
    """A trade was stopped."""
    title = f"{isolated(league)}: trade between {teams} stopped"
    return Words(title, f"{reason} {what}")


def failed(league: str, teams: str, reason: str, what: str) -> Words:
    """A trade could not take effect."""
    return Words(f"{isolated(league)}: trade between {teams} failed", f"{reason} {what}")


def impossible(league: str, teams: str, reason: str, what: str) -> Words:
    """An offer is closed, because something that it moves has moved."""
    title = f"{isolated(league)}: offer between {teams} no longer possible"
    return Words(title, f"{reason} {what}")


def listed(names: list[str]) -> str:
    """Names of teams in a sentence.

    >>> listed(["Ann FC", "Bob FC", "Cat FC"])
    'Ann FC, Bob FC and Cat FC'
    """
    *first, last = [isolated(name) for name in names]
    return f"{', '.join(first)} and {last}" if first else last
