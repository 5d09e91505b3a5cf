"""Atomic files: a reader sees a whole file, the previous one, or none."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.errors import UserError


def read_file(path: Path, most_bytes: int) -> bytes:
    """Read a whole file.

    Raises:
        UserError: The file cannot be read, or is larger than `most_bytes`.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    if len(data) > most_bytes:
        raise UserError(f"{path}: is larger than {most_bytes:,} bytes")
    return data


def write_whole(path: Path, text: str) -> None:
    """Replace the file's content atomically; only its owner may read it."""
    with _draft(path, text) as draft:
        draft.replace(path)


def write_once(path: Path, text: str) -> None:
    """Write the file atomically unless it exists; of several processes, one wins."""
    with _draft(path, text) as draft, contextlib.suppress(FileExistsError):
        os.link(draft, path)


@contextmanager
def _draft(path: Path, text: str) -> Iterator[Path]:
    """Yield a temporary file beside `path`, and delete it afterwards.

    A process that is killed inside the block leaves the file behind.
    """
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        yield draft
    finally:
        draft.unlink(missing_ok=True)
