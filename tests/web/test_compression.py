"""Whole pages are compressed, without giving their secrets away."""

from __future__ import annotations

import gzip

import pytest
from flask.testing import FlaskClient

from app.core.http.responses import MOST_PADDING

GZIP = {"Accept-Encoding": "gzip"}


def test_a_whole_page_is_compressed_for_a_browser_that_accepts_it(client: FlaskClient) -> None:
    plain = client.get("/sign-in")
    packed = client.get("/sign-in", headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert b"<!DOCTYPE html>" in gzip.decompress(packed.data)
    assert len(packed.data) < len(plain.data) / 2


@pytest.mark.parametrize(
    ("path", "headers"), [("/games", {"HX-Request": "true"}), ("/players?q=smith", {})]
)
def test_fragments_and_pages_with_a_query_are_not_compressed(
    client: FlaskClient, path: str, headers: dict[str, str]
) -> None:
    """What a request may put into a page must not be compressed together with its secrets."""
    answer = client.get(path, headers=GZIP | headers)
    assert answer.status_code == 200
    assert "Content-Encoding" not in answer.headers


def test_the_size_of_a_compressed_page_is_blurred(client: FlaskClient) -> None:
    """As in Django's GZipMiddleware ("heal the BREACH")."""
    sizes = {len(client.get("/sign-in", headers=GZIP).data) for _ in range(40)}
    assert len(sizes) > 5
    assert max(sizes) - min(sizes) <= MOST_PADDING + 50  # the form key itself varies too
