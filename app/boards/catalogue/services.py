"""What integrators do with games and modes: create, rename, hide, archive, change settings.

How scores count is fixed once the first score has arrived, because boards, history and archive are
computed from it. app/scores/standings/mode_change.py changes the aggregation or ties of a mode that
has scores; app/boards/layouts/moving.py changes a board's layout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from app.accounts import quotas
from app.accounts.names import normalised
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue import titles
from app.boards.catalogue.rules import TAKEN, NewMode, mode_faults
from app.boards.models import BoardRecord, Mode, ScoreGame, WaitingScore
from app.boards.windows import custom as custom_windows
from app.boards.windows.retention import KEEP_DAYS
from app.boards.windows.rules import KINDS
from app.core.db import db, transaction
from app.core.postgres.advisory_locks import Lock
from app.core.refusals import Refusal

HAS_SCORES = "has_scores"  # refusal code: existing scores count by this setting
DELETED = "deleted"  # refusal code: it is being deleted
STATES = {"hidden": "hidden_at", "archived": "archived_at"}
OWN_WINDOWS = "custom_windows"  # windows that have not begun may change at any time
AT_ANY_TIME = frozenset(
    {
        "title",
        "min_score",
        "max_score",
        "keep_days",
        "late_hours",
        "update_seconds",
        "private",
        "takes_metadata",
        *STATES,
    }
)


def create_game(
    slug: str, title: str, integrator_id: int | None = None
) -> ScoreGame | list[Refusal]:
    """Create a game and commit, or return everything that is wrong."""
    refused = [*titles.name_faults(slug, title)]
    if integrator_id is not None:
        refused = refused or titles.title_faults("title", title)
        _lock(integrator_id)
        games = (
            db.session.scalar(select(func.count()).where(ScoreGame.integrator_id == integrator_id))
            or 0
        )
        refused += quotas.refusal("slug", games, quotas.MOST_GAMES, "games of this integrator")
    if not refused:
        values = {"slug": slug, "title": normalised(title), "integrator_id": integrator_id}
        game: ScoreGame | None = db.session.scalar(
            insert(ScoreGame).values(values).on_conflict_do_nothing().returning(ScoreGame)
        )
        db.session.commit()
        if game is not None:
            return game
        refused.append(
            Refusal(TAKEN, "slug", f"There is already a game {slug!r}. Choose another slug.")
        )
    return refused


_AS_GIVEN = (
    *(
        "slug",
        "aggregation",
        "ties",
        "order",
        "subscore",
        "time_zone",
        "decimals",
        "min_score",
        "max_score",
    ),
    *("layout", "shards", "late_hours", "update_seconds", "private", "takes_metadata"),
)


def create_mode(
    game: ScoreGame, new: NewMode, now: datetime, also: Callable[[Mode], None] | None = None
) -> Mode | list[Refusal]:
    """Create a mode of the game and commit, or return everything that is wrong.

    `also` writes rows that belong to the mode in the same transaction.
    """
    refused = mode_faults(new) or _title_faults(game, new) or _quota_faults(game, new)
    if not refused:
        values: dict[str, Any] = {
            "game_id": game.id,
            **{name: getattr(new, name) for name in _AS_GIVEN},
            "title": normalised(new.title),
            "windows": [kind for kind in KINDS if kind in new.windows],
            "custom_windows": list(new.custom_windows),
            "keep_days": {**KEEP_DAYS, **new.keep_days},
            "created_at": now,
        }
        mode: Mode | None = db.session.scalar(
            insert(Mode).values(values).on_conflict_do_nothing().returning(Mode)
        )
        if mode is not None and also is not None:
            also(mode)
        db.session.commit()
        if mode is not None:
            return mode
        refused.append(
            Refusal(
                TAKEN, "slug", f"The game already has a mode {new.slug!r}. Choose another slug."
            )
        )
    return refused


def _title_faults(game: ScoreGame, new: NewMode) -> list[Refusal]:
    return [] if game.integrator_id is None else titles.mode_title_faults(new.title, new.subscore)


def _quota_faults(game: ScoreGame, new: NewMode) -> list[Refusal]:
    if game.integrator_id is None:
        return []
    _lock(game.integrator_id)
    modes = db.session.scalar(select(func.count()).where(Mode.game_id == game.id)) or 0
    all_shards = select(func.coalesce(func.sum(Mode.shards), 0)).join(
        ScoreGame, ScoreGame.id == Mode.game_id
    )
    shards = db.session.scalar(all_shards.where(ScoreGame.integrator_id == game.integrator_id)) or 0
    return [
        *quotas.refusal("slug", modes, quotas.MOST_MODES, "modes of this game"),
        *quotas.refusal(
            "shards", shards, quotas.MOST_SHARDS, "shards of this integrator", more=new.shards
        ),
    ]


def _lock(integrator_id: int) -> None:
    """Lock the integrator's quota until the transaction ends, so that a count stays true."""
    lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:integrator, :lock))")
    db.session.execute(lock, {"integrator": f"integrator:{integrator_id}", "lock": Lock.INTEGRATOR})


