"""Views of the scorer's console.

The keyboard is handled in static/js/console/, which talks to these views.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from dataclasses import asdict
from datetime import UTC, datetime, time, timedelta
from functools import wraps
from typing import Annotated, Any

import msgspec
from flask import Blueprint, Response, abort, jsonify, redirect, url_for
from flask.typing import ResponseReturnValue
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from msgspec import Meta

from app.accounts import staff
from app.core import clock
from app.core.http.access import audience
from app.core.http.htmx import request
from app.core.http.request_validation import takes_json
from app.core.http.responses import finish, fragment_etag, of_timeline, respond
from app.core.page_cache.pages import PageContent, ViewersOwn, cached_page, cached_viewer
from app.core.page_cache.placeholders import placeholder
from app.core.release import release
from app.core.viewer import current_user
from app.record.events import EventNumber, InvalidEventError, PlayNumber, body_to, catalogue
from app.record.rules.football.rulebook import STANDARD
from scorer_console import queries
from scorer_console.entry import page, services
from scorer_console.entry.forms import ZONES, EventForm, PracticeForm, RegisterGameForm, add_faults
from scorer_console.entry.services import Submitted
from scorer_console.keys.foul_codes import FOUL_CODES
from scorer_console.keys.rules import ACTIONS, keys_with
from scorer_console.lease import handover, leases
from scorer_console.lease.leases import (
    HandedOverError,
    Holder,
    LeaseHeldError,
    LeaseLostError,
    UnknownGameError,
)
from scorer_console.offline import service_worker as offline
from scorer_console.queries import Desk
from scorer_console.record.numbering import RefusedEntryError, Sender
from scorer_console.roster import queries as roster

blueprint = Blueprint("console", __name__, url_prefix="/console")
SCORER = "scorer"

View = Callable[[str], ResponseReturnValue]
Refused = (InvalidEventError, RefusedEntryError, UnknownGameError)


class EventIn(msgspec.Struct):
    """One event of an entry.

    `number` is the event number that it must get, if other events of the queue refer to it.
    """

    body: dict[str, Any]
    play_number: PlayNumber | None = None
    number: EventNumber | None = None


Uuid = Annotated[str, Meta(pattern=r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]


class EntryIn(msgspec.Struct):
    """An entry as the browser sends it. Either all of its events are accepted, or none.

    `scorer` is who made the entry. `made_under` is the newest epoch that the browser knew of when
    it was made.
    """

    key: Uuid
    console: Uuid
    entries: Annotated[list[EventIn], Meta(min_length=1, max_length=40)]
    scorer: str | None = None
    made_under: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class PreviewIn(msgspec.Struct):
    """An entry to be previewed."""

    entries: Annotated[list[EventIn], Meta(min_length=1, max_length=40)]


class TakeIn(msgspec.Struct, rename={"take_over": "over"}):
    """A console that takes a game."""

    console: Uuid
    take_over: bool = False


def answers_refusals(what: str) -> Callable[[View], View]:
    """Mark a view that reads JSON from a console, so that errors are answered as JSON sentences.

    It answers 422 if the body cannot be read or is refused, and 409 with the situation if the
    console lost the game. `what` names the body in the sentence.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(game_id: str) -> ResponseReturnValue:
            try:
                return view(game_id)
            except LeaseLostError as error:
                return jsonify(error=str(error), situation=situation(game_id)), 409
            except msgspec.DecodeError as error:
                return jsonify(error=f"The {what} could not be read: {error}."), 422
            except Refused as error:
                return jsonify(error=str(error)), 422

        return wrapped

    return decorate


def holder_of(console: str) -> Holder:
    """Return the holder for a console: one browser of one scorer, whose tabs share the lease."""
    return Holder(console=f"{current_user.get_id()}:{console}", name=current_user.display_name)


@blueprint.before_request
def check_bound() -> None:
    """Hide all games but their own and practice games from a scorer who is bound to games."""
    game_id = (request.view_args or {}).get("game_id")
    if (
        game_id is None
        or not current_user.is_authenticated
        or staff.may_score(current_user.id, game_id)
    ):
        return
    if not queries.is_practice(game_id):
        abort(404)


