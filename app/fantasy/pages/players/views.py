"""The list of a season's players, for everybody; members see points by their own league's rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from app.core import clock
from app.core.http.access import PUBLIC, audience
from app.core.page_cache.pages import PageContent, ViewersOwn, cached_page, cached_viewer
from app.core.viewer import current_user
from app.fantasy.leagues import services as leagues
from app.fantasy.pages.footballers import trend_chart
from app.fantasy.pages.footballers.views import MOST_COMPARED
from app.fantasy.pages.league.league_bar import BAR, LONGEST_SLUG, league_bar
from app.fantasy.pages.players.forms import LEAGUE, STATUS_CHOICES, PlayerQuery, read_query
from app.fantasy.pages.players.queries import Scope, Viewer, load_players, load_scope

blueprint = Blueprint("players", __name__, url_prefix="/players")


@blueprint.get("")
@audience(PUBLIC)
@cached_viewer()
def index() -> ResponseReturnValue:
    """List the players of a season.

    The address holds search, filters and order, so that a list can be kept and shared.
    """
    query = read_query(request.args)
    viewer = Viewer(current_user.id, clock.now()) if current_user.is_authenticated else None
    scope = load_scope(query, viewer)
    if scope is None:
        return cached_page(
            "players/none.html",
            None,
            "",
            lambda: PageContent({}, ()),
            ViewersOwn(fillings={BAR: lambda: _league_bar(query, viewer)}),
        )
    if query.scoring != scope.scoring:  # what the viewer may not see is in no link either
        query = replace(query, scoring="")
    if viewer is None and query.only:
        return redirect(url_for("accounts.sign_in", next=request.full_path), 303)
    return _list(query, scope, viewer)


def _list(query: PlayerQuery, scope: Scope, viewer: Viewer | None) -> Response:
    tags = [f"market:{scope.season.id}", "games", "clubs", "footballers"]
    if scope.league:
        tags.append("leagues")
    if query.only:
        tags.append("sheets")

    def read() -> PageContent:
        return PageContent(
            {
                "query": query,
                "list": load_players(query, scope, viewer, clock.now()),
                "scope": scope,
                "statuses": STATUS_CHOICES,
                "chart": trend_chart,
                "most": MOST_COMPARED,
            },
            tags,
        )

    whose = viewer.member_id if viewer and query.only else ""
    return cached_page(
        "players/index.html",
        "players",
        f"{scope.key}:{whose}:{query.address(page=query.page)}",
        read,
        ViewersOwn(
            fillings={
                "scorings": lambda: _scoring_choices(scope),
                BAR: lambda: _league_bar(query, viewer),
            }
        ),
    )


def _league_bar(query: PlayerQuery, viewer: Viewer | None) -> str:
    """The bar of the league of the viewer's whose scoring the address names."""
    if viewer is None or not query.scoring.startswith(LEAGUE):
        return ""
    slug = query.scoring.removeprefix(LEAGUE)[:LONGEST_SLUG]
    bar = league_bar("players", "players", slug, lambda: leagues.for_member(slug, viewer.member_id))
    return str(bar)


def _scoring_choices(scope: Scope) -> str:
    """The choices of whose scoring counts: the viewer's leagues, then the presets."""
    leagues = [
        (f"{LEAGUE}{league.slug}", league.name)
        for league in scope.leagues
        if league.season_id == scope.season.id
    ]
    presets = [(rules.name, rules.title) for rules in scope.presets]
    return Markup("").join(
        Markup('<option value="{}"{}>{}</option>').format(
            value, Markup(" selected") if value == scope.scoring else "", words
        )
        for value, words in (*leagues, *presets)
    )


@blueprint.get("/compare")
@audience(PUBLIC)
def compare() -> ResponseReturnValue:
    """Redirect to the comparison of the players ticked in the list, in their order there."""
    ids = list(dict.fromkeys(request.args.getlist("player")))[:MOST_COMPARED]
    if not ids:
        return redirect(url_for("players.index"), 303)
    values: dict[str, Any] = {
        "with": ids[1:],
        "league": request.args.get("league") or None,
        "rules": request.args.get("rules") or None,
    }
    return redirect(url_for("footballers.compare", footballer_id=ids[0], **values), 303)
