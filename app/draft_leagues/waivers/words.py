"""The notice of a run. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.bidi import isolated
from app.draft_leagues.waivers.rules import Outcome
from app.fantasy.notices.words import Words

MOST_LINES = 4


def processed(league: str, outcomes: Sequence[tuple[str, Outcome]]) -> Words:
    """What a run decided about a member's claims; each with the footballer's name."""
    won = [name for name, outcome in outcomes if outcome.result == "won"]
    won_words = f"you got {', '.join(won)}" if won else "no claims won"
    lines = [f"{name}: {outcome.reason}" for name, outcome in outcomes[:MOST_LINES]]
    if len(outcomes) > MOST_LINES:
        lines.append(f"And {len(outcomes) - MOST_LINES} more.")
    return Words(f"Waivers, {isolated(league)}: {won_words}", " ".join(lines))
