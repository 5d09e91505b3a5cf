"""How to play, by the rules of a league.

Members read the rules of their league, everybody else those of the league that all are in.
"""

from __future__ import annotations

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import how_to_play, words
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.sheets.my_teams import my_team
from app.fantasy.standings.models import League
from app.fantasy.standings.queries import leagues_of

blueprint = Blueprint("how_to_play", __name__)


@blueprint.get("/how-to-play")
@audience(PUBLIC)
def everybody() -> ResponseReturnValue:
    """By the newest season that can still be played.

    Members find the pages of their leagues here.
    """
    return _page(league_queries.open_to_all(now()), of_league=False)


@blueprint.get("/leagues/<slug>/how-to-play")
@audience(MEMBER)
def of_league(slug: str) -> ResponseReturnValue:
    """Explain the game by the rules of a league."""
    return _page(leagues.for_member(slug, current_user.id) or abort(404), of_league=True)


def _page(league: League | None, *, of_league: bool) -> ResponseReturnValue:
    """`of_league`: under the league's name and tabs."""
    mine = leagues_of(current_user.id) if current_user.is_authenticated else []
    if league is None:
        return respond(
            "leagues/how_to_play.html", league=None, about=None, of_league=False, mine=mine
        )
    about, scoring = league_queries.about(league), rules_named(league.rules)
    next_team = (
        my_team(current_user.id, league.team_rules_id, now())
        if current_user.is_authenticated
        else None
    )
    return respond(
        "leagues/how_to_play.html",
        league=league,
        about=about,
        of_league=of_league,
        mine=mine,
        team=next_team,
        words=words,
        scoring=scoring,
        chapters=how_to_play.chapters(about.choice, league.mode, league.ties),
        examples=how_to_play.examples(about.choice.format, scoring),
        tab="rules",
    )
