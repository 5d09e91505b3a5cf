"""What a commissioner did, in the words of the log and of notices. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.bidi import isolated

TAKEN_FROM_YOU = "the commissioner removed you as owner"
YOU_RUN_IT_TOO = "you are a co-commissioner"
YOU_NO_LONGER_RUN_IT = "you are no longer a co-commissioner"
MOVED = "the commissioner changed your roster"
TAKEN_BACK = "one of your transactions was reversed"


def locked(team: str) -> str:
    """A team was locked."""
    return (
        f"{isolated(team)} was locked. It can't make moves, trades or claims until it is unlocked."
    )


def unlocked(team: str) -> str:
    """A team was unlocked."""
    return f"{isolated(team)} was unlocked."


def your_team_is(*, is_locked: bool) -> str:
    """The same for its owner."""
    return f"the commissioner {'locked' if is_locked else 'unlocked'} your team"


def taken(team: str, owner: str) -> str:
    """A team was taken from its owner."""
    return (
        f"{isolated(owner)} was removed as owner of {isolated(team)}. The next member who joins "
        "with the invite link takes it over."
    )


def has_no_owner(team: str) -> str:
    """A team was taken from its owner, for the other members."""
    return f"{isolated(team)} needs a new owner"


def new_commissioner(name: str) -> str:
    """Another member runs the league."""
    return f"{isolated(name)} is now the commissioner"


def co_commissioners(named: Sequence[str], dismissed: Sequence[str]) -> str:
    """Other members run the league too.

    >>> co_commissioners(["Ann", "Bob"], ["Cat"])
    'New co-commissioners: Ann, Bob. No longer co-commissioners: Cat.'
    """
    sentences = (("New co-commissioners", named), ("No longer co-commissioners", dismissed))
    return " ".join(
        f"{what}: {', '.join(map(isolated, people))}." for what, people in sentences if people
    )
