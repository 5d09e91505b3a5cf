"""Notices about play-offs. Pure."""

from __future__ import annotations

from app.core.bidi import isolated
from app.fantasy.notices.words import Words


def playoff_game(league: str, gameweek: str, opponent: str, *, is_change: bool) -> Words:
    """A member plays in the play-offs, or after a correction against somebody else.

    >>> playoff_game("The Row", "Week 15", "Bob FC", is_change=False).title
    'Play-offs of The Row: you meet Bob FC'
    """
    why = (
        "A correction of the record changed the bracket."
        if is_change
        else "Your line-up counts as always: set it before the first kickoff."
    )
    return Words(
        f"Play-offs of {isolated(league)}: you meet {isolated(opponent)}", f"{gameweek}. {why}"
    )


def playoff_game_gone(league: str, gameweek: str) -> Words:
    """A member has no game in a gameweek of the play-offs any more, after a correction."""
    return Words(
        f"Play-offs of {isolated(league)}: no game in {gameweek}",
        "A correction of the record changed the bracket.",
    )


def champion(league: str, team: str, before: str | None = None) -> Words:
    """The league has a champion.

    >>> champion("The Row", "Bob FC", before="Ann FC").body
    'A correction changed the result: Ann FC had won before.'

    Args:
        league: The league's name.
        team: The champion's.
        before: Who had won until a correction; None for the first result.
    """
    why = (
        f"A correction changed the result: {isolated(before)} had won before."
        if before is not None
        else "The play-offs are decided."
    )
    return Words(f"{isolated(team)} won {isolated(league)}", why)
