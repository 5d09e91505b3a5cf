"""The spotter's page, and the views for its script (static/js/spotter/)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from flask import Blueprint, abort, jsonify, url_for
from flask.typing import ResponseReturnValue
from msgspec import Meta

from app.core import clock
from app.core.http.access import audience
from app.core.http.htmx import request
from app.core.http.request_validation import takes_json
from app.core.http.responses import finish, fragment_etag, of_timeline, respond
from app.core.page_cache.pages import PageContent, cached_page
from app.core.release import release
from app.core.viewer import current_user
from scorer_console import queries
from scorer_console.entry.views import SCORER, Uuid, answers_refusals, check_bound
from scorer_console.lease.leases import UnknownGameError
from scorer_console.offline import service_worker as offline
from scorer_console.roster import queries as roster
from scorer_console.spotter import services as spotter
from scorer_console.spotter.rules import Credit, PlayNotEnteredError, RefusedCreditError
from scorer_console.spotter.services import SpottedPlay

blueprint = Blueprint("spotter", __name__, url_prefix="/console")
blueprint.before_request(check_bound)

PlayerName = Annotated[str, Meta(min_length=1, max_length=64)]
Number = Annotated[int, Meta(ge=1, le=1_000_000)]


class CreditIn(msgspec.Struct):
    """See rules.Credit."""

    role: Annotated[str, Meta(max_length=40)]
    player: PlayerName | None = None
    event: Number | None = None
    was: PlayerName | None = None
    take_back: bool = False


class CreditsIn(msgspec.Struct):
    """Credits of one play as the browser sends them. Either all are accepted, or none.

    `scorer` is who made them.
    """

    key: Uuid
    play_number: Annotated[int, Meta(ge=1, le=100_000)]
    credits: Annotated[list[CreditIn], Meta(min_length=1, max_length=20)]
    scorer: str | None = None

    def spotted(self, member: str) -> SpottedPlay:
        """Return the credits as this member's."""
        play_credits = [
            Credit(credit.role, credit.player, credit.event, credit.was, credit.take_back)
            for credit in self.credits
        ]
        return SpottedPlay(member, self.key, self.play_number, play_credits)


@blueprint.get("/<game_id>/spotter")
@audience(SCORER)
def show(game_id: str) -> ResponseReturnValue:
    """Show the last plays, or earlier ones up to the play number `to`."""
    return _page(game_id)


@blueprint.get("/<game_id>/spotter/plays")
@audience(SCORER)
def plays(game_id: str) -> ResponseReturnValue:
    """Show the plays, which are the polled part of the page."""
    if not request.htmx:
        return show(game_id)
    version = queries.log_version(game_id, clock.now())
    newest = request.args.get("to", type=int)

    def read() -> PageContent:
        screen, _, people = _screen(game_id, newest)
        values = {
            "screen": screen,
            "names": _names(people),
            "newest": newest,
            "etag": fragment_etag(version),
        }
        return PageContent(values, ("footballers", "clubs"))

    # The version is in the key, because it does not raise tags.
    response = cached_page("console/spotter.html", "live", f"{version}:{newest}", read)
    return offline.keepable(finish(response, f"f{of_timeline(version)}"))


@blueprint.post("/<game_id>/spotter")
@audience(SCORER)
@takes_json
@answers_refusals("entry")
def enter(game_id: str) -> ResponseReturnValue:
    """Accept one entry. Returns its numbers and the plays, or 422 with what to change.

    It answers 409 while the scorer has entered only the snap of the play.
    """
    entry = msgspec.json.decode(request.get_data(), type=CreditsIn)
    if entry.scorer not in (None, current_user.get_id()):
        fault = "This entry belongs to another spotter. Sign in as that spotter to send it."
        return jsonify(error=fault), 403
    try:
        accepted = spotter.spot_credits(game_id, entry.spotted(current_user.get_id()), clock.now())
    except PlayNotEnteredError as error:
        return jsonify(error=str(error)), 409
    except UnknownGameError as error:
        return jsonify(error=str(error)), 404
    except RefusedCreditError as error:
        return jsonify(error=str(error)), 422
    return jsonify(accepted=accepted, situation=_screen(game_id)[0].situation)


def _screen(
    game_id: str, newest: int | None = None
) -> tuple[spotter.SpotterScreen, str, list[roster.PlayerRow]]:
    game = queries.game(game_id) or abort(404)
    version = queries.log_version(game_id, clock.now())
    people = roster.roster(game.id, game.home.id, game.away.id)
    return spotter.screen(game, version, people, newest), version, people


def _names(people: list[roster.PlayerRow]) -> dict[str, str]:
    """Return the names with jersey numbers, by player id."""
    return {
        player.id: (player.name if player.number is None else f"{player.number} {player.name}")
        for player in people
    }


def _page(game_id: str) -> ResponseReturnValue:
    newest = request.args.get("to", type=int)
    screen, version, people = _screen(game_id, newest)
    setup = {
        "clubs": {"home": screen.game.home.id, "away": screen.game.away.id},
        "member": current_user.get_id(),
        "name": current_user.display_name,
        "game": game_id,
        "spotUrl": url_for("spotter.enter", game_id=game_id),
        "pageUrl": url_for("spotter.show", game_id=game_id),
        "asOf": clock.now().isoformat(),
        "release": release(),
        "isNewest": screen.newer is None,
    }
    response = respond(
        "console/spotter.html",
        etag=fragment_etag(version),
        screen=screen,
        roster=people,
        names=_names(people),
        setup=setup,
        newest=newest,
    )
    return offline.keepable(response)
