"""A footballer's page and the comparison of two, for everybody.

With `league` a member sees points by its rules.
"""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from app.core.http.access import PUBLIC, audience
from app.core.http.responses import is_shown, respond
from app.core.viewer import current_user
from app.fantasy.leagues.words import presets_for
from app.fantasy.market import listing
from app.fantasy.market.listing import Filter
from app.fantasy.pages.footballers import page, trend_chart
from app.fantasy.scoring import footballers
from app.fantasy.scoring.footballers import Footballer
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import STANDARD, ScoringRules
from app.fantasy.standings.queries import LeagueRow, league_for_viewer

blueprint = Blueprint("footballers", __name__, url_prefix="/footballers")


@blueprint.get("/<footballer_id>")
@audience(PUBLIC)
def show(footballer_id: str) -> ResponseReturnValue:
    """`league`: points by its rules, for its members; `rules`: by a preset.

    While they play it polls itself.
    """
    league = _league()
    who = _found(footballer_id, league) or abort(404)
    rules = _rules(who, league) or abort(404)
    # The version is read before what it stands for: what is shown may be newer than its tag, never
    # older.
    version = f"{rules.name}-{footballers.version(who)}"
    if is_shown(version):
        return respond("footballers/show.html", "footballer", version=version)
    shown = _page(who, rules)
    return respond(
        "footballers/show.html",
        "footballer",
        version=version,
        stop_polling=not shown.is_live,
        page=shown,
        league=league,
        alike=footballers.alike(who),
        chart=trend_chart,
    )


@blueprint.get("/<footballer_id>/compare")
@audience(PUBLIC)
def compare(footballer_id: str) -> ResponseReturnValue:
    """`with`: the other's id.

    Without one, or with `q` (part of a name), the page offers whom to choose.
    """
    league = _league()
    who = _found(footballer_id, league) or abort(404)
    rules = _rules(who, league) or abort(404)
    search, asked = request.args.get("q", "").strip()[:60], request.args.get("with", "")
    other = _found(asked, league) if asked and asked != who.id else None
    if asked and asked != who.id and other is None:
        abort(404)
    pages = [_page(one, rules) for one in (who, other) if one is not None]
    return respond(
        "footballers/compare.html",
        pages=pages,
        rows=page.compared(*pages) if len(pages) == 2 else [],
        league=league,
        search=search,
        suggestions=_named(who, search),
        rules=rules,
    )


def _league() -> LeagueRow | None:
    """The league of the address, as far as the viewer is in it.

    Otherwise the page is as for everybody.
    """
    slug = request.args.get("league", "")
    return (
        league_for_viewer(slug, current_user.id) if slug and current_user.is_authenticated else None
    )


def _found(footballer_id: str, league: LeagueRow | None) -> Footballer | None:
    """In the league's season, where they are on its market."""
    found = footballers.footballer(footballer_id, league.season_id) if league else None
    return found if found and found.market else footballers.footballer(footballer_id)


def _rules(who: Footballer, league: LeagueRow | None) -> ScoringRules | None:
    """The league's, else those asked for, else the season's.

    None for a name that its sport has not.
    """
    usual = rules_named(who.market.rules if who.market else STANDARD.name)
    if league:
        return rules_named(league.rules)
    asked = request.args.get("rules", "")
    if not asked:
        return usual
    try:
        found = rules_named(asked)
    except KeyError:
        return None
    return found if found.sport == usual.sport else None


def _page(who: Footballer, rules: ScoringRules) -> page.FootballerPage:
    presets = presets_for(rules.sport)
    return page.footballer_page(
        who,
        rules,
        footballers.games(who, rules.name),
        footballers.weeks(who),
        footballers.totals(who, [rules.name, *(one.name for one in presets)]),
        presets,
    )


def _named(who: Footballer, search: str) -> list[tuple[str, str, str | None, int]]:
    """Whom to compare with: those of that name on the market, else those nearest to them."""
    if not search or who.market is None:
        return footballers.alike(who)
    rows, _ = listing.footballers(who.market.season_id, who.market.rules, Filter(search=search))
    return [(one.id, one.name, one.club_id, one.price) for one in rows if one.id != who.id]
