"""The order of a draft by a lottery that everybody can check. Pure.

1. Before the lottery the server chooses 32 random bytes, written as 64 hexadecimal digits: the
   seed. It publishes the commitment: the SHA-256 of these 64 characters.
2. At the lottery it publishes the seed. Each franchise gets the ticket SHA-256("SEED:NUMBER"), with
   its number as decimal digits. The smallest ticket picks first.

So nobody can change the order after the commitment, and `printf '%s' "SEED:3" | sha256sum` checks
a ticket.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

SEED_BYTES = 32


def commitment_of(seed: str) -> str:
    """Return what is published before the lottery."""
    return hashlib.sha256(seed.encode()).hexdigest()


def ticket(seed: str, franchise: int) -> str:
    """Return the franchise's ticket."""
    return hashlib.sha256(f"{seed}:{franchise}".encode()).hexdigest()


def drawn_order(seed: str, franchises: Iterable[int]) -> tuple[int, ...]:
    """Return the franchises in the order of their tickets.

    >>> drawn_order("00", [1, 2, 3])
    (1, 3, 2)
    """
    return tuple(sorted(franchises, key=lambda franchise: ticket(seed, franchise)))
