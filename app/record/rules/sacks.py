"""What a sack counts as: yards lost by passing (NFL), or a rush of the passer (NCAA and high
school). Pure.

The record keeps the sack itself (`sacks_suffered`, `sack_yards_lost`); box scores and exports
charge it by the rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.record.rules.football.rulebook import Rulebook


def charged(stats: Mapping[str, int], book: Rulebook) -> dict[str, int]:
    """The figures of a player or a club as the competition's statistics have them.

    NCAA Football Statisticians' Manual, rushing plays: whoever is sacked is charged with a rush and
    the yards lost.

    Worked example: one run of 3 yards and a sack of 8 are 2 carries for -5 yards in college
    football.
    """
    sacks = stats.get("sacks_suffered", 0)
    if not book.sacks_rush or not sacks:
        return dict(stats)
    return {
        **stats,
        "carries": stats.get("carries", 0) + sacks,
        "rushing_yards": stats.get("rushing_yards", 0) - stats.get("sack_yards_lost", 0),
    }
