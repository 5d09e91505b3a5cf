"""The operators' page of games that are not played as planned: preview, act, audit.

The acts themselves are in declaring.py and app/fantasy/gameweeks/moving.py, the other pages of the
area in app/ops/pages.py.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from scorer_console.entry.forms import ZONES, DeclareForm, RegistrationForm, add_faults
from scorer_console.entry.rules import kickoff_utc
from scorer_console.games import declaring
from scorer_console.games.declaring import Declarer
from scorer_console.games.registering import correct_registration
from scorer_console.lease import leases

blueprint = Blueprint("game_desk", __name__, url_prefix="/ops/games")

ROWS = 50
LONGEST_REASON = 500
MOVED = "moved"
_MOMENT = "%a %d %b %Y %H:%M"
WORDS = {
    "postponed": (
        "Postponed: no week waits for it. It counts in the week it is played, or as each "
        "league's rules say."
    ),
    "suspended": "Suspended: it continues later, and its week waits.",
    "cancelled": "Cancelled: nothing counts, and its week settles without it.",
    "forfeited": "Forfeited: it is over with the current score.",
    "scheduled": "Played after all.",
}


@blueprint.get("")
@audience("operator")
def games() -> ResponseReturnValue:
    """Show games that were not or not yet played; those that need an operator come first."""
    number, now = page_number(), clock.now()
    games_page = unplayed.open_games(now, (number - 1) * ROWS, ROWS)
    if number > 1 and not games_page:
        abort(404)
    return respond(
        "ops/games.html",
        games=games_page,
        page=number,
        pages=page_count(unplayed.open_games_count(), ROWS),
        now=now,
    )


@blueprint.get("/<game_id>")
@audience("operator")
def game(game_id: str) -> ResponseReturnValue:
    """Show a game, and the form."""
    return _game(game_id, DeclareForm(formdata=None))


@dataclass(frozen=True)
class Decision:
    """An operator's decision about a game. `kickoff` is the new one, if the game is moved."""

    game_id: str
    becomes: str
    kickoff: datetime | None
    reason: str
    take_over: bool


@blueprint.post("/<game_id>")
@audience("operator")
@reauthenticated
def decide(game_id: str) -> ResponseReturnValue:
    """Preview the changes of a decision or, if the preview was confirmed, carry it out."""
    record.game(game_id) or abort(404)
    form = DeclareForm()
    decision = _decision(game_id, form)
    if decision is None:
        return _game(game_id, form)
    try:
        if request.form.get("how") != "run":
            return _game(game_id, form, preview=_preview(decision, clock.now()))
        _run(decision, clock.now())
    except UserError as error:
        db.session.rollback()
        return _game(game_id, form, fault=str(error))
    return redirect(url_for("game_desk.game", game_id=game_id), 303)


def _decision(game_id: str, form: DeclareForm) -> Decision | None:
    """Return the decision in the form; None if it is invalid, and then the fields say why."""
    reason = (form.reason.data or "").strip()
    kickoff = _kickoff(form) if form.what.data == MOVED else None
    if form.what.data not in (MOVED, *get_args(Declared)):
        add_faults(form, {"what": "Choose the new status of the game."})
    if not reason:
        add_faults(
            form, {"reason": "Give a reason. It is kept in the record and in the audit log."}
        )
    if any(field.errors for field in form):
        return None
    try:
        check(GameStatus(status="scheduled", reason=reason))
    except InvalidEventError:
        form.reason.errors = ["Use up to 500 characters."]
        return None
    return Decision(game_id, form.what.data, kickoff, reason, bool(form.take_over.data))


@blueprint.post("/<game_id>/registration")
@audience("operator")
@reauthenticated
def correct(game_id: str) -> ResponseReturnValue:
    """Correct the clubs or the competition, before the first event."""
    record.game(game_id) or abort(404)
    form = RegistrationForm()
    form.offer([(club.id, club.name) for club in queries.clubs()])
    reason = (form.why.data or "").strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        form.why.errors = [
            f"Give a reason of up to {LONGEST_REASON} characters. It is kept in the audit log."
        ]
        return _game(game_id, DeclareForm(formdata=None), form)
    try:
        correct_registration(game_id, form.correction(), reason, int(current_user.get_id()))
    except UserError as error:
        form.competition.errors = [str(error)]
        return _game(game_id, DeclareForm(formdata=None), form)
    return redirect(url_for("game_desk.game", game_id=game_id), 303)


