"""Views of a tournament's leaderboard, the viewer's history, and the table of teams."""

from __future__ import annotations

from uuid import UUID

import msgspec
from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import respond
from app.core.page_cache.pages import OwnPage, PageContent, cached_page
from app.core.viewer import current_user
from app.predictions import pools, survivors
from app.predictions.pages import board, page, queries
from app.predictions.pages.rounds import survival_of
from app.predictions.pages.views import my_player_id, tournament_or_404
from app.predictions.projections import store as projections
from app.predictions.projections.bodies import StandingsBody

blueprint = Blueprint("tournament_boards", __name__)

_standings = msgspec.json.Decoder(StandingsBody)


@blueprint.get("/tournaments/<uuid:tournament_id>/leaderboard")
@audience(MEMBER)
def leaderboard(tournament_id: UUID) -> ResponseReturnValue:
    """Show a page of the board; to a viewer who is not on it, also their place and four around it.

    The fragment `board` polls itself.
    """
    number, player_id = page_number(), my_player_id()
    return cached_page(
        "tournaments/leaderboard.html",
        "board",
        OwnPage(f"{number}"),
        lambda: _read_board(tournament_id, number, player_id),
    )


def _read_board(tournament_id: UUID, number: int, player_id: UUID | None) -> PageContent:
    tournament = tournament_or_404(tournament_id)
    version = f"{tournament.version}-{number}"
    me = board.mine(tournament_id, player_id)
    count = board.count(tournament_id)
    pages = page_count(count, board.PAGE_ROWS)
    if number > pages:
        abort(404)
    rows = board.page(tournament_id, number)
    around: list[board.Place] = []
    if me is not None and all(row.player_id != me.player_id for row in rows):
        around = board.around(tournament_id, me)
    shown_ids = {place.player_id for place in [*around, *rows]}
    values = {
        "tournament": tournament,
        "tab": "leaderboard",
        "me": me,
        "around": around,
        "rows": rows,
        "exits": survivors.exits_of(tournament_id, shown_ids),
        "count": count,
        "number": number,
        "pages": pages,
    }
    tags = ("tournaments", "names", f"player:{current_user.id}")
    return PageContent(values, tags, version, is_final=not tournament.is_active)


@blueprint.get("/tournaments/<uuid:tournament_id>/history")
@audience(MEMBER)
def history(tournament_id: UUID) -> ResponseReturnValue:
    """Show the viewer's points by round and match, with reasons and corrections."""
    tournament, me, now = tournament_or_404(tournament_id), my_player_id(), clock.now()
    matches = queries.matches_of(tournament_id)
    guesses = queries.guesses_in([match.id for match in matches], me)
    rounds = queries.rounds(tournament_id)
    slams = queries.slams_of(tournament_id, me)
    rule = pools.rule_of(tournament)
    mine = page.Guessed(guesses, slams, survival_of(tournament_id, rule, me))
    return respond(
        "tournaments/history.html",
        tournament=tournament,
        tab="history",
        mine=board.mine(tournament_id, me),
        rounds=page.history(rounds, matches, mine, rule, now),
        corrections=page.correction_lines(
            queries.corrections_of(tournament_id), matches, guesses, rule.guess
        ),
    )


@blueprint.get("/tournaments/<uuid:tournament_id>/standings")
@audience(MEMBER)
def standings(tournament_id: UUID) -> ResponseReturnValue:
    """Show the same table of the teams as the API."""
    tournament = tournament_or_404(tournament_id)
    rows = _standings.decode(projections.read_standings(tournament_id)).data
    return respond("tournaments/standings.html", tournament=tournament, tab="standings", rows=rows)
