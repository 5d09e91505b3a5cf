"""What is kept of a secret that we made up: whoever shows it again is known, and nobody can read it
here.
"""

from __future__ import annotations

import hashlib


def digest(secret: str) -> str:
    """SHA-256 in hex, without salt or stretching: such a secret has 256 random bits, nobody guesses
    those.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
