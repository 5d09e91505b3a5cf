"""A footballer's page and the comparison of up to four, for everybody.

With `league` a member of it sees points by its rules.
"""

from __future__ import annotations

from collections.abc import Collection

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core.http.access import PUBLIC, audience
from app.core.http.htmx import request
from app.core.http.responses import respond
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import PageContent, cached_page
from app.core.viewer import current_user
from app.fantasy.leagues.words import presets_for
from app.fantasy.market import listing
from app.fantasy.market.listing import Filter
from app.fantasy.market.player_notes import notes_about
from app.fantasy.pages.footballers import page, trend_chart
from app.fantasy.scoring import footballers
from app.fantasy.scoring.earlier_seasons import earlier_seasons
from app.fantasy.scoring.footballers import Footballer
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import STANDARD, ScoringRules
from app.fantasy.standings.queries import LeagueRow, league_for_viewer

MOST_COMPARED = 4

blueprint = Blueprint("footballers", __name__, url_prefix="/footballers")


@blueprint.get("/<footballer_id>")
@audience(PUBLIC)
def show(footballer_id: str) -> ResponseReturnValue:
    """Show a footballer, with points by the rules of a `league` of the viewer or by a preset.

    `rules` names the preset. While the footballer plays, the page polls itself.
    """
    league = _league()
    who = _footballer(footballer_id, league) or abort(404)
    rules = _rules(who, league) or abort(404)
    if league is not None:
        access_depends_on(f"league:{league.id}", f"memberships:{current_user.id}")
    return cached_page(
        "footballers/show.html",
        "footballer",
        f"{rules.name}:{league.slug if league else ''}",
        lambda: _read(who, rules, league),
    )


def _read(who: Footballer, rules: ScoringRules, league: LeagueRow | None) -> PageContent:
    version = f"{rules.name}-{footballers.version(who)}"
    footballer = _load_page(who, rules)

    context = {
        "page": footballer,
        "league": league,
        "alike": footballers.alike(who),
        "chart": trend_chart,
        "notes": notes_about(who.market.season_id, who.id) if who.market else [],
    }

    # Prices, news and imported weeks raise no tags: a whole page is read each time, and so is the
    # part that polls unless the footballer plays.
    is_polled = request.htmx and footballer.is_live
    tags = ("games", "gameweeks", "footballers", "clubs") if is_polled else ()
    return PageContent(context, tags, version, is_final=not footballer.is_live)


@blueprint.get("/<footballer_id>/compare")
@audience(PUBLIC)
def compare(footballer_id: str) -> ResponseReturnValue:
    """Compare a footballer with others, whose ids are in `with`, up to MOST_COMPARED in all.

    Without others, or with `q` (part of a name), the page offers footballers to choose from.
    """
    league = _league()
    who = _footballer(footballer_id, league) or abort(404)
    rules = _rules(who, league) or abort(404)
    other_ids = dict.fromkeys(other for other in request.args.getlist("with") if other != who.id)
    others = [
        _footballer(other, league) or abort(404)
        for other in [other for other in other_ids if other][: MOST_COMPARED - 1]
    ]
    pages = [_load_page(each, rules) for each in (who, *others)]
    search = request.args.get("q", "").strip()[:60]
    is_full = len(pages) == MOST_COMPARED
    return respond(
        "footballers/compare.html",
        pages=pages,
        rows=page.compared(pages) if others else [],
        league=league,
        search=search,
        suggestions=[] if is_full else _candidates(who, search, set(other_ids)),
        is_full=is_full,
        rules=rules,
    )


def _league() -> LeagueRow | None:
    """The league of the address if the viewer belongs to it; else the page is as for everybody."""
    slug = request.args.get("league", "")
    if not slug or not current_user.is_authenticated:
        return None
    return league_for_viewer(slug, current_user.id)


def _footballer(footballer_id: str, league: LeagueRow | None) -> Footballer | None:
    """The footballer in the league's season if they are on its market; else in the newest."""
    footballer = footballers.footballer(footballer_id, league.season_id) if league else None
    return footballer if footballer and footballer.market else footballers.footballer(footballer_id)


def _rules(who: Footballer, league: LeagueRow | None) -> ScoringRules | None:
    """The scoring of the league, else the requested one, else the season's.

    None for rules that the footballer's sport does not have.
    """
    usual = rules_named(who.market.rules if who.market else STANDARD.name)
    if league:
        return rules_named(league.rules)
    name = request.args.get("rules", "")
    if not name:
        return usual
    try:
        rules = rules_named(name)
    except KeyError:
        return None
    return rules if rules.sport == usual.sport else None


def _load_page(who: Footballer, rules: ScoringRules) -> page.FootballerPage:
    presets = presets_for(rules.sport)
    season = page.PlayedSeason(
        footballers.games(who, rules.name),
        footballers.weeks(who),
        footballers.totals(who, [rules.name, *(preset.name for preset in presets)]),
        earlier_seasons(who, rules),
    )
    return page.footballer_page(who, rules, season, presets)


def _candidates(
    who: Footballer, search: str, compared: Collection[str]
) -> list[tuple[str, str, str | None, int]]:
    """Footballers to compare with: those on the market with this name, else the most similar."""
    if not search or who.market is None:
        return [other for other in footballers.alike(who) if other[0] not in compared]
    others = Filter(search=search, without=(who.id, *compared))
    rows, _ = listing.footballers(who.market.season_id, who.market.rules, others)
    return [(row.id, row.name, row.club_id, row.price) for row in rows]