def change_game(
    game_id: UUID, changes: Mapping[str, Any], *, by: int, now: datetime
) -> ScoreGame | list[Refusal]:
    """Change a game's title, `hidden`, `archived` or `allowed_origins` and commit.

    Setting a value that is already set is no change.
    """
    with transaction():
        query = select(ScoreGame).where(ScoreGame.id == game_id).with_for_update()
        game = db.session.scalars(query.execution_options(populate_existing=True)).one()
        if refused := _title_refusals(game, changes):
            return refused
        done = _set(game, changes, now)
        if done:
            audit.record(Act.GAME_CHANGED, actor_id=by, subject=f"game:{game.slug}", details=done)
    return game


def change_mode(
    mode_id: UUID,
    changes: Mapping[str, Any],
    *,
    by: int,
    now: datetime,
    also: Callable[[Mode], Mapping[str, Any]] | None = None,
) -> Mode | list[Refusal]:
    """Change the mode and commit, or return why not: all changes are made, or none.

    Waits for anybody who is writing scores of the mode, and they wait for this: the answer to
    whether there are scores stays true until the change is made.

    Args:
        mode_id: The mode.
        changes: New values by field.
        by: The member who changes it.
        now: The moment of the change.
        also: Changes what belongs to the mode in the same transaction; returns the old and new
            values by field for the audit.
    """
    with transaction():
        mode = catalogue.lock_modes([mode_id], exclusive=True)[mode_id]
        if mode.deleting_at is not None:
            return [Refusal(DELETED, "slug", "The mode is being deleted, so it cannot be changed.")]
        values = dict(changes)
        if "windows" in values:
            values["windows"] = [kind for kind in KINDS if kind in values["windows"]]
        if "keep_days" in values:
            values["keep_days"] = {**mode.keep_days, **values["keep_days"]}
        refused = _refusals(mode, values, now)
        if refused:
            return refused
        done = _set(mode, values, now)
        if "update_seconds" in done:
            _update_boards_now(mode, now)
        if also is not None:
            done |= also(mode)
        if done:
            subject = f"mode:{catalogue.game_of(mode).slug}:{mode.slug}"
            audit.record(Act.MODE_CHANGED, actor_id=by, subject=subject, details=done)
    return mode


def _update_boards_now(mode: Mode, now: datetime) -> None:
    """Let the consumer show what waits, so that nothing waits for a moment of the old setting."""
    boards = select(BoardRecord.id).where(BoardRecord.mode_id == mode.id)
    db.session.execute(
        update(WaitingScore)
        .where(WaitingScore.board_id.in_(boards), WaitingScore.due_at > now)
        .values(due_at=now)
        .execution_options(synchronize_session=False)
    )


def _refusals(mode: Mode, values: Mapping[str, Any], now: datetime) -> list[Refusal]:
    counted_by = [
        name for name, to in values.items() if name not in AT_ANY_TIME and to != getattr(mode, name)
    ]
    if OWN_WINDOWS in counted_by and catalogue.has_scores(mode):
        counted_by.remove(OWN_WINDOWS)
        begun = custom_windows.settled(mode.custom_windows, values[OWN_WINDOWS], now)
        if begun and not counted_by:
            text = (
                f"Scores may already count in {', '.join(begun)}. Leave windows that have begun "
                "unchanged, and start new ones"
            )
            return [Refusal(HAS_SCORES, OWN_WINDOWS, f"{text} at least a minute from now.")]
    if counted_by and catalogue.has_scores(mode):
        text = "There are scores already, so this cannot change. Create another mode."
        return [Refusal(HAS_SCORES, name, text) for name in counted_by]
    if refused := _title_refusals(mode, values):
        return refused
    as_it_would_be = {
        name: values.get(name, getattr(mode, name)) for name in NewMode.__dataclass_fields__
    }
    return mode_faults(NewMode(**as_it_would_be))


def _title_refusals(row: ScoreGame | Mode, values: Mapping[str, Any]) -> list[Refusal]:
    """Return what is wrong with a new title of the row or of its subscore.

    The present title always passes.
    """
    title = values.get("title")
    subscore = (
        values.get("subscore")
        if isinstance(row, Mode) and values.get("subscore") != row.subscore
        else None
    )
    return titles.mode_title_faults(None if title == row.title else title, subscore)


def _set(row: ScoreGame | Mode, values: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Set the values that differ; return the old and new ones by field."""
    done = {}
    for name, to in values.items():
        stored = getattr(row, STATES.get(name, name))
        was = stored is not None if name in STATES else stored
        to = normalised(to) if name == "title" else to
        if was == to:
            continue
        if name in STATES:
            setattr(row, STATES[name], now if to else None)
        else:
            setattr(row, name, to)
        done[name] = [was, to]
    return done