def _kickoff(form: DeclareForm) -> datetime | None:
    moment, faults = kickoff_utc(form.kickoff.data or "", form.zone.data or "")
    add_faults(form, faults)
    return moment


def _run(decision: Decision, now: datetime) -> None:
    """Carry the decision out after writing it to the audit, so that the audit is complete.

    Refusals are raised before the audit is written.
    """
    by = Declarer(str(current_user.display_name), decision.take_over)
    game_id, becomes, kickoff = decision.game_id, decision.becomes, decision.kickoff
    lease = leases.current(game_id)
    if lease is not None and lease.is_live(now) and not by.take_over:
        raise leases.LeaseHeldError(
            f"{lease.holder} is scoring this game. Ask them, or tick that you take it over."
        )
    if kickoff is not None:
        moving.plan(game_id, kickoff, now)
    else:
        _refuse_nothing_new(decision)
    audit.record(
        Act.GAME_DECLARED if kickoff is None else Act.GAME_MOVED,
        actor_id=int(current_user.get_id()),
        subject=f"game:{game_id}",
        reason=decision.reason,
        details={"becomes": becomes} if kickoff is None else {"kickoff": kickoff.isoformat()},
    )
    db.session.commit()
    if kickoff is None:
        declaring.declare(game_id, cast(Declared, becomes), decision.reason, now, by)
    else:
        declaring.move(game_id, kickoff, decision.reason, now, by)


def _refuse_nothing_new(decision: Decision) -> None:
    if declaring.status_of(decision.game_id) == decision.becomes:
        raise declaring.NothingNewError(f"The game is already {decision.becomes}.")


def _preview(decision: Decision, now: datetime) -> list[str]:
    """Describe the changes of a decision in sentences."""
    if decision.kickoff is not None:
        return _move_words(moving.plan(decision.game_id, decision.kickoff, now))
    _refuse_nothing_new(decision)
    words = [WORDS[decision.becomes]]
    stake = unplayed.stake(decision.game_id)
    if stake is None:
        return [*words, "It is not part of any week."]
    if decision.becomes == "cancelled" and stake.players:
        words.append(
            f"Players who lose points: {stake.players}. Lineups with one of them: {stake.sheets}."
        )
    if decision.becomes in ("postponed", "cancelled", "forfeited") and not stake.is_settled:
        consequence = (
            f"still waits for {stake.awaited} other game{'s' * (stake.awaited > 1)}"
            if stake.awaited
            else "can settle within minutes"
        )
        words.append(f"{stake.gameweek} {consequence}.")
    if stake.is_settled:
        words.append(
            f"{stake.gameweek} is settled. If points change, its results are updated and members "
            "are notified."
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
            f"In {plan.without} of {plan.leagues} leagues it no longer counts, by their rules."
        )
    words += [
        f"The deadline of {deadline.gameweek} moves from {deadline.before:{_MOMENT}} to "
        f"{deadline.after:{_MOMENT}} UTC."
        for deadline in plan.deadlines
    ]
    return words


def _game(
    game_id: str,
    form: DeclareForm,
    registration: RegistrationForm | None = None,
    *,
    fault: str = "",
    preview: list[str] | None = None,
) -> ResponseReturnValue:
    """Render the page of a game, with 422 if there are errors on it."""
    game = record.game(game_id) or abort(404)
    registration = registration or _registration(game_id)
    lease = leases.current(game_id)
    is_faulty = bool(fault) or any(field.errors for field in (*form, *registration))
    return respond(
        "ops/game.html",
        game=game,
        form=form,
        registration=registration,
        zones=ZONES,
        stake=unplayed.stake(game_id),
        scorer=lease.holder if lease and lease.is_live(clock.now()) else None,
        fault=fault,
        preview=preview,
        status=422 if is_faulty else 200,
    )


def _registration(game_id: str) -> RegistrationForm:
    """Return the form, filled with the game's registration."""
    game = queries.game(game_id) or abort(404)
    form = RegistrationForm(
        formdata=None,
        data={"home_id": game.home.id, "away_id": game.away.id, "competition": game.competition},
    )
    form.offer([(club.id, club.name) for club in queries.clubs()])
    return form
