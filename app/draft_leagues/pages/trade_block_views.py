"""The trade block: whom each team would trade, and what for."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.core.viewer import current_user
from app.draft_leagues.pages.forms import TradeBlockForm
from app.draft_leagues.pages.loading import DraftLeaguePage, load
from app.draft_leagues.pages.trade_form import LONGEST
from app.draft_leagues.pages.trade_page import forecasts_of
from app.draft_leagues.trades import block
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.queries import trade_block
from app.draft_leagues.trades.window import window_refusal
from app.fantasy.pages.membership.forms import show_refusals
from app.fantasy.rosters.queries import names_of, rosters_of

blueprint = Blueprint("draft_trade_block", __name__, url_prefix="/leagues/<slug>/trades/block")


@blueprint.get("")
@audience(MEMBER)
def show(slug: str) -> ResponseReturnValue:
    """Show everybody's trade block, and let the member change their own."""
    return _block(load(slug), TradeBlockForm(formdata=None))


@blueprint.post("")
@audience(MEMBER)
def put(slug: str) -> ResponseReturnValue:
    """Put a footballer on the member's trade block."""
    page, form = load(slug), TradeBlockForm()
    actor = Actor(current_user.id)
    refused = block.put(page.league.id, actor, _footballer(form), form.note.data, received_at())
    return _answer(page, form, refused)


@blueprint.post("/remove")
@audience(MEMBER)
def remove(slug: str) -> ResponseReturnValue:
    """Take a footballer off the member's trade block."""
    page, form = load(slug), TradeBlockForm()
    actor = Actor(current_user.id)
    refused = block.take_off(page.league.id, actor, _footballer(form), received_at())
    return _answer(page, form, refused)


def _footballer(form: TradeBlockForm) -> str:
    return str(form.footballer.data)[: LONGEST["id"]]


def _answer(
    page: DraftLeaguePage, form: TradeBlockForm, refused: Sequence[Refusal]
) -> ResponseReturnValue:
    if refused:
        return _block(page, form, show_refusals(form, refused), 422)
    return redirect(url_for("draft_trade_block.show", slug=page.league.slug), 303)


def _block(
    page: DraftLeaguePage, form: TradeBlockForm, faults: Sequence[str] = (), status: int = 200
) -> ResponseReturnValue:
    if request.method == "POST" and page.mine is None:
        abort(404)
    entries = trade_block(page.league.id)
    listed = {entry.footballer_id for entry in entries}
    mine = rosters_of(page.league.id).of(page.mine.number) if page.mine is not None else {}
    names = names_of(listed | set(mine))
    blocks = [
        (team, [entry for entry in entries if entry.franchise == team.number])
        for team in page.teams
        if page.mine is None or team.number != page.mine.number
    ]
    return respond(
        "draft_leagues/trade_block.html",
        form=form,
        league=page.league,
        blocks=[(team, listing) for team, listing in blocks if listing],
        own=[entry for entry in entries if page.mine and entry.franchise == page.mine.number],
        addable=sorted(
            (names[each], each) for each in mine if each not in listed and each in names
        ),
        names=names,
        forecasts=forecasts_of(page, now()),
        mine=page.mine,
        can_offer=page.mine is not None and window_refusal(page.draft_league) is None,
        longest_note=block.LONGEST_NOTE,
        faults=faults,
        tab="trades",
        runs_it=page.runs_it,
        status=status,
    )
