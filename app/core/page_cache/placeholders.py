"""A page as it is cached for everybody, and the placeholders that each viewer's data replaces."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, cast

from flask import g
from markupsafe import Markup

from app.core.viewer import viewed_by, viewer_of_now

BELL, NAME, TOKEN, MEMBER_ID = "bell", "name", "token", "member"
TO_OWN_ROW = "place"  # the link to the viewer's own row, if that is on another page


class PersonalDataError(Exception):
    """Personal data was about to get into a page that is cached for all viewers."""


class ViewerRow(NamedTuple):
    """The viewer's own row in a table, which gets the class `me`.

    `start` is the beginning of its tag. Users cannot forge it, because their input is escaped.
    `link` fills TO_OWN_ROW if the row is not on this page.
    """

    start: str = ""
    link: str = ""


NO_ROW = ViewerRow()

Fillings = Mapping[str, Callable[[], str]]
"""What fills the placeholders, by name."""


class RenderedPage(NamedTuple):
    """A page or fragment with its placeholders.

    Attributes:
        body: None if it was not rendered, because the browser shows this version.
        placeholders: names by the mark that represents them in the body.

    The other attributes are those of pages.PageContent.
    """

    body: bytes | None
    version: str | None
    is_final: bool
    placeholders: Mapping[str, str]
    tags: Collection[str]
    expires_at: datetime | None
    counters: Mapping[str, str]

    def dump(self) -> str:
        """Return the text to cache: the version, other fields as JSON, the body.

        The version is on a separate line, because Redis compares it (tags.py). A page without a
        body has only the first two lines.
        """
        expires_at = None if self.expires_at is None else self.expires_at.isoformat()
        head = [
            self.version,
            self.is_final,
            dict(self.placeholders),
            list(self.tags),
            expires_at,
            dict(self.counters),
        ]
        first_lines = f"{self.version or ''}\n{json.dumps(head)}\n"
        return first_lines if self.body is None else first_lines + self.body.decode()

    @classmethod
    def load(cls, dumped: bytes) -> RenderedPage:
        """Return the page that was dumped; without a body if only the first two lines are given."""
        _, head, body = dumped.split(b"\n", 2)
        return _load_head(head)._replace(body=body or None)

    @property
    def is_personal(self) -> bool:
        """Whether filling it needs more than the viewer's row."""
        return not set(self.placeholders.values()) <= {TO_OWN_ROW}

    def fill(self, row: ViewerRow, fillings: Fillings) -> bytes:
        """Return the text for one viewer.

        Args:
            row: the viewer's own.
            fillings: every placeholder except TO_OWN_ROW.
        """
        body, start = self.body or b"", row.start.encode()
        has_row = bool(start) and start in body
        fillings = {**fillings, TO_OWN_ROW: lambda: "" if has_row else row.link}
        for mark, name in self.placeholders.items():
            body = body.replace(mark.encode(), fillings[name]().encode())
        if not has_row:
            return body
        end = body.index(b">", body.index(start))
        return body[:end] + b' class="me"' + body[end:]


@lru_cache(maxsize=256)
def _load_head(head: bytes) -> RenderedPage:
    version, is_final, placeholders, tags, expires_at, counters = json.loads(head)
    expires = datetime.fromisoformat(expires_at) if expires_at else None
    return RenderedPage(None, version, is_final, placeholders, tags, expires, counters)


class AnyViewer:
    """Stands for the viewer while a page is rendered for everybody with the same rights.

    It has an id only if the page is the viewer's own.
    """

    is_active, is_anonymous = True, False

    def __init__(self, viewer: Any, *, is_own: bool) -> None:
        self.is_authenticated: bool = viewer.is_authenticated
        if is_own:
            self.id: int = viewer.id
        self._viewer = viewer

    def has_role(self, *roles: str) -> bool:
        """Whether the viewers have one of these roles."""
        return self.is_authenticated and bool(self._viewer.has_role(*roles))

    @property
    def display_name(self) -> Markup:
        """A placeholder for the viewer's name."""
        return placeholder(NAME)

    def get_id(self) -> Markup:
        """Return a placeholder for the viewer's id."""
        return placeholder(MEMBER_ID)

    def __getattr__(self, name: str) -> Any:
        raise PersonalDataError(f"current_user.{name} in a page for everybody")


def placeholder(name: str) -> Markup:
    """Return a placeholder for personal data in a template.

    Call it only while a page is rendered for the cache.
    """
    assert is_rendering_for_everybody(), "no page is being rendered for the cache"
    return cast("Markup", g.placeholder(name))


def is_rendering_for_everybody() -> bool:
    """Whether the page that is being rendered is shared by all viewers with the same rights."""
    return "placeholder" in g


@contextmanager
def rendering_for_everybody(*, is_own: bool = False) -> Iterator[dict[str, str]]:
    """Yield the placeholders that are created inside the block: names by mark.

    `is_own`: the page is kept for this viewer alone, and may show the viewer's id.

    Marks are random, so that no text can contain one.
    """
    nonce = secrets.token_hex(8)
    placeholders: dict[str, str] = {}

    def make(name: str) -> Markup:
        mark = f"[{nonce}:{name}]"
        placeholders[mark] = name
        return Markup(mark)  # noqa: S704 (hexadecimal digits and a name of ours)

    token = g.pop("csrf_token", None)
    g.placeholder = make
    try:
        with viewed_by(AnyViewer(viewer_of_now(), is_own=is_own)):
            yield placeholders
        if "csrf_token" in g:
            raise PersonalDataError("a form's token in a page for everybody")
    finally:
        del g.placeholder
        if token is not None:
            g.csrf_token = token
