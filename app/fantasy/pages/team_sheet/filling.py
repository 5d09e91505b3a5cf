"""Fills the empty places of a first team with a sensible team from the market. Pure.

It decides who is considered and how good they are; sheets/sensible.py makes the choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from app.fantasy.market.listing import Fixture, Listed
from app.fantasy.market.statuses import AVAILABLE
from app.fantasy.sheets.sensible import Option, sensible_team
from app.fantasy.sheets.transfers import Draft, SheetContext

POINTS_PER_TENTH = 100  # of the price, in thousandths
PROJECTED_GAMES = 17  # how many games of the projection count beside the points so far


def filled(
    draft: Draft,
    context: SheetContext,
    market: Sequence[Listed],
    fixtures: Mapping[str, Fixture],
    now: datetime,
) -> Draft | None:
    """The draft with its empty places filled by a sensible team.

    The team is made of footballers who are fit and have a game to come. If there are too few, it is
    made of all who can still be picked.

    Returns:
        None if neither makes a team.
    """
    clubs = {
        club for club, fixture in fixtures.items() if fixture.kickoff > now and not fixture.is_off
    }
    open_to_pick = [
        footballer
        for footballer in market
        if not context.locks_each or footballer.club_id in clubs or footballer.id in draft.picks
    ]
    fit = [
        footballer
        for footballer in open_to_pick
        if (footballer.status == AVAILABLE and footballer.club_id in clubs)
        or footballer.id in draft.picks
    ]
    limits = context.limits
    for footballers in (fit, open_to_pick):
        options = [_option(footballer) for footballer in footballers]
        team = sensible_team(context.format, limits.budget, limits.club_limit, options, draft.picks)
        if team is not None:
            return replace(
                draft, picks=team.picks, captain=team.captain, vice_captain=team.vice_captain
            )
    return None


def _option(footballer: Listed) -> Option:
    """A footballer as a candidate for the team.

    Before the first points the projection says who is good, or without one the price alone. Later
    points decide, and the price only between equals.
    """
    value = (
        footballer.points
        + PROJECTED_GAMES * footballer.expected
        + POINTS_PER_TENTH * footballer.price
    )
    return Option(footballer.id, footballer.position, footballer.club_id, footballer.price, value)
