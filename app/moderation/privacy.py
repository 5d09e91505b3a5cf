"""Exporting and erasing a member's data, so that record and audit stay whole.

The export walks every table that points at the member, their player or a team that they run, so
new tables are included by themselves; secrets and what others wrote about them are left out.
Erasing keeps rows that the results of others depend on, but without the person: names become
"Erased", and everything private is deleted.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from secrets import token_hex
from typing import Any
from uuid import UUID

from sqlalchemy import Table, case, delete, or_, select, text, tuple_, update
from sqlalchemy.orm import aliased

from app.accounts import member_sessions
from app.accounts.member_pictures import MEMBER_PICTURES
from app.accounts.models import Friendship, Integrator, Member, Player
from app.accounts.sanctions import FOR_EVER
from app.audit import log as audit
from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.core.blob_store import blob_store
from app.core.csv_writing import csv_text
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.drafts.models import DraftQueue, DraftRow, DraftSeat
from app.draft_leagues.trades.models import Trade, TradeEvent
from app.fantasy.leagues import owners
from app.fantasy.notices import words as notice_words
from app.fantasy.rosters import franchises
from app.fantasy.rosters.models import Franchise
from app.moderation import sanctions, succession
from app.moderation.models import AccountNote, Appeal, Report
from app.scores.archive import months
from app.scores.archive.reads import attempts_of_players
from app.scores.models import ArchivedStanding, ScoreAttempt
from app.talk.pictures import POST_PICTURES, names_of

ERASED = "Erased player"
# Never exported: secrets.
SECRETS = frozenset(
    (
        "password_hash",
        "digest",
        "secret",
        "salt",
        "seal",
        "hash",
        "public_key",
        "credential_id",
        "invite_code",
        "code",
    )
) | {"endpoint", "p256dh", "auth"}  # of a device that gets pushes
# Never exported, because they would reveal a shadow ban.
UNTOLD = frozenset(("is_shadowed", "hidden_at"))
# Never exported: written by others about the member, or revealing who they are.
OTHERS = frozenset(
    (("reports", "player_id"), ("account_notes", "player_id"), ("posts", "removed_by"))
)
# Tables of the member alone, whose rows are deleted.
PRIVATE = (
    "member_sessions",
    "one_time_links",
    "recovery_codes",
    "authenticators",
    "passkeys",
    "notices",
    "notice_choices",
    "notice_deliveries",
    "push_devices",
    "key_maps",
    "scorer_games",
    "swing_shares",
    "week_shares",
    "posts",
    "post_reactions",
    "board_reads",
    "calendar_feeds",
)


def export(member_id: int) -> dict[str, list[dict[str, Any]]]:
    """Return every row about the member as JSON values, by table in the order of their names.

    Raises:
        BlobStoreError: The archive of scores cannot be read.
    """
    player_id = db.session.scalar(select(Player.id).where(Player.member_id == member_id))
    return _rows_about(member_id, player_id)


def export_player(player_id: UUID) -> dict[str, list[dict[str, Any]]]:
    """Return every row about an integrator's player, as `export` does."""
    return _rows_about(None, player_id)


def _rows_about(member_id: int | None, player_id: UUID | None) -> dict[str, list[dict[str, Any]]]:
    rows_by_table: dict[str, list[dict[str, Any]]] = {}
    for table in sorted(db.metadata.tables.values(), key=lambda table: table.name):
        mine = list(_pointing(table, member_id, player_id))
        if not mine:
            continue
        rows = [dict(row) for row in db.session.execute(select(table).where(or_(*mine))).mappings()]
        if table is ScoreAttempt.__table__ and player_id is not None:
            rows += _archived_attempts(player_id)
        exported = [
            {name: _plain(value) for name, value in row.items() if name not in SECRETS | UNTOLD}
            for row in rows
        ]
        if table.name == "sanctions":  # a shadow ban that stands must not be revealed
            exported = [row for row in exported if row["kind"] != sanctions.SHADOW]
        if exported:
            rows_by_table[table.name] = exported
    return rows_by_table


def _archived_attempts(player_id: UUID) -> list[dict[str, Any]]:
    """Return the player's attempts of archived months, as rows of their table."""
    rows = attempts_of_players(blob_store(), months.archived_between(None, None), {player_id})
    for row in rows:
        for name in ("client_meta", "score_metadata"):
            row[name] = None if row[name] is None else json.loads(row[name])
    return rows


def as_json(member_id: int) -> bytes:
    """Return the member's data as JSON."""
    return json.dumps(export(member_id), indent=1, ensure_ascii=False).encode()


