"""Which games, modes and boards there are. Score games are namespaces: a mode belongs to one game alone.

Lives here: making and finding them, and how a row becomes a BoardSpec. Not here: reads (services.py), scores.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.rules import SECOND, TIE_BITS, Aggregation, Budget, Ties
from app.boards.spec import HASH, LAYOUTS, BoardSpec
from app.boards.windows import ALL_TIME, KINDS, Window
from app.core.clock import EPOCH, to_us
from app.core.db import db
from app.core.errors import UserError
from app.core.refusals import Refusal

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
MAX_TITLE = 80
MAX_SHARDS = 1024
MAX_DECIMALS = 3
TAKEN, WRONG = "taken", "wrong"  # codes of refusals: the name belongs to another one, or a field cannot be so
# How long a closed window stays readable at full speed before it goes to the archive.
KEEP_DAYS: Mapping[str, int] = {"daily": 7, "weekly": 90, "monthly": 400}


class NoBoard(UserError):
    """There is no board of this name, or nothing of it is in Redis any more."""


@dataclass(frozen=True)
class NewMode:
    """A mode to be made. Scores and bounds in 10^-`decimals` of a point; `keep_days` by kind of window."""

    slug: str
    title: str
    aggregation: str
    ties: str
    min_score: int
    max_score: int
    time_zone: str = "UTC"
    decimals: int = 0
    windows: Sequence[str] = (ALL_TIME,)
    keep_days: Mapping[str, int] = field(default_factory=dict)
    layout: str = HASH
    shards: int = 1


def create_game(slug: str, title: str, integrator_id: int | None = None) -> ScoreGame | list[Refusal]:
    """Makes a game and commits, or says all that is wrong."""
    refused = [*_name_faults(slug, title)]
    if not refused:
        values = {"slug": slug, "title": title.strip(), "integrator_id": integrator_id}
        made: ScoreGame | None = db.session.scalar(
            insert(ScoreGame).values(values).on_conflict_do_nothing().returning(ScoreGame)
        )
        db.session.commit()
        if made is not None:
            return made
        refused.append(Refusal(TAKEN, "slug", f"There is a game {slug!r} already: choose another slug."))
    return refused


def create_mode(game: ScoreGame, new: NewMode, now: datetime) -> Mode | list[Refusal]:
    """Makes a mode of the game and commits, or says all that is wrong."""
    refused = mode_faults(new)
    if not refused:
        values: dict[str, Any] = {
            "game_id": game.id,
            "slug": new.slug,
            "title": new.title.strip(),
            "aggregation": new.aggregation,
            "ties": new.ties,
            "time_zone": new.time_zone,
            "decimals": new.decimals,
            "windows": [kind for kind in KINDS if kind in new.windows],
            "keep_days": {**KEEP_DAYS, **new.keep_days},
            "min_score": new.min_score,
            "max_score": new.max_score,
            "layout": new.layout,
            "shards": new.shards,
            "created_at": now,
        }
        made: Mode | None = db.session.scalar(insert(Mode).values(values).on_conflict_do_nothing().returning(Mode))
        db.session.commit()
        if made is not None:
            return made
        refused.append(Refusal(TAKEN, "slug", f"The game has a mode {new.slug!r} already: choose another slug."))
    return refused


def mode_faults(new: NewMode) -> list[Refusal]:
    """All that is wrong with a mode, in the order of its fields; empty when nothing is."""
    faults = [*_name_faults(new.slug, new.title)]

    def refuse(name: str, text: str) -> None:
        faults.append(Refusal(WRONG, name, text))

    if new.aggregation not in list(Aggregation):
        refuse("aggregation", f"{new.aggregation!r} is none of {', '.join(Aggregation)}.")
    if new.ties not in list(Ties):
        refuse("ties", f"{new.ties!r} is none of {', '.join(Ties)}.")
    if new.time_zone not in available_timezones():
        refuse("time_zone", f"{new.time_zone!r} is no time zone: use one like Europe/Berlin or UTC.")
    if not 0 <= new.decimals <= MAX_DECIMALS:
        refuse("decimals", f"{new.decimals} is not between 0 and {MAX_DECIMALS}.")
    unknown = [kind for kind in new.windows if kind not in KINDS]
    if unknown or not new.windows:
        refuse("windows", f"Name at least one of {', '.join(KINDS)}" + (f", not {unknown[0]!r}." if unknown else "."))
    for kind, days in new.keep_days.items():
        if kind not in KEEP_DAYS or not 1 <= days <= 36_500:
            refuse("keep_days", f"{kind}: {days} must be 1 to 36500 days, for {', '.join(KEEP_DAYS)}.")
    if new.min_score > new.max_score:
        refuse("max_score", f"{new.max_score} is below min_score ({new.min_score}).")
    if new.ties in list(Ties) and not unknown and new.windows:
        limit = min(budget(new.ties, kind, EPOCH).limit for kind in new.windows)
        for name, score in (("min_score", new.min_score), ("max_score", new.max_score)):
            if abs(score) > limit:
                refuse(name, f"{score} is outside ±{limit}, the range in which such a board is exact.")
    if new.layout not in LAYOUTS:
        refuse("layout", f"{new.layout!r} is none of {', '.join(LAYOUTS)}.")
    if not 1 <= new.shards <= MAX_SHARDS:
        refuse("shards", f"{new.shards} is not between 1 and {MAX_SHARDS}.")
    return faults


def _name_faults(slug: str, title: str) -> list[Refusal]:
    faults = []
    if not SLUG.fullmatch(slug) or _is_uuid(slug):
        text = "Use 1 to 60 lower-case letters, digits and dashes, a letter or digit at both ends; no UUID."
        faults.append(Refusal(WRONG, "slug", text))
    if not 1 <= len(title.strip()) <= MAX_TITLE:
        faults.append(Refusal(WRONG, "title", f"Give a title of 1 to {MAX_TITLE} characters."))
    return faults


def games(integrator_id: int | None = None) -> list[ScoreGame]:
    """The games by title then slug; of one integrator, or all."""
    query = select(ScoreGame).order_by(func.lower(ScoreGame.title), ScoreGame.slug)
    if integrator_id is not None:
        query = query.where(ScoreGame.integrator_id == integrator_id)
    return list(db.session.scalars(query))


def game_of(mode: Mode) -> ScoreGame:
    game = db.session.get(ScoreGame, mode.game_id)
    assert game is not None  # a foreign key
    return game


def modes(game: ScoreGame) -> list[Mode]:
    """The game's modes by title then slug."""
    query = select(Mode).where(Mode.game_id == game.id).order_by(func.lower(Mode.title), Mode.slug)
    return list(db.session.scalars(query))


