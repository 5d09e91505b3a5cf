"""Every module that declares operations. A new one is named here, nowhere else."""

from __future__ import annotations

from app.api import (  # noqa: F401  (they declare)
    feed,
    friends,
    games,
    history,
    leaderboards,
    monthly,
    players,
    scores,
    tournaments,
)
from app.api.fantasy import footballers, gamers, team_sheets  # noqa: F401  (as above)
from app.api.operations import OPERATIONS

__all__ = ["OPERATIONS"]
