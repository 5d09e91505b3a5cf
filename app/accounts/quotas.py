"""How much one member, integrator or game may have, so that there is room for the others.

Pure numbers and their sentence; whoever creates something counts it under the integrator's lock and
asks here.
"""

from __future__ import annotations

from app.core.refusals import Refusal

MOST_INTEGRATORS = 5  # of a member
MOST_KEYS = 20  # valid ones, of an integrator
MOST_GAMES = 20  # of an integrator
MOST_MODES = 50  # of a game
MOST_SHARDS = 1024  # of all modes of an integrator together
FULL = "quota"  # code of a refusal


def refusal(field: str, held: int, most: int, what: str, *, more: int = 1) -> list[Refusal]:
    """Empty where `more` fit besides what is held.

    >>> refusal("slug", 20, 20, "games")[0].text
    'There are 20 games of at most 20: ask an operator to remove one, or use those.'
    """
    if held + more <= most:
        return []
    text = (
        f"There are {held} {what} of at most {most}: ask an operator to remove one, or use those."
    )
    return [Refusal(FULL, field, text)]
