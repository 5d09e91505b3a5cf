"""Which games, modes and boards there are.

Score games are namespaces: a mode belongs to one game alone.

Lives here: making and finding them, and how a row becomes a BoardSpec. Not here: reads
(services.py), scores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

from sqlalchemy import exists, func, select, text
from sqlalchemy.dialects.postgresql import insert

from app.accounts import quotas
from app.accounts.names import normalised
from app.boards import custom_windows, titles
from app.boards.bounds import bound_faults
from app.boards.keeping import KEEP_DAYS, MOST_OF_HOURS, keep_days, live_of_hours
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.order import Best
from app.boards.rules import Aggregation, Budget, Ties
from app.boards.spec import HASH, LAYOUTS, BoardSpec
from app.boards.titles import WRONG, is_uuid
from app.boards.windows import ALL_TIME, CUSTOM, KINDS, Window
from app.core.db import db
from app.core.errors import UserError
from app.core.locks import Lock
from app.core.refusals import Refusal
from app.core.timeline import epoch

MAX_SHARDS = 1024
MAX_DECIMALS = 3
LATE_HOURS, MOST_LATE_HOURS = 24, 366 * 24  # how late a trusted server's score may come
TAKEN = "taken"  # code of a refusal: the name belongs to another one


class NoBoard(UserError):
    """There is no board of this name, or nothing of it is in Redis any more."""


@dataclass(frozen=True)
class NewMode:
    """A mode to be made.

    Scores and bounds in 10^-`decimals` of a point; `keep_days` by kind of window; `custom_windows`
    as custom_windows.stored gives them; `subscore`: min, max, order, title.
    """

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
    late_hours: int = LATE_HOURS
    private: bool = False
    custom_windows: Sequence[Mapping[str, str]] = ()
    order: str = Best.HIGHEST
    subscore: Mapping[str, Any] | None = None
    takes_metadata: bool = False


def create_game(
    slug: str, title: str, integrator_id: int | None = None
) -> ScoreGame | list[Refusal]:
    """Makes a game and commits, or says all that is wrong."""
    refused = [*titles.name_faults(slug, title)]
    if integrator_id is not None:
        refused = refused or titles.title_faults("title", title)
        _lock(integrator_id)
        held = (
            db.session.scalar(select(func.count()).where(ScoreGame.integrator_id == integrator_id))
            or 0
        )
        refused += quotas.refusal("slug", held, quotas.MOST_GAMES, "games of this integrator")
    if not refused:
        values = {"slug": slug, "title": normalised(title), "integrator_id": integrator_id}
        made: ScoreGame | None = db.session.scalar(
            insert(ScoreGame).values(values).on_conflict_do_nothing().returning(ScoreGame)
        )
        db.session.commit()
        if made is not None:
            return made
        refused.append(
            Refusal(TAKEN, "slug", f"There is a game {slug!r} already: choose another slug.")
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
    *("layout", "shards", "late_hours", "private", "takes_metadata"),
)


def create_mode(
    game: ScoreGame, new: NewMode, now: datetime, also: Callable[[Mode], None] = lambda made: None
) -> Mode | list[Refusal]:
    """Makes a mode of the game and commits, or says all that is wrong.

    `also` writes what belongs to it, with it.
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
        made: Mode | None = db.session.scalar(
            insert(Mode).values(values).on_conflict_do_nothing().returning(Mode)
        )
        if made is not None:
            also(made)
        db.session.commit()
        if made is not None:
            return made
        refused.append(
            Refusal(
                TAKEN, "slug", f"The game has a mode {new.slug!r} already: choose another slug."
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
    """Until the end of the transaction: what is counted is still so when it is made."""
    lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:integrator, :lock))")
    db.session.execute(lock, {"integrator": f"integrator:{integrator_id}", "lock": Lock.INTEGRATOR})