@blueprint.get("/")
@audience(SCORER)
@cached_viewer(staff.SCORERS_GAMES)
def games() -> ResponseReturnValue:
    """List the games."""
    bound, now = staff.cached_games_of(current_user.id), clock.now()
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)

    def read() -> PageContent:
        form = RegisterGameForm(formdata=None, meta={"csrf": False})
        practice = PracticeForm(formdata=None, meta={"csrf": False})
        values = _list(bound, now, form, practice)
        return PageContent(values, ("games", "clubs"), expires_at=midnight)

    key = f"{queries.newest_events()}:{','.join(bound)}"
    return cached_page("console/games.html", None, key, read)


@blueprint.post("/")
@audience(SCORER)
def register() -> ResponseReturnValue:
    """Register a game."""
    form = RegisterGameForm()
    form.offer([(club.id, club.name) for club in queries.clubs()])
    if not form.validate_on_submit():
        return _games(form, status=422)
    if bound := staff.games_of(current_user.id):
        form.game_id.errors = [
            f"You can only score {', '.join(bound)}. Ask an operator for another game."
        ]
        return _games(form, status=422)
    result = services.register_game(form.registration())
    if isinstance(result, dict):
        add_faults(form, result)
        return _games(form, status=422)
    return redirect(url_for("console.show", game_id=result.id), 303)


@blueprint.post("/practice")
@audience(SCORER)
def begin_practice() -> ResponseReturnValue:
    """Begin a practice game."""
    return _begin_practice(is_lesson=False)


def _begin_practice(*, is_lesson: bool) -> ResponseReturnValue:
    form = PracticeForm()
    try:
        game = services.begin_practice(
            services.Practice(
                home=form.home.data or "",
                away=form.away.data or "",
                competition=form.competition.data or STANDARD,
                is_lesson=is_lesson,
            ),
            current_user.get_id(),
            clock.now(),
        )
    except services.NoPracticeError as error:
        form.away.errors = [str(error)]
        return _games(RegisterGameForm(formdata=None), form, status=422)
    return redirect(url_for("console.show", game_id=game.id), 303)


@blueprint.post("/practice/lesson")
@audience(SCORER)
def begin_lesson() -> ResponseReturnValue:
    """Begin the lesson: a practice game whose plays are asked for one by one."""
    return _begin_practice(is_lesson=True)


@blueprint.post("/<game_id>/throw-away")
@audience(SCORER)
def throw_away(game_id: str) -> ResponseReturnValue:
    """Delete a practice game."""
    try:
        services.throw_away_practice(game_id)
    except services.NoPracticeError:
        abort(404)
    return redirect(url_for("console.games"), 303)


def _games(
    form: RegisterGameForm, practice: PracticeForm | None = None, status: int = 200
) -> Response:
    practice = practice or PracticeForm(formdata=None)
    context = _list(staff.games_of(current_user.id), clock.now(), form, practice)
    return respond("console/games.html", status=status, **context)


def _list(
    bound: Collection[str], now: datetime, form: RegisterGameForm, practice: PracticeForm
) -> dict[str, Any]:
    """Load the games of the list, all or those that the scorer is bound to, and the clubs."""
    clubs = [(club.id, club.name) for club in queries.clubs()]
    form.offer(clubs)
    practice.offer(clubs)
    return {
        "games": queries.games(now, bound),
        "form": form,
        "practice": practice,
        "zones": ZONES,
        "now": now,
    }


@blueprint.get("/manual")
@audience(SCORER)
def manual() -> ResponseReturnValue:
    """Show the manual, to read or to print, with the scorer's own keys."""
    keys = keys_with(queries.key_map(int(current_user.get_id())))
    return respond(
        "console/manual.html",
        actions=ACTIONS,
        keys=keys,
        fouls=[(code, names[0]) for code, names in FOUL_CODES.items()],
        css=url_for("static", filename="css/paper.css"),
    )


@blueprint.get("/sw.js")
@audience(SCORER)
def worker() -> ResponseReturnValue:
    """Return the service worker that keeps the console for use without a network.

    Its scope is the folder of its address.
    """
    return offline.worker()


