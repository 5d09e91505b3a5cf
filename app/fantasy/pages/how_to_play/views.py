"""How to play, by the rules of a league of the member, or for others of the overall league."""

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
    """Explain the game by the newest season that can still be played.

    Members find links to the pages of their leagues.
    """
    return _page(league_queries.open_to_all(now()), of_league=False)


@blueprint.get("/leagues/<slug>/how-to-play")
@audience(MEMBER)
def of_league(slug: str) -> ResponseReturnValue:
    """Explain the game by the rules of a league."""
    return _page(leagues.for_member(slug, current_user.id) or abort(404), of_league=True)


def _page(league: League | None, *, of_league: bool) -> ResponseReturnValue:
    """The page. `of_league`: whether it stands under the league's name and tabs."""
    leagues_of_viewer, next_team = [], None
    if current_user.is_authenticated:
        leagues_of_viewer = leagues_of(current_user.id)
    if league is None:
        return respond(
            "leagues/how_to_play.html",
            league=None,
            about=None,
            of_league=False,
            mine=leagues_of_viewer,
        )
    about, scoring = league_queries.about(league), rules_named(league.rules)
    if current_user.is_authenticated:
        next_team = my_team(current_user.id, league.team_rules_id, now())
    return respond(
        "leagues/how_to_play.html",
        league=league,
        about=about,
        of_league=of_league,
        mine=leagues_of_viewer,
        team=next_team,
        words=words,
        scoring=scoring,
        chapters=how_to_play.chapters(about.choice, league.mode, league.ties),
        examples=how_to_play.examples(about.choice.format, scoring),
        tab="rules",
    )
