"""A page as it is cached for everybody, and the placeholders that each viewer's data replaces."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, cast

from flask import g
from markupsafe import Markup

from app.core.page_cache.own_parts import Fillings, OwnParts
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


class RenderedPage(NamedTuple):
    """A page or fragment with its placeholders.

    Attributes:
        body: None if it was not rendered, because the browser shows this version.
        placeholders: names by the mark that represents them in the body.
        own_parts: those of the placeholders, if viewers have own parts.

    The other attributes are those of pages.PageContent.
    """

    body: bytes | None
    version: str | None
    is_final: bool
    placeholders: Mapping[str, str]
    tags: Collection[str]
    expires_at: datetime | None
    counters: Mapping[str, str]
    own_parts: OwnParts | None = None

    def dump(self) -> str:
        """Return the text to cache: the version, other fields as JSON, shared data, the body.

        The version is on a separate line, because Redis compares it (tags.py); so is the shared
        data of own parts, because only a page with another version needs it. A page without a body
        has only the first two lines.
        """
        expires_at = None if self.expires_at is None else self.expires_at.isoformat()
        head = [
            self.version,
            self.is_final,
            dict(self.placeholders),
            list(self.tags),
            expires_at,
            dict(self.counters),
            [self.own_parts.name, self.own_parts.key] if self.own_parts else None,
        ]
        first_lines = f"{self.version or ''}\n{json.dumps(head)}\n"
        if self.body is None:
            return first_lines
        shared = self.own_parts.shared if self.own_parts else ""
        return f"{first_lines}{shared}\n{self.body.decode()}"

    @classmethod
    def load(cls, dumped: bytes) -> RenderedPage:
        """Return the page that was dumped; without a body if only the first two lines are given."""
        _, head, *other_lines = dumped.split(b"\n", 3)
        page = _load_head(head)
        if len(other_lines) < 2:  # noqa: PLR2004 (shared data and body)
            return page
        shared, body = other_lines
        if page.own_parts is not None:
            page = page._replace(own_parts=page.own_parts._replace(shared=shared.decode()))
        return page._replace(body=body)

    @property
    def is_personal(self) -> bool:
        """Whether filling it needs more than the viewer's row and own parts."""
        return self.own_parts is None and not self.can_be_filled({})

    def can_be_filled(self, fillings: Fillings) -> bool:
        """Whether the page needs nothing but these fillings and the viewer's row."""
        return set(self.placeholders.values()) <= {TO_OWN_ROW, *fillings}

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
    version, is_final, placeholders, tags, expires_at, counters, own_parts = json.loads(head)
    expires = datetime.fromisoformat(expires_at) if expires_at else None
    parts = OwnParts(own_parts[0], own_parts[1], "") if own_parts else None
    return RenderedPage(None, version, is_final, placeholders, tags, expires, counters, parts)


class AnyViewer:
    """Stands for the viewer while a page is rendered for everybody with the same rights."""

    is_active, is_anonymous = True, False

    def __init__(self, viewer: Any) -> None:
        self.is_authenticated: bool = viewer.is_authenticated
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
def rendering_for_everybody() -> Iterator[dict[str, str]]:
    """Yield the placeholders that are created inside the block: names by mark.

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
        with viewed_by(AnyViewer(viewer_of_now())):
            yield placeholders
        if "csrf_token" in g:
            raise PersonalDataError("a form's token in a page for everybody")
    finally:
        del g.placeholder
        if token is not None:
            g.csrf_token = token
