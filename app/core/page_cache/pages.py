"""`cached_page` and `cached_viewer`: what views call. Values and rows are in values.py."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import structlog
from flask import Flask, Response, current_app, make_response, render_template, session
from flask_wtf.csrf import generate_csrf
from jinja2_fragments.flask import render_block
from markupsafe import escape

from app.core.http.htmx import request
from app.core.http.responses import STOP_POLLING, finish, of_timeline, shows
from app.core.page_cache.conditional_get import cache_poll
from app.core.page_cache.placeholders import (
    MEMBER_ID,
    NAME,
    NO_ROW,
    TOKEN,
    Fillings,
    RenderedPage,
    ViewerRow,
    is_rendering_for_everybody,
    placeholder,
    rendering_for_everybody,
)
from app.core.page_cache.single_flight import single_flight
from app.core.page_cache.tags import Entry, Lookup
from app.core.page_cache.values import PRELOADED, expires_ms, look_up, store
from app.core.release import release
from app.core.viewer import current_user

View = TypeVar("View", bound=Callable[..., Any])

log = structlog.get_logger(__name__)

UNREAD = "unread:{member}"  # the cache key of a member's number of unread notices


class OwnPage(NamedTuple):
    """The key of a page that is different for each member, without the member."""

    key: str = ""


OWN_PAGE = OwnPage()


@dataclass(frozen=True)
class PageContent:
    """What a page shows.

    Attributes:
        context: loads the template's context; called only if the page is rendered.
        tags: the tags that the page depends on; without tags it is not cached.
        version: becomes the ETag. It must be read before the data that it describes.
        is_final: whether the page will never change again, so that polls stop.
        expires_at: when the page changes merely because time passes.
        counters: see tags.Entry.
        template: rendered instead of the page's, without a fragment.
    """

    context: Callable[[], Mapping[str, Any]]
    tags: Collection[str]
    version: str | None = None
    is_final: bool = False
    expires_at: datetime | None = None
    counters: Mapping[str, str] = field(default_factory=dict)
    template: str | None = None


@dataclass(frozen=True)
class ViewersOwn:
    """The parts of a page that belong to the viewer.

    Attributes:
        row: the viewer's row in the page's table.
        fillings: functions by name that fill the template's own placeholders.
    """

    row: ViewerRow = NO_ROW
    fillings: Fillings = field(default_factory=dict)


NOTHING_OWN = ViewersOwn()


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
        key: everything that distinguishes this page from others with the same path, for viewers
            with the same rights. An OwnPage may show the viewer's id.
        read: called only if there is no valid entry.
        viewers_own: filled in for each response.
    """
    is_fragment = fragment is not None and bool(request.htmx)
    block = fragment if is_fragment else None
    is_own = isinstance(key, OwnPage)
    key = f"{current_user.get_id()}:{key.key}" if isinstance(key, OwnPage) else key
    key = f"page:{release()}:{template}:{block}:{_rights()}:{request.path}:{key}"
    page = _load(_AskedPage(key, template, block, is_own, read))
    etag = None if page.version is None else f"{'f' if is_fragment else 'p'}{page.version}"
    if is_fragment and etag is not None and page.tags and not page.is_final:
        cache_poll(key, viewers_own.row)
    if page.body is None or _is_shown(page):
        return finish(make_response("", 304), etag)
    fillings = {**current_app.extensions["fillings"], **viewers_own.fillings}
    response = make_response(page.fill(viewers_own.row, fillings))
    if is_fragment and page.is_final:
        response.status_code = STOP_POLLING
    return finish(response, etag)


def cached_viewer(*value_keys: str, method: str = "GET") -> Callable[[View], View]:
    """Declare that a view needs only its viewer's id, name and roles.

    A request with that method then takes them from the cache.

    Args:
        value_keys: keys of `cached_value` that the view asks for, which are looked up in the same
            round trip. They are formats of `member` (id), `path`, `release` and the view's own
            arguments.
        method: the method, because a view may need more of the viewer when it writes.
    """

    def mark(view: View) -> View:
        view.value_keys = value_keys  # type: ignore[attr-defined]
        view.cached_viewer_method = method  # type: ignore[attr-defined]
        return view

    return mark


