"""A game or a mode is renamed, hidden, archived or changed by its integrator, and the audit keeps
it.

How scores count stands fast once the first one has come: boards, history and archive are worked out
by it. Not here: a change of aggregation or ties with scores (app/scores/change.py), layouts
(moving.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.accounts.names import normalised
from app.audit import log as audit
from app.audit.acts import Act
from app.boards import catalogue, custom_windows, titles
from app.boards.catalogue import NewMode
from app.boards.models import Mode, ScoreGame
from app.boards.windows import KINDS
from app.core.db import db, transaction
from app.core.refusals import Refusal

HAS_SCORES = "has_scores"  # code: scores have come, which count by it
DELETED = "deleted"  # code: there is nothing to change any more
STATES = {"hidden": "hidden_at", "archived": "archived_at"}
OWN_WINDOWS = "custom_windows"  # of them those change at any time that have not begun
AT_ANY_TIME = frozenset(
    {
        "title",
        "min_score",
        "max_score",
        "keep_days",
        "late_hours",
        "private",
        "takes_metadata",
        *STATES,
    }
)


def change_game(
    game_id: UUID, changes: Mapping[str, Any], *, by: int, now: datetime
) -> ScoreGame | list[Refusal]:
    """Changes title, `hidden`, `archived` and `allowed_origins`, those that are given, or says why
    not; commits. What is so already is no change.
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
    also: Callable[[Mode], Mapping[str, Any]] = lambda mode: {},
) -> Mode | list[Refusal]:
    """All of the change, or why not: `has_scores`, or as making such a mode would be refused.

    Commits.

    Waits for whoever is writing scores of the mode, and they for it: whether there are any is so
    until it is made. `also` changes what belongs to the mode, with it, and gives what it was and
    what it is, by field, for the audit.
    """
    with transaction():
        mode = catalogue.lock_modes([mode_id], exclusive=True)[mode_id]
        if mode.deleting_at is not None:
            return [Refusal(DELETED, "slug", "It is being deleted.")]
        wanted = dict(changes)
        if "windows" in wanted:
            wanted["windows"] = [kind for kind in KINDS if kind in wanted["windows"]]
        if "keep_days" in wanted:
            wanted["keep_days"] = {**mode.keep_days, **wanted["keep_days"]}
        refused = _refusals(mode, wanted, now)
        if refused:
            return refused
        done = {**_set(mode, wanted, now), **also(mode)}
        if done:
            subject = f"mode:{catalogue.game_of(mode).slug}:{mode.slug}"
            audit.record(Act.MODE_CHANGED, actor_id=by, subject=subject, details=done)
    return mode


def _refusals(mode: Mode, wanted: Mapping[str, Any], now: datetime) -> list[Refusal]:
    counted_by = [
        name for name, to in wanted.items() if name not in AT_ANY_TIME and to != getattr(mode, name)
    ]
    if OWN_WINDOWS in counted_by and catalogue.has_scores(mode):
        counted_by.remove(OWN_WINDOWS)
        begun = custom_windows.settled(mode.custom_windows, wanted[OWN_WINDOWS], now)
        if begun and not counted_by:
            text = (
                f"Scores may be counted by {', '.join(begun)}: leave what has begun as it is, and "
                "have others"
            )
            return [Refusal(HAS_SCORES, OWN_WINDOWS, f"{text} begin a minute from now or later.")]
    if counted_by and catalogue.has_scores(mode):
        text = "Scores have come that count by it, so it stands: make another mode for the new way."
        return [Refusal(HAS_SCORES, name, text) for name in counted_by]
    if refused := _title_refusals(mode, wanted):
        return refused
    as_it_would_be = {
        name: wanted.get(name, getattr(mode, name)) for name in NewMode.__dataclass_fields__
    }
    return catalogue.mode_faults(NewMode(**as_it_would_be))


def _title_refusals(row: ScoreGame | Mode, wanted: Mapping[str, Any]) -> list[Refusal]:
    """What is wrong with a new title, of the row or of its second score.

    One that stands already passes.
    """
    title = wanted.get("title")
    subscore = (
        wanted.get("subscore")
        if isinstance(row, Mode) and wanted.get("subscore") != row.subscore
        else None
    )
    return titles.mode_title_faults(None if title == row.title else title, subscore)


def _set(row: ScoreGame | Mode, wanted: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Sets what is different; gives what it was and what it is, by field."""
    done = {}
    for name, to in wanted.items():
        held = getattr(row, STATES.get(name, name))
        was = held is not None if name in STATES else held
        to = normalised(to) if name == "title" else to
        if was == to:
            continue
        if name in STATES:
            setattr(row, STATES[name], now if to else None)
        else:
            setattr(row, name, to)
        done[name] = [was, to]
    return done
