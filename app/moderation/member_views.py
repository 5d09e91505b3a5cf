"""What members do themselves: report a player, appeal, download their data, be erased."""

from __future__ import annotations

from uuid import UUID

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts import sanctions as doors
from app.accounts import sessions
from app.accounts.models import Member, Player
from app.accounts.players import player_of, player_of_member
from app.accounts.reauthentication import reauthenticated
from app.accounts.services import find_person
from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.numbers import MAX_ID, whole_number
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.moderation import appealing, inbox, privacy
from app.moderation.forms import AppealForm, EraseForm, ExportForm, ReportForm, TextForm
from app.talk import queries as post_queries
from app.talk.models import Post

blueprint = Blueprint("privacy", __name__)


@blueprint.get("/report/<uuid:player_id>")
@audience(MEMBER)
def report(player_id: UUID) -> ResponseReturnValue:
    """The form for reporting a player."""
    return _report(player_id)


@blueprint.get("/report/gamer/<int:member_id>")
@audience(MEMBER)
def report_gamer(member_id: int) -> ResponseReturnValue:
    """Redirect to the form for reporting this member."""
    member = find_person(member_id) or abort(404)
    return redirect(url_for("privacy.report", player_id=player_of(member).id))


@blueprint.post("/report/<uuid:player_id>")
@audience(MEMBER)
def send_report(player_id: UUID) -> ResponseReturnValue:
    """Send the report."""
    form = ReportForm()
    outcome = inbox.report(current_user.id, player_id, form.kind.data, form.text.data, clock.now())
    if isinstance(outcome, Refusal):
        return _report(player_id, outcome)
    return _report(player_id, sent=True)


@blueprint.get("/leagues/<slug>/talk/<int:post_id>/report")
@audience(MEMBER)
def report_post(slug: str, post_id: int) -> ResponseReturnValue:
    """The form for reporting a post."""
    return _report_post(_post_to_report(slug, post_id))


@blueprint.post("/leagues/<slug>/talk/<int:post_id>/report")
@audience(MEMBER)
def send_report_of_post(slug: str, post_id: int) -> ResponseReturnValue:
    """Send the report of a post."""
    post = _post_to_report(slug, post_id)
    outcome = inbox.report_post(current_user.id, post, TextForm().text.data, clock.now())
    if isinstance(outcome, Refusal):
        return _report_post(post, outcome)
    return _report_post(post, sent=True)


@blueprint.get("/appeals")
@audience(PUBLIC)
def appeals() -> ResponseReturnValue:
    """What the member may appeal against, and their appeals.

    Banned members come here from the sign-in page, with a token.
    """
    return _appeals()


@blueprint.post("/appeals")
@audience(PUBLIC)
@limiter.limit("20 per hour")
def appeal() -> ResponseReturnValue:
    """Send an appeal."""
    player_id = _appellant().id
    form = AppealForm()
    about = form.about.data
    sanction = whole_number(about, most=MAX_ID)
    try:
        event = UUID(about) if sanction is None else None
    except ValueError:
        event = None
    outcome = appealing.send(
        player_id, form.text.data, clock.now(), sanction_id=sanction, event_id=event
    )
    if isinstance(outcome, Refusal):
        return _appeals(outcome)
    return redirect(url_for("privacy.appeals", token=request.args.get("token"), done="sent"), 303)


@blueprint.get("/account/data")
@audience(MEMBER)
def data() -> ResponseReturnValue:
    """The page for downloading the member's data and deleting the account."""
    return respond("moderation/data.html", fault=None)


@blueprint.post("/account/data/<any(json, csv):form>")
@audience(MEMBER)
@limiter.limit("10 per hour")
@reauthenticated
def download(form: str) -> ResponseReturnValue:
    """Download everything about the member, as one JSON file or as a ZIP of CSV files."""
    if form == "json":
        body = privacy.as_json(current_user.id)
        name, kind = "data.json", "application/json"
    else:
        body = privacy.as_csv(current_user.id, for_excel=ExportForm().excel.data)
        name, kind = "data.zip", "application/zip"
    privacy.note_export(current_user.id, form)
    return Response(
        body,
        mimetype=kind,
        headers={"Content-Disposition": f"attachment; filename=pressbox-{name}"},
    )


@blueprint.post("/account/erase")
@audience(MEMBER)
@reauthenticated
def erase() -> ResponseReturnValue:
    """Delete the member's account."""
    if EraseForm().confirm.data != current_user.username:
        fault = Refusal("confirm", "confirm", "Type your username to confirm.")
        return respond("moderation/data.html", status=422, fault=fault)
    member_id = current_user.id
    outcome = privacy.erase(
        member_id, by=member_id, reason="Requested by the member.", now=clock.now()
    )
    if isinstance(outcome, Refusal):
        return respond("moderation/data.html", status=422, fault=outcome)
    sessions.end()
    return redirect(url_for("accounts.sign_in"), 303)


def _report(
    player_id: UUID, fault: Refusal | None = None, *, sent: bool = False
) -> ResponseReturnValue:
    player = db.session.get(Player, player_id) or abort(404)
    status = 422 if fault else 200
    return respond(
        "moderation/report.html",
        status=status,
        player=player,
        kinds=inbox.OF_PLAYERS,
        fault=fault,
        sent=sent,
    )


def _post_to_report(slug: str, post_id: int) -> Post:
    """Load a post of another member that the viewer sees; other posts are a 404."""
    room = post_queries.room(slug, current_user.id) or abort(404)
    post = post_queries.find(room, post_id) or abort(404)
    if post.kind != inbox.POST or post.member_id == current_user.id:
        abort(404)
    return post


def _report_post(
    post: Post, fault: Refusal | None = None, *, sent: bool = False
) -> ResponseReturnValue:
    author = player_of(db.session.get_one(Member, post.member_id))
    status = 422 if fault else 200
    return respond(
        "moderation/report.html",
        status=status,
        player=author,
        about_post=True,
        kinds={},
        fault=fault,
        sent=sent,
    )


def _appellant() -> Player:
    """Return the player of the signed-in member, or of the token's member."""
    if current_user.is_authenticated:
        return player_of(current_user)
    member_id = doors.read_appeal_token(request.args.get("token", ""))
    member = db.session.get(Member, member_id) if member_id is not None else None
    player = player_of_member(member.id) if member is not None else None
    return player or abort(404)


def _appeals(fault: Refusal | None = None) -> ResponseReturnValue:
    if not current_user.is_authenticated and "token" not in request.args:
        return redirect(url_for("accounts.sign_in", next=url_for("privacy.appeals")))
    player = _appellant()
    imposed, scores = appealing.appealable(player.id)
    sent = appealing.of_player(player.id)
    open_appeals = [case.appeal for case in sent if case.appeal.decided_at is None]
    waiting = {open_appeal.sanction_id or open_appeal.event_id for open_appeal in open_appeals}
    return respond(
        "moderation/appeals.html",
        status=422 if fault else 200,
        fault=fault,
        imposed=[sanction for sanction in imposed if sanction.id not in waiting],
        scores=[score for score in scores if score.event_id not in waiting],
        sent=sent,
        token=request.args.get("token"),
    )
