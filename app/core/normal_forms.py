"""Unicode's normal forms of text that comes from outside. Pure.

The only caller of `unicodedata.normalize`: it sorts combining marks in a row in quadratic time and
without letting other threads run, so a megabyte of them stops a process for minutes.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from app.core.input_limits import NORMALIZED_CHARACTERS


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    r"""The text in a normal form (Unicode Standard Annex 15).

    A text of more than NORMALIZED_CHARACTERS is returned as it is: the rule about its length, which
    no text of this size passes, refuses it.

    >>> normalized("NFC", "O\u0301"), len(normalized("NFC", "O" + "\u0301" * 5_000))
    ('Ó', 5001)
    """
    return text if len(text) > NORMALIZED_CHARACTERS else unicodedata.normalize(form, text)
