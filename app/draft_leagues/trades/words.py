"""The notices of trades. Pure."""

from __future__ import annotations

from app.core.bidi import isolated
from app.fantasy.notices.words import Words


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
