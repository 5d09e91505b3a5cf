"""Carries a league that was read from files through the pages that ask about it. Pure.

It travels in the page's form, as compressed JSON: nothing of it is stored before the member
confirms, and everything is checked again when it comes back.
"""

from __future__ import annotations

import base64
import binascii
import zlib

import msgspec

from app.draft_leagues.importing.values import ImportedLeague

MOST_BYTES = 4 * 1024 * 1024


def packed(league: ImportedLeague) -> str:
    """The league as text for a field of a form."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(league))).decode()


def unpacked(text: str) -> ImportedLeague | None:
    """The league of a field; None if it is none."""
    try:
        unpacking = zlib.decompressobj()
        document = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        return msgspec.json.decode(document, type=ImportedLeague)
    except (ValueError, binascii.Error, zlib.error, msgspec.MsgspecError):
        return None