def mode_faults(new: NewMode) -> list[Refusal]:
    """All that is wrong with a mode, in the order of its fields; empty when nothing is."""
    faults = [*titles.name_faults(new.slug, new.title)]

    def refuse(name: str, text: str) -> None:
        faults.append(Refusal(WRONG, name, text))

    if new.aggregation not in list(Aggregation):
        refuse("aggregation", f"{new.aggregation!r} is none of {', '.join(Aggregation)}.")
    if new.ties not in list(Ties):
        refuse("ties", f"{new.ties!r} is none of {', '.join(Ties)}.")
    if new.time_zone not in available_timezones():
        refuse(
            "time_zone", f"{new.time_zone!r} is no time zone: use one like Europe/Berlin or UTC."
        )
    if not 0 <= new.decimals <= MAX_DECIMALS:
        refuse("decimals", f"{new.decimals} is not between 0 and {MAX_DECIMALS}.")
    unknown = [kind for kind in new.windows if kind not in KINDS]
    if unknown or not new.windows:
        refuse(
            "windows",
            f"Name at least one of {', '.join(KINDS)}"
            + (f", not {unknown[0]!r}." if unknown else "."),
        )
    for kind, days in new.keep_days.items():
        if kind not in KEEP_DAYS or not 1 <= days <= 36_500:
            refuse(
                "keep_days", f"{kind}: {days} must be 1 to 36500 days, for {', '.join(KEEP_DAYS)}."
            )
    if (live := live_of_hours(new.windows, new.keep_days)) > MOST_OF_HOURS:
        text = (
            f"{live} windows of hours would live at once, of at most {MOST_OF_HOURS}: keep them "
            "fewer days"
        )
        refuse("keep_days", f"{text}, or name fewer kinds of them.")
    if CUSTOM in new.windows and len(set(new.windows)) == 1:
        refuse(
            "windows",
            f"Between two {CUSTOM} windows a score would count nowhere: name another kind too.",
        )
    if new.custom_windows and CUSTOM not in new.windows:
        refuse(
            "custom_windows", f"The mode has no {CUSTOM} windows: name {CUSTOM} among its windows."
        )
    for said in custom_windows.faults(new.custom_windows):
        refuse("custom_windows", said)
    if new.min_score > new.max_score:
        refuse("max_score", f"{new.max_score} is below min_score ({new.min_score}).")
    for name, said in bound_faults(
        new.aggregation, new.order, new.min_score, new.max_score, new.subscore
    ):
        refuse(name, said)
    if new.layout not in LAYOUTS:
        refuse("layout", f"{new.layout!r} is none of {', '.join(LAYOUTS)}.")
    if not 1 <= new.shards <= MAX_SHARDS:
        refuse("shards", f"{new.shards} is not between 1 and {MAX_SHARDS}.")
    if not 0 <= new.late_hours <= MOST_LATE_HOURS:
        refuse("late_hours", f"{new.late_hours} is not between 0 and {MOST_LATE_HOURS}.")
    return faults


def games(integrator_id: int | None = None) -> list[ScoreGame]:
    """The games by title then slug; of one integrator, or all."""
    query = select(ScoreGame).where(ScoreGame.deleting_at.is_(None))
    query = query.order_by(func.lower(ScoreGame.title), ScoreGame.slug)
    if integrator_id is not None:
        query = query.where(ScoreGame.integrator_id == integrator_id)
    return list(db.session.scalars(query))


def game_of(mode: Mode) -> ScoreGame:
    game = db.session.get(ScoreGame, mode.game_id)
    assert game is not None  # a foreign key
    return game


def modes(game: ScoreGame) -> list[Mode]:
    """The game's modes by title then slug."""
    query = select(Mode).where(Mode.game_id == game.id, Mode.deleting_at.is_(None))
    query = query.order_by(func.lower(Mode.title), Mode.slug)
    return list(db.session.scalars(query))


def listed_modes(game: ScoreGame) -> list[Mode]:
    """The game's modes that a public list may name, by title then slug."""
    return [mode for mode in modes(game) if mode.hidden_at is None and not mode.private]


def is_archived(mode: Mode) -> bool:
    """Whether it takes no scores (any more): by itself or with its game."""
    return (mode.archived_at or game_of(mode).archived_at) is not None


def has_scores(mode: Mode) -> bool:
    """Whether any score has reached the mode."""
    return db.session.scalar(select(exists().where(BoardRecord.mode_id == mode.id))) or False


def find_game(name: str, *, deleting: bool = False) -> ScoreGame | None:
    """The game of that slug or UUID; `deleting`: also while it is being deleted."""
    by = ScoreGame.id == UUID(name) if is_uuid(name) else ScoreGame.slug == name
    found = db.session.scalar(select(ScoreGame).where(by))
    return found if found is not None and (deleting or found.deleting_at is None) else None


def find_mode(game: ScoreGame, name: str, *, deleting: bool = False) -> Mode | None:
    """The mode of that slug or UUID, if it is one of this game.

    `deleting`: also while it is being deleted.
    """
    by = Mode.id == UUID(name) if is_uuid(name) else Mode.slug == name
    found = db.session.scalar(select(Mode).where(Mode.game_id == game.id, by))
    return found if found is not None and (deleting or found.deleting_at is None) else None


