"""Carries a league that was read from files through the pages that ask about it. Pure.

It travels in the page's form, as compressed JSON: nothing of it is stored before the member
confirms, and everything is checked again when it comes back.
"""

from __future__ import annotations

import base64
import zlib

import msgspec

from app.core.json_decoding import InvalidJsonError, parse
from app.core.refusals import Refusal
from app.draft_leagues.importing.values import ImportedLeague
from app.fantasy.scoring.rules import PRESETS

MOST_BYTES = 4 * 1024 * 1024
TOO_MUCH = Refusal("size", "files", "The league has too much text. Shorten the longest names.")
_decoder = msgspec.json.Decoder(ImportedLeague)


def packed(league: ImportedLeague) -> str | Refusal:
    """The league as text for a field of a form, or why it is too large for one."""
    document = msgspec.json.encode(league)
    if len(document) > MOST_BYTES:
        return TOO_MUCH
    return base64.b64encode(zlib.compress(document)).decode()


def unpacked(text: str) -> ImportedLeague | None:
    """The league of a field; None if it is none."""
    try:
        unpacking = zlib.decompressobj()
        document = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        league = parse(_decoder, document)
    except (ValueError, zlib.error, InvalidJsonError):
        return None
    return league if league.settings.scoring in PRESETS else None
