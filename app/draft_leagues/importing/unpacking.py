"""Reads the files of an upload, also those packed in ZIP files, within one limit for all. Pure."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable

from app.core.input_limits import LEAGUE_FILES, LEAGUE_FILES_UNPACKED_BYTES, size_in_words
from app.core.refusals import Refusal

PACKED = b"PK"
_ENTRY = b"PK\x01\x02"  # begins the description of each file in a ZIP file
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile raises for damaged, encrypted and unusual files.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


class TooMuchError(Exception):
    """The files of one upload are more, or larger, than they may be together."""


def unpacked_files(uploads: Iterable[tuple[str, bytes]], field: str) -> dict[str, bytes] | Refusal:
    """The files by name, or why they cannot be read.

    Args:
        uploads: Names and contents, of which some may be ZIP files.
        field: The field of the form, for a refusal.
    """
    unpacking = _Unpacking()
    for name, data in uploads:
        try:
            unpacking.add(name, data)
        except TooMuchError:
            most = size_in_words(LEAGUE_FILES_UNPACKED_BYTES)
            text = f"Send at most {LEAGUE_FILES} files and {most} in total. Remove some."
            return Refusal("size", field, text)
        except _UNREADABLE:
            return Refusal("zip", field, f"We can't read the ZIP file {name}. Zip it again.")
    return unpacking.files or Refusal("files", field, "Choose a file.")


class _Unpacking:
    """Collects files and counts them and their bytes, over all uploads."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._bytes_left = LEAGUE_FILES_UNPACKED_BYTES
        self._files_left = LEAGUE_FILES

    def add(self, name: str, data: bytes) -> None:
        """Add an upload. Raises TooMuchError, or one of _UNREADABLE."""
        if not data.startswith(PACKED):
            self._add_file(name, data)
            return
        if data.count(_ENTRY) > self._files_left:  # each takes memory before it is read
            raise TooMuchError
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.is_dir():
                    continue
                if entry.compress_type not in _METHODS:
                    raise NotImplementedError
                with archive.open(entry) as file:
                    # The size that the archive declares may be wrong.
                    self._add_file(entry.filename, file.read(self._bytes_left + 1))

    def _add_file(self, name: str, data: bytes) -> None:
        self._bytes_left -= len(data)
        self._files_left -= 1
        if self._bytes_left < 0 or self._files_left < 0:
            raise TooMuchError
        self.files[name] = data