def find_game_and_mode(game: str, mode: str) -> tuple[ScoreGame, Mode] | None:
    """As find_game and find_mode, in one statement; None where one of them is not there."""
    of_game = ScoreGame.id == UUID(game) if is_uuid(game) else ScoreGame.slug == game
    of_mode = Mode.id == UUID(mode) if is_uuid(mode) else Mode.slug == mode
    query = select(ScoreGame, Mode).join(Mode, Mode.game_id == ScoreGame.id).where(of_game, of_mode)
    found = db.session.execute(query).one_or_none()
    if found is None or found[0].deleting_at is not None or found[1].deleting_at is not None:
        return None
    return found[0], found[1]


def find_board(mode: Mode, window_id: str) -> BoardRecord | None:
    return db.session.scalar(
        select(BoardRecord).where(
            BoardRecord.mode_id == mode.id, BoardRecord.window_id == window_id
        )
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
    raise NoBoard(
        f"There is no board {key}: name it game:mode:window, for example "
        "bowl:season:weekly:2026-W14."
    )


def archived_among(mode: Mode, window_ids: Collection[str]) -> set[str]:
    """Of these windows those whose boards are archived: no score counts there any more."""
    if not window_ids:
        return set()
    query = select(BoardRecord.window_id).where(
        BoardRecord.mode_id == mode.id,
        BoardRecord.window_id.in_(window_ids),
        BoardRecord.archived_at.is_not(None),
    )
    return set(db.session.scalars(query))


def boards_before(mode: Mode, window: Window, limit: int) -> list[str]:
    """Window ids of the mode's boards of this kind, the newest first, without this one."""
    query = select(BoardRecord.window_id).where(
        BoardRecord.mode_id == mode.id,
        BoardRecord.window_id.startswith(f"{window.kind}:"),
        BoardRecord.window_id != window.window_id,
    )
    return list(db.session.scalars(query.order_by(BoardRecord.origin.desc()).limit(limit)))


def board_for(mode: Mode, window: Window) -> BoardRecord:
    """The board of the mode in this window, made when it is missing.

    Inside the caller's transaction.
    """
    if (found := find_board(mode, window.window_id)) is not None:
        return found
    # of all time, which never ends, none
    days = keep_days([window.kind], mode.keep_days).get(window.kind, 0)
    values = {
        "mode_id": mode.id,
        "window_id": window.window_id,
        "layout": mode.layout,
        "shards": mode.shards,
        "origin": window.starts or mode.created_at,
        "closes_at": window.ends,
        "expires_at": window.ends and window.ends + timedelta(days=days),
    }
    db.session.execute(
        insert(BoardRecord).values(values).on_conflict_do_nothing(constraint="uq_boards_window")
    )
    made = find_board(mode, window.window_id)
    assert made is not None
    return made


def lock_modes(mode_ids: Collection[UUID], *, exclusive: bool) -> dict[UUID, Mode]:
    """The modes as they are now, held until the caller's transaction ends, by id.

    Unknown ids are left out.

    Shared: by whoever writes scores; exclusive: by whoever changes what boards hold in another way.
    In the order of their ids, so that two callers never wait for each other.
    """
    query = select(Mode).where(Mode.id.in_(mode_ids)).order_by(Mode.id)
    locked = query.with_for_update(read=not exclusive).execution_options(populate_existing=True)
    return {mode.id: mode for mode in db.session.scalars(locked)}


def spec_of(game: ScoreGame, mode: Mode, record: BoardRecord) -> BoardSpec:
    """Where the board lies in Redis and how it counts."""
    spec = BoardSpec(
        game=game.slug,
        mode=mode.slug,
        window=record.window_id,
        aggregation=Aggregation(mode.aggregation),
        ties=Ties(mode.ties),
        budget=Budget(tied=mode.ties == Ties.EARLIEST),
        order=mode.ordering,
        layout=record.layout,
        shards=record.shards,
        generation=record.generation,
        timeline=epoch(),
    )
    if record.next_generation is None:
        return spec
    assert record.next_layout is not None  # a constraint of the table
    assert record.next_shards is not None
    following = replace(
        spec,
        layout=record.next_layout,
        shards=record.next_shards,
        generation=record.next_generation,
    )
    return replace(spec, next=following)
