"""Places in the change feed: rising numbers that are assigned to changes after their commit.

A change is visible before it gets its place, and whoever assigns places holds a lock, so no place
is ever assigned behind one that a reader has seen: late commits appear late instead of being
skipped. Open transactions of other sessions do not delay the feed.

A place is never below the clock in microseconds, so places keep rising in a database that was
restored to an earlier moment, and none is assigned twice. If the database has changed (restored,
copied, failed over), the feed records a fork: a token from the lost part gets a TokenTooOldError,
every other one continues. docs/decisions says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import structlog
from psycopg.errors import LockNotAvailable
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.core.db import db
from app.core.errors import UserError

log = structlog.get_logger(__name__)

BATCH = 5_000  # changes placed per transaction
LEAST = 10**15  # the lowest place: microseconds since 1970 passed it in 2001
_TOKEN = re.compile(r"[0-9a-f]{1,15}")
_TOKEN_OF_0_1 = re.compile(r"[0-9a-f]{1,15}-[0-9a-f]{1,15}")


class InvalidTokenError(UserError):
    """`since` is not a token of this feed."""


class TokenTooOldError(UserError):
    """Changes after `since` are no longer kept, or were lost in a restore."""


@dataclass(frozen=True, order=True)
class Token:
    """A place in the feed: the reader has all changes up to it."""

    place: int

    def __str__(self) -> str:
        return f"{self.place:x}" if self.place else "0-0"

    @classmethod
    def parse(cls, value: str) -> Token:
        """Parse a token.

        Raises:
            InvalidTokenError: The text is no token.
            TokenTooOldError: It is a token of Pressbox 0.1, which named a transaction of one
                PostgreSQL server.
        """
        if value == str(START):
            return START
        if _TOKEN_OF_0_1.fullmatch(value):
            raise TokenTooOldError(
                "since comes from an earlier release. Read the boards again, then the feed "
                "without since."
            )
        if not _TOKEN.fullmatch(value) or int(value, 16) < LEAST:
            raise InvalidTokenError(
                f"since={value[:40]!r} is not a token. Send one from this feed, or none to "
                "start again."
            )
        return cls(int(value, 16))


START = Token(0)

# A restore creates the table again, a copy has another server, and a promoted standby another
# timeline.
HERE = """
    concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
      left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), 'feed_state'::regclass::oid)
"""
_LOOK = text(f"""
    SELECT s.server IS NOT DISTINCT FROM here.server AS is_here,
      EXISTS (SELECT FROM board_changes WHERE place IS NULL) AS waits
    FROM (SELECT {HERE} AS server) here LEFT JOIN feed_state s ON true
""")  # noqa: S608 (a constant of ours)
_FIRST = text("""
    INSERT INTO feed_state (last_place) SELECT coalesce(max(place), 0) FROM board_changes
      ON CONFLICT DO NOTHING
""")
_LOCK = text(f"SELECT last_place, server, {HERE} AS here FROM feed_state FOR UPDATE")  # noqa: S608
_FORK = text("""
    WITH fork AS (
      INSERT INTO feed_forks (kept_through, resumed_from)
      SELECT last_place, greatest(last_place, (extract(epoch
        FROM clock_timestamp()) * 1000000)::bigint) + 1
      FROM feed_state RETURNING kept_through, resumed_from),
    told AS (
      INSERT INTO board_changes (integrator_id, event, details, place)
      SELECT i.id, 'timeline.changed',
        jsonb_build_object('game', '', 'mode', '', 'window', '', 'kept_through', fork.kept_through),
        fork.resumed_from + row_number() OVER (ORDER BY i.id)
      FROM integrators i CROSS JOIN fork RETURNING place)
    UPDATE feed_state
    SET last_place = greatest((SELECT resumed_from FROM fork), (SELECT max(place) FROM told))
    RETURNING last_place
""")
_HERE = text("UPDATE feed_state SET server = :here WHERE server IS DISTINCT FROM :here")
_ASSIGN = text("""
    WITH unplaced AS (
      SELECT id FROM board_changes WHERE place IS NULL ORDER BY id
        LIMIT :limit FOR UPDATE SKIP LOCKED),
    numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS number FROM unplaced),
    base AS (
      SELECT greatest(last_place, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS
        place FROM feed_state),
    placed AS (
      UPDATE board_changes c SET place = base.place + numbered.number
      FROM numbered CROSS JOIN base WHERE c.id = numbered.id RETURNING c.place),
    last AS (
      UPDATE feed_state SET last_place = greatest(last_place, (SELECT max(place) FROM placed)))
    SELECT count(*) FROM placed
""")
_LAST = text("SELECT last_place FROM feed_state")
_LOST = text(
    "SELECT EXISTS (SELECT FROM feed_forks WHERE kept_through < :place AND :place < resumed_from)"
)
_NEWEST_FORK = text("SELECT coalesce(max(resumed_from), 0) FROM feed_forks")


def assign_places() -> int:
    """Give every committed change its place and return how many had none; commit.

    A fork is recorded first, if there was one. If another session holds the lock, its places are
    enough.
    """
    look = db.session.execute(_LOOK).one()
    if look.is_here and not look.waits:
        db.session.rollback()
        return 0
    total = 0
    try:
        while True:
            _note_where()
            placed: int = db.session.execute(_ASSIGN, {"limit": BATCH}).scalar_one()
            db.session.commit()
            total += placed
            if placed < BATCH:
                return total
    except OperationalError as error:
        db.session.rollback()
        if not isinstance(error.orig, LockNotAvailable):
            raise
        log.warning("feed_places_waited_in_vain")
        return total


def _note_where() -> None:
    """Lock the state, and record a fork if the database is not the one before."""
    state = db.session.execute(_LOCK).one_or_none()
    if state is None:
        db.session.execute(_FIRST)
        state = db.session.execute(_LOCK).one()
    if state.server is not None and state.server != state.here:
        resumed = db.session.execute(_FORK).scalar_one()
        log.warning("feed_forked", kept_through=state.last_place, resumed=resumed)
    db.session.execute(_HERE, {"here": state.here})


def last_place() -> Token:
    """Return the last place: all changes up to it are visible, and later ones come after it."""
    return Token(db.session.scalar(_LAST) or 0)


def check_history(since: Token, last: Token) -> None:
    """Check that this database assigned the place and that no restore lost it.

    Raises:
        TokenTooOldError: It did not, or a restore lost the place.
    """
    if since > last or db.session.scalar(_LOST, {"place": since.place}):
        raise TokenTooOldError(
            "The server was restored to a time before since, so changes you read after "
            "that time may be undone. Read the boards again, then the feed without since."
        )


def newest_fork() -> int:
    """Return the place at which the feed continued after the last restore; 0 without one."""
    return db.session.scalar(_NEWEST_FORK) or 0
