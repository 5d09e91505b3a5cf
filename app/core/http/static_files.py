"""Static files under addresses that contain the release: compressed, and cached for a year.

WhiteNoise serves them before Flask. Flask serves addresses without the release or with an earlier
one, and browsers revalidate those each time. Used by web_app.py and the service workers.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from wsgiref.headers import Headers

from flask import Flask, Response
from whitenoise import WhiteNoise
from whitenoise.compress import Compressor

from app.core.http.responses import FOREVER_SECONDS
from app.core.release import release_of

PARTS_OF_PAGES = (".css", ".js", ".woff2")  # never documents of their own
GUARDS_OF_PARTS = ("X-Content-Type-Options", "Strict-Transport-Security")
_RELEASE = re.compile(r"[0-9a-f]{16}")


def init_app(app: Flask, var: Path, guards: Mapping[str, str]) -> None:
    """Let `url_for("static", filename=...)` name the release.

    Args:
        app: The application.
        var: Where the compressed copy goes.
        guards: Headers of every answer that a browser may open as a document.
    """
    folder = str(app.static_folder)
    number = release_of(folder)

    @app.url_defaults
    def name_release(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values["filename"] = f"{number}/{values['filename']}"

    def earlier(filename: str) -> Response:
        """Serve the current file, uncached, to a page of an earlier release."""
        before, _, name = filename.partition("/")
        return app.send_static_file(name if _RELEASE.fullmatch(before) else filename)

    app.view_functions["static"] = earlier

    def guard(headers: Headers, path: str, _url: str) -> None:
        """Set the headers; half a kilobyte for each of twenty parts would slow the first page."""
        for name, value in guards.items():
            if name in GUARDS_OF_PARTS or not path.endswith(PARTS_OF_PAGES):
                headers[name] = value

    files = WhiteNoise(
        app.wsgi_app,
        allow_all_origins=False,
        mimetypes={".webmanifest": "application/manifest+json"},
        add_headers_function=guard,
        immutable_file_test=lambda _path, _url: True,
    )
    files.FOREVER = FOREVER_SECONDS
    files.add_files(
        _compressed(Path(folder), number, var / "static"), prefix=f"{app.static_url_path}/{number}/"
    )
    app.wsgi_app = files  # type: ignore[method-assign]


def _compressed(folder: Path, number: str, into: Path) -> Path:
    """Copy the files of this release, with a `.gz` beside each file that compression makes smaller.

    Copies of other releases are deleted.
    """
    copy = into / number
    if not copy.is_dir():
        into.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=into) as making:
            shutil.copytree(folder, Path(making, number))
            # No brotli: it would make htmx 16.3 kB instead of 16.9, but cost a package and seconds
            # at each start.
            compressor = Compressor(use_brotli=False, quiet=True)
            for path in [path for path in Path(making, number).rglob("*") if path.is_file()]:
                if compressor.should_compress(path.name):
                    compressor.compress(str(path))
            with suppress(OSError):  # another process of this release was first
                Path(making, number).rename(copy)
    for other in into.iterdir():
        if _RELEASE.fullmatch(other.name) and other.name != number:
            shutil.rmtree(other, ignore_errors=True)
    return copy
