"""The operators' page of games that are not played as planned.

What becomes of one, with a preview, audited.

Not here: doing it (declaring.py, app/fantasy/gameweeks/moving.py); the other pages of the area
(app/ops/pages.py).
"""

from __future__ import annotations

from datetime import datetime
from typing import cast, get_args

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts.reauthentication import reauthenticated
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock
from app.core.db import db
from app.core.errors import UserError
from app.core.http.access import audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.gameweeks import moving, unplayed
from app.record import queries as record
from app.record.events import Declared, GameStatus, InvalidEventError, check
from scorer_console import queries
from scorer_console.entry.forms import ZONES, DeclareForm, RegistrationForm
from scorer_console.entry.rules import kickoff_utc
from scorer_console.games import declaring
from scorer_console.games.registering import correct_registration
from scorer_console.lease import leases

blueprint = Blueprint("game_desk", __name__, url_prefix="/ops/games")

ROWS = 50
LONGEST_REASON = 500
MOVED = "moved"
_MOMENT = "%a %d %b %Y %H:%M"
WORDS = {
    "postponed": (
        "Postponed: no gameweek waits for it. It counts where it is played, or as each league's "
        "rules say."
    ),
    "suspended": "Suspended: it has begun and goes on later; its gameweek waits.",
    "cancelled": "Cancelled: nothing of it counts, and its gameweek settles without it.",
    "forfeited": "Forfeited: it is over as it stands.",
    "scheduled": "Played after all.",
}


@blueprint.get("")
@audience("operator")
def games() -> ResponseReturnValue:
    """Games that are still to be played, or were not: those that need somebody first."""
    number, now = page_number(), clock.now()
    shown = unplayed.open_games(now, (number - 1) * ROWS, ROWS)
    if number > 1 and not shown:
        abort(404)
    return respond(
        "ops/games.html",
        games=shown,
        page=number,
        pages=page_count(unplayed.open_games_count(), ROWS),
        now=now,
    )


@blueprint.get("/<game_id>")
@audience("operator")
def game(game_id: str) -> ResponseReturnValue:
    """What is known of the game, and the form."""
    return _game(game_id, DeclareForm(formdata=None))


@blueprint.post("/<game_id>")
@audience("operator")
@reauthenticated
def decide(game_id: str) -> ResponseReturnValue:
    """A preview of what would change; or, from there, the act."""
    form = DeclareForm()
    found = record.game(game_id) or abort(404)
    reason, now = (form.reason.data or "").strip(), clock.now()
    kickoff = _kickoff(form) if form.what.data == MOVED else None
    if form.what.data not in (MOVED, *get_args(Declared)):
        form.what.errors = [*form.what.errors, "Choose what becomes of the game."]
    if not reason:
        form.reason.errors = [
            *form.reason.errors,
            "Say why; it is kept in the record and in the audit.",
        ]
    if any(field.errors for field in form):
        return _game(game_id, form, status=422)
    try:
        check(GameStatus(status="scheduled", reason=reason))
        if request.form.get("how") != "run":
            return _game(game_id, form, preview=_preview(found, form.what.data, kickoff, now))
        _run(found.id, form.what.data, kickoff, reason, now, over=bool(form.take_over.data))
    except InvalidEventError:
        form.reason.errors = ["Use up to 500 characters."]
        return _game(game_id, form, status=422)
    except UserError as error:
        db.session.rollback()
        return _game(game_id, form, status=422, fault=str(error))
    return redirect(url_for("game_desk.game", game_id=game_id), 303)


@blueprint.post("/<game_id>/registration")
@audience("operator")
@reauthenticated
def correct(game_id: str) -> ResponseReturnValue:
    """Other clubs or another competition, before the first event."""
    record.game(game_id) or abort(404)
    form = RegistrationForm()
    form.offer([(club.id, club.name) for club in queries.clubs()])
    reason = (form.why.data or "").strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        form.why.errors = [
            f"Say why, in up to {LONGEST_REASON} characters; it is kept in the audit."
        ]
        return _game(game_id, DeclareForm(formdata=None), status=422, registration=form)
    typed = (
        form.home_id.data or "",
        form.away_id.data or "",
        (form.competition.data or "").strip(),
    )
    try:
        correct_registration(game_id, *typed, reason, int(current_user.get_id()))
    except UserError as error:
        form.competition.errors = [str(error)]
        return _game(game_id, DeclareForm(formdata=None), status=422, registration=form)
    return redirect(url_for("game_desk.game", game_id=game_id), 303)


