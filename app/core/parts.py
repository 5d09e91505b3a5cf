"""Pages and fragments that are the same for everybody of equal right: rendered once for each state of what they show.

A view hands `shared` how to read and render; what comes out is remembered in Redis under the stamps it rests on
(stamps.py), so that every web process has it and a writer ends it with its commit. What is the viewer's own (name,
form's token, bell) is a hole in it, filled for each without rendering again. Access is decided before, by the view.

Nobody's own can get in by mistake: while a part is read and rendered `current_user` is nobody in particular
(AnyViewer), which refuses whatever differs between viewers of one part. Why: decision 56.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, TypeVar, cast

import redis
import structlog
from flask import Flask, Response, current_app, g, make_response, render_template, request, session
from flask_login import current_user
from flask_wtf.csrf import generate_csrf
from jinja2_fragments.flask import render_block
from markupsafe import Markup, escape

from app.core import clock
from app.core.errors import one_line
from app.core.part_text import NOBODYS, PLACE, Fillings, Own, Part
from app.core.rounds import made_together
from app.core.stamps import MEMORY_SECONDS, Memory, Stamps
from app.core.static_files import release
from app.core.unchanged import follows, remembers_nothing, rests_on
from app.core.web import STOP_POLLING, finish, of_timeline, shows

View = TypeVar("View", bound=Callable[..., Any])

log = structlog.get_logger(__name__)

LOOKED_UP = "pressbox.looked_up"
UNREAD = "unread:{member}"  # the key of how many notices a member has not seen
BELL, NAME, TOKEN, MEMBER_ID = "bell", "name", "token", "member"


class PersonalError(Exception):
    """Something that differs between viewers was about to get into a part that all of them are shown."""


@dataclass(frozen=True)
class Reading:
    """What a part shows. `context`: of the template, asked when it is rendered. `names`: of the stamps on which it
    rests, empty where it cannot be remembered; `until`: when time alone changes it; `counters`: as of stamps.Memory.
    `version`: as of web.respond, read before what it stands for; `over`: nothing will move any more."""

    context: Callable[[], Mapping[str, Any]]
    names: Collection[str]
    version: str | None = None
    over: bool = False
    until: datetime | None = None
    counters: Mapping[str, str] = field(default_factory=dict)


class AnyViewer:
    """Stands for whoever looks while a part is rendered for all of their right: says what they may see, not who."""

    is_active, is_anonymous = True, False

    def __init__(self, viewer: Any, hole: Callable[[str], Markup]) -> None:
        self.is_authenticated: bool = viewer.is_authenticated
        self._viewer = viewer
        self._hole = hole

    def has_role(self, *roles: str) -> bool:
        return self.is_authenticated and bool(self._viewer.has_role(*roles))

    @property
    def display_name(self) -> Markup:
        return self._hole(NAME)

    def get_id(self) -> Markup:
        return self._hole(MEMBER_ID)

    def __getattr__(self, name: str) -> Any:
        raise PersonalError(f"current_user.{name} in a part for everybody")


def shared(
    template: str,
    fragment: str | None,
    key: str,
    read: Callable[[], Reading],
    own: Own = NOBODYS,
    *,
    more_holes: Fillings | None = None,
) -> Response:
    """As web.respond, for a page or fragment of which `key` (with path, fragment and the viewer's right) says all by
    which it differs. `read` is asked only when no memory of it stands.

    `more_holes`: by the name given to the template's function `hole` what fills it. The next poll of a fragment that
    has no hole but PLACE may be answered without the view: whatever access and `own` depend on is to be said with
    also_rests_on.
    """
    is_fragment = fragment is not None and bool(request.headers.get("HX-Request"))
    block = fragment if is_fragment else None
    key = f"part:{release()}:{template}:{block}:{_right()}:{request.path}:{key}"
    part = _remembered(key, template, block, read)
    etag = None if part.version is None else f"{'f' if is_fragment else 'p'}{part.version}"
    if isinstance(part, Reading) or _is_shown(part):
        if part.names:
            rests_on(*part.names, until=part.until, counters=part.counters)
        return finish(make_response("", 304), etag)
    response = make_response(part.filled(own, {**current_app.extensions["fillings"], **(more_holes or {})}))
    if is_fragment and part.over:
        response.status_code = STOP_POLLING
    elif is_fragment and etag is not None and part.names and set(part.holes.values()) <= {PLACE}:
        follows(key, own)
    return finish(response, etag)


def light(*values: str) -> Callable[[View], View]:
    """Declares that a view reads no more of who is signed in than their id, name and roles: for a GET they are
    remembered, and no statement asks for them. `values`: keys of more values that the view asks for, to be looked up
    with them; formats of `member` (id), `path` and the address's own arguments."""

    def mark(view: View) -> View:
        view.light = values  # type: ignore[attr-defined]
        return view

    return mark


def look_up_viewer(member_id: int, key: str) -> None:
    """Looks up the viewer, whose key this is, with all else that the page will ask for."""
    view = current_app.view_functions[request.endpoint or ""]
    more = () if request.headers.get("HX-Request") else (*getattr(view, "light", ()), UNREAD)
    arguments = {"member": member_id, "path": request.path, **(request.view_args or {})}
    look_up([key, *(one.format_map(arguments) for one in more)])


def is_light() -> bool:
    """Whether this request's view is declared so."""
    view = current_app.view_functions.get(request.endpoint or "")
    return request.method == "GET" and hasattr(view, "light")


def hole(name: str) -> Markup:
    """Where a part's template has something of the viewer's own; only while one is rendered."""
    assert "holes" in g, "no part is being rendered"
    return cast("Markup", g.holes(name))


def is_rendering() -> bool:
    """Whether a part for everybody is being read or rendered."""
    return "holes" in g


class Known(NamedTuple):
    """Something to be remembered: until one of the stamps `names` is raised, and not beyond `until`."""

    text: str
    names: Collection[str]
    until: datetime | None = None


def value(key: str, make: Callable[[], Known | None]) -> str | None:
    """What `make` says, or said as long as that stands; None is not remembered. Without Redis it is asked each time.

    `key`: with all by which it differs, for example whose it is.
    """
    known: dict[str, bytes | int] = request.environ.get(LOOKED_UP, {})
    found = known.pop(key) if key in known else _look(key)
    if isinstance(found, bytes):
        return found.decode()
    made = make()
    if made is None:
        return None
    if found is not None:
        _keep(key, Memory(found, _end(made.until), made.names, made.text))
    return made.text


def look_up(keys: Sequence[str]) -> None:
    """Asks for all these values of this request in one round trip; `value` finds them."""
    try:
        found = cast("Stamps", current_app.extensions["stamps"]).look_at_all(keys, clock.to_ms(clock.now()))
    except redis.RedisError as error:
        log.warning("part_not_remembered", reason=one_line(error))
        found = []
    request.environ[LOOKED_UP] = dict(zip(keys, found, strict=False))


def _right() -> str:
    """By what parts differ between viewers: signed in or not, their roles, and whether the page may be kept."""
    if not current_user.is_authenticated:
        return "-"
    roles = () if current_user.roles_withheld else current_user.roles
    return f"{'+'.join(roles)}{'.' if session.get('stays') else ''}"


def _is_shown(of: Reading | Part) -> bool:
    """Whether a poll shows it already, and more may come."""
    return of.version is not None and not of.over and shows(of.version)


def _remembered(key: str, template: str, block: str | None, read: Callable[[], Reading]) -> Part | Reading:
    """A reading: it was not remembered, and need not be rendered, since a poll shows it."""
    # Who is shadow banned sees themselves where nobody else does; who works on templates wants to see them.
    is_alone = current_app.debug or (current_user.is_authenticated and current_user.is_shadowed)
    found = None if is_alone else _look(key)
    if isinstance(found, bytes):
        return Part.of(found)
    if found is None:
        return _rendered(template, block, read)

    def make(is_later: bool) -> Part | Reading:
        at = _look(key) if is_later else found
        if isinstance(at, bytes):
            return Part.of(at)
        part = _rendered(template, block, read)
        if at is not None and isinstance(part, Part) and part.names:
            _keep(key, Memory(at, _end(part.until), part.names, part.kept(), part.counters))
        return part

    made = made_together(key, make)
    # Another one's poll may show already what this one does not.
    return make(True) if isinstance(made, Reading) and not _is_shown(made) else made


def _rendered(template: str, block: str | None, read: Callable[[], Reading]) -> Part | Reading:
    with _for_everybody() as holes:
        reading = read()
        if reading.version is not None:
            reading = replace(reading, version=of_timeline(reading.version))
        if _is_shown(reading):
            return reading
        context = dict(reading.context())
        if reading.version is not None:
            context["etag"] = f'"f{reading.version}"'
        text = render_block(template, block, **context) if block else render_template(template, **context)
    of = reading
    return Part(text.encode(), of.version, of.over, holes, of.names, of.until, of.counters)


@contextmanager
def _for_everybody() -> Iterator[dict[str, str]]:
    """The holes made inside, by their marks. No text that anybody wrote can hold a mark: it is drawn anew each time."""
    nonce = secrets.token_hex(8)
    holes: dict[str, str] = {}

    def mark(name: str) -> Markup:
        made = f"[{nonce}:{name}]"
        holes[made] = name
        return Markup(made)  # noqa: S704 (hexadecimal digits and a name of ours)

    viewer = g._login_user
    token = g.pop("csrf_token", None)
    g.holes, g._login_user = mark, AnyViewer(viewer, mark)
    try:
        yield holes
        if "csrf_token" in g:
            raise PersonalError("a form's token in a part for everybody")
    finally:
        g._login_user = viewer
        del g.holes
        if token is not None:
            g.csrf_token = token


def _look(key: str) -> bytes | int | None:
    """None: Redis does not answer."""
    try:
        return cast("Stamps", current_app.extensions["stamps"]).look(key, clock.to_ms(clock.now()))
    except redis.RedisError as error:
        log.warning("part_not_remembered", reason=one_line(error))
        return None


def _keep(key: str, memory: Memory) -> None:
    if remembers_nothing():
        return
    try:
        cast("Stamps", current_app.extensions["stamps"]).remember(key, memory)
    except redis.RedisError as error:
        log.warning("part_not_remembered", reason=one_line(error))


def _end(until: datetime | None) -> int:
    ends = clock.to_ms(clock.now()) + MEMORY_SECONDS * 1000
    return ends if until is None else min(ends, clock.to_ms(until))


def _csrf_token() -> str:
    """A form's token; in a part for everybody a hole for it."""
    return hole(TOKEN) if is_rendering() else generate_csrf()


def init_app(app: Flask, more: Fillings) -> None:
    """After CSRFProtect, whose token it takes the place of. `more`: what fills holes of other names than these here."""
    app.jinja_env.globals["csrf_token"] = _csrf_token
    app.context_processor(lambda: {"csrf_token": _csrf_token})  # after CSRFProtect's own
    app.jinja_env.globals["hole"] = hole
    app.extensions["fillings"] = {
        **more,
        TOKEN: generate_csrf,
        NAME: lambda: str(escape(current_user.display_name)),
        MEMBER_ID: lambda: str(escape(current_user.get_id())),
    }
