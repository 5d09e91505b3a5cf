"""Pictures of clubs and tournaments: fetched, re-encoded, stored by content (PRODUCT C11).

A provider's file is never served itself, only what app/core/pictures.py makes of it. Pictures are
stored as `assets/<sha256>` in the blob store and never change. Serving is in views.py; the
addresses come from matches/mapping.py.
"""

from __future__ import annotations

import hashlib
import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from flask import current_app
from sqlalchemy import or_, select, update

from app.core.blob_store import blob_store
from app.core.db import db, transaction
from app.core.http import outbound
from app.core.pictures import MOST_BYTES, BadPictureError, re_encoded
from app.predictions.models import Team, Tournament
from app.settings import Settings

log = structlog.get_logger(__name__)

SECONDS = 10.0  # per picture
SECONDS_IN_ALL = 60.0  # per call; the rest is fetched after the next poll
AGAIN = timedelta(days=1)  # before an unusable picture is tried again
HTTP_OK = 200


def fetch_missing(tournament_id: UUID, now: datetime) -> int:
    """Fetch missing pictures of the tournament and its teams. Commits.

    An unusable picture is logged and tried again after a day. Returns how many were fetched. Raises
    BlobStoreError.
    """
    ends = time.monotonic() + SECONDS_IN_ALL
    fetched = 0
    for model, key, source in _missing(tournament_id, now):
        if time.monotonic() > ends:
            break
        image = None
        try:
            image = store(_fetched(source))
            fetched += 1
        except BadPictureError as fault:
            log.warning(
                "asset_refused", tournament_id=str(tournament_id), of=str(key), fault=str(fault)
            )
        with transaction():
            # the tournament first and then its teams, in the same lock order as applying a poll
            if image is not None:
                raised = {"version": Tournament.version + 1}
                db.session.execute(
                    update(Tournament).where(Tournament.id == tournament_id).values(raised)
                )
            same = (model.id == key, model.image_source == source)
            db.session.execute(update(model).where(*same).values(image=image, image_tried_at=now))
    return fetched


def _missing(tournament_id: UUID, now: datetime) -> list[tuple[Any, UUID, str]]:
    """Return table, id and address of each picture to fetch, the tournament's own first."""
    pictures: list[tuple[Any, UUID, str]] = []
    for model, is_ours in (
        (Tournament, Tournament.id == tournament_id),
        (Team, Team.tournament_id == tournament_id),
    ):
        rows = db.session.execute(
            select(model.id, model.image_source)
            .where(is_ours, model.image.is_(None), model.image_source.is_not(None))
            .where(or_(model.image_tried_at.is_(None), model.image_tried_at < now - AGAIN))
            .order_by(model.id)
        )
        pictures += [(model, row[0], str(row[1])) for row in rows]
    db.session.rollback()  # no transaction may wait for an external server
    return pictures


def _fetched(address: str) -> bytes:
    """Fetch the bytes at the address without checking them. Raises BadPictureError."""
    settings: Settings = current_app.config["PRESSBOX"]
    private = settings.providers_private
    if fault := outbound.url_fault(address, private=private):
        raise BadPictureError(f"The address cannot be used. {fault}")
    headers = {"Accept": "image/webp, image/png, image/jpeg", "User-Agent": "Pressbox"}
    answer = outbound.get(address, headers, private=private, seconds=SECONDS, most_bytes=MOST_BYTES)
    if answer.fault is not None:
        raise BadPictureError(answer.fault)
    if answer.status != HTTP_OK:
        raise BadPictureError(f"Responded with {answer.status}: no picture.")
    return answer.body


def store(data: bytes) -> str:
    """Re-encode and store the picture. Returns its name, the SHA-256 of the stored bytes.

    Raises BadPictureError, BlobStoreError.
    """
    encoded = re_encoded(data)
    name = hashlib.sha256(encoded).hexdigest()
    blob_store().put(blob_name(name), encoded)
    return name


def blob_name(name: str) -> str:
    """Return the picture's name in the blob store."""
    return f"assets/{name}"