def _kickoff(form: DeclareForm) -> datetime | None:
    moment, faults = kickoff_utc(form.kickoff.data or "", form.zone.data or "")
    for name, words in faults.items():
        form[name].errors = [*form[name].errors, words]
    return moment


def _run(
    game_id: str, what: str, kickoff: datetime | None, reason: str, now: datetime, *, over: bool
) -> None:
    """The audit has it before it begins, so that nothing is done of which it does not know.

    What is refused is refused before the audit says that it was done.
    """
    name = str(current_user.display_name)
    lease = leases.current(game_id)
    if lease is not None and lease.is_live(now) and not over:
        raise leases.LeaseHeldError(
            f"{lease.holder} is scoring this game: ask them, or say that you take it over."
        )
    if kickoff is not None:
        moving.plan(game_id, kickoff, now)
    elif declaring.status_of(game_id) == what:
        raise declaring.NothingNewError(f"The game is {what} already.")
    act = Act.GAME_DECLARED if kickoff is None else Act.GAME_MOVED
    details = {"becomes": what} if kickoff is None else {"kickoff": kickoff.isoformat()}
    audit.record(
        act,
        actor_id=int(current_user.get_id()),
        subject=f"game:{game_id}",
        reason=reason,
        details=details,
    )
    db.session.commit()
    if kickoff is None:
        declaring.declare(game_id, cast(Declared, what), reason, now, name=name, over=over)
    else:
        declaring.move(game_id, kickoff, reason, now, name=name, over=over)


def _preview(
    found: record.GameRow, what: str, kickoff: datetime | None, now: datetime
) -> list[str]:
    """What would change, in sentences."""
    if kickoff is not None:
        return _move_words(moving.plan(found.id, kickoff, now))
    if declaring.status_of(found.id) == what:
        raise declaring.NothingNewError(f"The game is {what} already.")
    words = [WORDS[what]]
    stake = unplayed.stake(found.id)
    if stake is None:
        return [*words, "It belongs to no gameweek."]
    if what == "cancelled" and stake.players:
        words.append(
            f"Footballers who lose points in it: {stake.players}; team sheets with one of them: "
            f"{stake.sheets}."
        )
    if what in ("postponed", "cancelled", "forfeited") and not stake.is_settled:
        rest = (
            f"still waits for {stake.awaited} other game{'s' * (stake.awaited > 1)}"
            if stake.awaited
            else "can settle within minutes"
        )
        words.append(f"{stake.gameweek} {rest}.")
    if stake.is_settled:
        words.append(
            f"{stake.gameweek} is settled: where points change, its results are written anew and "
            "members told."
        )
    return words


def _move_words(plan: moving.Move) -> list[str]:
    there = plan.gameweek or f"week {plan.week}"
    words = [
        f"The kickoff moves from {plan.kickoff_before:{_MOMENT}} to {plan.kickoff:{_MOMENT}} UTC."
    ]
    words += [
        f"It moves from {plan.gameweek_before} to {there}."
        if plan.leaves
        else f"It stays in {there}."
    ]
    if plan.without:
        words.append(
            f"In {plan.without} of {plan.leagues} leagues it counts no more, by their rules."
        )
    words += [
        f"The deadline of {one.gameweek} moves from {one.before:{_MOMENT}} to "
        f"{one.after:{_MOMENT}} UTC."
        for one in plan.deadlines
    ]
    return words


def _game(
    game_id: str,
    form: DeclareForm,
    status: int = 200,
    fault: str = "",
    preview: list[str] | None = None,
    registration: RegistrationForm | None = None,
) -> ResponseReturnValue:
    found = record.game(game_id) or abort(404)
    if registration is None:
        known = queries.game(game_id) or abort(404)
        now_so = {
            "home_id": known.home.id,
            "away_id": known.away.id,
            "competition": known.competition,
        }
        registration = RegistrationForm(formdata=None, data=now_so)
        registration.offer([(club.id, club.name) for club in queries.clubs()])
    lease = leases.current(game_id)
    return respond(
        "ops/game.html",
        game=found,
        form=form,
        registration=registration,
        zones=ZONES,
        stake=unplayed.stake(game_id),
        scorer=lease.holder if lease and lease.is_live(clock.now()) else None,
        fault=fault,
        preview=preview,
        status=status,
    )
