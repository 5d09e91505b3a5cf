"""The blob store: whole objects by name, in a folder or in an S3 bucket (fsspec).

The callers decide what the objects contain (see app/stream/segments.py). Names are relative, with
`/` between their parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any

from flask import Flask, current_app

from app.core.errors import UserError

_DRAFT = ".draft"


class BlobStoreError(UserError):
    """The store does not answer or refuses; the text says which setting to look at."""


class BlobNotFoundError(UserError):
    """There is no object of this name."""


class BlobStore:
    """Objects below `url`: a folder, or `s3://bucket/prefix`.

    The connection is made on first use.

    `endpoint`, `key_id`, `secret` and `region` are for S3. If one is empty, it is looked up in the
    same places as by AWS's own tools.
    """

    def __init__(
        self, url: str, *, endpoint: str = "", key_id: str = "", secret: str = "", region: str = ""
    ) -> None:
        self.url = url.rstrip("/")
        self.is_s3 = url.startswith("s3://")
        self._options: dict[str, Any] = {}
        if self.is_s3:
            client = {"endpoint_url": endpoint, "region_name": region}
            self._options = {
                "key": key_id or None,
                "secret": secret or None,
                "client_kwargs": {name: value for name, value in client.items() if value},
                "use_listings_cache": False,  # another process may have written in the meantime
                "skip_instance_cache": True,
            }

    @cached_property
    def _store(self) -> tuple[Any, str]:
        # with S3 its imports take half a second, and most processes never need it
        import fsspec

        return fsspec.core.url_to_fs(self.url, **self._options)  # type: ignore[no-any-return]

    def put(self, name: str, data: bytes) -> None:
        """Write the object whole or not at all, replacing one of the same name.

        Raises:
            BlobStoreError: The store does not answer or refuses.
        """
        with self._faults(name):
            files, root = self._store
            path = f"{root}/{name}"
            if self.is_s3:
                files.pipe_file(path, data)
                return
            self._make_folder(path.rsplit("/", 1)[0])
            files.pipe_file(path + _DRAFT, data)
            self._close_to_others(path + _DRAFT, 0o600)
            files.mv(path + _DRAFT, path)

    def put_file(self, name: str, path: str) -> None:
        """Write a local file, which may be larger than memory, as an object.

        Raises:
            BlobStoreError: The store does not answer or refuses.
        """
        with self._faults(name):
            files, root = self._store
            target = f"{root}/{name}"
            if self.is_s3:
                files.put_file(path, target)
                return
            self._make_folder(target.rsplit("/", 1)[0])
            files.put_file(path, target + _DRAFT)
            self._close_to_others(target + _DRAFT, 0o600)
            files.mv(target + _DRAFT, target)

    def _make_folder(self, folder: str) -> None:
        """Create the folder; close it and its parents up to the root, as objects include dumps."""
        files, root = self._store
        files.makedirs(root, exist_ok=True)
        # Before any object is written, and also if an earlier release created the folder.
        self._close_to_others(root, 0o700)
        files.makedirs(folder, exist_ok=True)
        while folder.startswith(f"{root}/"):
            self._close_to_others(folder, 0o700)
            folder = folder.rsplit("/", 1)[0]

    def _close_to_others(self, path: str, mode: int) -> None:
        """Set the mode of a local path. Folders that belong to another user are left unchanged."""
        if self._store[0].protocol in ("file", ("file", "local")):
            with suppress(PermissionError):
                os.chmod(path, mode)

    def open(self, name: str) -> Any:
        """Open the object as a file that fetches only the parts that are read. Close it afterwards.

        Raises:
            BlobNotFoundError: There is no such object.
            BlobStoreError: The store does not answer or refuses.
        """
        with self._faults(name):
            files, root = self._store
            try:
                return files.open(f"{root}/{name}", "rb")
            except FileNotFoundError as error:
                raise BlobNotFoundError(f"There is no object {name} in {self.url}.") from error

    def get(self, name: str) -> bytes:
        """Return the object's bytes.

        Raises:
            BlobNotFoundError: There is no such object.
            BlobStoreError: The store does not answer or refuses.
        """
        with self._faults(name):
            files, root = self._store
            try:
                data: bytes = files.cat_file(f"{root}/{name}")
            except FileNotFoundError as error:
                raise BlobNotFoundError(f"There is no object {name} in {self.url}.") from error
            return data

    def delete(self, name: str) -> None:
        """Delete the object; nothing happens if there is none.

        Raises:
            BlobStoreError: The store does not answer or refuses.
        """
        with self._faults(name):
            files, root = self._store
            try:
                files.rm_file(f"{root}/{name}")
            except FileNotFoundError:
                return

    def names(self, prefix: str) -> list[str]:
        """Return the names of all objects below the folder `prefix`, sorted; none without a folder.

        Raises:
            BlobStoreError: The store does not answer or refuses.
        """
        with self._faults(prefix):
            files, root = self._store
            files.invalidate_cache()
            try:
                paths = files.find(f"{root}/{prefix}")
            except FileNotFoundError:
                return []
            return sorted(
                path.removeprefix(f"{root}/") for path in paths if not path.endswith(_DRAFT)
            )

    @contextmanager
    def _faults(self, name: str) -> Iterator[None]:
        # slow to import, and most processes never need it
        from botocore.exceptions import BotoCoreError

        try:
            yield
        except (OSError, BotoCoreError) as error:
            raise BlobStoreError(
                f"The blob store {self.url} failed at {name}: {error} "
                "Check BLOBS_URL and the AWS_ settings, and that the folder or bucket exists and "
                "is writable."
            ) from error


def init_app(app: Flask, store: BlobStore) -> None:
    """Give the application its blob store."""
    app.extensions["blobs"] = store


def blob_store() -> BlobStore:
    """Return the current application's blob store."""
    store: BlobStore = current_app.extensions["blobs"]
    return store
