"""Digests of secrets that we generated: enough to recognise them, not to read them."""

from __future__ import annotations

import hashlib


def digest(secret: str) -> str:
    """Return the SHA-256 in hex, without salt or stretching: the secret has 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()