@blueprint.get("/<game_id>")
@audience(SCORER)
@cached_viewer(staff.SCORERS_GAMES)
def show(game_id: str) -> ResponseReturnValue:
    """Show the console of a game. What all scorers see of it is rendered once per version."""
    now = clock.now()
    desk = queries.desk(game_id, now, int(current_user.get_id())) or abort(404)

    def read() -> PageContent:
        form = EventForm(formdata=None, meta={"csrf": False}, key=placeholder("entry_key"))
        values = {"own": placeholder("own"), "etag": fragment_etag(desk.version)}
        return PageContent(_context(desk, now, form) | values, ("footballers", "clubs"))

    # The version is in the key, not in the content, because it does not raise tags.
    key = f"{desk.version}:{desk.game}"
    viewers_own = ViewersOwn(
        fillings={"own": lambda: _own(desk, now), "entry_key": lambda: str(uuid.uuid4())}
    )
    return offline.keepable(cached_page("console/show.html", None, key, read, viewers_own))


@blueprint.get("/<game_id>/log")
@audience(SCORER)
@cached_viewer(staff.SCORERS_GAMES)
def log(game_id: str) -> ResponseReturnValue:
    """Show the strip and the last events.

    It is polled every second, which keeps the lease. The version is in the key, because it does not
    raise tags; so an unchanged poll finds the page in the cache.
    """
    if not request.htmx:
        return show(game_id)
    now = clock.now()
    if console := request.headers.get("X-Console"):
        leases.renew(game_id, holder_of(console).console, now)
    version = queries.log_version(game_id, now)

    def read() -> PageContent:
        desk = queries.desk(game_id, now) or abort(404)
        values = _context(desk, now, None) | {"etag": fragment_etag(version)}
        return PageContent(values, ("footballers", "clubs"))

    response = cached_page("console/show.html", "live", version, read)
    return offline.keepable(finish(response, f"f{of_timeline(version)}"))


def _blank_form() -> EventForm:
    return EventForm(formdata=None, key=str(uuid.uuid4()))


def situation(game_id: str) -> dict[str, Any]:
    """Return the situation for the browser's prompts; 404 if there is no such game."""
    now = clock.now()
    desk = queries.desk(game_id, now) or abort(404)
    return page.situation(desk, _registered(desk), now)


def _registered(desk: Desk) -> list[roster.PlayerRow]:
    return roster.registered(desk.game.home.id, desk.game.away.id)


def _show(game_id: str, form: EventForm, status: int = 200) -> Response:
    now = clock.now()
    desk = queries.desk(game_id, now, int(current_user.get_id())) or abort(404)
    response = respond(
        "console/show.html",
        "live",
        status=status,
        etag=fragment_etag(desk.version),
        own=_own(desk, now),
        **_context(desk, now, form),
    )
    return offline.keepable(response)


def _context(desk: Desk, now: datetime, form: EventForm | None) -> dict[str, Any]:
    """Load what the page of a game shows to every scorer."""
    people = _registered(desk)
    return {
        "screen": page.screen(desk, people, now),
        "roster": people,
        "form": form,
        "event_types": catalogue(),
        "foul_codes": FOUL_CODES,
        "release": release(),
    }


def _own(desk: Desk, now: datetime) -> Markup:
    """Return the viewer's own part of the page's data, as JSON for a script element."""
    scorers_own = {
        "member": current_user.get_id(),
        "name": current_user.display_name,
        "keys": keys_with(desk.keys),
        "asOf": now.isoformat(),
    }
    return htmlsafe_json_dumps(scorers_own)


@blueprint.post("/<game_id>/events")
@audience(SCORER)
@takes_json
@cached_viewer(staff.SCORERS_GAMES, method="POST")
@answers_refusals("entry")
def enter(game_id: str) -> ResponseReturnValue:
    """Accept an entry from the keyboard. Returns its numbers and the new situation.

    It answers 409 if the console does not have the game. With `held`, another scorer has had it, so
    the entry must be compared with the record first.
    """
    entry = msgspec.json.decode(request.get_data(), type=EntryIn)
    if entry.scorer not in (None, current_user.get_id()):
        fault = "This entry belongs to another scorer. Sign in as that scorer to send it."
        return jsonify(error=fault), 403
    events = [Submitted(event.body, event.play_number, event.number) for event in entry.entries]
    sender, now = Sender(holder_of(entry.console).console, entry.made_under), clock.now()
    try:
        entered = services.enter(game_id, entry.key, events, now, sender)
    except LeaseLostError as error:
        is_held = isinstance(error, HandedOverError)
        return jsonify(error=str(error), held=is_held, situation=situation(game_id)), 409
    after = page.situation(entered.desk, _registered(entered.desk), now)
    answer = msgspec.json.encode({"accepted": entered.outcomes, "situation": after})
    return Response(answer, mimetype="application/json")


