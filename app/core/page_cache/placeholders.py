"""A page as it is cached for everybody, and the placeholders that each viewer's data replaces."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from flask import g
from markupsafe import Markup

from app.core.page_cache.tags import Lookup
from app.core.viewer import viewed_by, viewer_of_now

BELL, NAME, TOKEN, MEMBER_ID = "bell", "name", "token", "member"
TO_OWN_ROW = "place"  # the link to the viewer's own row, if that is on another page


Fillings = Mapping[str, Callable[[], str]]  # what fills the placeholders, by name


class PersonalDataError(Exception):
    """Personal data was about to get into a page that is cached for all viewers."""


class ViewersOwn(NamedTuple):
    """The parts of a page that belong to the viewer."""

    row: str = ""  # how the viewer's row in a table begins, which gets the class `me`
    link: str = ""  # fills TO_OWN_ROW if that row is not on this page
    fillings: Fillings = MappingProxyType({})


NOTHING_OWN = ViewersOwn()


class RenderedPage(NamedTuple):
    """A page or fragment; `version` and `is_final` as in pages.PageContent."""

    body: bytes | None  # None if the browser shows this version
    version: str | None
    is_final: bool
    placeholders: Mapping[str, str]  # names by the mark that represents them in the body

    @classmethod
    def load(cls, lookup: Lookup) -> RenderedPage:
        """Return the page that was looked up."""
        return cls(lookup.body, *_load_about(lookup.about or b""))

    @property
    def is_personal(self) -> bool:
        """Whether filling it needs more than the viewer's row."""
        return not set(self.placeholders.values()) <= {TO_OWN_ROW}

    def fill(self, viewers_own: ViewersOwn) -> bytes:
        """Return the text for one viewer."""
        body, row = self.body or b"", viewers_own.row.encode()
        has_row = bool(row) and row in body
        fillings = {**viewers_own.fillings, TO_OWN_ROW: lambda: "" if has_row else viewers_own.link}
        for mark, name in self.placeholders.items():
            body = body.replace(mark.encode(), fillings[name]().encode())
        if not has_row:
            return body
        end = body.index(b">", body.index(row))
        return body[:end] + b' class="me"' + body[end:]


@lru_cache(maxsize=256)
def _load_about(about: bytes) -> tuple[str | None, bool, Mapping[str, str]]:
    version, is_final, placeholders = json.loads(about)
    return version, is_final, placeholders


class AnyViewer:
    """Stands for all viewers with the same rights; only the viewer's own page sees an id."""

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
    """Return a placeholder for personal data, in a page that is rendered for the cache."""
    assert is_rendering_for_everybody(), "no page is being rendered for the cache"
    return cast("Markup", g.placeholder(name))


def is_rendering_for_everybody() -> bool:
    """Whether the page that is being rendered is shared by all viewers with the same rights."""
    return "placeholder" in g


@contextmanager
def rendering_for_everybody(*, is_own: bool = False) -> Iterator[dict[str, str]]:
    """Yield the placeholders that are created inside the block: names by mark.

    `is_own`: the page is kept for this viewer alone, and may show the viewer's id.
    """
    nonce = secrets.token_hex(8)  # so that no text can contain a mark
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
