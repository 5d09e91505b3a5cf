"""Uploaded pictures in a folder of the blob store: encoded anew, and deleted when nobody has them.

A picture is stored before the row that names it is committed. Pictures without a row, because a
process was killed or a member was erased, are deleted by `sweep`.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import select

from app.core import clock
from app.core.blob_store import BlobStoreError, blob_store
from app.core.db import db
from app.core.errors import one_line
from app.core.input_limits import PICTURE_BYTES
from app.core.pictures import re_encoded

ORPHANED_AFTER = timedelta(hours=1)
_NAME = re.compile(r"(\d+)-[0-9a-f]{32}")  # the milliseconds of its storing, a random part

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class PictureStore:
    """The pictures of one kind.

    Attributes:
        folder: of the blob store.
        column: names the pictures that are in use.
        side: of a stored picture at most, in pixels.
        is_square: whether a picture is cut to a square.
    """

    folder: str
    column: Any
    side: int
    is_square: bool = False

    def store(self, data: bytes, now: datetime) -> str:
        """Store the picture and return its name. Raises BadPictureError, BlobStoreError."""
        encoded = re_encoded(
            data, side=self.side, most_bytes=PICTURE_BYTES, is_square=self.is_square
        )
        name = f"{clock.to_ms(now)}-{secrets.token_hex(16)}"
        blob_store().put(f"{self.folder}/{name}", encoded)
        return name

    def load(self, name: str) -> bytes:
        """Return the picture. Raises BlobNotFoundError, BlobStoreError."""
        return blob_store().get(f"{self.folder}/{name}")

    def delete(self, *names: str | None) -> None:
        """Delete the pictures; if the blob store does not answer, `sweep` does it later."""
        for name in names:
            if name is None:
                continue
            try:
                blob_store().delete(f"{self.folder}/{name}")
            except BlobStoreError as error:
                log.warning("picture_not_deleted", folder=self.folder, reason=one_line(error))

    def sweep(self, now: datetime) -> int:
        """Delete old pictures that are not in use; return how many. Raises BlobStoreError.

        Files with other names are not ours and stay.
        """
        latest = clock.to_ms(now - ORPHANED_AFTER)
        paths = blob_store().names(self.folder)
        stored = [_NAME.fullmatch(path.rpartition("/")[2]) for path in paths]
        old = [match[0] for match in stored if match and int(match[1]) < latest]
        used = set(db.session.scalars(select(self.column).where(self.column.in_(old))))
        db.session.rollback()
        orphans = [name for name in old if name not in used]
        self.delete(*orphans)
        return len(orphans)
