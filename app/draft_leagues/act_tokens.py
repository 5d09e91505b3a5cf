"""Tokens: names that members give their acts, so that an act which is sent again counts once.

The token is stored with what the act recorded: an entry of the log, a trade, an event of a draft.
A token belongs to its member, and to one act: the same token with another act is refused.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Select, func
from sqlalchemy.orm import InstrumentedAttribute

from app.core.db import db
from app.core.refusals import Refusal

FINGERPRINT_LENGTH = 16

TOKEN_USED = Refusal(
    "token_used",
    "token",
    "This token was used for another act. Send it again with a new token.",
)


@dataclass(frozen=True)
class NamedAct:
    """An act under the name that its member gave it.

    Attributes:
        owner: The member and their token.
        fingerprint: Of what the member asked for.
    """

    owner: str
    fingerprint: str

    @property
    def key(self) -> str:
        """What is stored with the act: its owner, then its fingerprint."""
        return f"{self.owner}:{self.fingerprint}"


def named_act(member_id: int, token: str, *request: object) -> NamedAct | None:
    """The act that a member asks for under a token; None without a token.

    Args:
        member_id: Who sent it.
        token: Their name for it; may be empty.
        request: Everything that makes it this act and no other, as the member sent it.
    """
    if not token:
        return None
    document = msgspec.json.encode(request, order="deterministic")
    fingerprint = hashlib.sha256(document).hexdigest()[:FINGERPRINT_LENGTH]
    return NamedAct(f"act:{member_id}:{token}", fingerprint)


def first_outcome(
    act: NamedAct | None, query: Select[Any], key: InstrumentedAttribute[str | None]
) -> Any | None:
    """What the act recorded when it was sent first; None for a new act, or one without a token.

    The caller holds the lock under which such acts are recorded.

    Args:
        act: The act.
        query: Selects what acts of this kind record, in one league or draft.
        key: The column with their keys.

    Returns:
        The first column of the query, or TOKEN_USED if the token names another act.
    """
    if act is None:
        return None
    owner = func.left(key, -FINGERPRINT_LENGTH - 1)
    row = db.session.execute(query.add_columns(key.label("key")).where(owner == act.owner)).first()
    if row is None:
        return None
    return row[0] if row.key == act.key else TOKEN_USED
