"""Digests of secrets that we generated: we recognise them, and nobody can read them here."""

from __future__ import annotations

import hashlib


def digest(secret: str) -> str:
    """SHA-256 in hex, without salt or stretching: such a secret has 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()
