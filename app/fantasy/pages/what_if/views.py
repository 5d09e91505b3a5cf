"""What if: a member's season with another captain or other starters.

The commissioner can also see the league's season under another scoring.
"""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.viewer import current_user
from app.fantasy.leagues import rule_changes, what_if
from app.fantasy.leagues.rule_changes import NewScoring
from app.fantasy.leagues.what_if import MOST_SWAPS, Wish
from app.fantasy.market.formats import format_named
from app.fantasy.scoring import pairs
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules
from app.fantasy.standings import queries
from app.fantasy.standings.models import League
from app.record import queries as record

blueprint = Blueprint("what_if", __name__, url_prefix="/leagues/<slug>/what-if")


@blueprint.get("")
@audience(MEMBER)
@limiter.limit("30 per minute")
def show(slug: str) -> ResponseReturnValue:
    """Show the season with another captain (`captain`) or other starters (`out` and `in`).

    `week` names a gameweek; without it, every gameweek so far is changed. Nothing is stored.
    """
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    sheets = what_if.my_sheets(league, current_user.id, now())
    week = query_number("week")
    wish = Wish(
        next((sheet.week for sheet in sheets if sheet.week == week), None),
        request.args.get("captain", "")[:64],
        _swaps(request.args.getlist("out"), request.args.getlist("in")),
    )
    answer = None
    if wish.captain or wish.swaps:
        answer = what_if.answer(league, current_user.id, wish, now())
    return respond(
        "leagues/what_if.html",
        league=league,
        sheets=sheets,
        wish=wish,
        most_swaps=MOST_SWAPS,
        names=record.names({player for sheet in sheets for player in sheet.picks}),
        answer=answer,
        presets=_presets(league) if league.commissioner_id == current_user.id else (),
        tab="history",
    )


@blueprint.get("/rules")
@audience(MEMBER)
@limiter.limit("6 per minute")
def rules(slug: str) -> ResponseReturnValue:
    """Show the commissioner the season under one of the presets (`rules`)."""
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    if league.commissioner_id != current_user.id:
        abort(404)
    presets = _presets(league)
    chosen = next(
        (preset for preset in presets if preset.name == request.args.get("rules", "")), None
    ) or abort(404)
    scoring = NewScoring(chosen.title, chosen.milli_points)
    refused = rule_changes.refusals(db.session.get_one(League, league.id), scoring)
    answer = None if refused else what_if.answer_of_rules(league, current_user.id, scoring, now())
    return respond(
        "leagues/what_if_rules.html",
        league=league,
        presets=presets,
        chosen=chosen,
        current=rules_named(league.rules).title,
        refused=refused[0].text if refused else "",
        answer=answer,
        tab="history",
    )


def _swaps(out: list[str], into: list[str]) -> tuple[tuple[str, str], ...]:
    """The swaps in order, without those that have only one side."""
    swaps = [
        (leaving[:64], coming[:64])
        for leaving, coming in zip(out, into, strict=False)
        if leaving and coming
    ]
    return tuple(swaps[:MOST_SWAPS])


def _presets(league: queries.LeagueRow) -> list[ScoringRules]:
    """The preset scorings that score differently from the league's own."""
    current = rules_named(league.rules).milli_points
    presets = pairs.presets_for(format_named(league.format))
    return [preset for preset in presets if preset.milli_points != current]
