"""Fills the empty places of a first team with a sensible team from the market. Pure.

Lives here: who is considered, and what makes them good. Not here: the choice itself
(sheets/sensible.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from app.fantasy.market.listing import Fixture, Listed
from app.fantasy.market.statuses import AVAILABLE
from app.fantasy.sheets.sensible import Option, sensible_team
from app.fantasy.sheets.transfers import SheetContext, Wanted


def filled(
    draft: Wanted,
    context: SheetContext,
    market: Sequence[Listed],
    fixtures: Mapping[str, Fixture],
    now: datetime,
) -> Wanted | None:
    """The draft with its empty places filled by a sensible team.

    Of those who are fit and have a game to come, or where they are too few of all who can still
    come in; None where neither makes one.
    """
    coming = {
        club for club, fixture in fixtures.items() if fixture.kickoff > now and not fixture.is_off
    }
    open_ones = [
        one
        for one in market
        if not context.locks_each or one.club_id in coming or one.id in draft.picks
    ]
    fit = [
        one
        for one in open_ones
        if (one.status == AVAILABLE and one.club_id in coming) or one.id in draft.picks
    ]
    limits = context.limits
    for some in (fit, open_ones):
        # Before the first points the price alone says who is good; later points decide, and the
        # price between equals.
        options = [
            Option(one.id, one.position, one.club_id, one.price, one.points + 100 * one.price)
            for one in some
        ]
        team = sensible_team(context.format, limits.budget, limits.club_limit, options, draft.picks)
        if team is not None:
            return replace(
                draft, picks=team.picks, captain=team.captain, vice_captain=team.vice_captain
            )
    return None
