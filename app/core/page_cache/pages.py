"""`cached_page` and `cached_value`: what views call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

import msgspec
import redis
import structlog
from flask import (
    Flask,
    Response,
    current_app,
    has_request_context,
    make_response,
    render_template,
    request,
    session,
)
from flask_wtf.csrf import generate_csrf
from jinja2_fragments.flask import render_block
from markupsafe import escape

from app.core import clock
from app.core.errors import one_line
from app.core.http.responses import STOP_POLLING, finish, of_timeline, shows
from app.core.http.static_files import release
from app.core.page_cache.conditional_get import cache_poll, depends_on, is_caching_disabled
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
from app.core.page_cache.tags import ENTRY_SECONDS, Entry, Lookup, TagStore
from app.core.viewer import current_user

Rows = TypeVar("Rows")
View = TypeVar("View", bound=Callable[..., Any])

log = structlog.get_logger(__name__)

UNREAD = "unread:{member}"  # the cache key of a member's number of unread notices
PRELOADED = "pressbox.preloaded"


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


class CachedValue(NamedTuple):
    """A text that is cached until one of the tags changes, and not beyond `expires_at`."""

    text: str
    tags: Collection[str]
    expires_at: datetime | None = None


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
    key: str,
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
            with the same rights.
        read: called only if there is no valid entry.
        viewers_own: filled in for each response.
    """
    is_fragment = fragment is not None and bool(request.headers.get("HX-Request"))
    block = fragment if is_fragment else None
    key = f"part:{release()}:{template}:{block}:{_rights()}:{request.path}:{key}"
    page = _load(key, template, block, read)
    etag = None if page.version is None else f"{'f' if is_fragment else 'p'}{page.version}"
    if page.body is None or _is_shown(page):
        if page.tags:
            depends_on(*page.tags, expires_at=page.expires_at, counters=page.counters)
        return finish(make_response("", 304), etag)
    fillings = {**current_app.extensions["fillings"], **viewers_own.fillings}
    response = make_response(page.fill(viewers_own.row, fillings))
    if is_fragment and page.is_final:
        response.status_code = STOP_POLLING
    elif is_fragment and etag is not None and page.tags and not page.is_personal:
        cache_poll(key, viewers_own.row)
    return finish(response, etag)


def cached_viewer(*value_keys: str, method: str = "GET") -> Callable[[View], View]:
    """Declare that a view needs only its viewer's id, name and roles.

    A request with that method then takes them from the cache.

    Args:
        value_keys: keys of `cached_value` that the view asks for, which are looked up in the same
            round trip. They are formats of `member` (id), `path` and the view's own arguments.
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
    formats = (
        () if request.headers.get("HX-Request") else (*getattr(view, "value_keys", ()), UNREAD)
    )
    arguments = {"member": member_id, "path": request.path, **(request.view_args or {})}
    keys = [viewer_key, *(each.format_map(arguments) for each in formats)]
    request.environ[PRELOADED] = dict(zip(keys, _lookup(keys), strict=True))


def cached_value(key: str, load: Callable[[], CachedValue | None]) -> str | None:
    """Return the cached text of the key, or load and cache it.

    Args:
        key: must contain everything that the value depends on, such as the member's id.
        load: called only if there is no valid entry. If it returns None, that is not cached.
    """
    preloaded: dict[str, Lookup | None] = (
        request.environ.get(PRELOADED, {}) if has_request_context() else {}
    )
    lookup = preloaded.pop(key) if key in preloaded else _lookup([key])[0]
    if lookup is not None and lookup.body is not None:
        return lookup.body.decode()
    value = load()
    if value is None:
        return None
    if lookup is not None:
        _store(key, Entry(lookup.moment, _expires_ms(value.expires_at), value.tags, value.text))
    return value.text


def cached_rows(
    key: str,
    kind: type[Rows],
    load: Callable[[], Rows],
    tags: Collection[str],
    expires_at: datetime | None = None,
) -> Rows:
    """Return what `load` returns, from the cache until one of the tags changes.

    Args:
        key: must contain everything that the rows depend on.
        kind: the type of the rows, for example `list[GameRow]`; msgspec must know it.
        load: called only if there is no valid entry.
        tags: what the rows depend on.
        expires_at: when they change merely because time passes.
    """

    def read() -> CachedValue:
        return CachedValue(msgspec.json.encode(load()).decode(), tags, expires_at)

    hashable_kind: Any = kind
    rows: Rows = _decoder(hashable_kind).decode(cached_value(f"{key}:{release()}", read) or "null")
    return rows


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _rights() -> str:
    """Return the part of a page's key that depends on the viewer: roles, and whether they stay."""
    if not current_user.is_authenticated:
        return "-"
    roles = () if current_user.roles_withheld else current_user.roles
    return f"{'+'.join(roles)}{'.' if session.get('stays') else ''}"


def _is_shown(page: RenderedPage) -> bool:
    """Whether the polling browser shows this version already, and more may come."""
    return page.version is not None and not page.is_final and shows(page.version)


def _load(
    key: str, template: str, block: str | None, read: Callable[[], PageContent]
) -> RenderedPage:
    """Return the page from the cache, or rendered unless the browser shows this version already."""
    # Shadow-banned members see themselves where nobody else does. In debug mode, changes to
    # templates should show at once.
    bypasses_cache = current_app.debug or (
        current_user.is_authenticated and current_user.is_shadowed
    )
    lookup = None if bypasses_cache else _lookup([key])[0]
    if lookup is None:
        return _render(template, block, read)
    if lookup.body is not None:
        return RenderedPage.load(lookup.body)

    def make(was_made_meanwhile: bool) -> RenderedPage:
        latest = _lookup([key])[0] if was_made_meanwhile else lookup
        if latest is not None and latest.body is not None:
            return RenderedPage.load(latest.body)
        page = _render(template, block, read)
        if latest is not None and page.body is not None and page.tags:
            _store(
                key,
                Entry(
                    latest.moment,
                    _expires_ms(page.expires_at),
                    page.tags,
                    page.dump(),
                    page.counters,
                ),
            )
        return page

    page = single_flight(key, make)
    if page.body is None and not _is_shown(page):
        # the request that led this flight needed no body, but this one does
        return make(True)
    return page


def _render(template: str, block: str | None, read: Callable[[], PageContent]) -> RenderedPage:
    with rendering_for_everybody() as placeholders:
        content = read()
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
        text = (
            render_block(template, block, **context)
            if block and content.template is None
            else render_template(content.template or template, **context)
        )
    return page._replace(body=text.encode())


def _lookup(keys: Sequence[str]) -> list[Lookup | None]:
    """Look up each key. The result is None for each of them if Redis does not answer."""
    try:
        return [*_tag_store().lookup_many(keys, clock.to_ms(clock.now()))]
    except redis.RedisError as error:
        log.warning("page_cache_away", reason=one_line(error))
        return [None] * len(keys)


def _store(key: str, entry: Entry) -> None:
    if is_caching_disabled():
        return
    try:
        _tag_store().store(key, entry)
    except redis.RedisError as error:
        log.warning("page_cache_away", reason=one_line(error))


def _tag_store() -> TagStore:
    return cast("TagStore", current_app.extensions["tag_store"])


def _expires_ms(expires_at: datetime | None) -> int:
    latest = clock.to_ms(clock.now()) + ENTRY_SECONDS * 1000
    return latest if expires_at is None else min(latest, clock.to_ms(expires_at))


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
