"""The friends page of a member: ask, answer, end, block. Every button works as a plain form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from uuid import UUID

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import StringField

from app.accounts import friends, services
from app.accounts.players import player_of
from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.viewer import current_user

blueprint = Blueprint("friends", __name__, url_prefix="/friends")

ACTS: Mapping[str, Callable[[UUID, UUID, datetime], Refusal | None]] = {
    "accept": friends.accept,
    "decline": friends.decline,
    "withdraw": friends.withdraw,
    "unfriend": friends.unfriend,
    "block": friends.block,
    "unblock": friends.unblock,
}


class AskForm(FlaskForm):
    """A request for friendship."""

    username = StringField("Username", description="Their username, e.g. sam.lee")


@blueprint.get("")
@audience(MEMBER)
def index() -> ResponseReturnValue:
    """The friends page."""
    return _page(AskForm(formdata=None))


@blueprint.post("/ask")
@audience(MEMBER)
@limiter.limit("30 per minute; 300 per hour")
def ask() -> ResponseReturnValue:
    """Request a friendship."""
    form = AskForm()
    form.validate()
    other = services.find_member(form.username.data or "")
    refused: Refusal | None = friends.NOBODY
    if other is not None:
        refused = friends.ask(player_of(current_user).id, player_of(other).id, now())
    if refused is not None:
        form.username.errors = [refused.text]
        return _page(form, status=422)
    return _done()


@blueprint.post("/<uuid:player_id>/<act>")
@audience(MEMBER)
def act(player_id: UUID, act: str) -> ResponseReturnValue:
    """Answer or end a friendship, or block."""
    if act not in ACTS:
        abort(404)
    refused = ACTS[act](player_of(current_user).id, player_id, now())
    if refused is friends.NOBODY:
        abort(404)
    if refused is not None:
        return _page(AskForm(formdata=None), fault=refused.text, status=422)
    return _done()


def _done() -> ResponseReturnValue:
    if request.htmx:
        return _page(AskForm(formdata=None))
    return redirect(url_for("friends.index"), 303)


def _page(form: AskForm, *, fault: str | None = None, status: int = 200) -> ResponseReturnValue:
    circle = friends.circle(player_of(current_user).id)
    return respond(
        "friends/index.html",
        fragment="circle",
        status=status,
        form=form,
        circle=circle,
        fault=fault,
    )