def takes_cached_viewer() -> bool:
    """Whether this request's view is declared with `cached_viewer`."""
    view = current_app.view_functions.get(request.endpoint or "")
    return request.method == getattr(view, "cached_viewer_method", None)


def preload(member_id: int, viewer_key: str) -> None:
    """Look up the viewer and all other values that the page needs in one round trip.

    `cached_value` finds them.
    """
    view = current_app.view_functions[request.endpoint or ""]
    formats = () if request.htmx else (*getattr(view, "value_keys", ()), UNREAD)
    arguments = {
        "member": member_id,
        "path": request.path,
        "release": release(),
        **(request.view_args or {}),
    }
    keys = [viewer_key, *(each.format_map(arguments) for each in formats)]
    request.environ[PRELOADED] = dict(zip(keys, look_up(keys), strict=True))


def _rights() -> str:
    """Return the part of a page's key that depends on the viewer: roles, and whether they stay."""
    if not current_user.is_authenticated:
        return "-"
    roles = () if current_user.roles_withheld else current_user.roles
    return f"{'+'.join(roles)}{'.' if session.get('stays') else ''}"


def _is_shown(page: RenderedPage) -> bool:
    """Whether the polling browser shows this version already, and more may come."""
    return page.version is not None and not page.is_final and shows(page.version)


class _AskedPage(NamedTuple):
    """A page by its key, and how it is made; `block` of the template, or None for all of it."""

    key: str
    template: str
    block: str | None
    is_own: bool
    read: Callable[[], PageContent]


def _load(asked_page: _AskedPage) -> RenderedPage:
    """Return the page from the cache, or rendered unless the browser shows this version already."""
    # Shadow-banned members see themselves where nobody else does. In debug mode, changes to
    # templates should show at once.
    bypasses_cache = current_app.debug or (
        current_user.is_authenticated and current_user.is_shadowed
    )
    lookup = None if bypasses_cache else look_up([asked_page.key])[0]
    if lookup is None:
        return _render(asked_page)
    return _usable(lookup) or _render_once(asked_page, lookup)


def _usable(lookup: Lookup) -> RenderedPage | None:
    """Return the page that was found, if it has a body or the browser shows it already."""
    page = None if lookup.body is None else RenderedPage.load(lookup.body)
    return None if page is None or (page.body is None and not _is_shown(page)) else page


def _render_once(asked_page: _AskedPage, lookup: Lookup) -> RenderedPage:
    """Render a page that is not in the cache, once for all requests that need it now."""

    def make(was_made_meanwhile: bool) -> RenderedPage:
        latest = look_up([asked_page.key])[0] if was_made_meanwhile else lookup
        usable = None if latest is None else _usable(latest)
        if usable is not None:
            return usable
        page = _render(asked_page)
        if latest is not None and page.tags:
            store(
                asked_page.key,
                Entry(
                    latest.moment,
                    expires_ms(page.expires_at),
                    page.tags,
                    page.dump(),
                    page.counters,
                ),
            )
        return page

    page = single_flight(asked_page.key, make)
    if page.body is None and not _is_shown(page):
        # the request that led this flight needed no body, but this one does
        return make(True)
    return page


def _render(asked_page: _AskedPage) -> RenderedPage:
    with rendering_for_everybody(is_own=asked_page.is_own) as placeholders:
        content = asked_page.read()
        version = None if content.version is None else of_timeline(content.version)
        page = RenderedPage(
            None,
            version,
            content.is_final,
            placeholders,
            content.tags,
            content.expires_at,
            content.counters,
        )
        if _is_shown(page):
            return page
        context = dict(content.context())
        if version is not None:
            context["etag"] = f'"f{version}"'
        body = (
            render_block(asked_page.template, asked_page.block, **context)
            if asked_page.block and content.template is None
            else render_template(content.template or asked_page.template, **context)
        )
    return page._replace(body=body.encode())


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