def find_game(name: str) -> ScoreGame | None:
    """The game of that slug or UUID."""
    by = ScoreGame.id == UUID(name) if _is_uuid(name) else ScoreGame.slug == name
    return db.session.scalar(select(ScoreGame).where(by))


def find_mode(game: ScoreGame, name: str) -> Mode | None:
    """The mode of that slug or UUID, if it is one of this game."""
    by = Mode.id == UUID(name) if _is_uuid(name) else Mode.slug == name
    return db.session.scalar(select(Mode).where(Mode.game_id == game.id, by))


def find_board(mode: Mode, window_id: str) -> BoardRecord | None:
    return db.session.scalar(
        select(BoardRecord).where(BoardRecord.mode_id == mode.id, BoardRecord.window_id == window_id)
    )


def board_named(key: str) -> BoardRecord:
    """The board that commands call `game:mode:window`. Raises NoBoard."""
    names = key.split(":", 2)
    if len(names) == 3:
        game = find_game(names[0])
        mode = find_mode(game, names[1]) if game else None
        board = find_board(mode, names[2]) if mode else None
        if board is not None:
            return board
    raise NoBoard(f"There is no board {key}: name it game:mode:window, for example bowl:season:weekly:2026-W14.")


def boards_before(mode: Mode, window: Window, limit: int) -> list[str]:
    """Window ids of the mode's boards of this kind, the newest first, without this one."""
    query = select(BoardRecord.window_id).where(
        BoardRecord.mode_id == mode.id,
        BoardRecord.window_id.startswith(f"{window.kind}:"),
        BoardRecord.window_id != window.window_id,
    )
    return list(db.session.scalars(query.order_by(BoardRecord.window_id.desc()).limit(limit)))


def board_for(mode: Mode, window: Window) -> BoardRecord:
    """The board of the mode in this window, made when it is missing. Inside the caller's transaction."""
    if (found := find_board(mode, window.window_id)) is not None:
        return found
    values = {
        "mode_id": mode.id,
        "window_id": window.window_id,
        "layout": mode.layout,
        "shards": mode.shards,
        "origin": window.starts or mode.created_at,
        "closes_at": window.ends,
        "expires_at": window.ends and window.ends + timedelta(days=int(mode.keep_days[window.kind])),
    }
    db.session.execute(insert(BoardRecord).values(values).on_conflict_do_nothing(constraint="uq_boards_window"))
    made = find_board(mode, window.window_id)
    assert made is not None
    return made


def lock_modes(mode_ids: Collection[UUID], *, exclusive: bool) -> dict[UUID, Mode]:
    """The modes as they are now, held until the caller's transaction ends, by id; unknown ids are left out.

    Shared: by whoever writes scores; exclusive: by whoever changes what boards hold in another way. In the order of
    their ids, so that two callers never wait for each other.
    """
    query = select(Mode).where(Mode.id.in_(mode_ids)).order_by(Mode.id)
    locked = query.with_for_update(read=not exclusive).execution_options(populate_existing=True)
    return {mode.id: mode for mode in db.session.scalars(locked)}


def budget(ties: str, kind: str, origin: datetime) -> Budget:
    """How a board of this kind of window stores its ties."""
    if ties != Ties.EARLIEST:
        return Budget()
    return Budget(TIE_BITS[kind], to_us(origin) // SECOND * SECOND)


def spec_of(game: ScoreGame, mode: Mode, record: BoardRecord) -> BoardSpec:
    """Where the board lies in Redis and how it counts."""
    spec = BoardSpec(
        game=game.slug,
        mode=mode.slug,
        window=record.window_id,
        aggregation=Aggregation(mode.aggregation),
        ties=Ties(mode.ties),
        budget=budget(mode.ties, record.window_id.partition(":")[0], record.origin),
        layout=record.layout,
        shards=record.shards,
        generation=record.generation,
    )
    if record.next_generation is None:
        return spec
    assert record.next_layout is not None  # a constraint of the table
    assert record.next_shards is not None
    following = replace(spec, layout=record.next_layout, shards=record.next_shards, generation=record.next_generation)
    return replace(spec, next=following)


def _is_uuid(name: str) -> bool:
    try:
        return str(UUID(name)) == name.lower()
    except ValueError:
        return False
