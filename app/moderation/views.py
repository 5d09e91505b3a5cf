"""Pages of moderators: what waits for them, players with their sanctions and notes, the audit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, time
from uuid import UUID

from flask import Blueprint, Response, abort, redirect, request, stream_with_context, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.accounts.reauthentication import reauthenticated
from app.accounts.services import find_person
from app.audit import log as audit
from app.audit import queries as audit_queries
from app.audit import words
from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.audit.rights import rights
from app.core import clock
from app.core.csv_writing import csv_lines, csv_text
from app.core.db import db
from app.core.http.access import audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import respond
from app.core.http.sent_numbers import form_number
from app.core.numbers import MAX_ID, whole_number
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.moderation import appealing, freezing, inbox, naming, sanctions
from app.moderation import done as done_words
from app.moderation.forms import AppealDecisionForm, AuditReasonForm, SanctionForm, TextForm
from app.moderation.search import fingerprints_of, search
from app.scores.review.moderators import STAFF

blueprint = Blueprint("moderate", __name__, url_prefix="/moderation")
blueprint.add_app_template_global(done_words.sentence, "act_done")

FOUND = 25
AUDIT_ROWS = 50
NOBODY = "Pressbox, or someone who was not signed in,"


@blueprint.get("")
@audience(*STAFF)
def home() -> ResponseReturnValue:
    """What waits: reports, appeals, frozen boards."""
    return _home()


@blueprint.post("/reports/<int:report_id>/close")
@audience(*STAFF)
def close_report(report_id: int) -> ResponseReturnValue:
    """Close a report."""
    outcome = inbox.close_report(
        report_id, by=current_user.id, outcome=AuditReasonForm().reason.data, now=clock.now()
    )
    if isinstance(outcome, Refusal):
        return _home(outcome)
    return redirect(url_for("moderate.home", done="report"), 303)


@blueprint.post("/appeals/<int:appeal_id>/decide")
@audience(*STAFF)
@reauthenticated
def decide_appeal(appeal_id: int) -> ResponseReturnValue:
    """Decide an appeal."""
    form = AppealDecisionForm()
    granted = form.decision.data == "grant"
    outcome = appealing.decide(
        appeal_id, granted=granted, by=current_user.id, answer=form.reason.data, now=clock.now()
    )
    if isinstance(outcome, Refusal):
        return _home(outcome)
    return redirect(url_for("moderate.home", done="granted" if granted else "declined"), 303)


@blueprint.get("/players")
@audience(*STAFF)
def players() -> ResponseReturnValue:
    """Accounts by name, username, id or fingerprint."""
    term = request.args.get("q", "").strip()
    accounts = search(term, FOUND) if term else None
    return respond("moderation/players.html", query=term, search=accounts, most=FOUND)


@blueprint.get("/members/<int:member_id>")
@audience(*STAFF)
def member(member_id: int) -> ResponseReturnValue:
    """Redirect to the page of this member, who may never have used a board."""
    member_row = find_person(member_id) or abort(404)
    return redirect(url_for("moderate.player", player_id=player_of(member_row).id))


@blueprint.get("/players/<uuid:player_id>")
@audience(*STAFF)
def player(player_id: UUID) -> ResponseReturnValue:
    """A player's page for moderators."""
    return _player(player_id)


@blueprint.post("/players/<uuid:player_id>/sanction")
@audience(*STAFF)
@reauthenticated
def sanction(player_id: UUID) -> ResponseReturnValue:
    """Impose a sanction."""
    form = SanctionForm()
    is_suspension = form.kind.data == sanctions.SUSPENSION and form.until.data is not None
    until = datetime.combine(form.until.data, time(), UTC) if is_suspension else None
    measure = sanctions.Measure(form.kind.data, until, _shown())
    outcome = sanctions.impose(
        player_id, measure, by=current_user.id, reason=form.reason.data, now=clock.now()
    )
    return _done(player_id, outcome, "sanction")


