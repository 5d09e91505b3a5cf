"""Imposing and lifting bans, suspensions and shadow bans (decision 0022).

Sanctioned players stand on no board: every board checks `players.hidden_at`. Their attempts, team
sheets and guesses stay, so that lifting restores exactly what stood. A sanction and the boards in
PostgreSQL change in one transaction; Redis follows at once, and `show_waiting` completes what a
crash left undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import redis
import structlog
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError

from app.accounts.models import Member, Player
from app.accounts.sanctions import FOR_EVER
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.rules import OutOfRangeError
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import RedisAway
from app.core.refusals import Refusal
from app.fantasy.leagues import owners
from app.fantasy.notices import words as notice_words
from app.fantasy.rosters import franchises
from app.fantasy.standings import places
from app.fantasy.standings.boards import publish_all_boards
from app.moderation import succession
from app.moderation.jobs import SHOW_SANCTIONS
from app.moderation.models import Sanction
from app.moderation.rules import reason_fault
from app.predictions.projections import store as projections
from app.scores.standings import placing

log = structlog.get_logger(__name__)

BAN, SUSPENSION, SHADOW = "ban", "suspension", "shadow"
KINDS = (BAN, SUSPENSION, SHADOW)
JOB_SECONDS = 900
NAMES_AT_ONCE = 100
_IMPOSED = {BAN: Act.BANNED, SUSPENSION: Act.SUSPENDED, SHADOW: Act.SHADOWED}


@dataclass(frozen=True)
class Shown:
    """The sanction that a moderator's page showed when they decided; `id` is None for none."""

    id: int | None


@dataclass(frozen=True)
class Measure:
    """A kind of sanction; a suspension has an end.

    If the moderator was `shown` another state of the player, they are told to look again. None:
    whatever stands is replaced.
    """

    kind: str
    until: datetime | None = None
    shown: Shown | None = None


def standing(player_id: UUID) -> Sanction | None:
    """Return the sanction that stands now, or None."""
    query = select(Sanction).where(Sanction.player_id == player_id, Sanction.lifted_at.is_(None))
    return db.session.scalar(query.execution_options(populate_existing=True))


def of_player(player_id: UUID) -> Sequence[Sanction]:
    """Return all sanctions of a player, the newest first."""
    return db.session.scalars(
        select(Sanction).where(Sanction.player_id == player_id).order_by(Sanction.id.desc())
    ).all()


def impose(
    player_id: UUID, measure: Measure, *, by: int | None, reason: str, now: datetime
) -> Sanction | Refusal:
    """Keep the player out and off every board from now on. Commits.

    A sanction that stands is replaced, unless the moderator has not seen it (`measure.shown`).
    """
    fault = _measure_fault(measure, reason, now) or _player_fault(player_id, by)
    if fault:
        return fault
    kind, until = measure.kind, measure.until
    try:
        modes = placing.hold([player_id])
        player = db.session.get_one(Player, player_id, populate_existing=True)
        memberships = succession.lock(player.member_id, player_id)
        league_ids = succession.draft_leagues(memberships)
        before = standing(player_id)
        if (fault := _meanwhile(player_id, measure.shown, before)) is not None:
            return fault
        if before is not None:
            before.lifted_by, before.lifted_at, before.lift_reason = by, now, f"Replaced: {kind}."
            before.shown_at = before.shown_at or now
            db.session.flush()
        sanction = Sanction(
            player_id=player_id,
            kind=kind,
            reason=reason.strip(),
            imposed_by=by,
            imposed_at=now,
            ends_at=until,
        )
        db.session.add(sanction)
        _mark(player, measure, now)
        db.session.flush()
        if kind == SHADOW:  # it keeps nobody out
            succession.give_back(memberships, player.member_id, player_id, now)
        succession.hand_on(memberships, now)
        if kind != SHADOW and player.member_id is not None:
            member_id = player.member_id
            owned = owners.franchises_of(memberships.leagues, member_id)
            owners.tell_commissioners(owned, member_id, notice_words.owner_kept_out, now)
        for mode in modes.values():
            placing.recount(mode, [player_id], now)
        details = {"kind": kind, "until": until.isoformat() if until else None}
        audit.record(
            _IMPOSED[kind],
            actor_id=by,
            subject=f"player:{player_id}",
            reason=reason.strip(),
            details=details,
        )
        db.session.commit()
    finally:
        db.session.rollback()
    _show_now(sanction)
    franchises.owners_changed(league_ids, now)
    return sanction


