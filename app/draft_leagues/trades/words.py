"""The notices of trades, and their events and states in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from app.core.bidi import isolated
from app.draft_leagues.trades.rules import Event, EventKind, Status
from app.fantasy.notices.words import Words
from app.fantasy.rosters.rules import Names

STATUSES: Mapping[Status, str] = {
    "offered": "Offered",
    "declined": "Declined",
    "withdrawn": "Withdrawn",
    "countered": "Answered with another offer",
    "expired": "Expired",
    "in_review": "Under review",
    "stopped": "Stopped",
    "executed": "Took effect",
    "failed": "Failed",
    "impossible": "No longer possible",
}
_BY_TEAM: Mapping[EventKind, str] = {
    "offered": "made the offer",
    "accepted": "accepted",
    "declined": "declined",
    "withdrawn": "withdrew the offer",
    "countered": "answered with another offer",
}
_BY_RULES: Mapping[EventKind, str] = {
    "expired": "The offer expired.",
    "agreed": "Everybody had accepted, and the review began.",
    "approved": "The commissioner approved it.",
    "stopped": "It was stopped.",
    "delayed": "It waits for games that are on.",
    "executed": "It took effect.",
    "failed": "It could not take effect.",
    "impossible": "The offer was closed, because it is no longer possible.",
}


def happened(event: Event, names: Names) -> str:
    """An event as a sentence.

    >>> happened(Event("accepted", 2, drops=("kupp",)), Names({"kupp": "Kupp"}, {2: "Bob FC"}))
    'Bob FC accepted, and drops Kupp.'
    """
    if event.franchise is None:
        return _BY_RULES[event.kind]
    team = isolated(names.franchise(event.franchise))
    if event.kind == "voted":
        return f"{team} voted {'against' if event.stops else 'for'} it."
    dropped = listed([names.footballer(each) for each in event.drops]) if event.drops else ""
    return f"{team} {_BY_TEAM[event.kind]}{f', and drops {dropped}' if dropped else ''}."


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


def offered(league: str, team: str, *, is_counter: bool) -> Words:
    """Somebody made an offer to the reader.

    >>> offered("The Row", "Bob FC", is_counter=False).title
    'Bob FC offers you a trade'
    """
    what = "answers with another offer" if is_counter else "offers you a trade"
    return Words(f"{isolated(team)} {what}", f"{isolated(league)}: accept, decline or counter it.")


def declined(league: str, team: str) -> Words:
    """Somebody declined an offer."""
    return Words(f"{isolated(team)} declined a trade", f"{isolated(league)}: the offer is closed.")


def withdrawn(league: str, team: str) -> Words:
    """An offer to the reader was withdrawn."""
    return Words(
        f"{isolated(team)} withdrew an offer", f"{isolated(league)}: there is nothing to answer."
    )


def agreed(league: str, teams: str, review: str) -> Words:
    """All parties accepted a trade. `review`: who may stop it, and until when."""
    return Words(f"{teams} agreed on a trade", f"{isolated(league)}: {review}")


def executed(league: str, teams: str) -> Words:
    """A trade took effect."""
    return Words(
        f"The trade of {teams} took effect", f"{isolated(league)}: look at your line-up again."
    )


def stopped(league: str, teams: str, reason: str) -> Words:
    """A trade was stopped."""
    return Words(f"The trade of {teams} was stopped", f"{isolated(league)}: {reason}")


def failed(league: str, teams: str, reason: str) -> Words:
    """A trade could not take effect."""
    return Words(f"The trade of {teams} failed", f"{isolated(league)}: {reason}")


def impossible(league: str, teams: str, reason: str) -> Words:
    """An offer is closed, because something that it moves has moved."""
    return Words(
        f"The offer between {teams} is no longer possible", f"{isolated(league)}: {reason}"
    )


def listed(names: list[str]) -> str:
    """Names of teams in a sentence.

    >>> listed(["Ann FC", "Bob FC", "Cat FC"])
    'Ann FC, Bob FC and Cat FC'
    """
    *first, last = [isolated(name) for name in names]
    return f"{', '.join(first)} and {last}" if first else last