@blueprint.post("/<game_id>/lease")
@audience(SCORER)
@takes_json
@answers_refusals("request")
def take(game_id: str) -> ResponseReturnValue:
    """Take the game for this console; 409 if somebody else has it, unless it is taken `over`."""
    asked = msgspec.json.decode(request.get_data(), type=TakeIn)
    try:
        leases.take(game_id, holder_of(asked.console), clock.now(), take_over=asked.take_over)
    except UnknownGameError as error:
        return jsonify(error=str(error)), 404
    except LeaseHeldError as error:
        return jsonify(error=str(error), situation=situation(game_id)), 409
    return jsonify(situation=situation(game_id))


@blueprint.get("/<game_id>/events")
@audience(SCORER)
def find_events(game_id: str) -> ResponseReturnValue:
    """Return the events that match the text: a name, p12 for a play, q3 for a quarter."""
    events = queries.events_found(game_id, request.args.get("find", ""))
    return jsonify(asdict(events) if events else abort(404))


@blueprint.get("/<game_id>/find")
@audience(SCORER)
def find_plays(game_id: str) -> ResponseReturnValue:
    """Show the plays that match the text: a name, a jersey, p12 for a play, q3 for a quarter."""
    text = request.args.get("find", "")
    plays, is_cut = queries.plays_found(game_id, text) or abort(404)
    return respond(
        "console/found.html", "found", game_id=game_id, plays=plays, is_cut=is_cut, text=text
    )


@blueprint.get("/<game_id>/events/<int:number>")
@audience(SCORER)
def event(game_id: str, number: int) -> ResponseReturnValue:
    """Return an event as it was entered and as it stands, for correcting a previous play."""
    event_row = queries.event(game_id, number) or abort(404)
    about = {
        "number": number,
        "play_number": event_row.play_number,
        "stands": event_row.is_effective,
    }
    return jsonify(
        about | {"body": body_to(event_row.body)} | queries.event_around(game_id, number)
    )


@blueprint.get("/<game_id>/plays/<int:number>")
@audience(SCORER)
def play(game_id: str, number: int) -> ResponseReturnValue:
    """Return a play with its events that count, to insert after it, add to it, move or edit it."""
    return jsonify(queries.play(game_id, number) or abort(404))


@blueprint.post("/<game_id>/preview")
@audience(SCORER)
@takes_json
@answers_refusals("entry")
def preview(game_id: str) -> ResponseReturnValue:
    """Return what an entry would change, before Enter; 422 if it would be refused.

    Nothing is written.
    """
    asked = msgspec.json.decode(request.get_data(), type=PreviewIn)
    events = [Submitted(event.body, event.play_number) for event in asked.entries]
    sections = services.preview(game_id, events, clock.now())
    return jsonify(moved=[{"title": section.title, "lines": section.lines} for section in sections])


@blueprint.get("/<game_id>/since/<int:epoch>")
@audience(SCORER)
def since(game_id: str, epoch: int) -> ResponseReturnValue:
    """Return the entries of later epochs, to be compared with entries that still wait."""
    game = queries.game(game_id) or abort(404)
    names = {
        player.id: player.name for player in roster.roster(game.id, game.home.id, game.away.id)
    }
    return jsonify(handover.since(game_id, epoch, names))


@blueprint.post("/<game_id>/form")
@audience(SCORER)
def enter_by_form(game_id: str) -> ResponseReturnValue:
    """Enter one event without JavaScript."""
    form = EventForm()
    if not form.validate_on_submit():
        return _show(game_id, form, status=422)
    holder, now = holder_of("form"), clock.now()
    try:
        leases.take(game_id, holder, now, take_over=bool(form.take_over.data))
        events = [Submitted(form.read())]
        services.enter(game_id, form.entry_key(), events, now, Sender(holder.console))
    except LeaseHeldError as error:
        form.take_over.errors = [f"{error} Tick this to do so."]
        return _show(game_id, form, status=422)
    except Refused as error:
        form.body.errors = [str(error)]
        return _show(game_id, form, status=422)
    return redirect(url_for("console.show", game_id=game_id), 303)