def lift(
    player_id: UUID, *, by: int | None, reason: str, now: datetime, page_state: Shown | None = None
) -> Sanction | Refusal:
    """Admit the player again and restore exactly what stood on every board. Commits.

    `page_state`: as in Measure. Leagues and pools that heirs run in their place are theirs again.
    """
    if fault := reason_fault(reason):
        return fault
    if by is not None and _member_of(player_id) == by:
        return _refused("own", "is you; another moderator has to decide")
    try:
        modes = placing.hold([player_id])
        sanction = standing(player_id)
        if (fault := _meanwhile(player_id, page_state, sanction)) is not None:
            return fault
        if sanction is None:
            return _refused(
                "not_sanctioned", "is neither banned nor suspended; there is nothing to lift"
            )
        sanction.lifted_by, sanction.lifted_at, sanction.lift_reason = by, now, reason.strip()
        sanction.shown_at = None
        player = db.session.get_one(Player, player_id, populate_existing=True)
        memberships = succession.lock(player.member_id, player_id)
        league_ids = succession.draft_leagues(memberships)
        _mark(player, None, now)
        db.session.flush()
        succession.give_back(memberships, player.member_id, player_id, now)
        succession.hand_on(memberships, now)
        for mode in modes.values():
            placing.recount(mode, [player_id], now)
        subject, details = f"player:{player_id}", {"kind": sanction.kind}
        audit.record(
            Act.SANCTION_LIFTED,
            actor_id=by,
            subject=subject,
            reason=reason.strip(),
            details=details,
        )
        db.session.commit()
    except OutOfRangeError as error:
        return _refused(
            "out_of_range", f"cannot be restored: {error}; roll back some of their scores first"
        )
    finally:
        db.session.rollback()
    _show_now(sanction)
    franchises.owners_changed(league_ids, now)
    return sanction


def lift_ended(now: datetime) -> int:
    """Lift the suspensions whose end has come; return how many."""
    query = select(Sanction.player_id).where(Sanction.lifted_at.is_(None), Sanction.ends_at <= now)
    player_ids = db.session.scalars(query.order_by(Sanction.id)).all()
    db.session.rollback()
    done = [lift(player, by=None, reason="The suspension ended.", now=now) for player in player_ids]
    return sum(isinstance(result, Sanction) for result in done)


def show_waiting(now: datetime) -> int:
    """Show sanctions everywhere that do not show yet, oldest first. Commits after each.

    Returns:
        The number of sanctions; it stops if Redis does not answer.
    """
    waiting = db.session.scalars(
        select(Sanction.id).where(Sanction.shown_at.is_(None)).order_by(Sanction.id)
    ).all()
    done = 0
    for number in waiting:
        sanction = db.session.get_one(Sanction, number, populate_existing=True)
        try:
            _show(sanction.player_id)
        except redis.RedisError as error:
            db.session.rollback()
            log.warning(
                "sanctions_wait", sanctions=len(waiting) - done, reason=type(error).__name__
            )
            break
        _rank_leagues(sanction.player_id)
        publish_all_boards()
        sanction = db.session.get_one(Sanction, number, populate_existing=True)
        sanction.shown_at = now
        db.session.commit()
        done += 1
    return done


def _show_now(sanction: Sanction) -> None:
    """Show what pages read from Redis at once; the job writes the ranks of past gameweeks."""
    try:
        _show(sanction.player_id)
    # if a table is being settled, the job waits for it
    except (redis.RedisError, OperationalError) as error:
        db.session.rollback()
        log.warning("sanction_waits", sanction=sanction.id, reason=type(error).__name__)
    try:
        jobs.send_coalesced(SHOW_SANCTIONS, "sanctions", timeout=JOB_SECONDS)
    except RedisAway as error:
        log.warning("sanctions_not_sent", reason=type(error).__name__)


_LEAGUES = """SELECT v.league_id FROM league_versions v
  WHERE v.league_id IN (SELECT s.league_id FROM league_scores s JOIN players p
    ON p.member_id = s.member_id
                        WHERE p.id = :player
                        UNION SELECT m.league_id FROM league_members m JOIN players p
                          ON p.member_id = m.member_id
                        WHERE p.id = :player)"""
_TABLES = text(
    f"UPDATE league_versions SET version = version + 1 WHERE league_id IN ({_LEAGUES}) "  # noqa: S608
)
_TOURNAMENTS = text(
    "UPDATE tournaments SET version = version + 1"
    " WHERE id IN (SELECT tournament_id FROM tournament_points WHERE player_id = :player) "
    "RETURNING id"
)


