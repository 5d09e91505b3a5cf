"""Pages on which a commissioner adjusts points: a form, a preview of who moves, and the act."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.http.sent_numbers import form_number
from app.core.numbers import MAX_ID
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.fantasy.leagues import adjustments
from app.fantasy.leagues.adjustments import NewAdjustment
from app.fantasy.pages.commissioner.views import my_league, offer_members
from app.fantasy.pages.membership.forms import AdjustForm, show_refusals
from app.fantasy.standings.models import League

blueprint = Blueprint("league_adjustments", __name__, url_prefix="/leagues/<slug>/adjust")


@blueprint.get("")
@audience(MEMBER)
def show(slug: str) -> ResponseReturnValue:
    """The form, or the preview once the form is filled in.

    The preview has an address because it changes nothing. `q` finds members to choose from: the
    fragment is the list of them. With `find` the form stays as it is.
    """
    league = my_league(slug)
    form = AdjustForm(formdata=request.args or None)
    if not request.args or "find" in request.args:
        return _adjust_page(league, form)
    return _preview_page(league, form)


@blueprint.post("")
@audience(MEMBER)
def adjust(slug: str) -> ResponseReturnValue:
    """Adjust a member's points, if the preview is still current."""
    league, form = my_league(slug), AdjustForm()
    form.validate()
    adjustment = _read(league, form)
    if isinstance(adjustment, list):
        return _preview_page(league, form)
    adjustment = replace(adjustment, newest_seen=form_number("seen", most=MAX_ID))
    applied = adjustments.apply(league, adjustment, form.reason.data or "", current_user.id, now())
    if isinstance(applied, list):
        return _preview_page(league, form, applied, 422)
    return redirect(url_for("leagues.rules", slug=slug), 303)


def _read(league: League, form: AdjustForm) -> NewAdjustment | list[Refusal]:
    return adjustments.read(
        league, form.member.data or "", form.gameweek.data or "", form.points.data or "", now()
    )


def _preview_page(
    league: League, form: AdjustForm, refused: list[Refusal] | None = None, status: int = 200
) -> ResponseReturnValue:
    adjustment = _read(league, form)
    if isinstance(adjustment, list):
        show_refusals(form, adjustment)
        return _adjust_page(league, form, status=422)
    show_refusals(form, refused or [])
    return _adjust_page(league, form, adjustment, status)


def _adjust_page(
    league: League,
    form: AdjustForm,
    adjustment: NewAdjustment | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    """The form, with a preview if there is an adjustment."""
    # The newest adjustment is read before the preview, which may then be newer, never older.
    newest = adjustments.newest(league.id) if adjustment else 0
    moves = adjustments.preview(league, adjustment) if adjustment else None
    members = offer_members(league, form)
    weeks = adjustments.begun(league, now())
    form.gameweek.choices = {str(week.id): week.name for week in weeks}
    return respond(
        "leagues/adjust.html",
        "found",
        league=league,
        form=form,
        candidates=members,
        weeks=weeks,
        tab="settings",
        status=status,
        moves=moves,
        playoff_changes=adjustments.playoff_changes(league, adjustment) if adjustment else (),
        adjustment=adjustment,
        version_seen=newest,
    )
