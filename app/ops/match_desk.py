"""The operators' pages of matches that members guess: decisions, with a preview.

Deciding is in app/predictions/decisions/services.py; games of Pressbox's own record are in
scorer_console/games/desk_views.py.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import HiddenField, SelectField, StringField

from app.accounts.reauthentication import reauthenticated
from app.core import clock
from app.core.http.access import audience
from app.core.http.pagination import page_number
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.predictions import tournaments
from app.predictions.decisions import previews, queries
from app.predictions.decisions import services as decisions
from app.predictions.decisions.previews import Preview
from app.predictions.decisions.queries import MatchRow
from app.predictions.decisions.refusals import LONGEST_REASON
from app.predictions.decisions.services import Done, Order
from app.predictions.matches import overruling
from app.predictions.matches.overruling import MERGE, REDATE, VOID

blueprint = Blueprint("match_desk", __name__, url_prefix="/ops/matches")

ROWS = 50
UNVOID, RELEASE = "unvoid", "release"
ACTS = {
    VOID: "Void it",
    REDATE: "Give it a new kickoff",
    MERGE: "Merge it into its replacement",
    UNVOID: "Count it again",
    RELEASE: "Use the provider's kickoff again",
}


class _Decision(NamedTuple):
    """What an operator decides: one of ACTS, with what it needs."""

    act: str
    kickoff: datetime | None
    into: UUID | None


class MatchActForm(FlaskForm):
    """A decision about a match."""

    what = SelectField("Decision", validate_choice=False)
    kickoff = StringField(
        "New kickoff (UTC)",
        description="Only with a new kickoff.",
        render_kw={"type": "datetime-local"},
    )
    into = SelectField(
        "Replacement match",
        validate_choice=False,
        description="Only to merge. Must have the same two teams.",
    )
    reason = StringField("Reason", description="Kept in the audit log with your name.")
    how = HiddenField()
    digest = HiddenField()

    def read(self) -> _Decision | None:
        """Return the decision; None, with errors at the fields, if something is missing."""
        decision = _Decision(
            self.what.data or "", _kickoff(self.kickoff.data or ""), _uuid(self.into.data or "")
        )
        if decision.act not in ACTS:
            self.what.errors = ["Choose a decision."]
        if decision.act == REDATE and decision.kickoff is None:
            self.kickoff.errors = ["Enter day and time in UTC, e.g. 2026-10-13T19:00."]
        if decision.act == MERGE and decision.into is None:
            self.into.errors = ["Choose the replacement match."]
        if not 1 <= len((self.reason.data or "").strip()) <= LONGEST_REASON:
            self.reason.errors = [
                f"Give a reason of up to {LONGEST_REASON} characters. It is kept in the audit log."
            ]
        return None if any(field.errors for field in self) else decision

    def offer(self, row: MatchRow, standing: set[str]) -> None:
        """Offer the acts that are possible now, and the matches that can take its place."""
        without = {VOID, REDATE} if VOID in standing else {UNVOID}
        if REDATE not in standing:
            without.add(RELEASE)
        self.what.choices = [
            ("", "Choose"),
            *((act, words) for act, words in ACTS.items() if act not in without),
        ]
        others = queries.could_replace(row.match)
        self.into.choices = [
            ("", "Choose"),
            *((str(other.match.id), _choice(other)) for other in others),
        ]


@blueprint.get("")
@audience("operator")
def index() -> ResponseReturnValue:
    """Decisions that stand; with `tournament` its matches, those that wait first."""
    tournament_id, now = _uuid(request.args.get("tournament", "")), clock.now()
    chosen = tournaments.find(tournament_id) if tournament_id is not None else None
    if chosen is None and request.args.get("tournament"):
        abort(404)
    number, word = page_number(), request.args.get("status", "")
    rows = queries.decided() if chosen is None else []
    if chosen is not None:
        rows = queries.of_tournament(chosen.id, word, (number - 1) * ROWS, ROWS + 1)
    if number > 1 and not rows:
        abort(404)
    return respond(
        "ops/matches.html",
        chosen=chosen,
        word=word,
        rows=rows[:ROWS] if chosen else rows,
        has_more=chosen is not None and len(rows) > ROWS,
        page=number,
        acts=queries.acts(row.match.id for row in rows),
        tournaments=tournaments.listed(),
        state=lambda match: queries.state(match, now),
    )


@blueprint.get("/<uuid:match_id>")
@audience("operator")
def match(match_id: UUID) -> ResponseReturnValue:
    """What is known of the match, what was decided about it, and the form."""
    return _match(match_id, MatchActForm(formdata=None))


@blueprint.post("/<uuid:match_id>")
@audience("operator")
@reauthenticated
def decide(match_id: UUID) -> ResponseReturnValue:
    """Preview what the decision would change or, from the preview, carry it out."""
    queries.find(match_id) or abort(404)
    form, now = MatchActForm(), clock.now()
    decision = form.read()
    if decision is None:
        return _match(match_id, form, status=422)
    if form.how.data != "run":
        preview = _preview(match_id, decision, now)
        if isinstance(preview, Refusal):
            return _match(match_id, form, status=422, fault=preview.text)
        return _match(match_id, form, preview=preview)
    order = Order(int(current_user.get_id()), form.reason.data or "", now, form.digest.data or "")
    outcome = _run(match_id, decision, order)
    if isinstance(outcome, Refusal):
        return _match(match_id, form, status=422, fault=outcome.text)
    return redirect(url_for("match_desk.match", match_id=match_id), 303)


def _preview(match_id: UUID, decision: _Decision, now: datetime) -> Preview | Refusal:
    if decision.act == REDATE and decision.kickoff is not None:
        return previews.of_redate(match_id, decision.kickoff, now)
    if decision.act == MERGE and decision.into is not None:
        return previews.of_merge(match_id, decision.into)
    preview_of = {
        VOID: previews.of_void,
        UNVOID: previews.of_unvoid,
        RELEASE: previews.of_release,
    }
    return preview_of[decision.act](match_id)


def _run(match_id: UUID, decision: _Decision, order: Order) -> Done | Refusal:
    if decision.act == REDATE and decision.kickoff is not None:
        return decisions.redate(match_id, decision.kickoff, order)
    if decision.act == MERGE and decision.into is not None:
        return decisions.merge(match_id, decision.into, order)
    carry_out = {VOID: decisions.void, UNVOID: decisions.unvoid, RELEASE: decisions.release}
    return carry_out[decision.act](match_id, order)


def _match(
    match_id: UUID,
    form: MatchActForm,
    status: int = 200,
    fault: str = "",
    preview: Preview | None = None,
) -> ResponseReturnValue:
    row = queries.find(match_id) or abort(404)
    acts = queries.acts([match_id]).get(match_id, [])
    form.offer(row, {item.act.kind for item in acts if item.act.ended_at is None})
    return respond(
        "ops/match.html",
        match_row=row,
        form=form,
        acts=acts,
        provided=overruling.provided(row.match),
        guesses=queries.guesses(match_id),
        state=queries.state(row.match, clock.now()),
        fault=fault,
        preview=preview,
        status=status,
    )


def _choice(row: MatchRow) -> str:
    kickoff = f"{row.match.kickoff:%-d %b %Y %H:%M} UTC" if row.match.kickoff else "no date yet"
    return f"{row.match.external_id}: {row.name}, {row.round}, {kickoff}"


def _kickoff(typed: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(typed)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # no moment, or one before the year 1 in UTC
        return None


def _uuid(typed: str) -> UUID | None:
    try:
        return UUID(typed)
    except ValueError:
        return None
