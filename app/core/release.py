"""The release: a number for the files that pages load."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import current_app


def release() -> str:
    """Return 16 hex digits that change with any file that pages load.

    All processes of a release get the same value.
    """
    return release_of(str(current_app.static_folder))


@cache
def release_of(folder: str) -> str:
    """Return the number for this folder of static files."""
    root = Path(folder)
    digest = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
