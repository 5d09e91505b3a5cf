"""Pages about scores and boards, for staff and integrators: rollbacks, inspection, freezes.

Integrators see those of their own games.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.reauthentication import reauthenticated
from app.boards import services
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.queries import BoardNotFoundError
from app.boards.models import Mode, ScoreGame
from app.boards.player_names import display_names
from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.moderation import event_inspection, freezing, inspection, rollback
from app.moderation.forms import AuditReasonForm, BoardForm, RollbackForm
from app.moderation.models import Rollback
from app.moderation.rollback import Preview
from app.moderation.selection import Selection
from app.scores.review import corrections
from app.scores.review.moderators import STAFF, is_mine, moderated_attempt, my_games

blueprint = Blueprint("moderate_scores", __name__, url_prefix="/moderation")

ROWS = 20
LONGEST_REASON = 500


@blueprint.get("/rollbacks")
@audience(MEMBER, *STAFF)
@limit_costly_work
def rollbacks() -> ResponseReturnValue:
    """The form that selects scores, the preview of a selection, and the latest rollbacks."""
    return _rollbacks()


@blueprint.post("/rollbacks")
@audience(MEMBER, *STAFF)
@limit_costly_work
@reauthenticated
def roll_back() -> ResponseReturnValue:
    """Take back what was previewed."""
    selection, faults = _selection()
    if faults:
        return _rollbacks(faults)
    form = RollbackForm()
    outcome = rollback.make(
        selection,
        digest=form.digest.data,
        by=current_user.id,
        reason=form.reason.data,
        now=clock.now(),
    )
    if isinstance(outcome, list):
        return _rollbacks(outcome)
    return redirect(url_for("moderate_scores.rollbacks", done="taken"), 303)


@blueprint.get("/rollbacks/<uuid:rollback_id>/undo")
@audience(MEMBER, *STAFF)
@limit_costly_work
def undo_page(rollback_id: UUID) -> ResponseReturnValue:
    """The page that asks before a rollback is undone."""
    return _undo(rollback_id)


@blueprint.post("/rollbacks/<uuid:rollback_id>/undo")
@audience(MEMBER, *STAFF)
@limit_costly_work
@reauthenticated
def undo(rollback_id: UUID) -> ResponseReturnValue:
    """Undo a rollback."""
    _my_rollback(rollback_id)
    outcome = rollback.undo(
        rollback_id, by=current_user.id, reason=AuditReasonForm().reason.data, now=clock.now()
    )
    if isinstance(outcome, list):
        return _undo(rollback_id, outcome)
    return redirect(url_for("moderate_scores.rollbacks", done="undone"), 303)


@blueprint.get("/attempts/<uuid:event_id>")
@audience(MEMBER, *STAFF)
def attempt(event_id: UUID) -> ResponseReturnValue:
    """All that is known of an attempt; with `message`, its message in Kafka too."""
    return _attempt(event_id)


@blueprint.post("/attempts/<uuid:event_id>/<any(quarantine, restore):act>")
@audience(MEMBER, *STAFF)
@reauthenticated
def decide(event_id: UUID, act: str) -> ResponseReturnValue:
    """Take an attempt back, or let it count again."""
    moderated_attempt(event_id)
    reason = AuditReasonForm().reason.data.strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        sentence = f"Give a reason of 1 to {LONGEST_REASON} characters. It is kept."
        return _attempt(event_id, Refusal("no_reason", "reason", sentence))
    do = corrections.quarantine if act == "quarantine" else corrections.restore
    outcome = do(event_id, by=current_user.id, reason=reason, now=clock.now())
    if isinstance(outcome, Refusal):
        return _attempt(event_id, outcome)
    return redirect(url_for("moderate_scores.attempt", event_id=event_id, done=act), 303)


@blueprint.get("/events/<game_id>/<int:number>")
@audience(*STAFF)
def event(game_id: str, number: int) -> ResponseReturnValue:
    """All that is known of an event of the record."""
    inspected = event_inspection.inspect_event(game_id, number) if number < 2**31 else None
    if inspected is None:
        abort(404)
    row = inspected.outbox or inspected.rows[0]
    message = event_inspection.event_message(game_id, number, row.partition, row.offset)
    return respond(
        "moderation/event.html",
        game_id=game_id,
        number=number,
        inspection=inspected,
        message=message,
    )


@blueprint.get("/boards")
@audience(MEMBER, *STAFF)
def boards() -> ResponseReturnValue:
    """Frozen boards, and a board by name, as it is and as the public sees it."""
    return _boards()


@blueprint.post("/boards/<any(freeze, thaw):act>")
@audience(MEMBER, *STAFF)
@reauthenticated
def move_board(act: str) -> ResponseReturnValue:
    """Freeze or thaw a board."""
    form = BoardForm()
    board = _board(form.board.data)
    if isinstance(board, Refusal):
        return _boards(board)
    do = freezing.freeze if act == "freeze" else freezing.thaw
    outcome = do(board[2], by=current_user.id, reason=form.reason.data, now=clock.now())
    if isinstance(outcome, Refusal):
        return _boards(outcome)
    return redirect(url_for("moderate_scores.boards", board=form.board.data, done=act), 303)


def _rollbacks(faults: list[Refusal] | None = None) -> ResponseReturnValue:
    games = my_games()
    selection, wrong = _selection()
    preview: Preview | None = None
    faults = [*(faults or []), *wrong]
    if selection.document() and not wrong:
        answer = rollback.preview(selection)
        preview = answer if isinstance(answer, Preview) else None
        if isinstance(answer, list):
            faults += [refusal for refusal in answer if refusal not in faults]
    rollbacks = rollback.latest(games)
    return respond(
        "moderation/rollbacks.html",
        status=422 if faults else 200,
        faults=faults,
        typed=request.values,
        preview=preview,
        done=rollbacks,
        names=_names(
            {
                member_id
                for row in rollbacks
                for member_id in (row.made_by, row.undone_by)
                if member_id is not None
            }
        ),
        modes=_modes(),
        player_names=_player_names(preview),
    )


def _undo(rollback_id: UUID, faults: list[Refusal] | None = None) -> ResponseReturnValue:
    undone = _my_rollback(rollback_id)
    preview = rollback.preview_undo(rollback_id)
    if isinstance(preview, list):
        faults, preview = faults or preview, None  # type: ignore[assignment]
    return respond(
        "moderation/undo.html",
        status=422 if faults else 200,
        faults=faults or [],
        rollback=undone,
        preview=preview,
        player_names=_player_names(preview if isinstance(preview, Preview) else None),
    )


def _my_rollback(rollback_id: UUID) -> Rollback:
    games = my_games()
    mine = {rollback_row.id: rollback_row for rollback_row in rollback.latest(games, limit=1_000)}
    return mine.get(rollback_id) or abort(404)


def _selection() -> tuple[Selection, list[Refusal]]:
    """Read a selection from the form or the address, and what is wrong in it."""
    faults: list[Refusal] = []

    def uuid(name: str) -> UUID | None:
        text = request.values.get(name, "").strip()
        try:
            return UUID(text) if text else None
        except ValueError:
            faults.append(
                Refusal(
                    "bad_id",
                    name,
                    f"{name}: copy the ID from the page of the player or score.",
                )
            )
            return None

    def moment(name: str) -> datetime | None:
        text = request.values.get(name, "").strip()
        try:
            parsed = datetime.fromisoformat(text) if text else None
        except ValueError:
            faults.append(
                Refusal("bad_time", name, f"{name}: enter a time like 2026-04-05T22:00, in UTC.")
            )
            return None
        return (
            parsed.replace(tzinfo=UTC) if parsed is not None and parsed.tzinfo is None else parsed
        )

    def word(name: str) -> str | None:
        return request.values.get(name, "").strip() or None

    selection = Selection(
        mode_id=uuid("mode_id"),
        player_id=uuid("player_id"),
        event_id=uuid("event_id"),
        from_event=uuid("from_event"),
        window_id=word("window_id"),
        address=word("address"),
        device=word("device"),
        since=moment("since"),
        until=moment("until"),
        games=my_games(),
    )
    return selection, faults


def _attempt(event_id: UUID, fault: Refusal | None = None) -> ResponseReturnValue:
    row = moderated_attempt(event_id)
    looked = inspection.inspect(event_id)
    message = inspection.message(row) if "message" in request.args else None
    is_staff = current_user.has_role(*STAFF)
    status = 422 if fault else 200
    return respond(
        "moderation/attempt.html",
        status=status,
        inspection=looked,
        message=message,
        fault=fault,
        is_staff=is_staff,
    )


def _boards(fault: Refusal | None = None) -> ResponseReturnValue:
    games = my_games()
    name = request.values.get("board", "").strip()
    chosen = _board(name) if name and fault is None else None
    comparison = None
    if isinstance(chosen, Refusal):
        fault, chosen = chosen, None
    if chosen is not None:
        game, mode, _ = chosen
        window = name.split(":", 2)[2]
        public, live = (
            services.read(game, mode, window, live=is_live) for is_live in (False, True)
        )
        rows = {"public": public.board.page(0, ROWS), "live": live.board.page(0, ROWS)}
        members = {row.member for part in rows.values() for row in part}
        comparison = (rows, display_names(live, members, {}), mode, public.record)
    frozen = freezing.standing(games)
    status = 422 if fault else 200
    return respond(
        "moderation/boards.html",
        status=status,
        fault=fault,
        name=name,
        board_view=comparison,
        frozen=frozen,
    )


def _board(name: str) -> tuple[ScoreGame, Mode, int] | Refusal:
    games = my_games()
    try:
        record = catalogue.board_named(name)
    except BoardNotFoundError as error:
        return Refusal("no_board", "board", str(error))
    mode = db.session.get_one(Mode, record.mode_id)
    game = catalogue.game_of(mode)
    if not is_mine(game.id, games):
        return Refusal("no_board", "board", f"None of your games has a board {name}.")
    return game, mode, record.id


def _modes() -> list[tuple[UUID, str]]:
    games = my_games()
    query = select(Mode.id, ScoreGame.title, Mode.title).join(
        ScoreGame, ScoreGame.id == Mode.game_id
    )
    if games is not None:
        query = query.where(ScoreGame.id.in_(games))
    rows = db.session.execute(query.order_by(ScoreGame.title, Mode.title, Mode.id))
    return [(number, f"{game}, {mode}") for number, game, mode in rows]


def _player_names(preview: Preview | None) -> dict[UUID, str]:
    from app.accounts.players import names_of

    boards = preview.boards if preview is not None else ()
    moves = [move for board in boards for move in board.preview.moves]
    return names_of({move.player_id for move in moves})


def _names(members: set[int]) -> dict[int, str]:
    return dict(
        db.session.execute(
            select(Member.id, Member.display_name).where(Member.id.in_(members))
        ).all()
    )