def _show(player_id: UUID) -> None:
    """Write the boards in Redis, and raise the versions of the player's tables. Commits.

    Raises:
        redis.RedisError: Redis does not answer.
    """
    placing.show(placing.modes_of([player_id]), [player_id])
    # until the tables are published again, pages read them from PostgreSQL
    db.session.execute(_TABLES, {"player": player_id})
    tournaments = db.session.scalars(_TOURNAMENTS, {"player": player_id}).all()
    db.session.commit()
    for tournament in tournaments:
        projections.project(tournament)
    db.session.commit()


def show_name(player_id: UUID) -> None:
    """Show the player's new name on every board and table. Commits.

    What fails now is done by `show_waiting_names`, which the scheduler calls.
    """
    try:
        _show_name(player_id)
    except (redis.RedisError, OperationalError) as error:
        _note_waiting(player_id, error)


def show_waiting_names() -> int:
    """Show names that do not show everywhere yet, for example after a failure of Redis.

    Commits after each.

    Returns:
        The number of names.
    """
    shown_count = 0
    for player_id in placing.waiting_names(NAMES_AT_ONCE):
        try:
            _show_name(player_id)
            shown_count += 1
        # a table is being settled: the others need not wait for it
        except OperationalError as error:
            _note_waiting(player_id, error)
        except redis.RedisError as error:
            _note_waiting(player_id, error)
            break
    return shown_count


def _show_name(player_id: UUID) -> None:
    name = placing.put_name(player_id)
    _show(player_id)
    placing.note_name_shown(player_id, name)


def _note_waiting(player_id: UUID, error: Exception) -> None:
    db.session.rollback()
    log.warning("name_waits", player_id=str(player_id), reason=type(error).__name__)


def _rank_leagues(player_id: UUID) -> None:
    """Write the ranks after past gameweeks in the player's leagues. Commits after each league."""
    leagues = set(db.session.scalars(text(_LEAGUES), {"player": player_id}))
    for league in sorted(leagues):
        places.write_ranks([league], 0)
        db.session.commit()


def _mark(player: Player, measure: Measure | None, now: datetime) -> None:
    """Write what sign-in and boards check; None lifts."""
    kind = measure.kind if measure is not None else None
    until = measure.until if measure is not None else None
    player.hidden_at = now if kind is not None else None
    player.banned_until = {BAN: FOR_EVER, SUSPENSION: until}.get(kind or "")
    if player.member_id is not None:
        member = db.session.get_one(Member, player.member_id, populate_existing=True)
        member.banned_at = now if kind == BAN else None
        member.suspended_until = until if kind == SUSPENSION else None
        member.is_shadowed = kind == SHADOW


def _measure_fault(measure: Measure, reason: str, now: datetime) -> Refusal | None:
    kind, until = measure.kind, measure.until
    if kind not in KINDS:
        return Refusal("kind", "kind", f"Choose one of {', '.join(KINDS)}.")
    if fault := reason_fault(reason):
        return fault
    if (kind == SUSPENSION) != (until is not None):
        return Refusal("until", "until", "Enter an end date for suspensions only.")
    if until is not None and until <= now:
        return Refusal(
            "until", "until", "The suspension must end in the future. Choose a later time."
        )
    return None


def _player_fault(player_id: UUID, by: int | None) -> Refusal | None:
    player = db.session.get(Player, player_id)
    if player is None:
        return _refused("unknown", "is not known; look them up again")
    if by is not None and player.member_id == by:
        return _refused("own", "is you; another moderator has to decide")
    member = db.session.get(Member, player.member_id) if player.member_id is not None else None
    if member is not None and member.has_role("moderator", "operator"):
        return _refused(
            "staff", "is a moderator or operator; an operator has to remove the role first"
        )
    return None


_DONE = {BAN: "banned them", SUSPENSION: "suspended them", SHADOW: "shadow banned them"}


def _meanwhile(
    player_id: UUID, page_state: Shown | None, stands: Sanction | None
) -> Refusal | None:
    """Why a decision is refused that was made for another state of the player."""
    if page_state is None or page_state.id == (stands.id if stands is not None else None):
        return None
    latest = stands or next(iter(of_player(player_id)), None)
    what = "decided something else"
    by = None
    if stands is not None:
        what, by = _DONE[stands.kind], stands.imposed_by
    elif latest is not None and latest.lifted_at is not None:
        what, by = "lifted it", latest.lifted_by
    name = db.session.scalar(select(Member.display_name).where(Member.id == by))
    return Refusal(
        "changed_meanwhile",
        "",
        f"{name or 'Pressbox'} has {what} in the meantime. Reload the page.",
    )


def _member_of(player_id: UUID) -> int | None:
    return db.session.scalar(select(Player.member_id).where(Player.id == player_id))


def _refused(code: str, predicate: str) -> Refusal:
    return Refusal(code, "player_id", f"The player {predicate}.")
