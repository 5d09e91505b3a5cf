"""The pictures beside names, and choosing one's own."""

from __future__ import annotations

from uuid import UUID

from flask import Blueprint, Response, abort, make_response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts import member_pictures
from app.accounts.account_views import PictureForm, show_account
from app.accounts.crests import is_initials
from app.core import clock
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.rate_limits import limiter, who_tries
from app.core.http.request_validation import takes_more
from app.core.input_limits import REQUEST_BYTES
from app.core.viewer import current_user

blueprint = Blueprint("pictures", __name__)

CACHE_SECONDS = 300  # so long a browser may still show a picture that was changed or removed


@blueprint.get("/gamers/<int:member_id>/picture")
@audience(PUBLIC)
def of_member(member_id: int) -> ResponseReturnValue:
    """The picture or crest of a member."""
    return _send(member_pictures.of_member(member_id, _letters(), clock.now()))


@blueprint.get("/players/<uuid:player_id>/picture")
@audience(PUBLIC)
def of_player(player_id: UUID) -> ResponseReturnValue:
    """The picture or crest of a player on boards."""
    return _send(member_pictures.of_player(player_id, _letters(), clock.now()))


@blueprint.post("/account/picture")
@audience(MEMBER)
@limiter.limit("10 per minute; 50 per hour", key_func=who_tries)
@takes_more(REQUEST_BYTES)
def choose() -> ResponseReturnValue:
    """Store the member's picture."""
    form = PictureForm()
    if not form.validate_on_submit():
        return show_account(422, picture_form=form)
    if refusal := member_pictures.choose(current_user, form.picture.data.read(), clock.now()):
        form.picture.errors = [refusal.text]
        return show_account(422, picture_form=form)
    return redirect(url_for("account.show", done="picture"), 303)


@blueprint.post("/account/picture/remove")
@audience(MEMBER)
def remove() -> ResponseReturnValue:
    """Remove the member's picture, so that the crest is shown again."""
    member_pictures.remove(current_user)
    return redirect(url_for("account.show", done="crest"), 303)


def _letters() -> str:
    """The initials that a crest is to have."""
    letters = request.args.get("initials", "")
    return letters if is_initials(letters) else abort(404)


def _send(picture: member_pictures.ShownPicture) -> Response:
    response = make_response(picture.data)
    response.content_type = picture.content_type
    response.cache_control.public = True
    response.cache_control.max_age = CACHE_SECONDS
    response.set_etag(picture.version)
    response.make_conditional(request)
    return response
