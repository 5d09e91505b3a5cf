"""Who may open a commissioner's pages. A member of the league is told why not; others get a 404."""

from __future__ import annotations

from typing import NoReturn

from flask import abort, url_for

from app.core.bidi import isolated, with_period
from app.core.http.responses import WayOn, error_response
from app.core.viewer import current_user
from app.fantasy.leagues import queries
from app.fantasy.leagues import services as leagues
from app.fantasy.standings.models import League


def load_for_commissioner(slug: str) -> League:
    """The league, for its commissioner alone."""
    league = leagues.for_commissioner(slug, current_user.id)
    if league is None:
        refuse(leagues.for_member(slug, current_user.id))
    return league


def refuse(league: League | None, title: str = "Only the commissioner can do this") -> NoReturn:
    """Answer somebody who does not run the league; None: they are not in it either.

    Members may know that the page exists, and may have run the league when they opened it.
    """
    if league is None or league.is_overall:
        abort(404)
    name = queries.about(league).commissioner
    abort(
        error_response(
            403,
            title=title,
            remedy=with_period(
                f"Ask {isolated(name)}, who runs {isolated(league.name)}"
                if name
                else f"Ask the commissioner of {isolated(league.name)}"
            ),
            way_on=WayOn(url_for("fantasy.league", slug=league.slug), "Back to the league"),
        )
    )