@blueprint.post("/players/<uuid:player_id>/lift")
@audience(*STAFF)
@reauthenticated
def lift(player_id: UUID) -> ResponseReturnValue:
    """Lift a sanction."""
    outcome = sanctions.lift(
        player_id,
        by=current_user.id,
        reason=AuditReasonForm().reason.data,
        now=clock.now(),
        page_state=_shown(),
    )
    return _done(player_id, outcome, "lift")


def _shown() -> sanctions.Shown:
    """The sanction that the form was made for."""
    return sanctions.Shown(form_number("standing", most=MAX_ID))


@blueprint.post("/players/<uuid:player_id>/note")
@audience(*STAFF)
def note(player_id: UUID) -> ResponseReturnValue:
    """Add a note."""
    _require_player(player_id)
    outcome = inbox.note(player_id, TextForm().text.data, by=current_user.id, now=clock.now())
    return _done(player_id, outcome, "note")


@blueprint.post("/players/<uuid:player_id>/rename")
@audience(*STAFF)
@reauthenticated
def rename(player_id: UUID) -> ResponseReturnValue:
    """Take an offensive name away; the player has a plain one until a moderator frees it."""
    return _done(
        player_id, naming.take_name(player_id, by=current_user.id, reason=_reason()), "rename"
    )


@blueprint.post("/players/<uuid:player_id>/free-name")
@audience(*STAFF)
@reauthenticated
def free_name(player_id: UUID) -> ResponseReturnValue:
    """Give the player the name back that they chose last."""
    return _done(
        player_id, naming.free_name(player_id, by=current_user.id, reason=_reason()), "free_name"
    )


@blueprint.post("/players/<uuid:player_id>/picture/remove")
@audience(*STAFF)
@reauthenticated
def remove_picture(player_id: UUID) -> ResponseReturnValue:
    """Remove the picture beside the member's name."""
    return _done(
        player_id, naming.remove_picture(player_id, by=current_user.id, reason=_reason()), "picture"
    )


@blueprint.post("/players/<uuid:player_id>/minor")
@audience(*STAFF)
@reauthenticated
def mark_minor(player_id: UUID) -> ResponseReturnValue:
    """Mark a minor, who gets an opaque name and no open social features."""
    return _done(
        player_id, naming.mark_minor(player_id, by=current_user.id, reason=_reason()), "minor"
    )


@blueprint.post("/players/<uuid:player_id>/no-minor")
@audience(*STAFF)
@reauthenticated
def unmark_minor(player_id: UUID) -> ResponseReturnValue:
    """Take the mark of a minor back, with the name that they had."""
    return _done(
        player_id, naming.unmark_minor(player_id, by=current_user.id, reason=_reason()), "no_minor"
    )


def _reason() -> str:
    return str(AuditReasonForm().reason.data)


@blueprint.get("/audit")
@audience(*STAFF)
def audit_page() -> ResponseReturnValue:
    """The audit, filtered, newest first."""
    filters, number = _wanted(), page_number()
    entries, total = audit_queries.page(filters, number, AUDIT_ROWS)
    pages = page_count(total, AUDIT_ROWS)
    if number > pages:
        abort(404)
    return respond(
        "moderation/audit.html",
        entries=_in_words(entries),
        total=total,
        number=number,
        pages=pages,
        acts=words.acts(),
        rights=rights(),
        chosen=request.args,
    )


def _in_words(entries: Sequence[AuditEntry]) -> list[tuple[AuditEntry, str, list[str]]]:
    """Return each entry with its sentence and its details in words."""
    names = _subject_names(entries)
    sentences = []
    for entry in entries:
        who = (
            names.get(f"member:{entry.actor_id}", f"Member {entry.actor_id}")
            if entry.actor_id
            else NOBODY
        )
        sentence = words.sentence(entry.act, who, entry.subject, names.get(entry.subject))
        sentences.append((entry, sentence, words.details(entry.act, entry.details)))
    return sentences


