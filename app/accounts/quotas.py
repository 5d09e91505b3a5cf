"""How much one member, integrator or game may have, so that there is room for the others. Pure.

Services count under the integrator's lock before they create something, and ask here.
"""

from __future__ import annotations

from app.core.refusals import Refusal

MOST_INTEGRATORS = 5  # per member
MOST_KEYS = 20  # valid ones, per integrator
MOST_GAMES = 20  # per integrator
MOST_MODES = 50  # per game
MOST_SHARDS = 1024  # of all modes of an integrator together
FULL = "quota"  # code of the refusal


def refusal(field: str, count: int, most: int, what: str, *, more: int = 1) -> list[Refusal]:
    """Return an empty list if `more` fit besides the present `count`, otherwise the refusal.

    >>> refusal("slug", 20, 20, "games")[0].text
    'There are already 20 games, and the limit is 20. Ask an operator to remove one.'
    """
    if count + more <= most:
        return []
    text = (
        f"There are already {count} {what}, and the limit is {most}. Ask an operator to remove one."
    )
    return [Refusal(FULL, field, text)]
