"""`cached_page` and `cached_viewer`: what views call. Values and rows are in values.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar

from flask import Flask, Response, current_app, make_response, render_template, session
from flask_wtf.csrf import generate_csrf
from jinja2_fragments.flask import render_block
from markupsafe import escape

from app.core.http.htmx import request
from app.core.http.responses import STOP_POLLING, finish, of_timeline
from app.core.page_cache.conditional_get import cache_poll
from app.core.page_cache.placeholders import (
    MEMBER_ID,
    NAME,
    NOTHING_OWN,
    TOKEN,
    Fillings,
    RenderedPage,
    ViewersOwn,
    is_rendering_for_everybody,
    placeholder,
    rendering_for_everybody,
)
from app.core.page_cache.tags import Entry
from app.core.page_cache.values import PRELOADED, entry_key, fetch, look_up
from app.core.release import release
from app.core.viewer import current_user

View = TypeVar("View", bound=Callable[..., Any])

UNREAD = "unread:{member}"  # the cache key of a member's number of unread notices


class OwnPage(NamedTuple):
    """The key, without the member, of a page that is different for each and may show their id."""

    key: str = ""


OWN_PAGE = OwnPage()


@dataclass(frozen=True)
class PageContent:
    """What a page shows: its template's context, and the tags that it depends on.

    Without tags it is not cached. `expires_at` and `counters` as in tags.Entry.
    """

    context: Mapping[str, Any]
    tags: Collection[str]
    version: str | None = None  # becomes the ETag; must be read before the data that it describes
    is_final: bool = False  # the page will never change again, so that polls stop
    expires_at: datetime | None = None
    counters: Mapping[str, str] = field(default_factory=dict)
    template: str | None = None  # rendered instead of the page's, without a fragment


def cached_page(
    template: str,
    fragment: str | None,
    key: str | OwnPage,
    read: Callable[[], PageContent],
    viewers_own: ViewersOwn = NOTHING_OWN,
) -> Response:
    """Answer with a page, rendered once for all viewers.

    The next poll of a fragment may be answered without the view. So all tags that access and the
    viewer's row depend on must be declared with `access_depends_on`.

    Args:
        template: the page's template.
        fragment: the block of the template that htmx gets.
        key: what distinguishes this page from others with the same path and the same rights.
        read: called only if there is no valid entry.
        viewers_own: filled in for each response.
    """
    block = fragment if request.htmx else None
    is_own = isinstance(key, OwnPage)
    key = f"{current_user.get_id()}:{key.key}" if isinstance(key, OwnPage) else key
    key = f"page:{release()}:{template}:{block}:{_rights()}:{request.path}:{key}"
    render = partial(_render, template, block, read, is_own=is_own)
    # Changed templates show at once, and shadow-banned members see themselves.
    is_uncached = current_app.debug or (current_user.is_authenticated and current_user.is_shadowed)
    page = RenderedPage.load(render().as_found() if is_uncached else fetch(key, render))
    if block is not None and page.version is not None and not is_uncached:
        cache_poll(key, viewers_own)
    fillings = {**current_app.extensions["fillings"], **viewers_own.fillings}
    response = make_response(page.fill(viewers_own._replace(fillings=fillings)))
    if block is not None and page.is_final:
        response.status_code = STOP_POLLING
    etag = None if page.version is None else f"{'f' if block else 'p'}{page.version}"
    return finish(response, etag)


def cached_viewer(*value_keys: str, method: str = "GET") -> Callable[[View], View]:
    """Declare that for this method a view needs only its viewer's id, name and roles.

    They then come from the cache, in one round trip with the values of `value_keys`: keys of
    `cached_value`, as formats of `member` (id), `path` and the view's own arguments.
    """

    def mark(view: View) -> View:
        view.value_keys = {method: value_keys}  # type: ignore[attr-defined]
        return view

    return mark


def preload(member_id: int, viewer_key: str) -> bool:
    """Look the viewer up with all values that a view with `cached_viewer` needs, for `fetch`.

    Returns whether the view is one.
    """
    view = current_app.view_functions.get(request.endpoint or "")
    value_keys = getattr(view, "value_keys", {}).get(request.method)
    if value_keys is None:
        return False
    formats = () if request.htmx else (*value_keys, UNREAD)
    arguments = {"member": member_id, "path": request.path, **(request.view_args or {})}
    keys = [entry_key(each.format_map(arguments)) for each in (viewer_key, *formats)]
    request.environ[PRELOADED] = dict(zip(keys, look_up(keys), strict=True))
    return True


def _rights() -> str:
    """Return the part of a page's key that depends on the viewer: roles, and whether they stay."""
    if not current_user.is_authenticated:
        return "-"
    roles = () if current_user.roles_withheld else current_user.roles
    return f"{'+'.join(roles)}{'.' if session.get('stays') else ''}"


def _render(
    template: str, block: str | None, read: Callable[[], PageContent], *, is_own: bool
) -> Entry:
    with rendering_for_everybody(is_own=is_own) as placeholders:
        content = read()
        version = None if content.version is None else of_timeline(content.version)
        context = {"etag": version and f'"f{version}"', **content.context}
        if block is not None and content.template is None:
            body = render_block(template, block, **context)
        else:
            body = render_template(content.template or template, **context)
    about = json.dumps([version, content.is_final, placeholders])  # as RenderedPage reads it
    return Entry(
        content.tags,
        body.encode(),
        content.expires_at,
        about,
        version or "",
        counters=content.counters,
    )


def _csrf_token() -> str:
    """Return a form's token, or a placeholder for it while a page is rendered for the cache."""
    return placeholder(TOKEN) if is_rendering_for_everybody() else generate_csrf()


def init_app(app: Flask) -> None:
    """Set the cache up. Runs after CSRFProtect, whose `csrf_token` it replaces."""
    app.jinja_env.globals["csrf_token"] = _csrf_token
    app.context_processor(lambda: {"csrf_token": _csrf_token})
    app.jinja_env.globals["placeholder"] = placeholder
    app.extensions["fillings"] = {
        TOKEN: generate_csrf,
        NAME: lambda: str(escape(current_user.display_name)),
        MEMBER_ID: lambda: str(escape(current_user.get_id())),
    }


def add_fillings(app: Flask, fillings: Fillings) -> None:
    """Register functions that fill placeholders which several pages share."""
    app.extensions["fillings"].update(fillings)