def as_csv(member_id: int, *, for_excel: bool = False) -> bytes:
    """Return a ZIP with a CSV file per table."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, rows in export(member_id).items():
            cells = [[_cell(value) for value in row.values()] for row in rows]
            folder.writestr(f"{name}.csv", csv_text(list(rows[0]), cells, for_excel=for_excel))
    return written.getvalue()


def note_export(member_id: int, form: str) -> None:
    """Audit that the data was downloaded. Commits."""
    audit.record(
        Act.DATA_EXPORTED, actor_id=member_id, subject=f"member:{member_id}", details={"form": form}
    )
    db.session.commit()


def erase(member_id: int, *, by: int, reason: str, now: datetime) -> Member | Refusal:
    """Erase the person from everything, for good. Commits.

    Staff and owners of integrators have to hand those over first. Leagues and pools that the member
    runs go to their heirs, and the member's teams in draft leagues become vacant.
    """
    try:
        # The player first, in the order in which sanctions and names lock. With key_share, writers
        # of notices do not wait until the leagues are locked, which avoids a deadlock.
        locked = (
            select(Player.id).where(Player.member_id == member_id).with_for_update(key_share=True)
        )
        player_id = db.session.scalar(locked)
        member = db.session.get(
            Member, member_id, populate_existing=True, with_for_update={"key_share": True}
        )
        if member is None or member.erased_at is not None:
            return Refusal("unknown", "member", "This member no longer exists.")
        if member.roles:
            return Refusal(
                "staff",
                "member",
                "Staff accounts cannot be erased. An operator has to remove the roles first.",
            )
        if advice := _integrator_advice(member_id):
            return Refusal("integrator", "member", advice)
        memberships = succession.lock(member_id, player_id)
        league_ids = succession.draft_leagues(memberships)
        pictures = names_of(member_id)
        own_picture = member.picture
        _erase_account(member, now)
        owned = owners.franchises_of(memberships.leagues, member_id)
        owners.vacate(owned, member_id, now)
        succession.hand_on(memberships, now)
        owners.tell_commissioners(owned, member_id, notice_words.owner_erased, now)
        if player_id is not None:
            _erase_player(player_id, now)
        db.session.execute(
            update(Report).where(Report.reporter_id == member_id).values(text="(erased)")
        )
        for table in ("league_members", "league_scores"):
            db.session.execute(
                text(f"UPDATE {table} SET team_name = 'Erased team' WHERE member_id = :member"),  # noqa: S608
                {"member": member_id},
            )
        _erase_wishes(member_id)
        db.session.execute(
            update(DraftSeat).where(DraftSeat.member_id == member_id).values(name="Erased team")
        )
        audit.forget(member_id)
        audit.record(
            Act.ERASED,
            actor_id=None if by == member_id else by,
            subject=f"member:{member_id}",
            reason=reason,
        )
        db.session.commit()
    finally:
        db.session.rollback()
    POST_PICTURES.delete(*pictures)
    MEMBER_PICTURES.delete(own_picture)
    if player_id is not None:
        sanctions.show_name(player_id)
    franchises.owners_changed(league_ids, now)
    return member


def _erase_wishes(member_id: int) -> None:
    """Erase what the member wrote with offers, and whom they wanted in mock drafts.

    Everything else that they wanted for a team ended with it (draft_leagues/wishes.py).
    """
    offered = select(TradeEvent.trade_id).where(
        TradeEvent.by_member_id == member_id, TradeEvent.number == 1
    )
    db.session.execute(
        update(Trade).where(Trade.id.in_(offered), Trade.message != "").values(message="")
    )
    seats = select(DraftSeat.draft_id, DraftSeat.franchise).where(DraftSeat.member_id == member_id)
    db.session.execute(
        delete(DraftQueue).where(tuple_(DraftQueue.draft_id, DraftQueue.franchise).in_(seats))
    )


def _integrator_advice(member_id: int) -> str:
    """Return what an owner of integrators has to do first; empty for other members."""
    deletions = db.session.scalars(
        select(Integrator.deleting_at).where(Integrator.owner_id == member_id)
    ).all()
    if None in deletions:
        return "Transfer or delete your integrators first, because their games have other players."
    if deletions:
        return "Your integrators are still being deleted. Try again in a few minutes."
    return ""


def erase_player(player: Player, *, by: int, now: datetime) -> bool:
    """Erase the person from everything that an integrator's player left, for good. Commits.

    Registering the same id again makes a new player.

    Returns:
        False if it was done before.
    """
    player_id, integrator_id = player.id, player.integrator_id
    query = (
        select(Player).where(Player.id == player_id, Player.erased_at.is_(None)).with_for_update()
    )
    locked_player = db.session.scalar(query.execution_options(populate_existing=True))
    if locked_player is None:
        db.session.rollback()
        return False
    _erase_player(player_id, now)
    # The integrator cannot guess it, and therefore not register this player again.
    locked_player.external_id = f"erased-{token_hex(16)}"
    locked_player.erased_at = now
    locked_player.banned_until = FOR_EVER  # no more tokens and scores
    details = {"integrator": integrator_id}
    audit.record(Act.ERASED, actor_id=by, subject=f"player:{player_id}", details=details)
    db.session.commit()
    sanctions.show_name(player_id)
    return True


def _erase_account(member: Member, now: datetime) -> None:
    member_sessions.end_all(member.id, now)
    for name in PRIVATE:
        table = db.metadata.tables[name]
        db.session.execute(delete(table).where(table.c.member_id == member.id))
    member.username = f"erased-{token_hex(8)}"  # one that nobody has registered or imported
    member.display_name = ERASED
    member.picture = member.colour = None
    member.birth_year, member.is_minor = None, member.is_marked_minor
    member.password_hash, member.country = "!", None  # no password has this hash
    member.email = None
    member.feed_version += 1
    member.theme = member.time_format = "system"
    member.erased_at = now


def _erase_player(player_id: UUID, now: datetime) -> None:
    db.session.execute(
        update(Player)
        .where(Player.id == player_id)
        .values(display_name=ERASED, own_name=None, is_name_taken=False)
    )
    mine = or_(Friendship.low_id == player_id, Friendship.high_id == player_id)
    db.session.execute(delete(Friendship).where(mine))
    tokens = db.metadata.tables["refresh_tokens"]
    db.session.execute(delete(tokens).where(tokens.c.player_id == player_id))
    db.session.execute(
        update(ScoreAttempt)
        .where(ScoreAttempt.player_id == player_id)
        .values(device=None, address=None, client_meta={}, score_metadata=None)
    )
    db.session.execute(
        update(ArchivedStanding)
        .where(ArchivedStanding.player_id == player_id)
        .values(score_metadata=None)
    )
    months.rewrite_all(now)
    db.session.execute(delete(AccountNote).where(AccountNote.player_id == player_id))
    db.session.execute(update(Appeal).where(Appeal.player_id == player_id).values(text="(erased)"))
    db.session.execute(update(Report).where(Report.player_id == player_id).values(text="(erased)"))


def _pointing(table: Table, member_id: int | None, player_id: UUID | None) -> Iterator[Any]:
    """Yield the conditions under which a row of the table is about the member or the player."""
    if table is Player.__table__ and member_id is None:
        yield table.c.id == player_id
    elif table is Member.__table__ and member_id is not None:
        yield table.c.id == member_id
    elif table is AuditEntry.__table__ and member_id is not None:
        yield table.c.actor_id == member_id
    if member_id is not None:
        yield from _of_teams(table, member_id)
    for column in table.c:
        if (table.name, column.name) in OTHERS:
            continue
        names = {key.target_fullname for key in column.foreign_keys}
        if "members.id" in names:
            if member_id is not None:
                yield column == member_id
        elif player_id is not None and (
            "players.id" in names or (table.name, column.name) in _UNBOUND
        ):
            yield column == player_id


def _of_teams(table: Table, member_id: int) -> Iterator[Any]:
    """Yield the conditions under which a row belongs to a team that the member runs.

    Such rows name a franchise, or a seat of a draft, and no member.
    """
    franchise = aliased(Franchise)
    for key in table.foreign_key_constraints:
        columns = [element.parent for element in key.elements]
        if key.referred_table is Franchise.__table__:
            yield tuple_(*columns).in_(
                select(franchise.league_id, franchise.number).where(
                    franchise.member_id == member_id
                )
            )
        elif key.referred_table is DraftSeat.__table__:
            yield tuple_(*columns).in_(
                select(DraftSeat.draft_id, DraftSeat.franchise)
                .outerjoin(DraftRow, DraftRow.id == DraftSeat.draft_id)
                .outerjoin(
                    franchise,
                    (franchise.league_id == DraftRow.league_id)
                    & (franchise.number == DraftSeat.franchise),
                )
                # Seats of a league's draft are those of its franchises, whose owners may change.
                .where(
                    case(
                        (DraftRow.league_id.is_(None), DraftSeat.member_id),
                        else_=franchise.member_id,
                    )
                    == member_id
                )
            )


# without a foreign key
_UNBOUND = frozenset(
    (table, "player_id") for table in ("board_scores", "waiting_scores", "board_changes")
)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return (
        value
        if value is None or isinstance(value, bool | int | float | str | list | dict)
        else str(value)
    )


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