def _subject_names(entries: Sequence[AuditEntry]) -> dict[str, str]:
    """Load the names of the players and members of these entries, by subject, in two queries."""
    about = [tuple(entry.subject.split(":", 1)) for entry in entries if ":" in entry.subject]
    members = {
        number
        for kind, of in about
        if kind == "member" and (number := whole_number(of, most=MAX_ID))
    }
    named = {
        f"member:{key}": name
        for key, name in _names(members | {entry.actor_id for entry in entries}).items()
    }
    players = {of for kind, of in about if kind == "player"}
    query = select(Player.id, Player.display_name).where(Player.id.in_(players))
    return named | {f"player:{key}": name for key, name in db.session.execute(query)}


@blueprint.get("/audit.csv")
@audience(*STAFF)
def audit_csv() -> ResponseReturnValue:
    """The same entries as a file, oldest first. The download is audited."""
    audit.record(Act.AUDIT_EXPORTED, actor_id=current_user.id, details=dict(request.args))
    db.session.commit()
    body = stream_with_context(_csv(_wanted(), for_excel=request.args.get("excel") == "1"))
    return Response(
        body, mimetype="text/csv", headers={"Content-Disposition": "attachment; filename=audit.csv"}
    )


def _csv(filters: audit_queries.Wanted, *, for_excel: bool) -> Iterator[str]:
    columns = ("id", "at", "act", "actor_id", "subject", "reason", "details", "personal", "hash")
    yield csv_text(columns, [], for_excel=for_excel)
    for entry in audit_queries.every(filters):
        cells = (getattr(entry, name) for name in columns)
        yield csv_lines([["" if cell is None else str(cell) for cell in cells]])


def _wanted() -> audit_queries.Wanted:
    query = request.args
    act, actor = query.get("act", ""), query.get("actor", "").strip()
    actor_id = None
    if actor:
        actor_id = db.session.scalar(select(Member.id).where(Member.username == actor)) or -1
    return audit_queries.Wanted(
        acts=[act] if act else None,
        actor_id=actor_id,
        subject=query.get("subject", "").strip() or None,
        since=_day(query.get("since", "")),
        until=_day(query.get("until", "")),
    )


def _home(fault: Refusal | None = None) -> ResponseReturnValue:
    return respond(
        "moderation/home.html",
        status=422 if fault else 200,
        fault=fault,
        reports=inbox.open_reports(),
        appeals=appealing.open_appeals(),
        kinds=inbox.KINDS,
        frozen=freezing.standing(None),
    )


def _require_player(player_id: UUID) -> Player:
    return db.session.get(Player, player_id, populate_existing=True) or abort(404)


def _done(player_id: UUID, outcome: object, act: str) -> ResponseReturnValue:
    if isinstance(outcome, Refusal):
        return _player(player_id, outcome)
    return redirect(url_for("moderate.player", player_id=player_id, done=act), 303)


def _player(player_id: UUID, fault: Refusal | None = None) -> ResponseReturnValue:
    player_row = _require_player(player_id)
    member = (
        db.session.get(Member, player_row.member_id) if player_row.member_id is not None else None
    )
    imposed = sanctions.of_player(player_id)
    by = {
        member_id
        for row in imposed
        for member_id in (row.imposed_by, row.lifted_by)
        if member_id is not None
    }
    return respond(
        "moderation/player.html",
        status=422 if fault else 200,
        fault=fault,
        player=player_row,
        member=member,
        standing=next(
            (sanction_row for sanction_row in imposed if sanction_row.lifted_at is None), None
        ),
        sanctions=imposed,
        names=_names(by),
        notes=inbox.notes_of(player_id),
        reports=inbox.reports_of(player_id),
        appeals=appealing.of_player(player_id),
        kinds=inbox.KINDS,
        fingerprints=fingerprints_of(player_row),
    )


def _names(members: Collection[int | None]) -> dict[int, str]:
    return dict(
        db.session.execute(
            select(Member.id, Member.display_name).where(Member.id.in_(members))
        ).all()
    )


def _day(text: str) -> datetime | None:
    """Return the beginning of that day in UTC, or None if it is not a date."""
    try:
        return datetime.combine(
            datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date(), time(), UTC
        )
    except ValueError:
        return None
