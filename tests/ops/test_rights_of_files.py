"""Only the owner can read backups and the data folder (docs/security.md), as root too."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.blob_store import BlobStore
from app.embedded.postgres import _close_folders


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(root: Path) -> dict[str, int]:
    return {
        str(path.relative_to(root)): stat.S_IMODE(path.stat().st_mode)
        for path in (root, *root.rglob("*"))
    }


def test_what_is_put_into_a_folder_is_its_owners_alone(tmp_path: Path) -> None:
    root = tmp_path / "blobs"
    root.mkdir()  # by an earlier release, for everybody
    (tmp_path / "dump").write_bytes(b"passwords")
    store = BlobStore(str(root))
    store.put("backups/20260913T180000Z/manifest.json", b"{}")
    store.put_file("backups/20260913T180000Z/database.dump", str(tmp_path / "dump"))
    assert modes(root) == {
        ".": 0o700,
        "backups": 0o700,
        "backups/20260913T180000Z": 0o700,
        "backups/20260913T180000Z/manifest.json": 0o600,
        "backups/20260913T180000Z/database.dump": 0o600,
    }


def test_what_lies_beside_the_embedded_postgresql_is_closed_before_the_folder_is_opened_for_it(
    tmp_path: Path,
) -> None:
    """It does not run as root, so others must be able to pass through the data folder.

    To its own folder alone.
    """
    for name in ("postgres", "blobs", "logs", "sheets"):
        (tmp_path / name).mkdir()
    (tmp_path / "processes").write_text("1")
    _close_folders(tmp_path, but=tmp_path / "postgres")
    modes_by_path = modes(tmp_path)
    assert {modes_by_path[name] for name in ("blobs", "logs", "sheets")} == {0o700}
    assert (modes_by_path["processes"], modes_by_path["postgres"]) == (0o600, 0o755)
